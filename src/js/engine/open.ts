import { abortable, signalOf } from "../abort.js";
import { BUILDS, env, GLUES, type OwnModels, type WasmBuild, type WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import type { Source } from "../source.js";
import { localPlace } from "../sources/local.js";
import { encoderFolder } from "../sources/module-entries.js";
import type { Hub } from "../sources/origin.js";
import { reader } from "../sources/reader.js";
import { locate, type Place, type PlacePath, type SourceOptions, subfolderOf } from "../sources/source.js";
import { withTotals } from "../sources/totals.js";
import type { Control } from "../sources/types.js";
import type { Task } from "../task-names.js";
import { kindOf } from "../values.js";
import { chosenDtype, type Dtype } from "./dtypes.js";
import type { Engine, EngineModel, LoadSpec, Machine } from "./engine.js";
import { EngineRegistry } from "./engine-registry.js";

/** Where a model is computed and how; null is as good as nothing. */
export interface ModelOptions extends SourceOptions {
  /** "auto": the best there is. One asked for by name and not to be had is an error (`unsupported`). */
  device?: "auto" | "webgpu" | "gpu" | "wasm" | "cpu" | null;
  /**
   * Precision of the weights in memory; "auto": "q8" on the CPU (see the README), that of the files on a GPU. Of
   * transformers.js' other names the nearest is taken, and `info.dtype_reason` says so.
   */
  dtype?: Dtype | { model?: Dtype; [file: string]: Dtype | undefined } | null;
  /** Fields that take the place of those of the same names in config.json: other labels, for example. */
  config?: object | null;
  /** Before there was `dtype`: true is "q8", false "fp32". */
  quantized?: boolean | null;
  /** Of an ONNX file; taken, without effect. */
  model_file_name?: string | null;
  /** Of ONNX; taken, without effect. */
  use_external_data_format?: unknown;
  /** Of ONNX; taken, without effect. */
  session_options?: unknown;
  /** Browsers: whether the model lives in a Worker (true) or in this thread. Node: always this thread. */
  worker?: boolean | null;
  /** Threads to compute with; 0: as many as useful. `info.threads` says how many there are. */
  threads?: number | null;
}

/** What explains a model's answers. Training is the part of the package that does. */
export interface Explainer {
  /** `from` is what the model was loaded from, as its gradients need another copy of it. */
  explain(engine: EngineModel, task: Task, args: unknown[], from?: Opened): Promise<unknown>;
}

/** What a model was loaded from. */
export interface Opened {
  source: Source;
  options: ModelOptions;
}

/** What differs between a browser and Node. */
export interface Platform {
  machine: Machine;
  /** The models that ship with this entry; `env.defaultModels` has them at first. */
  models: OwnModels;
  /** Why there are none, if there are not. */
  without?: string;
  /** Returns the URL of a wasm file, which `env.wasmPaths` may replace, or that of a glue; undefined if the entry has no such file. */
  wasmUrl<N extends keyof WasmPaths>(name: N): WasmPaths[N];
  /** The URL that relative addresses in `env` are relative to. */
  base(): string;
  path: PlacePath;
  /** Whether `owner/name` models are kept. */
  caching(): boolean;
  /** Whether a model is to be computed in a Worker; absent: never. */
  usesWorker?(place: Place, options: ModelOptions): boolean;
  createEngine(spec: LoadSpec, inWorker: boolean): Promise<Engine>;
  /** What trains models; absent where nothing can be imported on demand. */
  training?(platform: Platform): Promise<Explainer>;
}

// "cpu" is what transformers.js calls it in Node; its "gpu" is whatever GPU there is.
const DEVICES: Record<string, string> = { auto: "auto", webgpu: "webgpu", gpu: "webgpu", wasm: "wasm", cpu: "wasm" };

const engines = new EngineRegistry();

/** Loads the model of a source, into an engine that models of the same weights share. `needs` is what its use needs beside config.json and the weights. */
export async function openModel(
  platform: Platform,
  source: Source,
  options: ModelOptions,
  needs: { tokenizer: boolean; modules: boolean; task?: string; head?: string },
): Promise<{ engine: EngineModel; name: string; dtype_reason?: string }> {
  const device = deviceOf(options);
  const { dtype, reason } = chosenDtype(options);
  const config = plain(options.config);
  const hub = hubOf(source);
  const reading = control(options);
  const { tokenizer, modules, ...head } = needs;
  const load = async (place: Place, modulesPlace?: Place) => {
    const how = { device, dtype, ...head };
    const spec = {
      place,
      ...(modulesPlace && { modulesPlace }),
      how,
      tokenizer,
      modules,
      wasmPaths: wasmPaths(platform),
      threads: options.threads ?? 0,
      config,
      hub,
    };
    const inWorker = platform.usesWorker?.(place, options) ?? false;
    const create = () => platform.createEngine(spec, inWorker);
    const engine = await engines.open(spec, reading, inWorker ? "worker" : "local", create, platform.machine);
    return { engine, name: place.name, ...(reason && { dtype_reason: reason }) };
  };
  const lookInto = async (place: Place, error: unknown) => {
    const kinds = await import("../sources/folder-kinds.js").catch(() => undefined);
    if (!kinds) throw error;
    const folder = await (await reader()).openFolder(place, platform.machine);
    return kinds.encoderBelow(folder, reading, error);
  };
  const open = async () => {
    const place = await placeOf(platform, source, options);
    const opened = await load(place).catch((error: unknown) => lookInto(place, error));
    const below = typeof opened === "string" ? opened : encoderFolder(opened.engine.parts.files);
    if (typeof opened !== "string") {
      if (!below) return opened;
      await opened.engine.close();
    }
    const inner = await placeOf(platform, source, { ...options, subfolder: `${subfolderOf(options)}${below}` });
    return load(inner, place).catch(async (error: unknown) => {
      await lookInto(inner, error);
      throw error;
    });
  };
  // Not all that is awaited on the way takes a signal: a browser's adapter and cache, an import().
  return abortable(open(), reading.signal, ({ engine }) => engine.close());
}

/** The option `device` by our name of it. */
export function deviceOf({ device }: ModelOptions): string {
  const name = device ?? "auto";
  if (Object.hasOwn(DEVICES, name)) return DEVICES[name]!;
  throw new WebertError("unsupported", `there is no device "${name}"; there are ${Object.keys(DEVICES).join(", ")}`);
}

/** The option `config` as an object that can be posted to a Worker. */
export function plain(config: unknown): object | undefined {
  if (config == null) return undefined;
  if (typeof config === "object" && !Array.isArray(config)) return JSON.parse(JSON.stringify(config)) as object;
  throw new WebertError("bad_input", `config is an object of config.json's fields, not ${kindOf(config)}`);
}

/** The place of a source under the settings of `env`. */
export async function placeOf(platform: Platform, source: Source, options: SourceOptions): Promise<Place> {
  const place = (await localOf(platform, source, options)) ?? (await locate(source, options, env, platform.path));
  if (place.kind !== "url" || place.store === null) return place;
  if (env.useCustomCache) return { ...place, isCustom: true };
  return platform.caching() ? place : { ...place, store: null };
}

/** Whether a source is named as models of the Hub are. */
const isHubName = (source: Source): source is string =>
  typeof source === "string" && /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(source);

/** Where other models are, if the source is a name of one of theirs. */
export const hubOf = (source: Source): Hub | undefined =>
  isHubName(source) ? { host: env.remoteHost, template: env.remotePathTemplate } : undefined;

/** The place of a name `owner/name` among the local models, if it is there. */
async function localOf(platform: Platform, source: Source, options: SourceOptions): Promise<Place | undefined> {
  if (!isHubName(source)) return undefined;
  return localPlace(platform, source, control(options));
}

/** The signal and the callback of a call's options. */
export function control(options: SourceOptions): Control {
  const { progress_callback } = options;
  if (progress_callback != null && typeof progress_callback !== "function") {
    throw new WebertError("bad_input", `progress_callback is a function, not ${kindOf(progress_callback)}`);
  }
  return {
    signal: signalOf(options) ?? new AbortController().signal,
    progress: progress_callback ? once(withTotals(progress_callback)) : undefined,
  };
}

/** `callback`, not called again after it has thrown: that ends the load, and once is enough. */
function once<E>(callback: (event: E) => void): typeof callback {
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
export function wasmPaths(platform: Platform): WasmPaths {
  const paths = env.wasmPaths;
  const one = (build: WasmBuild) => {
    const path = typeof paths === "string" ? `${paths.replace(/\/?$/, "/")}webert_${build}.wasm` : paths?.[build];
    return [build, path ? new URL(path, platform.base()).href : platform.wasmUrl(build)];
  };
  const builds = BUILDS.flatMap((build): WasmBuild[] => [build, `${build}_full`]);
  const glues = GLUES.map((name) => [name, platform.wasmUrl(name)]);
  return Object.fromEntries([...builds.map(one), ...glues]) as WasmPaths;
}
