import { WebertError } from "./errors.js";
import type { Place, ProgressEvent } from "./source.js";

/** A file that was found, its bytes still to be read; `size` in bytes, 0 where it is not known. */
export interface OpenFile {
  size: number;
  body: AsyncIterable<Uint8Array>;
  /** The server answered with an HTML page in the file's place. */
  page?: boolean;
}

/** The folder of a model, wherever it is. */
export interface Folder {
  /** As progress events name it. */
  name: string;
  /** The file's full address, for messages. */
  address(file: string): string;
  /** Begins to read; undefined where there is no such file. */
  open(file: string, signal: AbortSignal): Promise<OpenFile | undefined>;
  /** Whether the file is kept on this machine. */
  kept?(file: string): Promise<boolean>;
  /** No longer keeps the files that were opened: one of them proved to be damaged, and is to come anew. */
  forget?(): Promise<void>;
}

/** Keeps files that were fetched, by URL. */
export interface Store {
  get(url: string): Promise<OpenFile | undefined>;
  /** The same file, stored as its bytes are read to the end. */
  keep(url: string, response: Response): Promise<OpenFile>;
  drop(url: string): Promise<void>;
}

/** What reading a folder needs of the machine it runs on. */
export interface Reading {
  store(name: string): Promise<Store | undefined>;
  /** Only where there is a disk. */
  disk?(name: string, path: string): Folder;
}

/** The signal and the progress callback of one load. */
export interface Control {
  signal: AbortSignal;
  progress?: (event: ProgressEvent) => void;
}

/** The folder at a place. */
export async function openFolder(place: Place, reading: Reading): Promise<Folder> {
  if (place.kind === "files") return filesFolder(place.name, place.files);
  if (place.kind === "url") return urlFolder(place, place.store === null ? undefined : await reading.store(place.store));
  if (reading.disk) return reading.disk(place.name, place.path);
  throw new WebertError("unsupported", `${place.path} is a folder on disk, which a browser cannot read; use { files }`);
}

function filesFolder(name: string, files: Record<string, Blob>): Folder {
  return {
    name,
    address: (file) => `${file} (of the ${Object.keys(files).length} files given)`,
    open: async (file) => {
      const blob = files[file];
      return blob && { size: blob.size, body: chunks(blob.stream(), file) };
    },
  };
}

function urlFolder(place: Place & { kind: "url" }, store: Store | undefined): Folder {
  const address = (file: string) => {
    const given = place.files?.[file];
    if (place.files) return typeof given === "string" ? given : `${file} (of the ${Object.keys(place.files).length} files given)`;
    const url = new URL(place.base);
    url.pathname += file;
    return url.href;
  };
  const asked = new Set<string>();
  return {
    name: place.name,
    address,
    async forget() {
      await Promise.all([...asked].map((url) => store?.drop(url)));
    },
    kept: async (file) => (await store?.get(address(file))) !== undefined,
    async open(file, signal) {
      const given = place.files?.[file];
      if (given instanceof Blob) return { size: given.size, body: chunks(given.stream(), file) };
      if (place.files && !given) return undefined;
      const url = address(file);
      asked.add(url);
      const stored = await store?.get(url);
      if (stored) return stored;
      if (!place.fetch) return undefined;
      const response = await get(url, signal);
      if (!response) return undefined;
      if (isPage(response)) {
        await response.body?.cancel();
        return { size: 0, body: nothing(), page: true };
      }
      return store ? store.keep(url, response) : opened(url, response);
    },
  };
}

/** The response, or undefined where the server says that there is no such file. */
async function get(url: string, signal: AbortSignal): Promise<Response | undefined> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    throw new WebertError("network", `${url} could not be fetched: ${reason(cause)}`, { cause });
  }
  if (response.ok) return response;
  await response.body?.cancel();
  // The Hub answers 401 for a model that does not exist, object stores 403 for a file that does not.
  if ([401, 403, 404, 410].includes(response.status)) return undefined;
  throw new WebertError("network", `${url}: the server answers ${response.status} ${response.statusText}`.trimEnd());
}

/** A response as a file. */
export function opened(url: string, response: Response): OpenFile {
  // With a content-encoding the length is that of the compressed bytes.
  const length = response.headers.has("content-encoding") ? 0 : Number(response.headers.get("content-length"));
  return { size: length || 0, body: response.body ? chunks(response.body, url) : nothing() };
}

function isPage(response: Response): boolean {
  return /^\s*(text\/html|application\/xhtml)/i.test(response.headers.get("content-type") ?? "");
}

/** A stream's chunks; not `for await` over the stream itself, which Safari lacks. */
export async function* chunks(stream: ReadableStream<Uint8Array>, address: string): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw new WebertError("network", `reading ${address} broke off: ${reason(cause)}`, { cause });
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** What a failed fetch says; Node hides it one level down. */
function reason(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error };
  return cause?.message || message;
}

/** Milliseconds between two progress events of a file: enough for a smooth bar. */
const REPORT = 40;

/** The file's bytes, reported as they pass. */
export async function* reported(folder: Folder, file: string, from: OpenFile, control: Control): AsyncGenerator<Uint8Array> {
  const { name } = folder;
  const report = (loaded: number) => {
    const total = from.size && Math.max(from.size, loaded);
    control.progress?.({ status: "progress", name, file, progress: total && (100 * loaded) / total, loaded, total });
  };
  control.progress?.({ status: "download", name, file });
  let loaded = 0;
  let last = 0;
  for await (const bytes of from.body) {
    if (loaded === 0 && looksLikePage(bytes)) throw pageError(folder, file);
    loaded += bytes.length;
    yield bytes;
    if (performance.now() - last < REPORT) continue;
    last = performance.now();
    report(loaded);
  }
  report(loaded);
  control.progress?.({ status: "done", name, file });
}

/**
 * A file that may be missing. Without a network, the model being kept, what is not kept with it
 * counts as missing.
 */
export async function openOptional(folder: Folder, file: string, signal: AbortSignal): Promise<OpenFile | undefined> {
  try {
    return await folder.open(file, signal);
  } catch (error) {
    if ((error as WebertError).code === "network" && (await folder.kept?.("config.json"))) return undefined;
    throw error;
  }
}

/** A whole small file; undefined where it does not exist, or where a page came in its place. */
export async function readFile(folder: Folder, file: string, control: Control): Promise<Uint8Array | undefined> {
  const found = await openOptional(folder, file, control.signal);
  if (!found || found.page) return undefined;
  control.progress?.({ status: "initiate", name: folder.name, file });
  return join(reported(folder, file, found, control));
}

/** As `readFile`, for a file that must be there: otherwise `not_found`. */
export async function needFile(folder: Folder, file: string, control: Control): Promise<Uint8Array> {
  control.progress?.({ status: "initiate", name: folder.name, file });
  return join(reported(folder, file, needed(folder, file, await folder.open(file, control.signal)), control));
}

/** The file, or the error that says why there is none. */
export function needed(folder: Folder, file: string, found: OpenFile | undefined): OpenFile {
  if (found && !found.page) return found;
  throw missing(folder, file, found);
}

/** The error for a file that was looked for: there is none, or a page came in its place. */
export function missing(folder: Folder, file: string, found: OpenFile | undefined): WebertError {
  if (found) return pageError(folder, file);
  const only = file.endsWith(".safetensors") ? " (weights are read from safetensors; ONNX is not)" : "";
  return new WebertError("not_found", `there is no ${file} in ${folder.name}: looked for ${folder.address(file)}${only}`);
}

function pageError(folder: Folder, file: string): WebertError {
  return new WebertError("not_found", `${folder.address(file)}: the server sent an HTML page, not the file ${file}`);
}

/** Neither JSON, nor a vocabulary, nor safetensors begins like this. */
function looksLikePage(start: Uint8Array): boolean {
  const text = String.fromCharCode(...start.subarray(0, 64));
  return /^\s*<(!doctype html|html|head|!--)/i.test(text);
}

async function join(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const list: Uint8Array[] = [];
  let size = 0;
  for await (const part of parts) {
    list.push(part);
    size += part.length;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of list) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
