// Sparse vectors of an index: a model such as SPLADE gives tokens with weights.
import type { Pipeline } from "../api/pipeline.js";
import type { ModelOptions } from "../engine/open.js";
import { WebertError } from "../errors.js";
import type { Source } from "../source.js";
import { isPipeline, type Models, PROBE } from "./embedder.js";

/** Sparse vectors, one after another. */
export interface SparseVectors {
  /** Number of tokens of each vector. */
  counts: Uint32Array;
  /** Ids of tokens. */
  tokens: Uint32Array;
  weights: Float32Array;
}

export const NO_SPARSE: SparseVectors = {
  counts: new Uint32Array(),
  tokens: new Uint32Array(),
  weights: new Float32Array(),
};

/** Weights of the probe text by token. They tell models apart. */
export type SparseProbe = Record<string, number>;

/** A sparse encoder with its vocabulary. */
export class SparseEmbedder {
  /** Disposes of the model if this class loaded it. */
  readonly close: () => Promise<void>;
  readonly #pipe: Pipeline<"feature-extraction">;
  readonly #ids: Map<string, number>;

  private constructor(pipe: Pipeline<"feature-extraction">, close: () => Promise<void>) {
    this.#pipe = pipe;
    this.#ids = pipe.tokenizer.get_vocab();
    this.close = close;
  }

  /** @throws WebertError `bad_input` or `unsupported` if the model is no sparse encoder */
  static async open(
    { pipeline }: Models,
    model: Source | Pipeline<"feature-extraction">,
    options: ModelOptions,
  ): Promise<SparseEmbedder> {
    const isOwn = !isPipeline<Pipeline<"feature-extraction">>(model);
    const pipe = isOwn ? await pipeline("feature-extraction", model, options) : model;
    const close = async () => {
      if (isOwn) await pipe.dispose();
    };
    if (pipe.task === "feature-extraction") return new SparseEmbedder(pipe, close);
    throw new WebertError(
      "bad_input",
      `sparse: expected a pipeline for feature-extraction or a source, got a pipeline for ${pipe.task as string}`,
    );
  }

  /** Returns the sparse vectors of texts. */
  async vectors(
    texts: readonly string[],
    task: "document" | "query",
    signal: AbortSignal | undefined,
  ): Promise<SparseVectors> {
    const found = await this.#weights(texts, task, signal);
    const entries = found.map((weights) => Object.entries(weights).filter(([token]) => this.#ids.has(token)));
    const all = entries.flat();
    return {
      counts: Uint32Array.from(entries, ({ length }) => length),
      tokens: Uint32Array.from(all, ([token]) => this.#ids.get(token)!),
      weights: Float32Array.from(all, ([, weight]) => weight),
    };
  }

  /** Returns the weights of the fixed probe text. */
  async probe(signal: AbortSignal | undefined): Promise<SparseProbe> {
    const [weights] = await this.#weights([PROBE], "document", signal);
    return Object.fromEntries(
      Object.entries(weights!).map(([token, weight]) => [token, Number(weight.toPrecision(4))]),
    );
  }

  async #weights(texts: readonly string[], task: "document" | "query", signal: AbortSignal | undefined) {
    const options = { pooling: "sparse", task, ...(signal && { signal }) } as const;
    try {
      return (await this.#pipe([...texts], options)) as unknown as Record<string, number>[];
    } catch (error) {
      const { code, message } = WebertError.from(error);
      if (!["unsupported", "bad_input"].includes(code)) throw error;
      throw new WebertError(code, `sparse: expected a sparse encoder, e.g. SPLADE: ${message}`, { cause: error });
    }
  }
}

/** Smallest cosine between the probe's weights from one model in two precisions. */
const SAME = 0.98;

/** Throws if the probes come from different models. */
export function checkSameSparse(saved: SparseProbe, found: SparseProbe): void {
  const norm = (probe: SparseProbe) => Math.hypot(...Object.values(probe));
  const dot = Object.entries(saved).reduce((sum, [token, weight]) => sum + weight * (found[token] ?? 0), 0);
  const cosine = dot / (norm(saved) * norm(found));
  if (cosine >= SAME) return;
  throw new WebertError(
    "bad_input",
    `the index was made by another sparse model: expected a cosine of at least ${SAME} between the vectors of one text, got ${cosine.toFixed(3)}. Load it with the model that made it.`,
  );
}
