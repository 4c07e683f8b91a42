// Pipelines as the adapters use them: by task, and with the number of tokens that they read.
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import type { Task } from "../task-names.js";
import type { Features, SparseVector } from "../tasks.js";

/** A pipeline of any task. */
export type AnyPipeline = Pipeline;

/** Returns the pipeline of a task among several. */
export const ofTask = <T extends Task>(pipelines: readonly AnyPipeline[], task: T): Pipeline<T> | undefined =>
  pipelines.find((pipe) => pipe.task === task) as Pipeline<T> | undefined;

/** Returns the value if it is a pipeline of the task. */
export function expectTask<T extends Task>(what: string, value: unknown, task: T): Pipeline<T> {
  const found = (value as Partial<AnyPipeline> | null | undefined)?.task;
  if (typeof value === "function" && found === task) return value as unknown as Pipeline<T>;
  const got = typeof found === "string" ? `a pipeline for ${found}` : value === null ? "null" : typeof value;
  throw new WebertError("bad_input", `${what}: expected a pipeline for ${task}, got ${got}`);
}

/**
 * Returns the maximum number of tokens of a text, by the tokenizer and config.json. Infinity if neither has a limit.
 * @param own a lower limit that the caller knows, e.g. max_seq_length of a sentence-transformers folder
 */
export function limitOf(pipe: AnyPipeline, own?: number): number {
  const { max_position_embeddings, pad_token_id, model_type } = (pipe.model?.config ?? {}) as Record<string, unknown>;
  // Positions of RoBERTa's kin begin after the padding's.
  const first = /roberta|camembert|mpnet/.test(String(model_type)) ? Number(pad_token_id ?? 1) + 1 : 0;
  const positions = typeof max_position_embeddings === "number" ? max_position_embeddings - first : Infinity;
  return Math.min(own ?? Infinity, pipe.tokenizer.model_max_length, positions > 0 ? positions : Infinity);
}

/**
 * Returns the number of tokens that the model reads per text, including special tokens.
 * @param prompt what the call puts before each text
 */
export function tokenCounts(pipe: AnyPipeline, given: readonly string[], limit: number, prompt = ""): number[] {
  if (!given.length) return [];
  const texts = prompt ? given.map((text) => prompt + text) : given;
  const options = { return_tensor: false, return_attention_mask: false, return_token_type_ids: false } as const;
  const { input_ids } = pipe.tokenizer(texts, options);
  return input_ids.map(({ length }) => Math.min(length, limit));
}

/** A text's vector, vectors per token, or sparse vector. */
export type Vectors = Features | SparseVector;

export const isSparse = (vectors: Vectors): vectors is SparseVector => !(vectors as Partial<Features>).dims;

/** Collects the answers of a pipeline's stream. */
export async function collect<A>(answers: AsyncIterable<A>): Promise<A[]> {
  const all: A[] = [];
  for await (const answer of answers) all.push(answer);
  return all;
}
