// The page's side of the Worker that compares and times the kernels of the GPU.
import { abortError, onAbort, throwIfAborted } from "../abort.js";
import { type ErrorMessage, WebertError } from "../errors.js";
import { startWorker } from "../threads/workers.js";
import type { GpuReport } from "./report.js";

/** What the page asks of the Worker. */
export interface KernelsRequest {
  /** URL of the GPU's binary with all features. */
  wasm: string;
  /** Sizes for a software adapter. */
  small: boolean;
  /** Milliseconds for the runs of a kernel. */
  budget: number;
  /** Names of the kernels to measure; undefined: all. */
  only?: readonly string[] | undefined;
}

export interface KernelsProgress {
  done: number;
  of: number;
  /** What is measured now. */
  step: string;
}

/** What the Worker replies. The last reply has a report or an error. */
export type KernelsReply = { progress: KernelsProgress } | { report: GpuReport } | { error: ErrorMessage };

/** Milliseconds without a reply after which the driver counts as hanging. */
const PATIENCE = 60_000;

/** Returns the URLs of the Worker's script and of the binary: in the folder `base`, or beside this script. */
function filesOf(base: string | undefined): { script: URL; wasm: URL } {
  if (base === undefined)
    return {
      script: new URL("./measure-worker.js", import.meta.url),
      wasm: new URL("./webert_webgpu_full.wasm", import.meta.url),
    };
  const folder = new URL(base.replace(/\/?$/, "/"), globalThis.location?.href);
  return { script: new URL("measure-worker.js", folder), wasm: new URL("webert_webgpu_full.wasm", folder) };
}

/**
 * Compares and times every kernel of the GPU in a Worker. An abort ends the Worker at once.
 * @throws WebertError `aborted`; `device_lost` if the driver hangs or the device is lost; `bad_input` for an unknown kernel;
 * `unsupported`, `not_found`, `network`, `out_of_memory`
 */
export function measureKernels(
  { base, ...request }: Omit<KernelsRequest, "wasm"> & { base: string | undefined },
  signal: AbortSignal | undefined,
  tell: (progress: KernelsProgress) => void,
): Promise<GpuReport> {
  throwIfAborted(signal);
  const { script, wasm } = filesOf(base);
  const worker = startWorker(script);
  let watch: ReturnType<typeof setTimeout> | undefined;
  let unfollow = () => {};
  const measured = new Promise<GpuReport>((resolve, reject) => {
    const wait = () => {
      clearTimeout(watch);
      const hangs = `the GPU: expected a result within ${PATIENCE / 1000} s, got none`;
      watch = setTimeout(() => reject(new WebertError("device_lost", hangs)), PATIENCE);
    };
    if (signal) unfollow = onAbort(signal, () => reject(abortError(signal)));
    worker.onerror = ({ message }) =>
      reject(
        new WebertError("not_found", `${script}: the Worker could not be started: ${message ?? "no reason given"}`),
      );
    worker.onmessage = ({ data }: MessageEvent<KernelsReply>) => {
      wait();
      if ("report" in data) resolve(data.report);
      else if ("error" in data) reject(WebertError.unpack(data.error));
      else tell(data.progress);
    };
    wait();
    worker.postMessage({ wasm: wasm.href, ...request } satisfies KernelsRequest);
  });
  return measured.finally(() => {
    clearTimeout(watch);
    unfollow();
    worker.terminate();
  });
}
