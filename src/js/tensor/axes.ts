// Axes: positions, ranges and strides within dims.
import { WebertError } from "../errors.js";
import { shown } from "../values.js";
import type { TensorData, TensorType } from "./element-types.js";

/**
 * A part of an axis: one position, or a range [start, end). Negative positions count from the end. null means the
 * whole axis, or its end.
 */
export type Slice = number | readonly [number | null, number | null] | null | undefined;

/** Returns the number of elements of a shape. */
export function product(dims: readonly number[]): number {
  return dims.reduce((all, dim) => all * dim, 1);
}

/** Returns a position on an axis, counted from the start. Negative positions count from the end. */
export function indexIn(index: number, length: number, axis?: number): number {
  if (Number.isInteger(index) && index >= -length && index < length) return index < 0 ? index + length : index;
  const where = axis === undefined ? "the axes" : `axis ${axis}`;
  throw new WebertError(
    "bad_input",
    `index ${shown(index)} is out of bounds for ${where} of a Tensor: expected less than ${length}`,
  );
}

/** Returns a range as start and end within an axis. */
export function boundsOf(slice: unknown, length: number): [number, number] {
  if (
    !Array.isArray(slice) ||
    slice.length !== 2 ||
    !slice.every((bound) => bound === null || Number.isInteger(bound))
  ) {
    throw new WebertError(
      "bad_input",
      `slice: expected a position, [start, end] or null, got ${JSON.stringify(slice)}`,
    );
  }
  const [start, end] = slice.map((bound: number | null, i) => {
    const at = bound ?? (i ? length : 0);
    return Math.min(Math.max(at < 0 ? at + length : at, 0), length);
  });
  if (start! > end!) throw new WebertError("bad_input", `the slice ${JSON.stringify(slice)} ends before it starts`);
  return [start!, end!];
}

/** Returns the block of `data` that begins at `start`, nested by the axes from `axis` on. */
export function nest(data: TensorData[TensorType], dims: readonly number[], axis: number, start: number): unknown {
  if (axis === dims.length) return data[start];
  const length = dims[axis]!;
  if (axis === dims.length - 1) return Array.from<number | bigint>(data.subarray(start, start + length));
  const step = product(dims.slice(axis + 1));
  return Array.from({ length }, (_, i) => nest(data, dims, axis + 1, start + i * step));
}

/**
 * Calls `work` for each row along one axis, with the start of its elements in the data, their stride and count, and
 * the row's number.
 */
export function along(
  dims: readonly number[],
  axis: number,
  work: (at: number, stride: number, count: number, group: number) => void,
): void {
  const [outer, count, inner] = [product(dims.slice(0, axis)), dims[axis]!, product(dims.slice(axis + 1))];
  for (let o = 0; o < outer; o++)
    for (let i = 0; i < inner; i++) work(o * count * inner + i, inner, count, o * inner + i);
}

/**
 * Calls `work` for each position of a shape with these strides. It receives the place in the data and the number of
 * the position.
 */
export function each(
  shape: readonly number[],
  strides: readonly number[],
  work: (at: number, i: number) => void,
): void {
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

/** Returns a copy of dims in which `count` entries from `at` on are replaced. */
export function spliced(dims: readonly number[], at: number, count: number, ...by: number[]): number[] {
  return [...dims.slice(0, at), ...by, ...dims.slice(at + count)];
}

export function squeezed(dims: readonly number[], dim: number | readonly number[] | null): number[] {
  if (dim === null) return dims.filter((length) => length !== 1);
  const named = [dim].flat().map((axis) => indexIn(axis as number, dims.length));
  return dims.filter((length, axis) => length !== 1 || !named.includes(axis));
}
