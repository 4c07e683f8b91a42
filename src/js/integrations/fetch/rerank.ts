// The routes of Cohere and Jina for ranking: /v1/rerank and /v2/rerank.
import { kindOf } from "../../values.js";
import { count, type Fields, flag, HttpError, invalid, onlyKnown, optionalText, strings, text } from "./http.js";
import type { Served } from "./models.js";
import type { Context } from "./routes.js";

/** Fields of Cohere's second version, and further ones of its first version and of Jina. */
const SECOND = ["model", "query", "documents", "top_n", "max_tokens_per_doc", "priority"];
const FIRST = [...SECOND, "return_documents", "rank_fields", "max_chunks_per_doc", "truncation"];

/** Returns the answer of /v1/rerank or /v2/rerank. */
export async function rerank(fields: Fields, context: Context, version: 1 | 2): Promise<object> {
  onlyKnown(fields, version === 1 ? FIRST : SECOND);
  for (const name of ["max_chunks_per_doc", "rank_fields"])
    if (fields[name] != null) throw invalid(name, "is not supported; leave it out");
  const id = optionalText(fields, "model");
  const model = context.models.forTask("text-ranking", id);
  const query = text(fields, "query");
  const documents = documentsOf(fields.documents, context.limits.max_inputs);
  const top_n = count(fields, "top_n") ?? documents.length;
  const withText = version === 1 && flag(fields, "return_documents", false);
  const mayCut = flag(fields, "truncation", true);
  const max_tokens = count(fields, "max_tokens_per_doc");
  const read = max_tokens ? shortened(model, documents, max_tokens) : documents;
  const scores = await model.rank(query, read, undefined, context.signal);
  const long = scores.findIndex((one) => one.truncated);
  if (long >= 0 && !mayCut)
    throw new HttpError(
      "limit",
      `documents[${long}]: expected at most ${model.limit} tokens with the query`,
      "documents",
    );
  const results = scores
    .map(({ score }, index) => ({
      index,
      relevance_score: score,
      ...(withText && { document: { text: documents[index] } }),
    }))
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, top_n);
  const [ofQuery = 0, ...ofDocuments] = model.tokens([query, ...read]);
  // The pair of a query and a document has the special tokens of both, less one [CLS].
  const total_tokens = ofDocuments.reduce((sum, one) => sum + Math.min(ofQuery + one - 1, model.limit), 0);
  return {
    id: crypto.randomUUID(),
    model: model.id,
    ...(version === 1 && { object: "list" }),
    results,
    meta: { api_version: { version: String(version) }, billed_units: { search_units: 1 } },
    usage: { total_tokens },
  };
}

/** Returns the first `most` tokens of each document, without special tokens, as text. */
function shortened(model: Served, documents: string[], most: number): string[] {
  const options = { return_tensor: false, return_offsets_mapping: true, add_special_tokens: false } as const;
  const { offset_mapping } = model.first.tokenizer(documents, options);
  return documents.map((text, n) => {
    const last = offset_mapping![n]![most];
    return last ? text.slice(0, offset_mapping![n]![most - 1]![1]) : text;
  });
}

/** Reads documents: texts, or objects with a text. */
function documentsOf(value: unknown, most: number): string[] {
  if (!Array.isArray(value)) throw invalid("documents", `expected an array of texts, got ${kindOf(value)}`);
  const all = value.map((one: unknown) =>
    typeof one === "object" && one !== null && "text" in one ? (one as { text: unknown }).text : one,
  );
  return strings("documents", all, most);
}
