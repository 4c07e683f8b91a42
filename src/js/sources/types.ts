import type { FetchedFile } from "./fetching.js";
import type { LoadEvent, Place } from "./source.js";

/** File name → bytes, as the wasm side takes them. */
export type Files = Record<string, Uint8Array>;

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
