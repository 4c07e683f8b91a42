// `npm run bench -- threads [relaxed | simd128]`: how much faster a forward pass is in 2 to 32 threads, on a machine
// with as many idle cores. One thread computes each work item of each parallel region, divided as for that number of
// threads, and the claims are simulated. A thread adds the time in which four cache lines change cores: it joins a region
// and leaves it. Not simulated: shared caches and memory, lower clocks, and threads that share a core.

import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { checkpoint } from "../tests/generated.mjs";
import { compiled } from "./lib/compiled.mjs";

setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 20 needs this flag, later versions do not

const COUNTS = [1, 2, 4, 8, 12, 16, 24, 32];
/** Layers of each model. All layers of a model are alike. */
const LAYERS = 2;
const MODELS = {
  MiniLM: { hidden_size: 384, num_hidden_layers: LAYERS, num_attention_heads: 12 },
  "BERT-base": { hidden_size: 768, num_hidden_layers: LAYERS, num_attention_heads: 12 },
};
const WORKLOADS = [
  [1, 16],
  [1, 128],
  [32, 128],
];
/** Passes per number of threads; the least time of each item counts, so that other programs do not. */
const ROUNDS = 30;
/** Milliseconds after which a workload starts no further round. */
const ENOUGH = 3000;

const [name = "relaxed", ...others] = process.argv.slice(2);
if (others.length > 0 || !["relaxed", "simd128"].includes(name)) throw new Error("usage: threads [relaxed | simd128]");

/** Returns the least numbers of several records of the same work. */
function least(record) {
  const all = [record()];
  const start = performance.now();
  for (let round = 1; round < ROUNDS && performance.now() - start < ENOUGH; round++) all.push(record());
  return all[0].map((_, at) => Math.min(...all.map((numbers) => numbers[at])));
}

/** An item that takes more than this multiple of its region's median was interrupted: blocks of a region are alike. */
const INTERRUPTED = 2;

/** Returns a record's milliseconds outside regions, and its regions with the milliseconds of each item. */
function regionsOf(record, clock) {
  const regions = [];
  for (let at = 1; at < record.length; ) {
    const [hasParts, count] = record.slice(at, at + 2);
    const items = Array.from(record.slice(at + 2, at + 2 + count), (item) => Math.max(item - clock, 0));
    const median = items.toSorted((a, b) => a - b)[count >> 1] ?? 0;
    regions.push({
      hasParts: hasParts === 1,
      items: items.map((item) => (item > INTERRUPTED * median ? median : item)),
    });
    at += 2 + count;
  }
  return { outside: Math.max(record[0], 0), regions };
}

/** Returns the items of a thread's own part: `even_part` in kernels/src/threads/blocks.rs. */
const partOf = (total, parts, part) => {
  const start = (n) => n * Math.floor(total / parts) + Math.min(n, total % parts);
  return [start(part), start(part + 1)];
};

/** Returns the milliseconds of a region: whichever thread is idle first claims the next item. */
function makespan({ hasParts, items }, threads) {
  const ends = new Array(threads).fill(0);
  const parts = Array.from({ length: hasParts ? threads : 1 }, (_, part) =>
    partOf(items.length, hasParts ? threads : 1, part),
  );
  for (let left = items.length; left > 0; left--) {
    const thread = ends.indexOf(Math.min(...ends));
    // Its own part first, then the parts of the threads after it.
    let of = hasParts ? thread : 0;
    while (parts[of][0] === parts[of][1]) of = (of + 1) % parts.length;
    ends[thread] += items[parts[of][0]++];
  }
  return Math.max(...ends);
}

/** Returns the milliseconds of a pass in `threads` threads, if each thread beyond the first adds `perThread` ms to a region. */
const simulated = ({ outside, regions }, threads, perThread) =>
  outside + regions.reduce((sum, region) => sum + makespan(region, threads) + (threads - 1) * perThread, 0);

/** Loads a model with random weights into the simulation. */
async function passesOf({ files }, dtype) {
  const bytes = async (name) => new Uint8Array(await files[name].arrayBuffer());
  const loader = new WeightsOf(await bytes("config.json"), dtype);
  const weights = await bytes("model.safetensors");
  for (let at = 0; at < weights.length; at += 1 << 22) loader.push(weights.subarray(at, at + (1 << 22)));
  return loader.finish();
}

/** Returns the milliseconds in which a cache line changes cores: half a round trip of a number between two threads. */
async function transfer() {
  const turns = 20000;
  const code = `
    const { parentPort, workerData: shared } = require("node:worker_threads");
    const word = new Int32Array(shared);
    parentPort.postMessage("ready");
    for (let n = 0; n < ${turns}; n++) {
      while (Atomics.load(word, 0) !== 2 * n + 1);
      Atomics.store(word, 0, 2 * n + 2);
    }`;
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    const shared = new SharedArrayBuffer(4);
    const word = new Int32Array(shared);
    const worker = new Worker(code, { eval: true, workerData: shared });
    await once(worker, "message");
    for (let n = 0, start = performance.now(); n < turns; n++) {
      Atomics.store(word, 0, 2 * n + 1);
      while (Atomics.load(word, 0) !== 2 * n + 2);
      if (n % 100 < 99) continue;
      least = Math.min(least, (performance.now() - start) / 200);
      start = performance.now();
    }
    await worker.terminate();
  }
  return least;
}

/** Prints the milliseconds of one thread, the speed-up of each other number, and the regions. */
function row(title, recordOf) {
  const passes = COUNTS.map((threads) =>
    regionsOf(
      least(() => recordOf(threads)),
      clock,
    ),
  );
  // One thread could compute any division. Interrupted items show only among others of their region.
  const one = Math.min(...passes.map((pass) => simulated(pass, 1, perThread)));
  const gains = COUNTS.slice(1).map((threads, n) => one / simulated(passes[n + 1], threads, perThread));
  console.log(
    `${title.padEnd(28)} ${one.toFixed(2).padStart(9)} ${gains.map((gain) => gain.toFixed(1).padStart(6)).join("")}   ${passes[0].regions.length}`,
  );
}

const {
  WeightsOf,
  clock: clockOf,
  layer,
} = await compiled(name, "threads", ["--features", "webert-kernels/simulation"]);
const clock = clockOf();
/** Cache lines that change cores for each thread of a region: it sees the region, joins it, leaves it, and the caller sees that. */
const TRANSFERS = 4;
const perThread = TRANSFERS * (await transfer());
console.log(`${name}, V8 ${process.versions.v8}: a thread adds ${(perThread * 1e3).toFixed(2)} µs to a region`);
console.log(
  `${"".padEnd(28)} ${"1: ms".padStart(9)} ${COUNTS.slice(1)
    .map((count) => `${count}`.padStart(6))
    .join("")}   regions`,
);
for (const [title, sizes] of Object.entries(MODELS)) {
  for (const dtype of ["fp32", "q8"]) {
    const passes = await passesOf(checkpoint(sizes), dtype);
    for (const [count, length] of WORKLOADS) {
      const recordOf = (threads) => passes.record(count, length, threads);
      row(`${title} ${dtype} ${count} × ${length}`, recordOf);
    }
    passes.free();
  }
}
for (const int8 of [false, true]) {
  const recordOf = (threads) => layer([16, 384, 768], int8, threads);
  row(`trial at load, ${int8 ? "q8" : "fp32"}`, recordOf);
}
