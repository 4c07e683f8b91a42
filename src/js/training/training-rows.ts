// Tasks, rows and batches of training.

import type { Ids, ModelInputs } from "../api/model.js";
import type { TRAINING_HEADS } from "../generated/training.js";
import type { Aliases, Task } from "../task-names.js";

/** The tasks that a model can be trained for. */
export type TrainingTask = keyof typeof TRAINING_HEADS;

/** Every name that `Trainer.from_pretrained` accepts for a task. */
export type TrainingTaskName = TrainingTask | keyof Aliases;

/** The canonical name of a training task. */
export type TrainingTaskOf<N extends TrainingTaskName> = N extends keyof Aliases
  ? Aliases[N] & TrainingTask
  : N extends TrainingTask
    ? N
    : never;

/** The task of the pipeline over a model in training. A model in pre-training fills masks. */
export type PipelineTaskOf<T extends TrainingTask> = T extends "pre-training"
  ? "fill-mask"
  : T extends Task
    ? T
    : never;

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

/** Labels of a batch, under Hugging Face's names. Positions labelled -100 are ignored. */
export interface BatchLabels {
  labels?: Ids | readonly number[] | readonly (readonly number[])[] | null;
  next_sentence_label?: Ids | readonly number[] | null;
  start_positions?: Ids | readonly number[] | null;
  end_positions?: Ids | readonly number[] | null;
}

/** A batch of ids. Embeddings take an array of batches: texts, their positives, their negatives. */
export type BatchInputs = ModelInputs | readonly ModelInputs[];
