// The taught model as a folder: the page's encoder, and a head as in BertForSequenceClassification:
// logits = classifier · tanh(pooler · [CLS]).
import type { Head } from "./classifier.ts";

/**
 * The head was learnt over [CLS] itself. The pooler scales it down to a range in which tanh is a straight line, and the classifier scales
 * it up again. tanh(x) differs from x by a part in 3 / x²: for states up to some tens, less than one in ten thousand.
 */
const SMALL = 2 ** -11;

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** The header of a safetensors file, and the offset of its data. */
export async function readHeader(file: Blob): Promise<{ entries: [string, Entry][]; from: number }> {
  const length = Number(new DataView(await file.slice(0, 8).arrayBuffer()).getBigUint64(0, true));
  const header = JSON.parse(await file.slice(8, 8 + length).text()) as Record<string, Entry>;
  const entries = Object.entries(header).filter(([name]) => name !== "__metadata__");
  entries.sort(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0]);
  return { entries, from: 8 + length };
}

/** A safetensors file made of parts: named tensors with their bytes. */
export function writeSafetensors(tensors: { name: string; dtype: string; shape: number[]; bytes: Blob }[]): Blob {
  let end = 0;
  const header: Record<string, Entry> = {};
  for (const { name, dtype, shape, bytes } of tensors)
    header[name] = { dtype, shape, data_offsets: [end, (end += bytes.size)] };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const padding = (8 - (json.length % 8)) % 8;
  const head = new Uint8Array(8 + json.length + padding).fill(0x20);
  new DataView(head.buffer).setBigUint64(0, BigInt(json.length + padding), true);
  head.set(json, 8);
  return new Blob([head, ...tensors.map(({ bytes }) => bytes)], { type: "application/octet-stream" });
}

/** The encoder of `weights` under BERT's names, with a head over its [CLS]. */
export async function checkpointWeights(weights: Blob, head: Head): Promise<Blob> {
  const { entries, from } = await readHeader(weights);
  const encoder = entries
    .filter(([name]) => /(^|\.)(embeddings|encoder)\./.test(name))
    .map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [start, end],
        },
      ]) => ({
        name: name.startsWith("bert.") ? name : `bert.${name}`,
        dtype,
        shape,
        bytes: weights.slice(from + start, from + end),
      }),
    );
  return writeSafetensors([...encoder, ...headTensors(head)]);
}

/** The pooler and the classifier of a head over vectors of d numbers. */
export function headTensors({ weights, bias }: Head) {
  const d = weights[0]!.length;
  const pooler = new Float32Array(d * d);
  for (let i = 0; i < d; i++) pooler[i * d + i] = SMALL;
  const classifier = Float32Array.from(weights.flatMap((row) => Array.from(row, (value) => value / SMALL)));
  const tensor = (name: string, shape: number[], values: Float32Array<ArrayBuffer>) => ({
    name,
    dtype: "F32",
    shape,
    bytes: new Blob([values]),
  });
  return [
    tensor("bert.pooler.dense.weight", [d, d], pooler),
    tensor("bert.pooler.dense.bias", [d], new Float32Array(d)),
    tensor("classifier.weight", [weights.length, d], classifier),
    tensor("classifier.bias", [weights.length], Float32Array.from(bias)),
  ];
}

/** The config of the taught model: the encoder's, with the labels. */
export function checkpointConfig(config: Record<string, unknown>, names: readonly string[]) {
  const { transformers_weights, pooler, ...kept } = config;
  return {
    ...kept,
    architectures: ["BertForSequenceClassification"],
    problem_type: "single_label_classification",
    id2label: Object.fromEntries(names.map((name, id) => [id, name])),
    label2id: Object.fromEntries(names.map((name, id) => [name, id])),
  };
}
