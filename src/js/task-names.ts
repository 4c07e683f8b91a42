import { WebertError } from "./errors.js";

/** The tasks, by their canonical names. */
export const TASKS = [
  "fill-mask",
  "text-classification",
  "token-classification",
  "question-answering",
  "zero-shot-classification",
  "feature-extraction",
  "next-sentence-prediction",
  "multiple-choice",
  "replaced-token-detection",
  "text-ranking",
] as const;

/** The canonical name of a task. */
export type Task = (typeof TASKS)[number];

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

/** Every name that `pipeline` takes. */
export type TaskName = Task | keyof Aliases;

/** The canonical name behind a name. */
export type TaskOf<N extends TaskName> = N extends keyof Aliases ? Aliases[N] : N extends Task ? N : never;

/** The canonical name of a task; throws `unsupported` for a task that is none of ours. */
export function canonical(name: string): Task {
  const task = Object.hasOwn(ALIASES, name) ? ALIASES[name as keyof Aliases] : (name as Task);
  if ((TASKS as readonly string[]).includes(task)) return task;
  throw new WebertError("unsupported", `there is no task "${name}"; there are ${TASKS.join(", ")}`);
}
