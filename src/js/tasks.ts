import type { Explanation, ExplanationStep } from "./engine/explanation.js";
import type { ProgressEvent } from "./sources/source.js";
import type { Task } from "./task-names.js";
import type { Precision } from "./tensor/quantize.js";
import type { Tensor } from "./tensor/tensor.js";

/** Options of every call. */
export interface CallOptions {
  /** Stops this call, waiting or running. The call rejects with `aborted`; the pipeline stays usable. */
  signal?: AbortSignal | null | undefined;
}

/** Progress of a call of many inputs. */
export interface CallProgress {
  status: "call";
  /** Inputs whose answers are computed. */
  loaded: number;
  /** Inputs of the call, if known. */
  total?: number;
  /** Progress in per cent, if `total` is known. */
  progress?: number;
}

/** Options of every task's call. */
export interface TaskOptions extends CallOptions {
  /** Called and awaited after every 32 inputs of a call. */
  callback?: ((progress: CallProgress) => unknown) | null;
}

/** Options of `stream`, besides the options of the task's call. */
export interface StreamOptions {
  /**
   * Number of inputs that are computed together. The next ones are read when the answers have been taken.
   * @default 32
   */
  batch_size?: number | null;
  /** Called and awaited after each batch. */
  onProgress?: ((progress: CallProgress) => unknown) | null;
}

/** Many inputs: an array, a Set, a generator, an async generator or a stream. */
export type Inputs<T> = readonly T[] | (Iterable<T> & object) | AsyncIterable<T> | ReadableStream<T>;

/** How the masks of a text are filled: see `FillMaskOptions.strategy`. */
export type FillStrategy = "independent" | "left-to-right" | "confidence-first" | "mask-predict" | "gibbs";

/**
 * One answer for a mask. `token` is its id. `sequence` is the text with the answer in place of the mask. If the text
 * has several masks, `sequence` keeps the special tokens and the other masks. `truncated` is true if the text was too
 * long for the model and its end was left out.
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
  /** Name of `top_k` in transformers.js 2. */
  topk?: number;
  /** Words to choose answers from. By default the whole vocabulary. */
  targets?: string | string[];
  /** Layer whose state the head reads, counted as in `layers` of feature-extraction. By default the last layer. */
  layer?: number | null;
  /**
   * How the masks of a text with several masks are filled. The default is "independent".
   * - "independent" fills each mask by itself.
   * - "left-to-right" fills one mask at a time; each sees the masks filled before it.
   * - "confidence-first" fills one mask at a time, the most probable answer first.
   * - "mask-predict" fills all masks at once, then the least probable ones again (Ghazvininejad et al. 2019).
   * - "gibbs" repeatedly draws each mask given all others (Wang and Cho 2019).
   *
   * All strategies except "independent" return one answer per mask. Its `score` is its probability when it was filled;
   * its `sequence` is the whole text.
   */
  strategy?: FillStrategy;
  /**
   * Number of forward passes of "mask-predict". For "gibbs", how often each mask is drawn.
   * @default 10
   */
  num_steps?: number;
  /**
   * Temperature of "gibbs", which draws from the `top_k` best tokens (100 by default). Below 1, likely tokens are drawn
   * more often.
   * @default 1
   */
  temperature?: number;
  /** Seed of "gibbs", a whole number. The same seed repeats the same draws. */
  seed?: number;
  /**
   * Called and awaited after each step of a strategy that has steps. With "independent" it is called as in
   * `IndependentFillMaskOptions`.
   */
  callback?: (step: FillMaskStep) => unknown;
}
/** Options of fill-mask with the strategy "independent", whose `callback` receives the progress of the call. */
export interface IndependentFillMaskOptions extends Omit<FillMaskOptions, "callback" | "strategy">, TaskOptions {
  strategy?: "independent";
}
/** A step of a strategy: what it filled, and the resulting text. */
export interface FillMaskStep {
  /** Index of the text in the input, from 0. */
  input: number;
  /** Number of the step, from 1 to `num_steps`. */
  step: number;
  num_steps: number;
  /** The filled masks. `mask` is the index of the mask in the text, from 0. */
  filled: { mask: number; token: number; token_str: string; score: number }[];
  /** The text after the step, including the remaining masks. */
  sequence: string;
}
/** How natural a text is. */
export interface TextScore {
  /** The pseudo-log-likelihood: the sum of the tokens' scores. */
  score: number;
  /** e to the power of the negative mean of the tokens' scores. */
  pseudo_perplexity: number;
  /**
   * `score` is the natural logarithm of the token's probability given all others. `text.slice(start, end)` is the
   * token.
   */
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
/** The head's answers over the state of a layer, one list per mask. Layer 0 is the output of the embeddings. */
export interface LensLayer {
  layer: number;
  masks: FillMaskResult[][];
}
/** Methods of a fill-mask pipeline. */
export interface FillMaskMethods {
  /**
   * Returns the pseudo-log-likelihood of a text (Salazar et al. 2020): each token is masked alone. The text must fit
   * the model. The more natural of two sentences has the greater score; the least fitting word has the lowest score.
   * @example
   * const { score, tokens } = await unmask.score("the teacher walked to the bridge");
   */
  score(text: string, options?: ScoreOptions): Promise<TextScore>;
  score(texts: readonly string[], options?: ScoreOptions): Promise<TextScore[]>;
  /**
   * Returns how the answers for a text's masks form, layer by layer.
   * @example
   * for (const { layer, masks } of await unmask.lens("Paris is the [MASK] of France.")) console.log(layer, masks[0][0].token_str);
   */
  lens(text: string, options?: LensOptions): Promise<LensLayer[]>;
}
/**
 * Fills each [MASK]. A text with several masks returns one list per mask.
 * @example
 * const masks = await unmask("the [MASK] [MASK] to the old [MASK].", { strategy: "confidence-first" });
 * masks[0][0].sequence; // the text, filled
 */
export interface FillMask {
  (text: `${string}[MASK]${string}[MASK]${string}`, options?: FillMaskOptions): Promise<FillMaskResult[][]>;
  /** Fills a text with one [MASK]. If a text whose type is `string` has several, the result is FillMaskResult[][]. */
  (text: string, options?: FillMaskOptions): Promise<FillMaskResult[]>;
  (texts: Inputs<string>, options?: FillMaskOptions): Promise<FillMaskResult[][]>;
  (texts: Inputs<string>, options?: IndependentFillMaskOptions): Promise<FillMaskResult[][]>;
}

/**
 * `score` is a probability, unless `function_to_apply` is "none" or the model does regression. `label` is the entry of
 * `id2label` in config.json. It is a string for almost all models. If the file has numbers, booleans or null, `label`
 * is such a value, as in Python; TypeScript must then convert it: `label as unknown as number`.
 */
export interface TextClassificationResult {
  label: string;
  score: number;
  truncated?: true;
}
/** A text, or a pair of texts. */
export type TextInput = string | { text: string; text_pair?: string };
export interface TextClassificationOptions extends TaskOptions {
  /**
   * Number of labels per text; `null` returns all.
   * @default 1
   */
  top_k?: number | null;
  /** Name of `top_k` in transformers.js 2. */
  topk?: number | null;
  /** Function from logits to scores. By default config.json determines it. */
  function_to_apply?: "softmax" | "sigmoid" | "none";
}
/** Labels texts. With `top_k` 1 an array of texts returns one flat array, as in transformers.js. */
export interface TextClassification {
  (text: TextInput, options?: TextClassificationOptions): Promise<TextClassificationResult[]>;
  (texts: Inputs<TextInput>, options?: TextClassificationOptions & { top_k?: 1 }): Promise<TextClassificationResult[]>;
  (texts: Inputs<TextInput>, options: TextClassificationOptions): Promise<TextClassificationResult[][]>;
}

/**
 * `text.slice(start, end)` is the piece. `index` is its position among the model's tokens. `entity` is a number or a
 * boolean if `id2label` of config.json has one: see `TextClassificationResult`.
 */
export interface TokenClassificationResult {
  entity: string;
  score: number;
  index: number;
  word: string;
  start: number;
  end: number;
}
/** A group of tokens. `text.slice(start, end)` is the piece. */
export interface TokenClassificationGroup {
  entity_group: string;
  score: number;
  word: string;
  start: number;
  end: number;
}
export interface TokenClassificationOptions extends TaskOptions {
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
   * Number of tokens that neighbouring windows of a long text share. If it is set and tokens are grouped, each window
   * is grouped by itself and the longest of overlapping groups is kept, as in Hugging Face. By default windows share up
   * to 128 tokens, and each token is scored in the window where it is farthest from a cut.
   */
  stride?: number;
  /**
   * Numbers that are added to the logits of labels before the softmax, by label as config.json names it. `{ O: -1 }` finds
   * more entities, and more that are none.
   * @default {}
   */
  label_bias?: Readonly<Record<string, number>>;
  /**
   * Take an array of words as one text. Each word is tokenized by itself. `start` and `end` count characters in the
   * words joined by `delimiter`.
   * @default false
   */
  is_split_into_words?: boolean;
  /**
   * Text between two words of a text that is split into words.
   * @default " "
   */
  delimiter?: string;
}
type Split = { is_split_into_words: true };
type Grouped = TokenClassificationOptions & { aggregation_strategy: "simple" | "first" | "average" | "max" };
/** Labels the pieces of texts of any length. */
export interface TokenClassification {
  /** With `is_split_into_words`: the words of one text or of several. The result always has one array per text. */
  (
    words: readonly string[] | readonly (readonly string[])[],
    options: Grouped & Split,
  ): Promise<TokenClassificationGroup[][]>;
  (
    words: readonly string[] | readonly (readonly string[])[],
    options: TokenClassificationOptions & Split,
  ): Promise<TokenClassificationResult[][]>;
  (text: string, options: Grouped): Promise<TokenClassificationGroup[]>;
  (texts: Inputs<string>, options: Grouped): Promise<TokenClassificationGroup[][]>;
  (text: string, options?: TokenClassificationOptions): Promise<TokenClassificationResult[]>;
  (texts: Inputs<string>, options?: TokenClassificationOptions): Promise<TokenClassificationResult[][]>;
}

/**
 * `context.slice(start, end)` is `answer`. If the context has no answer, `answer` is empty and `start` and `end` are 0.
 */
export interface QuestionAnsweringResult {
  answer: string;
  score: number;
  start: number;
  end: number;
}
export interface QuestionAnsweringOptions extends TaskOptions {
  /**
   * Number of answers. With 1 the result is a single answer, not an array.
   * @default 1
   */
  top_k?: number;
  /** Name of `top_k` in transformers.js 2. */
  topk?: number;
  /**
   * Length of the longest answer, in tokens.
   * @default 15
   */
  max_answer_len?: number;
  /**
   * Number of tokens that neighbouring windows of a long context share. By default 128, or half of a shorter window.
   */
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
  /** Answers several questions, each with its own context or all with the same one. */
  (
    questions: Inputs<string>,
    contexts: string | Inputs<string>,
    options?: QuestionAnsweringOptions & { top_k?: 1 },
  ): Promise<QuestionAnsweringResult[]>;
  (
    questions: Inputs<string>,
    contexts: string | Inputs<string>,
    options: QuestionAnsweringOptions,
  ): Promise<QuestionAnsweringResult[][]>;
}

/** `labels` in order of falling score, `scores` in the same order. */
export interface ZeroShotResult {
  sequence: string;
  labels: string[];
  scores: number[];
  truncated?: true;
}
export interface ZeroShotOptions extends TaskOptions {
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
/** Labels texts with the given labels: an array, or a string separated by commas. */
export interface ZeroShotClassification {
  (text: string, labels: string | readonly string[], options?: ZeroShotOptions): Promise<ZeroShotResult>;
  (texts: Inputs<string>, labels: string | readonly string[], options?: ZeroShotOptions): Promise<ZeroShotResult[]>;
}

/** An entity: `text.slice(start, end)` is `word`. */
export interface ZeroShotTokenResult {
  entity_group: string;
  /** The probability of the label. */
  score: number;
  word: string;
  start: number;
  end: number;
}
export interface ZeroShotTokenOptions extends TaskOptions {
  /**
   * Least probability of an entity, from 0 to 1.
   * @default 0.5
   */
  threshold?: number;
  /**
   * Whether no two entities overlap. If false, an entity may lie within another one.
   * @default true
   */
  flat_ner?: boolean;
  /**
   * Whether the same words may have several labels.
   * @default false
   */
  multi_label?: boolean;
}
/**
 * Finds entities of the given labels with a GLiNER model: an array, or a string separated by commas. Texts can have any
 * length. Entities are in order of their first words.
 * @example
 * const find = await pipeline("zero-shot-token-classification", "urchade/gliner_small-v2.1");
 * await find("Anna flew from Oslo to Rome.", ["person", "city"], { threshold: 0.4 });
 * // [{ entity_group: "person", score: 0.98, word: "Anna", start: 0, end: 4 }, …]
 */
export interface ZeroShotTokenClassification {
  (text: string, labels: string | readonly string[], options?: ZeroShotTokenOptions): Promise<ZeroShotTokenResult[]>;
  (
    texts: Inputs<string>,
    labels: string | readonly string[],
    options?: ZeroShotTokenOptions,
  ): Promise<ZeroShotTokenResult[][]>;
}

export interface FeatureExtractionOptions extends TaskOptions {
  /**
   * How token states become one vector per text: their mean, the state of the first token ("cls", "first_token") or of
   * the last token ("last_token", "eos"). "none" keeps one vector per token. "model" does what `encode` of
   * sentence-transformers does: it applies the folder's modules (pooling, dense layers, normalization), its prompts and
   * its maximum length. For SPLADE that is the same as "sparse", one object of tokens and weights per text; for ColBERT
   * it is the same as "colbert", one vector per token.
   * @default "none"
   */
  pooling?: "none" | "mean" | "cls" | "first_token" | "last_token" | "eos" | "model" | "sparse" | "colbert";
  /**
   * What the texts are: queries, or documents to be found. It selects the folder's prompt, as `encode_query` and
   * `encode_document` of sentence-transformers do, and how SPLADE and ColBERT treat the text. By default neither; for
   * SPLADE and ColBERT "document".
   */
  task?: "query" | "document" | null;
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
  /**
   * Least and greatest value of each dimension, [2, size], for precision int8 and uint8. By default computed from the
   * given texts.
   */
  ranges?: Tensor;
  /** Text before each text. */
  prompt?: string | null;
  /**
   * Name of the folder's prompt to use if `prompt` is absent, e.g. "query". By default none; with pooling "model" the
   * folder's default prompt.
   */
  prompt_name?: string | null;
  /**
   * Number of leading dimensions to keep, before `normalize`. By default all; with pooling "model" the folder's number.
   */
  truncate_dim?: number | null;
  /** Maximum number of tokens per text, including special tokens. By default the model's limit. */
  max_length?: number | null;
  /**
   * Hidden layers to concatenate in each vector, counted as in an array's `at`: 0 is the embeddings, -1 the last layer.
   */
  layers?: number[];
}
/**
 * Vectors, in float32 unless quantized. `truncated` is true if a text was too long for the model and its end was left
 * out.
 */
export type Features = Tensor<"float32"> & { truncated?: true };
/** Methods of a feature-extraction pipeline. */
export interface FeatureExtractionMethods {
  /**
   * Returns what a call with these options puts before each text: `prompt`, otherwise the folder's prompt, otherwise
   * nothing. For folders that make one vector per text.
   * @example
   * await embed.prompt({ pooling: "model", task: "query" }); // "query: "
   */
  prompt(options?: FeatureExtractionOptions | null): Promise<string>;
}
/**
 * Returns the vectors of texts in one Tensor: [texts, size] if pooled, otherwise [texts, tokens, size]. Positions after
 * the end of shorter texts are zeros.
 * @example
 * const embed = await pipeline("feature-extraction", "intfloat/e5-small-v2");
 * const query = await embed("Where is the piano?", { pooling: "model", prompt: "query: " });
 * const documents = await embed(["It rained.", "It is near the window."], { pooling: "model", prompt: "passage: " });
 * cos_sim(query.tolist()[0], documents.tolist()[1]);
 */
export interface FeatureExtraction {
  (text: string, options: FeatureExtractionOptions & { pooling: "sparse" }): Promise<SparseVector>;
  (texts: Inputs<string>, options: FeatureExtractionOptions & { pooling: "sparse" }): Promise<SparseVector[]>;
  (text: string | Inputs<string>, options?: FeatureExtractionOptions): Promise<Features>;
}

/**
 * A sparse vector: the weight of each token of the vocabulary, largest first. Tokens without weight are absent. As in
 * every JavaScript object, tokens that are whole numbers come before the others.
 */
export type SparseVector = Record<string, number>;

/** The probabilities that the second text follows the first, and that it does not. */
export interface NextSentenceResult {
  is_next: number;
  not_next: number;
  truncated?: true;
}
/** Predicts whether the second text follows the first. */
export interface NextSentencePrediction {
  (text: string, next: string, options?: TaskOptions): Promise<NextSentenceResult>;
  (texts: Inputs<string>, nexts: Inputs<string>, options?: TaskOptions): Promise<NextSentenceResult[]>;
}

/** A choice and its probability among the choices. */
export interface MultipleChoiceResult {
  choice: string;
  score: number;
  truncated?: true;
}
/** Scores continuations of a prompt. Results are in the order of the choices. */
export interface MultipleChoice {
  (prompt: string, choices: readonly string[], options?: TaskOptions): Promise<MultipleChoiceResult[]>;
  (
    prompts: Inputs<string>,
    choices: Inputs<readonly string[]>,
    options?: TaskOptions,
  ): Promise<MultipleChoiceResult[][]>;
}

/** `score` is the probability that the piece was replaced. `text.slice(start, end)` is the piece. */
export interface ReplacedTokenResult {
  word: string;
  score: number;
  replaced: boolean;
  index: number;
  start: number;
  end: number;
}
/** Finds the pieces of texts that were replaced (ELECTRA's discriminator). Texts can have any length. */
export interface ReplacedTokenDetection {
  (text: string, options?: TaskOptions): Promise<ReplacedTokenResult[]>;
  (texts: Inputs<string>, options?: TaskOptions): Promise<ReplacedTokenResult[][]>;
}

/** A ranked document. `corpus_id` is its index in the input. `text` is present with `return_documents`. */
export interface TextRankingResult {
  corpus_id: number;
  score: number;
  text?: string;
  truncated?: true;
}
export interface TextRankingOptions extends TaskOptions {
  /** Number of documents to return, best first. By default (`null`) all. */
  top_k?: number | null;
  /**
   * Add the text of each document to its result.
   * @default false
   */
  return_documents?: boolean;
  /**
   * Function from a logit to a score. By default the folder's own (sigmoid, identity or tanh), otherwise the sigmoid.
   */
  function_to_apply?: "sigmoid" | "none";
  /** Text before each query. */
  prompt?: string | null;
  /**
   * Name of the folder's prompt that is put before each query if `prompt` is absent. By default the folder's
   * `default_prompt_name`.
   */
  prompt_name?: string | null;
}
/**
 * Ranks documents by how well they answer a query, with a cross-encoder. Equal to `CrossEncoder.rank` of
 * sentence-transformers.
 * @example
 * const rank = await pipeline("text-ranking", "cross-encoder/ms-marco-MiniLM-L6-v2");
 * await rank("Where is the piano?", ["It rained.", "The piano is near the window."], { top_k: 1 });
 * // [{ corpus_id: 1, score: 0.98 }]
 */
export interface TextRanking {
  (query: string, documents: readonly string[], options?: TextRankingOptions): Promise<TextRankingResult[]>;
  (
    queries: Inputs<string>,
    documents: Inputs<readonly string[]>,
    options?: TextRankingOptions,
  ): Promise<TextRankingResult[][]>;
}

/** How an answer is explained. */
export interface ExplainOptions extends CallOptions {
  /**
   * "integrated_gradients" takes the mean of the gradients on the path from a baseline to the text, times their
   * difference. The attributions add up to the difference of the scores (Sundararajan et al. 2017; captum's
   * LayerIntegratedGradients). "gradient_x_input" takes one gradient. It is fast, but its attributions do not
   * add up to the difference.
   */
  method?: "integrated_gradients" | "gradient_x_input";
  /**
   * Number of gradients on the path, 1 to 1000.
   * @default 32
   */
  n_steps?: number;
  /** Called and awaited after each gradient. `input` is the index of the text in the input, from 0. */
  callback?: (step: ExplanationStep & { input: number }) => unknown;
  /** Called with progress while the first call loads the model for its gradients. */
  progress_callback?: ((event: ProgressEvent) => void) | null;
}
/** The target of an explanation, per task. The fields are the same as in the task's answers. */
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
 * `explain` of each pipeline that has it. The first call loads the model again, in float32 and with the code for
 * gradients, on the pipeline's device. Disposing of the pipeline frees both.
 * @example
 * const { target, tokens, completeness_error } = await classify.explain("The soup was cold.");
 * for (const { token_str, attribution } of tokens) console.log(token_str, attribution);
 */
export interface Explains {
  /** `target`: a label or its index. By default the best label. */
  "text-classification": { explain: Explain<"text-classification", TextInput, { target?: string | number | null }> };
  /**
   * `index`: the index of an answer, or of any token of the text. `target`: a label or its index; by default the
   * token's best label.
   */
  "token-classification": {
    explain: Explain<"token-classification", string, { index: number; target?: string | number | null }>;
  };
  /** `target`: an answer, or its start and end in the context. By default the best answer. */
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
  /**
   * `target`: a token of the vocabulary or its id; by default the best token. `mask`: index of the mask in the text,
   * from 0.
   */
  "fill-mask": {
    explain: Explain<"fill-mask", string, { target?: string | number | null; mask?: number | null }>;
  };
}

/** Signature of each task's call. */
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
  "zero-shot-token-classification": ZeroShotTokenClassification;
}

/** Answers of `stream`, as an async iterator. */
type Answers<A> = AsyncGenerator<A, void, undefined>;
/** Options of `stream` with the options of a task's call. `onProgress` takes the place of `callback`. */
type Streaming<O> = Omit<O, "callback"> & StreamOptions;
type PairStream<F, S, A, O> = {
  (inputs: Inputs<F>, second: S, options?: Streaming<O>): Answers<A>;
  (pairs: Inputs<readonly [F, S]>, options?: Streaming<O>): Answers<A>;
};

/**
 * `stream` of each task's pipelines. It reads inputs from any collection, also an endless one, and yields the answer of
 * each as an element of the answer to an array of them, in the same order. feature-extraction yields one Tensor per
 * text. It reads the next `batch_size` inputs when the answers before have been taken, so a slow reader slows the
 * source. Tasks with two arguments take one second argument for all inputs, or pairs.
 * @example
 * for await (const { label } of classify.stream(lines, { signal, onProgress: ({ loaded }) => show(loaded) })) console.log(label);
 */
export interface Streams extends Record<Task, unknown> {
  "fill-mask": (texts: Inputs<string>, options?: FillMaskOptions & StreamOptions) => Answers<FillMaskResult[]>;
  "text-classification": {
    (
      texts: Inputs<TextInput>,
      options?: Streaming<TextClassificationOptions> & { top_k?: 1 },
    ): Answers<TextClassificationResult>;
    (texts: Inputs<TextInput>, options: Streaming<TextClassificationOptions>): Answers<TextClassificationResult[]>;
  };
  "token-classification": {
    (texts: Inputs<string>, options: Streaming<Grouped>): Answers<TokenClassificationGroup[]>;
    (texts: Inputs<string>, options?: Streaming<TokenClassificationOptions>): Answers<TokenClassificationResult[]>;
  };
  "question-answering": PairStream<string, string, QuestionAnsweringResult, QuestionAnsweringOptions & { top_k?: 1 }> &
    PairStream<string, string, QuestionAnsweringResult[], QuestionAnsweringOptions>;
  "zero-shot-classification": (
    texts: Inputs<string>,
    labels: string | readonly string[],
    options?: Streaming<ZeroShotOptions>,
  ) => Answers<ZeroShotResult>;
  "zero-shot-token-classification": (
    texts: Inputs<string>,
    labels: string | readonly string[],
    options?: Streaming<ZeroShotTokenOptions>,
  ) => Answers<ZeroShotTokenResult[]>;
  "feature-extraction": (texts: Inputs<string>, options?: Streaming<FeatureExtractionOptions>) => Answers<Features>;
  "next-sentence-prediction": PairStream<string, string, NextSentenceResult, TaskOptions>;
  "multiple-choice": PairStream<string, readonly string[], MultipleChoiceResult[], TaskOptions>;
  "replaced-token-detection": (
    texts: Inputs<string>,
    options?: Streaming<TaskOptions>,
  ) => Answers<ReplacedTokenResult[]>;
  "text-ranking": PairStream<string, readonly string[], TextRankingResult[], TextRankingOptions>;
}

/** Methods of each task's pipelines. */
export interface Methods extends Omit<Explains, "fill-mask"> {
  "fill-mask": FillMaskMethods & Explains["fill-mask"];
  "feature-extraction": FeatureExtractionMethods;
}
