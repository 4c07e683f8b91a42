// Converts texts into the contents of an index: the model computes vectors, its tokenizer computes pieces.
import { yieldToEventLoop } from "../abort.js";
import type { Pipeline, PipelineFunction } from "../api/pipeline.js";
import { type Modules, readModules } from "../embeddings/modules.js";
import { embed } from "../embeddings/sentence.js";
import type { EngineModel } from "../engine/engine.js";
import { WebertError } from "../errors.js";
import type { Source } from "../source.js";
import type { IndexModelOptions } from "./search.js";

/** Functions of the package that the index calls. */
export interface Models {
  pipeline: PipelineFunction;
  /** Returns the engine of a pipeline. */
  engineOf(pipe: object): EngineModel | undefined;
}

/** Names of the prompts to look for, as in `encode_query` and `encode_document` of sentence-transformers. */
const PROMPTS = { query: ["query"], passage: ["document", "passage", "corpus"] };
export type TextKind = keyof typeof PROMPTS;

/** A text whose vector tells models apart and whose pieces tell tokenizers apart. */
export const PROBE = "The 3 quick brown foxes aren't in Zürich (or 東京): they jump over un-lazy dogs, e.g. at 12:30!";

/** Tokens of a text. */
export interface Pieces {
  ids: Uint32Array;
  /** End of each token, in UTF-16 code units. */
  ends: Uint32Array;
}

/** A model's vector and pieces of the probe text. */
export interface Probe {
  vector: number[];
  pieces: number[];
}

/** Returns whether `model` is a pipeline. The other possibility is a source, which may be a function, too. */
export const isPipeline = <P extends Pipeline>(model: Source | P | null | undefined): model is P =>
  typeof model === "function" && "task" in model;

/** A sentence-embedding model with its tokenizer. */
export class Embedder {
  /** Disposes of the model if this class loaded it. */
  readonly close: () => Promise<void>;
  readonly #pipe: Pipeline<"feature-extraction">;
  readonly #engine: EngineModel;
  readonly #modules: Modules;
  /** How many numbers of each vector to keep; undefined keeps all. */
  readonly #dimensions: number | undefined;

  private constructor(
    pipe: Pipeline<"feature-extraction">,
    engine: EngineModel,
    modules: Modules,
    dimensions: number | undefined,
    close: () => Promise<void>,
  ) {
    this.#pipe = pipe;
    this.#engine = engine;
    this.#modules = modules;
    this.#dimensions = dimensions;
    this.close = close;
  }

  static async open(models: Models, options: IndexModelOptions, dimensions: number | undefined): Promise<Embedder> {
    const { model } = options;
    const isOwn = !isPipeline(model);
    const pipe = isOwn ? await load(models, model, options) : model;
    const engine = models.engineOf(pipe);
    const close = async () => {
      if (isOwn) await pipe.dispose();
    };
    try {
      if (!engine || pipe.task !== "feature-extraction")
        throw new WebertError("bad_input", "model: expected a pipeline for feature-extraction or a source");
      return new Embedder(pipe, engine, await readModules(engine.parts.files), dimensions, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Returns how many tokens of a passage fit the model, without the special tokens and the prompt. */
  room(prompt_name: string | undefined): number {
    const { tokenizer } = this.#pipe;
    const name = this.promptName("passage", prompt_name) ?? this.#modules.defaultPrompt;
    const prompt = this.#modules.prompts[name ?? ""] ?? "";
    const most = Math.min(tokenizer.model_max_length, this.#modules.maxLength ?? Infinity);
    return Math.max(1, most - tokenizer.encode(prompt).length);
  }

  /** Returns the name of the prompt for a kind of text: the requested one, or the first known one in the folder. */
  promptName(kind: TextKind, asked: string | undefined): string | undefined {
    return asked ?? PROMPTS[kind].find((name) => Object.hasOwn(this.#modules.prompts, name));
  }

  /** Returns one vector per text. */
  async vectors(
    texts: readonly string[],
    kind: TextKind,
    asked: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> {
    const prompt_name = this.promptName(kind, asked);
    const options = {
      pooling: "model" as const,
      ...(prompt_name !== undefined && { prompt_name }),
      ...(this.#dimensions !== undefined && { truncate_dim: this.#dimensions }),
      ...(signal && { signal }),
    };
    const tensors = await embed(this.#engine, () => this.#pipe.tokenizer, texts, options);
    return tensors.map(({ data }) => data);
  }

  /** Returns the tokens of a text without special tokens. */
  pieces(text: string): Pieces {
    const options = { add_special_tokens: false, return_offsets_mapping: true, return_tensor: false } as const;
    const { input_ids, offset_mapping } = this.#pipe.tokenizer(text, options);
    return {
      ids: Uint32Array.from(input_ids as number[]),
      ends: Uint32Array.from(offset_mapping as [number, number][], ([, end]) => end),
    };
  }

  /** Returns the model's vector and pieces of the fixed probe text. */
  async probe(prompt_name: string | undefined, signal: AbortSignal | undefined): Promise<Probe> {
    const [vector] = await this.vectors([PROBE], "passage", prompt_name, signal);
    await yieldToEventLoop();
    return { vector: Array.from(vector!, (x) => Number(x.toPrecision(6))), pieces: [...this.pieces(PROBE).ids] };
  }
}

function load(
  { pipeline }: Models,
  model: Source | null | undefined,
  { model_options, progress_callback, signal }: IndexModelOptions,
): Promise<Pipeline<"feature-extraction">> {
  const control = { ...(progress_callback && { progress_callback }), ...(signal && { signal }) };
  return pipeline("feature-extraction", model, { ...model_options, ...control });
}

/** Smallest cosine between the probe's vectors from one model in two precisions. */
const SAME = 0.98;

/** Throws if the probes come from different models. */
export function checkSame(saved: Probe, found: Probe): void {
  const differs = (how: string) =>
    new WebertError("bad_input", `the index was made by another model: ${how}. Load it with the model that made it.`);
  const [a, b] = [saved.vector, found.vector];
  if (a.length !== b.length) throw differs(`expected vectors of ${a.length} numbers, got ${b.length}`);
  if (`${saved.pieces}` !== `${found.pieces}`) throw differs("its tokenizer splits words differently");
  const cosine = dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  if (!(cosine >= SAME))
    throw differs(`expected a cosine of at least ${SAME} between the vectors of one text, got ${cosine.toFixed(3)}`);
}

const dot = (a: number[], b: number[]) => a.reduce((sum, x, n) => sum + x * b[n]!, 0);
