// What stands behind `webert` on a command line: the commands, their words and options, and the help.
import { parseArgs } from "node:util";
import { canonical, OPTIONS, type Task } from "../api/tasks.js";
import { ARGUMENTS } from "../api/training.js";
import { near } from "../words.js";

/** A command line that cannot be meant: `webert` then ends with exit code 2, and with 1 for what fails later. */
export class UsageError extends Error {}

/** Commands beside those of the tasks. */
type OtherCommand = "explain" | "redact" | "index" | "search" | "train" | "convert" | "copy";
export type Command = Task | OtherCommand;
export type Options = Record<string, unknown>;

/** What comes after each command. */
const WORDS: Record<Command, string> = {
  "fill-mask": "[MODEL] TEXT…",
  "text-classification": "[MODEL] TEXT…",
  "token-classification": "MODEL TEXT…",
  "question-answering": "MODEL QUESTION CONTEXT",
  "zero-shot-classification": "MODEL TEXT LABEL…",
  "feature-extraction": "[MODEL] TEXT…",
  "next-sentence-prediction": "MODEL TEXT NEXT",
  "multiple-choice": "MODEL PROMPT CHOICE…",
  "replaced-token-detection": "MODEL TEXT…",
  "text-ranking": "MODEL QUERY DOCUMENT…",
  index: "MODEL FILE… --to FILE",
  search: "FILE QUERY",
  explain: "TASK [MODEL] TEXT…",
  redact: "[MODEL] TEXT…",
  train: "TASK MODEL ROWS --to FOLDER",
  convert: "MODEL --dtype q8|fp16 --to FOLDER",
  copy: "FOLDER",
};

const ABOUT: Partial<Record<Command, string>> = {
  explain:
    "how much each token of a text adds to an answer of text- or token-classification, question-answering or fill-mask",
  convert: "a smaller copy of a checkpoint",
  index: "an index of texts, and of the rows { id, text } of .jsonl files",
  search: "the passages of an index that answer a query",
  redact: "texts without what a token-classification model finds, and what that was; - is standard input",
  train: "a model trained on the rows of a .jsonl file; --resume FOLDER goes on with a run that was interrupted",
  copy: "the files that pages fetch, to be served: env.base is then that folder's URL",
};

/** Options of finding a model, and of computing with it. */
const SOURCE = ["revision", "subfolder", "local_files_only", "cache_dir", "token"];
export const MODEL = ["device", "dtype", "threads", ...SOURCE];

/** Options of indexes: of making one, and of searching it. */
export const INDEX = ["to", "dimensions", "similarity", "words", "passage_length", "passage_overlap", "prompt_name"];
const SEARCH = ["model", "top_k", "hybrid", "rerank", "rerank_candidates", "per_document", "prompt_name", "k1", "b"];

/** Options of an explanation. */
export const EXPLAIN = ["target", "method", "n_steps", "index", "mask"];

/** Options of training beside those of a run. */
export const TRAINING = ["to", "eval", "resume", "save_steps", "labels", "problem_type", "freeze", "dtype"];

/** Options of `redact` beside those of its model. */
const REDACT = ["labels", "threshold", "patterns", "aggregation_strategy"];

/** Options of each command that is no task. */
const OF_COMMANDS: Record<OtherCommand, readonly string[]> = {
  explain: [...EXPLAIN, "device", "threads", ...SOURCE],
  redact: [...REDACT, ...MODEL],
  index: [...INDEX, ...MODEL],
  search: [...SEARCH, ...MODEL],
  train: [...TRAINING, ...ARGUMENTS, "device", "threads", ...SOURCE],
  convert: ["dtype", "to", ...SOURCE],
  copy: [],
};

/** Options of tasks beside those that reach the engine. */
const BESIDE_ENGINE: Partial<Record<Task, readonly string[]>> = {
  "fill-mask": ["strategy", "num_steps", "temperature", "seed"],
  "feature-extraction": ["prompt", "prompt_name", "truncate_dim"],
};

/** Options that are texts, whatever they look like. */
const TEXTS = [
  "model",
  "rerank",
  "similarity",
  "eval",
  "resume",
  "problem_type",
  "metric_for_best_model",
  "to",
  "revision",
  "subfolder",
  "cache_dir",
  "token",
  "dtype",
  "device",
  "hypothesis_template",
  "prompt",
  "prompt_name",
];
/** Options that are lists of texts: of one text, too. */
const LISTS = ["targets", "ignore_labels", "labels", "patterns"];
/** Options that may stand without a value, which is then true. */
const FLAGS = [
  "help",
  "version",
  "local_files_only",
  "normalize",
  "return_documents",
  "multi_label",
  "handle_impossible_answer",
  "align_to_words",
  "group_by_length",
  "gradient_checkpointing",
  "whole_word_mask",
  "ngram",
  "load_best_model_at_end",
];

export const usage = (command: Command) => `webert ${command} ${WORDS[command]}`;

const isTask = (command: Command): command is Task => Object.hasOwn(OPTIONS, command);

const optionsOf = (command: Command): readonly string[] =>
  isTask(command) ? [...OPTIONS[command], ...(BESIDE_ENGINE[command] ?? []), ...MODEL] : OF_COMMANDS[command];

const listed = (names: readonly string[]) => names.map((name) => `--${name}`).join(", ");

/** The help of a command, or of all. */
export function help(command?: Command): string {
  if (command)
    return `usage: ${usage(command)}${ABOUT[command] ? `\n\n${ABOUT[command]}` : ""}\n\noptions: ${listed([...optionsOf(command), "help"])}`;
  const width = Math.max(...Object.keys(ABOUT).map((name) => usage(name as Command).length));
  const lines = (Object.keys(WORDS) as Command[]).map((name) =>
    ABOUT[name] ? `${usage(name).padEnd(width)}   ${ABOUT[name]}` : usage(name),
  );
  return `usage:
  ${lines.join("\n  ")}

MODEL is owner/name, a URL or a folder (./…); without it the one that ships is taken. Answers are JSON. Options have the names of the
JavaScript API: --dtype q8, --top_k 3, --pooling mean …; webert COMMAND --help lists those of a command. A text that begins with a dash
comes after --. Exit codes: 0, 1 where something failed, 2 for a command line that cannot be meant.`;
}

/** A command with its words and its options. */
export interface Line {
  command: Command | undefined;
  words: string[];
  options: Options;
}

/** Words and `--name value` or `--name=value`; values that are JSON (numbers, true, arrays) are read as such. Throws UsageError. */
export function read(argv: string[]): Line {
  const { tokens } = parseArgs({ args: argv, strict: false, allowPositionals: true, tokens: true });
  const words: string[] = [];
  const options: Options = {};
  let name: string | undefined;
  const set = (value: string) => {
    options[name!] = TEXTS.includes(name!) ? value : LISTS.includes(name!) ? list(value) : json(value);
    name = undefined;
  };
  const end = () => {
    if (!name) return;
    if (!FLAGS.includes(name))
      options[name] = undefined; // told below, after a name that there is not
    else set("true");
    name = undefined;
  };
  for (const token of tokens) {
    if (token.kind === "option-terminator") end();
    else if (token.kind === "option") {
      end();
      name = token.name === "h" ? "help" : token.name.replaceAll("-", "_");
      if (token.value !== undefined) set(token.value);
    } else {
      if (name && FLAGS.includes(name) && !/^(true|false)$/.test(token.value)) end();
      if (name) set(token.value);
      else words.push(token.value);
    }
  }
  end();
  const [first, ...rest] = words;
  const command = first === undefined ? undefined : commandOf(first);
  check(command, options);
  return { command, words: rest, options };
}

function commandOf(name: string): Command {
  if (Object.hasOwn(OF_COMMANDS, name)) return name as OtherCommand;
  try {
    return canonical(name);
  } catch {
    throw new UsageError(`there is no command ${name}; there are ${Object.keys(WORDS).join(", ")}`);
  }
}

function check(command: Command | undefined, options: Options): void {
  const known = command ? optionsOf(command) : [];
  for (const [name, value] of Object.entries(options)) {
    if (name === "help" || name === "version") continue;
    if (!known.includes(name)) {
      const meant = near(name, known);
      const there = known.length ? `there are ${listed(known)}` : "there are none";
      throw new UsageError(
        `there is no option --${name}${command ? ` of ${command}` : ""}${meant ? `; did you mean --${meant}?` : ""}; ${there}`,
      );
    }
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
  }
}

/** A JSON array, or the one text. */
function list(text: string): unknown {
  const value = json(text);
  return Array.isArray(value) ? value : [text];
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The words of a task as its pipeline takes them, the model apart. Throws UsageError where there are too few. */
export function split(task: Task | "redact", words: string[]): { model: string | undefined; args: unknown[] } {
  const [model, first, ...more] = words;
  const need = (count: number) => {
    if (words.length < count)
      throw new UsageError(`${task} needs ${count} words or more after it, got ${words.length}: ${usage(task)}`);
  };
  switch (task) {
    case "question-answering":
    case "next-sentence-prediction":
      need(3);
      return { model, args: [first, more.join(" ")] };
    case "zero-shot-classification":
    case "multiple-choice":
    case "text-ranking":
      need(3);
      return { model, args: [first, more] };
    default:
      need(1);
      return words.length === 1
        ? { model: undefined, args: [model] }
        : { model, args: [more.length ? [first, ...more] : first] };
  }
}

/** The words of `explain`: a task's, after its name. Throws UsageError. */
export function splitExplained([name, ...words]: string[]): { task: Task; model: string | undefined; args: unknown[] } {
  if (name === undefined) throw new UsageError(`usage: ${usage("explain")}`);
  const task = commandOf(name);
  if (!isTask(task)) throw new UsageError(`${task} is not explained: ${usage("explain")}`);
  return { task, ...split(task, words) };
}

/** The words of a command that takes one. Throws UsageError where they are more or fewer, or an option is missing. */
export function one(command: Command, words: string[], ready = true): string {
  if (words.length !== 1 || !ready) throw new UsageError(`usage: ${usage(command)}`);
  return words[0]!;
}
