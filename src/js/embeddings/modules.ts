// Reads sentence-transformers' description of a folder: the modules after the encoder, prompts and lengths. Supports
// files of all releases.

import type { RawTensor } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import { type Json, jsonObject } from "../sources/json-object.js";
import { ENCODER_CONFIG, MODEL_CONFIG, MODULES, moduleEntries } from "../sources/sentence-folder.js";
import type { Files } from "../sources/types.js";

export type { Json } from "../sources/json-object.js";

/**
 * Kinds of pooling with their names in newer files, and in `pooling_mode_…` of older files. Several kinds are
 * concatenated in this order.
 */
const KINDS = {
  cls: "cls_token",
  max: "max_tokens",
  mean: "mean_tokens",
  mean_sqrt_len_tokens: "mean_sqrt_len_tokens",
  weightedmean: "weightedmean_tokens",
  lasttoken: "lasttoken",
};
/**
 * How token states become a vector: "cls" is the first state and "lasttoken" the last one. "max" is the maximum of each
 * column. "mean" divides the sum by the count, "mean_sqrt_len_tokens" by its square root. "weightedmean" weights states
 * by their positions from 1.
 */
export type PoolingKind = keyof typeof KINDS;

/** Names of the values that modules read and write, as in sentence-transformers. */
export const TOKENS = "token_embeddings";
export const SENTENCE = "sentence_embedding";

/** Pools token states into the sentence's vector. */
export interface Pooling {
  /** Kinds of pooling. Their vectors are concatenated. */
  pooling: PoolingKind[];
  /** Whether the tokens of the prompt are pooled. */
  includePrompt: boolean;
}

/** Changes each row of a value: the vector of a sentence, or the states of tokens. */
export interface Layer {
  /** Name of the value to read. */
  from: string;
  /** Name of the value to write. */
  to: string;
  /** Whether the layer scales rows to length 1. A call may skip such a layer. */
  isNormalize?: boolean;
  apply(value: RawTensor): RawTensor;
}

/** Computes token states as the weighted mean of the encoder's layers. */
export interface LayerMean {
  /** One weight for each layer from `start` to the last. */
  layerWeights: Float32Array;
  start: number;
}

export type Step = Pooling | Layer | LayerMean;

/** Settings of a folder for sentence embeddings. */
export interface Modules extends Prompts {
  /** Whether the first module averages vectors from a table, without an encoder. */
  isStatic: boolean;
  steps: Step[];
  /** Maximum tokens of a text, if the folder sets a limit. */
  maxLength: number | undefined;
  /** Whether texts are lower-cased first. */
  lowercases: boolean;
  /** Number of leading dimensions to keep. */
  truncateDim: number | undefined;
}

/** Returns a JSON file's object; an empty one if the file is missing. */
export function object(files: Files, name: string): Json {
  const bytes = files[name];
  if (!bytes) return {};
  return jsonObject(name, bytes);
}

/** Prompts of a folder, and the name of the prompt that applies if a call names none. */
export interface Prompts {
  /** By name. */
  prompts: Record<string, string>;
  defaultPrompt: string | undefined;
}

/** Reads the prompts of a folder. */
export function promptsOf(files: Files): Prompts {
  const { prompts, default_prompt_name } = object(files, MODEL_CONFIG);
  return {
    prompts: (prompts ?? {}) as Record<string, string>,
    defaultPrompt: (default_prompt_name ?? undefined) as string | undefined,
  };
}

/** Returns the object of a file that modules.json requires. */
export function needed(files: Files, name: string): Json {
  if (files[name]) return object(files, name);
  throw new WebertError("bad_config", `${name}: required by ${MODULES}, but missing`);
}

export const unsupported = (what: string): WebertError => new WebertError("unsupported", what);
const size = (value: unknown) => (Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined);

/** Kinds of modules that are rare in folders. A separate file reads them. */
const RARE = ["Dense", "LayerNorm", "WeightedLayerPooling"];
const KNOWN = "Transformer or StaticEmbedding first, then Pooling, Normalize, Dense, LayerNorm, WeightedLayerPooling";

const rareModules = () => onDemand(() => import("./rare-modules.js"));

/**
 * Reads modules.json, the files that it names, and the small files beside it. Without modules.json, token states are
 * averaged.
 * @throws `unsupported` for an unknown module, `bad_config` for contradictory files
 */
export async function readModules(files: Files): Promise<Modules> {
  const encoder = object(files, ENCODER_CONFIG);
  const { truncate_dim } = object(files, MODEL_CONFIG);
  const { isStatic, steps } = await readSteps(files);
  return {
    isStatic,
    steps,
    maxLength: size(encoder.max_seq_length),
    lowercases: encoder.do_lower_case === true,
    ...(hasRareFields(encoder) && (await rareModules()).encoderSettings(ENCODER_CONFIG, encoder)),
    ...promptsOf(files),
    truncateDim: size(truncate_dim),
  };
}

/** Fields that are read above, and fields that affect only calls with a task. */
const KNOWN_FIELDS = /^(max_seq_length|do_lower_case|unpad_inputs|query_(length|expansion)|document_length)$/;
/** Fields that newer releases write for every text encoder. */
const USUAL: Json = {
  transformer_task: "feature-extraction",
  modality_config: { text: { method: "forward", method_output_name: "last_hidden_state" } },
  module_output_name: "token_embeddings",
};
const hasRareFields = (encoder: Json) =>
  Object.entries(encoder).some(
    ([name, value]) => !KNOWN_FIELDS.test(name) && JSON.stringify(value) !== JSON.stringify(USUAL[name]),
  );

async function readSteps(files: Files): Promise<Pick<Modules, "isStatic" | "steps">> {
  if (!files[MODULES]) return { isStatic: false, steps: [{ pooling: ["mean"], includePrompt: true }] };
  const entries = moduleEntries(files);
  if (!entries?.length) throw new WebertError("bad_config", `${MODULES}: expected a list of modules`);
  const isStatic = entries[0]!.kind === "StaticEmbedding";
  const hasLayers = object(files, "config.json").output_hidden_states === true;
  /** Values that the previous modules have written. */
  const made = new Set([isStatic ? SENTENCE : TOKENS]);
  const steps: Step[] = [];
  for (const [n, { type, kind, path }] of entries.entries()) {
    const what = `${MODULES}: module ${n} is ${type ?? "without a type"}`;
    if (path === undefined) throw unsupported(`${what}, in a folder outside the model's`);
    if (n === 0 && (isStatic || kind === "Transformer")) continue;
    if (kind === "Dropout" || (kind === "WeightedLayerPooling" && !hasLayers)) continue; // no effect
    const step = n > 0 && kind && (await readStep(files, kind, path));
    if (!step) throw unsupported(`${what}, expected ${KNOWN}`);
    const [from, to] = "from" in step ? [step.from, step.to] : [TOKENS, "pooling" in step ? SENTENCE : TOKENS];
    if (!made.has(from) && "isNormalize" in step) continue; // as in the library
    if (!made.has(from))
      throw new WebertError("bad_config", `${what}: it reads ${from}, which no module before it makes`);
    made.add(to);
    steps.push(step);
  }
  if (!made.has(SENTENCE)) throw unsupported(`${MODULES}: expected a Pooling, got none; use pooling "mean" or "cls"`);
  return { isStatic, steps };
}

async function readStep(files: Files, kind: string, path: string): Promise<Step | undefined> {
  if (kind === "Pooling") return readPooling(files, `${path}config.json`);
  if (kind === "Normalize") return normalize(object(files, `${path}config.json`));
  return RARE.includes(kind) ? (await rareModules()).read(files, kind, path) : undefined;
}

function readPooling(files: Files, name: string): Pooling {
  const config = needed(files, name);
  const older = (Object.keys(KINDS) as PoolingKind[]).filter((kind) => config[`pooling_mode_${KINDS[kind]}`] === true);
  const pooling = [config.pooling_mode ?? (older.length ? older : "mean")].flat() as PoolingKind[];
  const unknown = pooling.find((kind) => !Object.hasOwn(KINDS, String(kind)));
  if (unknown !== undefined)
    throw unsupported(
      `${name}: pooling_mode: expected one of ${Object.keys(KINDS).join(", ")}, got ${JSON.stringify(unknown)}`,
    );
  return { pooling, includePrompt: config.include_prompt !== false };
}

/** Returns the names of the values that a module reads and writes. */
export function ends({ module_input_name, module_output_name }: Json): Pick<Layer, "from" | "to"> {
  const from = String(module_input_name ?? SENTENCE);
  return { from, to: String(module_output_name ?? from) };
}

const normalize = (config: Json): Layer => ({ ...ends(config), isNormalize: true, apply: normalized });

/** Scales each row to length 1, with PyTorch's lower limit for the length. */
export const normalized = (value: RawTensor): RawTensor =>
  byRow(value, value.dims.at(-1)!, (row) => {
    let squares = 0;
    for (const x of row) squares += x * x;
    const length = Math.max(Math.sqrt(squares), 1e-12);
    return row.map((x) => x / length);
  });

/** Returns a value with each row replaced by `change(row)`, which has `outputs` numbers. */
export function byRow(value: RawTensor, outputs: number, change: (row: Float32Array) => Float32Array): RawTensor {
  const width = value.dims.at(-1)!;
  const rows = width ? value.data.length / width : 0;
  const data = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++)
    data.set(change((value.data as Float32Array).subarray(row * width, (row + 1) * width)), row * outputs);
  return { ...value, dims: [...value.dims.slice(0, -1), outputs], data };
}
