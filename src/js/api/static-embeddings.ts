// Static embeddings: a vector for each token, and no encoder (model2vec's StaticModel). Imported where a folder has such.
import { breathe, throwIfAborted } from "../abort.js";
import { type Files, needsAll, readConfig, readTokenizerFiles, WHOLE } from "../checkpoint/files.js";
import { type Control, type Folder, needFile, withFresh } from "../checkpoint/folder.js";
import { readTensors, widen } from "../checkpoint/safetensors.js";
import { bestBuild } from "../engine/artefacts.js";
import type { EngineModel } from "../engine/engine.js";
import type { Parts } from "../engine/loading.js";
import { instantiate, type RawTensor, type ReadWasm, type Wasm } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { shown } from "../values.js";
import type { WasmBuild, WasmPaths } from "./env.js";
import type { Tokenizer } from "./tokenizer.js";

/** Tokens of a text at most, where a call does not say. */
const MAX_LENGTH = 512;

const refuse = (what: string) => new WebertError("bad_input", `feature-extraction: ${what}`);
const bad = (what: string) => new WebertError("bad_weights", `${WHOLE}: ${what}`);

/** What the file of weights has. */
interface Weights {
  /** [rows, width], row-major; int8 as it is, as there is no scale. */
  embeddings: Float32Array;
  rows: number;
  width: number;
  /** The row of each token; undefined: its id. */
  mapping: number[] | undefined;
  /** By token; undefined: 1. */
  weights: Float32Array | undefined;
}

async function readWeights(folder: Folder, control: Control): Promise<Weights> {
  const bytes = await needFile(folder, WHOLE, control);
  const found: Partial<Weights> = {};
  for await (const { name, dtype, shape, bytes: data } of readTensors(WHOLE, bytes.length, once(bytes))) {
    const floats = dtype === "I8" ? Float32Array.from(new Int8Array(data.buffer)) : widen(dtype, data);
    if (name === "mapping") found.mapping = Array.from(new BigInt64Array(data.buffer), Number);
    else if (!floats?.every(Number.isFinite)) throw bad(`${name} is no finite floats`);
    else if (name === "weights") found.weights = floats;
    else if (name === "embeddings" && shape.length === 2)
      Object.assign(found, { embeddings: floats, rows: shape[0], width: shape[1] });
  }
  const { embeddings, rows, width, mapping, weights } = found;
  if (!embeddings || !rows || !width) throw bad("there are no embeddings [tokens, width] in it");
  if (mapping?.some((row) => row < 0 || row >= rows)) throw bad(`mapping names rows outside the ${rows} of embeddings`);
  return { embeddings, rows, width, mapping, weights };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** What of the page's code this takes: an import of it would split the first load into more files. */
export interface Needs {
  paths: WasmPaths;
  readWasm: ReadWasm;
  tokenizerOf(Class: Wasm["Tokenizer"], files: Files): Tokenizer;
}

/** The static embeddings of a folder as an engine's model; undefined where it has none, by its config.json. */
export async function openStatic(folder: Folder, control: Control, needs: Needs): Promise<EngineModel | undefined> {
  return withFresh(folder, () => load(folder, control, needs));
}

async function load(
  folder: Folder,
  control: Control,
  { paths, readWasm, tokenizerOf }: Needs,
): Promise<EngineModel | undefined> {
  const files = await readConfig(folder, control);
  const text = new TextDecoder().decode(files["config.json"]);
  if (!/"model_type"\s*:\s*"model2vec"/.test(text)) return undefined;
  const config = JSON.parse(text) as { normalize?: unknown };
  const tokenizer = readTokenizerFiles(folder, control, true);
  const open = async () => {
    const best = bestBuild();
    const build: WasmBuild = paths.glues && needsAll(await tokenizer) ? `${best}_full` : best;
    return { build, wasm: await instantiate(build, paths, readWasm) };
  };
  const [tokens, weights, { build, wasm }] = await Promise.all([tokenizer, readWeights(folder, control), open()]);
  const modules = ["Transformer", "Pooling", ...(config.normalize === true ? ["Normalize"] : [])];
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  // As sentence-transformers would say it of an encoder: what pooling "model" reads.
  const said = {
    "modules.json": json(modules.map((type, n) => ({ type, path: `${n}` }))),
    "1/config.json": json({ pooling_mode: "mean" }),
  };
  const parts = { files: { ...files, ...tokens, ...said }, build };
  return new StaticModel(weights, tokenizerOf(wasm.Tokenizer, tokens), parts);
}

interface Options {
  pooling?: unknown;
  normalize?: boolean;
  layers?: unknown;
  max_length?: number | null;
}

class StaticModel implements EngineModel {
  readonly info: EngineModel["info"];
  readonly #weights: Weights;
  readonly #tokenizer: Tokenizer;
  readonly #unknown: number;
  /** Of a token's text in code points. */
  readonly #medianLength: number;
  #isOver = false;

  constructor(
    weights: Weights,
    tokenizer: Tokenizer,
    readonly parts: Parts,
  ) {
    this.#weights = weights;
    this.#tokenizer = tokenizer;
    const texts = [...tokenizer.get_vocab().keys()];
    this.#unknown = tokenizer.convert_tokens_to_ids(""); // which is no token
    this.#medianLength = Math.trunc(median(texts.map((text) => [...text].length)));
    const { embeddings, mapping, weights: ofTokens, rows } = weights;
    const greatest = Math.max(...tokenizer.get_vocab().values());
    if (greatest >= (mapping?.length ?? rows) || (ofTokens && greatest >= ofTokens.length))
      throw bad(`it has no row or weight for token ${greatest} of the tokenizer`);
    const bytes = embeddings.byteLength + (ofTokens?.byteLength ?? 0);
    this.info = {
      device: "wasm",
      device_reason: "static embeddings are looked up, not computed",
      dtype: "fp32",
      threads: 1,
      simd: "none",
      model_type: "model2vec",
      head: "none",
      parameters: embeddings.length + (ofTokens?.length ?? 0),
      bytes,
    };
  }

  async run(_: string, inputs: unknown[], options: Options, signal?: AbortSignal): Promise<RawTensor[]> {
    const { pooling = "none", normalize = false, layers, max_length } = options;
    if (pooling !== "none" && pooling !== "mean")
      throw refuse(`pooling of static embeddings is one of none, mean, model, not ${JSON.stringify(pooling)}`);
    if (layers != null) throw refuse("static embeddings have no layers");
    const limit = max_length === undefined ? MAX_LENGTH : (max_length ?? Infinity);
    if (limit !== Infinity && !(Number.isSafeInteger(limit) && limit > 0))
      throw refuse(`max_length is a whole number, 1 or more, not ${shown(limit)}`);
    const tensors: RawTensor[] = [];
    for (const text of inputs as string[]) {
      await breathe();
      throwIfAborted(signal);
      if (this.#isOver) throw new WebertError("disposed", "the model was disposed of");
      tensors.push(this.#embed(text, limit, pooling === "mean", normalize));
    }
    return tensors;
  }

  async forward(): Promise<never> {
    throw new WebertError("unsupported", "static embeddings have no encoder to run ids through");
  }

  async close(): Promise<void> {
    if (!this.#isOver) this.#tokenizer.dispose();
    this.#isOver = true;
  }

  /** [1, width], or of each token [1, tokens, width]. A long text is cut before it is read, at as many characters as `limit` tokens of the median length have. */
  #embed(text: string, limit: number, mean: boolean, normalize: boolean): RawTensor {
    const { embeddings, width, mapping, weights } = this.#weights;
    const cut = firstCharacters(text, limit * this.#medianLength);
    const all = this.#tokenizer.encode(cut, { add_special_tokens: false }).filter((id) => id !== this.#unknown);
    const ids = all.slice(0, limit);
    const data = new Float32Array(mean ? width : ids.length * width);
    for (const [n, id] of ids.entries()) {
      const from = (mapping?.[id] ?? id) * width;
      const [to, share] = mean ? [0, 1 / ids.length] : [n * width, 1];
      for (let col = 0; col < width; col++) data[to + col]! += embeddings[from + col]! * (weights?.[id] ?? 1) * share;
    }
    if (normalize) for (let at = 0; at < data.length; at += width) scale(data.subarray(at, at + width));
    const dims = mean ? [1, width] : [1, ids.length, width];
    const truncated = cut.length < text.length || ids.length < all.length;
    return { type: "float32", dims, data, ...(truncated && { truncated }) };
  }
}

/** To length 1; a vector of zeros stays. */
function scale(vector: Float32Array): void {
  const length = Math.hypot(...vector) || 1;
  for (let n = 0; n < vector.length; n++) vector[n]! /= length;
}

/** So many characters of a text, a surrogate pair being one. */
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
