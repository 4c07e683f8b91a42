// Reads the questions of decisions.txt, and measures the answers of a decision model of the AI SDK.

/**
 * Returns the questions of the file. An entry is a line with the text, a line "choice" or "boolean" with the right answer, and
 * a line per option, `name: description`, or the statement. Entries are separated by an empty line.
 */
export const questionsOf = (file) =>
  file
    .trim()
    .split(/\n\n+/)
    .map((entry) => {
      const [text, head, ...lines] = entry.split("\n");
      const [type, right] = head.split(" = ");
      const options = lines.map((line) => /^(\w+): (.+)$/.exec(line)?.slice(1) ?? [line]);
      if (type === "boolean") return { text, right, question: { type, instructions: lines[0] } };
      if (type === "score") return { text, right, question: { type, criteria: options.map(([first, level]) => level ?? first) } };
      return { text, right, question: { type, criteria: Object.fromEntries(options) } };
    });

/** Returns the answers by kind of question, each with its confidence and whether it is right, and the number of refusals. */
export async function answersOf(model, rows) {
  const kinds = {};
  let refused = 0;
  for (const { text, right, question } of rows) {
    const { answers, warnings } = await model.doDecide({ state: [{ type: "text", text }], questions: { q: question } });
    if (answers.q.type === "refusal") {
      if (!warnings.some((warning) => warning.type === "unsupported" && warning.details)) throw new Error("no reason");
      refused++;
      continue;
    }
    kinds[question.type] ??= [];
    kinds[question.type].push(judged(answers.q, right));
  }
  return { kinds, refused };
}

/** Returns the confidence of an answer and whether it is right. A score is right if its likeliest level is. */
function judged(answer, right) {
  if (answer.type === "boolean") {
    const isTrue = answer.probability >= 0.5;
    return { confidence: isTrue ? answer.probability : 1 - answer.probability, isRight: String(isTrue) === right };
  }
  const [best, confidence] = Object.entries(answer.probabilities).sort(([, a], [, b]) => b - a)[0];
  return { confidence, isRight: best === right };
}

/** Expected calibration error: the mean distance of confidence and accuracy in ten bins of the confidence. */
export function calibrationError(answers) {
  const bins = Array.from({ length: 10 }, () => ({ confidence: 0, right: 0 }));
  for (const { confidence, isRight } of answers) {
    const bin = bins[Math.min(9, Math.floor(10 * confidence))];
    bin.confidence += confidence;
    bin.right += isRight ? 1 : 0;
  }
  return bins.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0) / answers.length || 0;
}
