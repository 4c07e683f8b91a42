// Every pipeline in a page, on the CPU and on the GPU, in a Worker and in the page's own thread, gives what it gives in
// Node, where tasks.test.mjs compares it with Hugging Face.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pipeline } from "../dist/node.js";
import { blank, withPage } from "./browser.mjs";

const folder = fileURLToPath(new URL("goldens/models/", import.meta.url));
const context = "yesterday alice walked to the river with her child . bob found the old bridge and wrote a letter .";
const calls = [
  ["fill-mask", "bert-mlm", ["the [MASK] is near the river .", { top_k: 2 }]],
  ["text-classification", "bert-seqcls-3", [{ text: "the man reads", text_pair: "a man is reading" }, { top_k: null }]],
  ["token-classification", "bert-tokencls-bio", ["𝛼 alice walked to paris with bob .", { aggregation_strategy: "simple" }]],
  ["question-answering", "bert-qa", ["who walked to the river ?", context, { top_k: 2 }]],
  ["zero-shot-classification", "bert-seqcls-nli", ["the train was very slow today .", ["science", "music", "history"]]],
  ["feature-extraction", "bert-base-gelu", ["the quiet garden", { pooling: "mean", normalize: true }]],
  ["next-sentence-prediction", "bert-nsp", ["the man reads", "a man is reading a letter"]],
  ["multiple-choice", "bert-multiplechoice", ["the man reads", ["a letter", "the river"]]],
  ["replaced-token-detection", "electra-discriminator", ["the quiet garden is dark"]],
];

/** A result as it comes back from a page. */
const plain = (result) => JSON.stringify(result, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value));

/** The same, numbers within 1e-4: browser and Node may run different SIMD, and a GPU adds up in an order of its own. */
function alike(got, want, where) {
  if (typeof want === "number") return assert.ok(Math.abs(got - want) < 1e-4, `${where}: ${got}, expected ${want}`);
  if (typeof want !== "object" || want === null) return assert.equal(got, want, where);
  assert.deepEqual(Object.keys(got), Object.keys(want), where);
  for (const key of Object.keys(want)) alike(got[key], want[key], `${where}.${key}`);
}

for (const [task, model, args] of calls) {
  test(`${task}: a page gives what Node gives`, async () => {
    const run = await pipeline(task, folder + model, { dtype: "fp32" });
    const want = JSON.parse(plain(await run(...args)));
    await run.dispose();
    // the browser logs the files that a folder need not have
    await withPage({ path: blank, allowErrors: true }, async (page) => {
      for (const [device, worker] of [["wasm", true], ["wasm", false], ["webgpu", true], ["webgpu", false]]) {
        const { device: found, result: got } = await page.evaluate(async ([task, model, args, device, worker]) => {
          const { pipeline } = await import("/dist/index.js");
          const run = await pipeline(task, `/tests/goldens/models/${model}`, { dtype: "fp32", device, worker });
          const result = JSON.stringify(await run(...args), (_, value) => (ArrayBuffer.isView(value) ? [...value] : value));
          await run.dispose();
          return { device: run.info.device, result };
        }, [task, model, args, device, worker]);
        assert.equal(found, device);
        alike(JSON.parse(got), want, `${device}, worker: ${worker}`);
      }
    });
  });
}
