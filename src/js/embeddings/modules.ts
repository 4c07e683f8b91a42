// Sentence-transformers' description of a folder: the modules behind the encoder, prompts and lengths. Files of all
// releases are read.

import type { RawTensor } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import { moduleEntries } from "../sources/files.js";
import type { Files } from "../sources/types.js";

/** Kinds of pooling by their names in newer files, and in `pooling_mode_…` of older ones. Several are concatenated in this order. */
const KINDS = {
  cls: "cls_token",
  max: "max_tokens",
  mean: "mean_tokens",
  mean_sqrt_len_tokens: "mean_sqrt_len_tokens",
  weightedmean: "weightedmean_tokens",
  lasttoken: "lasttoken",
};
/**
 * How token states make a vector: the first state, the greatest number of each column, the mean, the sum divided by the
 * root of the count, the mean weighted by positions from 1, or the last state.
 */
export type Kind = keyof typeof KINDS;

/** Names of values that modules read and write, as in sentence-transformers. */
export const TOKENS = "token_embeddings";
export const SENTENCE = "sentence_embedding";

/** Pools the states of tokens into the sentence's vector. */
export interface Pooling {
  /** The vectors of several kinds are concatenated. */
  pooling: Kind[];
  /** Whether the prompt's tokens are pooled. */
  includePrompt: boolean;
}

/** Changes each row of a value: the vector of a sentence, or the states of tokens. */
export interface Layer {
  /** Name of the value that is read. */
  from: string;
  /** Name of the value that is written. */
  to: string;
  /** Scales rows to length 1; a call may leave that out. */
  isNormalize?: boolean;
  apply(value: RawTensor): RawTensor;
}

/** Makes token states of the encoder's layers: their weighted mean. */
export interface LayerMean {
  /** One for each layer from `start` to the last. */
  layerWeights: Float32Array;
  start: number;
}

export type Step = Pooling | Layer | LayerMean;

/** Settings of a folder that sentence embeddings obey. */
export interface Modules {
  /** Whether the first module looks vectors up and averages them, without an encoder. */
  isStatic: boolean;
  steps: Step[];
  /** The most tokens of a text, if the folder sets a limit of its own. */
  maxLength: number | undefined;
  /** Whether texts are lower-cased before all else. */
  lowercases: boolean;
  /** By their names. */
  prompts: Record<string, string>;
  defaultPrompt: string | undefined;
  /** How many numbers of a vector are kept. */
  truncateDim: number | undefined;
}

export type Json = Record<string, unknown>;

/** Returns a JSON file's object; an empty one if the file is missing. */
export function object(files: Files, name: string): Json {
  const bytes = files[name];
  if (!bytes) return {};
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (cause) {
    throw new WebertError("bad_config", `${name}: expected JSON`, { cause });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new WebertError("bad_config", `${name}: expected an object`);
}

/** Returns the object of a file that modules.json requires. */
export function needed(files: Files, name: string): Json {
  if (files[name]) return object(files, name);
  throw new WebertError("bad_config", `${name}: required by modules.json, but missing`);
}

export const unsupported = (what: string): WebertError => new WebertError("unsupported", what);
const size = (value: unknown) => (Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined);

const ENCODER = "sentence_bert_config.json";

/** Kinds of modules that are read by a part of their own, as few folders have them. */
const RARE = ["Dense", "LayerNorm", "WeightedLayerPooling"];
const KNOWN = "Transformer or StaticEmbedding first, then Pooling, Normalize, Dense, LayerNorm, WeightedLayerPooling";

const rareModules = () => onDemand(() => import("./rare-modules.js"));

/**
 * Reads modules.json, the files that it names, and the small files beside it. Without modules.json token states are averaged.
 * @throws `unsupported` for a module that has no counterpart here, `bad_config` for files that contradict each other
 */
export async function readModules(files: Files): Promise<Modules> {
  const encoder = object(files, ENCODER);
  const sentence = object(files, "config_sentence_transformers.json");
  const { isStatic, steps } = await readSteps(files);
  return {
    isStatic,
    steps,
    maxLength: size(encoder.max_seq_length),
    lowercases: encoder.do_lower_case === true,
    ...(hasRareFields(encoder) && (await rareModules()).encoderSettings(ENCODER, encoder)),
    prompts: (sentence.prompts ?? {}) as Record<string, string>,
    defaultPrompt: (sentence.default_prompt_name ?? undefined) as string | undefined,
    truncateDim: size(sentence.truncate_dim),
  };
}

/** Fields that are read above, or that only have an effect on calls with a task. */
const KNOWN_FIELDS = /^(max_seq_length|do_lower_case|unpad_inputs|query_(length|expansion)|document_length)$/;
/** Fields that newer releases write for each encoder of text. */
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
  if (!files["modules.json"]) return { isStatic: false, steps: [{ pooling: ["mean"], includePrompt: true }] };
  const entries = moduleEntries(files);
  if (!entries?.length) throw new WebertError("bad_config", "modules.json: expected a list of modules");
  const isStatic = entries[0]!.kind === "StaticEmbedding";
  const hasLayers = object(files, "config.json").output_hidden_states === true;
  /** Values that the modules so far have made. */
  const made = new Set([isStatic ? SENTENCE : TOKENS]);
  const steps: Step[] = [];
  for (const [n, { type, kind, path }] of entries.entries()) {
    const what = `modules.json: module ${n} is ${type ?? "without a type"}`;
    if (path === undefined) throw unsupported(`${what}, in a folder outside the model's`);
    if (n === 0 && (isStatic || kind === "Transformer")) continue;
    if (kind === "Dropout" || (kind === "WeightedLayerPooling" && !hasLayers)) continue; // without effect
    const step = n > 0 && kind && (await readStep(files, kind, path));
    if (!step) throw unsupported(`${what}, expected ${KNOWN}`);
    const [from, to] = "from" in step ? [step.from, step.to] : [TOKENS, "pooling" in step ? SENTENCE : TOKENS];
    if (!made.has(from) && "isNormalize" in step) continue; // as in the library
    if (!made.has(from))
      throw new WebertError("bad_config", `${what}: it reads ${from}, which no module before it makes`);
    made.add(to);
    steps.push(step);
  }
  if (!made.has(SENTENCE)) throw unsupported(`modules.json: expected a Pooling, got none; use pooling "mean" or "cls"`);
  return { isStatic, steps };
}

async function readStep(files: Files, kind: string, path: string): Promise<Step | undefined> {
  if (kind === "Pooling") return readPooling(files, `${path}config.json`);
  if (kind === "Normalize") return normalize(object(files, `${path}config.json`));
  return RARE.includes(kind) ? (await rareModules()).read(files, kind, path) : undefined;
}

function readPooling(files: Files, name: string): Pooling {
  const config = needed(files, name);
  const older = (Object.keys(KINDS) as Kind[]).filter((kind) => config[`pooling_mode_${KINDS[kind]}`] === true);
  const pooling = [config.pooling_mode ?? (older.length ? older : "mean")].flat() as Kind[];
  const unknown = pooling.find((kind) => !Object.hasOwn(KINDS, String(kind)));
  if (unknown !== undefined)
    throw unsupported(
      `${name}: pooling_mode: expected one of ${Object.keys(KINDS).join(", ")}, got ${JSON.stringify(unknown)}`,
    );
  return { pooling, includePrompt: config.include_prompt !== false };
}

/** The names of the values that a module reads and writes, by its config. */
export function ends({ module_input_name, module_output_name }: Json): Pick<Layer, "from" | "to"> {
  const from = String(module_input_name ?? SENTENCE);
  return { from, to: String(module_output_name ?? from) };
}

const normalize = (config: Json): Layer => ({ ...ends(config), isNormalize: true, apply: normalized });

/** Each row scaled to length 1, with PyTorch's floor. */
export const normalized = (value: RawTensor): RawTensor =>
  byRow(value, value.dims.at(-1)!, (row) => {
    let squares = 0;
    for (const x of row) squares += x * x;
    const length = Math.max(Math.sqrt(squares), 1e-12);
    return row.map((x) => x / length);
  });

/** A value with each row changed into one of `outputs` numbers. */
export function byRow(value: RawTensor, outputs: number, change: (row: Float32Array) => Float32Array): RawTensor {
  const width = value.dims.at(-1)!;
  const rows = width ? value.data.length / width : 0;
  const data = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++)
    data.set(change((value.data as Float32Array).subarray(row * width, (row + 1) * width)), row * outputs);
  return { ...value, dims: [...value.dims.slice(0, -1), outputs], data };
}
