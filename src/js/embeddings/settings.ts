// Which kind of output a sentence-transformers folder makes, and the prompts of its tasks.
import type { Files } from "../sources/types.js";

/** Kinds of texts, as in `encode_query` and `encode_document` of sentence-transformers. */
export type TextTask = "query" | "document";

/** Names of the prompts that each task looks for. */
export const TASK_PROMPTS: Record<TextTask, string[]> = {
  query: ["query"],
  document: ["document", "passage", "corpus"],
};

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** Returns whether the folder makes sparse vectors or one vector per token; undefined if it makes one vector. */
export function retrievalKind(files: Files): "sparse" | "tokens" | undefined {
  const modules = text(files["modules.json"]);
  if (files["linear.weight"] || /pylate|multi_vector/.test(modules)) return "tokens";
  return /sparse_encoder/.test(modules + text(files["router_config.json"])) ? "sparse" : undefined;
}
