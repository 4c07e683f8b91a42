// `node models/eval/score.mjs [FOLDER]`, or `npm run bench -- models`: scores the models through webert's public API.
//
// FOLDER holds minilm-mlm, minilm-embeddings, minilm-sentiment, minilm-topic and minilm-entities; the default is the package's models. Missing
// models are left out. A second folder, EXACT, holds the f32 files that training writes to target/train/f32. The script then also prints what int8
// changed: the first five answers, tokens' labels, sentence vectors. A third folder, ORIGINAL, holds the encoder that training began with. The
// script then also compares the sentence vectors with its vectors.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { pipeline } from "../../dist/node.js";
import { importTypeScript } from "../../scripts/lib/typescript.mjs";
import { covers, f1, marked, spansOf } from "./spans.mjs";
import { agreement, cosine, cosines } from "./vectors.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const BATCH = 20; // sentences per call

/** The lines of an evaluation file, split into columns. */
function table(name) {
  return readFileSync(join(here, name), "utf8").split("\n").filter((line) => line.trim()).map((line) => line.split("\t"));
}

const percent = (share) => `${(100 * share).toFixed(1).padStart(5)} %`;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** [[name, rows]], in the order of the first occurrence of each name. */
function groups(rows, name) {
  const found = new Map();
  for (const row of rows) found.set(name(row), [...(found.get(name(row)) ?? []), row]);
  return [...found];
}

/** Runs a pipeline of `task` over all texts. dtype: the precision of the weights; "fp32" is the reference for int8. */
async function answers(task, folder, texts, options, dtype = "auto") {
  const run = await pipeline(task, folder, { dtype });
  const found = [];
  for (let at = 0; at < texts.length; at += BATCH) found.push(...await run(texts.slice(at, at + BATCH), options));
  await run.dispose();
  return found;
}

/** The five best words of every cloze. */
async function fillAll(folder, clozes, dtype) {
  const found = await answers("fill-mask", join(folder, "minilm-mlm"), clozes.map(({ text }) => text), { top_k: 5 }, dtype);
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
  await scoreOffered(folder, clozes);
  if (!exact || !existsSync(join(exact, "minilm-mlm"))) return;
  const same = await fillAll(exact, clozes, "fp32");
  console.log(`  the same among the first five as f32: ${percent(mean(found.map((five, i) => five.filter((word) => same[i].includes(word)).length / 5)))}`);
}

/** The same answers as the page's view Guess offers them: words of the sentence are left out (www/src/text/offered.ts). */
async function scoreOffered(folder, clozes) {
  const { fillGaps } = await importTypeScript("www/src/text/offered.ts");
  const fill = await pipeline("fill-mask", join(folder, "minilm-mlm"));
  const repeats = (text, word) => text.toLowerCase().split(/[^a-z]+/).includes(word);
  const rows = [];
  for (const { text, accepted } of clozes) {
    const five = (await fill(text, { top_k: 5 })).map(({ token_str }) => token_str);
    const offered = (await fillGaps(fill, text))[0].map(({ token_str }) => token_str);
    rows.push({ before: +repeats(text, five[0]), after: +repeats(text, offered[0]), first: +accepted.has(offered[0]), five: +offered.some((word) => accepted.has(word)) });
  }
  await fill.dispose();
  const share = (name) => percent(mean(rows.map((row) => row[name])));
  console.log(`  ${"as the page offers".padEnd(24)} top-1 ${share("first")}   top-5 ${share("five")}   first answers that repeat a word ${share("after")}, of the pipeline ${share("before")}`);
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

/** How many neutral sentences get a sentiment, and how many of the others an answer, if probabilities below a bound count as unsure. */
async function scoreUnsure(folder) {
  const model = join(folder, "minilm-sentiment");
  if (!existsSync(model)) return;
  const texts = table("sentiment.tsv");
  const neutral = await answers("text-classification", model, table("neutral.txt").map(([text]) => text), { top_k: 1 });
  const found = await answers("text-classification", model, texts.map(([, text]) => text), { top_k: 1 });
  const rows = found.map((answer, i) => ({ score: [answer].flat()[0].score, right: +([answer].flat()[0].label === texts[i][0]) }));
  for (const least of [0.6, 0.65, 0.75, 0.85]) {
    const told = rows.filter(({ score }) => score >= least);
    const called = mean(neutral.map((answer) => +([answer].flat()[0].score >= least)));
    console.log(`  unsure below ${percent(least)}: neutral called ${percent(called)}   answered ${percent(told.length / rows.length)}   of these right ${percent(mean(told.map(({ right }) => right)))}`);
  }
}

async function scoreEntities(folder, exact) {
  const model = join(folder, "minilm-entities");
  if (!existsSync(model)) return console.log(`entities: ${model} is not there`);
  const sentences = marked(readFileSync(join(here, "entities.txt"), "utf8"));
  const texts = sentences.map(({ text }) => text);
  const found = await answers("token-classification", model, texts, { aggregation_strategy: "first" });
  const rows = sentences.map(({ spans }, n) => ({ spans, found: spansOf(found[n]) }));
  const line = (name, { precision, recall, f1, count }) => console.log(`  ${name.padEnd(24)} F1 ${percent(f1)}   precision ${percent(precision)}   recall ${percent(recall)}   of ${count}`);
  console.log("entities, exact spans");
  for (const label of [...new Set(rows.flatMap(({ spans }) => spans.map(({ label }) => label)))]) {
    const of = (spans) => spans.filter((span) => span.label === label);
    line(label, f1(rows.map(({ spans, found }) => ({ spans: of(spans), found: of(found) }))));
  }
  line("all", f1(rows));
  // Every character of these must be covered before a text leaves, with any label.
  for (const kind of ["EMAIL", "PHONE", "card"]) {
    const wanted = rows.flatMap(({ spans, found }) => spans.filter((span) => span.kind === kind).map((span) => covers(found, span)));
    console.log(`  ${`${kind} covered`.padEnd(24)} ${percent(mean(wanted.map(Number)))}   of ${wanted.length}`);
  }
  if (exact && existsSync(join(exact, "minilm-entities"))) await scoreTags(model, join(exact, "minilm-entities"), texts);
}

/** The number of tokens with another label in f32. */
async function scoreTags(model, exact, texts) {
  const labels = async (folder, dtype) => (await answers("token-classification", folder, texts, { ignore_labels: [] }, dtype)).flat().map(({ entity }) => entity);
  const [small, large] = [await labels(model), await labels(exact, "fp32")];
  console.log(`  labels of tokens that are others than in f32: ${percent(mean(small.map((label, n) => +(label !== large[n]))))}`);
}

async function scoreVectors(folder, exact, original) {
  const texts = [...table("topic.tsv"), ...table("sentiment.tsv")].map(([, text]) => text);
  const vectors = async (model, dtype) => (await answers("feature-extraction", model, texts, { pooling: "model" }, dtype)).map((row) => row.tolist());
  const model = join(folder, "minilm-embeddings");
  if (!existsSync(model)) return console.log(`sentence vectors: ${model} is not there`);
  if (!exact && !original) return;
  const own = await vectors(model);
  console.log("sentence vectors");
  if (exact && existsSync(join(exact, "minilm-embeddings"))) {
    const large = await vectors(join(exact, "minilm-embeddings"), "fp32");
    const cosines = own.map((vector, n) => cosine(vector, large[n]));
    console.log(`  cosine to the vectors of f32: ${mean(cosines).toFixed(4)}, the least ${Math.min(...cosines).toFixed(4)}`);
  }
  if (!original) return;
  const { correlation, same } = agreement(cosines(own), cosines(await vectors(original, "fp32")));
  console.log(`  Spearman correlation with the original's, all pairs of ${texts.length}: ${correlation.toFixed(3)}; the same nearest neighbour: ${percent(same)}`);
}

const [folder = join(here, ".."), exact, original] = process.argv.slice(2).map((path) => resolve(path));
await scoreClozes(folder, exact);
for (const task of ["sentiment", "topic"]) {
  await scoreLabels(folder, task);
  if (task === "sentiment") await scoreUnsure(folder);
}
await scoreEntities(folder, exact);
await scoreVectors(folder, exact, original);
