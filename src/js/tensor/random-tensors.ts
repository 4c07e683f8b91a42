// Tensors of random numbers.
import { random } from "./random.js";
import type { Tensor } from "./tensor.js";
import { full } from "./tensor-ops.js";

/**
 * Returns a Tensor (float32) of uniformly distributed random numbers from 0 up to but excluding 1. `random.seed`
 * makes them reproducible.
 */
export function rand(size: readonly number[]): Tensor<"float32"> {
  // The greatest doubles below 1 would round to 1 in float32.
  return full(size, 0).map_(() => Math.min(random.random(), 1 - 2 ** -24));
}

/**
 * Returns a Tensor (float32) of normally distributed random numbers with mean 0 and deviation 1. `random.seed` makes
 * them reproducible.
 */
export function randn(size: readonly number[]): Tensor<"float32"> {
  return full(size, 0).map_(() => random.gauss());
}
