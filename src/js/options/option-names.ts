// The options of each call, by name. entries/option-types.ts compares them with the types of the options.

import { WebertError } from "../errors.js";
import { ENGINE_OPTIONS as ENGINE } from "../generated/tasks.js";
import { refuseUnknown } from "../nearest-name.js";
import type { Task } from "../task-names.js";

const SOURCE = {
  revision: 1,
  subfolder: 1,
  local_files_only: 1,
  cache_dir: 1,
  token: 1,
  progress_callback: 1,
  signal: 1,
} as const;

const MODEL = {
  device: 1,
  dtype: 1,
  compute: 1,
  config: 1,
  quantized: 1,
  model_file_name: 1,
  use_external_data_format: 1,
  session_options: 1,
  worker: 1,
  threads: 1,
  inspect: 1,
  ...SOURCE,
};

const LOADED = { ...MODEL, adapter: 1, base: 1 };

const INDEX = { model: 1, sparse: 1, model_options: 1, progress_callback: 1, signal: 1 };

const CALL = { signal: 1 };
const TASK = { callback: 1, ...CALL };

export const CALLS = {
  "fill-mask": {
    ...ENGINE["fill-mask"],
    ...{ topk: 1, strategy: 1, num_steps: 1, temperature: 1, seed: 1 },
    ...TASK,
  },
  "text-classification": { ...ENGINE["text-classification"], topk: 1, ...TASK },
  "token-classification": {
    ...ENGINE["token-classification"],
    ...{ is_split_into_words: 1, delimiter: 1 },
    ...TASK,
  },
  "question-answering": {
    ...ENGINE["question-answering"],
    ...{ topk: 1, max_question_len: 1, padding: 1 },
    ...TASK,
  },
  "zero-shot-classification": { ...ENGINE["zero-shot-classification"], ...TASK },
  "feature-extraction": {
    ...ENGINE["feature-extraction"],
    ...{ quantize: 1, precision: 1, ranges: 1, prompt: 1, prompt_name: 1, truncate_dim: 1, task: 1 },
    ...TASK,
  },
  "next-sentence-prediction": TASK,
  "multiple-choice": TASK,
  "replaced-token-detection": TASK,
  "text-ranking": { ...ENGINE["text-ranking"], prompt: 1, prompt_name: 1, ...TASK },
  "zero-shot-token-classification": { ...ENGINE["zero-shot-token-classification"], ...TASK },
};

export const OTHERS = {
  score: CALL,
  lens: { top_k: 1, ...CALL },
  pipeline: LOADED,
  from_pretrained: LOADED,
  // Options of weights have no effect on a tokenizer. `legacy` is read only by tokenizers of other models.
  "AutoTokenizer.from_pretrained": { ...LOADED, legacy: 1 },
  "AutoConfig.from_pretrained": SOURCE,
  ModelRegistry: LOADED,
  convert: { dtype: 1, ...SOURCE },
  forward: {
    ...{ output_hidden_states: 1, output_attentions: 1, output_attention_scores: 1, output_activations: 1 },
    ...CALL,
  },
  redact: {
    ...{
      model: 1,
      labels: 1,
      threshold: 1,
      detectors: 1,
      patterns: 1,
      sources: 1,
      allow: 1,
      deny: 1,
      replace: 1,
      salt: 1,
    },
    ...{ label_bias: 1, capitals: 1, placeholder: 1, aggregation_strategy: 1, onProgress: 1 },
    ...LOADED,
  },
  createIndex: {
    ...{ dimensions: 1, dtype: 1, similarity: 1, words: 1, passage_length: 1, passage_overlap: 1, prompt_name: 1 },
    ...INDEX,
  },
  loadIndex: INDEX,
  "index.add": { progress_callback: 1, ...CALL },
  "index.search": {
    ...{ offset: 1, where: 1 },
    ...{
      top_k: 1,
      hybrid: 1,
      sparse: 1,
      rerank: 1,
      rerank_candidates: 1,
      per_document: 1,
      prompt_name: 1,
      k1: 1,
      b: 1,
    },
    ...CALL,
  },
  "index.save": { name: 1, ...CALL },
};

/** A call with options: a task, or the name of a function. */
export type OptionsOf = Task | keyof typeof OTHERS;

const TABLE: Record<OptionsOf, object> = { ...CALLS, ...OTHERS };

const BATCHES = "the engine forms batches by itself; leave it out, or give it to `stream`";
/** Options of Hugging Face's pipelines that no call here has, each with the way out. */
const INSTEAD: Record<string, string> = {
  batch_size: BATCHES,
  num_workers: "the engine forms batches by itself; leave it out",
  truncation: "a text that is too long is always cut or read in windows; expected true",
  return_all_scores: "use `top_k: null`",
  grouped_entities: 'use `aggregation_strategy: "simple"`',
  multi_class: "use `multi_label`",
  candidate_labels: "the labels are the second argument",
  apply_softmax: "use `function_to_apply`",
  activation_fn: "use `function_to_apply`",
};

/**
 * Returns whether an option of Hugging Face's tokenizers changes no answer: texts are always truncated, and padding has
 * no effect.
 */
const isIdle = (name: string, value: unknown) => name === "padding" || (name === "truncation" && value === true);

/** Returns the names of a call's options. */
export const namesOf = (of: OptionsOf): string[] => Object.keys(TABLE[of]);

/**
 * Rejects an option that the call does not have.
 * @throws `bad_input` with the nearest name or the way out
 */
export function check(of: OptionsOf, options: object): void {
  const { delimiter, is_split_into_words } = options as { delimiter?: unknown; is_split_into_words?: unknown };
  if (of === "token-classification" && delimiter != null && !is_split_into_words)
    throw new WebertError("bad_input", `${of}: delimiter: expected \`is_split_into_words: true\` beside it`);
  const known = namesOf(of);
  const isTask = Object.hasOwn(CALLS, of);
  const unknown = Object.entries(options).find(
    ([name, value]) => value !== undefined && !known.includes(name) && !(isTask && isIdle(name, value)),
  );
  if (!unknown) return;
  const [name] = unknown;
  const refuse = (hint: string) => new WebertError("bad_input", `${of}: unknown option \`${name}\`: ${hint}`);
  const isLoad = TABLE[of] === LOADED || TABLE[of] === MODEL;
  if (isLoad && Object.values(CALLS).some((names) => Object.hasOwn(names, name)))
    throw refuse("give it to each call of the pipeline");
  if (isTask) {
    if (Object.hasOwn(INSTEAD, name)) throw refuse(INSTEAD[name]!);
    if (Object.hasOwn(MODEL, name)) throw refuse("give it to `pipeline()`");
  }
  refuseUnknown(of, { [name]: true }, known);
}
