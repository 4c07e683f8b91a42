#!/usr/bin/env node
// `npx webert …`: the tasks and `convert`, on the command line.
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readConfig, readPooling, readTokenizerFiles } from "./checkpoint.js";
import { diskError } from "./disk.js";
import { openFolder } from "./hub.js";
import { convert, pipeline, WebertError } from "./node.js";
import { packageFile } from "./node-files.js";
import { platform } from "./node-platform.js";
import { control, placeOf } from "./platform.js";
import { canonical, OPTIONS } from "./tasks.js";

const HELP = `usage:
  webert fill-mask [MODEL] TEXT…                   MODEL: owner/name, a URL or a folder (./…); none: the one that ships
  webert text-classification [MODEL] TEXT…
  webert token-classification MODEL TEXT…
  webert question-answering MODEL QUESTION CONTEXT
  webert zero-shot-classification MODEL TEXT LABEL…
  webert feature-extraction [MODEL] TEXT…
  webert next-sentence-prediction MODEL TEXT NEXT
  webert multiple-choice MODEL PROMPT CHOICE…
  webert replaced-token-detection MODEL TEXT…
  webert convert MODEL --dtype q8|fp16 --to FOLDER   a smaller copy of a checkpoint
  webert copy FOLDER                               the files that pages fetch, to be served: env.base is then that folder's URL

Answers are JSON. Options have the names of the JavaScript API: --dtype q8, --device wasm, --threads 2, --top_k 3,
--aggregation_strategy simple, --pooling mean, --normalize true, --revision main …`;

type Options = Record<string, unknown>;

async function main(): Promise<void> {
  const { command, words, options } = read(process.argv.slice(2));
  if (options.version) return print(await version());
  if (!command || options.help) return print(HELP);
  if (command === "convert") return convertTo(words, options);
  if (command === "copy") return copyTo(words);
  const task = canonical(command as never);
  const { model, args } = split(task, words);
  const pipe = (await pipeline(task, model, options)) as unknown as (...args: unknown[]) => Promise<unknown>;
  const answers = await pipe(...args, options);
  print(JSON.stringify(answers, (_, value) => (ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value), 2));
}

async function version(): Promise<string> {
  const file = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { version: string }).version;
}

/** Words and `--name value`; values that are JSON (numbers, true, arrays) are read as such. */
function read(argv: string[]): { command: string | undefined; words: string[]; options: Options } {
  const { tokens } = parseArgs({ args: argv, strict: false, allowPositionals: true, tokens: true });
  const words: string[] = [];
  const options: Options = {};
  let name: string | undefined;
  const set = (value: string) => {
    const option = name!.replaceAll("-", "_");
    options[option] = TEXTS.includes(option) ? value : LISTS.includes(option) ? listed(value) : json(value);
    name = undefined;
  };
  for (const token of tokens) {
    if (token.kind === "option") {
      if (name) set("true");
      name = token.name === "h" ? "help" : token.name;
      if (token.value !== undefined) set(token.value);
    } else if (token.kind === "positional") {
      if (name) set(token.value);
      else words.push(token.value);
    }
  }
  if (name) set("true");
  return { command: words.shift(), words, options };
}

/** Options that are texts, whatever they look like; and those that are lists of texts. */
const TEXTS = ["to", "revision", "subfolder", "cache_dir", "token", "dtype", "device", "hypothesis_template"];
const LISTS = ["targets", "ignore_labels"];

/** A JSON array, or the one text. */
function listed(text: string): unknown {
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

/** The words of a task as its pipeline takes them, the model apart. */
function split(task: keyof typeof OPTIONS, words: string[]): { model: string | undefined; args: unknown[] } {
  const [model, first, ...more] = words;
  const need = (count: number) => {
    if (words.length < count) throw new WebertError("bad_input", `${task} needs ${count} words or more after it, got ${words.length}; webert --help shows which`);
  };
  switch (task) {
    case "question-answering":
    case "next-sentence-prediction":
      need(3);
      return { model, args: [first, more.join(" ")] };
    case "zero-shot-classification":
    case "multiple-choice":
      need(3);
      return { model, args: [first, more] };
    default:
      need(1);
      return words.length === 1 ? { model: undefined, args: [model] } : { model, args: [more.length ? [first, ...more] : first] };
  }
}

/** A checkpoint's folder once more, with smaller weights. */
async function convertTo([model, ...rest]: string[], { dtype, to, ...options }: Options): Promise<void> {
  if (!model || rest.length || typeof to !== "string") throw new WebertError("bad_input", "usage: webert convert MODEL --dtype q8|fp16 --to FOLDER");
  const blob = await convert(model, { ...options, dtype } as never);
  const folder = await openFolder(await placeOf(platform, model, options), platform.machine);
  const reading = control(options);
  const parts = [readConfig(folder, reading), readTokenizerFiles(folder, reading, false), readPooling(folder, reading)];
  const files = Object.assign({}, ...(await Promise.all(parts))) as Record<string, Uint8Array>;
  files["config.json"] = withoutWeights(files["config.json"]!);
  await putAll(to, { ...files, "model.safetensors": blob });
  print(`${join(to, "model.safetensors")}: ${(blob.size / 1e6).toFixed(1)} MB`);
}

/** What pages fetch by its address, as `env.base` has it. */
async function copyTo([to, ...rest]: string[]): Promise<void> {
  if (!to || rest.length) throw new WebertError("bad_input", "usage: webert copy FOLDER");
  const from = (path: string) => fileURLToPath(packageFile(path));
  const files = (await readdir(from("."))).filter((name) => /^worker\.js$|\.wasm$|\.txt$/.test(name));
  for (const name of files) await cp(from(name), join(to, name));
  await cp(from("../models"), join(to, "models"), { recursive: true, filter: (path) => !/[\\/]models[\\/](eval|train)/.test(path) });
  print(`${to}: ${files.length + 1} entries; env.base is the URL that this folder is served at`);
}

/** config.json, which may name the weights that were converted, without that name. */
function withoutWeights(config: Uint8Array): Uint8Array {
  const { transformers_weights, ...rest } = JSON.parse(new TextDecoder().decode(config)) as Record<string, unknown>;
  return transformers_weights === undefined ? config : new TextEncoder().encode(`${JSON.stringify(rest, null, 2)}\n`);
}

/** Writes files into a folder. They get their names once all are whole: a full disk leaves nothing half, and no folder that was not there. */
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
  const { code, message } = WebertError.from(error);
  process.stderr.write(`webert: ${message} (${code})\n`);
  process.exitCode = 1;
});
