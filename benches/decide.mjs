// Accuracy and expected calibration error (ten bins) of decisions by the package's classifiers, over models/eval. `npm run bench -- decide`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decisionModel } from "../dist/integrations/ai-sdk.js";
import { pipeline } from "../dist/node.js";

const root = join(import.meta.dirname, "..");

for (const name of ["sentiment", "topic"]) {
  const classify = await pipeline("text-classification", join(root, `models/minilm-${name}`));
  const criteria = Object.fromEntries(Object.values(classify.model.config.id2label).map((label) => [label, null]));
  const model = decisionModel({ pipelines: [classify] });
  const bins = Array.from({ length: 10 }, () => ({ confidence: 0, right: 0 }));
  const rows = readFileSync(join(root, `models/eval/${name}.tsv`), "utf8")
    .trim()
    .split("\n");
  let right = 0;
  for (const row of rows) {
    const [label, text] = row.split("\t");
    const state = [{ type: "text", text }];
    const { answers } = await model.doDecide({ state, questions: { label: { type: "choice", criteria } } });
    const { choice, probabilities } = answers.label;
    const bin = bins[Math.min(9, Math.floor(10 * probabilities[choice]))];
    bin.confidence += probabilities[choice];
    bin.right += choice === label ? 1 : 0;
    right += choice === label ? 1 : 0;
  }
  const error = bins.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0) / rows.length;
  console.log(`${name}: ${rows.length} texts, accuracy ${(right / rows.length).toFixed(3)}, ECE ${error.toFixed(3)}`);
  await classify.dispose();
}
