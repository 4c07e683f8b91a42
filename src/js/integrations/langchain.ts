// webert/langchain: embeddings and a document compressor in the shapes of LangChain.js, which need no import of it.
import type { Pipeline } from "../api/pipeline.js";
import { expectTask } from "./pipelines.js";
import { Encoder } from "./vectors.js";

/**
 * Embeddings for vector stores (EmbeddingsInterface). Queries and documents get the folder's prompts, if it has any.
 * @example
 * ```ts
 * const store = await MemoryVectorStore.fromTexts(texts, metadatas, new WebertEmbeddings(await pipeline("feature-extraction")));
 * ```
 */
export class WebertEmbeddings {
  private readonly encoder: Encoder;

  constructor(pipe: Pipeline<"feature-extraction">) {
    this.encoder = new Encoder(pipe);
  }

  /** Returns one vector per document. */
  async embedDocuments(documents: string[]): Promise<number[][]> {
    const { rows } = await this.encoder.dense(documents, { task: "document" });
    return rows.map((row) => Array.from(row));
  }

  /** Returns the vector of a query. */
  async embedQuery(query: string): Promise<number[]> {
    const { rows } = await this.encoder.dense([query], { task: "query" });
    return Array.from(rows[0]!);
  }
}

/** A document of LangChain. */
interface Document {
  pageContent: string;
  metadata: Record<string, any>;
  id?: string;
}

/**
 * Keeps the documents that answer a query best (BaseDocumentCompressor). `metadata.relevanceScore` is the score.
 * @example
 * ```ts
 * const baseCompressor = new WebertReranker(await pipeline("text-ranking", "cross-encoder/ms-marco-MiniLM-L6-v2"), { topN: 3 });
 * const retriever = new ContextualCompressionRetriever({ baseCompressor, baseRetriever: store.asRetriever(20) });
 * ```
 */
export class WebertReranker {
  private readonly rank: Pipeline<"text-ranking">;
  private readonly topN: number | undefined;

  /** @param options `topN`: number of documents to keep; by default all */
  constructor(pipe: Pipeline<"text-ranking">, options: { topN?: number } = {}) {
    this.rank = expectTask("pipe", pipe, "text-ranking");
    this.topN = options.topN;
  }

  /** Returns the best documents, best first. The given documents stay as they are. */
  async compressDocuments<D extends Document>(documents: D[], query: string): Promise<D[]> {
    if (!documents.length) return [];
    const texts = documents.map(({ pageContent }) => pageContent);
    const ranked = await this.rank(query, texts, this.topN === undefined ? {} : { top_k: this.topN });
    return ranked.map(({ corpus_id, score }) => {
      const found = documents[corpus_id]!;
      const metadata = { ...found.metadata, relevanceScore: score };
      return Object.assign(Object.create(Object.getPrototypeOf(found) as object) as D, found, { metadata });
    });
  }
}
