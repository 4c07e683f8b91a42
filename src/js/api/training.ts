// What training takes and gives: rows, options, events and results, as programs write them.
import type { Source } from "../checkpoint/source.js";
import type { EngineModel } from "../engine/engine.js";
import type { ModelInfo } from "../engine/wasm.js";
import type { ModelOptions } from "../platforms/platform.js";
import type { Ids, ModelInputs } from "./model.js";
import type { Opened, Pipeline } from "./pipeline.js";
import type { Aliases, Task } from "./tasks.js";

/** The tasks that a model can be trained for. */
export type TrainingTask =
  | "text-classification"
  | "token-classification"
  | "question-answering"
  | "multiple-choice"
  | "next-sentence-prediction"
  | "fill-mask"
  | "pre-training"
  | "feature-extraction"
  | "replaced-token-detection";

/** Every name that `Trainer.from_pretrained` takes. */
export type TrainingTaskName = TrainingTask | keyof Aliases;

/** A label: its name, its index, or a number where labels are scores. */
export type RowLabel = string | number;

/** What a row of each task is. Offsets count UTF-16 code units, as `text.slice` does. */
export interface TrainingRows {
  /** `label`: one label; several of them, or a number for each label; a score. */
  "text-classification": { text: string; text_pair?: string | null; label: RowLabel | readonly RowLabel[] };
  /** Words with a tag each; or a text with the places of what it names, which become the tags B- and I-. */
  "token-classification":
    | { tokens: readonly string[]; tags: readonly RowLabel[] }
    | { text: string; entities: readonly { start: number; end: number; label: string }[] };
  /** As SQuAD has them; without answers the question cannot be answered. Long contexts are cut into windows. */
  "question-answering": {
    question: string;
    context: string;
    answers?: readonly { text: string; answer_start: number }[];
  };
  "multiple-choice": { prompt: string; choices: readonly string[]; label: number };
  "next-sentence-prediction": { text: string; next: string; is_next: boolean };
  "fill-mask": string | { text: string };
  /** A document: its sentences, or a text that is split into sentences. */
  "pre-training": readonly string[] | string;
  /** Texts that belong together, and one that does not; or two texts and how similar they are. */
  "feature-extraction":
    | { text: string; positive: string; negative?: string }
    | { text: string; text_pair: string; score: number };
  "replaced-token-detection": string | { text: string };
}

/** Options of a run, under the names of Hugging Face's `TrainingArguments`; null is as good as nothing. */
export interface TrainingArguments {
  /** How often each row is seen; 3. */
  num_train_epochs?: number | null;
  /** Steps of the run, in place of `num_train_epochs`; -1: as many as the epochs have. */
  max_steps?: number | null;
  /** Rows of a micro-batch; 8. */
  per_device_train_batch_size?: number | null;
  /** Rows that are evaluated at a time; 8. */
  per_device_eval_batch_size?: number | null;
  /** Micro-batches whose gradients make one step; 1. */
  gradient_accumulation_steps?: number | null;
  /** The greatest rate of the run; 5e-5. */
  learning_rate?: number | null;
  /** How the rate changes; "linear". */
  lr_scheduler_type?: "linear" | "cosine" | "constant" | "constant_with_warmup" | null;
  /** The share of the steps in which the rate rises; 0. */
  warmup_ratio?: number | null;
  /** The steps in which the rate rises, where not 0 in place of `warmup_ratio`. */
  warmup_steps?: number | null;
  /** AdamW's decay of weights; biases and norms have none; 0. */
  weight_decay?: number | null;
  /** 0.9. */
  adam_beta1?: number | null;
  /** 0.999. */
  adam_beta2?: number | null;
  /** 1e-8. */
  adam_epsilon?: number | null;
  /** The greatest norm of all gradients together; 1; 0: any. */
  max_grad_norm?: number | null;
  /** "adamw_torch". */
  optim?: "adamw_torch" | "sgd" | null;
  /** Each layer's rate as a share of that of the layer above; 1. */
  layer_lr_decay?: number | null;
  /** The share of a target that all classes have in equal parts; 0. */
  label_smoothing_factor?: number | null;
  /** A weight for each class of the cross-entropy. */
  class_weights?: readonly number[] | null;
  /** Tokens that a text is cut to, special ones included; 128. */
  max_length?: number | null;
  /** Whether rows of similar lengths go into one batch; true. */
  group_by_length?: boolean | null;
  /** Of the order of the rows, masks and dropout; 42. */
  seed?: number | null;
  /** Keep one state a layer and compute the rest again: less memory, a third more time; false. */
  gradient_checkpointing?: boolean | null;
  /** The share of the tokens that masked LM chooses; 0.15. */
  mlm_probability?: number | null;
  /** Whether words are masked whole; false. */
  whole_word_mask?: boolean | null;
  /** Whether spans of words are masked, as in SpanBERT; false. */
  ngram?: boolean | null;
  /** What pre-training tells apart: next sentences from others ("nsp"), or their order ("sop"). */
  objective?: "nsp" | "sop" | null;
  /** Tokens that neighbouring windows of an answer's context share; 128, or half a short window. */
  doc_stride?: number | null;
  /** Steps between two evaluations; an epoch. */
  eval_steps?: number | null;
  /** Whether the weights of the best evaluation are those that stay; false. */
  load_best_model_at_end?: boolean | null;
  /** What is best: "loss", or a metric of `evaluate`; "loss". */
  metric_for_best_model?: string | null;
  /** Evaluations without a better one after which a run ends. */
  early_stopping_patience?: number | null;
}

/** The names of `TrainingArguments`. */
export const ARGUMENTS = [
  "num_train_epochs",
  "max_steps",
  "per_device_train_batch_size",
  "per_device_eval_batch_size",
  "gradient_accumulation_steps",
  "learning_rate",
  "lr_scheduler_type",
  "warmup_ratio",
  "warmup_steps",
  "weight_decay",
  "adam_beta1",
  "adam_beta2",
  "adam_epsilon",
  "max_grad_norm",
  "optim",
  "layer_lr_decay",
  "label_smoothing_factor",
  "class_weights",
  "max_length",
  "group_by_length",
  "seed",
  "gradient_checkpointing",
  "mlm_probability",
  "whole_word_mask",
  "ngram",
  "objective",
  "doc_stride",
  "eval_steps",
  "load_best_model_at_end",
  "metric_for_best_model",
  "early_stopping_patience",
] as const satisfies readonly (keyof TrainingArguments)[];

/** What evaluation says, by the names of the metrics; null where one has no value, such as a correlation of equal numbers. */
export type Metrics = { loss: number } & Record<string, number | null>;

/** What a run tells while it is under way. */
export type TrainingEvent =
  | {
      type: "step";
      /** Steps taken. */
      step: number;
      max_steps: number;
      /** Epochs done, in parts of one. */
      epoch: number;
      /** The loss before the step. */
      loss: number;
      learning_rate: number;
      /** The norm of all gradients together, before clipping. */
      grad_norm: number;
      tokens_per_second: number;
      seconds_left: number;
    }
  | ({ type: "evaluate"; step: number; epoch: number } & Metrics)
  | {
      /** The GPU failed, and the run goes on from a state that was read back before, on another device. */
      type: "restore";
      /** Steps of the run that are kept; the next one is told of again where it had been taken. */
      step: number;
      /** What computes from now on, as in `info`. */
      device: string;
      /** Why. */
      device_reason: string;
    };

/** How a model is trained. */
export interface TrainOptions<T extends TrainingTask = TrainingTask> extends TrainingArguments {
  /** Rows to evaluate on, every `eval_steps`. */
  eval_dataset?: readonly TrainingRows[T][] | null;
  /** Called after each step and evaluation; the run waits for the promise that it gives. What it throws ends the run, weights kept. */
  callback?: ((event: TrainingEvent) => unknown) | null;
  /** Ends the run after the step under way; the promise rejects with `aborted`, the weights stay, and the trainer can be used. */
  signal?: AbortSignal | null;
}

/** What a run comes to. */
export interface TrainingResult {
  /** Steps taken. */
  global_step: number;
  /** The mean loss of the steps of this call. */
  training_loss: number;
  /** The last evaluation, where there was `eval_dataset`. */
  metrics?: Metrics;
}

/** Labels of a batch, under Hugging Face's names; -100 does not count. */
export interface BatchLabels {
  labels?: Ids | readonly number[] | readonly (readonly number[])[] | null;
  next_sentence_label?: Ids | readonly number[] | null;
  start_positions?: Ids | readonly number[] | null;
  end_positions?: Ids | readonly number[] | null;
}

/** A batch of ids; for embeddings an array of them: texts, their positives, their negatives. */
export type BatchInputs = ModelInputs | readonly ModelInputs[];

/** A checkpoint's files, a Source for `pipeline` and a folder for Hugging Face's libraries. */
export interface SavedFiles {
  files: Record<string, Blob>;
}

/** What of the model stays as it is. */
export type Freeze = "none" | "embeddings" | "encoder" | number;

/** Where and how a model is trained: its weights are always fp32. */
export interface TrainerOptions
  extends Omit<
    ModelOptions,
    "dtype" | "quantized" | "model_file_name" | "use_external_data_format" | "session_options"
  > {
  /** The names of a new head's labels; absent: the checkpoint's own head. */
  labels?: readonly string[] | null;
  /** What the scores of text-classification mean; by default config.json says, or the labels of the rows. */
  problem_type?: "single_label_classification" | "multi_label_classification" | "regression" | null;
  /** "none"; "embeddings"; n: the embeddings and the first n layers; "encoder": all but the head. */
  freeze?: Freeze | null;
  /** Of what is drawn: the first numbers of a new head; 42. */
  seed?: number | null;
  /** Of replaced-token detection: a model that fills masks, of the same vocabulary; it makes the replacements. */
  generator?: Source | null;
}

/** A model in training. Its methods wait for each other, in the order of the calls. */
export interface Trainer<T extends TrainingTask = TrainingTask> {
  readonly task: T;
  /** What computes, and the model in figures. */
  readonly info: ModelInfo;
  /**
   * Trains on rows of the task. A call begins a run of its own, with the weights as they are; the first one after
   * `Trainer.resume` goes on with the checkpoint's run.
   *
   * On a GPU the state is read back every half minute and after each evaluation. Where the device fails under "auto", the run
   * goes on on the CPU from there; one that was asked for by name ends the call with `device_lost`, and the next call goes on.
   * @example
   * const { training_loss } = await trainer.train(rows, {
   *   num_train_epochs: 3,
   *   callback: (event) => event.type === "step" && console.log(event.step, event.loss),
   * });
   */
  train(rows: readonly TrainingRows[T][], options?: TrainOptions<T> | null): Promise<TrainingResult>;
  /** What the model as it is makes of rows: the loss, and the metrics of the task. */
  evaluate(
    rows: readonly TrainingRows[T][],
    options?: (TrainingArguments & { signal?: AbortSignal | null }) | null,
  ): Promise<Metrics>;
  /**
   * One step on one batch of ids, at `learning_rate`; gives the loss before it, and the norm of the gradients.
   * @example
   * const inputs = tokenizer(["a good film", "a bad one"], { padding: true });
   * const { loss } = await trainer.step(inputs, { labels: [1, 0] }, { learning_rate: 1e-4 });
   */
  step(
    inputs: BatchInputs,
    labels?: BatchLabels | null,
    options?: TrainingArguments | null,
  ): Promise<{ loss: number; grad_norm: number }>;
  /** The loss of one batch alone, without dropout; of pre-training its parts, too. */
  loss(
    inputs: BatchInputs,
    labels?: BatchLabels | null,
  ): Promise<{ loss: number; masked_lm_loss?: number; next_sentence_loss?: number }>;
  /**
   * The pipeline of the task over the very weights in training: what it answers changes with every step. Disposing of it does
   * not end the trainer.
   */
  pipeline(): Promise<Pipeline<PipelineTaskOf<T>>>;
  /**
   * The model as files: for `pipeline`, and for Hugging Face's libraries. "fp16" is half the size; "q8" a quarter, and for
   * webert alone.
   * @example
   * const { files } = await trainer.save();
   * const classify = await pipeline("text-classification", { files });
   */
  save(options?: { dtype?: "fp32" | "fp16" | "q8" | null } | null): Promise<SavedFiles>;
  /** The same with all that a run goes on from: see `Trainer.resume`. */
  checkpoint(): Promise<SavedFiles>;
  /** Frees everything. Calls under way and later ones reject with `disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The task of the pipeline over a model in training: masked words are what pre-training can be asked for. */
export type PipelineTaskOf<T extends TrainingTask> = T extends "pre-training"
  ? "fill-mask"
  : T extends Task
    ? T
    : never;

/** The canonical name of a training task's name. */
export type TrainingTaskOf<N extends TrainingTaskName> = N extends keyof Aliases
  ? Aliases[N] & TrainingTask
  : N extends TrainingTask
    ? N
    : never;

/** Makes trainers. */
export interface TrainerClass {
  /**
   * A model of a checkpoint, to be trained. What the checkpoint does not have, such as the head of other labels, is drawn.
   * @example
   * const trainer = await Trainer.from_pretrained("text-classification", null, { labels: ["refund", "login", "bug"] });
   */
  from_pretrained<N extends TrainingTaskName>(
    task: N,
    source?: Source | null,
    options?: TrainerOptions | null,
  ): Promise<Trainer<TrainingTaskOf<N>>>;
  /**
   * A model that nobody trained, of a config's sizes; those that it names not are transformers' (768 wide, 12 layers, 512
   * positions …), and `vocab_size` the tokenizer's.
   * @example
   * const tokenizer = await trainTokenizer(texts, { vocab_size: 8000 });
   * const sizes = { hidden_size: 128, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 512 };
   * const trainer = await Trainer.from_config("pre-training", { model_type: "bert", ...sizes }, tokenizer);
   */
  from_config<N extends TrainingTaskName>(
    task: N,
    config: object,
    tokenizer: Source,
    options?: Omit<TrainerOptions, "config"> | null,
  ): Promise<Trainer<TrainingTaskOf<N>>>;
  /**
   * A trainer that goes on from a checkpoint of another one: with the same rows and options its next `train` comes to the
   * same numbers as if it had not been interrupted.
   */
  resume(
    checkpoint: Source,
    options?: Omit<TrainerOptions, "labels" | "problem_type" | "freeze" | "seed" | "config"> | null,
  ): Promise<Trainer>;
}

/** Options of a vocabulary, with the names and defaults of Hugging Face's `BertWordPieceTokenizer` and its `train`. */
export interface VocabularyOptions {
  /** Tokens of the vocabulary; 30,000. Special tokens and alphabet stay even where they are more. */
  vocab_size?: number | null;
  /** How often a pair of pieces has to occur to become a piece; 2. */
  min_frequency?: number | null;
  /** The most characters of the alphabet, the most frequent ones; 1000; null: all. */
  limit_alphabet?: number | null;
  /** Characters that are in the alphabet whether they occur or not. */
  initial_alphabet?: readonly string[] | null;
  /** The first tokens, in order. */
  special_tokens?: readonly string[] | null;
  /** Whether control characters go, and white space becomes a space; true. */
  clean_text?: boolean | null;
  /** Whether ideographs become words by themselves; true. */
  handle_chinese_chars?: boolean | null;
  /** Whether accents go; by default where case goes. */
  strip_accents?: boolean | null;
  /** Whether case goes; true. */
  lowercase?: boolean | null;
  /** Stops the work; the promise rejects with `aborted`. */
  signal?: AbortSignal | null;
  /** Browsers: whether the work is done in a Worker (true) or in this thread. */
  worker?: boolean | null;
}

/**
 * Makes a WordPiece vocabulary of texts, that of Hugging Face's `tokenizers`: `tokenizer.json`, `tokenizer_config.json` and
 * `vocab.txt`, a Source for `AutoTokenizer` and what `Trainer.from_config` takes.
 */
export type TrainTokenizer = (texts: Iterable<string>, options?: VocabularyOptions | null) => Promise<SavedFiles>;

/** What those who train import on demand. */
export interface TrainingApi extends TrainerClass {
  trainTokenizer: TrainTokenizer;
  /** `explain` of a pipeline: `from` is what its model was loaded from, where that is not in training. */
  explain(engine: EngineModel, task: Task, args: unknown[], from?: Opened): Promise<unknown>;
}
