// Options, events and results of a run.

import type { TrainingRows, TrainingTask } from "./training-rows.js";

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
