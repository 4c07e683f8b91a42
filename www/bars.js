import { el, percent, spoken } from "./dom.js";

/**
 * A list of bars, as long as their score. Entries: {name, score from 0 to 1, choose?}; those with
 * `choose` are buttons that call it when pressed, pointed at or focused.
 */
export function bars(entries) {
  const list = el("ol", { className: "bars" });
  for (const { name, score, choose } of entries) {
    const fill = el("span", { className: "fill" });
    fill.style.width = `${100 * score}%`;
    const bar = el(
      choose ? "button" : "div",
      { className: "bar" },
      fill,
      el("span", { className: "name" }, name),
      el("span", { className: "score" }, percent(score)),
    );
    if (choose) {
      bar.type = "button";
      if (spoken(name) !== name) bar.setAttribute("aria-label", `${spoken(name)} ${percent(score)}`);
      const pick = () => {
        for (const other of list.querySelectorAll(".bar")) other.setAttribute("aria-pressed", String(other === bar));
        choose();
      };
      for (const event of ["click", "pointerenter", "focus"]) bar.addEventListener(event, pick);
      bar.setAttribute("aria-pressed", String(list.childElementCount === 0));
    }
    list.append(el("li", {}, bar));
  }
  return list;
}
