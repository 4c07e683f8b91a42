import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import { missing, needed, needFile, openOptional, readFile } from "./folder.js";
import { encoderFolder, MODULES, moduleEntries } from "./module-entries.js";
import { initiated, reported } from "./progress.js";
import type { Control, Files, Folder, OpenFile } from "./types.js";

export { encoderFolder, MODULES, type ModuleEntry, moduleEntries } from "./module-entries.js";

/** A file of weights whose bytes are on their way. */
export interface WeightFile {
  name: string;
  /** In bytes; 0 where it is not known. */
  size: number;
  bytes: AsyncIterable<Uint8Array>;
  /** The bytes from an offset on, in place of the rest of `bytes`; undefined where those before have to be read, too. */
  bytesFrom(offset: number): AsyncIterable<Uint8Array> | undefined;
}

/** All weights: their files in order, and for several the index that the loader also wants to see. */
export interface Weights {
  /** Name of the checkpoint that they come from, where that is another than was asked for. */
  source?: string;
  /** Whether only a binary with all features reads the files. */
  needsAll?: boolean;
  index: Files;
  /** The files, or of an index's shards those that are wanted; the others are not opened. */
  files(wants?: (name: string) => boolean): AsyncIterable<WeightFile>;
}

/** The files that describe a tokenizer. Throws `not_found` where none does and `required`. */
export async function readTokenizerFiles(folder: Folder, control: Control, required: boolean): Promise<Files> {
  const files = await readAll(folder, ["tokenizer_config.json"], control);
  const config = files["tokenizer_config.json"] && parsed(text(files["tokenizer_config.json"]));
  const named = sharedTokenizer(config);
  const own = "tokenizer.json";
  const found =
    (await readFile(folder, named, control)) ?? (named === own ? undefined : await readFile(folder, own, control));
  if (found) files[own] = found;
  const others = found ? [] : ["vocab.txt"];
  // A config with `added_tokens_decoder` goes before the older files, as in transformers.
  if (config?.added_tokens_decoder === undefined) others.push("special_tokens_map.json", "added_tokens.json");
  Object.assign(files, await readAll(folder, others, control));
  const isOther =
    typeof config?.tokenizer_class === "string" && /^(Roberta|XLMRoberta|Albert)/.test(config.tokenizer_class);
  if (!found && (isOther || !files["vocab.txt"])) {
    // RoBERTa's, ALBERT's and XLM-RoBERTa's
    Object.assign(files, await readAll(folder, ["vocab.json", "merges.txt", ...SENTENCEPIECE], control));
  }
  if (required && !["tokenizer.json", "vocab.txt", "vocab.json", ...SENTENCEPIECE].some((name) => name in files)) {
    throw new WebertError(
      "not_found",
      `${folder.name} has neither tokenizer.json, vocab.txt, vocab.json, spiece.model nor sentencepiece.bpe.model: looked for ${folder.address("tokenizer.json")}`,
    );
  }
  return files;
}

/** The files of sentencepiece models. */
const SENTENCEPIECE = ["spiece.model", "sentencepiece.bpe.model"];

/** Families whose encoder or tokenizer is in no binary but those with all features: a model and its tokenizer are to have one. */
const LATER_FAMILY = /"model_type"\s*:\s*"((xlm-)?roberta|albert|mpnet|modernbert)"/;
/** An activation that is in no binary but those with all features. */
const LATER_ACTIVATION =
  /"(hidden_act|activation|hidden_activation)"\s*:\s*"(?!(gelu(_new|_fast|_python|_python_tanh|_pytorch_tanh|_accurate)?|relu|silu|swish|tanh|linear)")/;
/** A part of a tokenizer.json that BERT's tokenizers do not have: another type, several in a Sequence, or none that splits the text. A token of this text would be followed by its id. */
const LATER_PART =
  /"type"\s*:\s*"(?!WordPiece|Bert|TemplateProc|Sequence)|"processors"\s*:|"(normalizers|pretokenizers|decoders)"\s*:\s*\[\s*(\]|\{[^{}]*\}\s*,)|"pre_tokenizer"\s*:\s*null/;

/** A class whose tokenizer has parts that BERT's have not. */
const LATER_CLASS = /"tokenizer_class"\s*:\s*"Roberta/;

/** Whether files of a model or of a tokenizer need a binary with all features. */
export const needsAll = (files: Files): boolean =>
  ["vocab.json", ...SENTENCEPIECE].some((name) => name in files) ||
  LATER_CLASS.test(decoded(files, "tokenizer_config.json")) ||
  [LATER_FAMILY, LATER_ACTIVATION].some((later) => later.test(decoded(files, "config.json"))) ||
  LATER_PART.test(decoded(files, "tokenizer.json"));

/** A file's text; empty where there is none. JSON.parse would take seconds where there are a million labels. */
const decoded = (files: Files, name: string) => new TextDecoder().decode(files[name]);

/** The tokenizer.json that tokenizer_config.json names as `tokenizer_file`, where that is one beside the folder, which models share; otherwise the folder's own. */
function sharedTokenizer(config: Record<string, unknown> | null | undefined): string {
  const name = config?.tokenizer_file;
  return typeof name === "string" && /^\.\.\/[\w-][\w.-]*\/tokenizer\.json$/.test(name) ? name : "tokenizer.json";
}

/** `config.json`, which must be there, with the caller's own fields in place of those of the same names. */
export async function readConfig(folder: Folder, control: Control, own?: object): Promise<Files> {
  const bytes = await needFile(folder, "config.json", control);
  const fields = own && parsed(text(bytes));
  return { "config.json": fields ? new TextEncoder().encode(JSON.stringify({ ...fields, ...own })) : bytes };
}

/** `config.json` where there is one: weights can be read without it. */
export async function readOptionalConfig(folder: Folder, control: Control): Promise<Files> {
  return readAll(folder, ["config.json"], control);
}

const SENTENCE_CONFIG = "sentence_bert_config.json";

/** Names of the same file in folders of the first releases. */
const OLDER_CONFIGS = ["roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"];

/** Files of the modules that have any. The first Normalize classes had none. */
const MODULE_FILES: Record<string, string[]> = {
  Pooling: ["config.json"],
  Normalize: ["config.json"],
  Dense: ["config.json", "model.safetensors"],
  LayerNorm: ["config.json", "model.safetensors"],
  WeightedLayerPooling: ["config.json", "model.safetensors"],
};

/**
 * Reads sentence-transformers' files of a model: its modules with their weights, prompts and lengths. The encoder's
 * own file is returned as `sentence_bert_config.json`, wherever it is.
 */
export async function readModules(folder: Folder, control: Control): Promise<Files> {
  const files = await readAll(folder, [MODULES], control);
  if (!files[MODULES]) return {};
  const names = ["config_sentence_transformers.json"];
  for (const { type, kind, path } of moduleEntries(files) ?? []) {
    if (!kind || !path || type === "sentence_transformers.models.Normalize") continue;
    for (const name of MODULE_FILES[kind] ?? []) names.push(path + name);
  }
  const [modules, own] = await Promise.all([
    readAll(folder, names, control),
    sentenceConfig(folder, encoderFolder(files), control),
  ]);
  const lacking = names.filter((name) => name.endsWith(WHOLE) && !modules[name]);
  const older = lacking.length ? await (await torchFiles()).readTorch(folder, lacking, control) : {};
  return { ...files, ...modules, ...older, ...(own && { [SENTENCE_CONFIG]: own }) };
}

async function sentenceConfig(folder: Folder, path: string, control: Control): Promise<Uint8Array | undefined> {
  const found = await readFile(folder, path + SENTENCE_CONFIG, control);
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

/** Whether a module's weights are a file of PyTorch. */
export const hasTorch = (files: Files): boolean => Object.keys(files).some((name) => name.endsWith(".bin"));

export const torchFiles = () => onDemand(() => import("./torch-files.js"));

/**
 * Returns the weights: the file or index that config.json names as `transformers_weights`. Without such a name
 * `model.safetensors`, the shards that `model.safetensors.index.json` lists, or the same files of PyTorch. The request that
 * finds out whether a file exists is the one that its bytes then come by.
 */
export async function openWeights(folder: Folder, control: Control, config: Files): Promise<Weights> {
  const named = namedWeights(folder, config["config.json"]);
  if (named?.endsWith(".json")) return sharded(folder, await needFile(folder, named, control), control);
  const name = named ?? WHOLE;
  initiated(folder, name, control);
  const whole = await openOptional(folder, name, control.signal);
  if (whole && whole.page === undefined) return { index: {}, files: () => one(folder, name, whole, control) };
  const index = named ? undefined : await readFile(folder, INDEX, control);
  if (index) return sharded(folder, index, control);
  const older = named ? undefined : await (await torchFiles()).openTorch(folder, control);
  if (!older) throw missing(folder, name, whole);
  return older;
}

/** `transformers_weights` of config.json. What is no JSON object is left to who reads all of it. */
export function namedWeights(folder: Folder, config: Uint8Array | undefined): string | undefined {
  const text = new TextDecoder().decode(config);
  // JSON.parse takes seconds where there are a million labels, and few files have the name
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
 * The files of an index, each once, in order of name. Those of other folders come last: an adapter that lies beside the index has to be
 * there before the encoder that it is added to.
 */
function shardNames(folder: Folder, index: Uint8Array, indexName: string): string[] {
  const [own, shared]: [string[], string[]] = [[], []];
  for (const name of [...new Set(Object.values(weightMap(folder, index, indexName)))].sort())
    (name.startsWith("../") ? shared : own).push(name);
  return [...own, ...shared];
}

/** By a tensor's name, the file that an index says it is in. */
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
    // A shard lies beside its index, or in a folder beside that one: an encoder that models share. No name leads further.
    if (typeof name !== "string" || !/^(\.\.\/[\w-][\w.-]*\/)?[\w.-]+$/.test(name) || !name.endsWith(ending)) {
      throw fail(`${JSON.stringify(name)} is no file name of a shard`);
    }
  }
  if (!names.size) throw fail("weight_map is empty");
  return map as Record<string, string>;
}
