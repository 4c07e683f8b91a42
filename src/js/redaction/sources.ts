// Where spans come from: rules, tables, and models. Each source reads the normal form of a text.

/** A span of a text that a source found, in UTF-16 code units of the text that the source was given. */
export interface FoundSpan {
  label: string;
  /** From 0 to 1. */
  score: number;
  start: number;
  end: number;
}

/** What a call tells a source. */
export interface SourceCall {
  /** Labels that are wanted; undefined for all. */
  labels: readonly string[] | undefined;
  signal: AbortSignal | undefined;
}

/**
 * A further source of spans beside the detectors and the token-classification model, e.g. a model that finds labels
 * named by the caller.
 */
export interface SpanSource {
  /** Name to report in messages. */
  name: string;
  /** Labels that the source can find. */
  labels: readonly string[];
  /** Maximum length of a text that `find` accepts, in UTF-16 code units. By default 600. */
  maxLength?: number;
  /** Finds spans in a text of at most `maxLength` code units. */
  find(text: string, call: SourceCall): Promise<readonly FoundSpan[]> | readonly FoundSpan[];
}
