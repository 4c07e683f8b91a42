// `npm run bench -- search`: time, memory and recall of a search over random vectors and over vectors of a model, and
// how often questions find the passage that answers them. One thread.

import { readFile } from "node:fs/promises";
import { createIndex, pipeline } from "../dist/node.js";
import glue from "../dist/webert_search.js";
import { collection, judged } from "../tests/goldens/search/collection.mjs";

const made = glue();
await made.default({ module_or_path: await readFile(new URL("../dist/webert_search.wasm", import.meta.url)) });

let state = 1;
function uniform() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

const WIDTH = 384;
/** Returns `count` unit vectors of random numbers, moved by `shared` times one common direction. */
function vectors(count, shared, draw = normal) {
  const centre = Float32Array.from({ length: WIDTH }, () => shared * normal());
  return Array.from({ length: count }, () => {
    const row = centre.map((x) => x + draw());
    const length = Math.hypot(...row);
    return row.map((x) => x / length);
  });
}

/** Returns the pieces of a passage of 80 words from a vocabulary of 30,000, few of them frequent (Zipf). */
const words = () => Uint32Array.from({ length: 80 }, () => Math.floor(30_000 ** uniform()));

/** No sparse vectors: the arguments of a document, and of a query after its share. */
const NONE = [new Uint32Array(), new Uint32Array(), new Float32Array()];

function indexOf(rows, quantizes, hasWords) {
  const index = made.search_index(WIDTH, false, quantizes, hasWords, false);
  const places = Uint32Array.of(0, 400);
  for (const row of rows) {
    const pieces = hasWords ? words() : new Uint32Array();
    index.add(places, Uint32Array.of(pieces.length), pieces, row, ...NONE);
  }
  return index;
}

/** Returns the processor time of a call in milliseconds. Unlike wall time, it ignores other processes. */
function timed(runs, work) {
  work(0);
  const before = process.cpuUsage();
  for (let n = 0; n < runs; n++) work(n);
  const { user, system } = process.cpuUsage(before);
  return `${((user + system) / 1000 / runs).toFixed(2)} ms`;
}

const sizes = (index) => Array.from({ length: 7 }, (_, n) => index.section(n, 0, 2 ** 31).length);

/** Returns the share of the ten nearest rows of `exact` that `index` finds. */
function recall(index, exact, queries) {
  const none = new Uint32Array();
  const nearest = (from, query) => {
    const hits = from.search(query, none, 0, 10, 0, 1.2, 0.75, 0, NONE[1], NONE[2]);
    return Array.from({ length: hits.length / 4 }, (_, n) => hits[4 * n]);
  };
  const found = queries.map((query) => {
    const all = new Set(nearest(exact, query));
    return nearest(index, query).filter((row) => all.has(row)).length / all.size;
  });
  return found.reduce((a, b) => a + b) / found.length;
}

for (const count of [10_000, 100_000]) {
  const draw = () => uniform() - 0.5; // faster than normal numbers, and the search times do not depend on the numbers
  const queries = vectors(100, 0, draw);
  const some = vectors(500, 0, draw);
  const index = indexOf(
    Array.from({ length: count }, (_, n) => some[(7 * n) % 500]),
    true,
    true,
  );
  const [, , places, postings, ...parts] = sizes(index);
  const bytes = parts.reduce((a, b) => a + b) + places;
  console.log(`${count.toLocaleString("en")} passages of ${WIDTH} numbers`);
  console.log(`  vectors and places ${(bytes / 1e6).toFixed(2)} MB, words ${(postings / 1e6).toFixed(2)} MB`);
  for (const [name, share] of Object.entries({ meaning: 0, words: 1, both: 0.15 })) {
    const query = words().subarray(0, 8);
    console.log(
      `  by ${name}: ${timed(50, (n) => index.search(queries[n], query, share, 10, 0, 1.2, 0.75, 0, NONE[1], NONE[2]))}`,
    );
  }
  const ten = (n) => Uint32Array.from({ length: 10 }, (_, k) => 100 * n + k);
  console.log(`  removing ten documents: ${timed(5, (n) => index.remove(ten(n)))}`);
  index.free();
}

for (const [name, shared] of Object.entries({ "random vectors": 0, "vectors about one direction": 3 })) {
  const rows = vectors(10_100, shared);
  // The queries need the same common direction as the rows.
  const queries = rows.splice(-100);
  const [index, exact] = [indexOf(rows, true, false), indexOf(rows, false, false)];
  console.log(`recall@10 of 10,000 ${name}: ${recall(index, exact, queries).toFixed(4)}`);
  index.free();
  exact.free();
}

const { passages, queries } = await collection();
const model = await pipeline("feature-extraction");
const index = await createIndex({ model });
await index.add(passages);
console.log(`${queries.length} questions over ${passages.length} passages, the package's model: nDCG@10, recall@10`);
const ways = {
  "by meaning": false,
  "by words": 1,
  "by both, the default": true,
  "words' share 0.3": 0.3,
  "words' share 0.5": 0.5,
};
for (const [name, hybrid] of Object.entries(ways)) {
  const { ndcg, recall } = await judged(queries, async (text) =>
    (await index.search(text, { hybrid })).map(({ id }) => id),
  );
  console.log(`  ${name.padEnd(20)} ${ndcg.toFixed(3)} ${recall.toFixed(3)}`);
}
await index.dispose();
await model.dispose();
