// The taught model as a folder of sentence-transformers: the page's encoder, the mean of its states, and a Dense with a score for each label.
// `pipeline("text-classification")` of webert loads it, and `SentenceTransformer(folder).encode` returns the scores.
import type { Head } from "./classifier.ts";

const json = (value: object) => new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: "application/json" });

const module = (idx: number, kind: string, path: string) => ({
  idx,
  name: String(idx),
  path,
  type: `sentence_transformers.models.${kind}`,
});

/** The files beside the encoder's weights and its tokenizer. `config` is the encoder's. */
export function headFiles(config: Record<string, unknown>, names: readonly string[], head: Head): Record<string, Blob> {
  const width = head.weights[0]!.length;
  return {
    "config.json": json(configOf(config, names)),
    "modules.json": json([
      module(0, "Transformer", ""),
      module(1, "Pooling", "1_Pooling"),
      module(2, "Dense", "2_Dense"),
    ]),
    "1_Pooling/config.json": json({ word_embedding_dimension: width, pooling_mode_mean_tokens: true }),
    "2_Dense/config.json": json({
      in_features: width,
      out_features: names.length,
      bias: true,
      activation_function: "torch.nn.modules.linear.Identity",
    }),
    "2_Dense/model.safetensors": denseWeights(head, width),
  };
}

/** The weights and the bias of a head as a safetensors file. */
function denseWeights({ weights, bias }: Head, width: number): Blob {
  const matrix = Float32Array.from(weights.flatMap((row) => Array.from(row)));
  const vector = Float32Array.from(bias);
  const end = matrix.byteLength + vector.byteLength;
  const header = {
    "linear.weight": { dtype: "F32", shape: [weights.length, width], data_offsets: [0, matrix.byteLength] },
    "linear.bias": { dtype: "F32", shape: [vector.length], data_offsets: [matrix.byteLength, end] },
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(8 + 8 * Math.ceil(text.length / 8)).fill(0x20);
  new DataView(head.buffer).setBigUint64(0, BigInt(head.length - 8), true);
  head.set(text, 8);
  return new Blob([head, matrix, vector], { type: "application/octet-stream" });
}

/** The encoder's config with the labels. */
function configOf(config: Record<string, unknown>, names: readonly string[]) {
  const { transformers_weights, ...kept } = config;
  return {
    ...kept,
    problem_type: "single_label_classification",
    id2label: Object.fromEntries(names.entries()),
    label2id: Object.fromEntries(names.map((name, id) => [name, id])),
  };
}
