import { signalOf } from "./abort.js";
import type { Engine, LoadSpec } from "./engine.js";
import { BUILDS, env, type OwnModels, type WasmBuild } from "./env.js";
import { WebertError } from "./errors.js";
import type { Control } from "./hub.js";
import type { Machine } from "./loading.js";
import { locate, type PlacePath, type Place, type Source, type SourceOptions } from "./source.js";
import { kindOf } from "./values.js";

/** Where a model is computed and how. */
export interface ModelOptions extends SourceOptions {
  /** "auto": the best there is. One asked for by name and not to be had is an error (`unsupported`). */
  device?: "auto" | "webgpu" | "wasm" | "cpu";
  /** Precision of the weights in memory; "auto": "q8" on the CPU (see the README), that of the files on a GPU. */
  dtype?: "auto" | "fp32" | "fp16" | "q8";
  /** Browsers: whether the model lives in a Worker (true) or in this thread. Node: always this thread. */
  worker?: boolean;
  /** Threads to compute with; 0: as many as useful. `info.threads` says how many there are. */
  threads?: number;
}

/** What differs between a browser and Node. */
export interface Platform {
  machine: Machine;
  /** The models that ship with this entry; `env.defaultModels` has them at first. */
  models: OwnModels;
  /** Why there are none, if there are not. */
  without?: string;
  /** The URL of a wasm file, unless `env.wasmPaths` says another. */
  wasmUrl(build: WasmBuild): string;
  /** The URL that relative addresses in `env` are relative to. */
  base(): string;
  path: PlacePath;
  /** Whether `owner/name` models are kept. */
  caching(): boolean;
  openEngine(spec: LoadSpec, control: Control, options: ModelOptions): Promise<Engine>;
}

// "cpu" is what transformers.js calls it in Node.
const DEVICES: Record<string, string> = { auto: "auto", webgpu: "webgpu", wasm: "wasm", cpu: "wasm" };
const DTYPES = ["auto", "fp32", "fp16", "q8"];

/** Loads the model of a source. `needs` is what its use needs beside config.json and the weights. */
export async function openModel(
  platform: Platform,
  source: Source,
  options: ModelOptions,
  needs: { tokenizer: boolean; pooling: boolean; task?: string; head?: string },
): Promise<{ engine: Engine; name: string }> {
  const { device = "auto", dtype = "auto", threads = 0 } = options;
  if (!Object.hasOwn(DEVICES, device)) {
    throw new WebertError("unsupported", `there is no device "${device}"; there are ${Object.keys(DEVICES).join(", ")}`);
  }
  if (!DTYPES.includes(dtype)) throw new WebertError("unsupported", `there is no dtype "${dtype}"; there are ${DTYPES.join(", ")}`);
  const place = await placeOf(platform, source, options);
  const { tokenizer, pooling, ...head } = needs;
  const spec = { place, how: { device: DEVICES[device]!, dtype, ...head }, tokenizer, pooling, wasmPaths: wasmPaths(platform), threads };
  return { engine: await platform.openEngine(spec, control(options), options), name: place.name };
}

/** The place of a source under the settings of `env`. */
export async function placeOf(platform: Platform, source: Source, options: SourceOptions): Promise<Place> {
  const place = await locate(source, options, env, platform.path);
  if (place.kind !== "url" || place.store === null) return place;
  if (env.useCustomCache) return { ...place, isCustom: true };
  return platform.caching() ? place : { ...place, store: null };
}

/** The signal and the callback of a call's options. */
export function control(options: SourceOptions): Control {
  const { progress_callback } = options;
  if (progress_callback != null && typeof progress_callback !== "function") {
    throw new WebertError("bad_input", `progress_callback is a function, not ${kindOf(progress_callback)}`);
  }
  return { signal: signalOf(options) ?? new AbortController().signal, progress: progress_callback ? once(progress_callback) : undefined };
}

/** `callback`, not called again after it has thrown: that ends the load, and once is enough. */
function once(callback: NonNullable<SourceOptions["progress_callback"]>): typeof callback {
  let hasThrown = false;
  return (event) => {
    if (hasThrown) return;
    try {
      callback(event);
    } catch (error) {
      hasThrown = true;
      throw error;
    }
  };
}

/** The URLs of the wasm files. */
export function wasmPaths(platform: Platform): Record<WasmBuild, string> {
  const paths = env.wasmPaths;
  const one = (build: WasmBuild) => {
    const path = typeof paths === "string" ? `${paths.replace(/\/?$/, "/")}webert_${build}.wasm` : paths?.[build];
    return path ? new URL(path, platform.base()).href : platform.wasmUrl(build);
  };
  return Object.fromEntries(BUILDS.map((build) => [build, one(build)])) as Record<WasmBuild, string>;
}
