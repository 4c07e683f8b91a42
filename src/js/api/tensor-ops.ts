// Functions over Tensors, with the names and argument order of transformers.js. Nothing here is used by the engine, so that
// bundlers leave out what a program does not import.
import { onDemand } from "../engine/on-demand.js";
import { WebertError } from "../errors.js";
import { kindOf } from "../values.js";
import { random } from "./random.js";
import { allocate, floats, indexIn, product, reduce, Tensor, type TensorData, type TensorType } from "./tensor.js";

const deferred = () => onDemand(() => import("./tensor-ops-deferred.js"));

/** Tensors one after the other along an axis; all other axes have the same lengths. */
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
        `cat along axis ${axis}: a Tensor of ${type} [${dims.join(", ")}] does not go with one of ${first.type} [${first.dims.join(", ")}]`,
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

/** Tensors of the same dims along an axis of their own. */
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
  throw new WebertError("bad_input", `${what} takes an array of Tensors, at least one, not ${kindOf(tensors)}`);
}

/** See `Tensor.permute`. */
export function permute<T extends TensorType>(tensor: Tensor<T>, axes: readonly number[]): Tensor<T> {
  return tensor.permute(...axes);
}

/** See `Tensor.mean`. */
export function mean<T extends TensorType>(tensor: Tensor<T>, dim: number | null = null, keepdim = false): Tensor<T> {
  return tensor.mean(dim, keepdim);
}

/** The standard deviation and the mean, of all elements or along an axis; `correction` 1 is that of a sample. */
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

/** The sum of the squared differences from the mean. */
function squares(values: Float64Array): number {
  const middle = values.reduce((sum, x) => sum + x, 0) / values.length;
  return values.reduce((sum, x) => sum + (x - middle) ** 2, 0);
}

/**
 * The mean over the tokens of each text.
 * @param last_hidden_state [batch, sequence, hidden]
 * @param attention_mask [batch, sequence], 1 for what counts
 * @returns [batch, hidden]
 */
export function mean_pooling<T extends TensorType>(last_hidden_state: Tensor<T>, attention_mask: Tensor): Tensor<T> {
  floats("mean_pooling", last_hidden_state);
  const [batch, length, hidden] = last_hidden_state.dims;
  if (last_hidden_state.dims.length !== 3 || String(attention_mask.dims) !== String([batch, length])) {
    const got = `[${last_hidden_state.dims.join(", ")}] and [${attention_mask.dims.join(", ")}]`;
    throw new WebertError(
      "bad_input",
      `mean_pooling takes states [batch, sequence, hidden] and a mask [batch, sequence], not ${got}`,
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

/** Each row of the last axis less its mean, over its standard deviation: (x - mean) / √(variance + eps), as PyTorch's. */
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
      `layer_norm of dims [${input.dims.join(", ")}]: normalized_shape is [${width}], not [${normalized_shape.join(", ")}]`,
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
 * The product of matrices: [.., n, k] × [.., k, m] → [.., n, m], of the same first axes, or of none in `b`.
 * @example
 * const similarities = await matmul(queries, documents.transpose(1, 0));
 */
export async function matmul<T extends TensorType>(a: Tensor<T>, b: Tensor<T>): Promise<Tensor<T>> {
  return (await deferred()).matmul(a, b);
}

/** The k greatest of each row of the last axis by falling value, and their indices (int64); of equal ones the first. All, sorted, without k. */
export async function topk<T extends TensorType>(
  x: Tensor<T>,
  k?: number | null,
): Promise<[Tensor<T>, Tensor<"int64">]> {
  return (await deferred()).topk(x, k);
}

/** From `starts` to before `ends` of the axes named, in steps, as ONNX's Slice; negative positions count from the end. */
export async function slice<T extends TensorType>(
  data: Tensor<T>,
  starts: readonly number[],
  ends: readonly number[],
  axes: readonly number[],
  steps?: readonly number[],
): Promise<Tensor<T>> {
  return (await deferred()).slice(data, starts, ends, axes, steps);
}

/** A Tensor of these dims with one value everywhere: float32 of a number, int64 of a bigint, bool of a boolean. */
export function full(size: readonly number[], fill_value: number): Tensor<"float32">;
export function full(size: readonly number[], fill_value: bigint): Tensor<"int64">;
export function full(size: readonly number[], fill_value: boolean): Tensor<"bool">;
export function full(size: readonly number[], fill_value: unknown): Tensor {
  const type = ({ number: "float32", bigint: "int64", boolean: "bool" } as const)[typeof fill_value as "number"] as
    | TensorType
    | undefined;
  if (!type)
    throw new WebertError("bad_input", `full takes a number, a bigint or a boolean, not ${kindOf(fill_value)}`);
  return filled(size, type, type === "bool" ? Number(fill_value) : (fill_value as number));
}

/** As `full`, with the dims of a Tensor. */
export function full_like(tensor: Tensor, fill_value: number): Tensor<"float32">;
export function full_like(tensor: Tensor, fill_value: bigint): Tensor<"int64">;
export function full_like(tensor: Tensor, fill_value: boolean): Tensor<"bool">;
export function full_like(tensor: Tensor, fill_value: unknown): Tensor {
  return full(tensor.dims, fill_value as number);
}

/** A Tensor of ones, int64. */
export function ones(size: readonly number[]): Tensor<"int64"> {
  return filled(size, "int64", 1n);
}

/** As `ones`, with the dims of a Tensor. */
export function ones_like(tensor: Tensor): Tensor<"int64"> {
  return ones(tensor.dims);
}

/** A Tensor of zeros, int64. */
export function zeros(size: readonly number[]): Tensor<"int64"> {
  return filled(size, "int64", 0n);
}

/** As `zeros`, with the dims of a Tensor. */
export function zeros_like(tensor: Tensor): Tensor<"int64"> {
  return zeros(tensor.dims);
}

/** A Tensor of random numbers from 0 to below 1, float32; `random.seed` repeats them. */
export function rand(size: readonly number[]): Tensor<"float32"> {
  // Rounded to single precision, the greatest doubles below 1 would be 1.
  return filled(size, "float32", 0).map_(() => Math.min(random.random(), 1 - 2 ** -24));
}

/** A Tensor of random numbers of the normal distribution, mean 0 and deviation 1, float32; `random.seed` repeats them. */
export function randn(size: readonly number[]): Tensor<"float32"> {
  return filled(size, "float32", 0).map_(() => random.gauss());
}

function filled<T extends TensorType>(size: readonly number[], type: T, value: number | bigint): Tensor<T> {
  const data = allocate(type, product(size));
  (data as Float64Array).fill(value as number);
  return new Tensor(type, data, size);
}
