// The entry for browsers. scripts/build.mjs makes several of it, each on a platform of its own.
import { platform } from "#platform";
import { createApi } from "./api.js";

export * from "./common.js";

const api = createApi(platform);

/** Loads a model for a task, and gives the function that runs it: `await (await pipeline("fill-mask"))("A [MASK].")`. */
export const pipeline = api.pipeline;
/** A checkpoint's weights as one smaller safetensors file: int8 or half floats. */
export const convert = api.convert;
/** `from_pretrained` loads a WordPiece tokenizer. */
export const AutoTokenizer = api.AutoTokenizer;
/** `from_pretrained` loads a model to be called with ids, with the head that its config.json names. */
export const AutoModel = api.AutoModel;
/** As AutoModel, for a masked LM: logits [batch, sequence, vocabulary]. */
export const AutoModelForMaskedLM = api.AutoModelForMaskedLM;
/** As AutoModel, for classification or regression of texts: logits [batch, labels]. */
export const AutoModelForSequenceClassification = api.AutoModelForSequenceClassification;
/** As AutoModel, for classification of tokens: logits [batch, sequence, labels]. */
export const AutoModelForTokenClassification = api.AutoModelForTokenClassification;
/** As AutoModel, for answers within a context: start_logits and end_logits [batch, sequence]. */
export const AutoModelForQuestionAnswering = api.AutoModelForQuestionAnswering;
/** As AutoModel, for multiple choice: ids [batch, choices, sequence], logits [batch, choices]. */
export const AutoModelForMultipleChoice = api.AutoModelForMultipleChoice;
/** As AutoModel, for whether one text follows another: logits [batch, 2], the first for "it does". */
export const AutoModelForNextSentencePrediction = api.AutoModelForNextSentencePrediction;
