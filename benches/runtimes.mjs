// `npm run bench -- runtimes FOLDER --peer DIR`: the encoder beside onnxruntime-web and onnxruntime-node, which are installed in DIR, in one thread.
//
// FOLDER is a model with onnx/model.onnx and onnx/model_quantized.onnx. Prints the processor time of a call in milliseconds and the ratio to
// onnxruntime-web: each runtime's calls in turn, the least of --rounds N (default 25).

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { AutoModel, Tensor } from "../dist/node.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { peer: { type: "string" }, rounds: { type: "string", default: "25" } },
});
const [folder] = positionals;
if (!folder || !values.peer) throw new Error("usage: npm run bench -- runtimes FOLDER --peer DIR [--rounds N]");
const config = { ...JSON.parse(await readFile(join(folder, "config.json"), "utf8")), architectures: ["BertModel"] };
const installed = createRequire(join(resolve(values.peer), "package.json"));
/** Rows and tokens per row. */
const SHAPES = [
  [1, 16],
  [1, 128],
  [8, 32],
];

/** The three inputs of a call: made-up ids, no padding. */
const inputsOf = ([rows, length], tensor) =>
  Object.fromEntries(
    Object.entries({
      input_ids: (n) => 1000 + ((n * 7919) % 20_000),
      attention_mask: () => 1,
      token_type_ids: () => 0,
    }).map(([name, of]) => {
      const data = BigInt64Array.from({ length: rows * length }, (_, n) => BigInt(of(n)));
      return [name, tensor("int64", data, [rows, length])];
    }),
  );

/** A runtime of ONNX Runtime, as a function of a shape that returns a call; undefined if it is not installed. */
async function onnxRuntime(name, file) {
  if (!existsSync(join(values.peer, "node_modules", name))) return undefined;
  const ort = installed(name);
  if (name === "onnxruntime-web") ort.env.wasm.numThreads = 1;
  const options = name === "onnxruntime-web" ? { executionProviders: ["wasm"] } : { intraOpNumThreads: 1 };
  const session = await ort.InferenceSession.create(await readFile(file), options);
  return (shape) => {
    const all = inputsOf(shape, (...of) => new ort.Tensor(...of));
    const feed = Object.fromEntries(session.inputNames.map((input) => [input, all[input]]));
    return () => session.run(feed);
  };
}

async function webert(dtype) {
  const model = await AutoModel.from_pretrained(folder, { dtype, config, threads: 1, device: "wasm", worker: false });
  return (shape) => {
    const inputs = inputsOf(shape, (...of) => new Tensor(...of));
    return () => model(inputs);
  };
}

/** The least processor time of each call in milliseconds. */
async function leastOf(calls) {
  const least = Object.fromEntries(Object.keys(calls).map((name) => [name, Infinity]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, call] of Object.entries(calls)) {
      const before = process.cpuUsage();
      await call();
      const { user, system } = process.cpuUsage(before);
      least[name] = Math.min(least[name], (user + system) / 1e3);
    }
  }
  return least;
}

console.log(`Node ${process.versions.node}, V8 ${process.versions.v8}`);
for (const [dtype, file] of [
  ["q8", "model_quantized.onnx"],
  ["fp32", "model.onnx"],
]) {
  const path = join(folder, "onnx", file);
  const runtimes = {
    webert: await webert(dtype),
    "onnxruntime-web": await onnxRuntime("onnxruntime-web", path),
    "onnxruntime-node": await onnxRuntime("onnxruntime-node", path),
  };
  const present = Object.entries(runtimes).filter(([, runtime]) => runtime);
  for (const shape of SHAPES) {
    const least = await leastOf(Object.fromEntries(present.map(([name, runtime]) => [name, runtime(shape)])));
    const times = Object.entries(least).map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`);
    const web = least["onnxruntime-web"];
    const ratio = web ? `, ratio to onnxruntime-web ${(least.webert / web).toFixed(2)}` : "";
    console.log(`${dtype}, ${shape.join(" × ")} tokens: ${times.join(", ")}${ratio}`);
  }
}
process.exit(); // the runtimes' threads would keep the process alive
