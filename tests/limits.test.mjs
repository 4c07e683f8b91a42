// Errors name what a machine lacks: vector instructions, memory. The next call works.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { env, pipeline } from "../dist/node.js";
import glue from "../dist/webert_threads.js";
import { blank, withPage } from "./browser.mjs";

const fails = (promise, code, pattern) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.code, code, error.stack);
    assert.match(error.message, pattern);
    return true;
  });

test("without SIMD the error is unsupported and names it", async () => {
  const { validate } = WebAssembly;
  WebAssembly.validate = () => false;
  try {
    await fails(pipeline("fill-mask", undefined, { device: "wasm" }), "unsupported", /vector instructions \(simd128\)/);
  } finally {
    WebAssembly.validate = validate;
  }
});

/** A checkpoint with one matrix that exceeds WebAssembly's 4 GiB in f32. */
function tooLarge() {
  const shape = [1_100_000, 1024];
  const config = {
    model_type: "bert",
    architectures: ["BertModel"],
    hidden_size: 1024,
    num_hidden_layers: 1,
    num_attention_heads: 16,
    intermediate_size: 1024,
    vocab_size: shape[0],
    max_position_embeddings: 512,
    type_vocab_size: 2,
  };
  const end = 2 * shape[0] * shape[1];
  const json = JSON.stringify({ "embeddings.word_embeddings.weight": { dtype: "F16", shape, data_offsets: [0, end] } });
  const length = new Uint8Array(new BigUint64Array([BigInt(json.length)]).buffer);
  const part = new Blob([new Uint8Array(end / 100)]); // held once, never read to its end
  const weights = new Blob([length, json, ...Array(100).fill(part)]);
  const vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].join("\n");
  return {
    "config.json": new Blob([JSON.stringify(config)]),
    "vocab.txt": new Blob([vocabulary]),
    "model.safetensors": weights,
  };
}

for (const threads of [1, 2]) {
  test(`Node, ${threads} thread(s): weights beyond 4 GiB are out_of_memory, and the next model loads`, async () => {
    const options = { device: "wasm", dtype: "fp32", threads };
    await fails(
      pipeline("feature-extraction", { files: tooLarge() }, options),
      "out_of_memory",
      /out of memory for a matrix of \d+ × \d+/,
    );
    const run = await pipeline("feature-extraction", undefined, options);
    assert.equal((await run("a text", { pooling: "mean" })).size, 384);
    await run.dispose();
  });
}

test("Chromium: weights beyond 4 GiB are out_of_memory, and the page stays usable", async () => {
  await withPage({ path: blank, allowErrors: true }, async (page) => {
    for (const worker of [true, false]) {
      const { code, message, size } = await page.evaluate(
        async ([tooLarge, worker]) => {
          const { pipeline } = await import("/dist/index.js");
          const files = new Function(`return (${tooLarge})()`)();
          const options = { device: "wasm", dtype: "fp32", worker };
          const error = await pipeline("feature-extraction", { files }, options).catch((error) => error);
          const run = await pipeline("feature-extraction", undefined, options);
          const { size } = await run("a text", { pooling: "mean" });
          await run.dispose();
          return { code: error.code, message: error.message, size };
        },
        [String(tooLarge), worker],
      );
      assert.equal(code, "out_of_memory", message);
      assert.match(message, /out of memory for a matrix of \d+ × \d+/);
      assert.equal(size, 384);
    }
  });
});

test("activations that do not fit are out_of_memory, and smaller inputs still work", async () => {
  const { default: init, Loader } = glue();
  const module_or_path = await readFile(new URL("../dist/webert_simd128_threads.wasm", import.meta.url));
  // 48 MiB: the weights take half of it
  await init({ module_or_path, memory: new WebAssembly.Memory({ initial: 64, maximum: 768, shared: true }) });
  const completed = (job) =>
    new Promise((done, failed) => {
      const step = () => {
        try {
          job.step(done, () => queueMicrotask(step));
        } catch (error) {
          failed(error);
        }
      };
      step();
    });
  const file = (name) => readFile(new URL(name, env.defaultModels["fill-mask"]));
  const loader = await completed(
    Loader.open({ "config.json": await file("config.json") }, { device: "wasm", dtype: "auto" }),
  );
  loader.begin_file("model.safetensors");
  const weights = await file("model.safetensors");
  for (let at = 0; at < weights.length; at += 1 << 16) loader.push(weights.subarray(at, at + (1 << 16)));
  loader.end_file();
  const model = await completed(loader.finish());
  const forward = (batch, length) => {
    const input_ids = new Uint32Array(batch * length).fill(2000);
    return completed(model.forward({ dims: [batch, length], input_ids }, { output_attentions: true }, async () => {}));
  };
  await fails(forward(1, 512), "out_of_memory", /no memory for activations of \d+ × \d+/);
  assert.deepEqual((await forward(2, 8)).logits.dims, [2, 8, 29528]);
});

/** Fills the memory of two instances with tokenizers, so that each ends with a trap. Returns what still works, and the memory that is held. */
async function fillTwice(entry) {
  const { AutoTokenizer, env, pipeline } = await import(entry);
  const options = { device: "wasm", threads: 1 };
  const load = () => AutoTokenizer.from_pretrained(env.defaultModels["fill-mask"]);
  const codeOf = ({ code }) => code;
  const kept = [];
  const found = [];
  for (let turn = 0; turn < 2; turn++) {
    const unmask = await pipeline("fill-mask", undefined, options);
    let failure;
    while (!failure && kept.length < 1000) kept.push(await load().catch((error) => (failure = error)));
    const codes = [failure.code, await unmask("A [MASK].").catch(codeOf)];
    try {
      kept.at(-2).encode("a");
    } catch (error) {
      codes.push(error.code);
    }
    kept.push(unmask);
    await new Promise((done) => setTimeout(done, 50));
    globalThis.gc();
    found.push({ codes, message: failure.message, held: process.memoryUsage().external });
  }
  const unmask = await pipeline("fill-mask", undefined, options);
  const [{ token_str }] = await unmask("Paris is the [MASK] of France.");
  console.log(JSON.stringify({ found, token_str, ids: (await load()).encode("a").length }));
}

test("abandons and frees an instance whose memory is full, and the next load works", () => {
  const entry = new URL("../dist/node.js", import.meta.url).href;
  const code = `(${fillTwice})(${JSON.stringify(entry)})`;
  const limit = 2048; // pages of 64 KiB: 128 MiB
  const args = ["--expose-gc", `--wasm-max-mem-pages=${limit}`, "--input-type=module", "-e", code];
  const { found, token_str, ids } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  for (const { codes, message } of found) {
    assert.deepEqual(codes, Array(3).fill("out_of_memory"));
    assert.match(message, /WebAssembly's memory of 12\d(\.\d+)? MiB cannot grow any further/);
  }
  assert.deepEqual([token_str, ids], ["capital", 3]);
  const grown = found[1].held - found[0].held;
  assert.ok(grown < 64 * 2 ** 20, `${grown} bytes more are held after another instance of 128 MiB`);
});
