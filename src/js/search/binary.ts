// The search binary: src/search without the code that runs models.

import { type ReadWasm, start, type Wasm } from "../engine/wasm.js";
import { onDemand } from "../on-demand.js";

/** Passages of documents. Documents are numbered in the order in which they were added. */
export interface WasmIndex {
  /**
   * Adds a document: start and end of each passage, the number of pieces per passage, the pieces of all passages, and
   * the vectors of all passages. With sparse vectors: the number of tokens per passage, and all tokens with their
   * weights.
   */
  add(
    places: Uint32Array,
    counts: Uint32Array,
    pieces: Uint32Array,
    vectors: Float32Array,
    sparse_counts: Uint32Array,
    tokens: Uint32Array,
    weights: Float32Array,
  ): void;
  /** Removes documents. The documents after them move up. */
  remove(documents: Uint32Array): void;
  /**
   * Returns four numbers per passage, best first: document, start, end and score. `share_of_words`: 0 uses only
   * vectors, 1 uses only words. `per_document`: 0 means no limit. `share_of_sparse`: 1 uses only the sparse vectors.
   */
  search(
    vector: Float32Array,
    pieces: Uint32Array,
    share_of_words: number,
    top_k: number,
    per_document: number,
    k1: number,
    b: number,
    share_of_sparse: number,
    tokens: Uint32Array,
    weights: Float32Array,
  ): Float64Array;
  /**
   * Returns eight numbers. They are the numbers of passages and dimensions, then the bytes of all vectors and of the
   * rest. Four flags (0 or 1) follow: uses dot products, is quantized, has words, has sparse vectors.
   */
  info(): Float64Array;
  /** Returns bytes `from` to `to` of a section of the file; empty for sections that the caller writes. */
  section(number: number, from: number, to: number): Uint8Array<ArrayBuffer>;
  free(): void;
}

/** Makes the header of a file. */
export interface WasmWriter {
  push(section: number, bytes: Uint8Array): void;
  header(index: WasmIndex): Uint8Array<ArrayBuffer>;
  free(): void;
}

/** Receives a file in pieces. */
export interface WasmReader {
  /** Returns the bytes of the header and of each section, and the number of documents. */
  lengths(): Float64Array;
  push(bytes: Uint8Array): void;
  /** Returns the index, and consumes the reader. */
  finish(): WasmIndex;
  free(): void;
}

/** Exports of the search binary. */
export interface SearchWasm {
  index(dimensions: number, dot: boolean, quantizes: boolean, words: boolean, sparse: boolean): WasmIndex;
  writer(): WasmWriter;
  reader(header: Uint8Array, size: number): WasmReader;
  /** Returns starts and ends of a text's passages. `ends` are the ends of its tokens, in UTF-16 code units. */
  cut(text: string, ends: Uint32Array, max: number, overlap: number): Uint32Array;
}

let instance: Promise<SearchWasm> | undefined;

/** Returns the only instance of the binary in this thread. A failed instance is replaced by the next call. */
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
