// Quantizes embeddings, to store many of them.
import { WebertError } from "../errors.js";
import { shown } from "../values.js";
import { allocate } from "./element-types.js";
import { floats, Tensor } from "./tensor.js";

/** How `quantize_embeddings` stores vectors: 8 dimensions per byte, or one byte per dimension. */
export type Precision = "binary" | "ubinary" | "int8" | "uint8";
/**
 * Reduces the precision of embeddings, as sentence-transformers does.
 * @param tensor [vectors, dimensions]
 * @param precision "binary" and "ubinary": one bit per dimension, set if the value is above 0, eight per byte (int8
 * or uint8). "int8" and "uint8": one byte per dimension
 * @param ranges minimum and maximum of each dimension, [2, dimensions], for "int8" and "uint8"; by default the ranges
 * of `tensor`
 * @returns [vectors, dimensions / 8] or [vectors, dimensions]
 * @example
 * ```ts
 * quantize_embeddings(await extract(texts, { pooling: "mean", normalize: true }), "binary"); // [texts, dimensions / 8]
 * ```
 */
export function quantize_embeddings(
  tensor: Tensor,
  precision: Precision = "binary",
  { ranges }: { ranges?: Tensor | null } = {},
): Tensor<"int8" | "uint8"> {
  floats("quantize_embeddings", tensor);
  const [count, width] = tensor.dims;
  if (tensor.dims.length !== 2)
    throw new WebertError(
      "bad_input",
      `quantize_embeddings: expected vectors [n, dimensions], got [${tensor.dims.join(", ")}]`,
    );
  const type = { binary: "int8", ubinary: "uint8", int8: "int8", uint8: "uint8" }[precision] as
    | "int8"
    | "uint8"
    | undefined;
  if (!type)
    throw new WebertError(
      "bad_input",
      `precision: expected one of binary, ubinary, int8, uint8, got ${typeof precision === "string" ? `"${precision}"` : shown(precision)}`,
    );
  const lowest = type === "int8" ? -128 : 0;
  const from = tensor.data as Float64Array;
  if (!precision.endsWith("binary")) {
    const [least, greatest] = rangesOf(tensor, ranges ?? undefined);
    const data = allocate(type, from.length);
    for (let i = 0; i < from.length; i++) {
      const [low, high] = [least![i % width!]!, greatest![i % width!]!];
      // A constant dimension has no steps; avoid a division by 0.
      const step = high > low ? (from[i]! - low) / ((high - low) / 255) : 0;
      data[i] = Math.trunc(Math.min(Math.max(step + lowest, lowest), lowest + 255));
    }
    return new Tensor(type, data, [count!, width!]);
  }
  if (width! % 8)
    throw new WebertError("bad_input", `precision ${precision}: expected a multiple of 8 dimensions, got ${width}`);
  const data = allocate(type, from.length / 8);
  for (let byte = 0; byte < data.length; byte++) {
    let bits = 0;
    for (let i = 0; i < 8; i++) bits = 2 * bits + (from[8 * byte + i]! > 0 ? 1 : 0);
    data[byte] = bits + lowest;
  }
  return new Tensor(type, data, [count!, width! / 8]);
}

/** Returns minimum and maximum of each dimension. */
function rangesOf(tensor: Tensor, ranges: Tensor | undefined): Float64Array[] {
  const [count, width] = tensor.dims;
  if (ranges) {
    if (String(ranges.dims) === `2,${width}`) return [ranges[0]!.data, ranges[1]!.data] as Float64Array[];
    throw new WebertError("bad_input", `ranges: expected dims [2, ${width}], got [${ranges.dims.join(", ")}]`);
  }
  if (count! < 2) throw new WebertError("bad_input", "ranges: expected ranges or several vectors, got one vector");
  return [tensor.min(0).data, tensor.max(0).data] as Float64Array[];
}
