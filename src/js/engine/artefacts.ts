import type { WasmBuild } from "../api/env.js";
import { WebertError } from "../errors.js";
import type { LeaseThreads } from "../threads/pool.js";
import { onDemand } from "./on-demand.js";

/** The JavaScript that bindgen made for a binary: its exports, and the function that instantiates them. */
export interface Glue {
  default(from: {
    module_or_path: WebAssembly.Module | Uint8Array;
    memory?: WebAssembly.Memory;
  }): Promise<{ memory: WebAssembly.Memory }>;
  /** Where there are threads. */
  leaseThreads?: LeaseThreads;
}

const cpu = async (): Promise<() => Glue> => (await import("#glue/cpu")).default;
const gpu = async (): Promise<() => Glue> => (await import("#glue/gpu")).default;
const threads = async (): Promise<() => Glue> => {
  const [glue, { createThreadPool }] = await Promise.all([import("#glue/threads"), import("../threads/pool.js")]);
  return () => {
    const made = glue.default();
    return { ...made, ...createThreadPool(made) };
  };
};
const GLUES: Record<WasmBuild, () => Promise<() => Glue>> = {
  simd128: cpu,
  relaxed: cpu,
  simd128_threads: threads,
  relaxed_threads: threads,
  webgpu: gpu,
};

/** A binary's glue, for one instance: another instance needs another. Throws `unsupported` where the package was built without that binary. */
export async function loadGlue(build: WasmBuild): Promise<Glue> {
  const make = await onDemand(GLUES[build]);
  return make();
}

// Two smallest modules, each of one function that uses the feature: i8x16.popcnt, i8x16.relaxed_swizzle.
// prettier-ignore
const PROBES = {
  simd128: [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  ],
  relaxed: [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15,
    253, 128, 2, 11,
  ],
};

/** The fastest build that runs here, in one thread. Throws `unsupported` where none does. */
export function bestBuild(): "simd128" | "relaxed" {
  if (typeof WebAssembly === "undefined") throw new WebertError("unsupported", "there is no WebAssembly here");
  for (const build of ["relaxed", "simd128"] as const) {
    if (WebAssembly.validate(new Uint8Array(PROBES[build]))) return build;
  }
  throw new WebertError("unsupported", "WebAssembly here lacks the vector instructions (simd128) that webert needs");
}
