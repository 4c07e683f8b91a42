// Turns the results of the engine into Tensors and joins the results of several texts.
import type { RawTensor } from "../engine/wasm.js";
import type { Features } from "../tasks.js";
import { product } from "../tensor/axes.js";
import { type Precision, quantize_embeddings } from "../tensor/quantize.js";
import { Tensor } from "../tensor/tensor.js";

/** Returns a result of the engine with every raw tensor replaced by a Tensor. */
export function revive(value: unknown): unknown {
  if (isRaw(value)) return marked(new Tensor("float32", value.data, value.dims), value.truncated);
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revive(part)]));
}

/** Marks a tensor as truncated if its text was too long. */
function marked(tensor: Features, truncated: boolean | undefined): Features {
  if (truncated) tensor.truncated = true;
  return tensor;
}

function isRaw(value: unknown): value is RawTensor {
  return (value as RawTensor | null)?.data instanceof Float32Array;
}

/**
 * Joins the Tensors of several texts along the first axis. Each is [1, size] or [1, tokens, size]; shorter ones are
 * padded with rows of zeros.
 */
export function batch(tensors: Features[]): Features {
  const dims = (tensors[0]?.dims ?? [0, 0]).map((_, axis) =>
    axis ? Math.max(...tensors.map((tensor) => tensor.dims[axis]!)) : tensors.length,
  );
  const step = product(dims.slice(1));
  const data = new Float32Array(tensors.length * step);
  tensors.forEach((tensor, i) => data.set(tensor.data, i * step));
  return marked(
    new Tensor("float32", data, tensors.length ? dims : [0, 0]),
    tensors.some(({ truncated }) => truncated),
  );
}

/** Returns vectors of lower precision. The mark of truncated texts is kept. */
export function quantized(features: Features, precision: Precision | undefined, ranges: Tensor | undefined): Features {
  return marked(quantize_embeddings(features, precision, { ranges }) as unknown as Features, features.truncated);
}
