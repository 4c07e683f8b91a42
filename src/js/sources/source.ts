// What a caller may give as a model, and the options of reading it.
import type { Env } from "../env.js";
import { WebertError } from "../errors.js";
import type { FileBytes, FolderSource } from "../source.js";
import { kindOf } from "../values.js";

/** Options of every function that reads a model. */
export interface SourceOptions {
  /** Branch, tag or commit of a model on the Hub. By default "main". */
  revision?: string | null;
  /** Subfolder of the model that has all its files. "onnx", the weights' folder in transformers.js, is ignored. */
  subfolder?: string | null;
  /** Load a model named `owner/name` from the cache only. */
  local_files_only?: boolean;
  /** Node: folder that stores models named `owner/name`. By default `env.cacheDir`. */
  cache_dir?: string | null;
  /**
   * Access token for gated and private models. It is sent only to the origin of `env.remoteHost`.
   * @example await pipeline("fill-mask", "owner/private", { token: "hf_…" });
   */
  token?: string | null;
  /** Called with progress while files arrive. The events are the same as in transformers.js. */
  progress_callback?: ((event: ProgressEvent) => void) | null;
  /** Stops the download and the load. The promise rejects with `aborted`. */
  signal?: AbortSignal | null | undefined;
}

/** The ONNX file that a call names. */
export interface OnnxChoice {
  /** Dtype as in transformers.js, or "auto". */
  dtype: string;
  /** Name of the file without the ending for its dtype; absent for "model". */
  name?: string;
  /** Whether the file is beside config.json instead of in the folder `onnx`. */
  isRoot?: boolean;
}

/** Progress of a file. `loaded` and `total` are in bytes; `total` is 0 if the server does not report it. */
export type ProgressEvent =
  | { status: "initiate" | "download" | "done"; name: string; file: string }
  | { status: "progress"; name: string; file: string; progress: number; loaded: number; total: number }
  | {
      status: "progress_total";
      name: string;
      progress: number;
      loaded: number;
      total: number;
      files: Record<string, { loaded: number; total: number }>;
    }
  | { status: "ready"; task: string; model: string };

/** An event of a load: progress, or the sizes of the weight files in bytes before they are read, 0 if unknown. */
export type LoadEvent = ProgressEvent | { status: "expected"; name: string; sizes: Record<string, number> };

/** A folder behind a URL. */
export interface UrlPlace {
  kind: "url";
  name: string;
  /** URL of the folder. Its path ends with a slash. */
  base: string;
  /** Location of each file, by its name in the folder. If absent, files are below `base`. */
  files?: Record<string, Blob | string>;
  /** Name of the cache that stores the files; null if none does. */
  store: string | null;
  /** Whether files are stored in `env.customCache`. */
  isCustom?: boolean;
  /** Node's cache folder, if the call names one. */
  cacheDir?: string;
  /** Whether files that are not stored may be fetched. */
  fetch: boolean;
  /** Name of a model on the Hub. */
  model?: string;
  token?: string;
}

/** A resolved source. It can be posted to a Worker. */
export type Place =
  | UrlPlace
  | { kind: "disk"; name: string; path: string }
  | { kind: "files"; name: string; files: Record<string, Blob> };

/**
 * Resolves a path to a URL of the page or a folder of this machine. Returns undefined for a name that is not a path.
 */
export type PlacePath = (path: string) => Promise<Place | undefined>;

/** Resolves a source. Fetches nothing. */
export async function locate(source: FolderSource, options: SourceOptions, env: Env, path: PlacePath): Promise<Place> {
  const subfolder = subfolderOf(options);
  if (typeof source === "object" && source !== null && "files" in source) {
    const files = within(subfolder, await contents(source.files));
    if (isBlobs(files)) return { kind: "files", name: "files", files };
    return { kind: "url", name: "files", base: "", store: null, fetch: true, files };
  }
  const text = source instanceof URL ? source.href : source;
  if (typeof text !== "string" || !text) {
    throw new WebertError("bad_input", `a model is named by a string, a URL or { files }, not ${kindOf(source)}`);
  }
  const isUrl = /^(https?|blob|data|chrome-extension|moz-extension):/.test(text);
  const place = isUrl ? placeUrl(text, text) : ((await path(text)) ?? placeHub(text, options, env));
  if (place.kind === "url") {
    const base = new URL(place.base);
    base.pathname += subfolder;
    return { ...place, base: base.href, ...tokenFor(base, options, env) };
  }
  return place.kind === "disk" ? { ...place, path: `${place.path}/${subfolder}` } : place;
}

/** Returns the option as a path that ends with a slash, or an empty string. */
export function subfolderOf({ subfolder }: SourceOptions): string {
  if (subfolder == null || subfolder === "onnx") return "";
  const path = textOption("subfolder", subfolder).replace(/^\/+|\/+$/g, "");
  if (leadsOut(path))
    throw new WebertError("bad_input", `subfolder is "${subfolder}", expected a folder within the model's`);
  return path && `${path}/`;
}

function within<T>(folder: string, files: Record<string, T>): Record<string, T> {
  const inside = Object.entries(files).filter(([name]) => name.startsWith(folder));
  return Object.fromEntries(inside.map(([name, file]) => [name.slice(folder.length), file]));
}

/** Returns the token if it may be sent to `base`: only the Hub may receive it. */
function tokenFor(base: URL, { token }: SourceOptions, env: Env): { token?: string } {
  if (token == null) return {};
  // A line break would start another header.
  if (!/^[\x21-\x7e]+$/.test(textOption("token", token)))
    throw new WebertError("bad_input", "token is no access token: it has characters that none has");
  return base.origin === parsed(env.remoteHost, "env.remoteHost").origin ? { token } : {};
}

function textOption(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new WebertError("bad_input", `${name} is a string, not ${kindOf(value)}`);
}

/** Returns whether a path contains `.` or `..`, also percent-encoded. */
const leadsOut = (path: string) => path.split(/[/\\]/).some((part) => /^(\.|%2e){1,2}$/i.test(part));

/** Returns the place of a URL, with or without a slash at its end. A query is kept on every file. */
export function placeUrl(name: string, url: string | URL): UrlPlace {
  const base = parsed(url, "the model");
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  return { kind: "url", name, base: base.href, store: null, fetch: true };
}

function parsed(url: string | URL, what: string): URL {
  try {
    return new URL(url);
  } catch (cause) {
    throw new WebertError("bad_input", `${what} is named by a URL, and "${url}" is none`, { cause });
  }
}

function placeHub(model: string, options: SourceOptions, env: Env): UrlPlace {
  if (!/^[\w.-]+(\/[\w.-]+)?$/.test(model) || leadsOut(model)) {
    throw new WebertError(
      "bad_input",
      `"${model}" is not a model: expected "owner/name", a URL, or a path that begins with / or ./`,
    );
  }
  const revision = textOption("revision", options.revision ?? "main");
  if (!revision || leadsOut(revision)) {
    throw new WebertError("bad_input", `revision is "${revision}", expected a branch, a tag or a commit`);
  }
  const path = env.remotePathTemplate
    .replaceAll("{model}", model)
    .replaceAll("{revision}", encodeURIComponent(revision));
  const cacheDir = options.cache_dir == null ? undefined : textOption("cache_dir", options.cache_dir);
  return {
    kind: "url",
    name: model,
    base: new URL(path, parsed(env.remoteHost, "env.remoteHost")).href,
    store: env.cacheKey,
    ...(cacheDir && { cacheDir }),
    fetch: env.allowRemoteModels && !options.local_files_only,
    model,
  };
}

/**
 * Returns files, or their URLs, by their path in the model's folder. Files of a dropped folder lose the folder's own
 * name.
 */
async function contents(files: ArrayLike<File> | Record<string, FileBytes>): Promise<Record<string, Blob | string>> {
  const entries: [string, FileBytes][] = isList(files)
    ? Array.from(files, (file: File | null | undefined) => [
        file?.webkitRelativePath?.replace(/^[^/]*\//, "") || file?.name || "",
        file as File,
      ])
    : Object.entries(files ?? {});
  const found: Record<string, Blob | string> = {};
  for (const [name, bytes] of entries) {
    if (!name)
      throw new WebertError("bad_input", "one of the files has no name: give a File, or an object of name: bytes");
    found[name] = bytes instanceof URL ? bytes.href : await blob(name, bytes);
  }
  return found;
}

const isBlobs = (files: Record<string, Blob | string>): files is Record<string, Blob> =>
  Object.values(files).every((file) => file instanceof Blob);

/** Returns a small JSON file from a value. */
export const jsonBlob = (value: object): Blob => new Blob([JSON.stringify(value)], { type: "application/json" });

function isList(files: object): files is ArrayLike<File> {
  return Array.isArray(files) || (typeof FileList !== "undefined" && files instanceof FileList);
}

async function blob(name: string, bytes: Exclude<FileBytes, URL>): Promise<Blob> {
  if (bytes instanceof Blob) return bytes;
  if (bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes)) return new Blob([bytes as BlobPart]);
  if (!(bytes instanceof Response)) {
    throw new WebertError(
      "bad_input",
      `the file ${name} is a Blob, ArrayBuffer, Uint8Array or Response, not ${kindOf(bytes)}`,
    );
  }
  if (!bytes.ok) throw new WebertError("not_found", `the file ${name} is a Response of status ${bytes.status}`);
  return bytes.blob();
}
