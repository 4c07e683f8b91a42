// `npm run bench -- tokenizers [FOLDER] [TOKENIZERS]`: speed of the three kinds of tokenizers in MB of UTF-8 per second,
// through the public API. If FOLDER/node_modules has transformers.js (`npm install --prefix FOLDER
// @huggingface/transformers`), it is measured too. TOKENIZERS contains more tokenizers, one folder each. Both libraries
// produce the same lists, input_ids and attention_mask, in one thread. The time is the best of many calls, which
// alternate. Both cache words, so "new" is the first call of a tokenizer, on prose. "no text" is the cost of an empty
// call.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { AutoTokenizer } from "../dist/node.js";
import { root } from "../scripts/lib/run.mjs";

const ROUNDS = 15;
const NEW_ROUNDS = 5;
const EMPTY_CALLS = 1000;
const goldens = join(root, "tests/goldens");
const [peers = root, more] = process.argv.slice(2);

/** Returns transformers.js, or undefined if it is not installed. */
async function peer() {
  const at = (() => {
    try {
      return createRequire(join(resolve(peers), "from.js")).resolve("@huggingface/transformers");
    } catch {
      return undefined;
    }
  })();
  if (!at) {
    console.log(`transformers.js: skipped, as ${peers} has no node_modules/@huggingface/transformers`);
    return undefined;
  }
  // This is the CommonJS entry. Its code is the same.
  return import(pathToFileURL(at).href);
}

/** Returns tokenizers by name and folder: from TOKENIZERS, or from the tests. */
function folders() {
  const of = (folder) => readdirSync(folder).map((name) => [name, join(folder, name)]);
  const own = ["mpnet", "roberta", "modernbert", "xlmr-old", "albert-old", "unigram-bytefallback"];
  const given = more ? of(resolve(more)) : own.map((name) => [name, join(goldens, "families", name)]);
  return given.filter(([, folder]) => existsSync(join(folder, "tokenizer.json")));
}

/** Returns lines of prose from docs/, of about 900 bytes. */
function prose() {
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const read = docs.sort().map((name) => readFileSync(join(root, "docs", name), "utf8"));
  const words = read.join("\n").split(/(?<=\s)(?=\S)/);
  const lines = [""];
  for (const word of words) {
    lines[lines.length - 1] += word;
    if (lines.at(-1).length >= 900) lines.push("");
  }
  return lines;
}

/** Returns the golden strings, which cover every kind of writing. */
function strings() {
  const rows = readFileSync(join(goldens, "tokenizer/single.jsonl"), "utf8").trim().split("\n");
  return rows.map((row) => JSON.parse(row).text).filter((text) => text.length < 1000);
}

const time = (call) => {
  const start = performance.now();
  call();
  return performance.now() - start;
};

/** Returns the best time of each call in milliseconds. */
function best(calls) {
  const times = calls.map(() => []);
  for (let round = 0; round < ROUNDS; round++) for (const [n, call] of calls.entries()) times[n].push(time(call));
  return times.map((of) => Math.min(...of));
}

const transformers = await peer();
const OPTIONS = { return_tensor: false, return_token_type_ids: false };
const sets = { prose: prose(), strings: strings() };
const size = (texts) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

for (const [name, folder] of folders()) {
  const file = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const own = () => AutoTokenizer.from_pretrained(folder);
  const other = async () =>
    transformers && new transformers.PreTrainedTokenizer(file("tokenizer.json"), file("tokenizer_config.json"));
  const [ours, theirs] = [await own(), await other()];
  const kind = file("tokenizer.json").model.type;
  const report = (set, how, bytes, [mine, other]) => {
    const speed = (ms) =>
      bytes ? `${(bytes / 1e3 / ms).toFixed(1)} MB/s` : `${((ms * 1e3) / EMPTY_CALLS).toFixed(1)} µs`;
    const beside = other ? `, transformers.js ${speed(other)}: ${(other / mine).toFixed(1)} ×` : "";
    console.log(`${kind.padEnd(9)} ${name.padEnd(20)} ${set.padEnd(7)} ${how.padEnd(13)} ${speed(mine)}${beside}`);
  };
  const both = [ours, theirs].filter(Boolean);
  for (const [set, texts] of Object.entries(sets)) {
    for (const [how, list] of Object.entries({ "one call": [texts], "a call a text": texts })) {
      const calls = both.map((tokenizer) => () => {
        for (const text of list) tokenizer(text, OPTIONS);
      });
      report(set, how, size(texts), best(calls));
    }
  }
  const empty = both.map((tokenizer) => () => {
    for (let i = 0; i < EMPTY_CALLS; i++) tokenizer("", OPTIONS);
  });
  report("no text", "a call a text", 0, best(empty));
  const first = [Infinity, Infinity];
  for (let round = 0; round < NEW_ROUNDS; round++) {
    for (const [n, load] of [own, other].entries()) {
      const tokenizer = await load();
      if (tokenizer)
        first[n] = Math.min(
          first[n],
          time(() => tokenizer(sets.prose, OPTIONS)),
        );
      tokenizer?.dispose?.();
    }
  }
  report("prose", "new", size(sets.prose), first.filter(Number.isFinite));
  ours.dispose();
}
