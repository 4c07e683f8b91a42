// The kernels that a GPU computes with, kept by browsers for the next load. Imported when a GPU is there.

export { slowerThanCpu } from "./slower-device.js";

/** Where chosen kernels are kept: the name of the browser's cache, and the version of this package. */
export interface KernelCache {
  name: string;
  version: string;
}

/** Kernels that a GPU computes with. */
export interface Kernels {
  /**
   * "measured" in this load, "kept" from an earlier one on the same device, or "default", as always on a software
   * adapter.
   */
  from: "measured" | "kept" | "default";
  /** Milliseconds that the measurement took in this load. */
  milliseconds: number;
  /** Variant of each operation and size of a call, e.g. `{ "linear_q8 many": "int8 128x64/8x4/1/4/1" }`. */
  chosen: Record<string, string>;
  /** Variants that this device computes wrongly or does not compile, and why. They are not used. */
  struck: Record<string, string>;
}

/** Reads the text of src/backend/gpu/kept.rs. */
export function kernelsOf(text: string): Kernels {
  const [head = "", ...lines] = text.split("\n");
  const [, micros] = head.split(" ").map(Number);
  const struck = lines.flatMap((line) => {
    const [, name, why] = /^! (.*?): (.*)$/.exec(line) ?? [];
    return name && why ? [[name, why]] : [];
  });
  const all = lines.map((line) => /^(\w+ \w+) (\d+) (.*)$/.exec(line)).filter((found) => found !== null);
  return {
    from: micros ? "measured" : all.some(([, , nanos]) => Number(nanos)) ? "kept" : "default",
    milliseconds: (micros ?? 0) / 1000,
    chosen: Object.fromEntries(all.map(([, call, , variant]) => [call, variant])),
    struck: Object.fromEntries(struck),
  };
}

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

/** Keeps the kernels of an adapter, if they were measured in this load. */
export async function keepKernels(cache: KernelCache | undefined, adapter: string, text: string): Promise<void> {
  if (!cache || typeof caches === "undefined" || kernelsOf(text).from !== "measured") return;
  try {
    await (await caches.open(cache.name)).put(keyOf(adapter, cache.version), new Response(text));
  } catch {
    // as above
  }
}
