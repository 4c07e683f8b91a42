// The script of the Worker that compares and times the kernels of the GPU. The page ends it by `terminate`.
import makeGlue from "#glue/gpu_full";
import { readWasm } from "../engine/reading.js";
import { start } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import type { KernelsReply, KernelsRequest } from "./kernels.js";
import type { GpuReport, KernelReport, TrainingReport } from "./report.js";
import { rounded } from "./rounded.js";

/** A case of the wasm side, with the operations and bytes of one call. */
type KernelCase = Omit<KernelReport, "difference" | "ms" | "gflops" | "gbps" | "error"> & {
  operations: number;
  bytes: number;
};

/** The kernels of the wasm side. It runs one call at a time. */
interface KernelMeter {
  cases(): KernelCase[];
  /** Returns the largest difference of a case from the CPU. */
  compare(number: number): Promise<number>;
  compare_training(): Promise<[kernel: string, difference: number][]>;
  /** Calls a kernel `repeats` times in one request. */
  run(number: number, repeats: number): Promise<void>;
  /** Destroys the device. */
  lose(): void;
  free(): void;
}

/** Most calls of a kernel in one request. */
const MOST_CALLS = 2048;
/** Tolerance of the self-test of the kernels of training. */
const TRAINING_TOLERANCE = 1e-3;

const reply = (message: KernelsReply) => globalThis.postMessage(message);

async function clock(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Returns the least milliseconds of several runs. */
async function least(runs: number, work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let n = 0; n < runs; n++) best = Math.min(best, await clock(work));
  return best;
}

/**
 * Returns the milliseconds of one call. Calls are added to a request until it takes a third of `budget`.
 * @param request milliseconds of a request without calls
 */
async function timeCall(meter: KernelMeter, number: number, budget: number, request: number): Promise<number> {
  await meter.run(number, 1); // compiles
  for (let calls = 1; ; ) {
    const ms = (await clock(() => meter.run(number, calls))) - request;
    if (ms >= budget / 3 || calls === MOST_CALLS) {
      const again = ms > budget ? Infinity : (await least(2, () => meter.run(number, calls))) - request;
      return Math.max(0, Math.min(ms, again)) / calls;
    }
    const factor = Math.min(16, Math.max(2, budget / 3 / Math.max(ms, 0.05)));
    calls = Math.min(MOST_CALLS, Math.ceil(calls * factor));
  }
}

/** Compares and times a case. A kernel that fails does not end the measurement, unless the device is lost. */
async function measureCase(
  meter: KernelMeter,
  number: number,
  { operations, bytes, ...facts }: KernelCase,
  budget: number,
  request: number,
): Promise<KernelReport> {
  const report: KernelReport = { ...facts, difference: null, ms: null, gflops: null, gbps: null };
  try {
    report.difference = rounded(await meter.compare(number));
    const ms = await timeCall(meter, number, budget, request);
    report.ms = rounded(ms);
    if (ms > 0) {
      if (operations > 0) report.gflops = rounded(operations / ms / 1e6);
      report.gbps = rounded(bytes / ms / 1e6);
    }
  } catch (error) {
    const { code, message } = WebertError.from(error);
    if (code === "device_lost") throw error;
    report.error = message.replace(/\s+/g, " ");
  }
  return report;
}

async function training(meter: KernelMeter): Promise<TrainingReport[]> {
  const worst = new Map<string, number>();
  for (const [kernel, difference] of await meter.compare_training())
    worst.set(kernel, Math.max(worst.get(kernel) ?? 0, difference));
  return [...worst].map(([kernel, difference]) => ({
    kernel,
    difference: rounded(difference),
    tolerance: TRAINING_TOLERANCE,
  }));
}

/** Loses the device, and opens another one. */
async function loss(meter: KernelMeter, open: () => Promise<KernelMeter>): Promise<GpuReport["loss"]> {
  meter.lose();
  let code = "none";
  const reported_ms = await clock(() => meter.run(0, 1).catch((error) => (code = WebertError.from(error).code)));
  meter.free();
  let recovered_ms: number | null = null;
  try {
    recovered_ms = rounded(
      await clock(async () => {
        const again = await open();
        await again.run(0, 1);
        again.free();
      }),
    );
  } catch {
    // No new device answered, which the null says.
  }
  return { code, reported_ms: rounded(reported_ms), recovered_ms };
}

async function measureKernels({ wasm: url, small, budget, only }: KernelsRequest): Promise<GpuReport> {
  const since = performance.now();
  const glue = makeGlue();
  let memory: WebAssembly.Memory | undefined;
  const keeping = async (from: Parameters<typeof glue.default>[0]) => {
    const made = await glue.default(from);
    memory = made.memory;
    return made;
  };
  const wasm = await start(Promise.resolve({ ...glue, default: keeping }), url, readWasm);
  const open = () => wasm.call("kernel_meter", small) as Promise<KernelMeter>;
  const meter = await open();
  const isWanted = (kernel: string) => !only || only.includes(kernel);
  const all = meter.cases();
  const names = [...new Set(all.slice(1).map(({ kernel }) => kernel)), "training"];
  const unknown = only?.find((kernel) => !names.includes(kernel));
  if (unknown !== undefined)
    throw new WebertError("bad_input", `kernels: expected some of ${names.join(", ")}, got "${unknown}"`, {
      item: "kernels",
    });
  const wanted = [...all.entries()].slice(1).filter(([, { kernel }]) => isWanted(kernel));
  const tell = (done: number, step: string) => reply({ progress: { done, of: wanted.length + 3, step } });
  tell(0, "launch");
  await meter.run(0, 1);
  const request = await least(5, () => meter.run(0, 0));
  const dispatch = await timeCall(meter, 0, budget, request);
  const kernels: KernelReport[] = [];
  for (const [number, each] of wanted) {
    tell(kernels.length + 1, [each.kernel, each.precision, each.variant].filter(Boolean).join(" "));
    kernels.push(await measureCase(meter, number, each, budget, request));
  }
  tell(wanted.length + 1, "training");
  const trained = isWanted("training") ? await training(meter) : [];
  tell(wanted.length + 2, "loss");
  const lost = await loss(meter, open);
  return {
    request_ms: rounded(request),
    dispatch_us: rounded(1000 * dispatch),
    kernels,
    training: trained,
    loss: lost,
    wasm_bytes: memory?.buffer.byteLength ?? 0,
    seconds: rounded((performance.now() - since) / 1000),
  };
}

globalThis.onmessage = ({ data }: MessageEvent<KernelsRequest>) => {
  measureKernels(data).then(
    (report) => reply({ report }),
    (error) => reply({ error: WebertError.pack(error) }),
  );
};
