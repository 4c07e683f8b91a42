// Written by `WEBERT_WRITE_INTERFACE=1 cargo test --test interface` from the tables of the crate.

/** The head that each task trains. */
export const TRAINING_HEADS = {
  "text-classification": "sequence-classification",
  "token-classification": "token-classification",
  "question-answering": "question-answering",
  "multiple-choice": "multiple-choice",
  "next-sentence-prediction": "next-sentence-prediction",
  "fill-mask": "masked-lm",
  "pre-training": "pretraining",
  "feature-extraction": "none",
  "replaced-token-detection": "replaced-token-detection",
} as const;

/** Options of a run. */
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
] as const;
