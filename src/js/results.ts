import { Tensor } from "./tensor.js";
import type { Features } from "./tasks.js";
import type { RawTensor } from "./wasm.js";

/** A result as it came from the engine, with every tensor in it a Tensor. */
export function revive(value: unknown): unknown {
  if (isRaw(value)) return marked(new Tensor("float32", value.data, value.dims), value.truncated);
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revive(part)]));
}

/** A tensor that says so where it is of a text that did not fit. */
function marked(tensor: Features, truncated: boolean | undefined): Features {
  if (truncated) tensor.truncated = true;
  return tensor;
}

function isRaw(value: unknown): value is RawTensor {
  return (value as RawTensor | null)?.data instanceof Float32Array;
}

/** Tensors of equal dims [n, …] as one, along the first axis; those of one axis count as [1, …]. */
export function stack(tensors: Features[]): Features {
  const size = tensors.reduce((sum, tensor) => sum + tensor.size, 0);
  const data = new Float32Array(size);
  let at = 0;
  for (const tensor of tensors) {
    data.set(tensor.data, at);
    at += tensor.size;
  }
  const last = tensors[0]?.dims.at(-1) ?? 0;
  const whole = new Tensor("float32", data, [last && size / last, last]);
  return marked(whole, tensors.some(({ truncated }) => truncated));
}
