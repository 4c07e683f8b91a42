// Imports the glues of binaries, with and without threads.
import type { GlueFile, WasmBuild, WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import { type ImportUrl, importingAgain, onDemand } from "../on-demand.js";
import type { Glue, GlueModule } from "./glue.js";
import { GLUES } from "./own-glues.js";
import type { GluePlace } from "./pool.js";

type ThreadsModule = typeof import("#glue/threads");

/** Imports the script glues.ts by its URL. */
let importGlues: ImportUrl | undefined;

/** Sets how glues are imported by URL. Called by scripts that contain no glues. */
export function importGluesBy(load: ImportUrl): void {
  importGlues = importingAgain(load);
}

/** Returns the module of a glue. */
async function glueModule({ name, url }: GluePlace): Promise<GlueModule> {
  if (!url || !importGlues) return GLUES[name]!();
  await importGlues(url);
  return (globalThis as { webertGlues?: Record<string, GlueModule> }).webertGlues![name]!;
}

/**
 * Imports a part of the code that few models need. Scripts without glues take it from the script at `glues`, which
 * glues.ts makes; all others call `load`.
 */
export async function besideGlues<T>(name: string, glues: string | undefined, load: () => Promise<T>): Promise<T> {
  if (!importGlues || !glues) return onDemand(load);
  await onDemand(async () => importGlues?.(glues));
  return (globalThis as { webertGlues?: Record<string, unknown> }).webertGlues![name] as T;
}

/** Returns the module of a glue for binaries with threads. */
export const threadsModule = (place: GluePlace): Promise<ThreadsModule> => glueModule(place) as Promise<ThreadsModule>;

/** Returns the name of a binary's glue; binaries of one kind share a glue. */
const glueOf = (build: WasmBuild) =>
  build
    .replace(/^(simd128|relaxed)_threads/, "threads")
    .replace(/^(simd128|relaxed)/, "cpu")
    .replace("webgpu", "gpu");

/**
 * Returns a glue for one instance; each instance needs its own.
 * @throws WebertError `unsupported` if the package was built without this binary
 */
export async function loadGlue(build: WasmBuild, paths: WasmPaths): Promise<Glue> {
  const name = glueOf(build);
  const place = { name, url: build.endsWith("_full") ? paths.glues : paths[name as GlueFile] };
  if (!name.startsWith("threads")) return (await onDemand(() => glueModule(place))).default();
  const load = () => Promise.all([threadsModule(place), import("./pool.js")]);
  const [glue, { createThreadPool }] = await onDemand(load);
  const made = glue.default();
  return { ...made, ...createThreadPool(made, place) };
}

// Minimal modules with one function each. They validate only if the browser supports i8x16.popcnt (simd128) or
// i8x16.relaxed_swizzle (relaxed SIMD).
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

/**
 * Whether the engine is of 2025 or later: V8 since 13.6. In V8 11.3, 12.4 and 12.9 the kernels with relaxed SIMD do not fit the vector
 * registers: f32 then takes twice the time of simd128.
 */
const isRecent = () => "escape" in RegExp;

/**
 * Returns the fastest single-threaded build that runs here.
 * @throws WebertError `unsupported` if none runs
 */
export function bestBuild(): "simd128" | "relaxed" {
  if (typeof WebAssembly === "undefined") throw new WebertError("unsupported", "WebAssembly is not available");
  for (const build of ["relaxed", "simd128"] as const) {
    if (build === "relaxed" && !isRecent()) continue;
    if (WebAssembly.validate(new Uint8Array(PROBES[build]))) return build;
  }
  throw new WebertError("unsupported", "WebAssembly here lacks the vector instructions (simd128) that webert needs");
}
