// The package's exports. scripts/build.mjs makes an entry of them for each platform: browsers, edge functions, Node.
import { platform } from "#platform";
import { createApi } from "./api/api.js";
import type { Model } from "./api/model.js";
import type { Tokenizer } from "./api/tokenizer.js";
import type { Trainer as AnyTrainer, TrainingTask } from "./api/training.js";

export * from "./api/common.js";

const api = createApi(platform);

/**
 * Loads a model for a task, and gives the function that runs it. Models of the same weights, device, dtype and threads share
 * an encoder; `dispose` lets go of it.
 * @example
 * const unmask = await pipeline("fill-mask", "google-bert/bert-base-uncased");
 * const [best] = await unmask("Paris is the [MASK] of France.");
 * best?.token_str; // "capital"
 * await unmask.dispose();
 */
export const pipeline = api.pipeline;
/**
 * A checkpoint's weights as one smaller safetensors file: int8 or half floats.
 * @example
 * const weights = await convert("google-bert/bert-base-uncased", { dtype: "q8" });
 * URL.createObjectURL(weights); // to be stored as model.safetensors
 */
export const convert = api.convert;
/** Which models can be loaded without a network, and taking away what is kept of them. */
export const ModelRegistry = api.ModelRegistry;
/**
 * Replaces what a token-classification model finds in a text (names, places, …), and e-mail addresses, card numbers and IBANs,
 * by placeholders that can be put back. Its code is fetched by those alone who call it.
 * @example
 * const { text, restore } = await redact("Anna Kovács (anna@example.org) is ill.");
 * text; // "[PERSON_1] ([EMAIL_1]) is ill."
 * restore("Get well soon, [PERSON_1]!"); // "Get well soon, Anna Kovács!"
 */
export const redact = api.redact;
/**
 * Fine-tunes and pre-trains models. Its code and binaries are fetched by those alone who call it.
 * @example
 * const trainer = await Trainer.from_pretrained("text-classification", null, { labels: ["refund", "login"] });
 * await trainer.train([{ text: "Where is my money?", label: "refund" }, { text: "I forgot my password", label: "login" }]);
 * const classify = await trainer.pipeline();
 * const { files } = await trainer.save(); // a Source for pipeline(), a folder for Hugging Face
 */
export const Trainer = api.Trainer;
export type Trainer<T extends TrainingTask = TrainingTask> = AnyTrainer<T>;
/**
 * Makes a WordPiece vocabulary of texts.
 * @example
 * const tokenizer = await trainTokenizer(texts, { vocab_size: 8000 });
 * const trainer = await Trainer.from_config("pre-training", { hidden_size: 128, num_hidden_layers: 2 }, tokenizer);
 */
export const trainTokenizer = api.trainTokenizer;
/**
 * An empty index of texts, to be found by what they mean and by their words. What searches is fetched by those alone who call it.
 * @example
 * const index = await createIndex({ model: "sentence-transformers/all-MiniLM-L6-v2" });
 * await index.add([{ id: 1, text: "The piano stands near the window." }, { id: 2, text: "It rained all day." }]);
 * const [best] = await index.search("Where is the instrument?");
 * best?.id; // 1
 */
export const createIndex = api.createIndex;
/**
 * Reads an index that was saved: its bytes, an address, or the name by which it is kept. The model has to be that which made its
 * vectors; by default it is loaded by the name that the index has of it.
 * @example
 * const index = await loadIndex("notes"); // kept by index.save({ name: "notes" })
 * await index.search("who plays the piano");
 */
export const loadIndex = api.loadIndex;
/**
 * `from_pretrained` loads a tokenizer: WordPiece, byte-level BPE or Unigram, as the model's folder has it.
 * @example
 * const tokenizer = await AutoTokenizer.from_pretrained("google-bert/bert-base-uncased");
 * tokenizer.tokenize("unaffable"); // ["una", "##ffa", "##ble"]
 * const inputs = tokenizer(["One text.", "Another one"], { padding: true });
 */
export const AutoTokenizer = api.AutoTokenizer;
/**
 * `from_pretrained` loads a model to be called with ids, with the head that its config.json names.
 * @example
 * const tokenizer = await AutoTokenizer.from_pretrained("google-bert/bert-base-uncased");
 * const model = await AutoModel.from_pretrained("google-bert/bert-base-uncased");
 * const { logits } = await model(tokenizer("Paris is the [MASK] of France."));
 * logits?.dims; // [1, 9, 30522]
 * await model.dispose();
 */
export const AutoModel = api.AutoModel;
/**
 * As AutoModel, for a masked LM: logits [batch, sequence, vocabulary].
 * @example
 * const model = await AutoModelForMaskedLM.from_pretrained("google-bert/bert-base-uncased");
 * const { logits } = await model(tokenizer("Paris is the [MASK] of France."));
 */
export const AutoModelForMaskedLM = api.AutoModelForMaskedLM;
/**
 * As AutoModel, for classification or regression of texts: logits [batch, labels].
 * @example
 * const name = "distilbert/distilbert-base-uncased-finetuned-sst-2-english";
 * const model = await AutoModelForSequenceClassification.from_pretrained(name);
 * const { logits } = await model(tokenizer("What a lovely day!"));
 * model.config.id2label?.[Number(logits!.argmax().item())]; // "POSITIVE"
 */
export const AutoModelForSequenceClassification = api.AutoModelForSequenceClassification;
/**
 * As AutoModel, for classification of tokens: logits [batch, sequence, labels].
 * @example
 * const model = await AutoModelForTokenClassification.from_pretrained("dslim/bert-base-NER");
 * const { logits } = await model(tokenizer("My name is Sarah and I live in London."));
 */
export const AutoModelForTokenClassification = api.AutoModelForTokenClassification;
/**
 * As AutoModel, for answers within a context: start_logits and end_logits [batch, sequence].
 * @example
 * const name = "distilbert/distilbert-base-cased-distilled-squad";
 * const model = await AutoModelForQuestionAnswering.from_pretrained(name);
 * const inputs = tokenizer("Who wrote it?", { text_pair: "It was written by Ada." });
 * const { start_logits, end_logits } = await model(inputs);
 */
export const AutoModelForQuestionAnswering = api.AutoModelForQuestionAnswering;
/**
 * As AutoModel, for multiple choice: ids [batch, choices, sequence], logits [batch, choices].
 * @example
 * const model = await AutoModelForMultipleChoice.from_pretrained("./bert-swag/");
 * const { input_ids, attention_mask } = tokenizer([prompt, prompt], { text_pair: choices, padding: true });
 * const { logits } = await model({ input_ids: input_ids.unsqueeze(0), attention_mask: attention_mask.unsqueeze(0) });
 */
export const AutoModelForMultipleChoice = api.AutoModelForMultipleChoice;
/**
 * As AutoModel, for whether one text follows another: logits [batch, 2], the first for "it does".
 * @example
 * const model = await AutoModelForNextSentencePrediction.from_pretrained("google-bert/bert-base-uncased");
 * const { logits } = await model(tokenizer("It was late.", { text_pair: "We went home." }));
 */
export const AutoModelForNextSentencePrediction = api.AutoModelForNextSentencePrediction;
/**
 * `from_pretrained` reads a model's config.json.
 * @example
 * const config = await AutoConfig.from_pretrained("google-bert/bert-base-uncased");
 * config.num_hidden_layers; // 12
 */
export const AutoConfig = api.AutoConfig;
/** Every model is an instance; `from_pretrained` is AutoModel's. */
export const PreTrainedModel = api.PreTrainedModel;
export type PreTrainedModel = Model;
/** Every tokenizer is an instance; `from_pretrained` is AutoTokenizer's. */
export const PreTrainedTokenizer = api.PreTrainedTokenizer;
export type PreTrainedTokenizer = Tokenizer;
/** The classes of each family: `from_pretrained` loads a model with that head, or a tokenizer. */
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
} = api;
