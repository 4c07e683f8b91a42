// Resizes Tensors in height and width.
import { WebertError } from "../errors.js";
import { shown } from "../values.js";
import { product } from "./axes.js";
import { allocate, type TensorType } from "./element-types.js";
import { floats, Tensor } from "./tensor.js";

/** Interpolation methods, with PyTorch's names. */
export type Interpolation = "nearest" | "bilinear" | "bicubic";

/** For one output position: the input positions and their weights. */
type Taps = readonly (readonly [at: number, weight: number])[];

/**
 * Resizes the last two axes, as PyTorch's `interpolate` does.
 * @param input floats [.., height, width]
 * @param align_corners whether to align the centres of the corner elements instead of their outer edges
 * @returns [.., size[0], size[1]]
 */
export function interpolate<T extends TensorType>(
  input: Tensor<T>,
  size: readonly [number, number],
  mode: Interpolation = "bilinear",
  align_corners = false,
): Tensor<T> {
  floats("interpolate", input);
  const [height, width] = input.dims.slice(-2);
  if (size.length !== 2 || ![...size, height, width].every((n) => Number.isInteger(n) && n! > 0))
    throw new WebertError(
      "bad_input",
      `interpolate: cannot resize [${input.dims.join(", ")}] to height and width ${JSON.stringify(size)}`,
    );
  const rows = tapsOf(height!, size[0], mode, align_corners);
  const columns = tapsOf(width!, size[1], mode, align_corners);
  const outer = input.dims.slice(0, -2);
  const data = allocate(input.type, product(outer) * size[0] * size[1]) as Float64Array;
  const from = input.data as Float64Array;
  let i = 0;
  for (let plane = 0; plane < from.length; plane += height! * width!) {
    for (const row of rows) {
      for (const column of columns) {
        let sum = 0;
        for (const [y, a] of row) for (const [x, b] of column) sum += a * b * from[plane + y * width! + x]!;
        data[i++] = sum;
      }
    }
  }
  return new Tensor(input.type, data as never, [...outer, ...size]);
}

/**
 * Resizes a Tensor with four axes, as `interpolate` does.
 * @param options.size [height, width]; or the last three or all four dims, whose leading entries must equal the
 * input's
 */
export async function interpolate_4d<T extends TensorType>(
  input: Tensor<T>,
  { size, mode = "bilinear" }: { size?: readonly number[] | null; mode?: Interpolation } = {},
): Promise<Tensor<T>> {
  const kept = 4 - (size?.length ?? 0);
  const outer = size?.slice(0, -2) ?? [];
  if (input.dims.length !== 4 || kept < 0 || kept > 2 || outer.some((dim, i) => dim !== input.dims[kept + i])) {
    throw new WebertError(
      "bad_input",
      `interpolate_4d: cannot resize [${input.dims.join(", ")}] to ${JSON.stringify(size)}: expected four axes, and a height and a width`,
    );
  }
  return interpolate(input, size!.slice(-2) as [number, number], mode);
}

/** Returns the taps of each position on an axis that is resized from `from` to `to` elements. */
function tapsOf(from: number, to: number, mode: Interpolation, align: boolean): Taps[] {
  const place = (i: number) => {
    if (align) return to > 1 ? (i * (from - 1)) / (to - 1) : 0;
    return ((i + 0.5) * from) / to - 0.5;
  };
  const inside = (at: number) => Math.min(Math.max(at, 0), from - 1);
  const taps: Record<Interpolation, (i: number) => Taps> = {
    nearest: (i) => [[inside(Math.floor((i * from) / to)), 1]],
    bilinear: (i) => {
      const at = inside(place(i));
      const low = Math.floor(at);
      return [
        [low, 1 - (at - low)],
        [inside(low + 1), at - low],
      ];
    },
    bicubic: (i) => {
      const at = place(i);
      const low = Math.floor(at);
      return [-1, 0, 1, 2].map((d) => [inside(low + d), cubic(Math.abs(at - low - d))] as const);
    },
  };
  if (!Object.hasOwn(taps, mode))
    throw new WebertError("bad_input", `mode: expected one of ${Object.keys(taps).join(", ")}, got ${shown(mode)}`);
  return Array.from({ length: to }, (_, i) => taps[mode](i));
}

/** Returns Keys' cubic kernel at a distance below 2, with PyTorch's slope of -0.75. */
function cubic(distance: number): number {
  const slope = -0.75;
  if (distance <= 1) return ((slope + 2) * distance - (slope + 3)) * distance * distance + 1;
  return ((distance - 5) * distance + 8) * distance * slope - 4 * slope;
}
