// The kinds of texts, and the prompts of each.

/** Kinds of texts, as in `encode_query` and `encode_document` of sentence-transformers. */
export type TextTask = "query" | "document";

/** Names of the prompts that each task looks for. */
export const TASK_PROMPTS: Record<TextTask, string[]> = {
  query: ["query"],
  document: ["document", "passage", "corpus"],
};
