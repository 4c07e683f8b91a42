// Vectors of texts with the number of tokens read. Texts of concurrent calls are computed together.
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import type { FeatureExtractionOptions } from "../tasks.js";
import { Batches, Queue } from "./batches.js";
import { collect, expectTask, isSparse, limitOf, tokenCounts, type Vectors } from "./pipelines.js";

/** Settings of an encoder. */
export interface EncoderOptions {
  /**
   * Number of texts that are computed together.
   * @default 32
   */
  batch_size?: number;
  /** Maximum number of tokens of a text, if it is lower than the tokenizer's. */
  max_length?: number;
  /** Texts that wait, shared by several encoders. By default no limit. */
  queue?: Queue;
}

/** Options of a call. */
export type VectorOptions = Pick<
  FeatureExtractionOptions,
  "pooling" | "normalize" | "truncate_dim" | "prompt_name" | "task"
>;

/** Vectors of texts, in their order. */
export interface Encoded {
  vectors: Vectors[];
  /** Number of tokens read per text, including special tokens and the folder's prompt. */
  tokens: number[];
  /** Whether a text was too long and its end was left out, per text. */
  truncated: boolean[];
}

/** What a model makes of a text: a vector, one vector per token, or a sparse vector. */
export type Output = { kind: "dense" | "tokens"; size: number } | { kind: "sparse" };

/** An encoder over a pipeline for feature-extraction. */
export class Encoder {
  readonly pipe: Pipeline<"feature-extraction">;
  readonly limit: number;
  private readonly byOptions = new Map<string, Batches<string, Vectors>>();
  private readonly batchSize: number;
  private readonly maxLength: number | undefined;
  private readonly queue: Queue;
  private probed: Promise<Output> | undefined;

  constructor(pipe: unknown, { batch_size = 32, max_length, queue = new Queue(Infinity) }: EncoderOptions = {}) {
    this.pipe = expectTask("model", pipe, "feature-extraction");
    this.batchSize = batch_size;
    this.maxLength = max_length;
    this.queue = queue;
    this.limit = limitOf(this.pipe, max_length);
  }

  /** Returns what the model makes. The first call computes one text. */
  output(): Promise<Output> {
    this.probed ??= this.probe();
    this.probed.catch(() => (this.probed = undefined));
    return this.probed;
  }

  private async probe(): Promise<Output> {
    const [vectors] = await collect(this.pipe.stream(["a"], { pooling: "model" }));
    if (isSparse(vectors as Vectors)) return { kind: "sparse" };
    const { dims } = vectors as { dims: number[] };
    return { kind: dims.length > 2 ? "tokens" : "dense", size: dims.at(-1)! };
  }

  /** Returns vectors as the folder's modules define them, unless `pooling` says otherwise. */
  async encode(texts: readonly string[], options: VectorOptions = {}, signal?: AbortSignal): Promise<Encoded> {
    const vectors = await this.batches(options).add(texts, signal);
    const truncated = vectors.map((vector) => (vector as { truncated?: true }).truncated === true);
    // Sparse vectors and vectors per token have no use for a count.
    const isOne = (await this.output()).kind === "dense";
    const prompt = isOne ? await this.pipe.prompt({ pooling: "model", ...options }) : "";
    return { vectors, tokens: tokenCounts(this.pipe, texts, this.limit, prompt), truncated };
  }

  /**
   * Returns one vector per text as arrays of numbers.
   * @throws WebertError `unsupported` if the model makes sparse vectors or vectors per token
   */
  async dense(
    texts: readonly string[],
    options: VectorOptions = {},
    signal?: AbortSignal,
  ): Promise<{ rows: Float32Array[]; tokens: number[]; truncated: boolean[] }> {
    const output = await this.output();
    if (output.kind !== "dense")
      throw new WebertError("unsupported", `expected a model of one vector per text, got ${output.kind} vectors`);
    const { truncate_dim } = options;
    if (truncate_dim != null && truncate_dim > output.size)
      throw new WebertError("bad_input", `dimensions: expected at most ${output.size}, got ${truncate_dim}`);
    const { vectors, ...rest } = await this.encode(texts, options, signal);
    return { rows: vectors.map((vector) => (vector as { data: Float32Array }).data), ...rest };
  }

  /** Returns the batches of calls with these options. Idle batches of other options are dropped. */
  private batches(options: VectorOptions): Batches<string, Vectors> {
    const call = { pooling: "model" as const, ...(this.maxLength && { max_length: this.maxLength }), ...options };
    const key = JSON.stringify(Object.entries(call).sort(([a], [b]) => (a < b ? -1 : 1)));
    const found = this.byOptions.get(key);
    if (found) return found;
    for (const [other, batches] of this.byOptions) if (batches.isIdle) this.byOptions.delete(other);
    const run = (texts: string[], signal: AbortSignal) =>
      collect(this.pipe.stream(texts, { ...call, signal, batch_size: texts.length })) as Promise<Vectors[]>;
    const made = new Batches(run, this.batchSize, this.queue);
    this.byOptions.set(key, made);
    return made;
  }
}
