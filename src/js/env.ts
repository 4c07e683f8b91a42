import type { Source } from "./source.js";
import type { Task } from "./task-names.js";

/** Settings of the whole package. A setting must be changed before the first call that uses it. */
export interface Env {
  /** Host that serves models named `owner/name`. Must end with a slash. */
  remoteHost: string;
  /** Folder of a model under `remoteHost`; `{model}` and `{revision}` are filled in. */
  remotePathTemplate: string;
  /** Whether models named `owner/name` may be fetched. If false, they come from the cache or fail. */
  allowRemoteModels: boolean;
  /** Whether `owner/name` models are first looked up in `localModelPath`. True by default only in Node. */
  allowLocalModels: boolean;
  /** Folder of local models: a path or a URL. */
  localModelPath: string;
  /** Whether a disk can be read. Set by the package. */
  useFS: boolean;
  /** Version of the package. */
  readonly version: string;
  /** Has no effect; it exists for programs written for transformers.js. */
  logLevel: number;
  /** Whether browsers store fetched `owner/name` models in the Cache API, under `cacheKey`. */
  useBrowserCache: boolean;
  /** Whether Node stores fetched `owner/name` models in `cacheDir`. */
  useFSCache: boolean;
  /** Name of the browser's cache; `caches.delete(env.cacheKey)` empties it. */
  cacheKey: string;
  /** Node's cache folder. null means `webert` in the user's cache folder. */
  cacheDir: string | null;
  /** Whether `owner/name` models are stored in `customCache` instead of the browser's cache or the folder. */
  useCustomCache: boolean;
  /** A custom cache. In a browser, models stored in it load in the page's thread, because a Worker cannot call it. */
  customCache: CustomCache | null;
  /**
   * Fetches the files of models. It receives a URL, and `signal` and `headers` as `fetch` does. With a custom function,
   * models load in the page's thread, because a Worker cannot call it.
   */
  fetch: (url: any, init?: any) => Promise<Response>;
  /** Has no effect; it exists for programs written for transformers.js. Browsers cache wasm files like other files. */
  useWasmCache: boolean;
  /** Has no effect; it exists for programs written for transformers.js. */
  experimental_useCrossOriginStorage?: boolean;
  /** Location of the wasm files: the URL of a folder, or one URL per file. null means beside the package's code. */
  wasmPaths: string | Partial<Record<WasmBuild | "search", string>> | null;
  /** URL of the Worker's script; may be a TrustedScriptURL. null means beside the package's code. */
  workerUrl: string | URL | { toString(): string } | null;
  /**
   * URL of a folder with a copy of the package's files, made by `npx webert copy FOLDER`. The copy has the wasm files,
   * the Worker script and the models. null means where the bundler put them, or beside the package's code.
   */
  base: string | null;
  /**
   * Models that `pipeline(task)` uses if none is named. By default the model that ships with the package. Some tasks
   * without one use a Hub model: the original of the default model of transformers.js.
   */
  defaultModels: Partial<Record<Task, Source>>;
  /** Has no effect; it exists for programs written for transformers.js. */
  backends: {
    onnx: {
      wasm: Record<string, unknown>;
      webgpu: Record<string, unknown>;
      versions: Record<string, string>;
      [setting: string]: unknown;
    };
  };
}

/** Stores fetched files by URL, as a browser's Cache does. */
export interface CustomCache {
  match(url: string): Promise<Response | undefined>;
  /** Stores a file. The body of the response is still being downloaded. */
  put(url: string, response: Response): Promise<void>;
  /** Called if a stored file is damaged. */
  delete?(url: string): Promise<unknown>;
}

/** Names of the binaries. On the CPU, the best binary that the browser supports is used; "webgpu" is for the GPU. */
export type Build = (typeof BUILDS)[number];
/**
 * Names of the wasm files. Each binary also exists with all features (`_full`), which training and the model and
 * tokenizer families after BERT require.
 */
export type WasmBuild = Build | `${Build}_full`;
export const BUILDS = ["simd128", "relaxed", "simd128_threads", "relaxed_threads", "webgpu"] as const;
/** The scripts of the glues: one for each kind of binary, and one for all binaries with all features. */
export const GLUES = ["cpu", "threads", "gpu", "glues"] as const;
export type GlueFile = (typeof GLUES)[number];
/**
 * URLs of the wasm files, and of the glues that an engine's Worker imports. A URL is absent if the entry does not have
 * the file.
 */
export type WasmPaths = Record<Build, string> & Partial<Record<WasmBuild | GlueFile, string>>;

/** Models that ship with the package. */
export type OwnModels = Partial<Record<Task, Source>>;

/** Must be equal to the version in package.json. */
export const VERSION = "0.1.0";

const platformFetch: Env["fetch"] = (url: string, init?: RequestInit) => globalThis.fetch(url, init);

/** Returns whether `env.fetch` was replaced. */
export const hasOwnFetch = (): boolean => env.fetch !== platformFetch;

/**
 * The settings of the package.
 * @example
 * ```ts
 * env.localModelPath = "/assets/models/"; // where models named owner/name are looked for first
 * env.allowLocalModels = true;
 * env.allowRemoteModels = false;
 * ```
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
