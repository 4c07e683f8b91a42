import type { WasmBuild, WasmPaths } from "../api/env.js";
import { WebertError } from "../errors.js";
import type { Glue } from "./glue.js";
import { onDemand } from "./on-demand.js";

/** The module of a glue: a function that makes it anew. */
type GlueModule = { default(): Glue };
type ThreadsModule = typeof import("#glue/threads");

/** Of each glue, whatever makes its module; those of binaries with all features end with `_full`. */
const GLUES: Record<string, () => Promise<GlueModule>> = {
  cpu: () => import("#glue/cpu"),
  threads: () => import("#glue/threads"),
  gpu: () => import("#glue/gpu"),
  cpu_full: () => import("#glue/cpu_full"),
  threads_full: () => import("#glue/threads_full"),
  gpu_full: () => import("#glue/gpu_full"),
};

/** Imports the script glues.ts by its URL. */
type ImportGlues = (url: string) => Promise<unknown>;
let importGlues: ImportGlues | undefined;

/** In a script that has none of the glues of binaries with all features inside: from now on they are imported by their URL. */
export function importGluesBy(load: ImportGlues): void {
  importGlues = load;
}

/** The module of the glue `name`; `url`, where it is one of the binaries with all features, is theirs. */
async function glueModule(name: string, url?: string): Promise<GlueModule> {
  if (!url || !importGlues) return GLUES[name]!();
  await importGlues(url);
  return (globalThis as { webertGlues?: Record<string, GlueModule> }).webertGlues![name]!;
}

/** As `glueModule`, of a binary with threads. */
export const threadsModule = (url?: string): Promise<ThreadsModule> =>
  glueModule(url ? "threads_full" : "threads", url) as Promise<ThreadsModule>;

/** The glue of a binary: those of one kind share it. */
const glueOf = (build: WasmBuild) =>
  build
    .replace(/^(simd128|relaxed)_threads/, "threads")
    .replace(/^(simd128|relaxed)/, "cpu")
    .replace("webgpu", "gpu");

/** A binary's glue, for one instance: another instance needs another. Throws `unsupported` where the package was built without that binary. */
export async function loadGlue(build: WasmBuild, paths: WasmPaths): Promise<Glue> {
  const name = glueOf(build);
  const url = build.endsWith("_full") ? paths.glues : undefined;
  if (!name.startsWith("threads")) return (await onDemand(() => glueModule(name, url))).default();
  const load = () => Promise.all([threadsModule(url), import("../threads/pool.js")]);
  const [glue, { createThreadPool }] = await onDemand(load);
  const made = glue.default();
  return { ...made, ...createThreadPool(made, url) };
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
