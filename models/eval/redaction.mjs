// Prints what `redact` leaves of marked personal data, and what it takes of the rest:
// `node models/eval/redaction.mjs [--model SOURCE] [--presidio PYTHON] [FILE…]`, or `npm run bench -- redaction`.
//
// Without a FILE it reads entities.txt, redaction.txt, kinds.txt and plain.txt (texts without personal data). It prints what
// stays by label and by kind of text (of plain.txt: by language), what `capitals` changes, how exact the model alone is, and what a threshold of each label
// of the model would cost.
// SOURCE is another token classifier. PYTHON is an interpreter with presidio-analyzer, which is then measured beside (presidio_spans.py).

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { pipeline, redact } from "../../dist/node.js";
import { importTypeScript } from "../../scripts/lib/typescript.mjs";
import { marked } from "./spans.mjs";

const { isEnglish } = await importTypeScript("src/js/redaction/language.ts");

const here = import.meta.dirname;
const SIGN = /[\p{L}\p{N}]/u;
const THRESHOLDS = [0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95];

const { values: asked, positionals } = parseArgs({ options: { model: { type: "string" }, presidio: { type: "string" } }, allowPositionals: true });
const percent = (part, all) => (all ? `${((100 * part) / all).toFixed(1)} %` : "");
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);

/** The texts of a file: `{ text, spans, kind }`. "\n" in a line is a line end; a line `# …` names the kind of the texts below it. */
function read(file) {
  let kind = basename(file, ".txt");
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.flatMap((line) => {
    if (line.startsWith("# ")) kind = line.slice(2);
    return line.startsWith("# ") ? [] : { ...marked(line)[0], kind };
  }).map(unescaped);
}

/** Replaces each `\n` by a line end and each `\t` by a tab, which are one code unit shorter. */
function unescaped({ text, spans, kind }) {
  const moved = (at) => at - (text.slice(0, at).match(/\\[nt]/g)?.length ?? 0);
  return { text: text.replaceAll("\\n", "\n").replaceAll("\\t", "\t"), kind, spans: spans.map((span) => ({ ...span, start: moved(span.start), end: moved(span.end) })) };
}

/** The texts of plain.txt; the kind is the language. */
const plain = () => readFileSync(join(here, "plain.txt"), "utf8").split("\n").filter(Boolean).map((line) => {
  const [kind, text] = line.split("\t");
  return unescaped({ text, spans: [], kind });
});

/** Letters and digits: [{ kind, label or undefined, all, hidden }] of each marked span and of the rest of each text. */
function counts(rows, found) {
  return rows.flatMap(({ text, spans, kind }, n) => {
    const parts = [...spans.map(({ label }) => ({ kind, label, all: 0, hidden: 0 })), { kind, all: 0, hidden: 0 }];
    for (let at = 0; at < text.length; at++) {
      if (!SIGN.test(text[at])) continue;
      const inside = spans.findIndex(({ start, end }) => start <= at && at < end);
      const part = parts.at(inside);
      part.all++;
      part.hidden += found[n].some(({ start, end }) => start <= at && at < end);
    }
    return parts;
  });
}

const sum = (parts, of) => parts.reduce((total, part) => total + part[of], 0);
/** The share of personal data that stays, and the share of other text that is lost. */
const left = (parts) => percent(sum(parts, "all") - sum(parts, "hidden"), sum(parts, "all"));
const lost = (parts) => percent(sum(parts, "hidden"), sum(parts, "all"));

const spansOf = async (rows, options) => {
  const found = [];
  for (const { text } of rows) found.push((await redact(text, options)).entities); // each text alone: names do not carry over
  return found;
};

/** The spans of presidio: {way: [[{ start, end }] of each text]}. It knows no top-level domain "example", which tests use. */
function presidio(rows) {
  const texts = rows.map(({ text }) => text.replaceAll(".example", ".co.info"));
  const output = execFileSync(asked.presidio, [join(here, "presidio_spans.py")], { input: JSON.stringify(texts), maxBuffer: 1 << 28 });
  const ways = Object.entries(JSON.parse(output));
  return Object.fromEntries(ways.map(([way, all]) => [`presidio, ${way}`, all.map((spans, n) => spans.map(([start, end]) => inUnits(rows[n].text, start, end)))]));
}

/** A span in UTF-16 code units. */
function inUnits(text, start, end) {
  const units = (points) => Array.from(text).slice(0, points).join("").length;
  return { start: units(start), end: units(end) };
}

async function ways(rows, model) {
  return {
    "model alone": counts(rows, await spansOf(rows, { model, detectors: [] })),
    "detectors alone": counts(rows, await spansOf(rows, { model: false })),
    both: counts(rows, await spansOf(rows, { model })),
    ...(asked.presidio && Object.fromEntries(Object.entries(presidio(rows)).map(([way, found]) => [way, counts(rows, found)]))),
  };
}

/** A table of what stays by a property of the spans, then of what is lost by a property of the texts. */
function table(title, parts, by, cell) {
  const names = Object.keys(parts);
  const groups = [...new Set(parts.both.map((part) => part[by]))];
  console.log(`\n${title}\n`);
  row([by, "letters and digits", ...names]);
  row(Array(names.length + 2).fill("---"));
  for (const group of groups) {
    const of = (name) => parts[name].filter((part) => part[by] === group);
    row([group, sum(of("both"), "all"), ...names.map((name) => cell(of(name)))]);
  }
  row(["all", sum(parts.both, "all"), ...names.map((name) => cell(parts[name]))]);
}

const only = (parts, keep) => Object.fromEntries(Object.entries(parts).map(([name, of]) => [name, of.filter(keep)]));
const isPersonal = ({ label }) => label !== undefined;

/** What stays and what is lost of each set: `sets` is [[name, parts]]. */
function summary(sets) {
  const names = Object.keys(sets[0][1]);
  console.log("\npersonal data that stays / other words that are replaced\n");
  row(["set", ...names]);
  row(Array(names.length + 1).fill("---"));
  for (const [name, parts] of sets)
    row([name, ...names.map((way) => [left(parts[way].filter(isPersonal)), lost(parts[way].filter((part) => !isPersonal(part)))].filter(Boolean).join(" / "))]);
}

function tables(sets) {
  summary(sets);
  const joint = Object.fromEntries(Object.keys(sets[0][1]).map((way) => [way, sets.flatMap(([, parts]) => parts[way])]));
  table("personal data that stays, by label", only(joint, isPersonal), "label", left);
  table("personal data that stays, by kind of text", only(joint, isPersonal), "kind", left);
  table("other words that are replaced, by kind of text", only(joint, (part) => !isPersonal(part)), "kind", lost);
}

/** Bins of scores, for the expected calibration error. */
const BINS = 10;

/** Which spans that the model alone finds are right, with their scores: [[score, whether bounds and label are right]], and how many are marked. */
async function exactly(rows, model, labels) {
  const found = [];
  let there = 0;
  for (const { text, spans } of rows) {
    const right = new Set(spans.filter(({ label }) => labels.includes(label)).map(({ start, end, label }) => `${start} ${end} ${label}`));
    there += right.size;
    for (const { start, end, entity_group, score } of await model(text, { aggregation_strategy: "first" }))
      found.push([score, right.has(`${start} ${end} ${entity_group}`)]);
  }
  return { found, there };
}

/** The mean distance of the scores from the share of right spans, over ten bins of the same width. */
function calibrationError(found) {
  const bins = Array.from({ length: BINS }, () => [0, 0]);
  for (const [score, isRight] of found) {
    const bin = bins[Math.min(BINS - 1, Math.floor(score * BINS))];
    bin[0] += score;
    bin[1] += isRight;
  }
  return bins.reduce((total, [scores, right]) => total + Math.abs(scores - right), 0) / Math.max(1, found.length);
}

/** Precision, recall and F1 of exact spans of the model alone, and the calibration error of its scores. */
async function exactSpans(sets, model) {
  const labels = labelsOf(model);
  console.log("\nModel alone, spans with the right bounds and label\n");
  row(["set", "marked", "found", "precision", "recall", "F1", "calibration error"]);
  row(Array(7).fill("---"));
  const all = { found: [], there: 0 };
  const print = (name, { found, there }) => {
    const right = found.filter(([, isRight]) => isRight).length;
    row([name, there, found.length, percent(right, found.length), percent(right, there), percent(2 * right, found.length + there), calibrationError(found).toFixed(3)]);
  };
  for (const [name, rows] of sets) {
    const own = await exactly(rows, model, labels);
    print(name, own);
    all.found.push(...own.found);
    all.there += own.there;
  }
  print("all", all);
}

const labelsOf = (model) => [...new Set(Object.values(model.model.config.id2label).map((label) => label.replace(/^[BI]-/, "")))].filter((label) => label !== "O");

/** What a threshold for one label of the model costs, beside the detectors: what stays of the label's data, and what is lost. */
async function thresholds(rows, model) {
  const labels = labelsOf(model);
  const spans = await spansOf(rows, { model });
  console.log("\nThreshold of one label: its personal data that stays / other words that it replaces\n");
  row(["label", ...THRESHOLDS]);
  row(Array(THRESHOLDS.length + 1).fill("---"));
  for (const label of labels) {
    const cells = THRESHOLDS.map((least) => {
      const kept = spans.map((some) => some.filter(({ entity_group, score, pattern }) => pattern || entity_group !== label || score >= least));
      const own = spans.map((some) => some.filter(({ entity_group, score, pattern }) => !pattern && entity_group === label && score >= least));
      const taken = counts(rows, own).filter((part) => !isPersonal(part));
      return `${left(counts(rows, kept).filter((part) => part.label === label))} / ${lost(taken)}`;
    });
    row([label, ...cells]);
  }
}

/** What the option `capitals` changes in texts that are not English: what stays / what is lost, by set. */
async function capitals(sets, model) {
  console.log("\n`capitals`, texts in other languages than English\n");
  row(["set", "texts", "with `capitals`", "`capitals: false`"]);
  row(Array(4).fill("---"));
  for (const [name, all] of sets) {
    const rows = all.filter(({ text }) => isEnglish(text) === false);
    const cells = [];
    for (const capitals of [true, false]) {
      const parts = counts(rows, await spansOf(rows, { model, capitals }));
      cells.push([left(parts.filter(isPersonal)), lost(parts.filter((part) => !isPersonal(part)))].filter(Boolean).join(" / "));
    }
    row([name, rows.length, ...cells]);
  }
}

const model = await pipeline("token-classification", asked.model ?? null, { threads: 1 });
const files = positionals.length ? positionals : ["entities.txt", "redaction.txt", "kinds.txt"].map((name) => join(here, name));
const sets = [...files.map((file) => [basename(file), read(file)]), ...(positionals.length ? [] : [["plain.txt", plain()]])];
const found = [];
for (const [name, rows] of sets) found.push([name, await ways(rows, model)]);
tables(found);
await capitals(sets, model);
await exactSpans(sets, model);
await thresholds(sets.flatMap(([, rows]) => rows), model);
await model.dispose();
