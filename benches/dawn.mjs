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
import { OPTIONS, timeOnnxruntime, timeWebert, timingOf } from "./lib/time-encoders.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: OPTIONS,
});
if (!positionals[0] || !values.peer) throw new Error("usage: npm run bench -- dawn FOLDER --peer DIR");
const folder = resolve(positionals[0]);
const peer = createRequire(join(resolve(values.peer), "package.json"));
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

const gpu = await resembleBrowser();
const { info } = (await gpu.requestAdapter({ powerPreference: "high-performance" })) ?? {};
if (!info) throw new Error("Dawn finds no adapter");
console.log(`${info.vendor} ${info.architecture} ${info.device}: ${info.description}`);
const ort = join(dirname(peer.resolve("onnxruntime-web")), "ort.webgpu.bundle.min.mjs");
const how = { ...timingOf(values), log: console.log };
for (const model of values.models.split(",")) {
  for (const dtype of values.dtype.split(",")) {
    const entry = new URL("../dist/index.js", import.meta.url).href;
    await timeWebert({ entry, models: ORIGIN, model, dtype, worker: false, ...how });
  }
  const graph = join(folder, model, "onnx/model.onnx");
  if (existsSync(graph))
    await timeOnnxruntime({ entry: pathToFileURL(ort).href, graph: readFileSync(graph), model, ...how });
}
process.exit(0); // Dawn's device keeps the process alive
