// Static embeddings: a table with one vector per token, without an encoder. Supports model2vec and StaticEmbedding of
// sentence-transformers. Imported when a folder contains such a model.
import { throwIfAborted, yieldToEventLoop } from "../abort.js";
import type { EngineModel, Parts } from "../engine/engine.js";
import { instantiate, type RawTensor, type ReadWasm, type Wasm } from "../engine/wasm.js";
import type { WasmBuild, WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import { hasTorch, readModules, readOptionalConfig, readTokenizerFiles, WHOLE } from "../sources/files.js";
import { widen } from "../sources/floats.js";
import { needFile, readFile, withFresh } from "../sources/folder.js";
import { readTensors } from "../sources/safetensors.js";
import { MODULES, moduleEntries } from "../sources/sentence-folder.js";
import { needsAll } from "../sources/small-binary.js";
import { TORCH } from "../sources/torch-files.js";
import type { Control, Files, Folder } from "../sources/types.js";
import { bestBuild } from "../threads/builds.js";
import type { Tokenizer } from "../tokenizer/tokenizer.js";
import { shown } from "../values.js";

/** Maximum tokens of a text if neither the call nor the folder sets a limit. It is model2vec's default. */
const MAX_LENGTH = 512;

const refuse = (what: string) => new WebertError("bad_input", `feature-extraction: ${what}`);
const bad = (what: string) => new WebertError("bad_weights", `${WHOLE}: ${what}`);

/** Tensors of the weights file. */
interface VectorTable {
  /** Vectors [rows, width], row-major. int8 values are used unscaled, because the format has no scale. */
  embeddings: Float32Array;
  rows: number;
  width: number;
  /** Row of each token; undefined if it is the id. */
  mapping: number[] | undefined;
  /** Weight of each token; undefined if all are 1. */
  weights: Float32Array | undefined;
}

/** Names of the vectors' tensor in sentence-transformers and in model2vec. The first existing one is used. */
const TABLES = ["embedding.weight", "embeddings"];

async function readWeights(folder: Folder, path: string, control: Control, needs: StaticReaders): Promise<VectorTable> {
  const file = path + WHOLE;
  const older = path + TORCH;
  const own = await readFile(folder, file, control);
  const torch = own ? undefined : await readFile(folder, older, control);
  const bytes =
    own ?? (torch ? (await safetensors({ [older]: torch }, needs))[file]! : await needFile(folder, file, control));
  const found: Partial<VectorTable> = {};
  for await (const { name, dtype, shape, bytes: data } of readTensors(file, bytes.length, once(bytes))) {
    if (name === "mapping") {
      found.mapping = whole(dtype, data);
      continue;
    }
    const floats = dtype === "I8" ? Float32Array.from(new Int8Array(data.buffer)) : widen(dtype, data);
    if (!floats?.every(Number.isFinite)) throw bad(`${name}: expected finite floats`);
    if (name === "weights") found.weights = floats;
    else if (TABLES.includes(name) && shape.length === 2 && !(found.embeddings && name === TABLES[1]))
      Object.assign(found, { embeddings: floats, rows: shape[0], width: shape[1] });
  }
  const { embeddings, rows, width, mapping, weights } = found;
  if (!embeddings || !rows || !width) throw bad("expected embeddings [tokens, width], got none");
  if (mapping?.some((row) => row < 0 || row >= rows))
    throw bad(`mapping: expected rows below ${rows}, the number of embeddings`);
  return { embeddings, rows, width, mapping, weights };
}

/** Returns integers of any width as numbers. `bytes` must be aligned. */
function whole(dtype: string, { buffer }: Uint8Array): number[] {
  switch (dtype) {
    case "I64":
      return Array.from(new BigInt64Array(buffer), Number);
    case "U64":
      return Array.from(new BigUint64Array(buffer), Number);
    case "I32":
      return Array.from(new Int32Array(buffer));
    case "U32":
      return Array.from(new Uint32Array(buffer));
    case "I16":
      return Array.from(new Int16Array(buffer));
    case "U16":
      return Array.from(new Uint16Array(buffer));
    case "U8":
      return Array.from(new Uint8Array(buffer));
    default:
      throw bad(`mapping: expected whole numbers, got ${dtype}`);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Functions of the page's code that are passed in. Importing them here would split the first load into more files. */
export interface StaticReaders {
  paths: WasmPaths;
  readWasm: ReadWasm;
  tokenizerOf(Class: Wasm["Tokenizer"], files: Files): Tokenizer;
}

/**
 * Returns the static embeddings of a folder as an engine's model; undefined if config.json and modules.json name none.
 */
export async function openStatic(
  folder: Folder,
  control: Control,
  needs: StaticReaders,
): Promise<EngineModel | undefined> {
  return withFresh(folder, () => load(folder, control, needs));
}

async function load(folder: Folder, control: Control, needs: StaticReaders): Promise<EngineModel | undefined> {
  const files = await readOptionalConfig(folder, control);
  const text = new TextDecoder().decode(files["config.json"]);
  if (/"model_type"\s*:\s*"model2vec"/.test(text))
    return assemble(folder, control, needs, "", { ...files, ...modulesOf(JSON.parse(text)) }, ofModel2vec);
  if (text && !/^\s*\{/.test(text)) return undefined; // a damaged file, which another check reports
  const modules = await readModules(folder, control);
  const first = moduleEntries(modules)?.[0];
  if (first?.kind !== "StaticEmbedding" || first.path === undefined) return undefined;
  const own = await safetensors(modules, needs);
  return assemble(folder, control, needs, first.path, { ...files, ...own }, ofSentenceTransformers);
}

/** Returns the files with all weights as safetensors. */
async function safetensors(files: Files, { paths, readWasm }: StaticReaders): Promise<Files> {
  if (!hasTorch(files)) return files;
  return (await import("../engine/torch.js")).withSafetensors(files, paths, readWasm);
}

/** Returns the modules of a model2vec model. Only `normalize` of its config matters here. */
function modulesOf(config: { normalize?: unknown }): Files {
  const kinds = ["StaticEmbedding", ...(config.normalize === true ? ["Normalize"] : [])];
  const modules = kinds.map((kind, n) => ({ type: `sentence_transformers.models.${kind}`, path: n ? `${n}` : "" }));
  return { [MODULES]: new TextEncoder().encode(JSON.stringify(modules)) };
}

/** Reads the vectors and the tokenizer of the folder `path`, and returns the model. */
async function assemble(
  folder: Folder,
  control: Control,
  needs: StaticReaders,
  path: string,
  files: Files,
  rulesOf: (files: Files, tokenizer: Tokenizer) => Rules,
): Promise<EngineModel> {
  const { paths, readWasm, tokenizerOf } = needs;
  const inner: Folder = path ? below(folder, path) : folder;
  const tokenizer = readTokenizerFiles(inner, control, true);
  const open = async () => {
    const best = bestBuild();
    const build: WasmBuild = paths.glues && needsAll(await tokenizer) ? `${best}_full` : best;
    return { build, wasm: await instantiate(build, paths, readWasm) };
  };
  const reading = readWeights(folder, path, control, needs);
  const [found, weights, { build, wasm }] = await Promise.all([tokenizer, reading, open()]);
  const tokens = alone(found);
  const made = tokenizerOf(wasm.Tokenizer, tokens);
  return new StaticModel(weights, made, rulesOf({ ...files, ...tokens }, made), {
    files: { ...files, ...tokens },
    build,
  });
}

/**
 * Returns the tokenizer's files reduced to tokenizer.json. Both libraries ignore the other files, and add no tokens
 * of a tokenizer class.
 */
function alone(files: Files): Files {
  const json = files["tokenizer.json"];
  const config = new TextEncoder().encode('{"tokenizer_class":"PreTrainedTokenizerFast"}');
  return json ? { "tokenizer.json": json, "tokenizer_config.json": config } : files;
}

/** Returns a subfolder of a folder. `path` ends with a slash. */
function below(folder: Folder, path: string): Folder {
  return {
    name: folder.name,
    address: (file) => folder.address(path + file),
    open: (file, signal) => folder.open(path + file, signal),
    isFallback: (file, page, signal) => folder.isFallback?.(path + file, page, signal) ?? Promise.resolve(false),
    wasAbsent: (file) => folder.wasAbsent?.(path + file) ?? Promise.resolve(false),
  };
}

/** Rules for splitting a text into tokens. */
interface Rules {
  /** Id of a token to leave out. */
  dropped: number | undefined;
  /** Maximum tokens of a text if the call sets none; undefined means no limit. */
  limit: number | undefined;
  /** Whether truncation removes the first tokens instead of the last. */
  fromLeft: boolean;
  /** Characters to read per token of the limit; undefined reads the whole text. */
  characters: number | undefined;
}

interface TokenizerJson {
  truncation?: { max_length?: number; direction?: string } | null;
  model?: { unk_token?: string | null; unk_id?: number | null };
}

const tokenizerJson = (files: Files) =>
  JSON.parse(new TextDecoder().decode(files["tokenizer.json"] ?? new Uint8Array([123, 125]))) as TokenizerJson;

/**
 * Rules of model2vec: unknown tokens are left out, and long texts are cut before tokenizing, using the median length
 * of a token.
 */
function ofModel2vec(files: Files, tokenizer: Tokenizer): Rules {
  const { model } = tokenizerJson(files);
  const lengths = Array.from(tokenizer.get_vocab().keys(), (text) => [...text].length);
  const { max_length } = JSON.parse(new TextDecoder().decode(files["config.json"])) as { max_length?: number | null };
  return {
    dropped: model?.unk_token == null ? (model?.unk_id ?? undefined) : tokenizer.get_vocab().get(model.unk_token),
    limit: max_length === undefined ? MAX_LENGTH : (max_length ?? undefined),
    fromLeft: false,
    characters: Math.trunc(median(lengths)),
  };
}

/** Rules of sentence-transformers: all tokens count, up to the limit in tokenizer.json. */
function ofSentenceTransformers(files: Files): Rules {
  const { truncation } = tokenizerJson(files);
  return {
    dropped: undefined,
    limit: truncation?.max_length,
    fromLeft: truncation?.direction === "Left",
    characters: undefined,
  };
}

interface StaticOptions {
  pooling?: unknown;
  normalize?: boolean;
  layers?: unknown;
  max_length?: number | null;
}

class StaticModel implements EngineModel {
  readonly info: EngineModel["info"];
  readonly #weights: VectorTable;
  readonly #tokenizer: Tokenizer;
  readonly #rules: Rules;
  #isOver = false;

  constructor(
    weights: VectorTable,
    tokenizer: Tokenizer,
    rules: Rules,
    readonly parts: Parts,
  ) {
    this.#weights = weights;
    this.#tokenizer = tokenizer;
    this.#rules = rules;
    const { embeddings, mapping, weights: ofTokens, rows } = weights;
    const greatest = Math.max(...tokenizer.get_vocab().values());
    if (greatest >= (mapping?.length ?? rows) || (ofTokens && greatest >= ofTokens.length))
      throw bad(`expected a row and a weight for each of the tokenizer's tokens, got none for ${greatest}`);
    const bytes = embeddings.byteLength + (ofTokens?.byteLength ?? 0);
    this.info = {
      device: "wasm",
      device_reason: "static embeddings are looked up, not computed",
      dtype: "fp32",
      threads: 1,
      simd: "none",
      model_type: rules.characters === undefined ? "static-embedding" : "model2vec",
      head: "none",
      parameters: embeddings.length + (ofTokens?.length ?? 0),
      bytes,
      shared_bytes: 0,
      warnings: [...tokenizer.warnings],
    };
  }

  async run(_: string, inputs: unknown[], options: StaticOptions, signal?: AbortSignal): Promise<RawTensor[]> {
    const { pooling = "none", normalize = false, layers, max_length } = options;
    if (pooling !== "none" && pooling !== "mean")
      throw refuse(`pooling of static embeddings: expected one of none, mean, model, got ${JSON.stringify(pooling)}`);
    if (layers != null) throw refuse("layers: static embeddings have none");
    const limit = (max_length === undefined ? this.#rules.limit : max_length) ?? Infinity;
    if (limit !== Infinity && !(Number.isSafeInteger(limit) && limit > 0))
      throw refuse(`max_length: expected a whole number of at least 1, got ${shown(limit)}`);
    const tensors: RawTensor[] = [];
    for (const text of inputs as string[]) {
      await yieldToEventLoop();
      throwIfAborted(signal);
      if (this.#isOver) throw new WebertError("disposed", "the model was disposed of");
      tensors.push(this.#embed(text, limit, pooling === "mean", normalize));
    }
    return tensors;
  }

  async forward(): Promise<never> {
    throw new WebertError("unsupported", "static embeddings cannot run on ids: they have no encoder");
  }

  async close(): Promise<void> {
    if (!this.#isOver) this.#tokenizer.dispose();
    this.#isOver = true;
  }

  /** Returns the mean vector [1, width] if `mean`. Otherwise returns the vectors of all tokens [1, tokens, width]. */
  #embed(text: string, limit: number, mean: boolean, normalize: boolean): RawTensor {
    const { embeddings, width, mapping, weights } = this.#weights;
    const { dropped, fromLeft, characters } = this.#rules;
    const cut = characters === undefined ? text : firstCharacters(text, limit * characters);
    const all = this.#tokenizer.encode(cut, { add_special_tokens: false });
    const some = fromLeft ? all.slice(Math.max(0, all.length - limit)) : all.slice(0, limit);
    const ids = some.filter((id) => id !== dropped);
    const data = new Float32Array(mean ? width : ids.length * width);
    for (const [n, id] of ids.entries()) {
      const from = (mapping?.[id] ?? id) * width;
      const [to, share] = mean ? [0, 1 / ids.length] : [n * width, 1];
      for (let col = 0; col < width; col++) data[to + col]! += embeddings[from + col]! * (weights?.[id] ?? 1) * share;
    }
    if (normalize) for (let at = 0; at < data.length; at += width) scale(data.subarray(at, at + width));
    const dims = mean ? [1, width] : [1, ids.length, width];
    const truncated = cut.length < text.length || some.length < all.length;
    return { type: "float32", dims, data, ...(truncated && { truncated }) };
  }
}

/** Scales a vector to length 1; a zero vector stays unchanged. */
function scale(vector: Float32Array): void {
  const length = Math.hypot(...vector) || 1;
  for (let n = 0; n < vector.length; n++) vector[n]! /= length;
}

/** Returns the first `count` characters of a text; a surrogate pair is one. */
function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

function median(numbers: number[]): number {
  const sorted = numbers.sort((a, b) => a - b);
  const half = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
