// webert/ai-sdk: models of Vercel's AI SDK over pipelines. The objects have the shape that the SDK expects and import nothing of it.
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import type { TextRankingResult } from "../tasks.js";
import { type Answer, type Deciders, decide, type Question } from "./decide.js";
import { extract, type Field, type FieldAnswer } from "./extract.js";
import { type AnyPipeline, expectTask, ofTask } from "./pipelines.js";
import type { StatePart, Warning } from "./states.js";
import { Encoder } from "./vectors.js";

export type { Answer, Deciders, Field, FieldAnswer, Question, StatePart, Warning };

/** Names for logs, and limits. */
export interface ModelSettings {
  /**
   * Name of the model in logs and telemetry.
   * @default "webert"
   */
  id?: string;
}
export interface EmbeddingSettings extends ModelSettings {
  /** Maximum number of tokens of a text, if it is lower than the tokenizer's. */
  max_length?: number;
}

type ProviderOptions = Record<string, Record<string, unknown> | undefined>;
interface Call {
  abortSignal?: AbortSignal | undefined;
  providerOptions?: ProviderOptions | undefined;
  headers?: Record<string, string | undefined> | undefined;
}

/** An embedding model: EmbeddingModelV4. */
export interface EmbeddingModel {
  readonly specificationVersion: "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: number;
  readonly supportsParallelCalls: boolean;
  doEmbed(
    options: Call & { values: string[]; dimensions?: number | undefined },
  ): Promise<{ embeddings: number[][]; usage: { tokens: number }; warnings: Warning[] }>;
}

/** A reranking model: RerankingModelV4. */
export interface RerankingModel {
  readonly specificationVersion: "v4";
  readonly provider: string;
  readonly modelId: string;
  doRerank(
    options: Call & {
      documents: { type: "text"; values: string[] } | { type: "object"; values: object[] };
      query: string;
      topN?: number | undefined;
    },
  ): Promise<{ ranking: { index: number; relevanceScore: number }[]; warnings: Warning[] }>;
}

/** A decision model: Experimental_DecisionModelV4. */
export interface DecisionModel {
  readonly specificationVersion: "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedQuestionTypes: readonly ("choice" | "score" | "boolean")[];
  doDecide(
    options: Call & { state: readonly object[]; questions: Readonly<Record<string, object>> },
  ): Promise<{ answers: Record<string, Answer>; usage: Usage; warnings: Warning[] }>;
}

/** An extraction model: Experimental_ExtractionModelV4. */
export interface ExtractionModel {
  readonly specificationVersion: "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedFieldTypes: readonly ("text" | "list")[];
  doExtract(
    options: Call & { state: readonly object[]; fields: Readonly<Record<string, object>> },
  ): Promise<{ answers: Record<string, FieldAnswer>; usage: Usage; warnings: Warning[] }>;
}

interface Usage {
  inputTokens: number;
  outputTokens: number;
}

const facts = ({ id = "webert" }: ModelSettings, kind: string) =>
  ({ specificationVersion: "v4", provider: `webert.${kind}`, modelId: id }) as const;

/** Options of a call in `providerOptions.webert`. Others are reported as warnings. */
const CALL_OPTIONS = ["task", "prompt_name"];

function callOptions({ providerOptions }: Call): {
  options: { task?: "query"; prompt_name?: string };
  warnings: Warning[];
} {
  const given = Object.entries(providerOptions?.webert ?? {});
  const warnings = given
    .filter(([name]) => !CALL_OPTIONS.includes(name))
    .map(([name]): Warning => ({ type: "unsupported", feature: `providerOptions.webert.${name}` }));
  return { options: Object.fromEntries(given.filter(([name]) => CALL_OPTIONS.includes(name))), warnings };
}

/**
 * Returns an embedding model over a pipeline for feature-extraction. `providerOptions: { webert: { task: "query" } }`
 * selects the folder's prompt.
 * @example
 * ```ts
 * const model = embeddingModel(await pipeline("feature-extraction"));
 * const { embeddings } = await embedMany({ model, values: ["It rained.", "The piano is near the window."] });
 * ```
 */
export function embeddingModel(
  pipe: Pipeline<"feature-extraction">,
  { max_length, ...settings }: EmbeddingSettings = {},
): EmbeddingModel {
  const encoder = new Encoder(pipe, max_length ? { max_length } : {});
  return {
    ...facts(settings, "embedding"),
    maxEmbeddingsPerCall: Infinity,
    supportsParallelCalls: true,
    async doEmbed(call) {
      const { options, warnings } = callOptions(call);
      // Shorter vectors are scaled to length 1 again, as OpenAI does.
      const shorter = call.dimensions == null ? {} : { truncate_dim: call.dimensions, normalize: true };
      const { rows, tokens, truncated } = await encoder.dense(
        call.values,
        { ...options, ...shorter },
        call.abortSignal,
      );
      for (const [n, isCut] of truncated.entries())
        if (isCut) warnings.push({ type: "other", message: `values[${n}] was cut at ${encoder.limit} tokens` });
      const usage = { tokens: tokens.reduce((sum, one) => sum + one, 0) };
      return { embeddings: rows.map((row) => Array.from(row)), usage, warnings };
    },
  };
}

/**
 * Returns a reranking model over a pipeline for text-ranking. Objects are ranked by their JSON.
 * @example
 * ```ts
 * const model = rerankingModel(await pipeline("text-ranking", "cross-encoder/ms-marco-MiniLM-L6-v2"));
 * const { rerankedDocuments } = await rerank({ model, query: "Where is the piano?", documents });
 * ```
 */
export function rerankingModel(pipe: Pipeline<"text-ranking">, settings: ModelSettings = {}): RerankingModel {
  const rank = expectTask("model", pipe, "text-ranking");
  return {
    ...facts(settings, "reranking"),
    async doRerank(call) {
      const { options, warnings } = callOptions(call);
      const { documents, query, topN, abortSignal } = call;
      const texts = documents.values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
      const { prompt_name } = options;
      const ranked: TextRankingResult[] = await rank(query, texts, {
        ...(topN != null && { top_k: topN }),
        ...(prompt_name !== undefined && { prompt_name }),
        ...(abortSignal && { signal: abortSignal }),
      });
      for (const { corpus_id, truncated } of ranked)
        if (truncated) warnings.push({ type: "other", message: `documents[${corpus_id}] was cut` });
      return { ranking: ranked.map(({ corpus_id, score }) => ({ index: corpus_id, relevanceScore: score })), warnings };
    },
  };
}

/**
 * Returns a decision model. `heads` has a classifier for each question that one was trained for. `pipelines` has
 * classifiers that answer choices among their own labels, and a model for zero-shot-classification, which answers other
 * choices, scores and statements. Other questions are refused with a warning.
 * @example
 * ```ts
 * const model = decisionModel({ pipelines: [await pipeline("text-classification")] });
 * const questions = { feeling: { type: "choice", criteria: { positive: null, negative: null } } };
 * const { answers } = await experimental_decide({ model, state: "What a lovely day!", questions });
 * ```
 */
export function decisionModel(deciders: Deciders, settings: ModelSettings = {}): DecisionModel {
  const { heads = {}, pipelines = [] } = deciders ?? {};
  for (const [id, pipe] of Object.entries(heads)) expectTask(`heads: "${id}"`, pipe, "text-classification");
  if (!Object.keys(heads).length && !pipelines.length)
    throw new WebertError("bad_input", "decisionModel: expected heads or pipelines");
  return {
    ...facts(settings, "decision"),
    supportedQuestionTypes: ["choice", "score", "boolean"],
    async doDecide({ state, questions, abortSignal }) {
      const asked = questions as Record<string, Question>;
      const { tokens, ...result } = await decide({ heads, pipelines }, state as StatePart[], asked, abortSignal);
      return { ...result, usage: { inputTokens: tokens, outputTokens: 0 } };
    },
  };
}

/**
 * Returns an extraction model over pipelines for question-answering (fields whose instructions ask), token-classification
 * (fields named as one of its labels) and zero-shot-token-classification (any fields). Other fields are refused with a warning.
 * @param settings `labels`: the label of each field whose name is another
 * @example
 * ```ts
 * const model = extractionModel([await pipeline("token-classification")], { labels: { people: "PERSON" } });
 * const fields = { people: { type: "list", items: "text" } };
 * const { output } = await experimental_extract({ model, state: "Anna met Peter.", fields });
 * ```
 */
export function extractionModel(
  pipelines: readonly Pipeline[],
  { labels = {}, ...settings }: ModelSettings & { labels?: Readonly<Record<string, string>> } = {},
): ExtractionModel {
  if (!pipelines?.length) throw new WebertError("bad_input", "extractionModel: expected at least one pipeline");
  return {
    ...facts(settings, "extraction"),
    supportedFieldTypes: ["text", "list"],
    async doExtract({ state, fields, abortSignal }) {
      const asked = fields as Record<string, Field>;
      const { tokens, ...found } = await extract(pipelines, state as StatePart[], asked, labels, abortSignal);
      return { ...found, usage: { inputTokens: tokens, outputTokens: 0 } };
    },
  };
}

/** A provider for the SDK's registry: ProviderV4. */
export interface Provider {
  readonly specificationVersion: "v4";
  embeddingModel(id: string): EmbeddingModel;
  rerankingModel(id: string): RerankingModel;
  decisionModel(id: string): DecisionModel;
  extractionModel(id: string): ExtractionModel;
  languageModel(id: string): never;
  imageModel(id: string): never;
}

/**
 * Returns a provider of models by names.
 * @example
 * ```ts
 * const webert = createWebert({ minilm: await pipeline("feature-extraction") });
 * await embed({ model: webert.embeddingModel("minilm"), value: "It rained." });
 * ```
 */
export function createWebert(models: Readonly<Record<string, Pipeline | readonly Pipeline[]>>): Provider {
  const of = (id: string, modelType: string): AnyPipeline[] => {
    if (!Object.hasOwn(models, id)) throw noSuchModel(id, modelType);
    return [models[id]!].flat() as AnyPipeline[];
  };
  const none = (modelType: string) => (id: string) => {
    throw noSuchModel(id, modelType);
  };
  return {
    specificationVersion: "v4",
    embeddingModel(id) {
      const pipe = ofTask(of(id, "embeddingModel"), "feature-extraction");
      if (!pipe) throw noSuchModel(id, "embeddingModel");
      return embeddingModel(pipe, { id });
    },
    rerankingModel(id) {
      const pipe = ofTask(of(id, "rerankingModel"), "text-ranking");
      if (!pipe) throw noSuchModel(id, "rerankingModel");
      return rerankingModel(pipe, { id });
    },
    decisionModel: (id) => decisionModel({ pipelines: of(id, "decisionModel") }, { id }),
    extractionModel: (id) => extractionModel(of(id, "extractionModel"), { id }),
    languageModel: none("languageModel"),
    imageModel: none("imageModel"),
  };
}

/** Returns the error by which the SDK knows that a provider has no such model. It knows errors by these symbols. */
function noSuchModel(modelId: string, modelType: string): Error {
  const error = new Error(`No such ${modelType}: ${modelId}`);
  const marks = ["vercel.ai.error", "vercel.ai.error.AI_NoSuchModelError"].map((mark) => [Symbol.for(mark), true]);
  return Object.assign(error, { name: "AI_NoSuchModelError", modelId, modelType }, Object.fromEntries(marks));
}
