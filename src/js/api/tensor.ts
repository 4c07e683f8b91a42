import { WebertError } from "../errors.js";
import { isNumber, kindOf, shown } from "../values.js";

/** The typed array behind each element type. float16 are half floats' bits where there is no Float16Array. */
export interface TensorData {
  float32: Float32Array;
  float16: Uint16Array;
  float64: Float64Array;
  int8: Int8Array;
  uint8: Uint8Array;
  int16: Int16Array;
  uint16: Uint16Array;
  int32: Int32Array;
  uint32: Uint32Array;
  int64: BigInt64Array;
  uint64: BigUint64Array;
  /** 0 or 1. */
  bool: Uint8Array;
}

/** The element types of a Tensor. */
export type TensorType = keyof TensorData;

const halves = (globalThis as { Float16Array?: typeof Uint16Array }).Float16Array ?? Uint16Array;
const ARRAYS = {
  float32: Float32Array,
  float16: halves,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
};
const isFloat = (type: TensorType) => type.startsWith("float");

/** A typed array of numbers. Those of int64 and uint64 hold bigints, which the code that takes this type minds. */
type Elements = Float64Array;

/** A range of an axis, [start, end) or one position; negative ones count from the end, null is the whole axis or its end. */
export type Slice = number | readonly [number | null, number | null] | null | undefined;

/**
 * `tensor[i]`: a Proxy that stands behind Tensor.prototype, so that only what neither the tensor nor its class has comes
 * here, and fields and methods cost what they do in any class.
 */
const Indexable = /* @__PURE__ */ (() => {
  function Indexable() {}
  Indexable.prototype = new Proxy(
    {},
    {
      get: (object, key, tensor) =>
        typeof key === "string" && /^-?\d+$/.test(key)
          ? (tensor as Tensor)._getitem(Number(key))
          : Reflect.get(object, key, tensor),
    },
  );
  return Indexable as unknown as new () => object;
})();

/**
 * An n-dimensional array, row-major, with the fields, methods and argument order of transformers.js.
 *
 * `tensor[i]` is the part at `i` of the first axis, and shares memory with the tensor. Methods whose name ends in `_`
 * change the tensor itself; all others give another one.
 * @example
 * const t = new Tensor("float32", [1, 2, 3, 4, 5, 6], [2, 3]);
 * t[1].tolist(); // [4, 5, 6]
 * t.mean(1).tolist(); // [2, 5]
 */
export class Tensor<T extends TensorType = TensorType> extends Indexable {
  [index: number]: Tensor<T>;
  /** Element type. */
  readonly type: T;
  /** All elements, the last axis running fastest. */
  readonly data: TensorData[T];
  /** Length of each axis. */
  dims: number[];

  /**
   * @param data elements, as the typed array of `type` or as numbers
   * @param dims their product is the number of elements; otherwise `bad_input` is thrown
   */
  constructor(type: T, data: TensorData[T] | readonly (number | bigint | boolean)[], dims: readonly number[]) {
    super();
    const known = typeof type === "string" && Object.hasOwn(ARRAYS, type);
    if (!known)
      throw new WebertError("bad_input", `a Tensor is one of ${Object.keys(ARRAYS).join(", ")}, not ${String(type)}`);
    if (!Array.isArray(dims) || !dims.every((dim) => Number.isSafeInteger(dim) && dim >= 0)) {
      throw new WebertError("bad_input", `the dims of a Tensor are an array of lengths, not ${JSON.stringify(dims)}`);
    }
    if (!Array.isArray(data) && !isArrayOf(type, data)) {
      throw new WebertError(
        "bad_input",
        `the data of a Tensor of ${type} are an array or a ${ARRAYS[type].name}, not ${kindOf(data)}`,
      );
    }
    const size = product(dims);
    if (data.length !== size) {
      throw new WebertError(
        "bad_input",
        `a Tensor of dims [${dims.join(", ")}] has ${size} elements, not ${data.length}`,
      );
    }
    this.type = type;
    this.data = (Array.isArray(data) ? typed(type, data) : data) as TensorData[T];
    this.dims = [...dims];
  }

  /** Number of elements. */
  get size(): number {
    return this.data.length;
  }

  /** Where the elements are: "cpu", always. */
  get location(): string {
    return "cpu";
  }

  /** Does nothing, since the memory goes when the tensor is no longer used; for programs that call it. */
  dispose(): void {}

  /** The elements as plain nested arrays (bigints for int64); a tensor without axes gives its one element. */
  tolist(): any[] {
    return nest(this.data, this.dims, 0, 0) as any[];
  }

  /** The one element of a tensor of size 1: a bigint for int64 and uint64, else a number. */
  item(): T extends "int64" | "uint64" ? bigint : number {
    if (this.size !== 1) throw new WebertError("bad_input", `item() needs a Tensor of one element, not ${this.size}`);
    return this.data[0] as never;
  }

  /** The tensors along the first axis, which share memory with this one; of a tensor of one axis its elements. */
  *[Symbol.iterator](): IterableIterator<any> {
    if (this.dims.length < 2) yield* this.data as Elements;
    else for (let i = 0; i < this.dims[0]!; i++) yield this._getitem(i);
  }

  /** The part at `index` of the first axis: what `tensor[index]` gives. */
  _getitem(index: number): Tensor<T> {
    const [count = 0, ...rest] = this.dims;
    const at = indexIn(index, count, 0);
    const step = this.size / count;
    return new Tensor(this.type, this.data.subarray(at * step, (at + 1) * step) as TensorData[T], rest);
  }

  /** A copy, with memory of its own. */
  clone(): Tensor<T> {
    return new Tensor(this.type, this.data.slice() as TensorData[T], this.dims);
  }

  /** The elements as another type: from floats to int64 rounded down, else as typed arrays convert. */
  to<U extends TensorType>(type: U): Tensor<U> {
    if ((type as TensorType) === this.type) return this as unknown as Tensor<U>;
    if (!Object.hasOwn(ARRAYS, type))
      throw new WebertError("bad_input", `there is no type ${String(type)} of a Tensor`);
    const from = this.data as Elements;
    const data = new ARRAYS[type](from.length) as Elements;
    const convert = isBig(type)
      ? isBig(this.type)
        ? undefined
        : (x: number) => BigInt(isFloat(this.type) ? Math.floor(x) : x)
      : isBig(this.type)
        ? Number
        : undefined;
    for (let i = 0; i < from.length; i++) data[i] = (convert ? convert(from[i]!) : from[i]) as number;
    return new Tensor(type, data as unknown as TensorData[U], this.dims);
  }

  /** Every element by a function, which is given the element, its index and all of them. */
  map(callback: (value: any, index: number, data: TensorData[T]) => number | bigint): Tensor<T> {
    return this.clone().map_(callback);
  }
  map_(callback: (value: any, index: number, data: TensorData[T]) => number | bigint): this {
    const data = this.data as Elements;
    for (let i = 0; i < data.length; i++) data[i] = callback(data[i], i, this.data) as number;
    return this;
  }

  /** 1 / (1 + e^-x) of every element. */
  sigmoid(): Tensor<T> {
    return this.clone().sigmoid_();
  }
  sigmoid_(): this {
    return this.map_((x: number) => 1 / (1 + Math.exp(-x)));
  }

  /** Every element times a number. */
  mul(value: number | bigint): Tensor<T> {
    return this.clone().mul_(value);
  }
  mul_(value: number | bigint): this {
    const by = scalar(this.type, value);
    return this.map_((x: number) => x * by);
  }

  /** Every element divided by a number; of integers without the remainder. */
  div(value: number | bigint): Tensor<T> {
    return this.clone().div_(value);
  }
  div_(value: number | bigint): this {
    const by = nonZero(this.type, value);
    return this.map_((x: number) => x / by);
  }

  /** Every element plus a number. */
  add(value: number | bigint): Tensor<T> {
    return this.clone().add_(value);
  }
  add_(value: number | bigint): this {
    const by = scalar(this.type, value);
    return this.map_((x: number) => x + by);
  }

  /** Every element less a number. */
  sub(value: number | bigint): Tensor<T> {
    return this.clone().sub_(value);
  }
  sub_(value: number | bigint): this {
    const by = scalar(this.type, value);
    return this.map_((x: number) => x - by);
  }

  /** What is left of every element when it is divided by a number, with the sign of that number, as in Python. */
  remainder(value: number | bigint): Tensor<T> {
    return this.clone().remainder_(value);
  }
  remainder_(value: number | bigint): this {
    const by = nonZero(this.type, value);
    return this.map_((x: number) => {
      const rest = x % by;
      return (rest < 0 && by > 0) || (rest > 0 && by < 0) ? rest + by : rest;
    });
  }

  /** Every element with the other sign. */
  neg(): Tensor<T> {
    return this.clone().neg_();
  }
  neg_(): this {
    return this.map_((x: number) => -x);
  }

  /** Every element, but none below `min` or above `max`. */
  clamp(min: number | bigint | null, max: number | bigint | null = null): Tensor<T> {
    return this.clone().clamp_(min, max);
  }
  clamp_(min: number | bigint | null, max: number | bigint | null = null): this {
    const [low, high] = [min, max].map((bound) => (bound === null ? undefined : scalar(this.type, bound)));
    return this.map_((x: number) => (high !== undefined && x > high ? high : low !== undefined && x < low ? low : x));
  }

  /** Every element rounded, halves up, as `Math.round` does. */
  round(): Tensor<T> {
    return this.clone().round_();
  }
  round_(): this {
    return isBig(this.type) ? this : this.map_(Math.round);
  }

  /** Of each element whether it is greater than a number: 1 or 0. */
  gt(value: number | bigint): Tensor<"bool"> {
    return new Tensor(
      "bool",
      Uint8Array.from(this.data as Elements, (x) => Number(x > value)),
      this.dims,
    );
  }
  /** Of each element whether it is less than a number: 1 or 0. */
  lt(value: number | bigint): Tensor<"bool"> {
    return new Tensor(
      "bool",
      Uint8Array.from(this.data as Elements, (x) => Number(x < value)),
      this.dims,
    );
  }

  /** The sum of all elements, or along an axis. */
  sum(dim: number | null = null, keepdim = false): Tensor<T> {
    return reduce(this, dim, keepdim, (values) => total(values));
  }

  /** The mean of all elements, or along an axis; of integers without the fraction. */
  mean(dim: number | null = null, keepdim = false): Tensor<T> {
    return reduce(this, dim, keepdim, (values) => total(values) / nonBigLength(values));
  }

  /** The least element of all, or along an axis. */
  min(dim: number | null = null, keepdim = false): Tensor<T> {
    return reduce(this, dim, keepdim, (values) => values[extreme(values, -1)]!);
  }

  /** The greatest element of all, or along an axis. */
  max(dim: number | null = null, keepdim = false): Tensor<T> {
    return reduce(this, dim, keepdim, (values) => values[extreme(values, 1)]!);
  }

  /** Where the least element is: its index among all, or along an axis; the first of equal ones. */
  argmin(dim: number | null = null, keepdim = false): Tensor<"int64"> {
    return reduce(this, dim, keepdim, (values) => BigInt(extreme(values, -1)), "int64");
  }

  /** Where the greatest element is: its index among all, or along an axis; the first of equal ones. */
  argmax(dim: number | null = null, keepdim = false): Tensor<"int64"> {
    return reduce(this, dim, keepdim, (values) => BigInt(extreme(values, 1)), "int64");
  }

  /** The p-norm of all elements, or along an axis; "fro" is the 2-norm. */
  norm(p: number | "fro" = "fro", dim: number | null = null, keepdim = false): Tensor<T> {
    const power = p === "fro" ? 2 : p;
    if (typeof power !== "number")
      throw new WebertError("bad_input", `there is no norm ${shown(p)}: p is a number or "fro"`);
    if (isBig(this.type)) throw new WebertError("bad_input", `norm needs floats, not ${this.type}`);
    return reduce(this, dim, keepdim, (values) => {
      if (power === Infinity) return values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      return values.reduce((sum, x) => sum + Math.abs(x) ** power, 0) ** (1 / power);
    });
  }

  /** Scaled to p-norm 1 along an axis. What is all zeros stays so. */
  normalize(p = 2, dim = 1): Tensor<T> {
    return this.clone().normalize_(p, dim);
  }
  normalize_(p = 2, dim = 1): this {
    const lengths = this.norm(p, dim, true).data as Elements;
    const data = this.data as Elements;
    // as PyTorch's normalize, with its floor of 1e-12
    along(this.dims, indexIn(dim, this.dims.length), (at, stride, count, group) => {
      for (let k = 0; k < count; k++) data[at + k * stride]! /= Math.max(lengths[group]!, 1e-12);
    });
    return this;
  }

  /**
   * A part: for each axis a position, which takes the axis away, a range, or null for all of it.
   * @example
   * new Tensor("int32", [1, 2, 3, 4, 5, 6], [2, 3]).slice(null, [1, 3]).tolist(); // [[2, 3], [5, 6]]
   */
  slice(...slices: Slice[]): Tensor<T> {
    const dims: number[] = [];
    const ranges = this.dims.map((length, axis) => {
      const slice = slices[axis];
      if (typeof slice === "number") {
        const at = indexIn(slice, length, axis);
        return [at, at + 1];
      }
      const [start, end] = slice == null ? [0, length] : boundsOf(slice, length);
      dims.push(end - start);
      return [start, end];
    });
    const indices = ranges.map(([start, end]) => Array.from({ length: end! - start! }, (_, i) => start! + i));
    return new Tensor(this.type, gather(this, indices), dims);
  }

  /** The axes in another order: `dims[i]` is the axis that becomes the i-th. */
  permute(...dims: number[]): Tensor<T> {
    const order = dims.map((dim) => indexIn(dim, this.dims.length));
    if (order.length !== this.dims.length || new Set(order).size !== order.length) {
      throw new WebertError(
        "bad_input",
        `permute(${dims.join(", ")}) of ${this.dims.length} axes: each is to be named once`,
      );
    }
    const strides = this.stride();
    const shape = order.map((axis) => this.dims[axis]!);
    const data = new ARRAYS[this.type](this.size) as Elements;
    const from = this.data as Elements;
    each(
      shape,
      order.map((axis) => strides[axis]!),
      (at, i) => {
        data[i] = from[at]!;
      },
    );
    return new Tensor(this.type, data as unknown as TensorData[T], shape);
  }
  /** As `permute`. */
  transpose(...dims: number[]): Tensor<T> {
    return this.permute(...dims);
  }

  /** The steps in `data` from one position of each axis to the next. */
  stride(): number[] {
    return this.dims.map((_, axis) => product(this.dims.slice(axis + 1)));
  }

  /** The same elements and memory with other dims; one may be -1, which is what is left. */
  view(...dims: number[]): Tensor<T> {
    const open = dims.indexOf(-1);
    if (open !== dims.lastIndexOf(-1))
      throw new WebertError("bad_input", `view(${dims.join(", ")}): only one of the dims can be -1`);
    const known = product(dims.filter((_, axis) => axis !== open));
    return new Tensor(this.type, this.data, open < 0 ? dims : spliced(dims, open, 1, known ? this.size / known : 0));
  }
  /** As `view`. */
  reshape(...dims: number[]): Tensor<T> {
    return this.view(...dims);
  }

  /** Without the axes of length 1, or without those of them that are named. */
  squeeze(dim: number | readonly number[] | null = null): Tensor<T> {
    return new Tensor(this.type, this.data, squeezed(this.dims, dim));
  }
  squeeze_(dim: number | readonly number[] | null = null): this {
    this.dims = squeezed(this.dims, dim);
    return this;
  }

  /** With an axis of length 1 more, which becomes the one of that number. */
  unsqueeze(dim: number): Tensor<T> {
    return new Tensor(this.type, this.data, spliced(this.dims, indexIn(dim, this.dims.length + 1), 0, 1));
  }
  unsqueeze_(dim: number): this {
    this.dims = spliced(this.dims, indexIn(dim, this.dims.length + 1), 0, 1);
    return this;
  }

  /** With the axes from `start_dim` to `end_dim` as one. */
  flatten(start_dim = 0, end_dim = -1): Tensor<T> {
    return this.clone().flatten_(start_dim, end_dim);
  }
  flatten_(start_dim = 0, end_dim = -1): this {
    const [start, end] = this.dims.length ? [start_dim, end_dim].map((dim) => indexIn(dim, this.dims.length)) : [0, 0];
    this.dims = [...this.dims.slice(0, start), product(this.dims.slice(start, end! + 1)), ...this.dims.slice(end! + 1)];
    return this;
  }

  /** Each axis as often as said, one after the other; numbers beyond the axes stand for new first ones. */
  repeat(...repeats: number[]): Tensor<T> {
    if (repeats.length < this.dims.length) {
      throw new WebertError(
        "bad_input",
        `repeat(${repeats.join(", ")}) of a Tensor of ${this.dims.length} axes: a number for each is needed`,
      );
    }
    const dims = [...Array<number>(repeats.length - this.dims.length).fill(1), ...this.dims];
    const indices = dims.map((length, axis) => Array.from({ length: length * repeats[axis]! }, (_, i) => i % length));
    return new Tensor(
      this.type,
      gather(this.view(...dims), indices),
      indices.map(({ length }) => length),
    );
  }
  /** As `repeat`, where axes that no number is given for stay as they are. */
  tile(...repeats: number[]): Tensor<T> {
    return this.repeat(...Array<number>(Math.max(0, this.dims.length - repeats.length)).fill(1), ...repeats);
  }
}

/** Whether elements of a type are bigints. */
export function isBig(type: TensorType): boolean {
  return type === "int64" || type === "uint64";
}

/** Throws `bad_input` unless `tensor` is a Tensor of a type that can be computed with in floating point. */
export function floats(what: string, tensor: unknown): void {
  if (!(tensor instanceof Tensor)) throw new WebertError("bad_input", `${what} takes a Tensor, not ${kindOf(tensor)}`);
  if (isBig(tensor.type)) throw new WebertError("bad_input", `${what} needs floats, not ${tensor.type}`);
}

/** Zeros of a type. */
export function allocate<T extends TensorType>(type: T, size: number): TensorData[T] {
  return new ARRAYS[type](size) as unknown as TensorData[T];
}

function isArrayOf(type: TensorType, data: unknown): boolean {
  return data instanceof ARRAYS[type] || (type === "float16" && data instanceof Uint16Array);
}

export function product(dims: readonly number[]): number {
  return dims.reduce((all, dim) => all * dim, 1);
}

function typed(type: TensorType, values: readonly (number | bigint | boolean)[]): unknown {
  const whole = !isFloat(type);
  const fits = (value: unknown) =>
    typeof value === "bigint" ||
    (whole ? Number.isInteger(value) : typeof value === "number") ||
    (type === "bool" && typeof value === "boolean");
  const unfit = values.findIndex((value) => !fits(value));
  if (unfit >= 0)
    throw new WebertError("bad_input", `element ${unfit} of a Tensor of ${type} is ${shown(values[unfit])}`);
  return isBig(type)
    ? (ARRAYS[type] as typeof BigInt64Array).from(values as bigint[], BigInt)
    : (ARRAYS[type] as typeof Float32Array).from(values as number[], Number);
}

/** The block of `data` that begins at `start`, nested by the axes from `axis` on. */
function nest(data: TensorData[TensorType], dims: readonly number[], axis: number, start: number): unknown {
  if (axis === dims.length) return data[start];
  const length = dims[axis]!;
  if (axis === dims.length - 1) return Array.from<number | bigint>(data.subarray(start, start + length));
  const step = product(dims.slice(axis + 1));
  return Array.from({ length }, (_, i) => nest(data, dims, axis + 1, start + i * step));
}

/** A position on an axis, counted from its start; negative ones are given from its end. */
export function indexIn(index: number, length: number, axis?: number): number {
  if (Number.isInteger(index) && index >= -length && index < length) return index < 0 ? index + length : index;
  const where = axis === undefined ? "the axes" : `axis ${axis}`;
  throw new WebertError(
    "bad_input",
    `index ${shown(index)} is out of bounds for ${where} of a Tensor, of which there are ${length}`,
  );
}

/** A range as start and end within an axis. */
function boundsOf(slice: unknown, length: number): [number, number] {
  if (
    !Array.isArray(slice) ||
    slice.length !== 2 ||
    !slice.every((bound) => bound === null || Number.isInteger(bound))
  ) {
    throw new WebertError("bad_input", `a slice is a position, [start, end] or null, not ${JSON.stringify(slice)}`);
  }
  const [start, end] = slice.map((bound: number | null, i) => {
    const at = bound ?? (i ? length : 0);
    return Math.min(Math.max(at < 0 ? at + length : at, 0), length);
  });
  if (start! > end!) throw new WebertError("bad_input", `the slice ${JSON.stringify(slice)} ends before it starts`);
  return [start!, end!];
}

/** A number as elements of a type take it. */
function scalar(type: TensorType, value: unknown): number {
  if (!isNumber(value) || (isBig(type) && !Number.isInteger(Number(value)))) {
    throw new WebertError(
      "bad_input",
      `a Tensor of ${type} is computed with ${isBig(type) ? "a whole number" : "a number"}, not ${shown(value)}`,
    );
  }
  return (isBig(type) ? BigInt(value) : Number(value)) as number;
}

/** As `scalar`, for a divisor. */
function nonZero(type: TensorType, value: unknown): number {
  const by = scalar(type, value);
  if (!isFloat(type) && Number(by) === 0)
    throw new WebertError("bad_input", `a Tensor of ${type} cannot be divided by 0`);
  return by;
}

/** Calls `work` for each position of all axes but one, with where its elements begin in the data, their stride and count, and its number. */
function along(
  dims: readonly number[],
  axis: number,
  work: (at: number, stride: number, count: number, group: number) => void,
): void {
  const [outer, count, inner] = [product(dims.slice(0, axis)), dims[axis]!, product(dims.slice(axis + 1))];
  for (let o = 0; o < outer; o++)
    for (let i = 0; i < inner; i++) work(o * count * inner + i, inner, count, o * inner + i);
}

/** A value from all elements, or from those along each row of an axis. */
export function reduce<T extends TensorType, U extends TensorType = T>(
  tensor: Tensor<T>,
  dim: number | null,
  keepdim: boolean,
  value: (values: Elements, group: number) => number | bigint,
  type: U = tensor.type as unknown as U,
): Tensor<U> {
  const all = tensor.data as Elements;
  if (dim === null) {
    const result = new ARRAYS[type](1) as Elements;
    result[0] = value(all, 0) as number;
    return new Tensor(type, result as unknown as TensorData[U], []);
  }
  const axis = indexIn(dim, tensor.dims.length);
  const dims = spliced(tensor.dims, axis, 1, 1);
  const result = new ARRAYS[type](product(dims)) as Elements;
  const row = new ARRAYS[tensor.type](tensor.dims[axis]!) as Elements;
  along(tensor.dims, axis, (at, stride, count, group) => {
    for (let k = 0; k < count; k++) row[k] = all[at + k * stride]!;
    result[group] = value(row, group) as number;
  });
  return new Tensor(type, result as unknown as TensorData[U], keepdim ? dims : spliced(dims, axis, 1));
}

/** The sum, in doubles; of bigints a bigint. */
function total(values: Elements): number {
  let sum = (values instanceof BigInt64Array || values instanceof BigUint64Array ? 0n : 0) as number;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}

/** How many elements, as a value to divide their sum by. */
function nonBigLength(values: Elements): number {
  const { length } = values;
  return (values instanceof BigInt64Array || values instanceof BigUint64Array ? BigInt(length) : length) as number;
}

/** The index of the greatest (sign 1) or least (-1) element, the first of equal ones. */
export function extreme(values: ArrayLike<number | bigint>, sign: 1 | -1): number {
  if (!values.length) throw new WebertError("bad_input", "an empty array or axis has no least and no greatest element");
  let best = 0;
  for (let i = 1; i < values.length; i++)
    if (sign > 0 ? values[i]! > values[best]! : values[i]! < values[best]!) best = i;
  return best;
}

/** Calls `work` with the place in data and the number of each position of a shape, whose axes have these strides. */
function each(shape: readonly number[], strides: readonly number[], work: (at: number, i: number) => void): void {
  const size = product(shape);
  const position = shape.map(() => 0);
  for (let i = 0, at = 0; i < size; i++) {
    work(at, i);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += strides[axis]!;
      if (++position[axis]! < shape[axis]!) break;
      at -= strides[axis]! * shape[axis]!;
      position[axis] = 0;
    }
  }
}

/** The elements at all combinations of these positions on each axis. */
export function gather<T extends TensorType>(
  tensor: Tensor<T>,
  indices: readonly (readonly number[])[],
): TensorData[T] {
  const strides = tensor.stride();
  const data = allocate(tensor.type, product(indices.map(({ length }) => length)));
  const [into, from] = [data as Elements, tensor.data as Elements];
  let i = 0;
  const walk = (axis: number, at: number) => {
    if (axis === indices.length) into[i++] = from[at]!;
    else for (const index of indices[axis]!) walk(axis + 1, at + index * strides[axis]!);
  };
  if (into.length) walk(0, 0);
  return data;
}

/** A copy of dims with `count` of them replaced from `at` on. */
function spliced(dims: readonly number[], at: number, count: number, ...by: number[]): number[] {
  return [...dims.slice(0, at), ...by, ...dims.slice(at + count)];
}

function squeezed(dims: readonly number[], dim: number | readonly number[] | null): number[] {
  if (dim === null) return dims.filter((length) => length !== 1);
  const named = [dim].flat().map((axis) => indexIn(axis as number, dims.length));
  return dims.filter((length, axis) => length !== 1 || !named.includes(axis));
}
