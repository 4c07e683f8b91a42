// Text ranking by the vectors of a sparse encoder or of late interaction. Imported on demand.
import type { EngineModel } from "../engine/engine.js";
import { WebertError } from "../errors.js";
import { retrievalKind } from "../sources/sentence-folder.js";
import type { TextRankingOptions, TextRankingResult } from "../tasks.js";
import type { Tokenizer } from "../tokenizer/tokenizer.js";
import { isMeanScore, maxSim, tokenVectors } from "./late-interaction.js";
import type { TextTask } from "./settings.js";
import { similarity, sparse } from "./sparse.js";

/** Returns the documents of each query, best first. Documents with equal scores keep their order. */
export async function rank(
  engine: EngineModel,
  tokenizer: Tokenizer,
  inputs: readonly [query: string, documents: string[]][],
  options: TextRankingOptions,
): Promise<TextRankingResult[][]> {
  const refuse = (name: string, what: string) => new WebertError("bad_input", `text-ranking: ${name}: ${what}`);
  const { top_k = null, return_documents, function_to_apply, prompt, prompt_name, signal } = options;
  if (function_to_apply === "sigmoid")
    throw refuse("function_to_apply", "expected none for a model that compares vectors, got sigmoid");
  if ((prompt ?? prompt_name) != null) throw refuse("prompt, prompt_name", "expected none: the folder has its own");
  if (top_k !== null && !(Number.isSafeInteger(top_k) && top_k > 0))
    throw refuse("top_k", `expected a whole number of at least 1 or null, got ${top_k}`);
  const control = signal ? { signal } : {};
  const ranked: TextRankingResult[][] = [];
  for (const [query, documents] of inputs) {
    const scores = await scoresOf(engine, tokenizer, query, documents, control);
    const results = scores.map(({ score, truncated }, corpus_id) => ({
      corpus_id,
      score,
      ...(return_documents && { text: documents[corpus_id]! }),
      ...(truncated && { truncated }),
    }));
    ranked.push(results.sort((a, b) => b.score - a.score).slice(0, top_k ?? undefined));
  }
  return ranked;
}

async function scoresOf(
  engine: EngineModel,
  tokenizer: Tokenizer,
  query: string,
  documents: string[],
  control: { signal?: AbortSignal },
): Promise<{ score: number; truncated?: true | undefined }[]> {
  const of = (task: TextTask) => ({ ...control, task });
  if (retrievalKind(engine.parts.files) === "sparse") {
    const [asked] = await sparse(engine, tokenizer, [query], of("query"));
    const found = await sparse(engine, tokenizer, documents, of("document"));
    return found.map((document) => ({ score: similarity(asked!, document) }));
  }
  const [asked] = await tokenVectors(engine, tokenizer, [query], of("query"));
  const found = await tokenVectors(engine, tokenizer, documents, of("document"));
  const divisor = (await isMeanScore(engine)) ? asked!.dims[0]! : 1;
  return found.map((document) => ({
    score: maxSim(asked!, document) / divisor,
    truncated: asked!.truncated || document.truncated ? true : undefined,
  }));
}
