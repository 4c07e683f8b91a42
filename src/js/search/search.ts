// Public types of search. The implementation is imported by the first call.

import type { Pipeline } from "../api/pipeline.js";
import type { ModelOptions } from "../engine/open.js";
import type { Source } from "../source.js";
import type { CallOptions } from "../tasks.js";

/** The id of a document. */
export type DocumentId = string | number;

/** The fields that every document has. */
export interface BaseDocument {
  /** Adding a document replaces an existing one with the same id. */
  id: DocumentId;
  /** A text of any length. Long texts are split into passages. */
  text: string;
}

/** A text to find. Other fields are stored and returned with the results; they must be JSON values. */
export interface IndexDocument extends BaseDocument {
  [field: string]: unknown;
}

/** How the texts of an index become vectors and words. */
export interface IndexModelOptions {
  /**
   * The model that makes the vectors: a pipeline for feature-extraction, or a source. By default the model that ships
   * with the package; models trained for sentence embeddings find far better. A given pipeline is not disposed of
   * with the index.
   */
  model?: Source | Pipeline<"feature-extraction"> | null;
  /**
   * A sparse encoder, e.g. SPLADE, whose scores can be added: a pipeline for feature-extraction, or a source. Passages
   * are encoded as documents, queries as queries. `loadIndex` takes the model that the file names. A given pipeline is
   * not disposed of with the index.
   */
  sparse?: Source | Pipeline<"feature-extraction"> | null;
  /** How to load the models, unless they are pipelines. */
  model_options?: ModelOptions | null;
  /** Called while the model loads: see `pipeline`. */
  progress_callback?: ModelOptions["progress_callback"];
  /** Stops the load. */
  signal?: AbortSignal | null;
}

/** Options of an index. */
export interface CreateIndexOptions extends IndexModelOptions {
  /**
   * How many leading numbers of each vector to keep, for models trained for truncation. By default all, or as the
   * model's folder specifies.
   */
  dimensions?: number | null;
  /**
   * How vectors are stored. "q8" takes 10 bits per number and keeps data to rescore the best: 484 bytes for 384
   * numbers. "fp32" takes about three times as much. Indexes of at most 256 vectors always use fp32.
   * @default "q8"
   */
  dtype?: "q8" | "fp32" | null;
  /**
   * How passages are scored: by the cosine between two vectors, or by their dot product, for models trained for it.
   * @default "cosine"
   */
  similarity?: "cosine" | "dot" | null;
  /**
   * Whether texts can also be found by their words. This takes about as much memory as the texts.
   * @default true
   */
  words?: boolean | null;
  /** Maximum tokens of a passage. By default 128, or the model's limit if that is lower. */
  passage_length?: number | null;
  /** Maximum number of tokens that neighbouring passages share. By default a quarter of `passage_length`. */
  passage_overlap?: number | null;
  /**
   * Name of the model's prompt to put before passages. By default "document", "passage" or "corpus", if the model has
   * one.
   */
  prompt_name?: string | null;
}

/** Progress of adding documents. */
export interface IndexProgress {
  status: "index";
  /** Documents of this call that were added so far. */
  loaded: number;
  /** Documents of this call. */
  total: number;
  /** Progress in per cent. */
  progress: number;
}

export interface IndexAddOptions extends CallOptions {
  /** Called after every few documents. */
  progress_callback?: ((progress: IndexProgress) => void) | null;
}

/** Options of a search. `D` is the type of the documents. */
export interface IndexSearchOptions<D extends BaseDocument = IndexDocument> extends CallOptions {
  /**
   * Maximum number of passages to return.
   * @default 10
   */
  top_k?: number | null;
  /**
   * Number of the best passages to leave out, for further pages of results.
   * @default 0
   */
  offset?: number | null;
  /**
   * Documents that may be found: a function of the document, or fields with their values, e.g. `{ language: "en" }`. An
   * array of values allows each of them. By default all documents.
   */
  where?: ((document: D) => unknown) | { [K in keyof D]?: D[K] | readonly D[K][] } | null;
  /**
   * The share of words in the score besides meaning, from 0 to 1. true means 0.15, false means 0. 1 uses only words, by
   * BM25, and does not run the model. By default true if the index has words.
   */
  hybrid?: boolean | number | null;
  /**
   * The share of the sparse encoder's dot products in the score, from 0 to 1. The rest is as `hybrid` says. 1 uses
   * only them. true means 0.5. By default true if the index has a sparse encoder.
   */
  sparse?: boolean | number | null;
  /** Reorders the results by a cross-encoder: a pipeline for text-ranking, or a source. */
  rerank?: Source | Pipeline<"text-ranking"> | null;
  /**
   * How many passages the cross-encoder scores.
   * @default 30
   */
  rerank_candidates?: number | null;
  /**
   * Maximum number of passages of one document. null means no limit.
   * @default null
   */
  per_document?: number | null;
  /** Name of the model's prompt to put before the query. By default "query", if the model has one. */
  prompt_name?: string | null;
  /**
   * BM25's weight of repeated words.
   * @default 1.2
   */
  k1?: number | null;
  /**
   * BM25's weight of a passage's length, from 0 to 1.
   * @default 0.75
   */
  b?: number | null;
}

/** A found passage. `text` is `document.text.slice(start, end)`. */
export interface Passage {
  /**
   * The similarity of the vectors (for cosines at most 1), with a bonus for shared words: for the best word score,
   * share / (1 - share) of the distance between the best similarity and their mean. `hybrid: false` has no bonus, so
   * its scores can be compared between all indexes of a model. `hybrid: 1` has the BM25 score, `sparse: 1` the dot
   * product of the sparse vectors, and `rerank` the cross-encoder's. Another share of sparse vectors adds a bonus in the
   * same way.
   */
  score: number;
  text: string;
  start: number;
  end: number;
}

/** A found passage with the other fields of its document. */
export type IndexResult<D extends BaseDocument = IndexDocument> = Omit<D, keyof Passage> & Pick<D, "id"> & Passage;

/** Figures of an index. */
export interface IndexInfo {
  documents: number;
  passages: number;
  /** Numbers per vector; undefined until the first document is added. */
  dimensions: number | undefined;
  dtype: "q8" | "fp32";
  similarity: "cosine" | "dot";
  words: boolean;
  /** Whether passages have sparse vectors. */
  sparse: boolean;
  /** Bytes of memory for the vectors, and for words and passages. The documents themselves are not counted. */
  bytes: { vectors: number; words: number };
  /** Maximum tokens of a passage. */
  passage_length: number;
  passage_overlap: number;
}

/**
 * An index that finds texts by meaning and by words.
 * @example
 * ```ts
 * const index = await createIndex({ model: "sentence-transformers/all-MiniLM-L6-v2" });
 * await index.add([{ id: "piano", text: "The piano stands near the window.", room: 3 }]);
 * const [best] = await index.search("Where is the instrument?", { top_k: 1 });
 * best?.id; // "piano"
 * best?.room; // 3
 * ```
 * `D` is the type of the documents: `createIndex<Page>()` returns results with the fields of `Page`.
 */
export interface SearchIndex<D extends BaseDocument = IndexDocument> {
  /** Number of documents. */
  readonly size: number;
  readonly info: IndexInfo;
  /**
   * Adds documents, replacing existing ones with the same ids. If the call fails or is aborted, the documents
   * reported by the progress remain in the index. A document is never added in part.
   * @throws WebertError `bad_input` if two documents of the call have the same id
   * @example
   * ```ts
   * await index.add(pages, { progress_callback: ({ progress }) => (bar.value = progress) });
   * ```
   */
  add(documents: readonly D[] | D, options?: IndexAddOptions | null): Promise<void>;
  /** Returns whether the index contains a document with this id. */
  has(id: D["id"]): boolean;
  /** Removes documents by id. Returns how many existed. */
  remove(ids: readonly D["id"][] | D["id"]): Promise<number>;
  /**
   * Returns the passages that match a query best, best first.
   * @example
   * ```ts
   * const results = await index.search("how do I reset my password", { top_k: 5, rerank: "cross-encoder/ms-marco-MiniLM-L6-v2" });
   * ```
   */
  search(query: string, options?: IndexSearchOptions<D> | null): Promise<IndexResult<D>[]>;
  /**
   * Returns the index as one file, which `loadIndex` reads. With a name it is also stored: in a page by the Cache
   * API, in Node as a file at this path.
   * @example
   * ```ts
   * const blob = await index.save({ name: "notes" });
   * const again = await loadIndex("notes");
   * ```
   */
  save(options?: (CallOptions & { name?: string | null }) | null): Promise<Blob>;
  /** Frees the index, and the models that it loaded itself. Pending and later calls reject with `disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Creates an empty index. `D` is the type of its documents. */
export type CreateIndex = <D extends BaseDocument = IndexDocument>(
  options?: CreateIndexOptions | null,
) => Promise<SearchIndex<D>>;

/** Loads a saved index from the bytes of its file, its URL, or the name it was saved under. */
export type LoadIndex = <D extends BaseDocument = IndexDocument>(
  from: Blob | ArrayBuffer | Uint8Array | Response | URL | string,
  options?: IndexModelOptions | null,
) => Promise<SearchIndex<D>>;

/** The functions of search, imported on demand. */
export interface SearchApi {
  createIndex: CreateIndex;
  loadIndex: LoadIndex;
  hasIndex(name: string): Promise<boolean>;
  listIndexes(folder?: string): Promise<string[]>;
  deleteIndex(name: string): Promise<boolean>;
}
