// The option `peft`: low-rank adapters in training, with the names and defaults of PEFT's LoraConfig.
import { WebertError } from "../errors.js";
import { refuseUnknown } from "../nearest-name.js";
import { isNumber, kindOf, optionsOf, shown } from "../values.js";
import type { PeftOptions } from "./training.js";

/** Options as the engine takes them; LoraOptions in Rust. */
export interface PeftSetup {
  r?: number;
  lora_alpha?: number;
  lora_dropout?: number;
  use_rslora?: boolean;
  target_modules?: string[];
  exclude_modules?: string[];
  layers_to_transform?: number[];
  modules_to_save?: string[];
  init_lora_weights?: "kaiming" | "gaussian";
}

/** Options that are supported. */
const NAMES: (keyof PeftOptions)[] = [
  ...(["peft_type", "task_type", "r", "lora_alpha", "lora_dropout", "use_rslora", "bias", "target_modules"] as const),
  ...(["exclude_modules", "layers_to_transform", "modules_to_save", "init_lora_weights"] as const),
];

/** Options of PEFT 0.21 that are refused unless they have one of these values, which change nothing. */
const REFUSED: Record<string, unknown[]> = {
  ...{ use_dora: [false], lora_bias: [false], fan_in_fan_out: [false], use_qalora: [false], use_bdlora: [false] },
  ...{ rank_pattern: [], alpha_pattern: [], layers_pattern: [], layer_replication: [], trainable_token_indices: [] },
  ...{ loftq_config: [], eva_config: [], corda_config: [], lora_ga_config: [], velora_config: [], arrow_config: [] },
  ...{
    monteclora_config: [],
    kasa_config: [],
    alora_invocation_tokens: [],
    target_parameters: [],
    megatron_config: [],
  },
  ...{ ensure_weight_tying: [false], qalora_group_size: [16] },
};

/** Options of a saved adapter that do not concern training. */
const RECORDED = ["auto_mapping", "base_model_name_or_path", "inference_mode", "megatron_core", "peft_version"].concat([
  "revision",
  "runtime_config",
]);

/** PEFT's names of the tasks. */
const TASK_TYPES: Record<string, string> = {
  "text-classification": "SEQ_CLS",
  "token-classification": "TOKEN_CLS",
  "question-answering": "QUESTION_ANS",
  "feature-extraction": "FEATURE_EXTRACTION",
};

const bad = (name: string, expected: string, found: unknown) =>
  new WebertError("bad_input", `peft.${name}: expected ${expected}, got ${said(found)}`);

const unsupported = (name: string, found: unknown, way: string) =>
  new WebertError("unsupported", `peft.${name}: ${said(found)} is not supported. ${way}`);

const said = (value: unknown) => (typeof value === "object" && value !== null ? kindOf(value) : JSON.stringify(value));

const MERGE = "Train with PEFT in Python; webert loads the result.";

/**
 * Returns the options of low-rank adapters for the engine, without those that have PEFT's defaults.
 * @throws `bad_input` for an unknown option or a wrong value; `unsupported`, naming the option
 */
export function peftOf(given: unknown, task: string): PeftSetup {
  if (typeof given !== "object") throw new WebertError("bad_input", `peft: expected an object, got ${shown(given)}`);
  const options = optionsOf<Record<string, unknown>>(given);
  refuseUnknown("peft", options, [...NAMES, ...Object.keys(REFUSED), ...RECORDED]);
  for (const [name, same] of Object.entries(REFUSED)) {
    const value = options[name];
    const isEmpty = typeof value === "object" && value !== null && !Object.keys(value).length;
    if (value != null && !isEmpty && !same.includes(value)) throw unsupported(name, value, MERGE);
  }
  const { peft_type, task_type, bias } = options;
  if (peft_type != null && peft_type !== "LORA") throw unsupported("peft_type", peft_type, 'Use "LORA".');
  if (task_type != null && task_type !== TASK_TYPES[task])
    throw bad("task_type", `${JSON.stringify(TASK_TYPES[task] ?? null)} for ${task}`, task_type);
  if (bias != null && bias !== "none") throw unsupported("bias", bias, 'Use "none".');
  const init = options.init_lora_weights;
  if (init != null && init !== true && init !== "gaussian")
    throw unsupported("init_lora_weights", init, 'Use true or "gaussian".');
  const layers = options.layers_to_transform;
  return withoutDefaults({
    r: wholeNumber("r", options.r),
    lora_alpha: options.lora_alpha == null ? undefined : numberOf("lora_alpha", options.lora_alpha),
    lora_dropout: options.lora_dropout == null ? undefined : numberOf("lora_dropout", options.lora_dropout),
    use_rslora: flag("use_rslora", options.use_rslora),
    target_modules: targetsOf(options.target_modules),
    exclude_modules: namesOf("exclude_modules", options.exclude_modules),
    layers_to_transform:
      layers == null ? undefined : [layers].flat().map((layer) => wholeNumber("layers_to_transform", layer)!),
    modules_to_save: namesOf("modules_to_save", options.modules_to_save),
    init_lora_weights: init === "gaussian" ? "gaussian" : undefined,
  });
}

function withoutDefaults(setup: { [K in keyof PeftSetup]: PeftSetup[K] | undefined }): PeftSetup {
  return Object.fromEntries(Object.entries(setup).filter(([, value]) => value !== undefined));
}

function numberOf(name: string, value: unknown): number {
  if (!isNumber(value) || !Number.isFinite(Number(value))) throw bad(name, "a number", value);
  return Number(value);
}

function wholeNumber(name: string, value: unknown): number | undefined {
  if (value == null) return undefined;
  const number = numberOf(name, value);
  if (!Number.isSafeInteger(number) || number < 0) throw bad(name, "a whole number", value);
  return number;
}

function flag(name: string, value: unknown): boolean | undefined {
  if (value == null || typeof value === "boolean") return value ?? undefined;
  throw bad(name, "true or false", value);
}

/** A string of PEFT is a regular expression, except for "all-linear". */
function targetsOf(value: unknown): string[] | undefined {
  if (value === "all-linear") return [value];
  if (typeof value === "string")
    throw unsupported(
      "target_modules",
      value,
      'Name the modules in an array, e.g. ["query", "value"], or "all-linear".',
    );
  return namesOf("target_modules", value);
}

function namesOf(name: string, value: unknown): string[] | undefined {
  if (value == null) return undefined;
  const isNames = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" && one);
  if (!isNames) throw bad(name, "a non-empty array of module names", value);
  return [...(value as string[])];
}
