// Public types of trainers: their options, methods and files.

import type { Pipeline } from "../api/pipeline.js";
import type { EngineModel } from "../engine/engine.js";
import type { ModelOptions, Opened } from "../engine/open.js";
import type { ModelInfo } from "../engine/wasm.js";
import type { Source } from "../source.js";
import type { Task } from "../task-names.js";
import type { SavedFiles, SaveOptions } from "./saved-files.js";
import type { Metrics, TrainingArguments, TrainingResult, TrainOptions } from "./training-arguments.js";
import type {
  BatchInputs,
  BatchLabels,
  PipelineTaskOf,
  TrainingRows,
  TrainingTask,
  TrainingTaskName,
  TrainingTaskOf,
} from "./training-rows.js";
import type { TrainTokenizer } from "./vocabulary-options.js";

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

/** The functions of training, imported on demand. */
export interface TrainingApi extends TrainerClass {
  trainTokenizer: TrainTokenizer;
  /**
   * Implements `explain` of a pipeline. `from` is where its model was loaded from; it is absent for a model in
   * training.
   */
  explain(engine: EngineModel, task: Task, args: unknown[], from?: Opened): Promise<unknown>;
}
