#!/usr/bin/env node
// `npx webert …`: the command line with the tasks and the other commands (see command-line.ts).
import { fstatSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { control, placeOf } from "../engine/open.js";
import { diskError } from "../entries/node/disk.js";
import { packageFile } from "../entries/node/files.js";
import { platform } from "../entries/node/platform.js";
import { convert, env, pipeline, redact, WebertError } from "../index.js";
import { readConfig, readModules, readTokenizerFiles } from "../sources/files.js";
import { openFolder } from "../sources/open.js";
import { canonical } from "../task-names.js";
import {
  type Command,
  EXPLAIN,
  help,
  isTask,
  MODEL,
  type Options,
  ofGuessedModel,
  one,
  optionsOf,
  read,
  split,
  splitExplained,
  UsageError,
} from "./command-line.js";
import { decoded } from "./text-files.js";

async function main(): Promise<void> {
  const { command, words: given, options } = read(process.argv.slice(2));
  applyEnvironment(command, options);
  const isOfTexts = command !== undefined && (isTask(command) || ["redact", "explain"].includes(command));
  if (options.version) return print(await version());
  if (!command || options.help) return print(help(command));
  const words = isOfTexts || command === "search" ? await withInput(given, isOfTexts) : given;
  if (command === "convert") return convertTo(words, options);
  if (command === "copy") return copyTo(words);
  if (command === "check") return checkModel(words, options);
  if (command === "train" || command === "distill") {
    const { train } = await import("./train.js");
    return print(JSON.stringify(await train(command, words, options, putAll), null, 2));
  }
  if (command === "index" || command === "search") {
    const { makeIndex, searchIndex } = await import("./search-commands.js");
    return print(await (command === "index" ? makeIndex : searchIndex)(words, options));
  }
  if (command === "serve") return (await import("./serve.js")).serve(words, options, print);
  if (command === "mcp") return (await import("./mcp.js")).mcp(words, options, await version());
  if (command === "label") return print(await (await import("./label.js")).label(words, options));
  if (command === "explain") return print(JSON.stringify(await explain(words, options), null, 2));
  const { model, args, isGuessed } = split(command, words, options.model as string | undefined);
  if (command === "redact") return redactTexts(model, args[0] as string | string[], options, isGuessed);
  const entries = Object.entries(options).filter(([name]) => name !== "model");
  const ofModel = Object.fromEntries(entries.filter(([name]) => MODEL.includes(name)));
  const ofCall = Object.fromEntries(entries.filter(([name]) => !MODEL.includes(name)));
  const loading = explained(pipeline(command, model, ofModel), isGuessed, model);
  const pipe = (await loading) as unknown as (...args: unknown[]) => Promise<unknown>;
  const answers = await pipe(...args, ofCall);
  print(
    JSON.stringify(answers, (_, value) => (ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value), 2),
  );
}

/** Returns what `loading` resolves to. Its errors name a model that was taken from the first word. */
async function explained<T>(loading: Promise<T>, isGuessed: boolean, model = ""): Promise<T> {
  if (!isGuessed) return loading;
  return loading.catch((error: unknown) => {
    throw ofGuessedModel(error, model);
  });
}

/** Prints how much each token of a text adds to an answer. */
async function explain(words: string[], options: Options): Promise<unknown> {
  const { task, model, args, isGuessed } = splitExplained(words, options.model as string | undefined);
  const own = Object.entries(options).filter(([name]) => EXPLAIN.includes(name));
  const others = Object.entries(options).filter(([name]) => !EXPLAIN.includes(name) && name !== "model");
  const loading = explained(pipeline(task, model, Object.fromEntries(others)), isGuessed, model);
  const pipe = (await loading) as unknown as {
    explain(...args: unknown[]): Promise<unknown>;
    dispose(): Promise<void>;
  };
  try {
    return await pipe.explain(...args, Object.fromEntries(own));
  } finally {
    await pipe.dispose();
  }
}

async function version(): Promise<string> {
  const file = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { version: string }).version;
}

/** Prints texts with placeholders, and the replaced pieces. */
async function redactTexts(
  model: string | undefined,
  given: string | string[],
  options: Options,
  isGuessed: boolean,
): Promise<void> {
  const texts = [given].flat();
  const redactions = await explained(redact(texts, { ...options, model }), isGuessed, model);
  print(JSON.stringify(Array.isArray(given) ? redactions : redactions[0], null, 2));
}

/** Returns words with standard input in place of each "-". If `isOptional` and there is no word, a pipe's text is the only word. */
async function withInput(words: string[], isOptional: boolean): Promise<string[]> {
  const isPiped = isOptional && !words.length && isInputGiven();
  if (!isPiped && !words.includes("-")) return words;
  const input = decoded(await buffer(process.stdin), "standard input");
  const text = input.replace(/\r?\n$/, "");
  if (isPiped) return text ? [text] : [];
  return words.map((word) => (word === "-" ? text : word));
}

/** Returns whether standard input is a pipe of a shell or a file. The socket of a parent process may never end. */
function isInputGiven(): boolean {
  const status = fstatSync(0);
  return status.isFIFO() || status.isFile();
}

/** Applies the variables of the environment that Hugging Face's programs read. */
function applyEnvironment(command: Command | undefined, options: Options): void {
  const { HF_TOKEN, HF_ENDPOINT, HF_HOME } = process.env;
  if (HF_ENDPOINT) env.remoteHost = HF_ENDPOINT.replace(/\/?$/, "/");
  if (HF_HOME) env.cacheDir = join(HF_HOME, "webert");
  if (HF_TOKEN && command && optionsOf(command).includes("token")) options.token ??= HF_TOKEN;
}

/** Prints whether a model loads. The exit code is 1 if it does not. */
async function checkModel(words: string[], { json, task, model: named, ...options }: Options): Promise<void> {
  const model = one("check", words, { model: named });
  const { check, shown } = await import("./check.js");
  const found = await check(model, { ...options, ...(task !== undefined && { task: canonical(String(task)) }) });
  print(json ? JSON.stringify(found, null, 2) : shown(found));
  if (!found.loads) process.exitCode = 1;
}

/** Writes a copy of a checkpoint's folder with smaller weights. */
async function convertTo(words: string[], given: Options): Promise<void> {
  const { dtype, to, model: _, ...options } = given;
  const model = one("convert", words, given, ["dtype", "to"]);
  const blob = await convert(model, { ...options, dtype } as never);
  const folder = await openFolder(await placeOf(platform, model, options), platform.machine);
  const reading = control(options);
  const parts = [readConfig(folder, reading), readTokenizerFiles(folder, reading, false), readModules(folder, reading)];
  const files = Object.assign({}, ...(await Promise.all(parts))) as Record<string, Uint8Array>;
  files["config.json"] = withoutWeights(files["config.json"]!);
  await putAll(String(to), { ...files, "model.safetensors": blob });
  print(`${join(String(to), "model.safetensors")}: ${(blob.size / 1e6).toFixed(1)} MB`);
}

/** Copies the files that pages fetch by URL, for `env.base`. */
async function copyTo(words: string[]): Promise<void> {
  const to = one("copy", words);
  const from = (path: string) => fileURLToPath(packageFile(path));
  const files = (await readdir(from("."))).filter((name) =>
    /^((train-)?worker|part-\w+|webert_(cpu|threads|gpu|glues|search))\.js$|\.wasm$|\.txt$/.test(name),
  );
  for (const name of files) await cp(from(name), join(to, name));
  await cp(from("../models"), join(to, "models"), {
    recursive: true,
    filter: (path) => !/[\\/]models[\\/](eval|train)/.test(path),
  });
  print(`${to}: ${files.length + 1} entries; env.base is the URL that this folder is served at`);
}

/** Returns config.json without the name of the weights that were converted. */
function withoutWeights(config: Uint8Array): Uint8Array {
  const { transformers_weights, ...rest } = JSON.parse(new TextDecoder().decode(config)) as Record<string, unknown>;
  return transformers_weights === undefined ? config : new TextEncoder().encode(`${JSON.stringify(rest, null, 2)}\n`);
}

/**
 * Writes files into a folder. They get their names after all are complete. If the disk is full, no incomplete file and
 * no new folder is left behind.
 */
async function putAll(folder: string, files: Record<string, Uint8Array | Blob>): Promise<void> {
  let created: string | undefined;
  const parts = join(folder, `.parts-${process.pid}`);
  try {
    created = await mkdir(folder, { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(parts, name)), { recursive: true });
      await writeFile(join(parts, name), content instanceof Blob ? content.stream() : content);
    }
    for (const name of Object.keys(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await rename(join(parts, name), join(folder, name));
    }
    await rm(parts, { recursive: true });
  } catch (error) {
    await rm(created ?? parts, { recursive: true, force: true }).catch(() => {});
    throw diskError(`--to ${folder} could not be written`, error);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  if (error instanceof UsageError) {
    process.stderr.write(`webert: ${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  const { code, message } = WebertError.from(error);
  process.stderr.write(`webert: ${message} (${code})\n`);
  process.exitCode = 1;
});
