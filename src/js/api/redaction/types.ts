import type { Source } from "../../checkpoint/source.js";
import type { ModelOptions } from "../../platforms/platform.js";
import type { Pipeline } from "../pipeline.js";
import type { CallOptions, TokenClassificationGroup } from "../tasks.js";

/** What is found by rule: e-mail addresses by their form, card numbers and IBANs by their checksums as well. */
export type PatternName = "email" | "card" | "iban";

/** Options of `redact`. Beside these it takes those of loading a model, unless `model` is a pipeline that is loaded. */
export interface RedactOptions extends Omit<ModelOptions, "signal">, CallOptions {
  /**
   * The token-classification model, by its source or as a pipeline that is loaded already, which stays as it is. A source is
   * loaded for the call and let go of after it. By default the default model of token-classification. false: `patterns` alone.
   */
  model?: Source | Pipeline<"token-classification"> | false | null;
  /** Labels to replace, without `B-` and `I-`, also those of `patterns`; by default all but "O". */
  labels?: readonly string[] | null;
  /** Least score of what the model finds, from 0 to 1; 0, which replaces all that it finds. */
  threshold?: number | null;
  /** What is found by rule beside the model; by default all. E-mail addresses have the label "EMAIL", the others "ID". */
  patterns?: readonly PatternName[] | null;
  /**
   * The placeholder of an entity; by default `[LABEL_1]`. `number` is 1 for the first entity of a label and grows by one for
   * each other one. Where the text already has what is given, it is called again with the next number.
   * @example redact(text, { placeholder: (label, number) => `<${label.toLowerCase()} ${number}>` })
   */
  placeholder?: ((label: string, number: number, word: string) => string) | null;
  /** How tokens become entities: see `TokenClassificationOptions`; "first". */
  aggregation_strategy?: "simple" | "first" | "average" | "max" | null;
}

/** What was replaced: `text.slice(start, end)` of the text given is `word`, and `placeholder` is in its place. */
export interface RedactedEntity extends TokenClassificationGroup {
  placeholder: string;
  /** The rule that found it; absent where the model did. */
  pattern?: PatternName;
}

/** A text with placeholders in the place of what was found. */
export interface Redaction {
  text: string;
  /** In order of their place. */
  entities: RedactedEntity[];
  /**
   * Puts what was replaced back into a text, wherever a placeholder stands in it and however often. Of `text` it gives the
   * text that was redacted. Of several texts that were redacted at once, each knows the placeholders of all.
   */
  restore(text: string): string;
}

/** `redact` on a platform. */
export interface Redact {
  (text: string, options?: RedactOptions | null): Promise<Redaction>;
  (texts: readonly string[], options?: RedactOptions | null): Promise<Redaction[]>;
}
