import { bars } from "./bars.js";
import { el, percent, sentence, spoken } from "./dom.js";

/** Gaps whose answers are shown: with many more the page would be endless. */
const MOST_GAPS = 10;

/** Shows fill-mask's answers in `box`, and gives the sentence that tells them. `took`: the sentence about their time. */
export function showAnswers(box, text, result, took) {
  const masks = Array.isArray(result[0]) ? result : [result];
  const rest = masks.length > MOST_GAPS ? `and ${masks.length - MOST_GAPS} more` : "";
  const parts = masks.slice(0, MOST_GAPS).flatMap((answers, i) => {
    const sequence = el("p", { className: "sequence" });
    const show = (answer) => sequence.replaceChildren(...filled(text, i, answer.token_str));
    show(answers[0]);
    const list = bars(answers.map((answer) => ({ name: answer.token_str, score: answer.score, choose: () => show(answer) })));
    return [...(masks.length > 1 ? [el("h3", {}, `Gap ${i + 1}`)] : []), list, sequence];
  });
  if (rest) parts.push(el("p", { className: "hint" }, `… ${rest}`));
  box.replaceChildren(...parts, el("p", { className: "took" }, took));
  const told = masks.slice(0, MOST_GAPS).map(([best]) => `${spoken(best.token_str)}, ${percent(best.score)}`);
  return `${[...told, ...(rest ? [rest] : [])].join("; ")}. ${sentence(took)}`;
}

/** The caller's own text, the answer marked in place of its gap: a piece that continues a word loses its "##" and the space before. */
function filled(text, gap, answer) {
  const parts = text.split("[MASK]");
  const before = parts.slice(0, gap + 1).join("[MASK]");
  const continues = answer.startsWith("##");
  return [
    continues ? before.trimEnd() : before,
    el("mark", {}, continues ? answer.slice(2) : answer),
    parts.slice(gap + 1).join("[MASK]"),
  ];
}
