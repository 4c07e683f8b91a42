import type { Explanation, ExplanationStep } from "./engine/explanation.js";
import type { ProgressEvent } from "./sources/source.js";
import type { Task } from "./task-names.js";
import type { Precision } from "./tensor/quantize.js";
import type { Tensor } from "./tensor/tensor.js";

/** Of every call. */
export interface CallOptions {
  /** Stops this call, waiting or running; it rejects with `aborted`, the pipeline stays usable. */
  signal?: AbortSignal;
}

/** How the masks of a text are filled: see `FillMaskOptions.strategy`. */
export type FillStrategy = "independent" | "left-to-right" | "confidence-first" | "mask-predict" | "gibbs";

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
  /**
   * Number of answers per mask.
   * @default 5
   */
  top_k?: number;
  /** The name of `top_k` in transformers.js 2. */
  topk?: number;
  /** Only these words compete. */
  targets?: string | string[];
  /** The layer whose state the head reads, as in `layers` of feature-extraction; by default the last. */
  layer?: number | null;
  /**
   * Of several masks: "independent", each by itself, which is the default; "left-to-right", each seeing those before it filled;
   * "confidence-first", the surest next; "mask-predict", all at once, then again the least sure ones (Ghazvininejad et al. 2019);
   * "gibbs", each drawn given all others, again and again (Wang and Cho 2019). But for the first, each mask has one answer,
   * whose score is its probability when it was filled, and whose `sequence` is the whole text.
   */
  strategy?: FillStrategy;
  /**
   * For "mask-predict" the number of forward passes, for "gibbs" how often each mask is drawn.
   * @default 10
   */
  num_steps?: number;
  /**
   * For "gibbs": below 1, likely tokens are drawn more often. "gibbs" draws from the `top_k` best tokens (100 by default).
   * @default 1
   */
  temperature?: number;
  /** Of "gibbs": a whole number that repeats what is drawn. */
  seed?: number;
  /** Called, and awaited, with each step of a strategy that has steps. */
  callback?: (step: FillMaskStep) => unknown;
}
/** A step of a strategy: what it filled, and the text then. */
export interface FillMaskStep {
  /** Which of the texts given, from 0. */
  input: number;
  /** From 1 to `num_steps`. */
  step: number;
  num_steps: number;
  /** `mask` is which of the text's masks, from 0. */
  filled: { mask: number; token: number; token_str: string; score: number }[];
  /** With the masks that are left. */
  sequence: string;
}
/** How natural a text is. */
export interface TextScore {
  /** The pseudo-log-likelihood: the sum of the tokens' scores. */
  score: number;
  /** e to the power of the mean of the tokens' scores, negated. */
  pseudo_perplexity: number;
  /** `score` is the natural logarithm of the token's probability given all others; `text.slice(start, end)` is the token. */
  tokens: { token: number; token_str: string; score: number; start: number; end: number }[];
}
export type ScoreOptions = CallOptions;
export interface LensOptions extends CallOptions {
  /**
   * Number of answers per mask.
   * @default 5
   */
  top_k?: number;
}
/** What the head says over the state of a layer, 0 being the embeddings' output; one list of answers per mask. */
export interface LensLayer {
  layer: number;
  masks: FillMaskResult[][];
}
/** What a fill-mask pipeline does beside filling. */
export interface FillMaskMethods {
  /**
   * The pseudo-log-likelihood of a text (Salazar et al. 2020): each token is masked alone. The text may not be longer than
   * the model takes. The better of two sentences has the greater score; the odd word the least.
   * @example
   * const { score, tokens } = await unmask.score("the teacher walked to the bridge");
   */
  score(text: string, options?: ScoreOptions): Promise<TextScore>;
  score(texts: readonly string[], options?: ScoreOptions): Promise<TextScore[]>;
  /**
   * How the answers for a text's masks form, layer by layer.
   * @example
   * for (const { layer, masks } of await unmask.lens("Paris is the [MASK] of France.")) console.log(layer, masks[0][0].token_str);
   */
  lens(text: string, options?: LensOptions): Promise<LensLayer[]>;
}
/**
 * Fills each [MASK]. A text with several gives one list per mask.
 * @example
 * const masks = await unmask("the [MASK] [MASK] to the old [MASK].", { strategy: "confidence-first" });
 * masks[0][0].sequence; // the text, filled
 */
export interface FillMask {
  (text: `${string}[MASK]${string}[MASK]${string}`, options?: FillMaskOptions): Promise<FillMaskResult[][]>;
  /** Of a text with one [MASK]; with several, not known when compiling, the result is FillMaskResult[][]. */
  (text: string, options?: FillMaskOptions): Promise<FillMaskResult[]>;
  (texts: readonly string[], options?: FillMaskOptions): Promise<FillMaskResult[][]>;
}

/**
 * `score` is a probability, unless `function_to_apply` is "none" or the model does regression. `label` is what `id2label` of
 * config.json holds: a string, except for folders that have numbers, booleans or null there. As in Python the label is then
 * such a value; TypeScript programs for such a folder must convert it: `label as unknown as number`.
 */
export interface TextClassificationResult {
  label: string;
  score: number;
  truncated?: true;
}
/** A text, or two that belong together. */
export type TextInput = string | { text: string; text_pair?: string };
export interface TextClassificationOptions extends CallOptions {
  /**
   * Number of labels per text; `null` returns all.
   * @default 1
   */
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

/**
 * `text.slice(start, end)` is the piece; `index` its position among the model's tokens. `entity` is a number or a boolean if
 * `id2label` of config.json holds such: see `TextClassificationResult`.
 */
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
  /**
   * Labels to leave out of the answers.
   * @default ["O"]
   */
  ignore_labels?: string[];
  /**
   * How tokens are merged into words and groups.
   * @default "none"
   */
  aggregation_strategy?: "none" | "simple" | "first" | "average" | "max";
  /**
   * Tokens that neighbouring windows of a long text share. Where it is given and tokens are
   * grouped, each window is grouped by itself and of overlapping groups the longest stays, as in
   * Hugging Face. By default windows share up to 128 tokens, and each token counts by the window in
   * which it stands farthest from a cut.
   */
  stride?: number;
  /**
   * A text is an array of its words. Each word is tokenized by itself, and `start` and `end` count in the words joined by
   * `delimiter`.
   * @default false
   */
  is_split_into_words?: boolean;
  /**
   * What is between the words of a text that is split into words.
   * @default " "
   */
  delimiter?: string;
}
type Split = { is_split_into_words: true };
type Grouped = TokenClassificationOptions & { aggregation_strategy: "simple" | "first" | "average" | "max" };
/** Labels the pieces of texts of any length. */
export interface TokenClassification {
  /** With `is_split_into_words`: the words of one text or of several. The result has one array per text in either case. */
  (
    words: readonly string[] | readonly (readonly string[])[],
    options: Grouped & Split,
  ): Promise<TokenClassificationGroup[][]>;
  (
    words: readonly string[] | readonly (readonly string[])[],
    options: TokenClassificationOptions & Split,
  ): Promise<TokenClassificationResult[][]>;
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
  /**
   * Number of answers. With 1 the result is a single answer, not an array.
   * @default 1
   */
  top_k?: number;
  /** The name of `top_k` in transformers.js 2. */
  topk?: number;
  /**
   * Length of the longest answer, in tokens.
   * @default 15
   */
  max_answer_len?: number;
  /** Number of tokens that neighbouring windows of a long context share. By default 128, or half of a shorter window. */
  doc_stride?: number;
  /** Length of the longest window, in tokens. By default 384, or the limit of the model if it is lower. */
  max_seq_len?: number;
  /** Accepted without effect: a question is never cut. */
  max_question_len?: number;
  /** Accepted without effect: windows need no padding. */
  padding?: boolean | string;
  /**
   * Allow an empty answer, for a question that the context does not answer.
   * @default false
   */
  handle_impossible_answer?: boolean;
  /**
   * Extend answers to whole words.
   * @default true
   */
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
  /** Several questions, each with its context or all with the same one. */
  (
    questions: readonly string[],
    contexts: string | readonly string[],
    options?: QuestionAnsweringOptions & { top_k?: 1 },
  ): Promise<QuestionAnsweringResult[]>;
  (
    questions: readonly string[],
    contexts: string | readonly string[],
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
  /**
   * Sentence template; each label replaces `{}`.
   * @default "This example is {}."
   */
  hypothesis_template?: string;
  /**
   * Score each label by itself, not against the other labels.
   * @default false
   */
  multi_label?: boolean;
}
/** Labels texts with labels of the caller's: an array, or a string with commas. */
export interface ZeroShotClassification {
  (text: string, labels: string | readonly string[], options?: ZeroShotOptions): Promise<ZeroShotResult>;
  (texts: readonly string[], labels: string | readonly string[], options?: ZeroShotOptions): Promise<ZeroShotResult[]>;
}

export interface FeatureExtractionOptions extends CallOptions {
  /**
   * How token states become one vector per text: their mean, the state of the first token ("cls", "first_token") or of the
   * last token ("last_token", "eos"). "none" keeps one vector per token. "model" does what sentence-transformers' `encode`
   * does: it applies the modules of the folder (all kinds of pooling, dense layers, normalization), its prompts and its
   * maximum length.
   * @default "none"
   */
  pooling?: "none" | "mean" | "cls" | "first_token" | "last_token" | "eos" | "model";
  /**
   * Scale each vector to length 1. With pooling "model" the default comes from the folder.
   * @default false
   */
  normalize?: boolean;
  /**
   * Return vectors of lower precision: see `quantize_embeddings`.
   * @default false
   */
  quantize?: boolean;
  /**
   * Precision of the vectors that `quantize` returns.
   * @default "binary"
   */
  precision?: Precision;
  /** Of the bytes of precision int8 and uint8: least and greatest value of each dimension, [2, size]; by default those of the texts given. */
  ranges?: Tensor;
  /** What is put before each text. */
  prompt?: string | null;
  /** The name of a prompt of the folder's, where `prompt` is not given: "query". By default none, or with pooling "model" the one that the folder says. */
  prompt_name?: string | null;
  /** How many of its first numbers a vector keeps, before `normalize`. By default all, or with pooling "model" as many as the folder says. */
  truncate_dim?: number | null;
  /** The most tokens a text may have, special ones included; by default as many as the model takes. */
  max_length?: number | null;
  /** Hidden layers, side by side in each vector, counted as in an array's `at`: 0 is the embeddings. */
  layers?: number[];
}
/** Vectors, float32 unless they were quantized; `truncated` where a text did not fit the model and its end was left out. */
export type Features = Tensor<"float32"> & { truncated?: true };
/**
 * Vectors of texts in one Tensor: pooled [texts, size], else [texts, tokens, size], where what is beyond the end of shorter
 * texts is zeros, since nothing is computed for padding.
 * @example
 * const embed = await pipeline("feature-extraction", "intfloat/e5-small-v2");
 * const query = await embed("Where is the piano?", { pooling: "model", prompt: "query: " });
 * const documents = await embed(["It rained.", "It is near the window."], { pooling: "model", prompt: "passage: " });
 * cos_sim(query.tolist()[0], documents.tolist()[1]);
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

/** A document: `corpus_id` is its place among those given, `text` it, where `return_documents` asks for it. */
export interface TextRankingResult {
  corpus_id: number;
  score: number;
  text?: string;
  truncated?: true;
}
export interface TextRankingOptions extends CallOptions {
  /** Number of documents to return, best first. By default (`null`) all. */
  top_k?: number | null;
  /**
   * Add the text of each document to its result.
   * @default false
   */
  return_documents?: boolean;
  /** From a logit to a score; by default what the folder says (sigmoid, identity or tanh), else the sigmoid. */
  function_to_apply?: "sigmoid" | "none";
  /** Text before each query. */
  prompt?: string | null;
  /** Name of the folder's prompt that is put before each query if `prompt` is absent. By default the folder's `default_prompt_name`. */
  prompt_name?: string | null;
}
/**
 * Orders documents by how well they answer a query, by a cross-encoder: equal to sentence-transformers' `CrossEncoder.rank`.
 * @example
 * const rank = await pipeline("text-ranking", "cross-encoder/ms-marco-MiniLM-L6-v2");
 * await rank("Where is the piano?", ["It rained.", "The piano is near the window."], { top_k: 1 });
 * // [{ corpus_id: 1, score: 0.98 }]
 */
export interface TextRanking {
  (query: string, documents: readonly string[], options?: TextRankingOptions): Promise<TextRankingResult[]>;
  (
    queries: readonly string[],
    documents: readonly (readonly string[])[],
    options?: TextRankingOptions,
  ): Promise<TextRankingResult[][]>;
}

/** How an answer is explained. */
export interface ExplainOptions extends CallOptions {
  /**
   * "integrated_gradients", the mean of the gradient on the way from a baseline to the text, times their difference: tokens
   * add up to the difference of the scores (Sundararajan et al. 2017; captum's LayerIntegratedGradients). Or
   * "gradient_x_input", one gradient, which is quick and adds up to nothing.
   */
  method?: "integrated_gradients" | "gradient_x_input";
  /**
   * Number of gradients on the path, 1 to 1000.
   * @default 32
   */
  n_steps?: number;
  /** Called, and awaited, as gradients come; `input` is which of the texts given, from 0. */
  callback?: (step: ExplanationStep & { input: number }) => unknown;
  /** Told while the model is loaded for its gradients, by the first call. */
  progress_callback?: ((event: ProgressEvent) => void) | null;
}
/** What an explanation is of, by task, as the task's answers have it. */
interface Explained {
  "text-classification": { label: string };
  "token-classification": { entity: string; index: number };
  "question-answering": { answer: string; start: number; end: number };
  "fill-mask": { token: number; token_str: string };
}
type Explain<T extends keyof Explained, I, O> = {
  (text: I, options?: ExplainOptions & O): Promise<Explanation<Explained[T]>>;
  (texts: readonly I[], options?: ExplainOptions & O): Promise<Explanation<Explained[T]>[]>;
};
/**
 * `explain` of each pipeline that has it. Its first call loads the model once more, in float32 and with what computes
 * gradients, on the pipeline's device; both are freed together.
 * @example
 * const { target, tokens, completeness_error } = await classify.explain("The soup was cold.");
 * for (const { token_str, attribution } of tokens) console.log(token_str, attribution);
 */
export interface Explains {
  /** `target`: a label or its index; by default the best one. */
  "text-classification": { explain: Explain<"text-classification", TextInput, { target?: string | number | null }> };
  /** `index`: that of an answer, or of any of the text's tokens; `target`: a label or its index; by default the token's best one. */
  "token-classification": {
    explain: Explain<"token-classification", string, { index: number; target?: string | number | null }>;
  };
  /** `target`: an answer, or where it begins and ends in the context; by default the best one. */
  "question-answering": {
    explain: {
      (
        question: string,
        context: string,
        options?: ExplainOptions & { target?: { start: number; end: number } | null },
      ): Promise<Explanation<Explained["question-answering"]>>;
      (
        questions: readonly string[],
        contexts: readonly string[],
        options?: ExplainOptions,
      ): Promise<Explanation<Explained["question-answering"]>[]>;
    };
  };
  /** `target`: a token of the vocabulary or its id, by default the best one; `mask`: which of the text's masks, from 0. */
  "fill-mask": {
    explain: Explain<"fill-mask", string, { target?: string | number | null; mask?: number | null }>;
  };
}

/** How each task is called. */
export interface Calls extends Record<Task, unknown> {
  "fill-mask": FillMask;
  "text-classification": TextClassification;
  "token-classification": TokenClassification;
  "question-answering": QuestionAnswering;
  "zero-shot-classification": ZeroShotClassification;
  "feature-extraction": FeatureExtraction;
  "next-sentence-prediction": NextSentencePrediction;
  "multiple-choice": MultipleChoice;
  "replaced-token-detection": ReplacedTokenDetection;
  "text-ranking": TextRanking;
}

/** What the pipelines of a task have beside being called. */
export interface Methods extends Omit<Explains, "fill-mask"> {
  "fill-mask": FillMaskMethods & Explains["fill-mask"];
}

/** Options that reach the engine, by task. option-names.ts has those that do not. */
export const OPTIONS: Record<Task, readonly string[]> = {
  "fill-mask": ["top_k", "targets", "layer"],
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
  "feature-extraction": ["pooling", "normalize", "layers", "max_length"],
  "next-sentence-prediction": [],
  "multiple-choice": [],
  "replaced-token-detection": [],
  "text-ranking": ["top_k", "return_documents", "function_to_apply"],
};
