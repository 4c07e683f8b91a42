// Classification by a linear layer over sentence vectors: a folder of sentence-transformers whose last module is a Dense
// with one output per label of config.json. Imported on demand.
import type { EngineModel } from "../engine/engine.js";
import type { Explanation } from "../engine/explanation.js";
import type { OpenedModel } from "../engine/open.js";
import type { RawTensor } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { readModules, readOptionalConfig } from "../sources/files.js";
import { moduleEntries } from "../sources/sentence-folder.js";
import type { Control, Files, Folder } from "../sources/types.js";
import { softmax } from "../tensor/maths.js";
import type { Tokenizer } from "../tokenizer/tokenizer.js";
import { shown } from "../values.js";
import { type Json, object } from "./modules.js";
import { embed } from "./sentence.js";

/** What the scores of a text mean, as `problem_type` in config.json. */
export type ProblemType = "single_label_classification" | "multi_label_classification";

/** Scores of texts, and their labels. */
export interface SentenceScores {
  labels: readonly unknown[];
  problem: ProblemType;
  /** Files that replace the encoder's, e.g. a config.json with other labels. */
  files?: Files;
  /** Returns a tensor [1, labels] per text. */
  scores(texts: readonly string[], signal?: AbortSignal): Promise<RawTensor[]>;
}

/** Functions of the page's code that are passed in. Importing them here would split the first load into more files. */
export interface EncoderLoaders {
  /** Loads the folder's encoder with its modules. */
  load(): Promise<OpenedModel>;
  /** Returns a pipeline that owns the tokenizer of the encoder. */
  encoderPipeline(engine: EngineModel): Promise<{ readonly tokenizer: Tokenizer }>;
}

/**
 * Loads a folder that classifies by its sentence vectors: its last module is a Dense with one output per label. Returns
 * undefined for another folder.
 */
export async function openSentenceClassifier(
  folder: Folder,
  control: Control,
  { load, encoderPipeline }: EncoderLoaders,
): Promise<OpenedModel | undefined> {
  const [config, modules] = await Promise.all([readOptionalConfig(folder, control), readModules(folder, control)]);
  if (headPath({ ...config, ...modules }) === undefined) return undefined;
  const opened = await load();
  const encoder = opened.engine;
  try {
    const pipe = await encoderPipeline(encoder);
    const head = {
      labels: labelsOf(encoder.parts.files),
      problem: problemOf(encoder.parts.files),
      scores: (texts: readonly string[], signal?: AbortSignal) =>
        embed(encoder, () => pipe.tokenizer, texts, { pooling: "model", ...(signal && { signal }) }),
    };
    return { ...opened, engine: new SentenceClassifier(encoder, head) };
  } catch (error) {
    await encoder.close();
    throw error;
  }
}

/** Returns the folder of the last module if it is a Dense with one output per label; undefined for others. */
export function headPath(files: Files): string | undefined {
  const last = moduleEntries(files)?.at(-1);
  if (last?.kind !== "Dense" || last.path === undefined) return undefined;
  const { out_features } = object(files, `${last.path}config.json`);
  return out_features === labelsOf(files).length ? last.path : undefined;
}

/** Returns the labels of config.json, in the order of their ids. */
export function labelsOf(files: Files): unknown[] {
  const { id2label } = object(files, "config.json");
  const entries = Object.entries((id2label ?? {}) as Json).map(([id, label]) => [Number(id), label] as const);
  return entries.sort(([a], [b]) => a - b).map(([, label]) => label);
}

/** Returns `problem_type` of config.json. By default one label fits. */
export function problemOf(files: Files): ProblemType {
  const { problem_type } = object(files, "config.json");
  if (problem_type === "multi_label_classification") return problem_type;
  if (problem_type == null || problem_type === "single_label_classification") return "single_label_classification";
  throw new WebertError(
    "unsupported",
    `config.json: problem_type: expected single_label_classification or multi_label_classification over sentence vectors, got ${shown(problem_type)}`,
  );
}

/** An encoder of sentences as the engine of a text-classification pipeline. */
export class SentenceClassifier implements EngineModel {
  readonly #encoder: EngineModel;
  readonly #head: SentenceScores;

  constructor(encoder: EngineModel, head: SentenceScores) {
    this.#encoder = encoder;
    this.#head = head;
  }

  get info(): EngineModel["info"] {
    return { ...this.#encoder.info, head: "sequence-classification" };
  }

  get parts(): EngineModel["parts"] {
    const { files, ...others } = this.#encoder.parts;
    return { ...others, files: { ...files, ...this.#head.files } };
  }

  async run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]> {
    if (task !== "text-classification")
      throw new WebertError("unsupported", `${task}: the model's head classifies sentence vectors`);
    const answer = answerOf(this.#head, options);
    const texts = inputs.map((input, n) => {
      if (typeof input === "string") return input;
      throw new WebertError(
        "bad_input",
        `text ${n + 1}: expected one text, got a pair; a sentence vector has one text`,
      );
    });
    return (await this.#head.scores(texts, signal)).map(answer);
  }

  async forward(...[inputs, options, signal]: Parameters<EngineModel["forward"]>): ReturnType<EngineModel["forward"]> {
    return this.#encoder.forward(inputs, options, signal);
  }

  async explain(): Promise<Explanation> {
    throw new WebertError("unsupported", "explain: expected a head over token states, got one over sentence vectors");
  }

  close(): Promise<void> {
    return this.#encoder.close();
  }
}

type ScoreActivation = (scores: Float32Array) => number[];
const ACTIVATIONS: Record<string, ScoreActivation> = {
  softmax: (scores) => softmax([...scores]),
  sigmoid: (scores) => Array.from(scores, (score) => 1 / (1 + Math.exp(-score))),
  none: (scores) => Array.from(scores),
};

/** Returns the function from a text's scores to its labels, the best ones first. */
function answerOf({ labels, problem }: SentenceScores, options: object) {
  const fallback = problem === "multi_label_classification" ? "sigmoid" : "softmax";
  const { top_k = 1, function_to_apply } = options as { top_k?: unknown; function_to_apply?: unknown };
  const name = function_to_apply ?? fallback;
  if (!Object.hasOwn(ACTIVATIONS, String(name)))
    throw new WebertError(
      "bad_input",
      `function_to_apply: expected one of ${Object.keys(ACTIVATIONS).join(", ")}, got ${JSON.stringify(name)}`,
    );
  if (top_k !== null && !(Number.isSafeInteger(top_k) && (top_k as number) > 0))
    throw new WebertError("bad_input", `top_k: expected a whole number of at least 1, or null, got ${shown(top_k)}`);
  return ({ data, truncated }: RawTensor) =>
    ACTIVATIONS[String(name)]!(data)
      .map((score, n) => ({ label: labels[n], score: Math.fround(score), ...(truncated && { truncated }) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, (top_k as number | null) ?? labels.length);
}
