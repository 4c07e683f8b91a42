// Functions over Tensors, with the names and argument order of transformers.js. The engine does not use them, so
// bundlers drop the ones that a program does not import.

import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import { kindOf } from "../values.js";
import { indexIn, product } from "./axes.js";
import { allocate, type TensorData, type TensorType } from "./element-types.js";
import { floats, reduce, Tensor } from "./tensor.js";

const deferred = () => onDemand(() => import("./tensor-ops-deferred.js"));

/** Concatenates Tensors along an axis. All other axes must have equal lengths. */
export function cat<T extends TensorType>(tensors: readonly Tensor<T>[], dim = 0): Tensor<T> {
  const first = firstOf("cat", tensors);
  const axis = indexIn(dim, first.dims.length);
  for (const { dims, type } of tensors) {
    if (
      type !== first.type ||
      dims.length !== first.dims.length ||
      dims.some((length, i) => i !== axis && length !== first.dims[i])
    ) {
      throw new WebertError(
        "bad_input",
        `cat along axis ${axis}: expected the type and dims of ${first.type} [${first.dims.join(", ")}], got ${type} [${dims.join(", ")}]`,
      );
    }
  }
  const dims = [...first.dims];
  dims[axis] = tensors.reduce((sum, tensor) => sum + tensor.dims[axis]!, 0);
  const data = allocate(first.type, product(dims)) as Float64Array;
  const outer = product(dims.slice(0, axis));
  let at = 0;
  for (let o = 0; o < outer; o++) {
    for (const tensor of tensors) {
      const step = tensor.size / outer;
      data.set(tensor.data.subarray(o * step, (o + 1) * step) as Float64Array, at);
      at += step;
    }
  }
  return new Tensor(first.type, data as unknown as TensorData[T], dims);
}

/** Stacks Tensors with equal dims along a new axis. */
export function stack<T extends TensorType>(tensors: readonly Tensor<T>[], dim = 0): Tensor<T> {
  firstOf("stack", tensors);
  return cat(
    tensors.map((tensor) => tensor.unsqueeze(dim)),
    dim,
  );
}

function firstOf<T extends TensorType>(what: string, tensors: readonly Tensor<T>[]): Tensor<T> {
  if (Array.isArray(tensors) && tensors.length && tensors.every((tensor) => tensor instanceof Tensor))
    return tensors[0]!;
  throw new WebertError("bad_input", `${what}: expected a non-empty array of Tensors, got ${kindOf(tensors)}`);
}

/** Permutes the axes: see `Tensor.permute`. */
export function permute<T extends TensorType>(tensor: Tensor<T>, axes: readonly number[]): Tensor<T> {
  return tensor.permute(...axes);
}

/** Returns the mean: see `Tensor.mean`. */
export function mean<T extends TensorType>(tensor: Tensor<T>, dim: number | null = null, keepdim = false): Tensor<T> {
  return tensor.mean(dim, keepdim);
}

/**
 * Returns the standard deviation and the mean of all elements or along an axis. `correction` 1 estimates the
 * deviation from a sample.
 */
export function std_mean<T extends TensorType>(
  tensor: Tensor<T>,
  dim: number | null = null,
  correction = 1,
  keepdim = false,
): [Tensor<T>, Tensor<T>] {
  floats("std_mean", tensor);
  const std = reduce(tensor, dim, keepdim, (values) => Math.sqrt(squares(values) / (values.length - correction)));
  return [std, tensor.mean(dim, keepdim)];
}

/** Returns the sum of squared differences from the mean. */
function squares(values: Float64Array): number {
  const middle = values.reduce((sum, x) => sum + x, 0) / values.length;
  return values.reduce((sum, x) => sum + (x - middle) ** 2, 0);
}

/**
 * Returns the mean over the tokens of each text.
 * @param last_hidden_state [batch, sequence, hidden]
 * @param attention_mask [batch, sequence], 1 for tokens that count
 * @returns [batch, hidden]
 */
export function mean_pooling<T extends TensorType>(last_hidden_state: Tensor<T>, attention_mask: Tensor): Tensor<T> {
  floats("mean_pooling", last_hidden_state);
  const [batch, length, hidden] = last_hidden_state.dims;
  if (last_hidden_state.dims.length !== 3 || String(attention_mask.dims) !== String([batch, length])) {
    const got = `[${last_hidden_state.dims.join(", ")}] and [${attention_mask.dims.join(", ")}]`;
    throw new WebertError(
      "bad_input",
      `mean_pooling: expected states [batch, sequence, hidden] and a mask [batch, sequence], got ${got}`,
    );
  }
  const sums = new Float64Array(batch! * hidden!);
  const states = last_hidden_state.data as Float64Array;
  for (let text = 0; text < batch!; text++) {
    let count = 0;
    for (let token = 0; token < length!; token++) {
      const weight = Number(attention_mask.data[text * length! + token]);
      if (!weight) continue;
      count += weight;
      const at = (text * length! + token) * hidden!;
      for (let i = 0; i < hidden!; i++) sums[text * hidden! + i]! += weight * states[at + i]!;
    }
    for (let i = 0; i < hidden!; i++) sums[text * hidden! + i]! /= count;
  }
  const data = allocate(last_hidden_state.type, sums.length);
  (data as Float64Array).set(sums);
  return new Tensor(last_hidden_state.type, data, [batch!, hidden!]);
}

/** Normalizes each row of the last axis: (x - mean) / √(variance + eps), as PyTorch does. */
export function layer_norm<T extends TensorType>(
  input: Tensor<T>,
  normalized_shape: readonly number[],
  { eps = 1e-5 }: { eps?: number } = {},
): Tensor<T> {
  floats("layer_norm", input);
  const width = input.dims.at(-1);
  if (normalized_shape.length !== 1 || normalized_shape[0] !== width) {
    throw new WebertError(
      "bad_input",
      `layer_norm of dims [${input.dims.join(", ")}]: expected normalized_shape [${width}], got [${normalized_shape.join(", ")}]`,
    );
  }
  const result = input.clone();
  const data = result.data as Float64Array;
  for (let at = 0; at < data.length; at += width!) {
    const row = data.subarray(at, at + width!);
    const middle = row.reduce((sum, x) => sum + x, 0) / row.length;
    const scale = 1 / Math.sqrt(squares(row) / row.length + eps);
    for (let i = 0; i < row.length; i++) row[i] = (row[i]! - middle) * scale;
  }
  return result;
}

/**
 * Returns the matrix product: [.., n, k] × [.., k, m] → [.., n, m]. The leading axes must be equal; `b` may have
 * none.
 * @example
 * ```ts
 * const similarities = await matmul(queries, documents.transpose(1, 0));
 * ```
 */
export async function matmul<T extends TensorType>(a: Tensor<T>, b: Tensor<T>): Promise<Tensor<T>> {
  return (await deferred()).matmul(a, b);
}

/**
 * Returns the k greatest values per row of the last axis, in descending order, and their indices (int64). Equal
 * values keep their order. Without k, returns all values.
 */
export async function topk<T extends TensorType>(
  x: Tensor<T>,
  k?: number | null,
): Promise<[Tensor<T>, Tensor<"int64">]> {
  return (await deferred()).topk(x, k);
}

/**
 * Returns the part from `starts` up to `ends` (exclusive) on the named axes, in steps, as ONNX's Slice does. Negative
 * positions count from the end.
 */
export async function slice<T extends TensorType>(
  data: Tensor<T>,
  starts: readonly number[],
  ends: readonly number[],
  axes: readonly number[],
  steps?: readonly number[],
): Promise<Tensor<T>> {
  return (await deferred()).slice(data, starts, ends, axes, steps);
}

/**
 * Returns a Tensor of these dims filled with one value: float32 for a number, int64 for a bigint, bool for a boolean.
 */
export function full(size: readonly number[], fill_value: number): Tensor<"float32">;
export function full(size: readonly number[], fill_value: bigint): Tensor<"int64">;
export function full(size: readonly number[], fill_value: boolean): Tensor<"bool">;
export function full(size: readonly number[], fill_value: unknown): Tensor {
  const type = ({ number: "float32", bigint: "int64", boolean: "bool" } as const)[typeof fill_value as "number"] as
    | TensorType
    | undefined;
  if (!type)
    throw new WebertError("bad_input", `full: expected a number, a bigint or a boolean, got ${kindOf(fill_value)}`);
  return filled(size, type, type === "bool" ? Number(fill_value) : (fill_value as number));
}

/** Returns a filled Tensor with the dims of another Tensor: see `full`. */
export function full_like(tensor: Tensor, fill_value: number): Tensor<"float32">;
export function full_like(tensor: Tensor, fill_value: bigint): Tensor<"int64">;
export function full_like(tensor: Tensor, fill_value: boolean): Tensor<"bool">;
export function full_like(tensor: Tensor, fill_value: unknown): Tensor {
  return full(tensor.dims, fill_value as number);
}

/** Returns a Tensor of ones (int64). */
export function ones(size: readonly number[]): Tensor<"int64"> {
  return filled(size, "int64", 1n);
}

/** Returns ones with the dims of another Tensor. */
export function ones_like(tensor: Tensor): Tensor<"int64"> {
  return ones(tensor.dims);
}

/** Returns a Tensor of zeros (int64). */
export function zeros(size: readonly number[]): Tensor<"int64"> {
  return filled(size, "int64", 0n);
}

/** Returns zeros with the dims of another Tensor. */
export function zeros_like(tensor: Tensor): Tensor<"int64"> {
  return zeros(tensor.dims);
}

function filled<T extends TensorType>(size: readonly number[], type: T, value: number | bigint): Tensor<T> {
  const data = allocate(type, product(size));
  (data as Float64Array).fill(value as number);
  return new Tensor(type, data, size);
}
