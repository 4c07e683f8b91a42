import { bars } from "./bars.js";
import { el, percent, sentence } from "./dom.js";

/** Shows fill-mask's answers in `box`, and gives the sentence that tells them. `took`: the sentence about their time. */
export function showAnswers(box, text, result, took) {
  const masks = Array.isArray(result[0]) ? result : [result];
  const parts = masks.flatMap((answers, i) => {
    const sequence = el("p", { className: "sequence" });
    const show = (answer) => sequence.replaceChildren(...filled(text, i, answer.token_str));
    show(answers[0]);
    const list = bars(answers.map((answer) => ({ name: answer.token_str, score: answer.score, choose: () => show(answer) })));
    return [...(masks.length > 1 ? [el("h3", {}, `Gap ${i + 1}`)] : []), list, sequence];
  });
  box.replaceChildren(...parts, el("p", { className: "took" }, took));
  return `${masks.map(([best]) => `${best.token_str}, ${percent(best.score)}`).join("; ")}. ${sentence(took)}`;
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
