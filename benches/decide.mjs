// Accuracy and expected calibration error (ten bins) of decisions and extractions by the package's models, over models/eval.
// `npm run bench -- decide [--nli MODEL] [--limit N]`: MODEL is one for natural language inference, which the package does not have.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { decisionModel, extractionModel } from "../dist/integrations/ai-sdk.js";
import { pipeline } from "../dist/node.js";
import { answersOf, calibrationError, questionsOf } from "../models/eval/decisions.mjs";
import { f1, marked } from "../models/eval/spans.mjs";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { nli: { type: "string" }, limit: { type: "string", default: "1000" } } });
const evaluation = (name) => readFileSync(join(root, `models/eval/${name}`), "utf8");
const shipped = (task, name) => pipeline(task, join(root, `models/minilm-${name}`));
const share = (part, all) => (part / all).toFixed(3);

/** Choices among all labels of a classifier. */
async function choices(name, classify) {
  const criteria = Object.fromEntries(Object.values(classify.model.config.id2label).map((label) => [label, null]));
  const model = decisionModel({ pipelines: [classify] });
  const lines = evaluation(`${name}.tsv`).trim().split("\n").slice(0, values.limit);
  const answers = [];
  for (const line of lines) {
    const [label, text] = line.split("\t");
    const state = [{ type: "text", text }];
    const { choice, probabilities } = (await model.doDecide({ state, questions: { q: { type: "choice", criteria } } }))
      .answers.q;
    answers.push({ confidence: probabilities[choice], isRight: choice === label });
  }
  const right = answers.filter(({ isRight }) => isRight).length;
  const ece = calibrationError(answers).toFixed(3);
  console.log(
    `choice among the labels of ${name}: ${lines.length} texts, accuracy ${share(right, lines.length)}, ECE ${ece}`,
  );
}

/** Lists of the values of each label: exact bounds. */
async function lists(entities) {
  const rows = marked(evaluation("entities.txt")).slice(0, values.limit);
  const model = extractionModel([entities]);
  const names = [...new Set(rows.flatMap(({ spans }) => spans.map(({ label }) => label)))].sort();
  for (const name of names) {
    const answers = [];
    let [empty, rightlyEmpty] = [0, 0];
    const found = [];
    for (const { text, spans } of rows) {
      const there = spans.filter(({ label }) => label === name);
      const fields = { [name]: { type: "list", items: "text" } };
      const { items } = (await model.doExtract({ state: [{ type: "text", text }], fields })).answers[name];
      const ranges = items.map(({ source: { start, end } }) => ({ label: name, start, end }));
      for (const [n, { start, end }] of ranges.entries()) {
        const isRight = there.some((span) => span.start === start && span.end === end);
        answers.push({ confidence: items[n].confidence, isRight });
      }
      if (!there.length) empty++;
      if (!there.length && !items.length) rightlyEmpty++;
      found.push({ spans: there, found: ranges });
    }
    const { precision, recall, f1: both, count } = f1(found);
    const figures = [precision, recall, both].map((one) => one.toFixed(3));
    console.log(
      `list of ${name}: ${count} values, precision ${figures[0]}, recall ${figures[1]}, F1 ${figures[2]}, ` +
        `ECE ${calibrationError(answers).toFixed(3)}; nothing found in ${share(rightlyEmpty, empty)} of ${empty} texts without one`,
    );
  }
}

/** Questions of any kind, which need inference. */
async function questions(models) {
  const rows = questionsOf(evaluation("decisions.txt"));
  const { kinds, refused } = await answersOf(decisionModel({ pipelines: models }), rows);
  console.log(`questions of any kind: ${rows.length}, refused with a reason ${refused}`);
  for (const [kind, answers] of Object.entries(kinds)) {
    const right = answers.filter(({ isRight }) => isRight).length;
    const ece = calibrationError(answers).toFixed(3);
    console.log(`  ${kind}: ${answers.length}, accuracy ${share(right, answers.length)}, ECE ${ece}`);
  }
}

const sentiment = await shipped("text-classification", "sentiment");
const topic = await shipped("text-classification", "topic");
const entities = await shipped("token-classification", "entities");
const inference = values.nli ? [await pipeline("zero-shot-classification", values.nli)] : [];
await choices("sentiment", sentiment);
await choices("topic", topic);
await lists(entities);
await questions([sentiment, topic, ...inference]);
await Promise.all([sentiment, topic, entities, ...inference].map((pipe) => pipe.dispose()));
