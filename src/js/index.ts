// The package's exports. scripts/build.mjs builds one entry per platform from this file: browsers, edge functions,
// Node.
import { platform } from "#platform";
import type { Model } from "./api/model.js";
import { createApi } from "./entries/api.js";
import type { Tokenizer } from "./tokenizer/tokenizer.js";
import type { Trainer as AnyTrainer } from "./training/training.js";
import type { TrainingTask } from "./training/training-rows.js";

export * from "./entries/common.js";

const api = createApi(platform);

/**
 * Loads a model for a task and returns the function that runs it. Models with the same weights, device, dtype and
 * threads share one encoder. `dispose` frees the model.
 * @example
 * ```ts
 * const unmask = await pipeline("fill-mask", "google-bert/bert-base-uncased");
 * const [best] = await unmask("Paris is the [MASK] of France.");
 * best?.token_str; // "capital"
 * await unmask.dispose();
 * ```
 */
export const pipeline = api.pipeline;
/**
 * Returns a checkpoint's weights as one smaller safetensors file, in int8 or half floats.
 * @example
 * ```ts
 * const weights = await convert("google-bert/bert-base-uncased", { dtype: "q8" });
 * URL.createObjectURL(weights); // to be stored as model.safetensors
 * ```
 */
export const convert = api.convert;
/** Lists the models that load without a network, and deletes their stored files. */
export const ModelRegistry = api.ModelRegistry;
/**
 * Replaces sensitive parts of a text by placeholders, and can restore them. A token-classification model finds names,
 * places etc.; rules find e-mail addresses, card numbers and IBANs. The code is fetched by the first call.
 * @example
 * ```ts
 * const { text, restore } = await redact("Anna Kovács (anna@example.org) is ill.");
 * text; // "[PERSON_1] ([EMAIL_1]) is ill."
 * restore("Get well soon, [PERSON_1]!"); // "Get well soon, Anna Kovács!"
 * ```
 */
export const redact = api.redact;
/**
 * Creates a session that redacts the texts of a conversation: the same person has the same placeholder in all of them.
 * @example
 * ```ts
 * const session = createRedactor({ model: false });
 * const { text } = await session.redact("Write to anna@example.org.");
 * session.restore("I wrote to [EMAIL_1]."); // { text: "I wrote to anna@example.org.", missing: [], unknown: [] }
 * const later = createRedactor.from(JSON.parse(JSON.stringify(session)), { model: false });
 * ```
 */
export const createRedactor = api.createRedactor;
/**
 * Fine-tunes and pre-trains models. The code and binaries are fetched by the first call.
 * @example
 * ```ts
 * const trainer = await Trainer.from_pretrained("text-classification", null, { labels: ["refund", "login"] });
 * await trainer.train([{ text: "Where is my money?", label: "refund" }, { text: "I forgot my password", label: "login" }]);
 * const classify = await trainer.pipeline();
 * const { files } = await trainer.save(); // a Source for pipeline(), a folder for Hugging Face
 * ```
 */
export const Trainer = api.Trainer;
export type Trainer<T extends TrainingTask = TrainingTask> = AnyTrainer<T>;
/**
 * Models kept under names: in the Cache API, or in Node as files.
 * @example
 * ```ts
 * await trainer.save({ name: "tickets" });
 * await saved.list(); // ["tickets"]
 * const classify = await pipeline("text-classification", { name: "tickets" });
 * const file = await saved.export("tickets"); // one file, to be downloaded or stored elsewhere
 * await saved.import("tickets again", file);
 * await saved.delete("tickets");
 * ```
 */
export const saved = api.saved;
/**
 * Trains a WordPiece vocabulary from texts.
 * @example
 * ```ts
 * const tokenizer = await trainTokenizer(texts, { vocab_size: 8000 });
 * const trainer = await Trainer.from_config("pre-training", { hidden_size: 128, num_hidden_layers: 2 }, tokenizer);
 * ```
 */
export const trainTokenizer = api.trainTokenizer;
/**
 * Creates an empty index, which finds texts by meaning and by words. The search code is fetched by the first call.
 * @example
 * ```ts
 * const index = await createIndex({ model: "sentence-transformers/all-MiniLM-L6-v2" });
 * await index.add([{ id: 1, text: "The piano stands near the window." }, { id: 2, text: "It rained all day." }]);
 * const [best] = await index.search("Where is the instrument?");
 * best?.id; // 1
 * ```
 */
export const createIndex = api.createIndex;
/**
 * Loads a saved index from its bytes, its address, or the name it was saved under. The model must be the model that
 * made the vectors. By default it is loaded by the name stored in the index.
 * @example
 * ```ts
 * const index = await loadIndex("notes"); // saved by index.save({ name: "notes" })
 * await index.search("who plays the piano");
 * ```
 */
export const loadIndex = api.loadIndex;
/**
 * Returns whether an index is stored under a name; in Node, whether the file at this path is an index.
 * @example
 * ```ts
 * const index = (await hasIndex("notes")) ? await loadIndex("notes") : await createIndex();
 * ```
 */
export const hasIndex = api.hasIndex;
/** Returns the names of all stored indexes; in Node, the paths of the indexes in a folder (by default the current one). */
export const listIndexes = api.listIndexes;
/** Deletes a stored index. Returns whether it existed. In Node it deletes the file only if it is an index. */
export const deleteIndex = api.deleteIndex;
/**
 * `from_pretrained` loads a model's tokenizer: WordPiece, byte-level BPE or Unigram.
 * @example
 * ```ts
 * const tokenizer = await AutoTokenizer.from_pretrained("google-bert/bert-base-uncased");
 * tokenizer.tokenize("unaffable"); // ["una", "##ffa", "##ble"]
 * const inputs = tokenizer(["One text.", "Another one"], { padding: true });
 * ```
 */
export const AutoTokenizer = api.AutoTokenizer;
/**
 * `from_pretrained` loads a model that is called with ids. Its head is the one named in config.json.
 * @example
 * ```ts
 * const tokenizer = await AutoTokenizer.from_pretrained("google-bert/bert-base-uncased");
 * const model = await AutoModel.from_pretrained("google-bert/bert-base-uncased");
 * const { logits } = await model(tokenizer("Paris is the [MASK] of France."));
 * logits?.dims; // [1, 9, 30522]
 * await model.dispose();
 * ```
 */
export const AutoModel = api.AutoModel;
/**
 * AutoModel with a masked-LM head: `logits` is [batch, sequence, vocabulary].
 * @example
 * ```ts
 * const model = await AutoModelForMaskedLM.from_pretrained("google-bert/bert-base-uncased");
 * const { logits } = await model(tokenizer("Paris is the [MASK] of France."));
 * ```
 */
export const AutoModelForMaskedLM = api.AutoModelForMaskedLM;
/**
 * AutoModel for classification or regression of texts: `logits` is [batch, labels].
 * @example
 * ```ts
 * const name = "distilbert/distilbert-base-uncased-finetuned-sst-2-english";
 * const model = await AutoModelForSequenceClassification.from_pretrained(name);
 * const { logits } = await model(tokenizer("What a lovely day!"));
 * model.config.id2label?.[Number(logits!.argmax().item())]; // "POSITIVE"
 * ```
 */
export const AutoModelForSequenceClassification = api.AutoModelForSequenceClassification;
/**
 * AutoModel for classification of tokens: `logits` is [batch, sequence, labels].
 * @example
 * ```ts
 * const model = await AutoModelForTokenClassification.from_pretrained("dslim/bert-base-NER");
 * const { logits } = await model(tokenizer("My name is Sarah and I live in London."));
 * ```
 */
export const AutoModelForTokenClassification = api.AutoModelForTokenClassification;
/**
 * AutoModel for answers within a context: `start_logits` and `end_logits` are [batch, sequence].
 * @example
 * ```ts
 * const name = "distilbert/distilbert-base-cased-distilled-squad";
 * const model = await AutoModelForQuestionAnswering.from_pretrained(name);
 * const inputs = tokenizer("Who wrote it?", { text_pair: "It was written by Ada." });
 * const { start_logits, end_logits } = await model(inputs);
 * ```
 */
export const AutoModelForQuestionAnswering = api.AutoModelForQuestionAnswering;
/**
 * AutoModel for multiple choice: ids are [batch, choices, sequence], `logits` is [batch, choices].
 * @example
 * ```ts
 * const model = await AutoModelForMultipleChoice.from_pretrained("./bert-swag/");
 * const { input_ids, attention_mask } = tokenizer([prompt, prompt], { text_pair: choices, padding: true });
 * const { logits } = await model({ input_ids: input_ids.unsqueeze(0), attention_mask: attention_mask.unsqueeze(0) });
 * ```
 */
export const AutoModelForMultipleChoice = api.AutoModelForMultipleChoice;
/**
 * AutoModel that predicts if one text follows another: `logits` is [batch, 2]; index 0 means that it follows.
 * @example
 * ```ts
 * const model = await AutoModelForNextSentencePrediction.from_pretrained("google-bert/bert-base-uncased");
 * const { logits } = await model(tokenizer("It was late.", { text_pair: "We went home." }));
 * ```
 */
export const AutoModelForNextSentencePrediction = api.AutoModelForNextSentencePrediction;
/**
 * `from_pretrained` reads a model's config.json.
 * @example
 * ```ts
 * const config = await AutoConfig.from_pretrained("google-bert/bert-base-uncased");
 * config.num_hidden_layers; // 12
 * ```
 */
export const AutoConfig = api.AutoConfig;
/** Base class of every model. `from_pretrained` is the same as AutoModel's. */
export const PreTrainedModel = api.PreTrainedModel;
export type PreTrainedModel = Model;
/** Base class of every tokenizer. `from_pretrained` is the same as AutoTokenizer's. */
export const PreTrainedTokenizer = api.PreTrainedTokenizer;
export type PreTrainedTokenizer = Tokenizer;
/** Classes of each family. `from_pretrained` loads a model with the named head, or a tokenizer. */
export const {
  BertPreTrainedModel,
  BertModel,
  BertForMaskedLM,
  BertForSequenceClassification,
  BertForTokenClassification,
  BertForQuestionAnswering,
  BertForMultipleChoice,
  BertForNextSentencePrediction,
  BertForPreTraining,
  BertTokenizer,
  DistilBertPreTrainedModel,
  DistilBertModel,
  DistilBertForMaskedLM,
  DistilBertForSequenceClassification,
  DistilBertForTokenClassification,
  DistilBertForQuestionAnswering,
  DistilBertForMultipleChoice,
  DistilBertTokenizer,
  ElectraPreTrainedModel,
  ElectraModel,
  ElectraForMaskedLM,
  ElectraForSequenceClassification,
  ElectraForTokenClassification,
  ElectraForQuestionAnswering,
  ElectraForMultipleChoice,
  ElectraForPreTraining,
  ElectraTokenizer,
  RobertaPreTrainedModel,
  RobertaModel,
  RobertaForMaskedLM,
  RobertaForSequenceClassification,
  RobertaForTokenClassification,
  RobertaForQuestionAnswering,
  RobertaForMultipleChoice,
  RobertaTokenizer,
  AlbertPreTrainedModel,
  AlbertModel,
  AlbertForMaskedLM,
  AlbertForSequenceClassification,
  AlbertForTokenClassification,
  AlbertForQuestionAnswering,
  AlbertForMultipleChoice,
  AlbertTokenizer,
  XLMRobertaPreTrainedModel,
  XLMRobertaModel,
  XLMRobertaForMaskedLM,
  XLMRobertaForSequenceClassification,
  XLMRobertaForTokenClassification,
  XLMRobertaForQuestionAnswering,
  XLMRobertaForMultipleChoice,
  XLMRobertaTokenizer,
  MPNetPreTrainedModel,
  MPNetModel,
  MPNetForMaskedLM,
  MPNetForSequenceClassification,
  MPNetForTokenClassification,
  MPNetForQuestionAnswering,
  MPNetForMultipleChoice,
  MPNetTokenizer,
  ModernBertPreTrainedModel,
  ModernBertModel,
  ModernBertForMaskedLM,
  ModernBertForSequenceClassification,
  ModernBertForTokenClassification,
  ModernBertForQuestionAnswering,
  DebertaPreTrainedModel,
  DebertaModel,
  DebertaForMaskedLM,
  DebertaForSequenceClassification,
  DebertaForTokenClassification,
  DebertaForQuestionAnswering,
  DebertaTokenizer,
  DebertaV2PreTrainedModel,
  DebertaV2Model,
  DebertaV2ForMaskedLM,
  DebertaV2ForSequenceClassification,
  DebertaV2ForTokenClassification,
  DebertaV2ForQuestionAnswering,
  DebertaV2ForMultipleChoice,
  DebertaV2Tokenizer,
  CamembertPreTrainedModel,
  CamembertModel,
  CamembertForMaskedLM,
  CamembertForSequenceClassification,
  CamembertForTokenClassification,
  CamembertForQuestionAnswering,
  CamembertForMultipleChoice,
  CamembertTokenizer,
  ErniePreTrainedModel,
  ErnieModel,
  ErnieForMaskedLM,
  ErnieForSequenceClassification,
  ErnieForTokenClassification,
  ErnieForQuestionAnswering,
  ErnieForMultipleChoice,
  NomicBertPreTrainedModel,
  NomicBertModel,
  NomicBertForMaskedLM,
  NomicBertForSequenceClassification,
  NomicBertForTokenClassification,
  EuroBertPreTrainedModel,
  EuroBertModel,
  EuroBertForMaskedLM,
  EuroBertForSequenceClassification,
  EuroBertForTokenClassification,
  EsmPreTrainedModel,
  EsmModel,
  EsmForMaskedLM,
  EsmForSequenceClassification,
  EsmForTokenClassification,
  EsmTokenizer,
  RoFormerPreTrainedModel,
  RoFormerModel,
  RoFormerForMaskedLM,
  RoFormerForSequenceClassification,
  RoFormerForTokenClassification,
  RoFormerForQuestionAnswering,
  RoFormerTokenizer,
  SqueezeBertPreTrainedModel,
  SqueezeBertModel,
  SqueezeBertForMaskedLM,
  SqueezeBertForSequenceClassification,
  SqueezeBertForTokenClassification,
  SqueezeBertForQuestionAnswering,
  SqueezeBertForMultipleChoice,
  SqueezeBertTokenizer,
  MobileBertPreTrainedModel,
  MobileBertModel,
  MobileBertForMaskedLM,
  MobileBertForSequenceClassification,
  MobileBertForTokenClassification,
  MobileBertForQuestionAnswering,
  MobileBertForMultipleChoice,
  MobileBertForNextSentencePrediction,
  MobileBertForPreTraining,
  MobileBertTokenizer,
  ConvBertPreTrainedModel,
  ConvBertModel,
  ConvBertForMaskedLM,
  ConvBertForSequenceClassification,
  ConvBertForTokenClassification,
  ConvBertForQuestionAnswering,
  ConvBertTokenizer,
  XLMRobertaXLPreTrainedModel,
  XLMRobertaXLModel,
  XLMRobertaXLForMaskedLM,
  XLMRobertaXLForSequenceClassification,
  XLMRobertaXLForTokenClassification,
  XLMRobertaXLForQuestionAnswering,
  XLMRobertaXLForMultipleChoice,
  RobertaPreLayerNormPreTrainedModel,
  RobertaPreLayerNormModel,
  RobertaPreLayerNormForMaskedLM,
  RobertaPreLayerNormForSequenceClassification,
  RobertaPreLayerNormForTokenClassification,
  RobertaPreLayerNormForQuestionAnswering,
  RobertaPreLayerNormForMultipleChoice,
  Data2VecTextPreTrainedModel,
  Data2VecTextModel,
  Data2VecTextForMaskedLM,
  Data2VecTextForSequenceClassification,
  Data2VecTextForTokenClassification,
  Data2VecTextForQuestionAnswering,
  Data2VecTextForMultipleChoice,
  RemBertPreTrainedModel,
  RemBertModel,
  RemBertForMaskedLM,
  RemBertForSequenceClassification,
  RemBertForTokenClassification,
  RemBertForQuestionAnswering,
  RemBertForMultipleChoice,
  RemBertTokenizer,
  MegatronBertPreTrainedModel,
  MegatronBertModel,
  MegatronBertForMaskedLM,
  MegatronBertForSequenceClassification,
  MegatronBertForTokenClassification,
  MegatronBertForQuestionAnswering,
  MegatronBertForMultipleChoice,
  GtePreTrainedModel,
  GteModel,
  GteForMaskedLM,
  GteForSequenceClassification,
  GteForTokenClassification,
  JinaEmbeddingsV3PreTrainedModel,
  JinaEmbeddingsV3Model,
  JinaEmbeddingsV3ForMaskedLM,
  JinaEmbeddingsV3ForSequenceClassification,
  JinaEmbeddingsV3ForTokenClassification,
  JinaEmbeddingsV3ForQuestionAnswering,
} = api;
