// The entry for Node, from version 20 on: the same exports, with models and wasm read from disk.
import { createApi } from "./api.js";
import { platform } from "./node-platform.js";

export * from "./common.js";

export const {
  pipeline,
  convert,
  AutoTokenizer,
  AutoModel,
  AutoModelForMaskedLM,
  AutoModelForSequenceClassification,
  AutoModelForTokenClassification,
  AutoModelForQuestionAnswering,
  AutoModelForMultipleChoice,
  AutoModelForNextSentencePrediction,
} = createApi(platform);
