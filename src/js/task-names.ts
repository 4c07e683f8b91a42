import { WebertError } from "./errors.js";
import { ENGINE_OPTIONS } from "./generated/tasks.js";

/** Canonical name of a task. */
export type Task = keyof typeof ENGINE_OPTIONS;

/** Canonical names of the tasks. */
export const TASKS = Object.keys(ENGINE_OPTIONS) as Task[];

/** Aliases of tasks in transformers.js and Hugging Face. */
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

/** Every name that `pipeline` accepts. */
export type TaskName = Task | keyof Aliases;

/** The canonical name of `N`. */
export type TaskOf<N extends TaskName> = N extends keyof Aliases ? Aliases[N] : N extends Task ? N : never;

/** Returns the canonical name of a task. Throws `unsupported` for an unknown task. */
export function canonical(name: string): Task {
  const task = Object.hasOwn(ALIASES, name) ? ALIASES[name as keyof Aliases] : (name as Task);
  if (Object.hasOwn(ENGINE_OPTIONS, task)) return task;
  throw new WebertError("unsupported", `there is no task "${name}"; there are ${TASKS.join(", ")}`);
}
