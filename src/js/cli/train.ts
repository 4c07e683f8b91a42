// `webert train` and `webert distill`: train a model on the rows of a file, and save it in a folder.
import { extname } from "node:path";
import { ARGUMENTS } from "../generated/training.js";
import { Trainer, WebertError } from "../index.js";
import type { SavedFiles } from "../training/saved-files.js";
import type { TrainingEvent } from "../training/training-arguments.js";
import { type Options, TRAINING, UsageError } from "./command-line.js";
import { csvRows, isTable, jsonLines, readText } from "./text-files.js";

/** Milliseconds between two lines of progress when stderr is not a terminal. */
const REPORT = 2000;

/** The parsed command line. */
interface TrainCommand {
  trainer: Trainer;
  rows: unknown[];
  evalRows: unknown[] | undefined;
  /** The files of the rows. */
  file: string;
  evalFile: string | undefined;
  /** Options of the run. */
  run: Options;
  to: string;
  saveSteps: number;
  /** Whether to save what `--resume` needs. */
  resumable: boolean;
  dtype: unknown;
  merge: unknown;
}

/** Trains, and returns the result to print. `put` writes files into a folder. */
export async function train(
  command: "train" | "distill",
  words: string[],
  options: Options,
  put: (folder: string, files: SavedFiles["files"]) => Promise<void>,
): Promise<object> {
  const plan = await planOf(command, words, options);
  const { trainer, to } = plan;
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once("SIGINT", onInterrupt);
  try {
    const result = await run(plan, interrupt.signal, put).catch(counted(evaluatesWithin(plan) ? undefined : plan.file));
    const files = plan.resumable ? await trainer.checkpoint() : await saved(plan);
    const evaluating = plan.evalRows && trainer.evaluate(plan.evalRows as never, plan.run);
    const metrics = await evaluating?.catch(counted(plan.evalFile));
    await put(to, files.files);
    return { ...result, ...(metrics && { metrics }) };
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    await put(to, (await trainer.checkpoint()).files);
    throw new WebertError("aborted", `interrupted. Continue with --resume ${to}`, { cause: error });
  } finally {
    process.off("SIGINT", onInterrupt);
    await trainer.dispose();
  }
}

const saved = ({ trainer, dtype, merge }: TrainCommand) =>
  trainer.save({ dtype: dtype as "fp32", merge: merge as boolean | undefined });

async function run(
  plan: TrainCommand,
  signal: AbortSignal,
  put: (folder: string, files: SavedFiles["files"]) => Promise<void>,
): Promise<object> {
  const { trainer, rows, evalRows, run, to, saveSteps } = plan;
  const report = reporter();
  const callback = async (event: TrainingEvent) => {
    report(event);
    if (event.type === "step" && saveSteps && event.step % saveSteps === 0 && event.step < event.max_steps)
      await put(to, (await trainer.checkpoint()).files);
  };
  const within = evaluatesWithin(plan);
  return trainer.train(rows as never, {
    ...run,
    ...(within ? { eval_dataset: evalRows as never } : {}),
    callback,
    signal,
  });
}

/** Returns whether a run evaluates between its steps. Its errors then may be about the rows of either file. */
const evaluatesWithin = ({ evalRows, run }: TrainCommand): boolean =>
  !!evalRows && !!(run.eval_steps || run.load_best_model_at_end || run.early_stopping_patience);

/** Returns a function that throws an error about a row again, with the row's number from 1 and the name of its file. */
function counted(file: string | undefined): (error: unknown) => never {
  return (error) => {
    const { code, message, item } = WebertError.from(error);
    const [, row] = /^row (\d+)$/.exec(item ?? "") ?? [];
    if (row === undefined) throw error;
    const named = `${file === undefined ? "" : `${file}, `}row ${Number(row) + 1}`;
    throw new WebertError(code, message.replace(/^row \d+/, named), { cause: error, item: named });
  };
}

/** How each command is called. */
const USAGE = {
  train: "usage: webert train TASK [MODEL] ROWS --to FOLDER, or webert train ROWS --resume FOLDER --to FOLDER",
  distill:
    "usage: webert distill TASK TEACHER ROWS --to FOLDER, or webert distill TEACHER ROWS --resume FOLDER --to FOLDER",
};

/** Returns the models of a command line: the one to train (empty: the default), and its teacher. */
function modelsOf(
  command: "train" | "distill",
  words: string[],
  options: Options,
): { source: string; teacher?: string } {
  const isNamed = options.model !== undefined;
  const isResumed = options.resume !== undefined;
  const isDistill = command === "distill";
  const counts = isResumed ? [isDistill ? 2 : 1] : isDistill ? [3] : isNamed ? [2] : [2, 3];
  if (!counts.includes(words.length) || options.to === undefined) throw new UsageError(USAGE[command]);
  const source = isNamed ? String(options.model) : words.length === 3 && !isDistill ? words[1]! : "";
  return { source, ...(isDistill && { teacher: words.at(-2)! }) };
}

async function planOf(command: "train" | "distill", words: string[], options: Options): Promise<TrainCommand> {
  const { to, eval: evalFile, resume, save_steps, labels, problem_type, freeze, peft, merge, dtype, layers } = options;
  const { source, teacher } = modelsOf(command, words, options);
  const saveSteps = Number(save_steps ?? 0);
  if (!Number.isInteger(saveSteps) || saveSteps < 0) throw new UsageError("--save_steps: expected a number of steps");
  if (merge !== undefined && peft === undefined) throw new UsageError("--merge: expected --peft as well");
  if (peft !== undefined && !merge && dtype !== undefined && dtype !== "fp32")
    throw new UsageError(`--dtype: adapters are saved as fp32, got ${String(dtype)}; --merge saves the whole model`);
  // All other options belong to the model or the run.
  const others = Object.entries(options).filter(([name]) => !TRAINING.includes(name));
  const isOfRun = ([name]: [string, unknown]) => (ARGUMENTS as readonly string[]).includes(name);
  const run = Object.fromEntries(others.filter(isOfRun));
  const isOfModel = ([name]: [string, unknown]) => name !== "model" && name !== "layers";
  const model = {
    ...Object.fromEntries(others.filter((entry) => !isOfRun(entry) && isOfModel(entry))),
    ...(teacher !== undefined && { teacher }),
  };
  const rows = await readRows(words.at(-1)!);
  const evalRows = evalFile === undefined ? undefined : await readRows(String(evalFile));
  const trainer = (await (resume === undefined
    ? Trainer.from_pretrained(words[0] as never, source || null, {
        ...model,
        ...Object.fromEntries(
          Object.entries({
            labels: names(labels),
            problem_type,
            freeze,
            peft,
            layers: numbers(layers),
            seed: run.seed,
          }).filter(([, value]) => value !== undefined),
        ),
      } as never)
    : Trainer.resume(String(resume), model as never))) as Trainer;
  return {
    trainer,
    rows,
    evalRows,
    file: words.at(-1)!,
    evalFile: evalFile === undefined ? undefined : String(evalFile),
    run,
    to: String(to),
    saveSteps,
    resumable: saveSteps > 0 || resume !== undefined,
    dtype,
    merge,
  };
}

/** Returns numbers from a JSON array, from one number, or from numbers separated by commas. */
const numbers = (given: unknown): unknown =>
  typeof given === "string" ? given.split(",").map(Number) : given === undefined ? given : [given].flat();

/** Returns labels from a JSON array or from names separated by commas. */
function names(labels: unknown): unknown {
  const given = [labels].flat();
  const isText = given.every((label) => typeof label === "string");
  return isText ? given.flatMap((label) => label.split(",")).map((label) => label.trim()) : labels;
}

/** Reads the rows of a file: one JSON value per line (.jsonl), one array (.json), a table (.csv, .tsv), or one text per line (.txt). */
async function readRows(path: string): Promise<unknown[]> {
  const kind = extname(path);
  if (![".jsonl", ".json", ".csv", ".tsv", ".txt"].includes(kind))
    throw new UsageError(`${path}: expected a file of rows (.jsonl, .json, .csv, .tsv or .txt)`);
  const text = await readText(path);
  if (kind === ".txt") return text.split(/\r?\n/).filter((line) => line.trim());
  if (kind === ".jsonl") return jsonLines(text, path);
  if (isTable(path)) return csvRows(text, path);
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch (cause) {
    throw new WebertError("bad_input", `${path}: expected JSON: ${(cause as Error).message}`, { cause });
  }
  if (Array.isArray(rows)) return rows;
  throw new WebertError("bad_input", `${path}: expected an array of rows`);
}

/** Returns a callback that writes progress to stderr. */
function reporter(): (event: TrainingEvent) => void {
  let last = 0;
  return (event) => {
    if (event.type === "evaluate") {
      const { type: _, step, epoch: _epoch, ...metrics } = event;
      return void process.stderr.write(`${process.stderr.isTTY ? "\n" : ""}step ${step}: ${JSON.stringify(metrics)}\n`);
    }
    if (event.type === "restore") {
      const { step, device, device_reason } = event;
      return void process.stderr.write(`continues from step ${step} on ${device}: ${device_reason}\n`);
    }
    const { step, max_steps, loss, learning_rate, tokens_per_second, seconds_left } = event;
    const now = performance.now();
    if (now - last < REPORT && step < max_steps && !process.stderr.isTTY) return;
    last = now;
    const line = `step ${step} of ${max_steps}, loss ${loss.toFixed(4)}, rate ${learning_rate.toExponential(2)}, ${tokens_per_second.toFixed(0)} tokens/s, ${seconds_left.toFixed(0)} s left`;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}${step === max_steps ? "\n" : ""}` : `${line}\n`);
  };
}
