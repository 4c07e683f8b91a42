// Functions over numbers, with the names and argument order of transformers.js. The engine does not use them, so
// bundlers drop the ones that a program does not import.
import { WebertError } from "../errors.js";
import { extreme } from "./element-types.js";

/** Numbers as an array or a typed array, e.g. `tensor.data`. */
export type Numbers =
  | readonly number[]
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

/**
 * Returns the cosine of the angle between two vectors: 1 for the same direction, 0 for perpendicular ones.
 * @example
 * ```ts
 * const [a, b] = (await extract(["a cat", "a kitten"], { pooling: "mean" })).tolist();
 * cos_sim(a, b);
 * ```
 */
export function cos_sim(a: Numbers, b: Numbers): number {
  return dot(a, b) / (magnitude(a) * magnitude(b));
}

/** Returns the dot product of two vectors. */
export function dot(a: Numbers, b: Numbers): number {
  if (a.length !== b.length)
    throw new WebertError(
      "bad_input",
      `expected two vectors of the same length, got ${a.length} and ${b.length} numbers`,
    );
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Returns the Euclidean length of a vector. */
export function magnitude(values: Numbers): number {
  return Math.sqrt(dot(values, values));
}

/** Returns probabilities from logits: e^x divided by the sum of all e^x. The result has the type of the input. */
export function softmax<N extends Numbers>(values: N): N {
  const greatest = values[extreme(values, 1)]!;
  const exps = Array.from(values, (x) => Math.exp(x - greatest));
  const sum = exps.reduce((all, x) => all + x, 0);
  return like(values, (_, i) => exps[i]! / sum);
}

/** Returns the logarithm of `softmax`. It is exact even if a probability underflows. */
export function log_softmax<N extends Numbers>(values: N): N {
  const greatest = values[extreme(values, 1)]!;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += Math.exp(values[i]! - greatest);
  const log = Math.log(sum);
  return like(values, (x) => x - greatest - log);
}

/** Returns the smallest number of an array, and its index. */
export function min<N extends ArrayLike<number | bigint>>(values: N): [N[number], number] {
  const at = extreme(values, -1);
  return [values[at]!, at];
}

/** Returns the greatest number of an array, and its index. */
export function max<N extends ArrayLike<number | bigint>>(values: N): [N[number], number] {
  const at = extreme(values, 1);
  return [values[at]!, at];
}

/** Rounds a number to `decimals` digits after the point. */
export function round(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}

/** Rounds to the nearest whole number, ties to even, as Python's `round` does. */
export function bankers_round(value: number): number {
  const near = Math.round(value);
  return Math.abs(value) % 1 === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

function like<N extends Numbers>(values: N, value: (x: number, i: number) => number): N {
  return (values as number[]).map(value) as unknown as N;
}

/**
 * Returns the median of each element's window; the window has equally many neighbours on both sides. The array is
 * mirrored at its ends.
 */
export function medianFilter<N extends Numbers>(data: N, windowSize: number): N {
  if (!Number.isInteger(windowSize) || windowSize < 1 || windowSize % 2 === 0)
    throw new WebertError("bad_input", `medianFilter: expected a positive odd window size, got ${windowSize}`);
  const half = (windowSize - 1) / 2;
  const last = data.length - 1;
  if (half > last)
    throw new WebertError(
      "bad_input",
      `medianFilter: a window of ${windowSize} requires more than ${half} elements, got ${last + 1}`,
    );
  return like(data, (_, at) => {
    const near = Array.from({ length: windowSize }, (_, i) => last - Math.abs(last - Math.abs(at - half + i)));
    return near.map((i) => data[i]!).sort((a, b) => a - b)[half]!;
  });
}
