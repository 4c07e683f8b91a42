// The entry `webert/compat`: functions of transformers.js that no pipeline needs, for programs that were written for it.

export { FFT, rfft } from "./tensor/fourier.js";
export { type Interpolation, interpolate, interpolate_4d } from "./tensor/interpolate.js";
export { random } from "./tensor/random.js";
export { rand, randn } from "./tensor/random-tensors.js";
