// webert/measure: what a device computes, how fast, and how far from the CPU.
import { signalOf, throwIfAborted } from "../abort.js";
import type { PipelineFunction } from "../api/pipeline.js";
import { VERSION } from "../env.js";
import { WebertError } from "../errors.js";
import type { Source } from "../source.js";
import { kindOf } from "../values.js";
import { adapterReport } from "./adapter.js";
import { type Batch, type EncodePlan, type LoadOther, type Reference, timeDevice, timeOther } from "./encode.js";
import { measureKernels } from "./kernels.js";
import { type MeasureReport, SCHEMA, SCHEMA_VERSION } from "./report.js";

export type { Batch, LoadOther, OtherEncoder } from "./encode.js";
export {
  type AdapterReport,
  checkReport,
  type EncodeReport,
  type GpuReport,
  type KernelReport,
  type MeasureReport,
  SCHEMA,
  SCHEMA_VERSION,
  type TrainingReport,
} from "./report.js";

/** How far a measurement is. */
export interface MeasureProgress {
  /** What is measured now: a kernel or a batch. */
  step: string;
  /** Steps done, and all steps. */
  done: number;
  of: number;
}

export interface MeasureOptions {
  /** `pipeline` of the package, which loads the encoder. */
  pipeline: PipelineFunction;
  /**
   * The encoder. By default the default model of feature-extraction.
   * @default null
   */
  model?: Source | null;
  /** Precision of its weights. By default as `pipeline` chooses. */
  dtype?: "fp32" | "fp16" | "q8";
  /**
   * The batches: pairs of sequences and tokens of each.
   * @default [[1, 16], [1, 128], [8, 128]]
   */
  batches?: readonly Batch[];
  /**
   * Milliseconds for the repeated runs of each kernel and batch.
   * @default 150
   */
  budget?: number;
  /**
   * Whether the kernels of the GPU are compared and timed one by one, or the names of those that are: as in the report,
   * and "training".
   * @default true
   */
  kernels?: boolean | readonly string[];
  /** Encoders of other libraries that are timed over the same texts. */
  others?: readonly LoadOther[];
  /** URL of a folder with a copy of the package's files. By default beside the package's code. */
  base?: string;
  /** Ends the measurement at once. */
  signal?: AbortSignal;
  progress_callback?: (progress: MeasureProgress) => void;
}

const BATCHES: readonly Batch[] = [
  [1, 16],
  [1, 128],
  [8, 128],
];
const BUDGET = 150;
const OPTIONS = ["pipeline", "model", "dtype", "batches", "budget", "kernels", "others", "base", "signal"];

const isCount = (value: unknown) => Number.isInteger(value) && (value as number) > 0;

/** Returns the options with defaults. Throws `bad_input` that names the option at fault. */
function checked(options: MeasureOptions) {
  for (const name of Object.keys(options ?? {}))
    if (!OPTIONS.includes(name) && name !== "progress_callback")
      throw new WebertError("bad_input", `measure: expected one of ${OPTIONS.join(", ")}, got the option "${name}"`);
  const { pipeline, model, dtype, kernels = true, others = [], base, progress_callback } = options ?? {};
  const { batches = BATCHES, budget = BUDGET } = options ?? {};
  if (typeof pipeline !== "function")
    throw new WebertError("bad_input", `pipeline: expected the function of the package, got ${kindOf(pipeline)}`);
  if (
    !Array.isArray(batches) ||
    !batches.length ||
    !batches.every((batch) => batch?.length === 2 && batch.every(isCount))
  )
    throw new WebertError(
      "bad_input",
      `batches: expected pairs of whole numbers from 1, got ${JSON.stringify(batches)}`,
    );
  if (!(Number.isFinite(budget) && budget > 0))
    throw new WebertError("bad_input", `budget: expected milliseconds above 0, got ${budget}`);
  if (typeof kernels !== "boolean" && !Array.isArray(kernels))
    throw new WebertError("bad_input", `kernels: expected true, false or a list of names, got ${kindOf(kernels)}`);
  if (!Array.isArray(others) || !others.every((load) => typeof load === "function"))
    throw new WebertError("bad_input", "others: expected a list of functions");
  const plan: EncodePlan = { pipeline, model: model ?? undefined, dtype, batches, budget, signal: signalOf(options) };
  return { plan, kernels, others, base, tell: progress_callback ?? (() => {}) };
}

/** Facts about the browser and the machine. */
function machine(): Pick<MeasureReport, "browser" | "cores" | "memory_gb" | "isolated"> {
  const {
    userAgent = "",
    platform = "",
    hardwareConcurrency = 1,
    deviceMemory,
  } = (globalThis.navigator ?? {}) as Navigator & { deviceMemory?: number };
  return {
    browser: { user_agent: userAgent, platform },
    cores: hardwareConcurrency,
    memory_gb: deviceMemory ?? null,
    isolated: globalThis.crossOriginIsolated ?? true, // Node has no flag and shares memory
  };
}

const why = (what: string, error: unknown): string => `${what}: ${WebertError.from(error).message}`;

/**
 * Measures this device: each kernel of the GPU beside the CPU and its speed, the cost of a request, the loss of the
 * device, and the time of the encoder on GPU and CPU. A part that fails becomes a sentence in `notes`. Nothing is
 * fetched except the package's files and the model.
 * @throws WebertError `aborted` if the signal aborts; `bad_input` for a wrong option
 * @example
 * ```ts
 * import { pipeline } from "webert";
 * import { measure } from "webert/measure";
 * const report = await measure({ pipeline });
 * console.log(report.adapter, report.encode);
 * ```
 */
export async function measure(options: MeasureOptions): Promise<MeasureReport> {
  const { plan, kernels, others, base, tell } = checked(options);
  const { signal, batches, budget } = plan;
  throwIfAborted(signal);
  const notes: string[] = [];
  /** Runs a part. Its failure is a note, but an abort ends everything. */
  const attempt = async <T>(what: string, part: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await part();
    } catch (error) {
      throwIfAborted(signal);
      if (WebertError.from(error).item === "kernels") throw error; // a wrong option
      notes.push(why(what, error));
      return undefined;
    }
  };
  const report: MeasureReport = {
    schema: SCHEMA,
    version: SCHEMA_VERSION,
    webert: VERSION,
    date: new Date().toISOString(),
    ...machine(),
    adapter: await adapterReport(),
    gpu: null,
    encode: [],
    notes,
  };
  const small = report.adapter?.software ?? false;
  if (!report.adapter) notes.push("no WebGPU: this browser has none, or no adapter");
  const devices = report.adapter ? (["wasm", "webgpu"] as const) : (["wasm"] as const);
  const later = (devices.length + others.length) * batches.length;
  let done = 0;
  if (report.adapter && kernels) {
    const found = await attempt("kernels", () =>
      measureKernels({ small, budget, base, only: kernels === true ? undefined : kernels }, signal, (at) => {
        done = at.of;
        tell({ step: at.step, done: at.done, of: at.of + later });
      }),
    );
    report.gpu = found ?? null;
  }
  const of = done + later;
  const named = (what: string) => (batch: Batch) => tell({ step: `${what} ${batch.join(" × ")}`, done: done++, of });
  const reference: Reference = { vectors: [] };
  for (const device of devices) {
    const name = device === "wasm" ? "CPU" : "GPU";
    const times = await attempt(`encoder on the ${name}`, () => timeDevice(device, plan, reference, named(name)));
    report.encode.push(...(times ?? []));
  }
  for (const load of others) {
    const times = await attempt("another library", () => timeOther(load, plan, named("another library")));
    report.encode.push(...(times ?? []));
  }
  return report;
}
