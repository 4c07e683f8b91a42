import type { Env } from "./env.js";
import { WebertError } from "./errors.js";
import { kindOf } from "./values.js";

/** The bytes of a file, as a caller has them. */
export type FileBytes = Blob | ArrayBuffer | Uint8Array | Response;

/**
 * Where a model comes from: `"owner/name"` on the Hub; a URL, or a path that begins with `/`, `./`
 * or `../`, of its folder (in Node also a folder on disk); or its files themselves: a FileList, an array of Files, or an object name → bytes.
 */
export type Source = string | URL | { files: ArrayLike<File> | Record<string, FileBytes> };

/** Options of everything that reads a model. */
export interface SourceOptions {
  /** Branch, tag or commit of a model on the Hub; "main". */
  revision?: string;
  /** Take a model named `owner/name` from the cache only. */
  local_files_only?: boolean;
  /** Called as files arrive; the events of transformers.js. */
  progress_callback?: ((event: ProgressEvent) => void) | null;
  /** Stops the download and the load; the promise rejects with `aborted`. */
  signal?: AbortSignal;
}

/** How far a file is. `loaded` and `total` are bytes, `total` 0 where the server does not say. */
export type ProgressEvent =
  | { status: "initiate" | "download" | "done"; name: string; file: string }
  | { status: "progress"; name: string; file: string; progress: number; loaded: number; total: number }
  | { status: "progress_total"; name: string; progress: number; loaded: number; total: number; files: Record<string, { loaded: number; total: number }> }
  | { status: "ready"; task: string; model: string };

/** A source made definite; can be posted to a Worker. */
export type Place =
  | { kind: "url"; name: string; base: string; store: string | null; fetch: boolean }
  | { kind: "disk"; name: string; path: string }
  | { kind: "files"; name: string; files: Record<string, Blob> };

/** What a path means here: a URL of the page, or a folder of this machine; undefined: no path. */
export type PlacePath = (path: string) => Promise<Place | undefined>;

/** Finds out which kind of source it is. Nothing is fetched. */
export async function locate(source: Source, options: SourceOptions, env: Env, path: PlacePath): Promise<Place> {
  if (typeof source === "object" && source !== null && "files" in source) {
    return { kind: "files", name: "files", files: await blobs(source.files) };
  }
  const text = source instanceof URL ? source.href : source;
  if (typeof text !== "string" || !text) {
    throw new WebertError("bad_input", `a model is named by a string, a URL or { files }, not ${kindOf(source)}`);
  }
  if (/^(https?|blob|data|chrome-extension|moz-extension):/.test(text)) return placeUrl(text, text);
  const place = await path(text);
  if (place) return place;
  if (/^[\w.-]+(\/[\w.-]+)?$/.test(text)) return placeHub(text, options, env);
  throw new WebertError("bad_input", `"${text}" is not a model: expected "owner/name", a URL, or a path that begins with / or ./`);
}

/** A folder behind a URL, with or without a slash at its end; a query is kept on every file. */
export function placeUrl(name: string, url: string | URL): Place {
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

function placeHub(model: string, options: SourceOptions, env: Env): Place {
  const revision = encodeURIComponent(options.revision ?? "main");
  const path = env.remotePathTemplate.replaceAll("{model}", model).replaceAll("{revision}", revision);
  return {
    kind: "url",
    name: model,
    base: new URL(path, parsed(env.remoteHost, "env.remoteHost")).href,
    store: env.cacheKey,
    fetch: env.allowRemoteModels && !options.local_files_only,
  };
}

/** Files by their path in the model's folder. Files of a dropped folder lose the folder's own name. */
async function blobs(files: ArrayLike<File> | Record<string, FileBytes>): Promise<Record<string, Blob>> {
  const entries: [string, FileBytes][] = isList(files)
    ? Array.from(files, (file: File | null | undefined) => [file?.webkitRelativePath?.replace(/^[^/]*\//, "") || file?.name || "", file as File])
    : Object.entries(files ?? {});
  const found: Record<string, Blob> = {};
  for (const [name, bytes] of entries) {
    if (!name) throw new WebertError("bad_input", "one of the files has no name: give a File, or an object of name: bytes");
    found[name] = await blob(name, bytes);
  }
  return found;
}

function isList(files: object): files is ArrayLike<File> {
  return Array.isArray(files) || (typeof FileList !== "undefined" && files instanceof FileList);
}

async function blob(name: string, bytes: FileBytes): Promise<Blob> {
  if (bytes instanceof Blob) return bytes;
  if (bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes)) return new Blob([bytes as BlobPart]);
  if (!(bytes instanceof Response)) {
    throw new WebertError("bad_input", `the file ${name} is a Blob, ArrayBuffer, Uint8Array or Response, not ${kindOf(bytes)}`);
  }
  if (!bytes.ok) throw new WebertError("not_found", `the file ${name} is a Response of status ${bytes.status}`);
  return bytes.blob();
}
