import { $, el } from "./dom.js";
import { explain, Mistake } from "./explain.js";

/**
 * Shows an error in its place, in the visitor's words, and below it the original for developers, folded up; with none, both go.
 * `about`: see explain().
 */
export function showError(place, error, about) {
  if (place.nextElementSibling?.matches(".original")) place.nextElementSibling.remove();
  place.textContent = error ? explain(error, about) : "";
  if (!error || error instanceof Mistake) return;
  const original = `${error.message} (${error.code ?? error.name})`;
  place.after(el("details", { className: "original" }, el("summary", {}, "For developers"), el("code", {}, original)));
}

/** Marks the field that an error is about, for those who do not see where it stands. */
function markInvalid(field, place) {
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", `${place.id} ${field.getAttribute("aria-describedby") ?? ""}`.trim());
}

function unmark(field, place) {
  field.removeAttribute("aria-invalid");
  const others =
    field
      .getAttribute("aria-describedby")
      ?.split(" ")
      .filter((id) => id !== place.id) ?? [];
  if (others.length) field.setAttribute("aria-describedby", others.join(" "));
  else field.removeAttribute("aria-describedby");
}

/**
 * The form `name`-form, whose error stands in `name`-error and whose answers in `box`: dimmed while they are not those to what is
 * typed. Gives the function that asks `work(model, options, signal)` for them with the model that `inUse()` gives, if any; only its
 * latest call matters: the one before is aborted. `quiet`: nobody asked, so what is typed is not called a mistake. `about(model)` is what
 * explain() is told of it.
 */
export function section(name, box, inUse, about, work) {
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
      showError(place, error, about(model));
    } finally {
      if (!own.signal.aborted) {
        box.removeAttribute("aria-busy");
        dim();
      }
    }
  };
}
