// Reads the files of a model: configuration, tokenizer, weights.
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import { missing, needed, needFile, openOptional, readFile } from "./folder.js";
import { initiated, reported } from "./progress.js";
import { ENCODER_CONFIG, encoderFolder, MODEL_CONFIG, MODULES, moduleEntries } from "./sentence-folder.js";
import { CODES, SENTENCEPIECE } from "./small-binary.js";
import type { OnnxChoice } from "./source.js";
import type { Control, Files, Folder, OpenFile } from "./types.js";

/** A file of weights. Its bytes are being downloaded. */
export interface WeightFile {
  name: string;
  /** In bytes; 0 if unknown. */
  size: number;
  bytes: AsyncIterable<Uint8Array>;
  /**
   * Returns the bytes from an offset on, which replace the rest of `bytes`; undefined if the bytes before must be read
   * too.
   */
  bytesFrom(offset: number): AsyncIterable<Uint8Array> | undefined;
}

/** All weights: the files in order. If there are several, the loader also needs their index. */
export interface Weights {
  /** Name of the checkpoint that the weights come from, if it is not the requested model. */
  source?: string;
  /** Whether only a binary with all features can read the files. */
  needsAll?: boolean;
  /** Whether the weights come from an ONNX file. */
  isOnnx?: boolean;
  /** Precision in memory that suits the file, if a call leaves it open. */
  dtype?: string;
  index: Files;
  /**
   * Yields the files. For an index, only the shards that `wants` accepts are opened. `others` returns the names of more
   * files that the last file needs.
   */
  files(wants?: (name: string) => boolean, others?: () => Promise<string[]>): AsyncIterable<WeightFile>;
}

/**
 * Returns the files of a tokenizer. Throws `not_found` if `required` and none exists. `model` returns the model's
 * `config.json`, which names the class if `tokenizer_config.json` does not.
 */
export async function readTokenizerFiles(
  folder: Folder,
  control: Control,
  required: boolean,
  model: () => Promise<Uint8Array | undefined> = () => readFile(folder, "config.json", control),
): Promise<Files> {
  const files = await readAll(folder, ["tokenizer_config.json"], control);
  const config = files["tokenizer_config.json"] && parsed(text(files["tokenizer_config.json"]));
  const named = sharedTokenizer(config);
  const own = "tokenizer.json";
  const kind = config?.tokenizer_class ?? CLASS.exec(text((await model()) ?? new Uint8Array()))?.[1];
  const isKind = (kinds: RegExp) => typeof kind === "string" && kinds.test(kind);
  // These classes never read a tokenizer.json.
  const hasCodes = isKind(/^(Bertweet|Phobert)/);
  const found = hasCodes
    ? undefined
    : ((await readFile(folder, named, control)) ?? (named === own ? undefined : await readFile(folder, own, control)));
  if (found) files[own] = found;
  const others = found ? [] : hasCodes ? ["vocab.txt", CODES] : ["vocab.txt"];
  // A config with `added_tokens_decoder` takes precedence over the older files, as in transformers.
  if (config?.added_tokens_decoder === undefined) others.push("special_tokens_map.json", "added_tokens.json");
  Object.assign(files, await readAll(folder, others, control));
  const isOther = isKind(/^(Roberta|XLMRoberta|Albert|Camembert|Herbert|Deberta)/);
  if (!found && (isOther || !files["vocab.txt"])) {
    // files of RoBERTa, HerBERT, ALBERT, CamemBERT and XLM-RoBERTa
    Object.assign(files, await readAll(folder, ["vocab.json", "merges.txt", ...SENTENCEPIECE], control));
  }
  if (required && !["tokenizer.json", "vocab.txt", "vocab.json", ...SENTENCEPIECE].some((name) => name in files)) {
    throw new WebertError(
      "not_found",
      `${folder.name} has neither tokenizer.json, vocab.txt, vocab.json, spm.model, spiece.model nor sentencepiece.bpe.model: looked for ${folder.address("tokenizer.json")}`,
    );
  }
  return files;
}

/** A tokenizer's class in `config.json`. */
const CLASS = /"tokenizer_class"\s*:\s*"(\w+)"/;

/**
 * Returns the path of tokenizer.json. If `tokenizer_file` of tokenizer_config.json names a file in a folder beside this
 * one, shared by several models, returns that path.
 */
function sharedTokenizer(config: Record<string, unknown> | null | undefined): string {
  const name = config?.tokenizer_file;
  return typeof name === "string" && /^\.\.\/[\w-][\w.-]*\/tokenizer\.json$/.test(name) ? name : "tokenizer.json";
}

/** Reads `config.json`, which must exist. Fields of `own` replace fields of the same names. */
export async function readConfig(folder: Folder, control: Control, own?: object): Promise<Files> {
  const bytes = await needFile(folder, "config.json", control);
  const fields = own && parsed(text(bytes));
  return { "config.json": fields ? new TextEncoder().encode(JSON.stringify({ ...fields, ...own })) : bytes };
}

/** Reads `config.json` if it exists. Weights can be read without it. */
export async function readOptionalConfig(folder: Folder, control: Control): Promise<Files> {
  return readAll(folder, ["config.json"], control);
}

/** Names of config files in folders of the first releases. */
const OLDER_CONFIGS = ["roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"];

/** Files of each kind of module. The first Normalize classes had no files. */
const MODULE_FILES: Record<string, string[]> = {
  Pooling: ["config.json"],
  Normalize: ["config.json"],
  Dense: ["config.json", "model.safetensors"],
  LayerNorm: ["config.json", "model.safetensors"],
  WeightedLayerPooling: ["config.json", "model.safetensors"],
  SpladePooling: ["config.json"],
  MultiVectorMask: ["config.json"],
};

/**
 * Reads a model's sentence-transformers files: its modules with their weights, prompts and maximum lengths. The file of
 * the encoder is returned as `sentence_bert_config.json`, whatever its path.
 */
export async function readModules(folder: Folder, control: Control, { torch } = formats): Promise<Files> {
  const files = await readAll(folder, [MODULES], control);
  if (!files[MODULES]) return {};
  const names = [MODEL_CONFIG];
  for (const { type, kind, path } of moduleEntries(files) ?? []) {
    if (!kind || !path || type === "sentence_transformers.models.Normalize") continue;
    for (const name of MODULE_FILES[kind] ?? []) names.push(path + name);
  }
  const [modules, own] = await Promise.all([
    readAll(folder, names, control),
    sentenceConfig(folder, encoderFolder(files), control),
  ]);
  const lacking = names.filter((name) => name.endsWith(WHOLE) && !modules[name]);
  const older = lacking.length ? await (await torch()).readTorch(folder, lacking, control) : {};
  return { ...files, ...modules, ...older, ...(own && { [ENCODER_CONFIG]: own }) };
}

async function sentenceConfig(folder: Folder, path: string, control: Control): Promise<Uint8Array | undefined> {
  const found = await readFile(folder, path + ENCODER_CONFIG, control);
  if (found) return found;
  const older = OLDER_CONFIGS.map((family) => `${path}sentence_${family}_config.json`);
  return Object.values(await readAll(folder, older, control))[0];
}

export async function readAll(folder: Folder, names: string[], control: Control): Promise<Files> {
  const found: Files = {};
  await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(folder, name, control);
      if (bytes) found[name] = bytes;
    }),
  );
  return found;
}

export const WHOLE = "model.safetensors";
export const INDEX = "model.safetensors.index.json";

/** Returns whether the weights of a module or an adapter are in a PyTorch file. */
export const hasTorch = (files: Files): boolean => Object.keys(files).some((name) => name.endsWith(".bin"));

/** Imports the readers of weights in formats other than safetensors. */
export interface Formats {
  onnx(): Promise<typeof import("./onnx-files.js")>;
  torch(): Promise<typeof import("./torch-files.js")>;
}

export const formats: Formats = {
  onnx: () => onDemand(() => import("./onnx-files.js")),
  torch: () => onDemand(() => import("./torch-files.js")),
};

/**
 * Returns the weights: the file or index that `transformers_weights` of config.json names. Without such a name, returns
 * `model.safetensors`, the shards in `model.safetensors.index.json`, the same files of PyTorch, or an ONNX file. The
 * request that tests whether a file exists also downloads it.
 * @param onnx the ONNX file of the call; absent if none can be read
 */
export async function openWeights(
  folder: Folder,
  control: Control,
  config: Files,
  onnx?: OnnxChoice,
  { onnx: onnxFiles, torch: torchFiles } = formats,
): Promise<Weights> {
  if (onnx?.name !== undefined) return (await (await onnxFiles()).openOnnx(folder, onnx, control))!;
  // These owners convert other checkpoints to ONNX: looking for other files first would be five requests in vain.
  if (onnx && CONVERTED.test(folder.name)) {
    const found = await (await onnxFiles()).openOnnx(folder, onnx, control);
    if (found) return found;
  }
  const named = namedWeights(folder, config["config.json"]);
  if (named?.endsWith(".json")) return sharded(folder, await needFile(folder, named, control), control);
  const name = named ?? WHOLE;
  initiated(folder, name, control);
  const whole = await openOptional(folder, name, control.signal);
  if (whole && whole.page === undefined) return { index: {}, files: () => one(folder, name, whole, control) };
  const index = named ? undefined : await readFile(folder, INDEX, control);
  if (index) return sharded(folder, index, control);
  const older = named ? undefined : await (await torchFiles()).openTorch(folder, control);
  const last = older ?? (onnx && !named ? await (await onnxFiles()).openOnnx(folder, onnx, control) : undefined);
  if (!last) throw missing(folder, name, whole);
  return last;
}

/** Names of models whose owners publish ONNX files alone. */
const CONVERTED = /^(Xenova|onnx-community)\//;

/** Returns `transformers_weights` of config.json. A malformed file is reported by the code that reads all of it. */
export function namedWeights(folder: Folder, config: Uint8Array | undefined): string | undefined {
  const text = new TextDecoder().decode(config);
  // With a million labels JSON.parse takes seconds, and few files have this name.
  const name = text.includes("transformers_weights") ? parsed(text)?.transformers_weights : undefined;
  if (name === undefined || name === null) return undefined;
  if (typeof name === "string" && /^[\w-][\w.-]*\.safetensors(\.index\.json)?$/.test(name)) return name;
  const address = folder.address("config.json");
  throw new WebertError(
    "bad_config",
    `${address}: transformers_weights ${JSON.stringify(name)} is no name of a safetensors file or an index beside it`,
  );
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function parsed(json: string): Record<string, unknown> | undefined | null {
  try {
    return JSON.parse(json) as Record<string, unknown> | null;
  } catch {
    return undefined;
  }
}

export function sharded(folder: Folder, index: Uint8Array, control: Control, indexName = INDEX): Weights {
  const names = shardNames(folder, index, indexName);
  return {
    index: { [indexName]: index },
    async *files(wants = () => true) {
      const wanted = names.filter(wants);
      if (control.progress && wanted.length > 1)
        await (await onDemand(() => import("./sizes.js"))).announce(folder, index, wanted, control);
      yield* shards(folder, wanted, control);
    },
  };
}

export async function* one(
  folder: Folder,
  name: string,
  whole: OpenFile,
  control: Control,
): AsyncGenerator<WeightFile> {
  yield weightFile(folder, name, whole, control);
}

function weightFile(folder: Folder, name: string, file: OpenFile, control: Control): WeightFile {
  return {
    name,
    size: file.isExact ? file.size : 0,
    bytes: reported(folder, name, file, control),
    bytesFrom(offset) {
      const body = file.bodyFrom?.(offset);
      return body && reported(folder, name, { ...file, body }, control, offset);
    },
  };
}

async function* shards(folder: Folder, names: string[], control: Control): AsyncGenerator<WeightFile> {
  for (const name of names) {
    initiated(folder, name, control);
    const found = needed(folder, name, await folder.open(name, control.signal));
    yield weightFile(folder, name, found, control);
  }
}

/**
 * Returns the files of an index, without duplicates, in order of name. Files of other folders come last: an adapter
 * beside the index must be loaded before the encoder that it is added to.
 */
function shardNames(folder: Folder, index: Uint8Array, indexName: string): string[] {
  const [own, shared]: [string[], string[]] = [[], []];
  for (const name of [...new Set(Object.values(weightMap(folder, index, indexName)))].sort())
    (name.startsWith("../") ? shared : own).push(name);
  return [...own, ...shared];
}

/** Returns the file of each tensor, by the tensor's name, from an index. */
export function weightMap(folder: Folder, index: Uint8Array, indexName = INDEX): Record<string, string> {
  const fail = (what: string, cause?: unknown) =>
    new WebertError("bad_weights", `${folder.address(indexName)}: ${what}`, { cause });
  const ending = indexName === INDEX ? ".safetensors" : ".bin";
  let map: unknown;
  try {
    map = (JSON.parse(new TextDecoder().decode(index)) as { weight_map?: unknown }).weight_map;
  } catch (cause) {
    throw fail("not valid JSON", cause);
  }
  if (typeof map !== "object" || map === null) throw fail("expected an object weight_map");
  const names = new Set(Object.values(map) as unknown[]);
  for (const name of names) {
    // A shard is beside its index, or in a folder beside the index's folder (an encoder that models share). Other paths
    // are rejected.
    if (typeof name !== "string" || !/^(\.\.\/[\w-][\w.-]*\/)?[\w.-]+$/.test(name) || !name.endsWith(ending)) {
      throw fail(`${JSON.stringify(name)} is no file name of a shard`);
    }
  }
  if (!names.size) throw fail("weight_map is empty");
  return map as Record<string, string>;
}
