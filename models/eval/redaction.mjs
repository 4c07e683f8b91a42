// Prints what `redact` leaves of the marked personal data, by label, and what it takes of the rest:
// node models/eval/redaction.mjs [FILE…]. The sign "\n" in a line is a line end.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline, redact } from "../../dist/node.js";
import { marked } from "./spans.mjs";

const SIGN = /[\p{L}\p{N}]/u;

/** Counts letters and digits of each label: all, and those that stay; and of the text outside of the spans. */
function count(rows, redactions) {
  const labels = new Map();
  const rest = { all: 0, lost: 0 };
  for (const [n, { text, spans }] of rows.entries())
    for (let at = 0; at < text.length; at++) {
      if (!SIGN.test(text[at])) continue;
      const span = spans.find(({ start, end }) => start <= at && at < end);
      const isHidden = redactions[n].entities.some(({ start, end }) => start <= at && at < end);
      if (!span) rest.all++, (rest.lost += isHidden);
      else {
        const of = labels.get(span.label) ?? { all: 0, left: 0 };
        labels.set(span.label, { all: of.all + 1, left: of.left + !isHidden });
      }
    }
  return { labels, rest };
}

const files = process.argv.length > 2 ? process.argv.slice(2) : ["redaction.txt", "entities.txt"].map((name) => join(import.meta.dirname, name));
const model = await pipeline("token-classification", null, { threads: 1 });
const percent = (part, all) => `${((100 * part) / all).toFixed(1)} %`;
for (const file of files) {
  const rows = marked(readFileSync(file, "utf8").replaceAll("\\n", "\u2028"));
  for (const [how, options] of Object.entries({ "model alone": { model, detectors: [] }, "detectors alone": { model: false }, both: { model } })) {
    const { labels, rest } = count(rows, await redact(rows.map(({ text }) => text), options));
    const sum = [...labels.values()].reduce((to, { all, left }) => ({ all: to.all + all, left: to.left + left }), { all: 0, left: 0 });
    console.log(`${file.split("/").at(-1)}, ${how}: left ${percent(sum.left, sum.all)} of ${sum.all} letters and digits; lost ${percent(rest.lost, rest.all)} of ${rest.all} others`);
    console.log([...labels].map(([label, { all, left }]) => `  ${label} ${percent(left, all)} of ${all}`).join("\n"));
  }
}
await model.dispose();
