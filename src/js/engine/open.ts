// Opens a model: from the options of a call to an engine that is loaded or shared.
import { abortable, signalOf } from "../abort.js";
import { BUILDS, env, GLUES, type OwnModels, type WasmBuild, type WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import type { Source } from "../source.js";
import { localPlace } from "../sources/local.js";
import type { NamedStore } from "../sources/named-store.js";
import type { Hub } from "../sources/origin.js";
import { reader } from "../sources/reader.js";
import { encoderFolder } from "../sources/sentence-folder.js";
import {
  locate,
  type OnnxChoice,
  type Place,
  type PlacePath,
  type SourceOptions,
  subfolderOf,
} from "../sources/source.js";
import { withTotals } from "../sources/totals.js";
import type { Control, Files } from "../sources/types.js";
import type { Task } from "../task-names.js";
import { kindOf } from "../values.js";
import { chosenDtype, type Dtype } from "./dtypes.js";
import type { Engine, EngineModel, LoadSpec, Machine } from "./engine.js";
import { EngineRegistry } from "./engine-registry.js";

/** Options of loading a model. null means the default. */
export interface ModelOptions extends SourceOptions {
  /**
   * Device: "auto" chooses the best available. If a device named here is not available, the load fails with
   * `unsupported`.
   */
  device?: "auto" | "webgpu" | "gpu" | "wasm" | "cpu" | null;
  /**
   * Precision of the weights in memory, and in a folder with only ONNX files also the file, as in transformers.js.
   * "auto" is "q8" on the CPU (see the README), and the precision of the files on a
   * GPU. For other names of transformers.js the nearest precision is used, and `info.dtype_reason` explains it.
   */
  dtype?: Dtype | { model?: Dtype; [file: string]: Dtype | undefined } | null;
  /** Fields that replace fields of config.json, e.g. other labels. */
  config?: object | null;
  /** Older form of `dtype`: true is "q8", false is "fp32". */
  quantized?: boolean | null;
  /**
   * Precision that a model computes with, whatever the dtype of the file is: "auto", "fp32", "fp16" or "q8".
   * @default the precision that `dtype` names
   */
  compute?: "auto" | "fp32" | "fp16" | "q8" | null;
  /** Name of an ONNX file without the ending for its dtype, e.g. "model_O1" for `onnx/model_O1.onnx`. */
  model_file_name?: string | null;
  /** Option of ONNX. Accepted without effect. */
  use_external_data_format?: unknown;
  /** Option of ONNX. Accepted without effect. */
  session_options?: unknown;
  /**
   * PEFT adapter (LoRA or DoRA) that is added to the model's weights while they load: a folder with adapter_config.json.
   * @example await pipeline("text-classification", "owner/base", { adapter: "owner/adapter" });
   */
  adapter?: Source | null;
  /** Base model of a PEFT adapter that is loaded by itself. By default adapter_config.json names it. */
  base?: Source | null;
  /**
   * Run the model in a Worker (true) or in this thread (false). The default is true in browsers, and false in Node,
   * where a Worker takes 45 MB more and a call in this thread holds the event loop until it is done.
   */
  worker?: boolean | null;
  /** Number of threads; 0 means as many as useful. `info.threads` has the actual number. */
  threads?: number | null;
  /**
   * Load the larger binary, in which a model also returns `output_attention_scores` and `output_activations`. CPU only.
   * @default false
   */
  inspect?: boolean | null;
}

/** Explains a model's answers. Implemented by the training part of the package. */
export interface Explainer {
  /** Explains an answer. `from` is the source of the model, because gradients require a second copy. */
  explain(engine: EngineModel, task: Task, args: unknown[], from?: Opened): Promise<unknown>;
}

/** The source of a loaded model. */
export interface Opened {
  source: Source;
  options: ModelOptions;
  /** Places of the files that were loaded; absent if no encoder was. */
  places?: Places;
}

/** What a caller needs besides config.json and the weights. */
interface ModelParts {
  tokenizer: boolean;
  modules: boolean;
  task?: string;
  head?: string;
}

/** A loaded model. */
export interface OpenedModel {
  engine: EngineModel;
  name: string;
  dtype_reason?: string;
  places?: Places;
}

/** The places of a model's files: of the weights, and of an adapter of them. */
export interface Places {
  place: Place;
  adapter?: Place;
  configs?: Files;
  tokenizerPlace?: Place;
  hub?: Hub;
}

/** The differences between browsers and Node. */
export interface Platform {
  machine: Machine;
  /** Models that ship with this entry. They are the initial `env.defaultModels`. */
  models: OwnModels;
  /** Why the entry has no models, if it has none. */
  without?: string;
  /**
   * Returns the URL of a wasm file, which `env.wasmPaths` may replace, or of a glue; undefined if the entry has no such
   * file.
   */
  wasmUrl<N extends keyof WasmPaths>(name: N): WasmPaths[N];
  /** Returns the URL that relative URLs in `env` are resolved against. */
  base(): string;
  path: PlacePath;
  /** Returns whether `owner/name` models are stored. */
  caching(): boolean;
  /** Returns whether a model runs in a Worker. If absent, no model does. */
  usesWorker?(place: Place, options: ModelOptions): boolean;
  createEngine(spec: LoadSpec, inWorker: boolean): Promise<Engine>;
  /** Engines that models share, if not this thread's engines. */
  engines?: EngineRegistry;
  /** Opens the models that are kept under names. Absent if none can be kept. */
  modelStore?(): Promise<NamedStore>;
  /** Returns the training part. Absent if nothing can be imported on demand. */
  training?(platform: Platform): Promise<Explainer>;
}

// In transformers.js "cpu" is the CPU in Node, and "gpu" is any GPU.
const DEVICES: Record<string, string> = { auto: "auto", webgpu: "webgpu", gpu: "webgpu", wasm: "wasm", cpu: "wasm" };

const engines = new EngineRegistry();

/**
 * Loads a model into an engine, which models with the same weights share. `needs` names what the caller needs besides
 * config.json and the weights.
 */
export async function openModel(
  platform: Platform,
  source: Source,
  options: ModelOptions,
  needs: ModelParts,
): Promise<OpenedModel> {
  const reading = control(options);
  const load = loaderOf(platform, options, needs, reading);
  const lookInto = async (place: Place, error: unknown) => {
    const kinds = await import("../sources/folder-kinds.js").catch(() => undefined);
    if (!kinds) throw error;
    const folder = await (await reader()).openFolder(place, platform.machine);
    const named = async (name: string) => placeOf(platform, name, { ...options, revision: null, subfolder: null });
    return kinds.modelBelow(folder, place, reading, error, {
      config: options.config,
      task: needs.task,
      named,
      machine: platform.machine,
    });
  };
  const openAt = async (source: Source, options: ModelOptions, other?: Place): Promise<OpenedModel> => {
    const place = await placeOf(platform, source, options);
    const adapter = other ?? (await adapterIn(platform, place));
    const places = { place, ...(adapter && { adapter }), hub: hubOf(source) };
    const opened = await load(places).catch((error: unknown) => lookInto(place, error));
    if ("configs" in opened) return load({ ...places, ...opened });
    if ("base" in opened) {
      if (adapter) throw new WebertError("unsupported", `${place.name}: expected a base model, got another adapter`);
      const of = { ...options, revision: opened.revision, subfolder: null };
      return openAt(opened.base, of, place).catch((error: unknown) => Promise.reject(opened.explained(error)));
    }
    const below = "below" in opened ? opened.below : encoderFolder(opened.engine.parts.files);
    if (!("below" in opened)) {
      if (!below || adapter) return opened;
      await opened.engine.close();
    }
    const inner = await placeOf(platform, source, { ...options, subfolder: `${subfolderOf(options)}${below}` });
    return load({ ...places, place: inner }, place).catch(async (error: unknown) => {
      await lookInto(inner, error);
      throw error;
    });
  };
  const open = async () => {
    const { adapter, base } = options;
    if (adapter == null && base == null) return openAt(source, options);
    if (adapter != null && base != null)
      throw new WebertError("bad_input", "adapter, base: expected one of the two options, got both");
    const other = { ...options, revision: null, subfolder: null };
    if (adapter != null) return openAt(source, options, await placeOf(platform, adapter, other));
    return openAt(base!, other, await placeOf(platform, source, options));
  };
  // Some awaited operations take no signal: a browser's adapter and cache, and import().
  return abortable(open(), reading.signal, ({ engine }) => engine.close());
}

/**
 * Returns the place of a model if its folder also has an adapter of it, as transformers adds such an adapter. Looks only
 * where a missing file costs no request.
 */
async function adapterIn(platform: Platform, place: Place): Promise<Place | undefined> {
  const names = ["config.json", "adapter_config.json"];
  if (place.kind !== "disk") return place.files && names.every((name) => name in place.files!) ? place : undefined;
  const folder = await (await reader()).openFolder(place, platform.machine);
  const there = (await folder.list?.(".").catch(() => undefined)) ?? [];
  return names.every((name) => there.includes(name)) ? place : undefined;
}

/** Returns the function that loads the model of some places into an engine. */
function loaderOf(platform: Platform, options: ModelOptions, needs: ModelParts, reading: Control) {
  const device = deviceOf(options);
  const { dtype, reason, file } = chosenDtype(options);
  const onnx = onnxChoice(file, options);
  const config = plain(options.config);
  const { tokenizer, modules, ...head } = needs;
  return async (places: Places, modulesPlace?: Place): Promise<OpenedModel> => {
    const how = { device, dtype, ...head };
    const { place } = places;
    const spec = {
      ...places,
      ...(modulesPlace && { modulesPlace }),
      how,
      onnx,
      tokenizer,
      modules,
      wasmPaths: wasmPaths(platform),
      ...kernelCacheOf(platform),
      threads: options.threads ?? 0,
      config,
      ...(options.inspect && { inspect: true }),
    };
    const inWorker = platform.usesWorker?.(place, options) ?? false;
    const create = () => platform.createEngine(spec, inWorker);
    const registry = platform.engines ?? engines;
    const engine = await registry.open(spec, reading, inWorker ? "worker" : "local", create, platform.machine);
    const { name } = places.adapter ?? place;
    return { engine, name, places, ...(reason && { dtype_reason: reason }) };
  };
}

/** Returns the ONNX file that a call's options name. "model" is the name by default. */
export function onnxChoice(dtype: string, { model_file_name: name, subfolder }: ModelOptions): OnnxChoice {
  if (name != null && (typeof name !== "string" || !/^[\w-][\w.-]*$/.test(name)))
    throw new WebertError("bad_input", `model_file_name: expected the name of a file, got ${JSON.stringify(name)}`);
  return { dtype, ...(name != null && name !== "model" && { name }), ...(subfolder === "" && { isRoot: true }) };
}

/** Returns the option `device` under its name in this package. */
export function deviceOf({ device }: ModelOptions): string {
  const name = device ?? "auto";
  if (Object.hasOwn(DEVICES, name)) return DEVICES[name]!;
  throw new WebertError("unsupported", `there is no device "${name}"; there are ${Object.keys(DEVICES).join(", ")}`);
}

/** Returns the option `config` as an object that can be posted to a Worker. */
export function plain(config: unknown): object | undefined {
  if (config == null) return undefined;
  if (typeof config === "object" && !Array.isArray(config)) return JSON.parse(JSON.stringify(config)) as object;
  throw new WebertError("bad_input", `config is an object of config.json's fields, not ${kindOf(config)}`);
}

/** Returns the place of a source under the settings of `env`. */
export async function placeOf(platform: Platform, source: Source, options: SourceOptions): Promise<Place> {
  if (typeof source === "function") return placeOf(platform, await source(), options);
  if (isKept(source))
    return (await onDemand(() => import("../sources/saved-model.js"))).keptPlace(source, platform.modelStore);
  const place = (await localOf(platform, source, options)) ?? (await locate(source, options, env, platform.path));
  if (place.kind !== "url" || place.store === null) return place;
  if (env.useCustomCache) return { ...place, isCustom: true };
  return platform.caching() ? place : { ...place, store: null };
}

/** Returns whether a source is a model in one file, or its name. */
const isKept = (source: Source): source is { name: string } | { file: Blob } =>
  typeof source === "object" && source !== null && ("name" in source || "file" in source);

/** Returns whether a source is the name of a Hub model. */
const isHubName = (source: Source): source is string =>
  typeof source === "string" && /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(source);

/** Returns where other models are, if the source is the name of a Hub model. */
export const hubOf = (source: Source): Hub | undefined =>
  isHubName(source) ? { host: env.remoteHost, template: env.remotePathTemplate } : undefined;

/** Returns the place of `owner/name` among the local models, if it exists. */
async function localOf(platform: Platform, source: Source, options: SourceOptions): Promise<Place | undefined> {
  if (!isHubName(source)) return undefined;
  return localPlace(platform, source, control(options));
}

/** Returns the signal and the progress callback of a call's options. */
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

/** Returns a wrapper that stops calling `callback` after its first error, because that error ends the load. */
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

/** Returns where chosen kernels are kept, as a field of LoadSpec. */
export function kernelCacheOf(platform: Platform): Pick<LoadSpec, "kernelCache"> {
  return platform.caching() ? { kernelCache: { name: `${env.cacheKey}-kernels`, version: env.version } } : {};
}

/** Returns the URLs of the wasm files. */
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
