// `Tensor`: typed values with dimensions.
import { WebertError } from "../errors.js";
import { kindOf, shown } from "../values.js";
import { along, boundsOf, each, indexIn, nest, product, type Slice, spliced, squeezed } from "./axes.js";
import {
  ARRAYS,
  allocate,
  type Elements,
  extreme,
  isArrayOf,
  isBig,
  isFloat,
  nonBigLength,
  nonZero,
  scalar,
  type TensorData,
  type TensorType,
  total,
  typed,
} from "./element-types.js";

/**
 * Implements `tensor[i]` by a Proxy behind Tensor.prototype. Only names that neither the tensor nor its class has
 * reach the Proxy, so fields and methods stay as fast as in other classes.
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
 * An n-dimensional row-major array, with the fields, methods and argument order of transformers.js.
 *
 * `tensor[i]` is the part at position `i` of the first axis; it shares memory with the tensor. Methods whose name
 * ends in `_` change the tensor itself; all others return a new one.
 * @example
 * ```ts
 * const t = new Tensor("float32", [1, 2, 3, 4, 5, 6], [2, 3]);
 * t[1].tolist(); // [4, 5, 6]
 * t.mean(1).tolist(); // [2, 5]
 * ```
 */
export class Tensor<T extends TensorType = TensorType> extends Indexable {
  [index: number]: Tensor<T>;
  /** Element type. */
  readonly type: T;
  /** All elements in row-major order. */
  readonly data: TensorData[T];
  /** Length of each axis. */
  dims: number[];

  /**
   * Creates a Tensor.
   * @param data elements, as the typed array of `type` or as numbers
   * @param dims length of each axis; their product must equal the number of elements
   * @throws WebertError `bad_input` if type, data and dims do not match
   */
  constructor(type: T, data: TensorData[T] | readonly (number | bigint | boolean)[], dims: readonly number[]) {
    super();
    const known = typeof type === "string" && Object.hasOwn(ARRAYS, type);
    if (!known)
      throw new WebertError(
        "bad_input",
        `Tensor: expected a type of ${Object.keys(ARRAYS).join(", ")}, got ${String(type)}`,
      );
    if (!Array.isArray(dims) || !dims.every((dim) => Number.isSafeInteger(dim) && dim >= 0)) {
      throw new WebertError("bad_input", `dims: expected an array of lengths, got ${JSON.stringify(dims)}`);
    }
    if (!Array.isArray(data) && !isArrayOf(type, data)) {
      throw new WebertError(
        "bad_input",
        `data of a Tensor of ${type}: expected an array or a ${ARRAYS[type].name}, got ${kindOf(data)}`,
      );
    }
    const size = product(dims);
    if (data.length !== size) {
      throw new WebertError(
        "bad_input",
        `Tensor of dims [${dims.join(", ")}]: expected ${size} elements, got ${data.length}`,
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

  /** Location of the elements; always "cpu". */
  get location(): string {
    return "cpu";
  }

  /** Does nothing; garbage collection frees the memory. It exists for programs written for transformers.js. */
  dispose(): void {}

  /** Returns the elements as nested arrays (bigints for int64). A tensor without axes returns its only element. */
  tolist(): any[] {
    return nest(this.data, this.dims, 0, 0) as any[];
  }

  /** Returns the only element of a tensor of size 1: a bigint for int64 and uint64, otherwise a number. */
  item(): T extends "int64" | "uint64" ? bigint : number {
    if (this.size !== 1)
      throw new WebertError("bad_input", `item(): expected a Tensor of one element, got ${this.size}`);
    return this.data[0] as never;
  }

  /**
   * Iterates over the parts of the first axis, which share memory with this tensor. With one axis it iterates over
   * the elements.
   */
  *[Symbol.iterator](): IterableIterator<any> {
    if (this.dims.length < 2) yield* this.data as Elements;
    else for (let i = 0; i < this.dims[0]!; i++) yield this._getitem(i);
  }

  /** Returns the part at `index` of the first axis, as `tensor[index]` does. */
  _getitem(index: number): Tensor<T> {
    const [count = 0, ...rest] = this.dims;
    const at = indexIn(index, count, 0);
    const step = this.size / count;
    return new Tensor(this.type, this.data.subarray(at * step, (at + 1) * step) as TensorData[T], rest);
  }

  /** Returns a copy with its own memory. */
  clone(): Tensor<T> {
    return new Tensor(this.type, this.data.slice() as TensorData[T], this.dims);
  }

  /**
   * Converts the elements to another type. Floats are rounded down for int64; other types convert as in typed
   * arrays.
   */
  to<U extends TensorType>(type: U): Tensor<U> {
    if ((type as TensorType) === this.type) return this as unknown as Tensor<U>;
    if (!Object.hasOwn(ARRAYS, type)) throw new WebertError("bad_input", `unknown type ${String(type)} of a Tensor`);
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

  /** Maps every element by a function, which receives the element, its index and all elements. */
  map(callback: (value: any, index: number, data: TensorData[T]) => number | bigint): Tensor<T> {
    return this.clone().map_(callback);
  }
  map_(callback: (value: any, index: number, data: TensorData[T]) => number | bigint): this {
    const data = this.data as Elements;
    for (let i = 0; i < data.length; i++) data[i] = callback(data[i], i, this.data) as number;
    return this;
  }

  /** Returns 1 / (1 + e^-x) of every element x. */
  sigmoid(): Tensor<T> {
    return this.clone().sigmoid_();
  }
  sigmoid_(): this {
    return this.map_((x: number) => 1 / (1 + Math.exp(-x)));
  }

  /** Multiplies every element by a number. */
  mul(value: number | bigint): Tensor<T> {
    return this.clone().mul_(value);
  }
  mul_(value: number | bigint): this {
    const by = scalar(this.type, value);
    return this.map_((x: number) => x * by);
  }

  /** Divides every element by a number; integers without remainder. */
  div(value: number | bigint): Tensor<T> {
    return this.clone().div_(value);
  }
  div_(value: number | bigint): this {
    const by = nonZero(this.type, value);
    return this.map_((x: number) => x / by);
  }

  /** Adds a number to every element. */
  add(value: number | bigint): Tensor<T> {
    return this.clone().add_(value);
  }
  add_(value: number | bigint): this {
    const by = scalar(this.type, value);
    return this.map_((x: number) => x + by);
  }

  /** Subtracts a number from every element. */
  sub(value: number | bigint): Tensor<T> {
    return this.clone().sub_(value);
  }
  sub_(value: number | bigint): this {
    const by = scalar(this.type, value);
    return this.map_((x: number) => x - by);
  }

  /** Returns the remainder of every element divided by a number. It has the sign of the divisor, as in Python. */
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

  /** Negates every element. */
  neg(): Tensor<T> {
    return this.clone().neg_();
  }
  neg_(): this {
    return this.map_((x: number) => -x);
  }

  /** Limits every element to the range from `min` to `max`. */
  clamp(min: number | bigint | null, max: number | bigint | null = null): Tensor<T> {
    return this.clone().clamp_(min, max);
  }
  clamp_(min: number | bigint | null, max: number | bigint | null = null): this {
    const [low, high] = [min, max].map((bound) => (bound === null ? undefined : scalar(this.type, bound)));
    return this.map_((x: number) => (high !== undefined && x > high ? high : low !== undefined && x < low ? low : x));
  }

  /** Rounds every element, halves up, as `Math.round` does. */
  round(): Tensor<T> {
    return this.clone().round_();
  }
  round_(): this {
    return isBig(this.type) ? this : this.map_(Math.round);
  }

  /** Returns 1 for every element greater than a number, 0 for the others. */
  gt(value: number | bigint): Tensor<"bool"> {
    return new Tensor(
      "bool",
      Uint8Array.from(this.data as Elements, (x) => Number(x > value)),
      this.dims,
    );
  }
  /** Returns 1 for every element less than a number, 0 for the others. */
  lt(value: number | bigint): Tensor<"bool"> {
    return new Tensor(
      "bool",
      Uint8Array.from(this.data as Elements, (x) => Number(x < value)),
      this.dims,
    );
  }

  /** Returns the sum of all elements, or along an axis. */
  sum(dim: number | null = null, keepdim = false): Tensor<T> {
    return reduce(this, dim, keepdim, (values) => total(values));
  }

  /** Returns the mean of all elements, or along an axis; for integers without the fraction. */
  mean(dim: number | null = null, keepdim = false): Tensor<T> {
    return reduce(this, dim, keepdim, (values) => total(values) / nonBigLength(values));
  }

  /** Returns the smallest element, or the smallest along an axis. */
  min(dim: number | null = null, keepdim = false): Tensor<T> {
    return reduce(this, dim, keepdim, (values) => values[extreme(values, -1)]!);
  }

  /** Returns the greatest element, or the greatest along an axis. */
  max(dim: number | null = null, keepdim = false): Tensor<T> {
    return reduce(this, dim, keepdim, (values) => values[extreme(values, 1)]!);
  }

  /** Returns the index of the smallest element, or along an axis. Of equal elements it is the first. */
  argmin(dim: number | null = null, keepdim = false): Tensor<"int64"> {
    return reduce(this, dim, keepdim, (values) => BigInt(extreme(values, -1)), "int64");
  }

  /** Returns the index of the greatest element, or along an axis. Of equal elements it is the first. */
  argmax(dim: number | null = null, keepdim = false): Tensor<"int64"> {
    return reduce(this, dim, keepdim, (values) => BigInt(extreme(values, 1)), "int64");
  }

  /** Returns the p-norm of all elements, or along an axis; "fro" means the 2-norm. */
  norm(p: number | "fro" = "fro", dim: number | null = null, keepdim = false): Tensor<T> {
    const power = p === "fro" ? 2 : p;
    if (typeof power !== "number")
      throw new WebertError("bad_input", `norm: expected a number or "fro", got ${shown(p)}`);
    if (isBig(this.type)) throw new WebertError("bad_input", `norm: expected floats, got ${this.type}`);
    return reduce(this, dim, keepdim, (values) => {
      if (power === Infinity) return values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      return values.reduce((sum, x) => sum + Math.abs(x) ** power, 0) ** (1 / power);
    });
  }

  /** Scales to p-norm 1 along an axis. Zeros stay zeros. */
  normalize(p = 2, dim = 1): Tensor<T> {
    return this.clone().normalize_(p, dim);
  }
  normalize_(p = 2, dim = 1): this {
    const lengths = this.norm(p, dim, true).data as Elements;
    const data = this.data as Elements;
    // PyTorch's normalize has the same floor of 1e-12.
    along(this.dims, indexIn(dim, this.dims.length), (at, stride, count, group) => {
      for (let k = 0; k < count; k++) data[at + k * stride]! /= Math.max(lengths[group]!, 1e-12);
    });
    return this;
  }

  /**
   * Returns a part. Each axis takes a position (which removes the axis), a range, or null for the whole axis.
   * @example
   * ```ts
   * new Tensor("int32", [1, 2, 3, 4, 5, 6], [2, 3]).slice(null, [1, 3]).tolist(); // [[2, 3], [5, 6]]
   * ```
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

  /** Reorders the axes: axis `dims[i]` becomes axis i. */
  permute(...dims: number[]): Tensor<T> {
    const order = dims.map((dim) => indexIn(dim, this.dims.length));
    if (order.length !== this.dims.length || new Set(order).size !== order.length) {
      throw new WebertError(
        "bad_input",
        `permute(${dims.join(", ")}) of ${this.dims.length} axes: expected each axis once`,
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
  /** Does the same as `permute`. */
  transpose(...dims: number[]): Tensor<T> {
    return this.permute(...dims);
  }

  /** Returns the distance in `data` between neighbouring positions of each axis. */
  stride(): number[] {
    return this.dims.map((_, axis) => product(this.dims.slice(axis + 1)));
  }

  /**
   * Returns the same elements with other dims; memory is shared. One of the dims may be -1, which is computed from
   * the others.
   */
  view(...dims: number[]): Tensor<T> {
    const open = dims.indexOf(-1);
    if (open !== dims.lastIndexOf(-1))
      throw new WebertError("bad_input", `view(${dims.join(", ")}): at most one of the dims may be -1`);
    const known = product(dims.filter((_, axis) => axis !== open));
    return new Tensor(this.type, this.data, open < 0 ? dims : spliced(dims, open, 1, known ? this.size / known : 0));
  }
  /** Does the same as `view`. */
  reshape(...dims: number[]): Tensor<T> {
    return this.view(...dims);
  }

  /** Removes axes of length 1: all, or only the named ones. */
  squeeze(dim: number | readonly number[] | null = null): Tensor<T> {
    return new Tensor(this.type, this.data, squeezed(this.dims, dim));
  }
  squeeze_(dim: number | readonly number[] | null = null): this {
    this.dims = squeezed(this.dims, dim);
    return this;
  }

  /** Inserts an axis of length 1 at position `dim`. */
  unsqueeze(dim: number): Tensor<T> {
    return new Tensor(this.type, this.data, spliced(this.dims, indexIn(dim, this.dims.length + 1), 0, 1));
  }
  unsqueeze_(dim: number): this {
    this.dims = spliced(this.dims, indexIn(dim, this.dims.length + 1), 0, 1);
    return this;
  }

  /** Merges the axes from `start_dim` to `end_dim` into one. */
  flatten(start_dim = 0, end_dim = -1): Tensor<T> {
    return this.clone().flatten_(start_dim, end_dim);
  }
  flatten_(start_dim = 0, end_dim = -1): this {
    const [start, end] = this.dims.length ? [start_dim, end_dim].map((dim) => indexIn(dim, this.dims.length)) : [0, 0];
    this.dims = [...this.dims.slice(0, start), product(this.dims.slice(start, end! + 1)), ...this.dims.slice(end! + 1)];
    return this;
  }

  /** Repeats each axis the given number of times. Extra numbers in front create new leading axes. */
  repeat(...repeats: number[]): Tensor<T> {
    if (repeats.length < this.dims.length) {
      throw new WebertError(
        "bad_input",
        `repeat(${repeats.join(", ")}) of a Tensor of ${this.dims.length} axes: expected a number for each`,
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
  /** Does the same as `repeat`, but axes without a number are not repeated. */
  tile(...repeats: number[]): Tensor<T> {
    return this.repeat(...Array<number>(Math.max(0, this.dims.length - repeats.length)).fill(1), ...repeats);
  }
}

/**
 * Checks that `tensor` can be computed with in floating point.
 * @throws WebertError `bad_input` otherwise
 */
export function floats(what: string, tensor: unknown): void {
  if (!(tensor instanceof Tensor))
    throw new WebertError("bad_input", `${what}: expected a Tensor, got ${kindOf(tensor)}`);
  if (isBig(tensor.type)) throw new WebertError("bad_input", `${what}: expected floats, got ${tensor.type}`);
}

/** Computes one value from all elements, or one per row along an axis. */
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

/** Returns the elements at all combinations of these positions on each axis. */
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
