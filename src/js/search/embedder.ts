// From texts to what an index holds of them: vectors by a model, pieces by its tokenizer.
import { breathe } from "../abort.js";
import { type Modules, readModules } from "../api/modules.js";
import type { Pipeline, PipelineFunction } from "../api/pipeline.js";
import type { IndexModelOptions } from "../api/search.js";
import { embed } from "../api/sentence.js";
import type { Source } from "../checkpoint/source.js";
import type { EngineModel } from "../engine/engine.js";
import { WebertError } from "../errors.js";

/** What of the package's code this takes. */
export interface Models {
  pipeline: PipelineFunction;
  /** The engine of a pipeline. */
  engineOf(pipe: object): EngineModel | undefined;
}

/** Names of the prompts that are looked for, as sentence-transformers' `encode_query` and `encode_document` do. */
const PROMPTS = { query: ["query"], passage: ["document", "passage", "corpus"] };
export type Kind = keyof typeof PROMPTS;

/** A text that tells models apart by its vector, and tokenizers by its pieces. */
const PROBE = "The 3 quick brown foxes aren't in Zürich (or 東京): they jump over un-lazy dogs, e.g. at 12:30!";

/** Tokens of a text. */
export interface Pieces {
  ids: Uint32Array;
  /** Where each ends, in UTF-16 code units. */
  ends: Uint32Array;
}

/** What a model makes of the probe. */
export interface Probe {
  vector: number[];
  pieces: number[];
}

/** Whether a model is a pipeline, rather than where one is, which may be a function, too. */
export const isPipeline = <P extends Pipeline>(model: Source | P | null | undefined): model is P =>
  typeof model === "function" && "task" in model;

/** A model of sentence embeddings with its tokenizer. */
export class Embedder {
  /** Disposes of the model where this loaded it. */
  readonly close: () => Promise<void>;
  readonly #pipe: Pipeline<"feature-extraction">;
  readonly #engine: EngineModel;
  readonly #modules: Modules;
  /** How many numbers a vector keeps. */
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
        throw new WebertError("bad_input", "model is a pipeline for feature-extraction, or where a model is");
      return new Embedder(pipe, engine, await readModules(engine.parts.files), dimensions, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** The most tokens of a passage that reach the model whole, beside special ones and the prompt. */
  room(prompt_name: string | undefined): number {
    const { tokenizer } = this.#pipe;
    const name = this.promptName("passage", prompt_name) ?? this.#modules.defaultPrompt;
    const prompt = this.#modules.prompts[name ?? ""] ?? "";
    const most = Math.min(tokenizer.model_max_length, this.#modules.maxLength ?? Infinity);
    return Math.max(1, most - tokenizer.encode(prompt).length);
  }

  /** The name of the prompt for texts of a kind: that which is asked for, or one that the folder has. */
  promptName(kind: Kind, asked: string | undefined): string | undefined {
    return asked ?? PROMPTS[kind].find((name) => Object.hasOwn(this.#modules.prompts, name));
  }

  /** The vectors of texts. */
  async vectors(
    texts: readonly string[],
    kind: Kind,
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

  /** The pieces of a text, special tokens left out. */
  pieces(text: string): Pieces {
    const options = { add_special_tokens: false, return_offsets_mapping: true, return_tensor: false } as const;
    const { input_ids, offset_mapping } = this.#pipe.tokenizer(text, options);
    return {
      ids: Uint32Array.from(input_ids as number[]),
      ends: Uint32Array.from(offset_mapping as [number, number][], ([, end]) => end),
    };
  }

  /** What this model makes of a text that is always the same. */
  async probe(prompt_name: string | undefined, signal: AbortSignal | undefined): Promise<Probe> {
    const [vector] = await this.vectors([PROBE], "passage", prompt_name, signal);
    await breathe();
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

/** The least cosine of the probe's vectors by the same model in two precisions. */
const SAME = 0.98;

/** Throws where the probes are of two models. */
export function checkSame(saved: Probe, found: Probe): void {
  const differs = (how: string) =>
    new WebertError(
      "bad_input",
      `the index was made by another model: ${how}; load it with the model that it was made by`,
    );
  const [a, b] = [saved.vector, found.vector];
  if (a.length !== b.length) throw differs(`its vectors have ${a.length} numbers, this model's ${b.length}`);
  if (`${saved.pieces}` !== `${found.pieces}`) throw differs("its tokenizer cuts words in other pieces");
  const cosine = dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  if (!(cosine >= SAME))
    throw differs(
      `of a text that tells models apart the vectors' cosine is ${cosine.toFixed(3)}, expected ${SAME} or more`,
    );
}

const dot = (a: number[], b: number[]) => a.reduce((sum, x, n) => sum + x * b[n]!, 0);
