// What sentence-transformers' files say of a folder: the modules behind the encoder, prompts and lengths. There are two
// generations of them, and folders of both are in use.
import type { Files } from "../checkpoint/files.js";
import { type FileTensor, readTensors, widen } from "../checkpoint/safetensors.js";
import { WebertError } from "../errors.js";

/** Kinds of pooling by their names in newer files, and as `pooling_mode_…` in older ones, where several are in this order. */
const KINDS = {
  cls: "cls_token",
  max: "max_tokens",
  mean: "mean_tokens",
  mean_sqrt_len_tokens: "mean_sqrt_len_tokens",
  weightedmean: "weightedmean_tokens",
  lasttoken: "lasttoken",
};
/** Which token states make a vector: the first, of each number the greatest, the mean, the sum by the root of their number, the mean weighted by positions from 1, the last. */
export type Kind = keyof typeof KINDS;

/** A step from vector to vector: scaled to length 1, or a linear layer. */
export type Module = { normalize: true } | Dense;

/** A linear layer; `weight` is [outputs, inputs], row-major. */
export interface Dense {
  inputs: number;
  outputs: number;
  weight: Float32Array;
  /** [outputs] */
  bias: Float32Array | undefined;
  activation: (x: number) => number;
}

/** What of a folder matters to who asks for its sentence embeddings. */
export interface Modules {
  /** The vectors of several kinds of pooling are put side by side. */
  pooling: Kind[];
  /** Whether a prompt's tokens are pooled. */
  includePrompt: boolean;
  after: Module[];
  /** The most tokens a text may have, where the folder sets a limit of its own. */
  maxLength: number | undefined;
  /** Whether texts are put in lower case before all else. */
  lowercases: boolean;
  /** By their names. */
  prompts: Record<string, string>;
  defaultPrompt: string | undefined;
  /** How many of its numbers a vector keeps. */
  truncateDim: number | undefined;
}

type Json = Record<string, unknown>;

/** A JSON file; undefined where the folder has none. */
function json(files: Files, name: string): unknown {
  const bytes = files[name];
  if (!bytes) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (cause) {
    throw new WebertError("bad_config", `${name} is not valid JSON`, { cause });
  }
}

/** A JSON file that is an object, or one without entries where the folder has none. */
function object(files: Files, name: string): Json {
  const value = json(files, name) ?? {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Json;
  throw new WebertError("bad_config", `${name} is no object`);
}

/** One that modules.json asks for. */
function needed(files: Files, name: string): Json {
  if (files[name]) return object(files, name);
  throw new WebertError("bad_config", `modules.json asks for ${name}, which is missing`);
}

const unsupported = (what: string) => new WebertError("unsupported", what);
const size = (value: unknown) => (Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined);

/** Reads `modules.json`, what it names, and the small files beside it; without it token states are pooled by their mean. */
export async function readModules(files: Files): Promise<Modules> {
  const older = object(files, "sentence_bert_config.json");
  const newer = object(files, "config_sentence_transformers.json");
  const modules: Modules = {
    pooling: ["mean"],
    includePrompt: true,
    after: [],
    maxLength: size(older.max_seq_length),
    lowercases: older.do_lower_case === true,
    prompts: (newer.prompts ?? {}) as Record<string, string>,
    defaultPrompt: (newer.default_prompt_name ?? undefined) as string | undefined,
    truncateDim: size(newer.truncate_dim),
  };
  const list = json(files, "modules.json") ?? [];
  if (!Array.isArray(list)) throw new WebertError("bad_config", "modules.json is no list");
  for (const [n, { type, path }] of (list as Json[]).entries()) {
    const kind = String(type).split(".").at(-1);
    if (kind === "Transformer" && n === 0) continue;
    if (kind === "Dropout") continue; // nothing is dropped but in training
    if (kind === "Pooling" && n === 1) Object.assign(modules, readPooling(files, `${path}/config.json`));
    else if (kind === "Normalize" && n > 1) modules.after.push({ normalize: true });
    else if (kind === "Dense" && n > 1) modules.after.push(await readDense(files, String(path)));
    else
      throw unsupported(
        `modules.json: module ${n} is ${type ?? "without a type"}, only a Transformer, a Pooling, then Dense and Normalize`,
      );
  }
  return modules;
}

function readPooling(files: Files, name: string): Pick<Modules, "pooling" | "includePrompt"> {
  const config = needed(files, name);
  const older = (Object.keys(KINDS) as Kind[]).filter((kind) => config[`pooling_mode_${KINDS[kind]}`] === true);
  const pooling = config.pooling_mode == null ? older : [config.pooling_mode].flat();
  const unknown = pooling.find((kind) => !Object.hasOwn(KINDS, String(kind)));
  if (unknown !== undefined) throw unsupported(`${name}: pooling_mode ${JSON.stringify(unknown)} is unknown`);
  if (!pooling.length) throw unsupported(`${name}: no kind of pooling is named`);
  return { pooling: pooling as Kind[], includePrompt: config.include_prompt !== false };
}

/** By the last part of their names in PyTorch. */
const ACTIVATIONS: Record<string, (x: number) => number> = { Tanh: Math.tanh, Identity: (x) => x };

async function readDense(files: Files, path: string): Promise<Dense> {
  const [name, weights] = [`${path}/config.json`, `${path}/model.safetensors`];
  const { activation_function, bias: hasBias } = needed(files, name);
  const activation = ACTIVATIONS[String(activation_function).split(".").at(-1)!];
  if (!activation) throw unsupported(`${name}: activation_function ${activation_function}, only Tanh and Identity`);
  const bytes = files[weights];
  if (!bytes) throw unsupported(`there is no ${weights}: weights are read from safetensors`);
  const tensors = new Map<string, FileTensor>();
  for await (const tensor of readTensors(weights, bytes.length, chunk(bytes))) tensors.set(tensor.name, tensor);
  const floats = (name: string) => {
    const tensor = tensors.get(name);
    const values = tensor && widen(tensor.dtype, tensor.bytes);
    if (!values?.every(Number.isFinite))
      throw new WebertError("bad_weights", `${weights}: ${name} is no finite floats`);
    return { shape: tensor!.shape, values };
  };
  const { shape, values: weight } = floats("linear.weight");
  const bias = hasBias === false ? undefined : floats("linear.bias").values;
  const [outputs, inputs] = shape as [number, number];
  if (shape.length !== 2 || (bias && bias.length !== outputs))
    throw new WebertError(
      "bad_weights",
      `${weights}: linear.weight is [${shape.join(", ")}] and linear.bias has ${bias?.length} numbers, expected [outputs, inputs] and one an output`,
    );
  return { inputs, outputs, weight, bias, activation };
}

async function* chunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
