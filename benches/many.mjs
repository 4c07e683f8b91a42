// `npm run bench -- many [FOLDER] [OPTIONS…]`: many short texts through feature-extraction, and what they cost.
//
// Compares, per text and in turn: one call with all texts, calls with one text each, the tokenizer alone, and the
// model alone on as many tokens in full passes. The model alone is what the kernels allow. FOLDER is a model for sentence
// vectors; by default the encoder in the package. Figures are processor time, because wall time depends on other programs.
//
// --texts N     number of texts (default 200)
// --threads N   threads (default 1; waiting threads spin, so processor time of several threads is an upper bound)
// --dtype NAME  fp32 or q8 (default: both)
// --peer DIR    a folder in which onnxruntime-node is installed; runs FOLDER/onnx/model.onnx or model_quantized.onnx on
//               the same tokens, sorted by length and padded in batches of 32. Only the session's calls are counted.
// --fastembed PYTHON  a Python in which fastembed is installed; runs the same graphs, with tokenizer and pooling

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { AutoModel, AutoTokenizer, pipeline, Tensor } from "../dist/node.js";
import { root } from "../scripts/lib/run.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    texts: { type: "string", default: "200" },
    threads: { type: "string", default: "1" },
    dtype: { type: "string" },
    peer: { type: "string" },
    fastembed: { type: "string" },
  },
});
const folder = positionals[0] ? resolve(positionals[0]) : join(root, "models/minilm-mlm");
const [count, threads] = [Number(values.texts), Number(values.threads)];
const ROUNDS = 5;
const BATCH = 32;

/** Returns `count` texts of 4 to 23 words, the same in each run. */
function shortTexts() {
  const words = readFileSync(join(root, "docs/training.md"), "utf8")
    .split(/\s+/)
    .filter((word) => /^[a-zA-Z,.]+$/.test(word));
  let state = 1;
  const below = (most) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * most);
  };
  return Array.from({ length: count }, () => {
    const length = 4 + below(20);
    const first = below(words.length - length);
    return words.slice(first, first + length).join(" ");
  });
}

const tensor = (rows, length, of) =>
  new Tensor(
    "int64",
    BigInt64Array.from({ length: rows.length * length }, (_, n) =>
      BigInt(of(rows[Math.floor(n / length)], n % length)),
    ),
    [rows.length, length],
  );

/** Returns inputs of full passes, 512 tokens each, as many as `tokens` fill. All texts have the same length. */
function fullPasses(tokens, length) {
  const rows = Array.from({ length: Math.floor(512 / length) }, (_, n) => n);
  const input = {
    input_ids: tensor(rows, length, (row, column) => 1000 + (((row * length + column) * 7919) % 20000)),
    attention_mask: tensor(rows, length, () => 1),
  };
  const passes = Math.ceil(tokens / (rows.length * length));
  return { input, passes, tokens: passes * rows.length * length };
}

const graphOf = (dtype) => join("onnx", dtype === "q8" ? "model_quantized.onnx" : "model.onnx");

/**
 * Returns a function that computes all texts by fastembed and returns its milliseconds, `{ cpu, wall }`, and one that ends it. Returns
 * undefined without the file.
 */
function fastembedOf(texts, dtype) {
  const graph = graphOf(dtype);
  if (!values.fastembed || !existsSync(join(folder, graph))) return undefined;
  const script = join(root, "benches/many_fastembed.py");
  const child = spawn(values.fastembed, [script, folder, graph, `${threads}`], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(`${JSON.stringify(texts)}\n`);
  const run = async () => {
    child.stdin.write("\n");
    const { value, done } = await lines.next();
    if (done) throw new Error("fastembed ended; its error is above");
    const [cpu, wall] = value.split(" ").map(Number);
    return { cpu, wall };
  };
  return { run, end: () => child.stdin.end() };
}

/** Returns a function that computes all texts by onnxruntime-node, or undefined without the file. */
async function peerOf(ids, dtype) {
  const file = join(folder, graphOf(dtype));
  if (!values.peer || !existsSync(file)) return undefined;
  const ort = createRequire(join(resolve(values.peer), "package.json"))("onnxruntime-node");
  const session = await ort.InferenceSession.create(file, { intraOpNumThreads: threads, interOpNumThreads: 1 });
  const sorted = [...ids].sort((a, b) => b.length - a.length);
  const feeds = [];
  for (let n = 0; n < sorted.length; n += BATCH) {
    const rows = sorted.slice(n, n + BATCH);
    const length = rows[0].length;
    const input = (of) => {
      const { data, dims } = tensor(rows, length, of);
      return new ort.Tensor("int64", data, dims);
    };
    const all = {
      input_ids: input((row, column) => row[column] ?? 0),
      attention_mask: input((row, column) => (column < row.length ? 1 : 0)),
      token_type_ids: input(() => 0),
    };
    feeds.push(Object.fromEntries(session.inputNames.map((name) => [name, all[name]])));
  }
  return async () => {
    for (const feed of feeds) await session.run(feed);
  };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/**
 * Runs the contestants in turn. Returns for each the processor time and the wall time of its rounds in milliseconds. A contestant in another
 * process returns them itself.
 */
async function measure(contestants) {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, { cpu: [], wall: [] }]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(contestants)) {
      const [before, start] = [process.cpuUsage(), performance.now()];
      const own = await run();
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue; // the first round compiles
      times[name].cpu.push(own?.cpu ?? (user + system) / 1e3);
      times[name].wall.push(own?.wall ?? performance.now() - start);
    }
  }
  return times;
}

// feature-extraction runs no head
const encoderOnly = { ...JSON.parse(readFileSync(join(folder, "config.json"), "utf8")), architectures: ["BertModel"] };
const texts = shortTexts();
const tokenizer = await AutoTokenizer.from_pretrained(folder);
const { input_ids: ids } = tokenizer(texts, { return_tensor: false });
const tokens = ids.reduce((sum, row) => sum + row.length, 0);
console.log(
  `${count} texts, ${(tokens / count).toFixed(1)} tokens each; Node ${process.versions.node}, V8 ${process.versions.v8}, ${threads} threads`,
);

for (const dtype of values.dtype ? [values.dtype] : ["fp32", "q8"]) {
  const how = { dtype, threads, device: "wasm" };
  const extract = await pipeline("feature-extraction", folder, how);
  const model = await AutoModel.from_pretrained(folder, { ...how, config: encoderOnly });
  const full = fullPasses(tokens, Math.round(tokens / count));
  const peer = await peerOf(ids, dtype);
  const fastembed = fastembedOf(texts, dtype);
  const times = await measure({
    "one call": async () => void (await extract(texts, { pooling: "mean" })),
    "a call per text": async () => {
      for (const text of texts) await extract(text, { pooling: "mean" });
    },
    tokenizer: async () => void tokenizer(texts, { return_tensor: false }),
    "model alone": async () => {
      for (let pass = 0; pass < full.passes; pass++) await model(full.input);
    },
    ...(peer && { "onnxruntime-node": peer }),
    ...(fastembed && { fastembed: fastembed.run }),
  });
  fastembed?.end();
  console.log(`\n${dtype}`);
  for (const kind of Object.values(times["model alone"])) kind.forEach((_, n) => (kind[n] *= tokens / full.tokens));
  const ratio = (a, b) => median(times[a].cpu.map((time, round) => time / times[b].cpu[round]));
  for (const [name, { cpu, wall }] of Object.entries(times)) {
    const each = median(cpu) / count;
    console.log(
      `${name.padEnd(18)} ${each.toFixed(3).padStart(8)} ms of processor time per text, ` +
        `${((1e3 * count) / median(wall)).toFixed(0).padStart(5)} texts per second by the clock`,
    );
  }
  console.log(
    `one call reaches ${(100 * ratio("model alone", "one call")).toFixed(0)} % of what the model alone allows`,
  );
  for (const name of ["onnxruntime-node", "fastembed"])
    if (times[name]) console.log(`one call takes ${ratio("one call", name).toFixed(2)} of ${name}'s time`);
  await Promise.all([extract.dispose(), model.dispose()]);
}
