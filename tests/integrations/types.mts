// Our objects have the types that their packages declare. tests/adapters-of-others.test.mjs compiles this file.
import { createWebert, decisionModel, embeddingModel, extractionModel, rerankingModel } from "webert/ai-sdk";
import { createHandler } from "webert/fetch";
import { WebertEmbeddings, WebertReranker } from "webert/langchain";
import { webertPlugin } from "webert/orama";
import { semanticEmbedder } from "webert/semantic-embedder";
import { fuse } from "webert/stores";
import { pipeline } from "webert";
import type { EmbeddingModelV4, ProviderV4, RerankingModelV4, Experimental_DecisionModelV4, Experimental_ExtractionModelV4 } from "@ai-sdk/provider";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { BaseDocumentCompressor } from "@langchain/core/retrievers/document_compressors";
import type { OramaPlugin } from "@orama/orama";
import OpenAI from "openai";

const embed = await pipeline("feature-extraction");
const rank = await pipeline("text-ranking", "a/b");
const classify = await pipeline("text-classification");
export const a: EmbeddingModelV4 = embeddingModel(embed);
export const b: RerankingModelV4 = rerankingModel(rank);
export const c: Experimental_DecisionModelV4 = decisionModel({ pipelines: [classify], heads: { a: classify } });
export const d: Experimental_ExtractionModelV4 = extractionModel([classify]);
export const p: ProviderV4 = createWebert({ a: embed, b: [embed, rank] });
export const e: EmbeddingsInterface = new WebertEmbeddings(embed);
export const f: BaseDocumentCompressor = new WebertReranker(rank);
export const g: OramaPlugin = webertPlugin(embed, { fields: ["a"] });
export const h = new OpenAI({ fetch: createHandler({ a: embed, b: [classify, rank], c: { pipelines: embed, max_length: 3 } }) });
export const i = semanticEmbedder((options) => pipeline("feature-extraction", null, options));
export const j: { id: string }[] = fuse([["a"]]);
