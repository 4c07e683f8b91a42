// The interfaces of folders, files and stores.
import type { FetchedFile } from "./fetching.js";
import type { LoadEvent, Place } from "./source.js";

/** File names and bytes, as the wasm side takes them. */
export type Files = Record<string, Uint8Array>;

/** An opened file. Its bytes are not read yet. */
export interface OpenFile {
  /** In bytes; 0 if unknown. */
  size: number;
  /** Whether `size` is certain. A size that a server reports is not, if the file may be compressed. */
  isExact: boolean;
  body: AsyncIterable<Uint8Array>;
  /**
   * Returns the bytes from an offset on, without reading the bytes before. Absent for a file that is being stored,
   * which must be read completely.
   */
  bodyFrom?(offset: number): AsyncIterable<Uint8Array> | undefined;
  /** Version of a file on disk. It changes when the file changes. */
  version?: string;
  /** HTML page that a server sent instead of the file. */
  page?: string;
}

/** The folder of a model, in any place. */
export interface Folder {
  /** Name in progress events. */
  name: string;
  /** Returns the file's full address, for messages. */
  address(file: string): string;
  /** Opens a file; undefined if it does not exist. */
  open(file: string, signal: AbortSignal): Promise<OpenFile | undefined>;
  /** Returns whether the server sends `page` for every missing file, as development servers do. */
  isFallback?(file: string, page: string, signal: AbortSignal): Promise<boolean>;
  /** Returns whether the file was missing at the last request. */
  wasAbsent?(file: string): Promise<boolean>;
  /** Returns whether the file exists, without reading it; undefined if that is unknown now. */
  has?(file: string, signal: AbortSignal): Promise<boolean | undefined>;
  /** Returns the names of the files in the folder or in a folder below it. Absent if they cannot be listed. */
  list?(below?: string): Promise<string[]>;
  /** Returns the file's size in bytes without reading it; undefined if unknown. */
  sizeOf?(file: string, signal: AbortSignal): Promise<number | undefined>;
  /**
   * Removes the stored copies of the opened files, because one of them is damaged. Returns whether any copy had been
   * stored before.
   */
  forget?(): Promise<boolean>;
}

/** Stores fetched files by URL. */
export interface Store {
  /** Returns the stored copy; undefined if it is missing or incomplete. */
  get(url: string): Promise<OpenFile | undefined>;
  /**
   * Yields the bytes of `body` and stores them on the way. Ends when they are stored. If storing fails, the bytes are
   * only passed on.
   */
  keep(url: string, file: FetchedFile, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  drop(url: string): Promise<void>;
  /** Records that the file does not exist, for `wasAbsent`. */
  keepAbsence(url: string): Promise<void>;
  wasAbsent(url: string): Promise<boolean>;
  /** Whether absence is recorded. If false, `wasAbsent` returns true for every file that is not stored. */
  keepsAbsence: boolean;
}

/** What reading a folder requires from the machine. */
export interface Reading {
  /** Returns the store of fetched files; undefined if files cannot be stored. */
  store(place: Place & { kind: "url" }): Promise<Store | undefined>;
  /** Returns a folder on disk. Absent if the machine has no disk. */
  disk?(name: string, path: string): Folder;
}

/** The signal and the progress callback of one load. */
export interface Control {
  signal: AbortSignal;
  progress?: (event: LoadEvent) => void;
}
