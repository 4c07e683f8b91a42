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

/** The glue of binaries with threads, and the pool of an instance's threads. */
const threaded =
  (load: () => Promise<typeof import("#glue/threads")>, isFull: boolean) => async (): Promise<() => Glue> => {
    const [glue, { createThreadPool }] = await Promise.all([load(), import("../threads/pool.js")]);
    return () => {
      const made = glue.default();
      return { ...made, ...createThreadPool(made, isFull) };
    };
  };
const GLUES: Record<string, () => Promise<() => Glue>> = {
  cpu: async () => (await import("#glue/cpu")).default,
  threads: threaded(() => import("#glue/threads"), false),
  gpu: async () => (await import("#glue/gpu")).default,
  cpu_full: async () => (await import("#glue/cpu_full")).default,
  threads_full: threaded(() => import("#glue/threads_full"), true),
  gpu_full: async () => (await import("#glue/gpu_full")).default,
};

/** The glue of a binary: those of one kind share it. */
const glueOf = (build: WasmBuild) =>
  build
    .replace(/^(simd128|relaxed)_threads/, "threads")
    .replace(/^(simd128|relaxed)/, "cpu")
    .replace("webgpu", "gpu");

/** A binary's glue, for one instance: another instance needs another. Throws `unsupported` where the package was built without that binary. */
export async function loadGlue(build: WasmBuild): Promise<Glue> {
  const make = await onDemand(GLUES[glueOf(build)]!);
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
