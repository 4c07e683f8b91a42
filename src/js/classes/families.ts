// The model and tokenizer classes of transformers.js that are supported: every family with every head, from two
// lists.

import { type ClassOf, classOf, PreTrainedModel, PreTrainedTokenizer } from "./classes.js";

/** Prefix of a family's class names, by `model_type`. */
const FAMILIES = {
  bert: "Bert",
  distilbert: "DistilBert",
  electra: "Electra",
  roberta: "Roberta",
  "xlm-roberta": "XLMRoberta",
  albert: "Albert",
  mpnet: "MPNet",
  modernbert: "ModernBert",
  // before "Deberta", which its names begin with
  "deberta-v2": "DebertaV2",
  deberta: "Deberta",
  camembert: "Camembert",
  "data2vec-text": "Data2VecText",
  "xlm-roberta-xl": "XLMRobertaXL",
  "roberta-prelayernorm": "RobertaPreLayerNorm",
  ernie: "Ernie",
  rembert: "RemBert",
  "megatron-bert": "MegatronBert",
  nomic_bert: "NomicBert",
  gte: "Gte",
  jina_embeddings_v3: "JinaEmbeddingsV3",
  eurobert: "EuroBert",
  esm: "Esm",
  roformer: "RoFormer",
  squeezebert: "SqueezeBert",
  mobilebert: "MobileBert",
  convbert: "ConvBert",
} as const;

/**
 * Suffixes of model class names, with the heads they accept (names as in `info.head`, preferred one first) and a
 * description.
 */
export const HEADS = {
  Model: { heads: ["none"], what: "states alone" },
  ForMaskedLM: { heads: ["masked-lm", "pretraining"], what: "masked language modelling" },
  ForSequenceClassification: { heads: ["sequence-classification"], what: "sequence classification" },
  ForTokenClassification: { heads: ["token-classification"], what: "token classification" },
  ForQuestionAnswering: { heads: ["question-answering"], what: "question answering" },
  ForMultipleChoice: { heads: ["multiple-choice"], what: "multiple choice" },
  ForNextSentencePrediction: { heads: ["next-sentence-prediction", "pretraining"], what: "next sentence prediction" },
  ForPreTraining: { heads: ["pretraining"], what: "pre-training" },
} as const;

/** Returns the entry of HEADS for a family. ELECTRA has a different head for pre-training. */
export function kindOf(family: Family, head: HeadName): { heads: readonly string[]; what: string } {
  return family === "Electra" && head === "ForPreTraining"
    ? { heads: ["replaced-token-detection"], what: "replaced token detection" }
    : HEADS[head];
}

export type Family = (typeof FAMILIES)[keyof typeof FAMILIES];
export type HeadName = keyof typeof HEADS;
export type ModelName = `${Family}${HeadName}`;
export type TokenizerName = `${Family}Tokenizer`;

export const FAMILY_NAMES: readonly Family[] = Object.values(FAMILIES);
export const HEAD_NAMES = Object.keys(HEADS) as HeadName[];

/** Creates each class when it is first requested. */
function onDemand<T>(make: (name: string) => ClassOf<T>): (name: string) => ClassOf<T> {
  const made = new Map<string, ClassOf<T>>();
  return (name) => {
    const found = made.get(name) ?? make(name);
    made.set(name, found);
    return found;
  };
}

/** Returns the base class of a family's models, e.g. `BertPreTrainedModel`. */
export const familyClass = onDemand<unknown>((family) => classOf(`${family}PreTrainedModel`, PreTrainedModel));

/** Returns the class of a family's models with a head, e.g. `BertForMaskedLM`. */
export const modelClass = onDemand<unknown>((name) =>
  classOf(name, familyClass(FAMILY_NAMES.filter((family) => name.startsWith(family)).at(-1)!)),
);

/** Returns the class of a family's tokenizers, e.g. `BertTokenizer`. */
export const tokenizerClass = onDemand<unknown>((name) => classOf(name, PreTrainedTokenizer));

/** Returns the class of a loaded model. */
export function classOfModel({ model_type, head }: { model_type: string; head: string }): ClassOf<unknown> {
  const family = Object.hasOwn(FAMILIES, model_type) ? FAMILIES[model_type as keyof typeof FAMILIES] : undefined;
  const name = HEAD_NAMES.find((end) => HEADS[end].heads[0] === head) ?? "ForPreTraining";
  return family ? modelClass(`${family}${name}`) : PreTrainedModel;
}

/** Returns the class of a tokenizer by the name in tokenizer_config.json, with or without "Fast". */
export function classOfTokenizer(name: unknown): ClassOf<unknown> {
  const plain = typeof name === "string" ? name.replace(/Fast$/, "") : "";
  return FAMILY_NAMES.some((family) => plain === `${family}Tokenizer`) ? tokenizerClass(plain) : PreTrainedTokenizer;
}
