import { WebertError } from "./errors.js";
import { kindOf, shown } from "./values.js";

/** What `Tensor.tolist` gives: numbers (bigints for int64) nested as deep as the tensor has axes. */
export type Nested = number | bigint | Nested[];

/** The typed array behind each element type. */
export interface TensorData {
  float32: Float32Array;
  int64: BigInt64Array;
}

/** An n-dimensional array, row-major, with the fields and argument order of transformers.js. */
export class Tensor<T extends keyof TensorData = keyof TensorData> {
  /** Element type. */
  readonly type: T;
  /** All elements, the last axis running fastest. */
  readonly data: TensorData[T];
  /** Length of each axis. */
  readonly dims: number[];

  /**
   * @param data elements, as the typed array of `type` or as numbers
   * @param dims their product is the number of elements; otherwise `bad_input` is thrown
   */
  constructor(type: T, data: TensorData[T] | readonly (number | bigint)[], dims: readonly number[]) {
    if (type !== "float32" && type !== "int64") {
      throw new WebertError("bad_input", `a Tensor is float32 or int64, not ${String(type)}`);
    }
    if (!Array.isArray(dims) || !dims.every((dim) => Number.isSafeInteger(dim) && dim >= 0)) {
      throw new WebertError("bad_input", `the dims of a Tensor are an array of lengths, not ${JSON.stringify(dims)}`);
    }
    if (!Array.isArray(data) && !(data instanceof arrayOf[type])) {
      throw new WebertError("bad_input", `the data of a Tensor of ${type} are an array or a ${arrayOf[type].name}, not ${kindOf(data)}`);
    }
    const size = dims.reduce((product, dim) => product * dim, 1);
    if (data.length !== size) {
      const shape = `[${dims.join(", ")}]`;
      throw new WebertError("bad_input", `a Tensor of dims ${shape} has ${size} elements, not ${data.length}`);
    }
    this.type = type;
    this.data = (Array.isArray(data) ? typed(type, data) : data) as TensorData[T];
    this.dims = [...dims];
  }

  /** Number of elements. */
  get size(): number {
    return this.data.length;
  }

  /** The elements as plain nested arrays; a tensor without axes gives its one element. */
  tolist(): Nested {
    return nest(this.data, this.dims, 0, 0);
  }

  /** The one element of a tensor of size 1. */
  item(): number | bigint {
    if (this.size !== 1) throw new WebertError("bad_input", `item() needs a Tensor of one element, not ${this.size}`);
    return this.data[0]!;
  }

  /** The tensors along the first axis; they share memory with this one. */
  *[Symbol.iterator](): IterableIterator<Tensor<T>> {
    const [count = 0, ...rest] = this.dims;
    const step = count ? this.size / count : 0;
    for (let i = 0; i < count; i++) {
      yield new Tensor(this.type, this.data.subarray(i * step, (i + 1) * step) as TensorData[T], rest);
    }
  }
}

const arrayOf = { float32: Float32Array, int64: BigInt64Array };

function typed(type: keyof TensorData, values: readonly (number | bigint)[]): Float32Array | BigInt64Array {
  const fits = (value: unknown) => typeof value === "bigint" || (type === "int64" ? Number.isInteger(value) : typeof value === "number");
  const unfit = values.findIndex((value) => !fits(value));
  if (unfit >= 0) throw new WebertError("bad_input", `element ${unfit} of a Tensor of ${type} is ${shown(values[unfit])}`);
  return type === "int64" ? BigInt64Array.from(values, BigInt) : Float32Array.from(values, Number);
}

/** The block of `data` that begins at `start`, nested by the axes from `axis` on. */
function nest(data: Float32Array | BigInt64Array, dims: readonly number[], axis: number, start: number): Nested {
  if (axis === dims.length) return data[start]!;
  const length = dims[axis]!;
  if (axis === dims.length - 1) return Array.from<number | bigint>(data.subarray(start, start + length));
  const step = dims.slice(axis + 1).reduce((product, dim) => product * dim, 1);
  return Array.from({ length }, (_, i) => nest(data, dims, axis + 1, start + i * step));
}
