// `node models/eval/score.mjs [FOLDER]`, or `npm run bench -- models`: how good the models are, through webert's public API.
//
// FOLDER holds minilm-mlm, minilm-sentiment and minilm-topic; without one, those of the package. With two folders
// (`score.mjs FOLDER EXACT`, the second the f32 files that training leaves in target/train/f32) it also says how many of the
// first five answers are the same in both.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { pipeline } from "../../dist/node.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const BATCH = 20; // sentences a call

/** The lines of an evaluation file, each as its columns. */
function table(name) {
  return readFileSync(join(here, name), "utf8").split("\n").filter((line) => line.trim()).map((line) => line.split("\t"));
}

const percent = (share) => `${(100 * share).toFixed(1).padStart(5)} %`;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** [[name, rows]], in the order in which the names first come. */
function groups(rows, name) {
  const found = new Map();
  for (const row of rows) found.set(name(row), [...(found.get(name(row)) ?? []), row]);
  return [...found];
}

/** Runs a pipeline of `task` over all texts. */
async function answers(task, folder, texts, options) {
  const run = await pipeline(task, folder);
  const found = [];
  for (let at = 0; at < texts.length; at += BATCH) found.push(...await run(texts.slice(at, at + BATCH), options));
  await run.dispose();
  return found;
}

/** The five best words of every cloze. */
async function fillAll(folder, clozes) {
  const found = await answers("fill-mask", join(folder, "minilm-mlm"), clozes.map(({ text }) => text), { top_k: 5 });
  return found.map((five) => five.map(({ token_str }) => token_str));
}

async function scoreClozes(folder, exact) {
  const clozes = table("cloze.tsv").map(([text, accepted, category]) => ({ text, accepted: new Set(accepted.split(",").map((word) => word.trim())), category }));
  const found = await fillAll(folder, clozes);
  const rows = clozes.map(({ accepted, category }, i) => ({ category, first: accepted.has(found[i][0]), five: found[i].some((word) => accepted.has(word)) }));
  const line = (name, part) => console.log(`  ${name.padEnd(24)} top-1 ${percent(mean(part.map(({ first }) => +first)))}   top-5 ${percent(mean(part.map(({ five }) => +five)))}   of ${part.length}`);
  console.log("fill-mask");
  for (const [category, part] of groups(rows, ({ category }) => category)) line(category, part);
  line("all", rows);
  if (!exact) return;
  const same = await fillAll(exact, clozes);
  console.log(`  the same among the first five as f32: ${percent(mean(found.map((five, i) => five.filter((word) => same[i].includes(word)).length / 5)))}`);
}

async function scoreLabels(folder, task) {
  const model = join(folder, `minilm-${task}`);
  if (!existsSync(model)) return console.log(`${task}: ${model} is not there`);
  const texts = table(`${task}.tsv`);
  const found = await answers("text-classification", model, texts.map(([, text]) => text), { top_k: 1 });
  const rows = texts.map(([label], i) => {
    const [best] = [found[i]].flat();
    return { label, right: +(best.label === label), score: best.score };
  });
  console.log(task);
  for (const [label, part] of groups(rows, ({ label }) => label)) console.log(`  ${label.padEnd(24)} ${percent(mean(part.map(({ right }) => right)))}   of ${part.length}`);
  console.log(`  ${"all".padEnd(24)} ${percent(mean(rows.map(({ right }) => right)))}   of ${rows.length}; mean probability of the answer ${percent(mean(rows.map(({ score }) => score)))}`);
}

const [folder = join(here, ".."), exact] = process.argv.slice(2).map((path) => resolve(path));
await scoreClozes(folder, exact);
for (const task of ["sentiment", "topic"]) await scoreLabels(folder, task);
