// What loading costs in WebAssembly memory: a file of n bytes stays within 1.1 · n + 16 MiB.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const MiB = 2 ** 20;
const config = {
  model_type: "bert", architectures: ["BertForMaskedLM"], hidden_size: 384, num_hidden_layers: 6, num_attention_heads: 12,
  intermediate_size: 1536, vocab_size: 30522, max_position_embeddings: 512, type_vocab_size: 2, hidden_act: "gelu",
};

/** Name and shape of each tensor of a checkpoint of that config. */
function* shapes({ hidden_size: h, intermediate_size: i, num_hidden_layers, vocab_size, max_position_embeddings, type_vocab_size }) {
  const linear = function* (name, outputs, inputs) {
    yield [`${name}.weight`, [outputs, inputs]];
    yield [`${name}.bias`, [outputs]];
  };
  const norm = function* (name) {
    yield [`${name}.weight`, [h]];
    yield [`${name}.bias`, [h]];
  };
  yield ["bert.embeddings.word_embeddings.weight", [vocab_size, h]];
  yield ["bert.embeddings.position_embeddings.weight", [max_position_embeddings, h]];
  yield ["bert.embeddings.token_type_embeddings.weight", [type_vocab_size, h]];
  yield* norm("bert.embeddings.LayerNorm");
  for (let n = 0; n < num_hidden_layers; n++) {
    const layer = `bert.encoder.layer.${n}`;
    for (const part of ["query", "key", "value"]) yield* linear(`${layer}.attention.self.${part}`, h, h);
    yield* linear(`${layer}.attention.output.dense`, h, h);
    yield* norm(`${layer}.attention.output.LayerNorm`);
    yield* linear(`${layer}.intermediate.dense`, i, h);
    yield* linear(`${layer}.output.dense`, h, i);
    yield* norm(`${layer}.output.LayerNorm`);
  }
  yield* linear("cls.predictions.transform.dense", h, h);
  yield* norm("cls.predictions.transform.LayerNorm");
  yield ["cls.predictions.bias", [vocab_size]];
}

/** A safetensors header for those tensors, and the length of the data. */
function header(dtype, bytes) {
  const tensors = {};
  let end = 0;
  for (const [name, shape] of shapes(config)) {
    const from = end;
    end += bytes * shape.reduce((a, b) => a * b);
    tensors[name] = { dtype, shape, data_offsets: [from, end] };
  }
  const json = new TextEncoder().encode(JSON.stringify(tensors));
  const head = new Uint8Array(8 + json.length);
  new DataView(head.buffer).setBigUint64(0, BigInt(json.length), true);
  head.set(json, 8);
  return { head, length: end };
}

// What the model says it takes: vectors are f32 in any case.
const held = (bytes) => [...shapes(config)].reduce((sum, [, shape]) => sum + (shape.length === 1 ? 4 : bytes) * shape.reduce((a, b) => a * b), 0);

for (const [dtype, bytes] of [["F32", 4], ["F16", 2], ["BF16", 2]]) {
  test(`loading ${dtype} stays within 1.1 · n + 16 MiB`, async () => {
    // a module of its own for each, as memory never shrinks
    const { default: init, Loader } = await import(`../target/wasm/glue/webert.js?${dtype}`);
    const binary = await readFile(new URL("../dist/webert_simd128.wasm", import.meta.url));
    const { memory } = await init({ module_or_path: binary });
    const before = memory.buffer.byteLength;
    const { head, length } = header(dtype, bytes);
    const files = { "config.json": new TextEncoder().encode(JSON.stringify(config)) };
    const loader = await Loader.open(files, { device: "wasm", dtype: "auto" });
    loader.begin_file("model.safetensors");
    loader.push(head);
    const chunk = new Uint8Array(MiB).fill(17);
    for (let at = 0; at < length; at += MiB) loader.push(chunk.subarray(0, Math.min(MiB, length - at)));
    loader.end_file();
    const model = await loader.finish();
    const n = head.length + length;
    const used = memory.buffer.byteLength - before;
    const mib = (count) => `${(count / MiB).toFixed(1)} MiB`;
    console.log(`a file of ${mib(n)} took ${mib(used)} of WebAssembly memory (limit ${mib(1.1 * n + 16 * MiB)})`);
    assert.ok(used > length, "the weights are in that memory");
    assert.ok(used <= 1.1 * n + 16 * MiB);
    assert.equal(model.info().bytes, held(bytes));
    model.free();
  });
}
