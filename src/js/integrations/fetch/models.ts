// The models of a handler, by their ids and tasks.
import type { Pipeline } from "../../api/pipeline.js";
import { WebertError } from "../../errors.js";
import type { Task } from "../../task-names.js";
import type { TextClassificationOptions, TextClassificationResult, TextInput, TextRankingResult } from "../../tasks.js";
import { Batches, type Queue } from "../batches.js";
import { type AnyPipeline, collect, limitOf, ofTask, tokenCounts } from "../pipelines.js";
import { Encoder, type Output } from "../vectors.js";
import { HttpError } from "./http.js";

/** One model: its pipeline, its pipelines for several tasks, or both with settings. */
export type ServedModel =
  | Pipeline
  | readonly Pipeline[]
  | {
      pipelines: Pipeline | readonly Pipeline[];
      /** Maximum number of tokens per text, if it is lower than the tokenizer's, e.g. max_seq_length of the folder. */
      max_length?: number | undefined;
    };

/** Limits that all models share. */
export interface Limits {
  batch_size: number;
  queue: Queue;
}

/** Number of documents that a call for ranking computes in a turn. */
const DOCUMENTS = 16;

/** Scores of a query's documents. */
type Ranked = Pick<TextRankingResult, "score" | "truncated">;

/** A model with an id. */
export class Served {
  readonly encoder: Encoder | undefined;
  readonly limit: number;
  private readonly classified = new Map<string, Batches<TextInput, TextClassificationResult[]>>();
  private readonly ranked = new Map<string, Batches<[string, string[]], Ranked[]>>();

  constructor(
    readonly id: string,
    readonly pipelines: readonly AnyPipeline[],
    private readonly limits: Limits,
    max_length?: number,
  ) {
    const features = ofTask(pipelines, "feature-extraction");
    this.encoder = features && new Encoder(features, { ...limits, ...(max_length && { max_length }) });
    this.limit = this.encoder?.limit ?? limitOf(pipelines[0]!, max_length);
  }

  get first(): AnyPipeline {
    return this.pipelines[0]!;
  }

  has(task: Task): boolean {
    return this.pipelines.some((pipe) => pipe.task === task);
  }

  /** Returns the number of tokens that the model reads of each text. */
  tokens(texts: readonly string[]): number[] {
    return tokenCounts(this.first, texts, this.limit);
  }

  /** Returns all labels of each text, best first. */
  classify(
    texts: readonly TextInput[],
    function_to_apply: TextClassificationOptions["function_to_apply"],
    signal: AbortSignal,
  ): Promise<TextClassificationResult[][]> {
    const pipe = ofTask(this.pipelines, "text-classification")!;
    const call = { top_k: null, ...(function_to_apply && { function_to_apply }) };
    const run = (inputs: TextInput[], signal: AbortSignal) =>
      collect(pipe.stream(inputs, { ...call, signal, batch_size: inputs.length }) as AsyncIterable<never>);
    return this.batches(this.classified, function_to_apply, run, this.limits.batch_size).add(texts, signal);
  }

  /** Returns the score of each document, in the order of the documents. */
  async rank(
    query: string,
    documents: readonly string[],
    function_to_apply: "none" | undefined,
    signal: AbortSignal,
  ): Promise<Ranked[]> {
    const pipe = ofTask(this.pipelines, "text-ranking")!;
    const call = { ...(function_to_apply && { function_to_apply }) };
    const run = async (inputs: [string, string[]][], signal: AbortSignal) => {
      const options = { ...call, signal, batch_size: inputs.length };
      const ranked = await collect(pipe.stream(inputs, options) as AsyncIterable<TextRankingResult[]>);
      return ranked.map((results) => [...results].sort((a, b) => a.corpus_id - b.corpus_id));
    };
    const parts: [string, string[]][] = [];
    for (let at = 0; at < documents.length; at += DOCUMENTS) parts.push([query, documents.slice(at, at + DOCUMENTS)]);
    return (await this.batches(this.ranked, function_to_apply, run, 2).add(parts, signal)).flat();
  }

  private batches<I, A>(
    made: Map<string, Batches<I, A>>,
    key = "",
    run: (inputs: I[], signal: AbortSignal) => Promise<A[]>,
    size: number,
  ): Batches<I, A> {
    const batches = made.get(key) ?? new Batches(run, size, this.limits.queue);
    made.set(key, batches);
    return batches;
  }
}

/** All models of a handler. */
export class Models {
  readonly all: readonly Served[];

  constructor(models: Readonly<Record<string, ServedModel>>, limits: Limits) {
    const given = Object.entries(models ?? {});
    if (!given.length) throw new WebertError("bad_input", "models: expected at least one pipeline by its name");
    this.all = given.map(([id, model]) => {
      const isPlain = typeof model === "function" || Array.isArray(model);
      const { pipelines, max_length } = (isPlain ? { pipelines: model } : model) as Exclude<
        ServedModel,
        Pipeline | readonly Pipeline[]
      >;
      const list = [pipelines ?? []].flat() as AnyPipeline[];
      if (!list.length || list.some((pipe) => typeof pipe !== "function" || typeof pipe.task !== "string"))
        throw new WebertError("bad_input", `models: "${id}": expected a pipeline or an array of pipelines`);
      return new Served(id, list, limits, max_length);
    });
  }

  /** Returns the model with an id. Throws if there is none. */
  named(id: string): Served {
    const found = this.all.find((model) => model.id === id);
    if (found) return found;
    const known = this.all.map((model) => model.id).join(", ");
    throw new HttpError("unknown_model", `model: expected one of ${known}, got "${id.slice(0, 200)}"`, "model");
  }

  /** Returns the model with an id, or the first one that does the task. Throws if it does not do the task. */
  forTask(task: Task, id?: string): Served {
    const found = id === undefined ? this.all.find((model) => model.has(task)) : this.named(id);
    if (found?.has(task)) return found;
    const others = this.all.filter((model) => model.has(task)).map((model) => model.id);
    const way = others.length ? `; ${others.join(", ")} would do` : "; no loaded model does it";
    const what = id === undefined ? "models" : `model "${id}"`;
    throw new HttpError("wrong_model", `${what}: expected a model for ${task}${way}`, "model");
  }

  /** Returns the first encoder with an output of this kind, otherwise the first encoder. */
  async encoderOf(kind: Output["kind"]): Promise<Encoder> {
    const { encoder: first } = this.encoder();
    for (const { encoder } of this.all) if (encoder && (await encoder.output()).kind === kind) return encoder;
    return first;
  }

  /** Returns the encoder of `forTask("feature-extraction")`. */
  encoder(id?: string): { model: Served; encoder: Encoder } {
    const model = this.forTask("feature-extraction", id);
    return { model, encoder: model.encoder! };
  }
}
