// `npm run bench -- dawn FOLDER --peer DIR [--models MiniLM,BERT-base] [--dtype fp32,fp16,q8] [--batches 1x16,1x128] [--seconds 1]`: the package's
// WebGPU code in Node over Dawn, the WebGPU of Chromium, without a browser's processes. FOLDER is what `python benches/gpu/models.py FOLDER`
// writes, or "models" with `--models minilm-mlm`. DIR is a folder with the packages webgpu and onnxruntime-web:
// `npm install --prefix DIR webgpu onnxruntime-web`. onnxruntime-web runs the models that have onnx/model.onnx. Prints milliseconds from a call to
// the vectors of [CLS] (webert) or the last state (onnxruntime-web), the median of the calls in SECONDS after as long a time that is not
// counted, because a GPU raises its clock only under load. A dtype that is named twice loads twice. Needs Node 24: in Node 20 onnxruntime-web
// ends the process.
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { root } from "../scripts/lib/run.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peer: { type: "string" },
    models: { type: "string", default: "MiniLM,BERT-base" },
    dtype: { type: "string", default: "fp32,fp16,q8" },
    batches: { type: "string", default: "1x16,1x128,1x512,32x128" },
    seconds: { type: "string", default: "1" },
  },
});
if (!positionals[0] || !values.peer) throw new Error("usage: npm run bench -- dawn FOLDER --peer DIR");
const folder = resolve(positionals[0]);
const peer = createRequire(join(resolve(values.peer), "package.json"));
const batches = values.batches.split(",").map((batch) => batch.split("x").map(Number));
const seconds = Number(values.seconds);
const ORIGIN = "http://models.invalid/";

/** Gives this process what a page has: WebGPU, a Window, a location, and files for fetch. */
async function resembleBrowser() {
  const { create, globals } = await import(pathToFileURL(peer.resolve("webgpu")).href);
  Object.assign(globalThis, globals);
  const gpu = create([]);
  // Dawn's own has no iterator where the standard has one.
  Object.defineProperty(gpu, "wgslLanguageFeatures", { value: new Set([...gpu.wgslLanguageFeatures]) });
  globalThis.navigator ??= { userAgent: "Node", hardwareConcurrency: 1 }; // absent before Node 21
  Object.defineProperty(globalThis.navigator, "gpu", { value: gpu, configurable: true });
  globalThis.Window = class Window {};
  globalThis.location = new URL(ORIGIN);
  const { fetch } = globalThis;
  globalThis.fetch = async (asked, options) => {
    const url = String(asked?.url ?? asked);
    if (url.startsWith("file:")) return file(fileURLToPath(url));
    if (url.startsWith(ORIGIN)) return file(join(folder, decodeURIComponent(new URL(url).pathname)));
    return fetch(asked, options);
  };
  return gpu;
}

/** A file as the answer of a server. The models share the tokenizer of the package. */
function file(path) {
  const found = /tokenizer\w*\.json$/.test(path) ? join(root, "models/minilm-mlm", path.split("/").at(-1)) : path;
  if (!existsSync(found) || statSync(found).isDirectory()) return new Response("", { status: 404 });
  const type = found.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  const headers = { "content-type": type, "content-length": String(statSync(found).size) };
  return new Response(Readable.toWeb(createReadStream(found, { highWaterMark: 1 << 22 })), { headers });
}

/** The median milliseconds of a call. */
async function median(call) {
  const times = [];
  for (const isCounted of [false, true]) {
    const end = performance.now() + seconds * 1000;
    for (let runs = 0; runs < 5 || performance.now() < end; runs++) {
      const start = performance.now();
      await call();
      if (isCounted) times.push(performance.now() - start);
    }
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}

async function print(name, call) {
  const times = [];
  for (const batch of batches) times.push(`${batch.join("x")} ${(await median(() => call(...batch))).toFixed(2)} ms`);
  console.log(`${name}: ${times.join(", ")}`);
}

/** A text of as many tokens. */
const text = (tokens, seed) =>
  Array.from(
    { length: tokens - 2 },
    (_, n) => ["time", "house", "the", "a", "green", "water"][(n * 7 + seed) % 6],
  ).join(" ");

/** The milliseconds of the first answer, of the time until the kernels are chosen, and of the longest call meanwhile. */
async function timeChoice(pipe) {
  const call = async () => {
    const start = performance.now();
    await pipe(text(16, 0), { pooling: "cls" });
    return performance.now() - start;
  };
  const first = await call();
  const start = performance.now();
  let longest = 0;
  while (pipe.info.kernels.pending) {
    longest = Math.max(longest, await call());
    await new Promise((done) => setTimeout(done, 5));
  }
  return { first, chosen: performance.now() - start, longest };
}

async function timeWebert(model, dtype) {
  const { pipeline, env } = await import("../dist/index.js");
  env.useBrowserCache = false;
  const start = performance.now();
  const pipe = await pipeline("feature-extraction", `${ORIGIN}${model}/`, { device: "webgpu", dtype, worker: false });
  const loaded = performance.now() - start;
  const { first, chosen, longest } = await timeChoice(pipe);
  const texts = new Map(
    batches.map(([count, tokens]) => [`${count}x${tokens}`, Array.from({ length: count }, (_, n) => text(tokens, n))]),
  );
  await print(`webert ${model} ${dtype}`, (count, tokens) => pipe(texts.get(`${count}x${tokens}`), { pooling: "cls" }));
  console.log(
    `  loaded in ${loaded.toFixed(0)} ms, first answer ${first.toFixed(1)} ms, kernels chosen after ${chosen.toFixed(0)} ms, ` +
      `longest call meanwhile ${longest.toFixed(1)} ms, measured for ${pipe.info.kernels.milliseconds.toFixed(0)} ms`,
  );
  console.log(`  kernels: ${JSON.stringify(pipe.info.kernels.chosen)}`);
  await pipe.dispose();
}

async function timeOnnxruntime(model) {
  const dist = dirname(peer.resolve("onnxruntime-web"));
  const { InferenceSession, Tensor, env } = await import(pathToFileURL(join(dist, "ort.webgpu.bundle.min.mjs")).href);
  env.wasm.wasmPaths = pathToFileURL(`${dist}/`).href;
  env.wasm.numThreads = 1;
  const graph = readFileSync(join(folder, model, "onnx/model.onnx"));
  const session = await InferenceSession.create(graph, { executionProviders: ["webgpu"], logSeverityLevel: 3 });
  await print(`onnxruntime-web ${env.versions.web} ${model} fp32`, async (count, tokens) => {
    const dims = [count, tokens];
    const input_ids = new Tensor(
      "int64",
      BigInt64Array.from({ length: count * tokens }, (_, n) => BigInt(1000 + (n % 97))),
      dims,
    );
    const attention_mask = new Tensor("int64", new BigInt64Array(count * tokens).fill(1n), dims);
    await (await session.run({ input_ids, attention_mask })).last_hidden_state.getData();
  });
  await session.release();
}

const gpu = await resembleBrowser();
const { info } = (await gpu.requestAdapter({ powerPreference: "high-performance" })) ?? {};
if (!info) throw new Error("Dawn finds no adapter");
console.log(`${info.vendor} ${info.architecture} ${info.device}: ${info.description}`);
for (const model of values.models.split(",")) {
  for (const dtype of values.dtype.split(",")) await timeWebert(model, dtype);
  if (existsSync(join(folder, model, "onnx/model.onnx"))) await timeOnnxruntime(model);
}
process.exit(0); // Dawn's device keeps the process alive
