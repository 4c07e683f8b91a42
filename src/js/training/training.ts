// Public types of training: rows, options, events and results.

import type { Ids, ModelInputs } from "../api/model.js";
import type { Pipeline } from "../api/pipeline.js";
import type { EngineModel } from "../engine/engine.js";
import type { ModelOptions, Opened } from "../engine/open.js";
import type { ModelInfo } from "../engine/wasm.js";
import type { TRAINING_HEADS } from "../generated/training.js";
import type { Source } from "../source.js";
import type { Aliases, Task } from "../task-names.js";

/** The tasks that a model can be trained for. */
export type TrainingTask = keyof typeof TRAINING_HEADS;

/** Every name that `Trainer.from_pretrained` accepts for a task. */
export type TrainingTaskName = TrainingTask | keyof Aliases;

/** A label: its name, its index, or a number if labels are scores. */
export type RowLabel = string | number;

/** The rows of each task. Offsets count UTF-16 code units, as `text.slice` does. */
export interface TrainingRows {
  /** `label` is one label, an array of several labels, an array with a number for each label, or a score. */
  "text-classification": { text: string; text_pair?: string | null; label: RowLabel | readonly RowLabel[] };
  /** Words with one tag each; or a text with the spans of its entities, which become the tags B- and I-. */
  "token-classification":
    | { tokens: readonly string[]; tags: readonly RowLabel[] }
    | { text: string; entities: readonly { start: number; end: number; label: string }[] };
  /**
   * Rows in SQuAD's form. A question without answers is trained as unanswerable. Long contexts are split into
   * windows.
   */
  "question-answering": {
    question: string;
    context: string;
    answers?: readonly { text: string; answer_start: number }[];
  };
  "multiple-choice": { prompt: string; choices: readonly string[]; label: number };
  "next-sentence-prediction": { text: string; next: string; is_next: boolean };
  "fill-mask": string | { text: string };
  /** A document: an array of sentences, or a text, which is split into sentences. */
  "pre-training": readonly string[] | string;
  /** Two matching texts and optionally a text that does not match; or two texts and their similarity. */
  "feature-extraction":
    | { text: string; positive: string; negative?: string }
    | { text: string; text_pair: string; score: number };
  "replaced-token-detection": string | { text: string };
}

/** Options of a run, named after Hugging Face's `TrainingArguments`. null means the default. */
export interface TrainingArguments {
  /**
   * Passes over the rows.
   * @default 3
   */
  num_train_epochs?: number | null;
  /**
   * Steps of the run; overrides `num_train_epochs`. -1 means no override.
   * @default -1
   */
  max_steps?: number | null;
  /**
   * Rows per micro-batch.
   * @default 8
   */
  per_device_train_batch_size?: number | null;
  /**
   * Rows per batch of an evaluation.
   * @default 8
   */
  per_device_eval_batch_size?: number | null;
  /**
   * Micro-batches per step.
   * @default 1
   */
  gradient_accumulation_steps?: number | null;
  /**
   * Peak learning rate.
   * @default 5e-5
   */
  learning_rate?: number | null;
  /**
   * How the learning rate changes after the warm-up.
   * @default "linear"
   */
  lr_scheduler_type?: "linear" | "cosine" | "constant" | "constant_with_warmup" | null;
  /**
   * Share of the steps during which the learning rate rises.
   * @default 0
   */
  warmup_ratio?: number | null;
  /**
   * Steps during which the learning rate rises; overrides `warmup_ratio` unless it is 0.
   * @default 0
   */
  warmup_steps?: number | null;
  /**
   * AdamW's weight decay. Biases and norms are not decayed.
   * @default 0
   */
  weight_decay?: number | null;
  /**
   * AdamW's decay of the first moment.
   * @default 0.9
   */
  adam_beta1?: number | null;
  /**
   * AdamW's decay of the second moment.
   * @default 0.999
   */
  adam_beta2?: number | null;
  /**
   * AdamW's term against division by zero.
   * @default 1e-8
   */
  adam_epsilon?: number | null;
  /**
   * Maximum norm of all gradients together; larger ones are scaled down. 0 means no limit.
   * @default 1
   */
  max_grad_norm?: number | null;
  /**
   * The optimizer.
   * @default "adamw_torch"
   */
  optim?: "adamw_torch" | "sgd" | null;
  /**
   * Learning rate of each layer, as a share of the rate of the layer above it.
   * @default 1
   */
  layer_lr_decay?: number | null;
  /**
   * Share of each target's weight that is spread evenly over all classes.
   * @default 0
   */
  label_smoothing_factor?: number | null;
  /** One weight per class for the cross-entropy. */
  class_weights?: readonly number[] | null;
  /**
   * Maximum tokens of a text, including special tokens; longer texts are truncated.
   * @default 128
   */
  max_length?: number | null;
  /**
   * Whether to batch rows of similar length together.
   * @default true
   */
  group_by_length?: boolean | null;
  /**
   * Seed for the order of the rows, the masks and the dropout.
   * @default 42
   */
  seed?: number | null;
  /**
   * Keep only one state per layer and recompute the others in the backward pass. This needs less memory and about a
   * third more time.
   * @default false
   */
  gradient_checkpointing?: boolean | null;
  /**
   * Share of the tokens that masked language modelling selects.
   * @default 0.15
   */
  mlm_probability?: number | null;
  /**
   * Whether to mask whole words.
   * @default false
   */
  whole_word_mask?: boolean | null;
  /**
   * Whether to mask spans of words, as in SpanBERT.
   * @default false
   */
  ngram?: boolean | null;
  /**
   * Only with a teacher: divisor of the scores before the softmax of soft targets.
   * @default 2
   */
  temperature?: number | null;
  /**
   * Only with a teacher: weight of the divergence from its predictions. The default is 5 for fill-mask, and 0.5 for
   * other tasks.
   */
  alpha_ce?: number | null;
  /**
   * Only with a teacher and fill-mask: weight of the loss of masked language modelling.
   * @default 2
   */
  alpha_mlm?: number | null;
  /**
   * Only with a teacher and another task: weight of the loss of the labels.
   * @default 0.5
   */
  alpha_labels?: number | null;
  /**
   * Only with a teacher: weight of the cosine loss of the last states, which needs a teacher of the same width. The
   * default is 1 for fill-mask, and 0 for other tasks.
   */
  alpha_cos?: number | null;
  /**
   * The second objective of pre-training: next-sentence prediction ("nsp") or sentence order ("sop").
   * @default "nsp"
   */
  objective?: "nsp" | "sop" | null;
  /** Tokens shared by neighbouring windows of a context. The default is 128, or half a window if that is shorter. */
  doc_stride?: number | null;
  /** Steps between two evaluations. The default is one epoch. */
  eval_steps?: number | null;
  /**
   * Whether to keep the weights of the best evaluation.
   * @default false
   */
  load_best_model_at_end?: boolean | null;
  /**
   * How to compare evaluations: "loss", or a metric returned by `evaluate`.
   * @default "loss"
   */
  metric_for_best_model?: string | null;
  /** Ends the run after this many evaluations without improvement. By default the run never ends early. */
  early_stopping_patience?: number | null;
}

/** Results of an evaluation by metric. A metric without a value is null, e.g. a correlation of constant numbers. */
export type Metrics = { loss: number } & Record<string, number | null>;

/** An event of a run. */
export type TrainingEvent =
  | {
      type: "step";
      /** Steps taken so far. */
      step: number;
      max_steps: number;
      /** Epochs completed so far, with fractions. */
      epoch: number;
      /** Loss before the step. */
      loss: number;
      learning_rate: number;
      /** Norm of all gradients together, before clipping. */
      grad_norm: number;
      tokens_per_second: number;
      seconds_left: number;
    }
  | ({ type: "evaluate"; step: number; epoch: number } & Metrics)
  | {
      /** The GPU failed. The run continues on another device, from a state that was saved before. */
      type: "restore";
      /** Steps of the run that the saved state includes. Later steps are taken and reported again. */
      step: number;
      /** The device that computes from now on, as in `info`. */
      device: string;
      /** Why the device was changed. */
      device_reason: string;
    };

/** Options of `train`. */
export interface TrainOptions<T extends TrainingTask = TrainingTask> extends TrainingArguments {
  /**
   * Only with `classifier_pooling: "model"`: inverse of the strength of logistic regression's penalty, as in
   * scikit-learn. The default is 1000, divided by the number of rows and by the mean square distance of their vectors
   * from the mean.
   */
  C?: number | null;
  /** Rows to evaluate on, every `eval_steps`. */
  eval_dataset?: readonly TrainingRows[T][] | null;
  /**
   * Called after each step and evaluation. The run waits for a returned promise. An error thrown here ends the run
   * and keeps the weights.
   */
  callback?: ((event: TrainingEvent) => unknown) | null;
  /**
   * Ends the run after the current step. The promise rejects with `aborted`; the weights stay, and the trainer
   * remains usable.
   */
  signal?: AbortSignal | null;
}

/** Result of a run. */
export interface TrainingResult {
  /** Steps taken. */
  global_step: number;
  /** Mean loss over the steps of this call. */
  training_loss: number;
  /** Metrics of the last evaluation, if `eval_dataset` was given. */
  metrics?: Metrics;
}

/** Labels of a batch, under Hugging Face's names. Positions labelled -100 are ignored. */
export interface BatchLabels {
  labels?: Ids | readonly number[] | readonly (readonly number[])[] | null;
  next_sentence_label?: Ids | readonly number[] | null;
  start_positions?: Ids | readonly number[] | null;
  end_positions?: Ids | readonly number[] | null;
}

/** A batch of ids. Embeddings take an array of batches: texts, their positives, their negatives. */
export type BatchInputs = ModelInputs | readonly ModelInputs[];

/** Files of a checkpoint. They are a Source for `pipeline` and a folder for Hugging Face's libraries. */
export interface SavedFiles {
  files: Record<string, Blob>;
}

/** Options of `save`. */
export interface SaveOptions {
  /**
   * Type of the matrices. "fp16" is half the size. "q8" is a quarter of the size, and only webert loads it.
   * @default "fp32"
   */
  dtype?: "fp32" | "fp16" | "q8" | null;
  /**
   * Only with `peft`: whether to save the whole model with its adapters added to its weights, instead of the adapters.
   * @default false
   */
  merge?: boolean | null;
  /** Keeps the model under this name: in the Cache API, or in Node as a file at this path. */
  name?: string | null;
}

/** Which parameters training leaves unchanged. */
export type Freeze = "none" | "embeddings" | "encoder" | number;

/**
 * Low-rank adapters in training (LoRA), with the names and defaults of PEFT's `LoraConfig`. PEFT's other options are
 * refused by name.
 */
export interface PeftOptions {
  /** The method. Only LoRA is supported. */
  peft_type?: "LORA" | null;
  /** PEFT's name of the task; the trainer knows it. */
  task_type?: "SEQ_CLS" | "TOKEN_CLS" | "QUESTION_ANS" | "FEATURE_EXTRACTION" | null;
  /**
   * Rank of the factors.
   * @default 8
   */
  r?: number | null;
  /**
   * The product of the factors is multiplied by `lora_alpha / r`.
   * @default 8
   */
  lora_alpha?: number | null;
  /**
   * Whether to multiply by `lora_alpha / √r` instead.
   * @default false
   */
  use_rslora?: boolean | null;
  /**
   * Probability of dropout of the adapters' inputs during training: 0 or more and less than 1. Each adapted module has
   * its own mask. The frozen weights read the whole input.
   * @default 0
   */
  lora_dropout?: number | null;
  /**
   * Which biases are trained. Only "none" is supported.
   * @default "none"
   */
  bias?: "none" | null;
  /**
   * Names of the adapted modules, or the ends of their paths; or "all-linear". The default is PEFT's for the family,
   * e.g. `["query", "value"]` for BERT.
   */
  target_modules?: readonly string[] | "all-linear" | null;
  /** Names of modules that are not adapted, or the ends of their paths. */
  exclude_modules?: readonly string[] | null;
  /** Layers whose modules are adapted. The default is all. */
  layers_to_transform?: number | readonly number[] | null;
  /**
   * Modules of the head that are trained as a whole. The classifier of a classification model, the output layer of
   * question answering and modules that the base does not have always are.
   */
  modules_to_save?: readonly string[] | null;
  /**
   * Initial values of the first factor: uniform as in PEFT, or normal.
   * @default true
   */
  init_lora_weights?: true | "gaussian" | null;
}

/** Options of training a model. Weights in training are always fp32. */
export interface TrainerOptions
  extends Omit<
    ModelOptions,
    | "dtype"
    | "compute"
    | "quantized"
    | "model_file_name"
    | "use_external_data_format"
    | "session_options"
    | "adapter"
    | "base"
  > {
  /** Label names of a new head. If absent, the checkpoint's own head is trained. */
  labels?: readonly string[] | null;
  /**
   * Meaning of the scores of text-classification. By default config.json determines it, otherwise the labels of the
   * rows.
   */
  problem_type?: "single_label_classification" | "multi_label_classification" | "regression" | null;
  /**
   * What the head of text-classification reads: "cls", the first token's state as in BERT, or "model", the sentence's
   * vector as the folder's pooling makes it. The head over sentence vectors is fitted by logistic regression
   * without a step over the encoder. If the encoder is not frozen, it is trained on pairs of rows first, as in SetFit.
   * @default "cls"
   */
  classifier_pooling?: "cls" | "model" | null;
  /**
   * Part of the model to leave unchanged: "none", "embeddings", or "encoder" (everything except the head). A number n
   * means the embeddings and the first n layers.
   * @default "none"
   */
  freeze?: Freeze | null;
  /**
   * Trains low-rank adapters instead of the model's weights. `save` then returns the adapter as PEFT's files.
   * @example { r: 8, lora_alpha: 16, target_modules: ["query", "value"] }
   */
  peft?: PeftOptions | null;
  /**
   * Seed for drawn weights, e.g. of a new head.
   * @default 42
   */
  seed?: number | null;
  /**
   * Only for replaced-token detection: a masked language model with the same vocabulary, which makes the
   * replacements.
   */
  generator?: Source | null;
  /**
   * A model whose predictions are the targets, as in DistilBERT: soft targets at a `temperature`, the labels, and the
   * cosine of the last states. For fill-mask, text-classification with one label per text, and token-classification. Its
   * vocabulary and labels must be the student's. Without a source the student is a copy of the teacher with fewer
   * layers.
   */
  teacher?: Source | null;
  /**
   * Only with a teacher and without a source: which of its layers the student has, from 0. By default every second one
   * from the first.
   */
  layers?: readonly number[] | null;
}

/** A model in training. Its methods wait for each other, in the order of the calls. */
export interface Trainer<T extends TrainingTask = TrainingTask> {
  readonly task: T;
  /** The device, and figures of the model. */
  readonly info: ModelInfo;
  /**
   * Trains on rows of the task. Each call is a new run that starts from the current weights. The first call after
   * `Trainer.resume` continues the run of the checkpoint.
   *
   * On a GPU the state is saved every half minute and after each evaluation. If the device fails under "auto", the
   * run continues from there on the CPU. If the GPU was requested by name, the call rejects with `device_lost`, and
   * the next call continues.
   * @example
   * ```ts
   * const { training_loss } = await trainer.train(rows, {
   *   num_train_epochs: 3,
   *   callback: (event) => event.type === "step" && console.log(event.step, event.loss),
   * });
   * ```
   */
  train(rows: readonly TrainingRows[T][], options?: TrainOptions<T> | null): Promise<TrainingResult>;
  /** Returns the loss and the task's metrics of the current model on rows. */
  evaluate(
    rows: readonly TrainingRows[T][],
    options?: (TrainingArguments & { signal?: AbortSignal | null }) | null,
  ): Promise<Metrics>;
  /**
   * Takes one step on one batch of ids, at `learning_rate`. Returns the loss before the step, and the norm of the
   * gradients.
   * @example
   * ```ts
   * const inputs = tokenizer(["a good film", "a bad one"], { padding: true });
   * const { loss } = await trainer.step(inputs, { labels: [1, 0] }, { learning_rate: 1e-4 });
   * ```
   */
  step(
    inputs: BatchInputs,
    labels?: BatchLabels | null,
    options?: TrainingArguments | null,
  ): Promise<{ loss: number; grad_norm: number }>;
  /**
   * Returns the loss of one batch, without dropout and without a step. For pre-training it also returns the parts of
   * the loss.
   */
  loss(
    inputs: BatchInputs,
    labels?: BatchLabels | null,
  ): Promise<{ loss: number; masked_lm_loss?: number; next_sentence_loss?: number }>;
  /**
   * Returns the task's pipeline over the weights in training, so its answers change with every step. Disposing of it
   * does not end the trainer.
   */
  pipeline(): Promise<Pipeline<PipelineTaskOf<T>>>;
  /**
   * Returns the model as files for `pipeline` and for Hugging Face's libraries. With `name` it also keeps the model
   * under this name: see `saved`.
   * @example
   * ```ts
   * const { files } = await trainer.save({ name: "tickets", dtype: "q8" });
   * const classify = await pipeline("text-classification", { name: "tickets" }); // or { files }
   * ```
   */
  save(options?: SaveOptions | null): Promise<SavedFiles>;
  /** Returns the model as files, with everything that is needed to continue the run: see `Trainer.resume`. */
  checkpoint(): Promise<SavedFiles>;
  /** Frees everything. Pending and later calls reject with `disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The task of the pipeline over a model in training. A model in pre-training fills masks. */
export type PipelineTaskOf<T extends TrainingTask> = T extends "pre-training"
  ? "fill-mask"
  : T extends Task
    ? T
    : never;

/** The canonical name of a training task. */
export type TrainingTaskOf<N extends TrainingTaskName> = N extends keyof Aliases
  ? Aliases[N] & TrainingTask
  : N extends TrainingTask
    ? N
    : never;

/** Creates trainers. */
export interface TrainerClass {
  /**
   * Loads a checkpoint's model for training. Weights that the checkpoint lacks are drawn, e.g. a head with other
   * labels.
   * @example
   * ```ts
   * const trainer = await Trainer.from_pretrained("text-classification", null, { labels: ["refund", "login", "bug"] });
   * ```
   */
  from_pretrained<N extends TrainingTaskName>(
    task: N,
    source?: Source | null,
    options?: TrainerOptions | null,
  ): Promise<Trainer<TrainingTaskOf<N>>>;
  /**
   * Creates an untrained model with the sizes of a config. Missing sizes are transformers' defaults (768 wide, 12
   * layers, 512 positions, …); `vocab_size` is the tokenizer's.
   * @example
   * ```ts
   * const tokenizer = await trainTokenizer(texts, { vocab_size: 8000 });
   * const sizes = { hidden_size: 128, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 512 };
   * const trainer = await Trainer.from_config("pre-training", { model_type: "bert", ...sizes }, tokenizer);
   * ```
   */
  from_config<N extends TrainingTaskName>(
    task: N,
    config: object,
    tokenizer: Source,
    options?: Omit<TrainerOptions, "config"> | null,
  ): Promise<Trainer<TrainingTaskOf<N>>>;
  /**
   * Loads a trainer from the files of `checkpoint()`. With the same rows and options, its next `train` reaches the
   * same numbers as an uninterrupted run.
   */
  resume(
    checkpoint: Source,
    options?: Omit<TrainerOptions, "labels" | "problem_type" | "freeze" | "seed" | "config" | "layers"> | null,
  ): Promise<Trainer>;
}

/** Options of a vocabulary, with the names and defaults of Hugging Face's `BertWordPieceTokenizer` and its `train`. */
export interface VocabularyOptions {
  /**
   * Tokens of the vocabulary. Special tokens and the alphabet are kept even if they exceed it.
   * @default 30000
   */
  vocab_size?: number | null;
  /**
   * How often a pair of pieces must occur to become a piece.
   * @default 2
   */
  min_frequency?: number | null;
  /**
   * Maximum characters of the alphabet; the most frequent ones are kept. null means no limit.
   * @default 1000
   */
  limit_alphabet?: number | null;
  /** Characters that belong to the alphabet even if they never occur. */
  initial_alphabet?: readonly string[] | null;
  /** The first tokens of the vocabulary, in order. */
  special_tokens?: readonly string[] | null;
  /**
   * Remove control characters and turn white space into spaces.
   * @default true
   */
  clean_text?: boolean | null;
  /**
   * Whether to split ideographs into single-character words.
   * @default true
   */
  handle_chinese_chars?: boolean | null;
  /** Whether to remove accents. By default the value of `lowercase`. */
  strip_accents?: boolean | null;
  /**
   * Whether to lower the case.
   * @default true
   */
  lowercase?: boolean | null;
  /** Stops the work; the promise rejects with `aborted`. */
  signal?: AbortSignal | null;
  /** Whether to work in a Worker (true) or in this thread (false). The default is true in browsers, and false in Node. */
  worker?: boolean | null;
}

/**
 * Trains a WordPiece vocabulary from texts, like Hugging Face's `tokenizers`. Returns `tokenizer.json`,
 * `tokenizer_config.json` and `vocab.txt`. The result is a Source for `AutoTokenizer` and for `Trainer.from_config`.
 */
export type TrainTokenizer = (texts: Iterable<string>, options?: VocabularyOptions | null) => Promise<SavedFiles>;

/** The functions of training, imported on demand. */
export interface TrainingApi extends TrainerClass {
  trainTokenizer: TrainTokenizer;
  /**
   * Implements `explain` of a pipeline. `from` is where its model was loaded from; it is absent for a model in
   * training.
   */
  explain(engine: EngineModel, task: Task, args: unknown[], from?: Opened): Promise<unknown>;
}
