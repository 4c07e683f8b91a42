// The element types of tensors: their typed arrays, and numbers in the form that they hold.
import { WebertError } from "../errors.js";
import { isNumber, shown } from "../values.js";

/**
 * The typed array of each element type. float16 is stored as the bits of half floats if the platform has no
 * Float16Array.
 */
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
export const ARRAYS = {
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
export const isFloat = (type: TensorType) => type.startsWith("float");

/**
 * The type under which all typed arrays are processed. Arrays of int64 and uint64 hold bigints at run time, which the
 * code that uses them handles.
 */
export type Elements = Float64Array;

/** Returns whether elements of a type are bigints. */
export function isBig(type: TensorType): boolean {
  return type === "int64" || type === "uint64";
}

/** Allocates zeros of a type. */
export function allocate<T extends TensorType>(type: T, size: number): TensorData[T] {
  return new ARRAYS[type](size) as unknown as TensorData[T];
}

export function isArrayOf(type: TensorType, data: unknown): boolean {
  return data instanceof ARRAYS[type] || (type === "float16" && data instanceof Uint16Array);
}

export function typed(type: TensorType, values: readonly (number | bigint | boolean)[]): unknown {
  const whole = !isFloat(type);
  const fits = (value: unknown) =>
    typeof value === "bigint" ||
    (whole ? Number.isInteger(value) : typeof value === "number") ||
    (type === "bool" && typeof value === "boolean");
  const unfit = values.findIndex((value) => !fits(value));
  if (unfit >= 0)
    throw new WebertError("bad_input", `element ${unfit} of a Tensor: expected ${type}, got ${shown(values[unfit])}`);
  return isBig(type)
    ? (ARRAYS[type] as typeof BigInt64Array).from(values as bigint[], BigInt)
    : (ARRAYS[type] as typeof Float32Array).from(values as number[], Number);
}

/** Returns a number in the form that elements of a type have. */
export function scalar(type: TensorType, value: unknown): number {
  if (!isNumber(value) || (isBig(type) && !Number.isInteger(Number(value)))) {
    throw new WebertError(
      "bad_input",
      `Tensor of ${type}: expected ${isBig(type) ? "a whole number" : "a number"}, got ${shown(value)}`,
    );
  }
  return (isBig(type) ? BigInt(value) : Number(value)) as number;
}

/** Does the same as `scalar`, for a divisor. */
export function nonZero(type: TensorType, value: unknown): number {
  const by = scalar(type, value);
  if (!isFloat(type) && Number(by) === 0)
    throw new WebertError("bad_input", `a Tensor of ${type} cannot be divided by 0`);
  return by;
}

/** Returns the sum, computed in doubles; for bigints a bigint. */
export function total(values: Elements): number {
  let sum = (values instanceof BigInt64Array || values instanceof BigUint64Array ? 0n : 0) as number;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}

/** Returns the number of elements as a divisor for their sum. */
export function nonBigLength(values: Elements): number {
  const { length } = values;
  return (values instanceof BigInt64Array || values instanceof BigUint64Array ? BigInt(length) : length) as number;
}

/** Returns the index of the greatest (sign 1) or smallest (sign -1) element; of equal elements the first. */
export function extreme(values: ArrayLike<number | bigint>, sign: 1 | -1): number {
  if (!values.length) throw new WebertError("bad_input", "expected at least one element, got an empty array or axis");
  let best = 0;
  for (let i = 1; i < values.length; i++)
    if (sign > 0 ? values[i]! > values[best]! : values[i]! < values[best]!) best = i;
  return best;
}
