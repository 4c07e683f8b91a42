// PEFT adapters (LoRA and DoRA). Gives an adapter's tensors the names and the scale with which they are added to the
// base's weights. Imported on demand.
import { WebertError } from "../errors.js";
import { ADAPTER, ADAPTER_CONFIG, OWN_CONFIG } from "./adapter-folder.js";
import { MERGE } from "./advice.js";
import { widen } from "./floats.js";
import { type Json, jsonObject } from "./json-object.js";
import { type FileTensor, readTensors, safetensors } from "./safetensors.js";
import { joined } from "./streams.js";
import type { Files } from "./types.js";

export { readAdapter, readTokenizerOf } from "./adapter-folder.js";

const unsupported = (what: string) => new WebertError("unsupported", `${ADAPTER_CONFIG}: ${what}`);
const badWeights = (what: string) => new WebertError("bad_weights", `${ADAPTER}: ${what}`);

/** Fields that are read below, that only choose modules (the tensors name them), or that matter only in training. */
const KNOWN = new Set([
  ...["peft_type", "task_type", "r", "lora_alpha", "rank_pattern", "alpha_pattern", "use_rslora", "use_dora"],
  ...["init_lora_weights", "base_model_name_or_path", "revision", "target_modules", "exclude_modules"],
  ...["modules_to_save", "layers_to_transform", "layers_pattern", "bias", "fan_in_fan_out", "inference_mode"],
  ...["lora_dropout", "peft_version", "auto_mapping", "megatron_core", "qalora_group_size", "ensure_weight_tying"],
  ...["runtime_config", "eva_config", "lora_ga_config"],
]);

/** Values of init_lora_weights that leave the base's weights as they are. */
const INITIALIZATIONS: unknown[] = [true, false, null, undefined, "gaussian", "eva", "orthogonal"];

const isSet = (value: unknown) =>
  value != null && value !== false && !(typeof value === "object" && Object.keys(value).length === 0);

/** Rejects adapters whose answers would be wrong. `bytes` are adapter_config.json. */
export function checkAdapter(bytes: Uint8Array): void {
  const config = jsonObject(ADAPTER_CONFIG, bytes);
  if (config.peft_type !== "LORA")
    throw unsupported(`peft_type: expected "LORA", got ${JSON.stringify(config.peft_type)}. ${MERGE}`);
  const initialization = config.init_lora_weights;
  if (!INITIALIZATIONS.includes(initialization))
    throw unsupported(
      `init_lora_weights ${JSON.stringify(initialization)} changes the base's weights, which is not supported. ${MERGE}`,
    );
  const unknown = Object.entries(config).find(([name, value]) => !KNOWN.has(name) && isSet(value));
  if (unknown) throw unsupported(`${unknown[0]}: ${JSON.stringify(unknown[1])} is not supported. ${MERGE}`);
  const task = config.task_type;
  if (task != null && !Object.hasOwn(HEADS, String(task)))
    throw unsupported(`task_type: expected one of ${Object.keys(HEADS).join(", ")}, got ${JSON.stringify(task)}`);
}

/** The class name's end for each task type, as in transformers. */
const HEADS: Record<string, string> = {
  SEQ_CLS: "ForSequenceClassification",
  TOKEN_CLS: "ForTokenClassification",
  QUESTION_ANS: "ForQuestionAnswering",
  FEATURE_EXTRACTION: "Model",
};

/**
 * Returns the files with the adapter's head and labels in config.json, and the adapter's tensors with the base's names,
 * which the wasm side reads before the base's weights.
 * @param own fields that the caller gave for config.json
 */
export async function withAdapter(files: Files, own: object = {}): Promise<{ files: Files; adapter: Files }> {
  const { [ADAPTER_CONFIG]: bytes, [OWN_CONFIG]: ownConfig, [ADAPTER]: weights, ...others } = files;
  const adapter = jsonObject(ADAPTER_CONFIG, bytes);
  const tensors: FileTensor[] = [];
  for await (const tensor of readTensors(ADAPTER, weights!.length, once(weights!))) tensors.push(tensor);
  const renamed = translated(tensors, adapter);
  const config = configOf(jsonObject("config.json", files["config.json"]), adapter, renamed, {
    ...(ownConfig && labelsOf(jsonObject(`the ${OWN_CONFIG}`, ownConfig))),
    ...own,
  });
  const parts = safetensors(renamed) as Uint8Array[];
  return {
    files: { ...others, "config.json": new TextEncoder().encode(JSON.stringify(config)) },
    adapter: { [ADAPTER]: joined(parts) },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function labelsOf({ id2label, label2id, problem_type }: Json): Json {
  const found = { id2label, label2id, problem_type };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value != null));
}

/** Returns config.json of the base with the adapter's head, number of labels and size of the vocabulary. */
function configOf(base: Json, adapter: Json, tensors: FileTensor[], given: Json): Json {
  const rowsOf = (pattern: RegExp) => tensors.find(({ name }) => pattern.test(name))?.shape[0];
  const config = { ...base };
  const end = HEADS[String(adapter.task_type)];
  if (end) {
    const [first] = (base.architectures ?? []) as unknown[];
    config.architectures = [`${String(first ?? "Bert").replace(/(For.*|Model)$/, "")}${end}`];
  }
  const words = rowsOf(/(^|\.)(word_embeddings|tok_embeddings|embed_tokens)\.weight$/);
  if (words !== undefined) config.vocab_size = words;
  const labels = rowsOf(/^(classifier|score)(\.out_proj)?\.weight$/);
  const countOf = ({ id2label, num_labels }: Json) =>
    typeof id2label === "object" && id2label !== null ? Object.keys(id2label).length : num_labels;
  if (labels === undefined || (countOf(config) ?? 2) === labels) return { ...config, ...given, ...fitting(given) };
  for (const field of ["id2label", "label2id", "num_labels"]) delete config[field];
  const named = Array.from({ length: labels }, (_, n) => [n, `LABEL_${n}`] as const);
  config.id2label = Object.fromEntries(named);
  config.label2id = Object.fromEntries(named.map(([n, label]) => [label, n]));
  return { ...config, ...given, ...fitting(given) };

  /** Returns no labels of the adapter's own config.json if its classifier has another number of them. */
  function fitting(fields: Json): Json {
    const count = countOf(fields);
    return labels === undefined || count === undefined || count === labels
      ? {}
      : { id2label: config.id2label, label2id: config.label2id };
  }
}

const FACTOR = /\.lora_(A|B)(?:\.default)?\.weight$/;
const TABLE_FACTOR = /\.lora_embedding_(A|B)(?:\.default)?$/;
const MAGNITUDE = /\.lora_magnitude_vector(?:\.default)?(?:\.weight)?$/;

/** Returns the adapter's tensors as the loader takes them: the factors first, lora_B scaled, the base's names. */
function translated(tensors: FileTensor[], config: Json): FileTensor[] {
  const names = new Set(tensors.map(({ name }) => name));
  const factors: FileTensor[] = [];
  const whole = new Map<string, FileTensor>();
  for (const tensor of tensors) {
    const name = tensor.name.replace(/^base_model\.model\./, "");
    if (/\.original_module\./.test(name)) continue; // the base's own values
    const factor = FACTOR.exec(name) ?? TABLE_FACTOR.exec(name);
    if (factor) factors.push(factorOf(tensor, name, factor, config));
    else if (MAGNITUDE.test(name)) factors.push(magnitudeOf(tensor, name, names));
    else if (/(^|\.)(lora|trainable_tokens)_|\.(parametrizations|token_adapter)\./.test(name))
      throw new WebertError("unsupported", `${ADAPTER}: tensor "${tensor.name}" is not supported. ${MERGE}`);
    else {
      const plain = name.replace(/\.modules_to_save(\.default)?\./, ".").replace(/\.base_layer\./, ".");
      // A module that was saved as a whole is listed under its plain name, too.
      if (plain === name || !whole.has(plain)) whole.set(plain, { ...tensor, name: plain });
    }
  }
  return [...factors, ...whole.values()];
}

/** Returns the F32 values of a matrix. */
function matrix({ name, dtype, shape, bytes }: FileTensor): { values: Float32Array; rows: number; cols: number } {
  const values = shape.length === 2 ? widen(dtype, bytes) : undefined;
  if (values) return { values, rows: shape[0]!, cols: shape[1]! };
  throw badWeights(`tensor "${name}": expected floats [rows, columns], got ${dtype} [${shape.join(", ")}]`);
}

const f32 = (name: string, shape: number[], { buffer }: Float32Array): FileTensor => ({
  name,
  dtype: "F32",
  shape,
  bytes: new Uint8Array(buffer),
});

/** Returns a factor of a product. The factors of a table are transposed, because PEFT stores them so. */
function factorOf(tensor: FileTensor, name: string, { 0: end, 1: side }: RegExpExecArray, config: Json): FileTensor {
  const module = name.slice(0, -end.length);
  const { values, rows, cols } = matrix(tensor);
  const isTable = TABLE_FACTOR.test(name);
  const rank = side === "A" ? rows : cols;
  const scale = side === "B" ? scaleOf(module, rank, config) : 1;
  const scaled = scale === 1 ? values : values.map((value) => value * scale);
  if (!isTable) return f32(`${module}.lora_${side}.weight`, [rows, cols], scaled);
  const turned = new Float32Array(scaled.length);
  for (let row = 0; row < rows; row++)
    for (let col = 0; col < cols; col++) turned[col * rows + row] = scaled[row * cols + col]!;
  return f32(`${module}.lora_${side === "A" ? "B" : "A"}.weight`, [cols, rows], turned);
}

function magnitudeOf(tensor: FileTensor, name: string, names: Set<string>): FileTensor {
  const module = name.replace(MAGNITUDE, "");
  if ([...names].some((other) => TABLE_FACTOR.test(other) && other.includes(`${module}.`)))
    throw unsupported(`use_dora: DoRA of a table (tensor "${tensor.name}") is not supported. ${MERGE}`);
  const values = widen(tensor.dtype, tensor.bytes);
  if (!values) throw badWeights(`tensor "${tensor.name}": expected floats, got ${tensor.dtype}`);
  return f32(`${module}.lora_magnitude_vector`, [values.length], values);
}

/** Returns the number by which the product is multiplied: alpha / rank, or alpha / √rank with use_rslora. */
function scaleOf(module: string, rank: number, config: Json): number {
  const named = Number(ofPattern(config, "rank_pattern", module) ?? config.r ?? 8);
  if (named !== rank) throw badWeights(`${module}: ${ADAPTER_CONFIG} makes its rank ${named}, the tensors ${rank}`);
  const alpha = Number(ofPattern(config, "alpha_pattern", module) ?? config.lora_alpha ?? 8);
  if (!Number.isFinite(alpha))
    throw new WebertError("bad_config", `${ADAPTER_CONFIG}: lora_alpha: expected a number, got ${alpha}`);
  return alpha / (config.use_rslora === true ? Math.sqrt(rank) : rank);
}

/** Returns the value of the first pattern that matches the end of a module's name, as PEFT does. */
function ofPattern(config: Json, field: string, module: string): unknown {
  for (const [pattern, value] of Object.entries((config[field] ?? {}) as Json)) {
    let expression: RegExp;
    try {
      expression = new RegExp(`^(?:.*\\.)?(?:${pattern})$`);
    } catch (cause) {
      throw new WebertError("unsupported", `${ADAPTER_CONFIG}: ${field}: "${pattern}" is not supported`, { cause });
    }
    if (expression.test(module)) return value;
  }
  return undefined;
}
