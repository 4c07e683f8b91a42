import { WebertError } from "../errors.js";
import type { Precision } from "./quantize.js";
import type { Tensor } from "./tensor.js";

/** Other names under which transformers.js and Hugging Face know a task. */
export interface Aliases {
  "sentiment-analysis": "text-classification";
  ner: "token-classification";
  embeddings: "feature-extraction";
}

const ALIASES: Record<keyof Aliases, Task> = {
  "sentiment-analysis": "text-classification",
  ner: "token-classification",
  embeddings: "feature-extraction",
};

/** The tasks, by their canonical names. */
export type Task = keyof Calls;

/** Every name that `pipeline` takes. */
export type TaskName = Task | keyof Aliases;

/** The canonical name behind a name. */
export type TaskOf<N extends TaskName> = N extends keyof Aliases ? Aliases[N] : N extends Task ? N : never;

/** Of every call. */
export interface CallOptions {
  /** Stops this call, waiting or running; it rejects with `aborted`, the pipeline stays usable. */
  signal?: AbortSignal;
}

/**
 * One answer for a mask: `token` is its id, `sequence` the text with the answer in the mask's place (of a text with several
 * masks with its special tokens, as the others stay);
 * `truncated` where the text did not fit the model and its end was left out.
 */
export interface FillMaskResult {
  score: number;
  token: number;
  token_str: string;
  sequence: string;
  truncated?: true;
}
export interface FillMaskOptions extends CallOptions {
  /** Answers per mask; 5. */
  top_k?: number;
  /** The name of `top_k` in transformers.js 2. */
  topk?: number;
  /** Only these words compete. */
  targets?: string | string[];
}
/** Fills each [MASK]. A text with several gives one list per mask. */
export interface FillMask {
  (text: `${string}[MASK]${string}[MASK]${string}`, options?: FillMaskOptions): Promise<FillMaskResult[][]>;
  /** Of a text with one [MASK]; with several, not known when compiling, the result is FillMaskResult[][]. */
  (text: string, options?: FillMaskOptions): Promise<FillMaskResult[]>;
  (texts: readonly string[], options?: FillMaskOptions): Promise<FillMaskResult[][]>;
}

/** `score` is a probability, unless `function_to_apply` is "none" or the model does regression. */
export interface TextClassificationResult {
  label: string;
  score: number;
  truncated?: true;
}
/** A text, or two that belong together. */
export type TextInput = string | { text: string; text_pair?: string };
export interface TextClassificationOptions extends CallOptions {
  /** Labels per text; 1; null: all. */
  top_k?: number | null;
  /** The name of `top_k` in transformers.js 2. */
  topk?: number | null;
  /** From logits to scores; by default what config.json says. */
  function_to_apply?: "softmax" | "sigmoid" | "none";
}
/** Labels texts. With `top_k` 1 an array of texts gives one flat array, as in transformers.js. */
export interface TextClassification {
  (text: TextInput, options?: TextClassificationOptions): Promise<TextClassificationResult[]>;
  (
    texts: readonly TextInput[],
    options?: TextClassificationOptions & { top_k?: 1 },
  ): Promise<TextClassificationResult[]>;
  (texts: readonly TextInput[], options: TextClassificationOptions): Promise<TextClassificationResult[][]>;
}

/** `text.slice(start, end)` is the piece; `index` its position among the model's tokens. */
export interface TokenClassificationResult {
  entity: string;
  score: number;
  index: number;
  word: string;
  start: number;
  end: number;
}
/** A group of tokens; `text.slice(start, end)` is the piece. */
export interface TokenClassificationGroup {
  entity_group: string;
  score: number;
  word: string;
  start: number;
  end: number;
}
export interface TokenClassificationOptions extends CallOptions {
  /** Labels left out; ["O"]. */
  ignore_labels?: string[];
  /** How tokens become words and groups; "none". */
  aggregation_strategy?: "none" | "simple" | "first" | "average" | "max";
  /**
   * Tokens that neighbouring windows of a long text share. Where it is given and tokens are
   * grouped, each window is grouped by itself and of overlapping groups the longest stays, as in
   * Hugging Face. By default windows share up to 128 tokens, and each token counts by the window in
   * which it stands farthest from a cut.
   */
  stride?: number;
}
type Grouped = TokenClassificationOptions & { aggregation_strategy: "simple" | "first" | "average" | "max" };
/** Labels the pieces of texts of any length. */
export interface TokenClassification {
  (text: string, options: Grouped): Promise<TokenClassificationGroup[]>;
  (texts: readonly string[], options: Grouped): Promise<TokenClassificationGroup[][]>;
  (text: string, options?: TokenClassificationOptions): Promise<TokenClassificationResult[]>;
  (texts: readonly string[], options?: TokenClassificationOptions): Promise<TokenClassificationResult[][]>;
}

/** `context.slice(start, end)` is `answer`; all empty or 0 where the answer is that there is none. */
export interface QuestionAnsweringResult {
  answer: string;
  score: number;
  start: number;
  end: number;
}
export interface QuestionAnsweringOptions extends CallOptions {
  /** Answers; 1, which gives a single one rather than an array. */
  top_k?: number;
  /** The name of `top_k` in transformers.js 2. */
  topk?: number;
  /** Longest answer, in tokens; 15. */
  max_answer_len?: number;
  /** Tokens that neighbouring windows of a long context share; 128, or half of a shorter window. */
  doc_stride?: number;
  /** Longest window, in tokens; 384, or what the model has. */
  max_seq_len?: number;
  /** Taken, without effect: a question is never cut. */
  max_question_len?: number;
  /** Taken, without effect: windows need no padding here. */
  padding?: boolean | string;
  /** Allow the answer that there is none. */
  handle_impossible_answer?: boolean;
  /** Answers are made of whole words; true. */
  align_to_words?: boolean;
}
/** Finds answers in contexts of any length. */
export interface QuestionAnswering {
  (
    question: string,
    context: string,
    options?: QuestionAnsweringOptions & { top_k?: 1 },
  ): Promise<QuestionAnsweringResult>;
  (question: string, context: string, options: QuestionAnsweringOptions): Promise<QuestionAnsweringResult[]>;
  (
    questions: readonly string[],
    contexts: readonly string[],
    options?: QuestionAnsweringOptions & { top_k?: 1 },
  ): Promise<QuestionAnsweringResult[]>;
  (
    questions: readonly string[],
    contexts: readonly string[],
    options: QuestionAnsweringOptions,
  ): Promise<QuestionAnsweringResult[][]>;
}

/** `labels` by falling score, `scores` in the same order. */
export interface ZeroShotResult {
  sequence: string;
  labels: string[];
  scores: number[];
  truncated?: true;
}
export interface ZeroShotOptions extends CallOptions {
  /** The sentence each label is put into, at `{}`; "This example is {}.". */
  hypothesis_template?: string;
  /** Each label by itself, rather than one against the others. */
  multi_label?: boolean;
}
/** Labels texts with labels of the caller's: an array, or a string with commas. */
export interface ZeroShotClassification {
  (text: string, labels: string | readonly string[], options?: ZeroShotOptions): Promise<ZeroShotResult>;
  (texts: readonly string[], labels: string | readonly string[], options?: ZeroShotOptions): Promise<ZeroShotResult[]>;
}

export interface FeatureExtractionOptions extends CallOptions {
  /**
   * How token states become one vector per text: their mean, the first one's ("cls", "first_token"), the last one's
   * ("last_token", "eos"), or "model": as the folder's sentence-transformers files say, which also cut texts where they
   * say; or not at all; "none".
   */
  pooling?: "none" | "mean" | "cls" | "first_token" | "last_token" | "eos" | "model";
  /** Scale each vector to length 1. By default false, or with pooling "model" as the folder's files say. */
  normalize?: boolean;
  /** Give vectors with less precision: see `quantize_embeddings`. */
  quantize?: boolean;
  /** Which; "binary". */
  precision?: Precision;
  /** Of the bytes of precision int8 and uint8: least and greatest value of each dimension, [2, size]; by default those of the texts given. */
  ranges?: Tensor;
  /** Hidden layers, side by side in each vector, counted as in an array's `at`: 0 is the embeddings. */
  layers?: number[];
}
/** Vectors, float32 unless they were quantized; `truncated` where a text did not fit the model and its end was left out. */
export type Features = Tensor<"float32"> & { truncated?: true };
/**
 * Vectors of texts in one Tensor: pooled [texts, size], else [texts, tokens, size], where what is beyond the end of shorter
 * texts is zeros, since nothing is computed for padding.
 */
export type FeatureExtraction = (
  text: string | readonly string[],
  options?: FeatureExtractionOptions,
) => Promise<Features>;

/** Two probabilities. */
export interface NextSentenceResult {
  is_next: number;
  not_next: number;
  truncated?: true;
}
/** Whether the second text follows the first. */
export interface NextSentencePrediction {
  (text: string, next: string, options?: CallOptions): Promise<NextSentenceResult>;
  (texts: readonly string[], nexts: readonly string[], options?: CallOptions): Promise<NextSentenceResult[]>;
}

/** A probability among the choices. */
export interface MultipleChoiceResult {
  choice: string;
  score: number;
  truncated?: true;
}
/** Weighs continuations of a prompt; results are in the order given. */
export interface MultipleChoice {
  (prompt: string, choices: readonly string[], options?: CallOptions): Promise<MultipleChoiceResult[]>;
  (
    prompts: readonly string[],
    choices: readonly (readonly string[])[],
    options?: CallOptions,
  ): Promise<MultipleChoiceResult[][]>;
}

/** `score` is the probability that the piece was replaced; `text.slice(start, end)` is the piece. */
export interface ReplacedTokenResult {
  word: string;
  score: number;
  replaced: boolean;
  index: number;
  start: number;
  end: number;
}
/** Which pieces of texts of any length someone else put there: ELECTRA's discriminator. */
export interface ReplacedTokenDetection {
  (text: string, options?: CallOptions): Promise<ReplacedTokenResult[]>;
  (texts: readonly string[], options?: CallOptions): Promise<ReplacedTokenResult[][]>;
}

/** How each task is called. */
export interface Calls {
  "fill-mask": FillMask;
  "text-classification": TextClassification;
  "token-classification": TokenClassification;
  "question-answering": QuestionAnswering;
  "zero-shot-classification": ZeroShotClassification;
  "feature-extraction": FeatureExtraction;
  "next-sentence-prediction": NextSentencePrediction;
  "multiple-choice": MultipleChoice;
  "replaced-token-detection": ReplacedTokenDetection;
}

/** Options that reach the engine, by task; what else a caller gives is ignored. */
export const OPTIONS: Record<Task, readonly string[]> = {
  "fill-mask": ["top_k", "targets"],
  "text-classification": ["top_k", "function_to_apply"],
  "token-classification": ["ignore_labels", "aggregation_strategy", "stride"],
  "question-answering": [
    "top_k",
    "max_answer_len",
    "doc_stride",
    "max_seq_len",
    "handle_impossible_answer",
    "align_to_words",
  ],
  "zero-shot-classification": ["hypothesis_template", "multi_label"],
  "feature-extraction": ["pooling", "normalize", "layers"],
  "next-sentence-prediction": [],
  "multiple-choice": [],
  "replaced-token-detection": [],
};

/** The canonical name of a task; throws `unsupported` for a task that is none of ours. */
export function canonical(name: string): Task {
  const task = Object.hasOwn(ALIASES, name) ? ALIASES[name as keyof Aliases] : (name as Task);
  if (Object.hasOwn(OPTIONS, task)) return task;
  throw new WebertError("unsupported", `there is no task "${name}"; there are ${Object.keys(OPTIONS).join(", ")}`);
}
