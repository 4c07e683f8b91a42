// The kernels that a GPU computes with: chosen while it is idle, kept by browsers for the next load. Imported when a GPU is there.
import type { Mutex } from "../mutex.js";

export { slowerThanCpu } from "./slower-device.js";

/** Where chosen kernels are kept: the name of the browser's cache, and the version of this package. */
export interface KernelCache {
  name: string;
  version: string;
}

/** Kernels that a GPU computes with. */
export interface Kernels {
  /**
   * "measured" since this load, "kept" from an earlier one on the same device, or "default": not measured yet, or a
   * software adapter.
   */
  from: "measured" | "kept" | "default";
  /** Whether kernels are still being measured, between calls. `info` changes when this ends. */
  pending: boolean;
  /** Milliseconds that the measurement since this load took. */
  milliseconds: number;
  /** Variant of each operation and size of a call, e.g. `{ "linear_q8 many": "int8 128x64/8x4/1/4/1" }`. */
  chosen: Record<string, string>;
  /** Variants that this device computes wrongly or does not compile, and why. They are not used. */
  struck: Record<string, string>;
}

/** Reads the text of src/backend/gpu/kept.rs. */
export function kernelsOf(text: string, pending = false): Kernels {
  const [head = "", ...lines] = text.split("\n");
  const [, micros] = head.split(" ").map(Number);
  const struck = lines.flatMap((line) => {
    const [, name, why] = /^! (.*?): (.*)$/.exec(line) ?? [];
    return name && why ? [[name, why]] : [];
  });
  const all = lines.map((line) => /^(\w+ \w+) (\d+) (.*)$/.exec(line)).filter((found) => found !== null);
  return {
    from: micros ? "measured" : all.some(([, , nanos]) => Number(nanos)) ? "kept" : "default",
    pending,
    milliseconds: (micros ?? 0) / 1000,
    chosen: Object.fromEntries(all.map(([, call, , variant]) => [call, variant])),
    struck: Object.fromEntries(struck),
  };
}

/** Returns whether a text has times of this load: of all kernels, or of the defaults, which "auto" compares with the CPU. */
export const isMeasured = (text: string) => /^~/m.test(text) || kernelsOf(text).from === "measured";

const keyOf = (adapter: string, version: string) =>
  `https://kernels.invalid/${encodeURIComponent([adapter, navigator.userAgent, version].join("\n"))}`;

/** Returns the kernels that were kept for an adapter, if any. */
export async function keptKernels(cache: KernelCache | undefined, adapter: string): Promise<string | undefined> {
  if (!cache || typeof caches === "undefined") return undefined;
  try {
    // opening the cache would create it
    return await (await caches.match(keyOf(adapter, cache.version), { cacheName: cache.name }))?.text();
  } catch {
    return undefined; // e.g. in a private window: measured again
  }
}

/** Keeps the kernels of an adapter, if they, or the defaults, were measured since this load. */
export async function keepKernels(cache: KernelCache | undefined, adapter: string, text: string): Promise<void> {
  if (!cache || typeof caches === "undefined" || !isMeasured(text)) return;
  try {
    await (await caches.open(cache.name)).put(keyOf(adapter, cache.version), new Response(text));
  } catch {
    // as above
  }
}

/** Milliseconds between two parts of the choice. */
const PAUSE = 4;
/** Milliseconds between two parts while calls follow each other. */
const LONG_PAUSE = 100;

/** An encoder on a GPU. */
export interface OnGpu {
  /** Any of its models; undefined if it has none or the device was lost. */
  readonly model: { improve?(): Promise<string | undefined> } | undefined;
}

/** The calls of an engine. */
export interface Calls {
  passes: Mutex;
  /** Returns the calls that run or wait. */
  running(): { isDelayed?: boolean }[];
  /** Whether an earlier choice failed. */
  isOver: boolean;
}

/**
 * Chooses the kernels of an encoder's GPU in parts, most of them while no call runs: a part delays no call that was
 * delayed before. Keeps the kernels. Returns undefined if the encoder is freed or lost before, or an earlier
 * choice failed.
 */
export async function chooseKernels(
  encoder: OnGpu,
  adapter: string,
  { passes, running, isOver }: Calls,
  cache: KernelCache | undefined,
): Promise<Kernels | undefined> {
  let last = performance.now();
  const mayDelay = () => {
    const calls = running();
    return !calls.length || (performance.now() - last > LONG_PAUSE && calls.every(({ isDelayed }) => !isDelayed));
  };
  const delay = () => {
    for (const call of running()) call.isDelayed = true;
    last = performance.now();
  };
  const part = async () => {
    // A call that came in the meantime went first.
    if (!mayDelay()) return undefined;
    delay();
    const text = await encoder.model?.improve?.();
    delay();
    return text;
  };
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (isOver || !encoder.model?.improve) return undefined;
    const text = mayDelay() ? await passes.runExclusive(part) : undefined;
    if (text === undefined) continue;
    await keepKernels(cache, adapter, text);
    return kernelsOf(text);
  }
}
