// The options and results of `redact`.
import type { Pipeline } from "../api/pipeline.js";
import type { ModelOptions } from "../engine/open.js";
import type { Source } from "../source.js";
import type { CallOptions, CallProgress, TokenClassificationGroup, TokenClassificationOptions } from "../tasks.js";
import type { DetectorName } from "./detectors/names.js";
import type { SpanSource } from "./sources.js";

export type { DetectorName } from "./detectors/names.js";
export type { FoundSpan, SpanSource } from "./sources.js";

/** Names of the rules. */
export type PatternName = DetectorName;

/** A rule of the caller: what it finds gets the label. */
export interface OwnPattern {
  label: string;
  /** A regular expression, or a function that returns ranges of the text. */
  pattern: RegExp | ((text: string) => readonly { start: number; end: number }[]);
  /** Name to report in `entity.pattern`. By default the label. */
  name?: string;
}

/** What takes the place of an entity. */
export type ReplaceWay = "placeholder" | "mask" | "hash" | "last4" | "surrogate" | "date-shift";

/** Numbers to add to the logits of labels. */
export type LabelBias = NonNullable<TokenClassificationOptions["label_bias"]>;

/** Options of `redact`. It also accepts the options of loading a model, unless `model` is a loaded pipeline. */
export interface RedactOptions extends Omit<ModelOptions, "signal">, CallOptions {
  /**
   * The model that finds entities, for token-classification or a GLiNER model: a source, or a loaded pipeline. The
   * first call loads the source. Later calls with
   * the same source and options use the loaded model, until another source replaces it or `redact.dispose()` frees it.
   * false uses only the detectors and patterns. By default the default model of token-classification.
   */
  model?: Source | Pipeline<"token-classification"> | Pipeline<"zero-shot-token-classification"> | false | null;
  /**
   * Labels to replace, without `B-` and `I-`, including labels of detectors. By default all except "O". A GLiNER model
   * finds exactly these labels, and all detectors apply beside them.
   */
  labels?: readonly string[] | null;
  /**
   * Minimum score of the model's entities, from 0 to 1: one for all labels, or one for each label. 0 replaces all. With a
   * GLiNER model the default is 0.5.
   * @default 0
   */
  threshold?: number | Readonly<Record<string, number>> | null;
  /**
   * Numbers that are added to the logits of the model's labels, as in token-classification: `{ O: -2 }` finds more than
   * `{ O: -1 }`, and takes more words that are not personal. By default what config.json says: in the package's model less for
   * "O", and in English still less. `{}` adds nothing. Not for GLiNER models.
   */
  label_bias?: LabelBias | null;
  /** Detectors to apply in addition to the model: see docs/redaction.md. By default all; `[]` applies none. */
  detectors?: readonly DetectorName[] | null;
  /**
   * Own patterns, in addition to the detectors. Names of detectors may stand here as well: a list with names, or an
   * empty list, applies no other detectors.
   */
  patterns?: readonly (DetectorName | OwnPattern)[] | null;
  /** Further sources of spans, e.g. another model. */
  sources?: readonly SpanSource[] | null;
  /** Words that are never replaced. A string must equal the whole entity, regardless of case. */
  allow?: readonly (string | RegExp)[] | null;
  /** Words that are always replaced, as whole words and regardless of case. Their label is "CUSTOM" by default. */
  deny?: readonly (string | { word: string; label: string })[] | null;
  /**
   * What takes the place of an entity: one way for all labels, or one for each label. Labels without a way get
   * placeholders.
   * @default "placeholder"
   */
  replace?: ReplaceWay | Readonly<Record<string, ReplaceWay>> | null;
  /** Secret of "hash", "surrogate" and "date-shift": the same salt replaces the same data in the same way. */
  salt?: string | null;
  /**
   * Whether capital letters decide about names in languages other than English: a name needs one, and a word with one
   * within a sentence is a name. By default true for models whose vocabulary is in lower case and whose config.json says
   * so (`"lower_case": true`), as the package's model.
   */
  capitals?: boolean | null;
  /**
   * Returns the placeholder of an entity; by default `[LABEL_1]`. `number` starts at 1 for each label and grows with
   * each further entity. If the text already contains the result, the function is called again with the next number.
   * @example
   * ```ts
   * redact(text, { placeholder: (label, number) => `<${label.toLowerCase()} ${number}>` })
   * ```
   */
  placeholder?: ((label: string, number: number, word: string) => string) | null;
  /**
   * How tokens are grouped to entities: see `TokenClassificationOptions`.
   * @default "first"
   */
  aggregation_strategy?: "simple" | "first" | "average" | "max" | null;
  /** Receives the progress. `loaded` and `total` count UTF-16 code units of all texts. */
  onProgress?: ((progress: CallProgress) => unknown) | null;
}

/** A replaced entity. `word` is `text.slice(start, end)` of the original text; `placeholder` is in its place. */
export interface RedactedEntity extends TokenClassificationGroup {
  placeholder: string;
  /** The detector or pattern that found it; absent if the model did. */
  pattern?: string;
}

/** A text with placeholders, and what they replace. */
export interface Redaction {
  text: string;
  /** Ordered by their position. */
  entities: RedactedEntity[];
  /**
   * Replaces every placeholder in a text by its original word, wherever and however often it occurs. Applied to
   * `text`, it returns the original text. If several texts were redacted in one call, each result knows the
   * placeholders of all. Returns a string; if the text contains placeholders that nobody was given, the object
   * `{ text, missing, unknown }`. `String(restore(text))` is the restored text in both cases.
   */
  restore(text: string): string | Restored;
}

/** A restored text, with what differs from the placeholders that were handed out. */
export interface Restored {
  text: string;
  /** Placeholders of the last redacted text that the restored text does not contain. */
  missing: string[];
  /** Parts of the text that look like placeholders and that no entity has. They are left as they are. */
  unknown: string[];
}

/** The state of a session as JSON. It contains the original words, so it is as secret as the texts. */
export interface SavedRedactor {
  version: 1;
  /** What the placeholders stand for: label, placeholder, spellings, and the index of the preferred spelling. */
  things: { label: string; placeholder: string; forms: string[]; main: number; byForm?: Record<string, string> }[];
  /** Redacted texts by their hash: place, number of the thing and of its spelling for each placeholder. */
  texts: { hash: string; length: number; places: number[] }[];
  /** Forms of placeholders that texts contained before. */
  taken: string[];
  /** The secret of surrogates and shifted dates. */
  seed: string;
}

/** Redacts the texts of a conversation: the same person has the same placeholder in all of them. */
export interface RedactionSession {
  redact(text: string, options?: CallOptions | null): Promise<Redaction>;
  redact(texts: readonly string[], options?: CallOptions | null): Promise<Redaction[]>;
  /** Restores a text that may contain placeholders of all texts of the session, also as language models write them. */
  restore(text: string): Restored;
  /** Restores a stream of text. A placeholder may be split over several chunks. */
  restoreStream(): TransformStream<string, string>;
  /** Returns the session's state for `createRedactor.from`. */
  toJSON(): SavedRedactor;
  /** Resolves when the code is loaded. `restore` of a session made by `from` needs it. */
  readonly ready: Promise<void>;
}

/** `createRedactor` of a platform. */
export interface CreateRedactor {
  /** Takes the options of `redact`, except `signal`, which belongs to each call. */
  (options?: Omit<RedactOptions, "signal"> | null): RedactionSession;
  /** Continues a saved session. The functions among the options are not saved and must be given again. */
  from(saved: SavedRedactor, options?: Omit<RedactOptions, "signal"> | null): RedactionSession;
}

/** `redact` of a platform. */
export interface Redact {
  (text: string, options?: RedactOptions | null): Promise<Redaction>;
  (texts: readonly string[], options?: RedactOptions | null): Promise<Redaction[]>;
  /** Frees the model that the last call loaded. Calls in progress end first. The next call loads the model again. */
  dispose(): Promise<void>;
}
