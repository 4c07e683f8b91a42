import { $ } from "./dom.js";

/** A mistake in what was typed, and the field that it was made in. */
export class Mistake extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** Shows an error in its place; with none, the place is emptied. */
export function showError(place, error) {
  place.textContent = error ? `${error.message}${fetching(error) && !navigator.onLine ? "; you seem to be offline" : ""}` : "";
}

/** Whether it was while fetching something. What is merely not in a folder has no cause. */
const fetching = ({ code, cause }) => code === "network" || (code === "not_found" && cause !== undefined);

/** Marks the field that an error is about, for those who do not see where it stands. */
function markInvalid(field, place) {
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", `${place.id} ${field.getAttribute("aria-describedby") ?? ""}`.trim());
}

function unmark(field, place) {
  field.removeAttribute("aria-invalid");
  const others = field.getAttribute("aria-describedby")?.split(" ").filter((id) => id !== place.id) ?? [];
  if (others.length) field.setAttribute("aria-describedby", others.join(" "));
  else field.removeAttribute("aria-describedby");
}

/**
 * The form `name`-form, whose error stands in `name`-error and whose answers in `box`: dimmed while they are not those to what is
 * typed. Gives the function that asks `work(model, options, signal)` for them with the model that `inUse()` gives, if any; only its
 * latest call matters: the one before is aborted. `quiet`: nobody asked, so what is typed is not called a mistake.
 */
export function section(name, box, inUse, work) {
  const [form, place] = [$(`${name}-form`), $(`${name}-error`)];
  const fields = [...form.querySelectorAll("textarea, input")];
  const typed = () => fields.map(({ value }) => value).join("\n");
  let current;
  let answered;
  const clearError = () => {
    showError(place);
    for (const field of fields) unmark(field, place);
  };
  const dim = () => box.classList.toggle("stale", typed() !== answered);
  form.addEventListener("input", () => {
    clearError();
    dim();
  });
  return async (options = {}) => {
    current?.abort();
    const model = inUse();
    if (!model) return;
    const own = (current = new AbortController());
    const asked = typed();
    clearError();
    box.classList.add("stale");
    box.setAttribute("aria-busy", "true");
    try {
      await work(model, options, own.signal);
      answered = asked;
    } catch (error) {
      if (own.signal.aborted) return;
      box.replaceChildren();
      const field = error.field ?? (error.code === "bad_input" ? fields[0] : undefined);
      if (field && options.quiet) return;
      if (field) markInvalid(field, place);
      showError(place, error);
    } finally {
      if (!own.signal.aborted) {
        box.removeAttribute("aria-busy");
        dim();
      }
    }
  };
}
