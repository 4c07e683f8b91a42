import type { Convert } from "./convert.js";
import { createModelClass, type ModelClass } from "./model.js";
import { createPipeline, type PipelineFunction } from "./pipeline.js";
import { env } from "./env.js";
import type { Platform } from "./platform.js";
import { createTokenizerClass, type TokenizerClass } from "./tokenizer.js";

/** What is exported, apart from what is the same everywhere. */
export interface Api {
  pipeline: PipelineFunction;
  convert: Convert;
  AutoTokenizer: TokenizerClass;
  AutoModel: ModelClass;
  AutoModelForMaskedLM: ModelClass;
  AutoModelForSequenceClassification: ModelClass;
  AutoModelForTokenClassification: ModelClass;
  AutoModelForQuestionAnswering: ModelClass;
  AutoModelForMultipleChoice: ModelClass;
  AutoModelForNextSentencePrediction: ModelClass;
}

/** The API on a platform. */
export function createApi(platform: Platform): Api {
  Object.assign(env.defaultModels, platform.models);
  const model = (what: string, ...heads: string[]) => createModelClass(platform, what, heads);
  return {
    pipeline: createPipeline(platform),
    // Fetched by those alone who convert.
    convert: async (...args) => (await import("./convert.js")).createConvert(platform)(...args),
    AutoTokenizer: createTokenizerClass(platform),
    AutoModel: createModelClass(platform),
    AutoModelForMaskedLM: model("masked language modelling", "masked-lm", "pretraining"),
    AutoModelForSequenceClassification: model("sequence classification", "sequence-classification"),
    AutoModelForTokenClassification: model("token classification", "token-classification"),
    AutoModelForQuestionAnswering: model("question answering", "question-answering"),
    AutoModelForMultipleChoice: model("multiple choice", "multiple-choice"),
    AutoModelForNextSentencePrediction: model("next sentence prediction", "next-sentence-prediction", "pretraining"),
  };
}
