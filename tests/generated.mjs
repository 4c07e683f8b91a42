// Checkpoints of any size with generated weights: their tensors, and the head of their safetensors file. Runs
// in pages, too.

/** Name and shape of each tensor of a masked language model with that config. */
export function* shapes({
  hidden_size: h,
  intermediate_size: i,
  num_hidden_layers,
  vocab_size,
  max_position_embeddings,
  type_vocab_size,
}) {
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

/** The file's head, for tensors of `dtype` with `bytes` per number, and the length of the data after it. */
export function header(config, dtype, bytes) {
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

/** Returns a checkpoint with random weights. */
export function checkpoint(sizes) {
  const config = {
    model_type: "bert",
    architectures: ["BertForMaskedLM"],
    ...sizes,
    intermediate_size: 4 * sizes.hidden_size,
    vocab_size: 1000,
    max_position_embeddings: 512,
    type_vocab_size: 2,
    hidden_act: "gelu",
  };
  const { head, length } = header(config, "F32", 4);
  const chunk = Float32Array.from({ length: 1 << 18 }, () => (Math.random() - 0.5) / 8);
  const chunks = Array.from(
    { length: Math.ceil(length / chunk.byteLength) },
    (_, n) => new Uint8Array(chunk.buffer, 0, Math.min(chunk.byteLength, length - n * chunk.byteLength)),
  );
  return {
    files: { "config.json": new Blob([JSON.stringify(config)]), "model.safetensors": new Blob([head, ...chunks]) },
  };
}
