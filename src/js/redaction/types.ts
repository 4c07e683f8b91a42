import type { Pipeline } from "../api/pipeline.js";
import type { ModelOptions } from "../engine/open.js";
import type { Source } from "../source.js";
import type { CallOptions, TokenClassificationGroup } from "../tasks.js";

/** Names of the rules. E-mail addresses are found by their form, card numbers and IBANs by form and checksum. */
export type PatternName = "email" | "card" | "iban";

/** Options of `redact`. It also accepts the options of loading a model, unless `model` is a loaded pipeline. */
export interface RedactOptions extends Omit<ModelOptions, "signal">, CallOptions {
  /**
   * The model that finds entities, for token-classification or a GLiNER model: a source, or a loaded pipeline. The first call loads the source. Later calls with
   * the same source and options use the loaded model, until another source replaces it or `redact.dispose()` frees it.
   * false uses only `patterns`. By default the default model of token-classification.
   */
  model?: Source | Pipeline<"token-classification"> | Pipeline<"zero-shot-token-classification"> | false | null;
  /**
   * Labels to replace, without `B-` and `I-`, including labels of `patterns`. By default all except "O". A GLiNER model
   * finds exactly these labels, and all rules apply beside them.
   */
  labels?: readonly string[] | null;
  /**
   * Minimum score of the model's entities, from 0 to 1. 0 replaces all of them. With a GLiNER model the default is 0.5.
   * @default 0
   */
  threshold?: number | null;
  /**
   * Rules to apply in addition to the model. By default all. E-mail addresses have the label "EMAIL", the others
   * "ID".
   */
  patterns?: readonly PatternName[] | null;
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
}

/** A replaced entity. `word` is `text.slice(start, end)` of the original text; `placeholder` is in its place. */
export interface RedactedEntity extends TokenClassificationGroup {
  placeholder: string;
  /** The rule that found it; absent if the model did. */
  pattern?: PatternName;
}

/** A text with placeholders, and what they replace. */
export interface Redaction {
  text: string;
  /** Ordered by their position. */
  entities: RedactedEntity[];
  /**
   * Replaces every placeholder in a text by its original word, wherever and however often it occurs. Applied to
   * `text`, it returns the original text. If several texts were redacted in one call, each result knows the
   * placeholders of all.
   */
  restore(text: string): string;
}

/** `redact` of a platform. */
export interface Redact {
  (text: string, options?: RedactOptions | null): Promise<Redaction>;
  (texts: readonly string[], options?: RedactOptions | null): Promise<Redaction[]>;
  /** Frees the model that the last call loaded. Calls in progress end first. The next call loads the model again. */
  dispose(): Promise<void>;
}
