import { Tensor } from "./tensor.js";
import type { RawTensor } from "./wasm.js";

/** A result as it came from the engine, with every tensor in it a Tensor. */
export function revive(value: unknown): unknown {
  if (isRaw(value)) return new Tensor("float32", value.data, value.dims);
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revive(part)]));
}

function isRaw(value: unknown): value is RawTensor {
  return (value as RawTensor | null)?.data instanceof Float32Array;
}

/** Tensors of equal dims [n, …] as one, along the first axis; those of one axis count as [1, …]. */
export function stack(tensors: Tensor<"float32">[]): Tensor<"float32"> {
  const size = tensors.reduce((sum, tensor) => sum + tensor.size, 0);
  const data = new Float32Array(size);
  let at = 0;
  for (const tensor of tensors) {
    data.set(tensor.data, at);
    at += tensor.size;
  }
  const last = tensors[0]?.dims.at(-1) ?? 0;
  return new Tensor("float32", data, [last && size / last, last]);
}
