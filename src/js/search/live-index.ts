// An index in use: documents live here, passages live in the binary.
import { abortable, signalOf, throwIfAborted, ticker } from "../abort.js";
import type { Pipeline } from "../api/pipeline.js";
import type { ModelOptions } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { Mutex } from "../mutex.js";
import { check } from "../options/option-names.js";
import type { Source } from "../source.js";
import { kindOf, optionsOf } from "../values.js";
import { type AskedSearch, documentsOf, idOf, refuse, searchOptionsOf } from "./arguments.js";
import type { SearchWasm, WasmIndex } from "./binary.js";
import { type Embedder, isPipeline, type Models } from "./embedder.js";
import { type Description, writeIndex } from "./file.js";
import { type Passages, passagesOf } from "./passages.js";
import type {
  DocumentId,
  IndexAddOptions,
  IndexDocument,
  IndexInfo,
  IndexResult,
  IndexSearchOptions,
  SearchIndex,
} from "./search.js";
import { NO_SPARSE, type SparseEmbedder, type SparseVectors } from "./sparse.js";

/** How many passages are embedded at once. */
const BATCH = 32;
const EMPTY = new Float32Array();
const NO_PIECES = new Uint32Array();

/** Parts of an index that was created or loaded. */
export interface IndexParts {
  wasm: SearchWasm;
  index: WasmIndex;
  embedder: Embedder;
  /** The sparse encoder, if the index has one. */
  sparse: SparseEmbedder | undefined;
  documents: IndexDocument[];
  description: Description;
  models: Models;
  modelOptions: ModelOptions | null | undefined;
  /** Stores a file under a name. */
  keep(name: string, blob: Blob): Promise<void>;
}

/** A document and its passages. */
interface Ready {
  document: IndexDocument;
  passages: Passages;
}

export class LiveIndex implements SearchIndex {
  readonly #parts: IndexParts;
  #documents: IndexDocument[];
  /** Each document's number by its id. */
  #numbers!: Map<DocumentId, number>;
  /** Calls that change documents, or that must not see them change, run one after another. */
  readonly #mutex = new Mutex();
  /** Aborts when the index is disposed of. */
  readonly #life = new AbortController();
  readonly #rerankers = new Map<unknown, Promise<Pipeline<"text-ranking">>>();

  constructor(parts: IndexParts) {
    this.#parts = parts;
    this.#documents = parts.documents;
    this.#number();
  }

  get size(): number {
    return this.#documents.length;
  }

  get info(): IndexInfo {
    const [passages, dimensions, vectors, others, dot, quantizes, words, sparse] = this.#live().info();
    const { passage_length, passage_overlap } = this.#parts.description;
    return {
      documents: this.size,
      passages: passages!,
      dimensions: dimensions!,
      dtype: quantizes ? "q8" : "fp32",
      similarity: dot ? "dot" : "cosine",
      words: words === 1,
      sparse: sparse === 1,
      bytes: { vectors: vectors!, words: others! },
      passage_length,
      passage_overlap,
    };
  }

  has(id: DocumentId): boolean {
    return this.#numbers.has(id);
  }

  async add(given: readonly IndexDocument[] | IndexDocument, options?: IndexAddOptions | null): Promise<void> {
    return this.#withWebertErrors(async () => {
      const { progress_callback, ...rest } = optionsOf<IndexAddOptions>(options);
      check("index.add", optionsOf(options));
      if (progress_callback != null && typeof progress_callback !== "function")
        throw refuse(`progress_callback: expected a function, got ${kindOf(progress_callback)}`);
      const documents = documentsOf(given);
      const signal = signalOf(rest);
      throwIfAborted(signal);
      await this.#mutex.runExclusive(async () => {
        for (let from = 0; from < documents.length; ) {
          const batch = await this.#read(documents, from, signal);
          await this.#take(batch, signal);
          from += batch.length;
          const [loaded, total] = [from, documents.length];
          progress_callback?.({ status: "index", loaded, total, progress: (100 * loaded) / total });
        }
      });
    });
  }

  /** Returns the passages of the next documents: enough documents for a batch of passages, or all that remain. */
  async #read(documents: readonly IndexDocument[], from: number, signal: AbortSignal | undefined): Promise<Ready[]> {
    const { embedder, wasm, description } = this.#parts;
    const lengths = { length: description.passage_length, overlap: description.passage_overlap };
    const tick = ticker(signal);
    const batch: Ready[] = [];
    let count = 0;
    for (const document of documents.slice(from, from + BATCH)) {
      await tick();
      this.#live();
      const passages = await passagesOf(document.text, embedder, wasm, lengths);
      batch.push({ document, passages });
      count += passages.counts.length;
      if (count >= BATCH) break;
    }
    return batch;
  }

  /** Embeds documents, then adds them to the index, replacing documents that have the same ids. */
  async #take(batch: readonly Ready[], signal: AbortSignal | undefined): Promise<void> {
    // Embedding comes first: if it fails, the old documents of these ids stay.
    const vectors = await this.#embed(batch, signal);
    throwIfAborted(signal);
    const index = this.#live();
    this.#drop(batch.map(({ document }) => document.id));
    for (const [n, { document, passages }] of batch.entries()) {
      const { places, counts, pieces } = passages;
      const of = [places, counts, pieces].map((numbers) => Uint32Array.from(numbers));
      const { dense, sparse } = vectors[n]!;
      index.add(of[0]!, of[1]!, of[2]!, dense, sparse.counts, sparse.tokens, sparse.weights);
      this.#numbers.set(document.id, this.#documents.length);
      this.#documents.push(document);
    }
  }

  /** Returns the vectors of each document's passages, joined in order. */
  async #embed(
    batch: readonly Ready[],
    signal: AbortSignal | undefined,
  ): Promise<{ dense: Float32Array; sparse: SparseVectors }[]> {
    const { embedder, sparse, description } = this.#parts;
    const texts = batch.map(({ document, passages: { places, counts } }) =>
      counts.map((_, n) => document.text.slice(places[2 * n], places[2 * n + 1])),
    );
    const all = texts.flat();
    const vectors: Float32Array[] = [];
    for (let from = 0; from < all.length; from += BATCH) {
      this.#live();
      const some = all.slice(from, from + BATCH);
      vectors.push(...(await embedder.vectors(some, "passage", description.prompt_name ?? undefined, signal)));
    }
    const width = vectors[0]!.length;
    let next = 0;
    const found = [];
    for (const ofDocument of texts) {
      const dense = new Float32Array(ofDocument.length * width);
      for (const n of ofDocument.keys()) dense.set(vectors[next++]!, n * width);
      this.#live();
      found.push({ dense, sparse: sparse ? await sparse.vectors(ofDocument, "document", signal) : NO_SPARSE });
    }
    return found;
  }

  async remove(ids: readonly DocumentId[] | DocumentId): Promise<number> {
    return this.#withWebertErrors(async () => {
      const asked = (Array.isArray(ids) ? ids : [ids]) as readonly unknown[];
      const known = asked.map((id, n) => idOf(id, `id ${n + 1}`));
      return this.#mutex.runExclusive(() => this.#drop(known));
    });
  }

  /** Removes documents by id. Returns how many existed. */
  #drop(ids: readonly DocumentId[]): number {
    const numbers = new Set(ids.map((id) => this.#numbers.get(id)).filter((n) => n !== undefined));
    if (!numbers.size) return 0;
    this.#live().remove(Uint32Array.from(numbers));
    this.#documents = this.#documents.filter((_, n) => !numbers.has(n));
    this.#number();
    return numbers.size;
  }

  #number(): void {
    this.#numbers = new Map(this.#documents.map(({ id }, n) => [id, n]));
  }

  async search(query: string, options?: IndexSearchOptions | null): Promise<IndexResult[]> {
    return this.#withWebertErrors(async () => {
      if (typeof query !== "string") throw refuse(`query: expected a string, got ${kindOf(query)}`);
      const asked = searchOptionsOf(options, this.info);
      const { signal, rerank, candidates, offset } = asked;
      const most = offset + asked.top_k;
      throwIfAborted(signal);
      const reranker = rerank && (await this.#reranker(rerank, signal));
      const found = await this.#find(query, asked, reranker ? Math.max(most, candidates) : most);
      if (!reranker || !found.length) return found.slice(offset);
      const texts = found.map(({ text }) => text);
      const order = await reranker(query, texts, { top_k: most, ...(signal && { signal }) });
      return order.slice(offset).map(({ corpus_id, score }) => ({ ...found[corpus_id]!, score }));
    });
  }

  async #find(query: string, asked: AskedSearch, count: number): Promise<IndexResult[]> {
    const { share, sparse, per_document, prompt_name, k1, b, signal } = asked;
    const { embedder } = this.#parts;
    const isSparse = sparse === 1;
    const [vector] = share === 1 || isSparse ? [EMPTY] : await embedder.vectors([query], "query", prompt_name, signal);
    const terms = sparse ? await this.#parts.sparse!.vectors([query], "query", signal) : NO_SPARSE;
    const index = this.#live();
    const pieces = share === 0 || isSparse ? NO_PIECES : embedder.pieces(query).ids;
    const search = (most: number) =>
      index.search(vector!, pieces, share, most, per_document, k1, b, sparse, terms.tokens, terms.weights);
    return this.#kept(search, count, asked.where);
  }

  /** Returns the best `count` hits whose documents `where` keeps. It asks for more hits until there are enough. */
  #kept(search: (most: number) => Float64Array, count: number, where: AskedSearch["where"]): IndexResult[] {
    for (let most = where ? 4 * count : count; ; most *= 4) {
      const hits = search(most);
      const found: IndexResult[] = [];
      for (let at = 0; at < hits.length && found.length < count; at += 4) {
        const [number, start, end, score] = hits.subarray(at, at + 4) as unknown as [number, number, number, number];
        const document = this.#documents[number]!;
        if (where && !where(document)) continue;
        const { text, ...fields } = document;
        found.push({ ...fields, score, text: text.slice(start, end), start, end });
      }
      if (!where || found.length >= count || hits.length < 4 * most) return found;
    }
  }

  /** Returns a pipeline for ranking: the caller's, or the index's own, which is loaded once per source. */
  async #reranker(
    rerank: Source | Pipeline<"text-ranking">,
    signal: AbortSignal | undefined,
  ): Promise<Pipeline<"text-ranking">> {
    if (isPipeline(rerank)) {
      if (rerank.task === "text-ranking") return rerank;
      throw refuse(`rerank: expected a pipeline for text-ranking or a source, got a pipeline for ${rerank.task}`);
    }
    const { models, modelOptions } = this.#parts;
    const known = this.#rerankers.get(rerank);
    const loading = known ?? models.pipeline("text-ranking", rerank, { ...modelOptions, signal: this.#life.signal });
    this.#rerankers.set(rerank, loading);
    loading.catch(() => this.#rerankers.delete(rerank));
    return abortable(loading, signal);
  }

  async save(options?: { name?: string | null; signal?: AbortSignal } | null): Promise<Blob> {
    return this.#withWebertErrors(async () => {
      const { name, ...rest } = optionsOf<{ name: string | null; signal: AbortSignal }>(options);
      check("index.save", optionsOf(options));
      if (name != null && (typeof name !== "string" || !name))
        throw refuse(`name: expected a non-empty string, got ${kindOf(name)}`);
      const { wasm, description, keep } = this.#parts;
      const blob = await this.#mutex.runExclusive(() => {
        const tick = ticker(signalOf(rest));
        return writeIndex(wasm, this.#live(), description, this.#documents, async () => {
          await tick();
          this.#live();
        });
      });
      if (name != null) await keep(name, blob);
      return blob;
    });
  }

  async dispose(): Promise<void> {
    if (this.#life.signal.aborted) return;
    this.#life.abort(this.#over());
    const { index, embedder, sparse } = this.#parts;
    index.free();
    this.#documents = [];
    this.#number();
    const rerankers = [...this.#rerankers.values()].map(async (loading) =>
      (await loading.catch(() => null))?.dispose(),
    );
    await Promise.all([embedder.close(), sparse?.close(), ...rerankers]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /**
   * Returns the binary's part of the index.
   * @throws WebertError `disposed` if the index was disposed of
   */
  #live(): WasmIndex {
    if (this.#life.signal.aborted) throw this.#over();
    return this.#parts.index;
  }

  #over(): WebertError {
    return new WebertError("disposed", "the index was disposed of");
  }

  /** Runs `work` while the index lives. Errors become WebertErrors. */
  async #withWebertErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.#live();
      return await abortable(work(), this.#life.signal);
    } catch (error) {
      throw this.#life.signal.aborted ? this.#over() : WebertError.from(error);
    }
  }
}
