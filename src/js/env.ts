import type { Source } from "./source.js";
import type { Task } from "./tasks.js";

/** Settings of the whole package; change them before the first call that they concern. */
export interface Env {
  /** Where models named `owner/name` are fetched from; ends with a slash. */
  remoteHost: string;
  /** The folder of a model under `remoteHost`; `{model}` and `{revision}` are filled in. */
  remotePathTemplate: string;
  /** False: models named `owner/name` come from the cache or not at all. */
  allowRemoteModels: boolean;
  /** Whether models named `owner/name` are looked for under `localModelPath` first; at first only in Node. */
  allowLocalModels: boolean;
  /** The folder of local models: a path or a URL. */
  localModelPath: string;
  /** Whether there is a disk to read from; the package says it. */
  useFS: boolean;
  /** This package's version. */
  readonly version: string;
  /** Kept for programs written for transformers.js: nothing is logged here. */
  logLevel: number;
  /** Whether browsers keep fetched `owner/name` models in the Cache API, under `cacheKey`. */
  useBrowserCache: boolean;
  /** Whether Node keeps them in `cacheDir`. */
  useFSCache: boolean;
  /** Name of the browser's cache; `caches.delete(env.cacheKey)` empties it. */
  cacheKey: string;
  /** Node's cache folder; null: `webert` in the user's cache folder. */
  cacheDir: string | null;
  /** Where the wasm files are: a folder's URL, or the URL of each; null: beside the package's code. */
  wasmPaths: string | Partial<Record<WasmBuild, string>> | null;
  /** URL of the Worker's script; null: beside the package's code. */
  workerUrl: string | null;
  /** The model that `pipeline(task)` takes when none is named. */
  defaultModels: Partial<Record<Task, Source>>;
  /** Accepted and ignored, so that programs written for transformers.js can keep setting it. */
  backends: { onnx: { wasm: Record<string, unknown>; webgpu: Record<string, unknown>; versions: Record<string, string>; [setting: string]: unknown } };
}

/** The wasm files there are: for the CPU, of which the best that the browser validates is used, and for the GPU. */
export type WasmBuild = (typeof BUILDS)[number];
export const BUILDS = ["simd128", "relaxed", "simd128_threads", "relaxed_threads", "webgpu"] as const;

// Not written as one `new URL(…, import.meta.url)`: bundlers read that as an asset to copy, and the
// model is a folder of 23 MB that most applications replace by their own.
const code: string = import.meta.url;

/** The models that ship with the package, in a sibling of dist. */
const embedded = new URL("../models/minilm-mlm/", code).href;
const sentiment = new URL("../models/minilm-sentiment/", code).href;
/** Those that `env.defaultModels` names at first. */
export const EMBEDDED: readonly Source[] = [embedded, sentiment];

/** As in package.json. */
const VERSION = "0.1.0";

export const env: Env = {
  remoteHost: "https://huggingface.co/",
  remotePathTemplate: "{model}/resolve/{revision}/",
  allowRemoteModels: true,
  allowLocalModels: false,
  localModelPath: "/models/",
  useFS: false,
  version: VERSION,
  logLevel: 30,
  useBrowserCache: true,
  useFSCache: true,
  cacheKey: "webert",
  cacheDir: null,
  wasmPaths: null,
  workerUrl: null,
  defaultModels: {
    "fill-mask": embedded,
    "feature-extraction": embedded,
    "text-classification": sentiment,
  },
  backends: { onnx: { wasm: {}, webgpu: {}, versions: { common: VERSION, web: VERSION } } },
};

