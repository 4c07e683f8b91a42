import { bars } from "./bars.js";
import { el, percent, sentence, spoken } from "./dom.js";

/** Gaps whose answers are shown: with many more the page would be endless. */
export const MOST_GAPS = 10;

/** Characters of the text that are shown on each side of a gap. */
const AROUND = 300;

const NO_WORD = "no word for this gap";

/** Shows the answers for each gap in `box`, and gives the sentence that tells them. `took`: the sentence about their time. */
export function showAnswers(box, text, masks, took) {
  const rest = masks.length > MOST_GAPS ? `and ${masks.length - MOST_GAPS} more` : "";
  const parts = masks.slice(0, MOST_GAPS).flatMap((answers, i) => {
    const title = masks.length > 1 ? [el("h3", {}, `Gap ${i + 1}`)] : [];
    if (!answers.length) return [...title, el("p", { className: "hint" }, NO_WORD)];
    const sequence = el("p", { className: "sequence" });
    const show = (answer) => sequence.replaceChildren(...filled(text, i, answer.token_str));
    show(answers[0]);
    const list = bars(
      answers.map((answer) => ({ name: answer.token_str, score: answer.score, choose: () => show(answer) })),
    );
    return [...title, list, sequence];
  });
  if (rest) parts.push(el("p", { className: "hint" }, `… ${rest}`));
  box.replaceChildren(...parts, el("p", { className: "took" }, took));
  const told = masks
    .slice(0, MOST_GAPS)
    .map(([best]) => (best ? `${spoken(best.token_str)}, ${percent(best.score)}` : NO_WORD));
  return `${[...told, ...(rest ? [rest] : [])].join("; ")}. ${sentence(took)}`;
}

/** The visitor's own text around a gap, the answer marked in its place: a piece that continues a word loses its "##". */
function filled(text, gap, answer) {
  const parts = text.split("[MASK]");
  const before = parts.slice(0, gap + 1).join("[MASK]");
  const after = parts.slice(gap + 1).join("[MASK]");
  return [
    before.length > AROUND ? `… ${before.slice(-AROUND)}` : before,
    el("mark", {}, answer.replace(/^##(?=.)/, "")),
    after.length > AROUND ? `${after.slice(0, AROUND)} …` : after,
  ];
}
