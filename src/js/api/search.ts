// Search as programs see it; what does it is imported by those alone who call it.

import type { Source } from "../checkpoint/source.js";
import type { ModelOptions } from "../platforms/platform.js";
import type { Pipeline } from "./pipeline.js";
import type { CallOptions } from "./tasks.js";

/** What a document is known by. */
export type DocumentId = string | number;

/** A text to be found. Other fields are kept and given back with what is found; they have to be what JSON can hold. */
export interface IndexDocument {
  /** Adding a document of an id that there is already replaces that. */
  id: DocumentId;
  /** Of any length: what is longer than a passage is cut into several. */
  text: string;
  [field: string]: unknown;
}

/** How the texts of an index become vectors and words. */
export interface IndexModelOptions {
  /**
   * What makes the vectors: a pipeline for feature-extraction, or where its model is. By default the model that ships with the
   * package; one that was trained for sentence embeddings finds far better. A pipeline that is given is not disposed of with the index.
   */
  model?: Source | Pipeline<"feature-extraction"> | null;
  /** How a model is loaded that is not given as a pipeline. */
  model_options?: ModelOptions | null;
  /** Called while the model is loaded: see `pipeline`. */
  progress_callback?: ModelOptions["progress_callback"];
  /** Stops the load. */
  signal?: AbortSignal | null;
}

/** What an index is made of. */
export interface CreateIndexOptions extends IndexModelOptions {
  /** How many of its first numbers a vector keeps, for models that are trained for that; by default all, or as the folder says. */
  dimensions?: number | null;
  /**
   * How vectors are kept: "q8", 10 bits a number with what the best are scored again by, 484 bytes of 384 numbers; or "fp32", four
   * times as many. Up to 256 vectors are kept in fp32 in either case; "q8".
   */
  dtype?: "q8" | "fp32" | null;
  /** What a score is: the cosine of the angle between two vectors, or their dot product, for models that are trained for it; "cosine". */
  similarity?: "cosine" | "dot" | null;
  /** Whether texts can be found by their words, too, which takes about as much memory as the texts; true. */
  words?: boolean | null;
  /** The most tokens of a passage; 128, or fewer where the model takes fewer. */
  passage_length?: number | null;
  /** How many of a passage's last tokens the next one begins with, at most; a quarter of its length. */
  passage_overlap?: number | null;
  /** The name of the folder's prompt that is put before passages; by default "document", "passage" or "corpus" where there is one. */
  prompt_name?: string | null;
}

/** How far adding is. */
export interface IndexProgress {
  status: "index";
  /** Documents of this call that are in the index by now. */
  loaded: number;
  /** Documents of this call. */
  total: number;
  /** Per cent. */
  progress: number;
}

export interface IndexAddOptions extends CallOptions {
  /** Called after every few documents. */
  progress_callback?: ((progress: IndexProgress) => void) | null;
}

export interface IndexSearchOptions extends CallOptions {
  /** How many passages to give at most; 10. */
  top_k?: number | null;
  /**
   * Whether words count beside meaning: true, for 0.15 of the score; false, not at all; or how large their share is, 0 to 1. 1
   * is words alone, by BM25, for which the model need not run. By default true where the index has words.
   */
  hybrid?: boolean | number | null;
  /** Orders what was found once more by a cross-encoder: a pipeline for text-ranking, or where its model is. */
  rerank?: Source | Pipeline<"text-ranking"> | null;
  /** How many passages the cross-encoder is given; 30. */
  rerank_candidates?: number | null;
  /** The most passages of one document; null: any number, which is the default. */
  per_document?: number | null;
  /** The name of the folder's prompt that is put before the query; by default "query" where there is one. */
  prompt_name?: string | null;
  /** How much BM25 makes of repetitions; 1.2. */
  k1?: number | null;
  /** How much BM25 makes of a passage's length, 0 to 1; 0.75. */
  b?: number | null;
}

/**
 * A passage that was found: `text` is it, `document.slice(start, end)` of the document's text. Other fields are the document's.
 */
export interface IndexResult {
  id: DocumentId;
  /**
   * The similarity; of words alone BM25; of both their weighted sum, each on a scale on which the best passage has 1; of a
   * cross-encoder its score. Comparable within one search.
   */
  score: number;
  text: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** An index in figures. */
export interface IndexInfo {
  documents: number;
  passages: number;
  /** Numbers of a vector; undefined until there is one. */
  dimensions: number | undefined;
  dtype: "q8" | "fp32";
  similarity: "cosine" | "dot";
  words: boolean;
  /** Bytes of memory that the vectors take, and what finds words and passages; the documents themselves are not counted. */
  bytes: { vectors: number; words: number };
  /** The most tokens of a passage. */
  passage_length: number;
  passage_overlap: number;
}

/**
 * Texts that are found by what they mean and by their words.
 * @example
 * const index = await createIndex({ model: "sentence-transformers/all-MiniLM-L6-v2" });
 * await index.add([{ id: "piano", text: "The piano stands near the window.", room: 3 }]);
 * const [best] = await index.search("Where is the instrument?", { top_k: 1 });
 * best?.id; // "piano"
 * best?.room; // 3
 */
export interface SearchIndex {
  /** How many documents there are. */
  readonly size: number;
  readonly info: IndexInfo;
  /**
   * Adds documents. Those that the progress was told of are in the index, also where the rest fails or is aborted; of one document there are
   * all passages or none. A document takes the place of that of the same id; twice the same id in one call is `bad_input`.
   * @example
   * await index.add(pages, { progress_callback: ({ progress }) => (bar.value = progress) });
   */
  add(documents: readonly IndexDocument[] | IndexDocument, options?: IndexAddOptions | null): Promise<void>;
  /** Whether there is a document of an id. */
  has(id: DocumentId): boolean;
  /** Takes documents away; gives how many there were of these ids. */
  remove(ids: readonly DocumentId[] | DocumentId): Promise<number>;
  /**
   * The passages that answer a query best, best first.
   * @example
   * const results = await index.search("how do I reset my password", { top_k: 5, rerank: "cross-encoder/ms-marco-MiniLM-L6-v2" });
   */
  search(query: string, options?: IndexSearchOptions | null): Promise<IndexResult[]>;
  /**
   * The index as one file, which `loadIndex` takes. With a name it is kept, too: in a page by the Cache API, in Node as the file of that path.
   * @example
   * const blob = await index.save({ name: "notes" });
   * const again = await loadIndex("notes");
   */
  save(options?: (CallOptions & { name?: string | null }) | null): Promise<Blob>;
  /** Frees the index, and the models that it loaded by itself. Calls under way and later ones reject with `disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes an empty index. */
export type CreateIndex = (options?: CreateIndexOptions | null) => Promise<SearchIndex>;

/** Reads an index that was saved: a file's bytes, its URL, or the name by which it is kept. */
export type LoadIndex = (
  from: Blob | ArrayBuffer | Uint8Array | Response | URL | string,
  options?: IndexModelOptions | null,
) => Promise<SearchIndex>;

/** What those who search import on demand. */
export interface SearchApi {
  createIndex: CreateIndex;
  loadIndex: LoadIndex;
}
