// A report as the page and the picture show it: names and figures.
import type { EncodeReport, KernelReport, MeasureReport } from "webert/measure";
import { local } from "../../format.ts";
import { t } from "../../language.ts";

/** The GPU's name. */
export function adapterName({ adapter }: MeasureReport): string {
  if (!adapter) return t`No GPU`;
  const names = [adapter.vendor, adapter.architecture, adapter.device, adapter.description].filter(Boolean);
  return names.join(" ") || t`A GPU whose name the browser hides`;
}

/** What the figures are worth: a sentence for a device without a GPU or with a software adapter. */
export function caution({ adapter }: MeasureReport): string | undefined {
  if (!adapter) return t`This browser offers no GPU to pages. These are the figures of the CPU.`;
  if (adapter.software)
    return t`The adapter is a software renderer: it runs on the CPU, so its times say nothing about a GPU.`;
  return undefined;
}

/** A kernel that differs too much from the CPU, or failed. */
export const isWrong = ({ difference, tolerance, error }: KernelReport): boolean =>
  error !== undefined || difference === null || difference > tolerance;

/** The kernels that are wrong on this device, in words. */
export function verdict({ gpu }: MeasureReport): string | undefined {
  if (!gpu) return undefined;
  const wrong = gpu.kernels.filter(isWrong).length;
  const trained = gpu.training.filter(({ difference, tolerance }) => difference > tolerance).length;
  const all = gpu.kernels.length + gpu.training.length;
  return wrong + trained === 0
    ? t`All ${all} kernels compute what the CPU computes.`
    : t`${wrong + trained} of ${all} kernels are wrong on this device.`;
}

/** The kernel with the precision of its weights and its variant. */
export const kernelName = ({ kernel, precision, variant }: KernelReport): string =>
  [kernel, precision, variant].filter(Boolean).join(" · ");

/** Rows and columns of its arguments. */
export const sizeOf = ({ sequences, length, inputs, outputs }: KernelReport): string =>
  `${sequences > 1 ? `${sequences} × ` : ""}${length} × ${inputs} → ${outputs}`;

/** A number with three digits, e.g. "0.0123", "4.56", "789". */
export const figure = (value: number): string =>
  local(value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3))));

/** A difference from the CPU, e.g. "5.1e-7". */
export const differenceText = (difference: number): string =>
  difference === 0 ? "0" : local(difference.toExponential(1));

/** How fast it is, with the unit: operations, or bytes for a kernel that waits for memory. */
export function speedOf({ gflops, gbps }: KernelReport): string {
  if (gflops !== null) return `${figure(gflops)} GFLOP/s`;
  return gbps === null ? "–" : `${figure(gbps)} GB/s`;
}

/** The column of an encoder. */
export const encoderName = ({ library, device, dtype }: EncodeReport): string => {
  const place = device === "webgpu" ? "GPU" : device === "wasm" ? "CPU" : device;
  return `${library === "webert" ? "" : `${library} `}${place} ${dtype}`;
};

/** The encoders' times as a table: names of the columns, and for each batch its milliseconds. */
export function encodeTable({ encode }: MeasureReport): { names: string[]; rows: [batch: string, ms: string[]][] } {
  const names = [...new Set(encode.map(encoderName))];
  const batchOf = ({ sequences, tokens }: EncodeReport) => `${sequences} × ${tokens}`;
  const batches = [...new Set(encode.map(batchOf))];
  const timeOf = (batch: string, name: string) => {
    const found = encode.find((each) => batchOf(each) === batch && encoderName(each) === name);
    return found ? `${figure(found.ms)} ms` : "–";
  };
  return { names, rows: batches.map((batch) => [batch, names.map((name) => timeOf(batch, name))]) };
}
