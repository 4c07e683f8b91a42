// webert/stores: embedding functions in the shapes of vector stores, and the fusion of ranked lists.
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import { expectTask } from "./pipelines.js";
import { Encoder } from "./vectors.js";

const plain = (rows: Float32Array[]) => rows.map((row) => Array.from(row));

/** An embedding function of Chroma: EmbeddingFunction. */
export interface ChromaFunction {
  name: string;
  generate(texts: string[]): Promise<number[][]>;
  generateForQueries(texts: string[]): Promise<number[][]>;
  defaultSpace(): "cosine" | "l2" | "ip";
  supportedSpaces(): ("cosine" | "l2" | "ip")[];
  getConfig(): Record<string, unknown>;
}

/**
 * Returns an embedding function for a collection of Chroma.
 * @example
 * ```ts
 * const embeddingFunction = chromaFunction(await pipeline("feature-extraction"));
 * const collection = await client.getOrCreateCollection({ name: "notes", embeddingFunction });
 * ```
 */
export function chromaFunction(pipe: Pipeline<"feature-extraction">, name = "webert"): ChromaFunction {
  const encoder = new Encoder(pipe);
  return {
    name,
    generate: async (texts) => plain((await encoder.dense(texts, { task: "document" })).rows),
    generateForQueries: async (texts) => plain((await encoder.dense(texts, { task: "query" })).rows),
    defaultSpace: () => "cosine",
    supportedSpaces: () => ["cosine", "l2", "ip"],
    getConfig: () => ({ model_type: pipe.info.model_type }),
  };
}

/** A class of LanceDB that embedding functions extend: TextEmbeddingFunction of @lancedb/lancedb/embedding. */
type LanceBase = abstract new () => object;

/**
 * Returns a class for LanceDB's registry of embedding functions.
 * @example
 * ```ts
 * import { register, TextEmbeddingFunction } from "@lancedb/lancedb/embedding";
 * const Webert = await lanceClass(TextEmbeddingFunction, await pipeline("feature-extraction"));
 * register("webert")(Webert);
 * ```
 */
export async function lanceClass<B extends LanceBase>(
  Base: B,
  pipe: Pipeline<"feature-extraction">,
  Float?: new () => object,
) {
  const encoder = new Encoder(pipe);
  const output = await encoder.output();
  if (output.kind !== "dense")
    throw new WebertError("unsupported", `expected a model of one vector per text, got ${output.kind} vectors`);
  abstract class WebertFunction extends (Base as abstract new () => object) {
    ndims(): number {
      return (output as { size: number }).size;
    }
    embeddingDataType(): object | undefined {
      return Float && new Float();
    }
    async generateEmbeddings(texts: string[]): Promise<number[][]> {
      return plain((await encoder.dense(texts, { task: "document" })).rows);
    }
    async computeQueryEmbeddings(query: string): Promise<number[]> {
      return plain((await encoder.dense([query], { task: "query" })).rows)[0]!;
    }
    async computeSourceEmbeddings(texts: string[]): Promise<number[][]> {
      return this.generateEmbeddings(texts);
    }
  }
  return WebertFunction as unknown as new () => InstanceType<B> & Pick<WebertFunction, keyof WebertFunction>;
}

/** A document of Genkit. */
interface GenkitDocument {
  text: string;
  content?: unknown;
  metadata?: Record<string, unknown> | undefined;
}

/**
 * Returns the function of a Genkit embedder. The option `task` of a call is "query" or "document".
 * @example
 * ```ts
 * const embedder = ai.defineEmbedder({ name: "webert" }, genkitEmbedder(await pipeline("feature-extraction")));
 * ```
 */
export function genkitEmbedder(pipe: Pipeline<"feature-extraction">) {
  const encoder = new Encoder(pipe);
  return async (input: readonly GenkitDocument[], options?: { task?: "query" | "document" }) => {
    const { rows } = await encoder.dense(
      input.map(({ text }) => text),
      options?.task ? { task: options.task } : {},
    );
    return { embeddings: plain(rows).map((embedding) => ({ embedding })) };
  };
}

/**
 * Returns the function of a Genkit reranker. The option `k` of a call is the number of documents.
 * @example
 * ```ts
 * const reranker = ai.defineReranker({ name: "webert" }, genkitReranker(await pipeline("text-ranking", model)));
 * ```
 */
export function genkitReranker(pipe: Pipeline<"text-ranking">) {
  const rank = expectTask("pipe", pipe, "text-ranking");
  return async (query: GenkitDocument, documents: readonly GenkitDocument[], options?: { k?: number }) => {
    const texts = documents.map(({ text }) => text);
    const ranked = await rank(query.text, texts, options?.k == null ? {} : { top_k: options.k });
    return {
      documents: ranked.map(({ corpus_id, score }) => ({
        content: documents[corpus_id]!.content,
        metadata: { ...documents[corpus_id]!.metadata, score },
      })),
    };
  };
}

/** The answer of a model of Vectra. */
interface VectraResponse {
  status: "success" | "error" | "rate_limited" | "cancelled";
  output?: number[][];
  message?: string;
  usage?: { prompt_tokens: number; total_tokens: number };
}

/** A model of Vectra: EmbeddingsModel. */
export interface VectraModel {
  readonly maxTokens: number;
  createEmbeddings(inputs: string | string[]): Promise<VectraResponse>;
}

/**
 * Returns a model for a LocalDocumentIndex of Vectra.
 * @example
 * ```ts
 * const index = new LocalDocumentIndex({ folderPath, embeddings: vectraModel(await pipeline("feature-extraction")) });
 * ```
 */
export function vectraModel(pipe: Pipeline<"feature-extraction">): VectraModel {
  const encoder = new Encoder(pipe);
  return {
    // Vectra splits documents by this number; texts may be longer than the model reads if it has no limit.
    maxTokens: Number.isFinite(encoder.limit) ? encoder.limit : 8192,
    async createEmbeddings(inputs) {
      try {
        const { rows, tokens } = await encoder.dense([inputs].flat());
        const total = tokens.reduce((sum, one) => sum + one, 0);
        return { status: "success", output: plain(rows), usage: { prompt_tokens: total, total_tokens: total } };
      } catch (error) {
        const { code, message } = WebertError.from(error);
        return { status: code === "aborted" ? "cancelled" : "error", message };
      }
    },
  };
}

/** A result of a fused list: its key, its score, and its rank in each list from 1, or null. */
export interface Fused<K> {
  id: K;
  score: number;
  ranks: (number | null)[];
}

/**
 * Fuses ranked lists of ids by their ranks (reciprocal rank fusion, Cormack et al. 2009): each list adds 1 / (k + rank).
 * @param lists ids, best first; an id counts once per list
 * @param options `k`: the greater, the less the first ranks count (default: 60); `weights`: weight of each list (default: 1)
 * @example
 * ```ts
 * const words = miniSearch.search(query).map(({ id }) => id);
 * const meaning = (await index.search(query)).map(({ id }) => id);
 * const [best] = fuse([words, meaning]);
 * ```
 */
export function fuse<K>(
  lists: readonly (readonly K[])[],
  { k = 60, weights = [] }: { k?: number; weights?: readonly number[] } = {},
): Fused<K>[] {
  if (!(k >= 0)) throw new WebertError("bad_input", `k: expected a number of at least 0, got ${k}`);
  const found = new Map<K, Fused<K>>();
  for (const [n, list] of lists.entries()) {
    for (const [at, id] of [...new Set(list)].entries()) {
      const one = found.get(id) ?? { id, score: 0, ranks: lists.map(() => null) };
      one.score += (weights[n] ?? 1) / (k + at + 1);
      one.ranks[n] = at + 1;
      found.set(id, one);
    }
  }
  return [...found.values()].sort((a, b) => b.score - a.score);
}
