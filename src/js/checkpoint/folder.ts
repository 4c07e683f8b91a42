import { WebertError } from "../errors.js";
import type { FetchedFile } from "./fetching.js";
import { initiated, reported } from "./progress.js";
import type { LoadEvent, Place } from "./source.js";
import { chunks, join } from "./streams.js";
import { UrlFolder } from "./url-folder.js";

/** A file that was found, its bytes still to be read. */
export interface OpenFile {
  /** In bytes; 0 where it is not known. */
  size: number;
  /** Whether `size` is certain, and not what a server says of what may be compressed. */
  isExact: boolean;
  body: AsyncIterable<Uint8Array>;
  /** The bytes from an offset on, where they can be had without those before, and nobody needs these: a file that is being stored is read from end to end. */
  bodyFrom?(offset: number): AsyncIterable<Uint8Array> | undefined;
  /** On a disk: another one after the file was changed. */
  version?: string;
  /** The HTML page that a server sent in the file's place. */
  page?: string;
}

/** The folder of a model, wherever it is. */
export interface Folder {
  /** As progress events name it. */
  name: string;
  /** The file's full address, for messages. */
  address(file: string): string;
  /** Begins to read; undefined where there is no such file. */
  open(file: string, signal: AbortSignal): Promise<OpenFile | undefined>;
  /** Whether `page` is what comes for any file that does not exist, as a server in development may answer. */
  isFallback?(file: string, page: string, signal: AbortSignal): Promise<boolean>;
  /** Whether the file did not exist when it was last asked for. */
  wasAbsent?(file: string): Promise<boolean>;
  /** Whether there is such a file, without reading it; undefined where that cannot be found out now. */
  has?(file: string, signal: AbortSignal): Promise<boolean | undefined>;
  /** Names of the files in the folder or in one below it, if they can be listed. */
  list?(below?: string): Promise<string[]>;
  /** The file's size in bytes without reading it; undefined if it cannot be found out. */
  sizeOf?(file: string, signal: AbortSignal): Promise<number | undefined>;
  /** No longer keeps the files that were opened: one of them proved to be damaged. Gives whether any of them had been kept before. */
  forget?(): Promise<boolean>;
}

/** Keeps files that were fetched, by URL. */
export interface Store {
  /** The kept copy; undefined where there is none, or a part of it is missing. */
  get(url: string): Promise<OpenFile | undefined>;
  /** The bytes of `file` from `body`, stored as they pass; they end once that is done. What cannot be stored is only passed on. */
  keep(url: string, file: FetchedFile, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  drop(url: string): Promise<void>;
  /** Keeps that there was no such file, to be asked of `wasAbsent`. */
  keepAbsence(url: string): Promise<void>;
  wasAbsent(url: string): Promise<boolean>;
  /** Whether `wasAbsent` knows it, rather than taking every file that is not kept for absent. */
  keepsAbsence: boolean;
}

/** What reading a folder needs of the machine it runs on. */
export interface Reading {
  /** Where fetched files are kept; undefined where nothing can be. */
  store(place: Place & { kind: "url" }): Promise<Store | undefined>;
  /** Only where there is a disk. */
  disk?(name: string, path: string): Folder;
}

/** The signal and the progress callback of one load. */
export interface Control {
  signal: AbortSignal;
  progress?: (event: LoadEvent) => void;
}

/** The folder at a place. */
export async function openFolder(place: Place, reading: Reading): Promise<Folder> {
  if (place.kind === "files") return filesFolder(place.name, place.files);
  if (place.kind === "url") return new UrlFolder(place, place.store === null ? undefined : await reading.store(place));
  if (reading.disk) return reading.disk(place.name, place.path);
  throw new WebertError("unsupported", `${place.path} is a folder on disk, which a browser cannot read; use { files }`);
}

function filesFolder(name: string, files: Record<string, Blob>): Folder {
  return {
    name,
    address: (file) => `${file} (of the ${Object.keys(files).length} files given)`,
    open: async (file) => {
      const blob = files[file];
      return blob && openBlob(blob, file);
    },
    list: async () => Object.keys(files),
    sizeOf: async (file) => files[file]?.size,
  };
}

export function openBlob(blob: Blob, file: string): OpenFile {
  const bodyFrom = async function* (offset: number) {
    yield* chunks(blob.slice(offset).stream(), file);
  };
  return { size: blob.size, isExact: true, body: bodyFrom(0), bodyFrom };
}

/**
 * The load of a folder: `work`, once more where it fails over a file that is not what it should be and kept copies were
 * read; all files then come anew.
 */
export async function withFresh<T>(folder: Folder, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDamaged(WebertError.from(error).code) || !(await folder.forget?.())) throw error;
  }
  try {
    return await work();
  } catch (error) {
    if (isDamaged(WebertError.from(error).code)) await folder.forget?.();
    throw error;
  }
}

/** Whether an error says that a file is not what it should be. */
const isDamaged = (code: string) => ["bad_config", "bad_tokenizer", "bad_weights"].includes(code);

/** The error for a kept copy of which only `found` of `size` bytes are there. */
export function cutShort(address: string, found: number, size: number): WebertError {
  const code = /\.(safetensors|bin)/.test(address)
    ? "bad_weights"
    : /config\.json$/.test(address)
      ? "bad_config"
      : "bad_tokenizer";
  return new WebertError(code, `the kept copy of ${address} has ${found} of its ${size} bytes`);
}

/** A file that may be missing. Where the server cannot be asked, one that it did not have before counts as missing. */
export async function openOptional(folder: Folder, file: string, signal: AbortSignal): Promise<OpenFile | undefined> {
  let found: OpenFile | undefined;
  try {
    found = await folder.open(file, signal);
  } catch (error) {
    if (!signal.aborted && (await folder.wasAbsent?.(file))) return undefined;
    throw error;
  }
  if (found?.page !== undefined && !(await folder.isFallback?.(file, found.page, signal)))
    throw pageError(folder, file);
  return found;
}

/** A whole small file; undefined where it does not exist. */
export async function readFile(folder: Folder, file: string, control: Control): Promise<Uint8Array | undefined> {
  const found = await openOptional(folder, file, control.signal);
  if (!found || found.page !== undefined) return undefined;
  initiated(folder, file, control);
  return join(reported(folder, file, found, control));
}

/** As `readFile`, for a file that must be there: otherwise `not_found`. */
export async function needFile(folder: Folder, file: string, control: Control): Promise<Uint8Array> {
  initiated(folder, file, control);
  return join(reported(folder, file, needed(folder, file, await folder.open(file, control.signal)), control));
}

/** The file, or the error that says why there is none. */
export function needed(folder: Folder, file: string, found: OpenFile | undefined): OpenFile {
  if (found && found.page === undefined) return found;
  throw missing(folder, file, found);
}

/** The error for a file that was looked for: there is none, or a page came in its place. */
export function missing(folder: Folder, file: string, found: OpenFile | undefined): WebertError {
  if (found) return pageError(folder, file);
  const only = file.endsWith(".safetensors") ? " (weights are read from safetensors and pytorch_model.bin)" : "";
  return new WebertError(
    "not_found",
    `there is no ${file} in ${folder.name}: looked for ${folder.address(file)}${only}`,
  );
}

function pageError(folder: Folder, file: string): WebertError {
  return new WebertError("not_found", `${folder.address(file)}: the server sent an HTML page, not the file ${file}`);
}
