// `npm run bench -- cpu [NAME…]`: the speed of this CPU, and the share of it that webert reaches, in one thread and in
// two. A NAME is a part (peaks, kernels, train, models) or a build (relaxed, simd128). Without a NAME, everything runs.
// Shares refer to the peak that loops of bare instructions reach at the same time: for f32, multiply-adds in f32; for
// int8, products of 8-bit numbers (with simd128, of 16-bit numbers).

import { setFlagsFromString } from "node:v8";
import { AutoModel, env, Tensor } from "../dist/node.js";
import { checkpoint } from "../tests/generated.mjs";
import { compiled } from "./lib/compiled.mjs";

globalThis.cpuTime = () => Object.values(process.cpuUsage()).reduce((a, b) => a + b) / 1e3;
setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 20 needs this flag, later versions do not

const PARTS = ["peaks", "kernels", "train", "models"];
const BUILDS = ["relaxed", "simd128"];
const MODELS = {
  MiniLM: { hidden_size: 384, num_hidden_layers: 6, num_attention_heads: 12 },
  "BERT-base": { hidden_size: 768, num_hidden_layers: 12, num_attention_heads: 12 },
};
const WORKLOADS = [
  [1, 16],
  [1, 128],
  [1, 512],
  [32, 128],
];
const ROUNDS = 7;
/** Seconds after which a workload starts no further round. */
const ENOUGH = 20;

const named = process.argv.slice(2);
const unknown = named.filter((name) => ![...PARTS, ...BUILDS].includes(name));
if (unknown.length > 0)
  throw new Error(`unknown: ${unknown.join(", ")}; there are ${[...PARTS, ...BUILDS].join(", ")}`);
const wanted = (all) => (all.some((name) => named.includes(name)) ? all.filter((name) => named.includes(name)) : all);
const parts = wanted(PARTS);

/** Floating-point operations of the encoder: products of matrices and attention, two per multiply-add. */
const flops = ({ hidden_size: h, num_hidden_layers: layers }, [batch, seq]) =>
  layers * batch * seq * (24 * h * h + 4 * seq * h);

/** Returns the seconds of a forward pass, as a mean over 40 ms of passes. */
async function sample(model, [batch, seq]) {
  const input = (of) =>
    new Tensor(
      "int64",
      BigInt64Array.from({ length: batch * seq }, (_, n) => BigInt(of(n))),
      [batch, seq],
    );
  const inputs = { input_ids: input((n) => (n * 7919) % 1000), attention_mask: input(() => 1) };
  const start = performance.now();
  let calls = 0;
  while (performance.now() - start < 40) {
    await model(inputs);
    calls++;
  }
  return (performance.now() - start) / 1e3 / calls;
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const percent = (share) => `${(100 * share).toFixed(0).padStart(3)} %`;

/** Prints the times of a model in one thread and in two, measured in turn. */
async function models(build, peak) {
  env.wasmPaths = BUILDS.includes(build)
    ? Object.fromEntries(
        // Under both names, so that the engine's own choice between them does not matter.
        BUILDS.flatMap((name) =>
          ["", "_threads"].map((more) => [
            `${name}${more}`,
            new URL(`../dist/webert_${build}${more}.wasm`, import.meta.url).href,
          ]),
        ),
      )
    : null;
  for (const [name, sizes] of Object.entries(MODELS)) {
    const files = checkpoint(sizes);
    for (const dtype of ["fp32", "q8"]) {
      const loaded = [];
      for (const threads of [1, 2])
        loaded.push(await AutoModel.from_pretrained(files, { dtype, threads, device: "wasm" }));
      for (const workload of WORKLOADS) {
        const times = [[], []];
        const shares = [];
        const start = performance.now();
        for (let round = 0; round < ROUNDS && performance.now() - start < ENOUGH * 1e3; round++) {
          for (const [n, model] of loaded.entries()) {
            const before = peak(dtype === "q8");
            const time = await sample(model, workload);
            times[n].push(time);
            if (n === 0) shares.push((2 * flops(sizes, workload)) / time / (before + peak(dtype === "q8")));
          }
        }
        const [one, two] = times.map(median);
        const gain = median(times[0].map((time, round) => time / times[1][round]));
        console.log(
          `${`${name} ${dtype} ${workload.join(" × ")}`.padEnd(26)} ${(one * 1e3).toFixed(2).padStart(9)} ms ` +
            `${(flops(sizes, workload) / one / 1e9).toFixed(1).padStart(7)} GFLOP/s ${percent(median(shares))}   ` +
            `2 threads ${(two * 1e3).toFixed(2).padStart(9)} ms, ${gain.toFixed(2)} ×`,
        );
      }
      for (const model of loaded) await model.dispose();
    }
  }
}

for (const name of wanted(BUILDS)) {
  const { kernels, peak, simd, train } = await compiled(name, "cpu");
  console.log(
    `\n${simd()}, V8 ${process.versions.v8}: peaks of a thread ${(peak(false) / 1e9).toFixed(1)} GFLOP/s in f32, ${(peak(true) / 1e9).toFixed(1)} GOP/s in int8`,
  );
  for (const [model, { hidden_size, num_attention_heads }] of parts.includes("kernels") ? Object.entries(MODELS) : []) {
    console.log(`\n${model}`);
    kernels(hidden_size, hidden_size / num_attention_heads);
  }
  if (parts.includes("train")) {
    console.log("\nMiniLM in training, 8 × 128");
    train(8, 128, MODELS.MiniLM.hidden_size, MODELS.MiniLM.hidden_size / MODELS.MiniLM.num_attention_heads);
  }
  if (parts.includes("models")) await models(name, peak);
}
