// WebAssembly memory of a load: a file of n bytes takes at most 1.1 · n + 16 MiB, whatever its header claims.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pipeline, Trainer } from "../dist/node.js";
import glue from "../dist/webert_cpu.js";
import { header, shapes } from "./generated.mjs";

const MiB = 2 ** 20;
const config = {
  model_type: "bert",
  architectures: ["BertForMaskedLM"],
  hidden_size: 384,
  num_hidden_layers: 6,
  num_attention_heads: 12,
  intermediate_size: 1536,
  vocab_size: 30522,
  max_position_embeddings: 512,
  type_vocab_size: 2,
  hidden_act: "gelu",
};

// The size that the model reports. Vectors are always f32; int8 rows have two more numbers.
const held = (bytes) =>
  [...shapes(config)].reduce(
    (sum, [, [rows, cols]]) => sum + rows * (cols === undefined ? 4 : bytes * cols + (bytes === 1 ? 8 : 0)),
    0,
  );

/** The result of the wasm side's work, which never waits here. */
const completed = (job) => new Promise((done) => job.step(done, () => {}));

// A file's dtype, the requested dtype, bytes per number in the file and in memory.
for (const [dtype, asked, bytes, kept] of [
  ["F32", "fp32", 4, 4],
  ["F16", "fp16", 2, 2],
  ["BF16", "auto", 2, 1],
  ["F32", "q8", 4, 1],
]) {
  test(`loading ${dtype} as ${asked} stays within 1.1 · n + 16 MiB`, async () => {
    // each in a new instance, because memory never shrinks
    const { default: init, Loader } = glue();
    const binary = await readFile(new URL("../dist/webert_simd128.wasm", import.meta.url));
    const { memory } = await init({ module_or_path: binary });
    const before = memory.buffer.byteLength;
    const { head, length } = header(config, dtype, bytes);
    const files = { "config.json": new TextEncoder().encode(JSON.stringify(config)) };
    const loader = await completed(Loader.open(files, { device: "wasm", dtype: asked }));
    loader.begin_file("model.safetensors");
    loader.push(head);
    const chunk = new Uint8Array(MiB).fill(17);
    for (let at = 0; at < length; at += MiB) loader.push(chunk.subarray(0, Math.min(MiB, length - at)));
    loader.end_file();
    const model = await completed(loader.finish());
    const n = head.length + length;
    const used = memory.buffer.byteLength - before;
    const mib = (count) => `${(count / MiB).toFixed(1)} MiB`;
    console.log(`a file of ${mib(n)} took ${mib(used)} of WebAssembly memory (limit ${mib(1.1 * n + 16 * MiB)})`);
    assert.ok(used > held(kept), "the weights are in that memory");
    assert.ok(used <= 1.1 * n + 16 * MiB);
    assert.equal(model.info().bytes, held(kept));
    model.free();
  });
}

test("a header that claims gigabytes allocates memory only as bytes arrive", async () => {
  const { default: init, Loader } = glue();
  const binary = await readFile(new URL("../dist/webert_simd128.wasm", import.meta.url));
  const { memory } = await init({ module_or_path: binary });
  const before = memory.buffer.byteLength;
  const huge = { ...config, vocab_size: 2_000_000 };
  const { head, length } = header(huge, "F32", 4);
  assert.ok(length > 3e9);
  const files = { "config.json": new TextEncoder().encode(JSON.stringify(huge)) };
  const begin = async (size) => {
    const loader = await completed(Loader.open(files, { device: "wasm", dtype: "fp32" }));
    loader.begin_file("model.safetensors", size);
    return loader;
  };
  const grown = () => memory.buffer.byteLength - before;

  const short = await begin(head.length + 300);
  assert.throws(() => short.push(head), {
    code: "bad_weights",
    file: "model.safetensors",
    expected: `${head.length + length} bytes`,
    found: `${head.length + 300} bytes`,
    message: new RegExp(
      `model.safetensors: the file has ${head.length + 300} bytes, its header makes it ${head.length + length}`,
    ),
  });
  assert.ok(grown() < 4 * MiB, `${grown()} bytes for a size that is known to be another`);
  short.free();

  const unknown = await begin(undefined);
  unknown.push(head);
  const chunk = new Uint8Array(MiB).fill(17);
  for (const arrived of [1, 2, 4, 8, 16]) {
    for (let at = arrived >> 1; at < arrived; at++) unknown.push(chunk);
    assert.ok(grown() < (4 + 4 * arrived) * MiB, `${grown()} bytes for ${arrived} MiB`);
  }
  assert.throws(() => unknown.end_file(), { code: "bad_weights", message: /cut short/ });
  unknown.free();
});

test("a finished job holds no JavaScript values", async () => {
  const { default: init, Loader } = glue();
  await init({ module_or_path: await readFile(new URL("../dist/webert_simd128.wasm", import.meta.url)) });
  const files = { "config.json": new TextEncoder().encode(JSON.stringify(config)) };
  const job = Loader.open(files, { device: "wasm", dtype: "fp32" });
  const held = [];
  await new Promise((done) => {
    const wake = () => {};
    held.push(new WeakRef(wake));
    job.step(done, wake);
  });
  await sleep(0); // until then a WeakRef holds its target
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  assert.equal(held[0].deref(), undefined);
  job.free();
});

/** Loads, each with the function that frees what it loaded. */
const LOADS = {
  "a pipeline": (options) => pipeline("fill-mask", undefined, options),
  "a model over another model's encoder": (options) => pipeline("token-classification", undefined, options),
  "a model in training": (options) =>
    Trainer.from_pretrained(
      "text-classification",
      new URL("../models/minilm-sentiment/", import.meta.url).href,
      options,
    ),
};

for (const [name, load] of Object.entries(LOADS))
  test(`${name}: a load that is aborted at any moment frees its objects without the garbage collector`, async (t) => {
    const options = { device: "wasm", threads: 1, worker: false };
    const base = name.includes("encoder") ? await pipeline("fill-mask", undefined, options) : undefined;
    // The glue registers each object of the wasm side until its `free`.
    const { register, unregister } = FinalizationRegistry.prototype;
    const held = new Set();
    let [count, last, stop] = [0, 0, new AbortController()];
    t.mock.method(FinalizationRegistry.prototype, "register", function (object, value, token) {
      if (object === token) held.add(token);
      if (object === token && ++count === last) stop.abort();
      return register.call(this, object, value, token);
    });
    t.mock.method(FinalizationRegistry.prototype, "unregister", function (token) {
      held.delete(token);
      return unregister.call(this, token);
    });
    let aborted = 0;
    for (last = 1; ; last++) {
      [count, stop] = [0, new AbortController()];
      const outcome = await load({ ...options, signal: stop.signal }).catch((error) => error);
      if (outcome.code === "aborted") aborted++;
      else await outcome.dispose();
      // An aborted load ends a moment after its rejection.
      for (let wait = 0; held.size > 0 && wait < 500; wait++) await sleep(10);
      assert.deepEqual([...held], [], `aborted at object ${last} of the wasm side: ${outcome}`);
      if (count < last) break; // the load needs fewer objects
    }
    assert.ok(aborted >= 4, `${aborted} loads were aborted`);
    await base?.dispose();
  });
