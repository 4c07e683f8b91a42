import type { WasmBuild } from "./env.js";
import { WebertError } from "./errors.js";

/** The JavaScript that bindgen made for a binary: its exports, and the function that instantiates them. */
export interface Glue {
  default(from: { module_or_path: WebAssembly.Module | BufferSource; memory?: WebAssembly.Memory }): Promise<{ memory: WebAssembly.Memory }>;
}

/** A binary and its glue: made for each other, and loaded together. */
interface Artefact {
  wasm: URL;
  glue: URL;
}

// Written out, since bundlers look for just this form: they copy the files as they are. Where they saw a module to
// import(), they would cut the Worker's script in pieces, which Vite refuses to do.
const cpu = new URL("./webert_cpu.js", import.meta.url);
const gpu = new URL("./webert_gpu.js", import.meta.url);
const threads = new URL("./webert_threads.js", import.meta.url);

export const ARTEFACTS: Record<WasmBuild, Artefact> = {
  simd128: { wasm: new URL("./webert_simd128.wasm", import.meta.url), glue: cpu },
  relaxed: { wasm: new URL("./webert_relaxed.wasm", import.meta.url), glue: cpu },
  simd128_threads: { wasm: new URL("./webert_simd128_threads.wasm", import.meta.url), glue: threads },
  relaxed_threads: { wasm: new URL("./webert_relaxed_threads.wasm", import.meta.url), glue: threads },
  webgpu: { wasm: new URL("./webert_webgpu.wasm", import.meta.url), glue: gpu },
};

/** Loads a glue. scripts/build.mjs tells bundlers to leave this import() alone. */
export async function loadGlue({ href }: URL): Promise<Glue> {
  try {
    return (await import(href)) as Glue;
  } catch (cause) {
    throw new WebertError("not_found", `${href} could not be loaded: ${(cause as Error).message}; it belongs beside the package's code`, { cause });
  }
}

// Two smallest modules, each of one function that uses the feature: i8x16.popcnt, i8x16.relaxed_swizzle.
// prettier-ignore
const PROBES = {
  simd128: [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
  relaxed: [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
};

/** The fastest build that runs here, in one thread. Throws `unsupported` where none does. */
export function bestBuild(): "simd128" | "relaxed" {
  if (typeof WebAssembly === "undefined") throw new WebertError("unsupported", "there is no WebAssembly here");
  for (const build of ["relaxed", "simd128"] as const) {
    if (WebAssembly.validate(new Uint8Array(PROBES[build]))) return build;
  }
  throw new WebertError("unsupported", "WebAssembly here lacks the vector instructions (simd128) that webert needs");
}
