// Modules of sentence-transformers that have weights, and rare settings of an encoder.

import { WebertError } from "../errors.js";
import { widen } from "../sources/floats.js";
import { type FileTensor, readTensors } from "../sources/safetensors.js";
import type { Files } from "../sources/types.js";
import {
  byRow,
  ends,
  type Json,
  type Layer,
  type LayerMean,
  type Modules,
  needed,
  SENTENCE,
  unsupported,
} from "./modules.js";

/** Returns the step of a module: `kind` is its class, `path` the folder of its files. */
export async function read(files: Files, kind: string, path: string): Promise<Layer | LayerMean> {
  const config = needed(files, `${path}config.json`);
  const weights = await readWeights(files, `${path}model.safetensors`);
  if (kind === "Dense") return dense(config, weights, `${path}config.json`);
  return kind === "LayerNorm" ? layerNorm(config, weights) : layerMean(files, config, weights);
}

/** Returns a tensor of a module by its name. Without a shape, any shape is accepted. */
type TensorReader = (name: string, ...shape: number[]) => Float32Array;

export async function readWeights(files: Files, file: string): Promise<TensorReader> {
  const bytes = files[file];
  if (!bytes)
    throw unsupported(
      `${file}: expected the module's weights, got neither this file nor pytorch_model.bin. Save the model again with \`SentenceTransformer(…).save_pretrained(…)\`.`,
    );
  const tensors = new Map<string, FileTensor>();
  for await (const tensor of readTensors(file, bytes.length, once(bytes))) tensors.set(tensor.name, tensor);
  return (name, ...shape) => {
    const tensor = tensors.get(name);
    const values = tensor && widen(tensor.dtype, tensor.bytes);
    const fault = !tensor
      ? "none"
      : shape.length && `${tensor.shape}` !== `${shape}`
        ? `[${tensor.shape.join(", ")}]`
        : values?.every(Number.isFinite)
          ? undefined
          : `${tensor.dtype} with values that are no finite numbers`;
    if (fault)
      throw new WebertError("bad_weights", `${file}: ${name}: expected floats [${shape.join(", ")}], got ${fault}`);
    return values!;
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Returns a field that must be a positive integer. */
function count(config: Json, ...names: string[]): number {
  const value = names.map((name) => config[name]).find((value) => value != null);
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw new WebertError("bad_config", `${names[0]}: expected a whole number, 1 or more, got ${JSON.stringify(value)}`);
}

/** Returns a linear layer with its activation. With `use_residual` it adds the input. */
function dense(config: Json, weights: TensorReader, file: string): Layer {
  const [inputs, outputs] = [count(config, "in_features"), count(config, "out_features")];
  const weight = weights("linear.weight", outputs, inputs);
  const bias = config.bias === false ? undefined : weights("linear.bias", outputs);
  const { from, to } = ends(config);
  const activate = activation(config.activation_function, weights, from, file);
  const residual =
    config.use_residual !== true
      ? undefined
      : inputs === outputs
        ? "same"
        : weights("residual.weight", outputs, inputs);
  const change = (row: Float32Array) => {
    const out = activate(product(weight, row, bias));
    if (!residual) return out;
    const added = residual === "same" ? row : product(residual, row);
    return out.map((x, n) => x + added[n]!);
  };
  const apply: Layer["apply"] = (value) => {
    const width = value.dims.at(-1);
    if (width === inputs) return byRow(value, outputs, change);
    throw new WebertError(
      "bad_input",
      `feature-extraction: the folder's Dense takes ${inputs} numbers, here there are ${width}`,
    );
  };
  return { from, to, apply };
}

/** Returns the product of a matrix [outputs, inputs] and a row, plus `bias`. */
export function product(weight: Float32Array, row: Float32Array, bias?: Float32Array): Float32Array {
  const inputs = row.length;
  return Float32Array.from({ length: weight.length / inputs }, (_, output) => {
    let sum = bias?.[output] ?? 0;
    for (let n = 0; n < inputs; n++) sum += weight[output * inputs + n]! * row[n]!;
    return sum;
  });
}

type Activation = (row: Float32Array) => Float32Array;

/** Returns the activation of a PyTorch class, with default arguments. */
function activation(path: unknown, weights: TensorReader, from: string, file: string): Activation {
  const name = path === undefined ? "Tanh" : /^torch\.nn\.(?:modules\.\w+\.)?(\w+)$/.exec(String(path))?.[1];
  if (name === "PReLU") {
    const [slope] = weights("activation_function.weight", 1);
    return (row) => row.map((x) => (x < 0 ? slope! * x : x));
  }
  const pointwise = name !== undefined && Object.hasOwn(POINTWISE, name) && POINTWISE[name];
  if (pointwise) return (row) => row.map(pointwise);
  // Without a dimension, PyTorch uses the first dimension of token states, i.e. the texts of a batch.
  const byVector = name !== undefined && from === SENTENCE && Object.hasOwn(BY_VECTOR, name) && BY_VECTOR[name];
  if (byVector) return byVector;
  const known = ["PReLU", ...Object.keys(POINTWISE), ...Object.keys(BY_VECTOR)].join(", ");
  throw unsupported(`${file}: activation_function: expected one of ${known} of torch.nn, got ${JSON.stringify(path)}`);
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
/** log(1 + exp(x)) without overflow. */
const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);
const same = (x: number) => x;
const elu = (x: number) => (x < 0 ? Math.expm1(x) : x);

/** PyTorch's elementwise activations with their default arguments. */
const POINTWISE: Record<string, (x: number) => number> = {
  Identity: same,
  Dropout: same,
  ReLU: (x) => Math.max(x, 0),
  ReLU6: (x) => clamp(x, 0, 6),
  LeakyReLU: (x) => (x < 0 ? 0.01 * x : x),
  RReLU: (x) => (x < 0 ? (11 / 48) * x : x), // the mean of 1/8 and 1/3, as in evaluation mode
  ELU: elu,
  CELU: elu,
  SELU: (x) => 1.0507009873554805 * (x < 0 ? 1.6732632423543772 * Math.expm1(x) : x),
  GELU: (x) => (x / 2) * (1 + erf(x / Math.SQRT2)),
  SiLU: (x) => x * sigmoid(x),
  Mish: (x) => x * Math.tanh(softplus(x)),
  Sigmoid: sigmoid,
  LogSigmoid: (x) => -softplus(-x),
  Tanh: Math.tanh,
  Tanhshrink: (x) => x - Math.tanh(x),
  Softplus: softplus,
  Softsign: (x) => x / (1 + Math.abs(x)),
  Softshrink: (x) => Math.sign(x) * Math.max(Math.abs(x) - 0.5, 0),
  Hardshrink: (x) => (Math.abs(x) > 0.5 ? x : 0),
  Hardtanh: (x) => clamp(x, -1, 1),
  Hardsigmoid: (x) => clamp(x + 3, 0, 6) / 6,
  Hardswish: (x) => (x * clamp(x + 3, 0, 6)) / 6,
};

/** Returns log(sum(exp(row))). The greatest number is subtracted first to avoid overflow. */
function logSum(row: Float32Array): number {
  let [greatest, sum] = [-Infinity, 0];
  for (const x of row) greatest = Math.max(greatest, x);
  for (const x of row) sum += Math.exp(x - greatest);
  return greatest + Math.log(sum);
}

const logSoftmax: Activation = (row) => {
  const sum = logSum(row);
  return row.map((x) => x - sum);
};

const BY_VECTOR: Record<string, Activation> = {
  Softmax: (row) => logSoftmax(row).map(Math.exp),
  Softmin: (row) => logSoftmax(row.map((x) => -x)).map(Math.exp),
  LogSoftmax: logSoftmax,
};

/** Returns the error function by Abramowitz and Stegun 7.1.26. The error is at most 1.5e-7. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}

/** PyTorch's default, which sentence-transformers uses. */
const EPSILON = 1e-5;

function layerNorm(config: Json, weights: TensorReader): Layer {
  const width = count(config, "dimension");
  const [weight, bias] = [weights("norm.weight", width), weights("norm.bias", width)];
  const change = (row: Float32Array) => {
    const mean = row.reduce((sum, x) => sum + x, 0) / width;
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / width;
    const scale = 1 / Math.sqrt(variance + EPSILON);
    return row.map((x, n) => (x - mean) * scale * weight[n]! + bias[n]!);
  };
  const apply: Layer["apply"] = (value) => {
    if (value.dims.at(-1) === width) return byRow(value, width, change);
    throw new WebertError(
      "bad_input",
      `feature-extraction: the folder's LayerNorm takes ${width} numbers, here there are ${value.dims.at(-1)}`,
    );
  };
  return { from: SENTENCE, to: SENTENCE, apply };
}

/** Returns the weighted mean of the encoder's layers from `layer_start` to the last. */
function layerMean(files: Files, config: Json, weights: TensorReader): LayerMean {
  const start = Number(config.layer_start ?? 4);
  const layers = count(config, "num_hidden_layers");
  const encoder = JSON.parse(new TextDecoder().decode(files["config.json"])) as Json;
  const own = encoder.num_hidden_layers ?? encoder.n_layers ?? layers;
  if (own !== layers || !Number.isSafeInteger(start) || start < 0 || start > layers)
    throw new WebertError(
      "bad_config",
      `WeightedLayerPooling: expected num_hidden_layers ${own} and a layer_start up to that, got ${layers} and ${start}`,
    );
  return { start, layerWeights: weights("layer_weights", layers + 1 - start) };
}

/** Arguments of Python's loader that change no result. */
const WITHOUT_EFFECT =
  /^(attn_implementation|(torch_)?dtype|device_map|low_cpu_mem_usage|use_safetensors|add_pooling_layer|use_fast|output_hidden_states|trust_remote_code|padding(_side)?|return_tensors|pad_to_multiple_of)$/;

/**
 * Returns the rare settings of an encoder.
 * @throws `unsupported` for a setting that would change the vectors and is not supported
 */
export function encoderSettings(file: string, config: Json): Partial<Modules> {
  const expect = (name: string, value: unknown, wanted: string) => {
    if (value != null && value !== wanted)
      throw unsupported(`${file}: ${name}: expected "${wanted}", got ${JSON.stringify(value)}`);
  };
  expect("transformer_task", config.transformer_task, "feature-extraction");
  expect("module_output_name", config.module_output_name, "token_embeddings");
  const modalities = config.modality_config as Record<string, Json> | null | undefined;
  if (modalities) {
    const { text, message } = modalities;
    expect("modality_config.text.method", text?.method ?? "none", "forward");
    expect("modality_config.text.method_output_name", text?.method_output_name, "last_hidden_state");
    if (message) throw unsupported(`${file}: modality_config.message: chat templates are not supported`);
  }
  let maxLength: unknown = config.max_seq_length;
  for (const group of ["model", "config", "tokenizer", "processor"])
    for (const end of ["args", "kwargs"])
      for (const [name, value] of fields(config[`${group}_${end}`]))
        if (name === "model_max_length" && (group === "tokenizer" || group === "processor")) maxLength = value;
        else if (!WITHOUT_EFFECT.test(name)) throw unsupported(`${file}: ${group}_${end}: "${name}" is not supported`);
  const { common, text } = (config.processing_kwargs ?? {}) as Record<string, unknown>;
  for (const [name, value] of [...fields(common), ...fields(text)])
    if (name === "max_length") maxLength = value;
    else if (!(WITHOUT_EFFECT.test(name) || (name === "truncation" && (value === true || value === "longest_first"))))
      throw unsupported(`${file}: processing_kwargs: "${name}" is not supported`);
  return Number.isSafeInteger(maxLength) && (maxLength as number) > 0 ? { maxLength: maxLength as number } : {};
}

const fields = (value: unknown) => Object.entries((value ?? {}) as Json);
