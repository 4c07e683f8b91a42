// The binary that searches: src/search, without any of what runs models.
import { onDemand } from "../engine/on-demand.js";
import { type ReadWasm, start, type Wasm } from "../engine/wasm.js";

/** Passages of documents, which are numbered in the order in which they were added. */
export interface WasmIndex {
  /** A document: start and end of each passage, how many pieces it has, these one after another, and its vector. */
  add(places: Uint32Array, counts: Uint32Array, pieces: Uint32Array, vectors: Float32Array): void;
  /** Documents behind those that are taken away move up. */
  remove(documents: Uint32Array): void;
  /** Of each passage, best first: document, start, end, score. `share_of_words` 0: vectors alone, 1: words alone; `per_document` 0: any number. */
  search(
    vector: Float32Array,
    pieces: Uint32Array,
    share_of_words: number,
    top_k: number,
    per_document: number,
    k1: number,
    b: number,
  ): Float64Array;
  /** Passages, numbers of a vector, bytes of all vectors and of all else; as 0 or 1 whether there are dot products, quantizing, words. */
  info(): Float64Array;
  /** Bytes of a section of the file; empty for the caller's own. */
  section(number: number, from: number, to: number): Uint8Array<ArrayBuffer>;
  free(): void;
}

/** What a file's header is made by. */
export interface WasmWriter {
  push(section: number, bytes: Uint8Array): void;
  header(index: WasmIndex): Uint8Array<ArrayBuffer>;
  free(): void;
}

/** Takes a file in pieces. */
export interface WasmReader {
  /** Bytes of the header and of each section, and the number of documents. */
  lengths(): Float64Array;
  push(bytes: Uint8Array): void;
  /** Consumes the reader. */
  finish(): WasmIndex;
  free(): void;
}

/** What the binary makes. */
export interface SearchWasm {
  index(dimensions: number, dot: boolean, quantizes: boolean, words: boolean): WasmIndex;
  writer(): WasmWriter;
  reader(header: Uint8Array, size: number): WasmReader;
  /** Starts and ends of a text's passages, as the ends of its tokens in UTF-16 code units. */
  cut(text: string, ends: Uint32Array, max: number, overlap: number): Uint32Array;
}

let instance: Promise<SearchWasm> | undefined;

/** The binary's one instance in this thread; one that fails is replaced by the next call. */
export async function searchWasm(url: string, read: ReadWasm): Promise<SearchWasm> {
  if (instance) return instance;
  const forget = () => (instance = undefined);
  const glue = onDemand(() => import("#glue/search")).then(({ default: make }) => make());
  const started = start(glue, url, read);
  instance = started.then(named);
  started.then((wasm) => wasm.onfail(forget), forget);
  return instance;
}

const named = (wasm: Wasm): SearchWasm => ({
  index: (...args) => wasm.call("search_index", ...args) as WasmIndex,
  writer: () => wasm.call("index_writer") as WasmWriter,
  reader: (...args) => wasm.call("index_reader", ...args) as WasmReader,
  cut: (...args) => wasm.call("cut_passages", ...args) as Uint32Array,
});
