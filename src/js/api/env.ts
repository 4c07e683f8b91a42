import type { Source } from "../checkpoint/source.js";
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
  /** Whether `owner/name` models are kept in `customCache`, in place of the browser's cache or the folder. */
  useCustomCache: boolean;
  /** A cache of the caller's. In a browser models that it keeps are loaded in the page's thread, as a Worker cannot call it. */
  customCache: CustomCache | null;
  /**
   * What fetches a model's files, given a URL, and `signal` and `headers` as `fetch` takes them. Models are then loaded in
   * the page's thread, as a Worker cannot call it.
   */
  fetch: (url: any, init?: any) => Promise<Response>;
  /** Kept for programs written for transformers.js: browsers keep wasm files as they keep any file. */
  useWasmCache: boolean;
  /** Where the wasm files are: a folder's URL, or the URL of each; null: beside the package's code. */
  wasmPaths: string | Partial<Record<WasmBuild | "search", string>> | null;
  /** URL of the Worker's script, which may be a TrustedScriptURL; null: beside the package's code. */
  workerUrl: string | URL | { toString(): string } | null;
  /**
   * URL of a folder with a copy of the package's files, as `npx webert copy FOLDER` makes it: the wasm files, the Worker's
   * script, the models; null: where the bundler put them, or beside the package's code.
   */
  base: string | null;
  /**
   * The model that `pipeline(task)` takes when none is named; at first, where there is one, that which ships with the
   * package, and else for some tasks one of the Hub's: that which the default of transformers.js was made from.
   */
  defaultModels: Partial<Record<Task, Source>>;
  /** Accepted and ignored, so that programs written for transformers.js can keep setting it. */
  backends: {
    onnx: {
      wasm: Record<string, unknown>;
      webgpu: Record<string, unknown>;
      versions: Record<string, string>;
      [setting: string]: unknown;
    };
  };
}

/** What keeps fetched files by their URL, as a browser's Cache does. */
export interface CustomCache {
  match(url: string): Promise<Response | undefined>;
  /** The response's body comes in as it is downloaded. */
  put(url: string, response: Response): Promise<void>;
  /** Called for a file that proved to be damaged. */
  delete?(url: string): Promise<unknown>;
}

/** The binaries there are: for the CPU, of which the best that the browser validates is used, and for the GPU. */
export type Build = (typeof BUILDS)[number];
/** The wasm files: of each binary one with all features, too, which training needs, and models and tokenizers that came after BERT's. */
export type WasmBuild = Build | `${Build}_full`;
export const BUILDS = ["simd128", "relaxed", "simd128_threads", "relaxed_threads", "webgpu"] as const;
/**
 * The URLs of the wasm files, and that of the glues of those with all features, which an engine's Worker has not inside. An
 * entry that has no such files has no such URLs.
 */
export type WasmPaths = Record<Build, string> & Partial<Record<WasmBuild | "glues", string>>;

/** The models that ship with the package. */
export type OwnModels = Partial<Record<Task, Source>>;

/** As in package.json. */
const VERSION = "0.1.0";

const platformFetch: Env["fetch"] = (url: string, init?: RequestInit) => globalThis.fetch(url, init);

/** Whether models are fetched by a function of the caller's. */
export const hasOwnFetch = (): boolean => env.fetch !== platformFetch;

/**
 * The settings.
 * @example
 * env.localModelPath = "/assets/models/"; // where models named owner/name are looked for first
 * env.allowLocalModels = true;
 * env.allowRemoteModels = false;
 */
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
  useCustomCache: false,
  customCache: null,
  fetch: platformFetch,
  useWasmCache: true,
  wasmPaths: null,
  workerUrl: null,
  base: null,
  defaultModels: {
    "question-answering": "distilbert/distilbert-base-cased-distilled-squad",
    "zero-shot-classification": "typeform/distilbert-base-uncased-mnli",
  },
  backends: { onnx: { wasm: {}, webgpu: {}, versions: { common: VERSION, web: VERSION } } },
};
