// The command line of `webert`: the commands, their words and options, and the help.
import { parseArgs } from "node:util";
import { WebertError } from "../errors.js";
import { ENGINE_OPTIONS } from "../generated/tasks.js";
import { ARGUMENTS } from "../generated/training.js";
import { near } from "../nearest-name.js";
import { canonical, type Task } from "../task-names.js";
import { optionHelp } from "./option-help.js";

/** A wrong command line. `webert` then exits with code 2, and with 1 for later failures. */
export class UsageError extends Error {}

/** Commands that are not tasks. */
type OtherCommand =
  | "serve"
  | "mcp"
  | "label"
  | "explain"
  | "redact"
  | "index"
  | "search"
  | "train"
  | "distill"
  | "check"
  | "convert"
  | "copy";
export type Command = Task | OtherCommand;
export type Options = Record<string, unknown>;

/** The words after each command. */
const WORDS: Record<Command, string> = {
  "fill-mask": "[MODEL] TEXT…",
  "text-classification": "[MODEL] TEXT…",
  "token-classification": "[MODEL] TEXT…",
  "question-answering": "[MODEL] QUESTION CONTEXT",
  "zero-shot-classification": "[MODEL] TEXT LABEL…",
  "zero-shot-token-classification": "[MODEL] TEXT LABEL…",
  "feature-extraction": "[MODEL] TEXT…",
  "next-sentence-prediction": "[MODEL] TEXT NEXT",
  "multiple-choice": "[MODEL] PROMPT CHOICE…",
  "replaced-token-detection": "[MODEL] TEXT…",
  "text-ranking": "[MODEL] QUERY DOCUMENT…",
  serve: "[[NAME=]MODEL]…",
  mcp: "[INDEX]",
  label: "FILE --to FILE",
  index: "[MODEL] FILE… --to FILE",
  search: "FILE QUERY",
  explain: "TASK [MODEL] TEXT…",
  redact: "[MODEL] TEXT…",
  train: "TASK [MODEL] ROWS --to FOLDER",
  distill: "TASK TEACHER ROWS --to FOLDER",
  check: "MODEL",
  convert: "MODEL --dtype q8|fp16 --to FOLDER",
  copy: "FOLDER",
};

/** One sentence on each command. */
const ABOUT: Record<Command, string> = {
  "fill-mask": "fills the mask of each text",
  "text-classification": "labels each text, e.g. by its sentiment",
  "token-classification": "finds entities in each text, e.g. names",
  "question-answering": "finds the answer to a question in a context",
  "zero-shot-classification": "scores labels that the model was not trained for",
  "zero-shot-token-classification": "finds entities of given labels with a GLiNER model",
  "feature-extraction": "computes vectors of each text",
  "next-sentence-prediction": "returns the probability that NEXT follows TEXT",
  "multiple-choice": "scores each choice as a continuation of the prompt",
  "replaced-token-detection": "finds tokens that were replaced",
  "text-ranking": "sorts documents by how well they answer a query",
  serve: "answers HTTP requests of clients for OpenAI, text-embeddings-inference, Cohere, Jina and Hugging Face",
  mcp: "offers search in INDEX, redaction and classification to coding agents, by the Model Context Protocol",
  label:
    "labels each row of a .csv, .tsv or .jsonl file and writes it with its label; a second run continues an interrupted one",
  explain:
    "returns how much each token adds to an answer of text- or token-classification, question-answering or fill-mask",
  redact: "replaces personal data with placeholders and lists it",
  index: "writes an index of text files and folders, and of the rows { id, text } of .csv, .tsv and .jsonl files",
  search: "returns the passages of an index that answer a query",
  train:
    "trains a model on the rows of a .jsonl, .json, .csv or .txt file; --resume FOLDER continues an interrupted run",
  distill:
    "trains a smaller model on the rows of a file and the predictions of TEACHER: its own every second layer, or --model; --resume FOLDER continues an interrupted run",
  check: "says whether a model loads, for which tasks, and what it downloads, before its weights are downloaded",
  convert: "writes a smaller copy of a checkpoint",
  copy: "copies the files that pages fetch into FOLDER; set env.base to the folder's URL",
};

/** Options for finding a model, and for computing with it. */
const SOURCE = ["revision", "subfolder", "local_files_only", "cache_dir", "token"];
export const MODEL = ["device", "dtype", "threads", ...SOURCE];

/** Options for writing an index, and for searching it. */
export const INDEX = [
  ...["to", "dimensions", "similarity", "words", "sparse", "passage_length", "passage_overlap", "prompt_name"],
];
export const SEARCH = [
  "model",
  "top_k",
  "hybrid",
  "sparse",
  "rerank",
  "rerank_candidates",
  "per_document",
  "prompt_name",
  "k1",
  "b",
];

/** Options of an explanation. */
export const EXPLAIN = ["target", "method", "n_steps", "index", "mask"];

/** Options of training, without the options of a run. */
export const TRAINING = [
  "to",
  "eval",
  "resume",
  "save_steps",
  "labels",
  "problem_type",
  "freeze",
  "peft",
  "merge",
  "dtype",
];

/** Options of a run with a teacher. */
const DISTILLING: readonly string[] = ["temperature", "alpha_ce", "alpha_mlm", "alpha_labels", "alpha_cos"];

/** Options of `redact`, without the options of its model. */
const REDACT = [
  ...["labels", "threshold", "label_bias", "detectors", "patterns", "allow", "deny", "replace", "salt"],
  "aggregation_strategy",
];

/** Options of `serve` that its handler takes. */
export const HANDLER = ["api_key", "max_body", "max_inputs", "max_queue", "batch_size", "truncate", "cors"];

/** Options of each command that is not a task. */
const OF_COMMANDS: Record<OtherCommand, readonly string[]> = {
  serve: ["model", "host", "port", "task", ...HANDLER, ...MODEL],
  mcp: ["model", "redactor", "classifier", "zero_shot", ...MODEL],
  label: ["to", "column", "labels", "overwrite", "model", ...MODEL],
  explain: ["model", ...EXPLAIN, "device", "threads", ...SOURCE],
  redact: ["model", ...REDACT, ...MODEL],
  index: ["model", ...INDEX, ...MODEL],
  search: [...SEARCH, ...MODEL],
  train: [
    ...["model", ...TRAINING, "device", "threads", ...SOURCE],
    ...ARGUMENTS.filter((name) => !DISTILLING.includes(name)),
  ],
  distill: ["model", "layers", ...TRAINING, ...ARGUMENTS, "device", "threads", ...SOURCE],
  check: ["model", "task", "json", "dtype", ...SOURCE],
  convert: ["model", "dtype", "to", ...SOURCE],
  copy: [],
};

/** Options of tasks that do not reach the engine. */
const BESIDE_ENGINE: Partial<Record<Task, readonly string[]>> = {
  "fill-mask": ["strategy", "num_steps", "temperature", "seed"],
  "feature-extraction": ["prompt", "prompt_name", "truncate_dim"],
  "text-ranking": ["prompt", "prompt_name"],
};

/** Options whose values are strings, even if they look like JSON. */
const TEXTS = [
  "model",
  "redactor",
  "classifier",
  "zero_shot",
  "host",
  "api_key",
  "column",
  "task",
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
/** Options whose values are lists of strings; a single string becomes a list. */
const LISTS = ["cors", "targets", "ignore_labels", "labels", "patterns"];
/** Options that may have no value; it is then true. */
const FLAGS = [
  "help",
  "truncate",
  "version",
  "overwrite",
  "json",
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
  "merge",
];

/** Short forms of options. */
const SHORT: Record<string, string | undefined> = { h: "help", v: "version" };

/** Returns the options with these names. */
export const picked = (options: Options, names: readonly string[]): Options =>
  Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));

export const usage = (command: Command) => `webert ${command} ${WORDS[command]}`;

export const isTask = (command: Command): command is Task => Object.hasOwn(ENGINE_OPTIONS, command);

export const optionsOf = (command: Command): readonly string[] =>
  isTask(command)
    ? ["model", ...Object.keys(ENGINE_OPTIONS[command]), ...(BESIDE_ENGINE[command] ?? []), ...MODEL]
    : OF_COMMANDS[command];

const listed = (names: readonly string[]) => names.map((name) => `--${name}`).join(", ");

/** Returns the lines of two columns. */
function columns(rows: readonly [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}

/** Returns the help of a command, or of all commands. */
export function help(command?: Command): string {
  if (command) {
    const options = [...optionsOf(command), "help"];
    const rows = options.map((name): [string, string] => [`--${name}`, optionHelp(command, name) ?? ""]);
    return `usage: ${usage(command)}\n\n${sentence(ABOUT[command])}\n\noptions:\n${columns(rows)}`;
  }
  const commands = (Object.keys(WORDS) as Command[]).map((name): [string, string] => [usage(name), ABOUT[name]]);
  return `usage: webert COMMAND WORD… [--OPTION VALUE]…

${columns(commands)}

MODEL is owner/name, a URL or a folder (./…). Every command with a MODEL also takes --model MODEL; then no word is a model. In commands with
[MODEL], --model "" is the task's default model. Without --model, the first of several words is MODEL if it can be a name: a text with
spaces is none, and neither is an existing file in "index".
The word - reads standard input, and so does a command without any TEXT in a pipe. Answers are printed as JSON.

Options have the names of the JavaScript API: --dtype q8, --top_k 3, --pooling mean.
webert COMMAND --help lists the options of a command. webert --version prints the version.
Write -- before a text that begins with a dash.

webert --help and webert --version have the short forms -h and -v.

environment: HF_TOKEN is the access token, HF_ENDPOINT the Hub's address, HF_HOME/webert the folder of downloaded files.

exit codes: 0 success, 1 failure, 2 usage error`;
}

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

/** A parsed command with its words and options. */
export interface Line {
  command: Command | undefined;
  words: string[];
  options: Options;
}

/**
 * Splits a command line into words and options (`--name value` or `--name=value`). Values that are JSON (numbers, true,
 * arrays) are parsed.
 * @throws UsageError
 */
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
      options[name] = undefined; // reported below; an unknown name is reported first
    else set("true");
    name = undefined;
  };
  for (const token of tokens) {
    if (token.kind === "option-terminator") end();
    else if (token.kind === "option") {
      end();
      name = SHORT[token.name] ?? token.name.replaceAll("-", "_");
      if (token.value !== undefined) set(token.value);
    } else {
      if (name && FLAGS.includes(name) && !/^(true|false)$/.test(token.value)) end();
      if (name) set(token.value);
      else words.push(token.value);
    }
  }
  end();
  const [first, ...rest] = words;
  if (first === "help") {
    options.help = true;
    return { command: rest[0] === undefined ? undefined : commandOf(rest[0]), words: [], options };
  }
  const command = first === undefined ? undefined : commandOf(first);
  check(command, options);
  return { command, words: rest, options };
}

function commandOf(name: string): Command {
  if (Object.hasOwn(OF_COMMANDS, name)) return name as OtherCommand;
  try {
    return canonical(name);
  } catch {
    throw new UsageError(`unknown command "${name}": expected one of ${Object.keys(WORDS).join(", ")}`);
  }
}

function check(command: Command | undefined, options: Options): void {
  const known = command ? optionsOf(command) : [];
  for (const [name, value] of Object.entries(options)) {
    if (name === "help" || name === "version") continue;
    if (!known.includes(name)) {
      const meant = near(name, known);
      const none = command ? "expected none" : "expected --help, --version or a command";
      const expected = known.length ? `expected one of ${listed(known)}` : none;
      const question = meant ? `; did you mean --${meant}?` : "";
      throw new UsageError(`unknown option --${name}${command ? ` of ${command}` : ""}: ${expected}${question}`);
    }
    if (value === undefined) throw new UsageError(`--${name}: expected a value`);
  }
}

/** Returns the entries of a JSON array, or the single string in an array. */
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

/** The words that each task needs beside its model: two, or one text. */
const PAIRS: readonly (Task | "redact")[] = [
  "question-answering",
  "next-sentence-prediction",
  "zero-shot-classification",
  "zero-shot-token-classification",
  "multiple-choice",
  "text-ranking",
];
/** Tasks of two texts. More words belong to the second text. */
const OF_TWO_TEXTS: readonly (Task | "redact")[] = ["question-answering", "next-sentence-prediction"];

/** The arguments of a task's pipeline, and its model. */
export interface SplitWords {
  model: string | undefined;
  args: unknown[];
  /** Whether the first word was taken as the model. */
  isGuessed: boolean;
}

/** Returns whether a word can name a model: a path, a URL, or a name or folder without spaces. An empty word is the default model. */
export const canBeModel = (word: string): boolean =>
  /^(\.{0,2}[\\/]|[a-z]:\\|\w+:\/\/)/i.test(word) || /^[\w.-]*(\/[\w.-]+)*\/?$/.test(word);

/**
 * Returns the words of a task as arguments of its pipeline, without the model. `named` is the model of the option
 * --model; no word is then a model. Otherwise the first word is the model, if the task needs fewer words and the word can be a
 * name.
 * @throws UsageError if words are missing
 */
export function split(task: Task | "redact", words: string[], named?: string): SplitWords {
  const isPair = PAIRS.includes(task);
  const least = isPair ? 2 : 1;
  if (words.length < least)
    throw new UsageError(
      `${task}: expected at least ${least} ${isPair ? "words" : "word"}, got ${words.length}; usage: ${usage(task)}`,
    );
  const isGuessed = named === undefined && words.length > least && canBeModel(words[0]!);
  const [first, ...more] = isGuessed ? words.slice(1) : words;
  const model = (isGuessed ? words[0] : named) || undefined;
  const rest = OF_TWO_TEXTS.includes(task) ? more.join(" ") : more;
  return { model, args: isPair ? [first, rest] : [more.length ? [first, ...more] : first], isGuessed };
}

/** Returns an error with the remark that its model was the first of several words. */
export function ofGuessedModel(error: unknown, model: string): WebertError {
  const { code, message } = WebertError.from(error);
  const remark = `"${model}" is the first of several words and therefore the model; --model "" takes the default model`;
  return new WebertError(code, `${message}. ${remark}.`, { cause: error });
}

/**
 * Splits the words of `explain`: the name of a task, then the task's words.
 * @throws UsageError
 */
export function splitExplained([name, ...words]: string[], named?: string): { task: Task } & SplitWords {
  if (name === undefined) throw new UsageError(`usage: ${usage("explain")}`);
  const task = commandOf(name);
  if (!isTask(task)) throw new UsageError(`explain: expected a task, got "${task}"; usage: ${usage("explain")}`);
  return { task, ...split(task, words, named) };
}

/**
 * Returns the word of a command that takes exactly one, or the option --model.
 * @throws UsageError if the command has more or fewer words, or lacks one of the options `needed`
 */
export function one(command: Command, given: string[], options: Options = {}, needed: readonly string[] = []): string {
  const words = options.model === undefined ? given : [String(options.model), ...given];
  if (words.length !== 1)
    throw new UsageError(`${command}: expected one word, got ${words.length}; usage: ${usage(command)}`);
  need(command, options, needed);
  return words[0]!;
}

/** @throws UsageError if an option is missing */
export function need(command: Command, options: Options, names: readonly string[]): void {
  for (const name of names)
    if (options[name] === undefined)
      throw new UsageError(`${command}: expected the option --${name}; usage: ${usage(command)}`);
}
