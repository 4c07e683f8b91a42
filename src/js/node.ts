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
  AutoConfig,
  PreTrainedModel,
  PreTrainedTokenizer,
  BertPreTrainedModel, BertModel, BertForMaskedLM, BertForSequenceClassification, BertForTokenClassification,
  BertForQuestionAnswering, BertForMultipleChoice, BertForNextSentencePrediction, BertForPreTraining, BertTokenizer,
  DistilBertPreTrainedModel, DistilBertModel, DistilBertForMaskedLM, DistilBertForSequenceClassification,
  DistilBertForTokenClassification, DistilBertForQuestionAnswering, DistilBertForMultipleChoice,
  DistilBertTokenizer,
  ElectraPreTrainedModel, ElectraModel, ElectraForMaskedLM, ElectraForSequenceClassification,
  ElectraForTokenClassification, ElectraForQuestionAnswering, ElectraForMultipleChoice, ElectraForPreTraining,
  ElectraTokenizer,
  RobertaPreTrainedModel, RobertaModel, RobertaForMaskedLM, RobertaForSequenceClassification,
  RobertaForTokenClassification, RobertaForQuestionAnswering, RobertaForMultipleChoice, RobertaTokenizer,
  AlbertPreTrainedModel, AlbertModel, AlbertForMaskedLM, AlbertForSequenceClassification,
  AlbertForTokenClassification, AlbertForQuestionAnswering, AlbertForMultipleChoice, AlbertTokenizer,
} = createApi(platform);
