// The discrete Fourier transform for any length.
import { WebertError } from "../errors.js";
import { shown } from "../values.js";
import { indexIn } from "./axes.js";
import { allocate } from "./element-types.js";
import { floats, Tensor } from "./tensor.js";

/** An array of numbers to read from; `Output` can also be written. */
type Values = ArrayLike<number>;
type Output = { [index: number]: number; readonly length: number };

/**
 * Fourier transforms of one length. A complex number is stored as its real part followed by its imaginary part.
 * @example
 * ```ts
 * const fft = new FFT(4);
 * const spectrum = new Float64Array(fft.outputBufferSize);
 * fft.realTransform(spectrum, [1, 2, 3, 4]); // 10, 0, -2, 2, -2, 0, -2, -2
 * ```
 */
export class FFT {
  /** Number of elements to transform. */
  readonly size: number;
  readonly isPowerOfTwo: boolean;
  /** Length of a transform's output: two numbers per element. */
  readonly outputBufferSize: number;
  readonly #work: (re: Float64Array, im: Float64Array) => void;

  constructor(size: number) {
    if (!Number.isInteger(size) || size < 1)
      throw new WebertError("bad_input", `FFT: expected a positive number of elements, got ${shown(size)}`);
    this.size = size;
    this.isPowerOfTwo = (size & (size - 1)) === 0;
    this.outputBufferSize = 2 * size;
    this.#work = this.isPowerOfTwo ? radix2(size) : chirp(size);
  }

  /** Transforms complex numbers. */
  transform(output: Output, input: Values): void {
    this.#fill(output, input, 2, (at) => input[2 * at + 1]!);
  }

  /** Transforms real numbers. The output is complete, although its second half mirrors the first. */
  realTransform(output: Output, input: Values): void {
    this.#fill(output, input, 1, () => 0);
  }

  #fill(output: Output, input: Values, step: 1 | 2, imaginary: (at: number) => number): void {
    if (input.length !== step * this.size || output.length < this.outputBufferSize) {
      throw new WebertError(
        "bad_input",
        `FFT of size ${this.size}: expected ${step * this.size} input and ${this.outputBufferSize} output numbers, got ${input.length} and ${output.length}`,
      );
    }
    const re = Float64Array.from({ length: this.size }, (_, at) => input[step * at]!);
    const im = Float64Array.from({ length: this.size }, (_, at) => imaginary(at));
    this.#work(re, im);
    for (let at = 0; at < this.size; at++) [output[2 * at], output[2 * at + 1]] = [re[at]!, im[at]!];
  }
}

/** Returns Cooley and Tukey's transform for a length that is a power of two. It works in place. */
function radix2(size: number): (re: Float64Array, im: Float64Array) => void {
  const bits = Math.log2(size);
  const cos = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
  const sin = Float64Array.from({ length: size / 2 }, (_, i) => Math.sin((2 * Math.PI * i) / size));
  return (re, im) => {
    for (let i = 0; i < size; i++) {
      const j = reversed(i, bits);
      if (j > i) {
        [re[i], re[j]] = [re[j]!, re[i]!];
        [im[i], im[j]] = [im[j]!, im[i]!];
      }
    }
    for (let half = 1; half < size; half *= 2) {
      const step = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let k = 0; k < half; k++) {
          const [a, b] = [start + k, start + k + half];
          const [c, s] = [cos[k * step]!, sin[k * step]!];
          const [x, y] = [re[b]! * c + im[b]! * s, im[b]! * c - re[b]! * s];
          [re[b], im[b]] = [re[a]! - x, im[a]! - y];
          [re[a], im[a]] = [re[a]! + x, im[a]! + y];
        }
      }
    }
  };
}

/** Returns the lowest `bits` bits of a number in reverse order. */
function reversed(value: number, bits: number): number {
  let result = 0;
  for (let bit = 0; bit < bits; bit++) result |= ((value >> bit) & 1) << (bits - 1 - bit);
  return result;
}

/**
 * Returns Bluestein's transform for any length n. It works in place. As jk = (j² + k² - (k - j)²) / 2, the transform
 * is a convolution with the chirp e^(πi j²/n). Transforms with a power-of-two length compute the convolution.
 */
function chirp(size: number): (re: Float64Array, im: Float64Array) => void {
  const length = 2 ** Math.ceil(Math.log2(2 * size - 1));
  const transform = radix2(length);
  // Reduce j² modulo 2n, because the sine of a large angle is inexact.
  const angle = (j: number) => (Math.PI * ((j * j) % (2 * size))) / size;
  const cos = Float64Array.from({ length: size }, (_, j) => Math.cos(angle(j)));
  const sin = Float64Array.from({ length: size }, (_, j) => Math.sin(angle(j)));
  const [kernelRe, kernelIm] = [new Float64Array(length), new Float64Array(length)];
  for (let j = 0; j < size; j++) {
    for (const at of j ? [j, length - j] : [0]) [kernelRe[at], kernelIm[at]] = [cos[j]!, sin[j]!];
  }
  transform(kernelRe, kernelIm);
  return (re, im) => {
    const [x, y] = [new Float64Array(length), new Float64Array(length)];
    for (let j = 0; j < size; j++) {
      x[j] = re[j]! * cos[j]! + im[j]! * sin[j]!;
      y[j] = im[j]! * cos[j]! - re[j]! * sin[j]!;
    }
    transform(x, y);
    // Up to a scale, the inverse transform is the conjugate of the transform of the conjugate.
    for (let k = 0; k < length; k++) {
      const [a, b] = [x[k]!, y[k]!];
      x[k] = a * kernelRe[k]! - b * kernelIm[k]!;
      y[k] = -(a * kernelIm[k]! + b * kernelRe[k]!);
    }
    transform(x, y);
    for (let k = 0; k < size; k++) {
      const [a, b] = [x[k]! / length, -y[k]! / length];
      re[k] = a * cos[k]! + b * sin[k]!;
      im[k] = b * cos[k]! - a * sin[k]!;
    }
  };
}

/**
 * Transforms real numbers along the last axis. The mirrored half of the result is left out.
 * @param x floats [.., n]
 * @param a the axis as an int64 Tensor; must be the last axis (-1 or its number)
 * @returns real and imaginary parts [.., n / 2 + 1, 2]
 */
export async function rfft(x: Tensor, a: Tensor): Promise<Tensor> {
  floats("rfft", x);
  const axis = indexIn(Number(a.item()), x.dims.length);
  if (axis !== x.dims.length - 1)
    throw new WebertError(
      "bad_input",
      `rfft: expected the last axis, got axis ${axis} of ${x.dims.length}. Permute the Tensor first.`,
    );
  const size = x.dims[axis]!;
  const fft = new FFT(size);
  const kept = Math.floor(size / 2) + 1;
  const spectrum = new Float64Array(fft.outputBufferSize);
  const rows = x.size / size;
  const data = allocate(x.type, rows * kept * 2) as Float64Array;
  const from = x.data as Float64Array;
  for (let row = 0; row < rows; row++) {
    fft.realTransform(spectrum, from.subarray(row * size, (row + 1) * size));
    data.set(spectrum.subarray(0, 2 * kept), row * 2 * kept);
  }
  return new Tensor(x.type, data as never, [...x.dims.slice(0, -1), kept, 2]);
}
