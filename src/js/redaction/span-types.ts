// What is found in a text.

/** A range of a text, in UTF-16 code units. */
export interface Range {
  start: number;
  end: number;
}

/** An entity found by a detector, a pattern, a source or the model. */
export interface Span extends Range {
  label: string;
  score: number;
  /** The detector or pattern that found it; absent if a model did. */
  pattern?: string;
  /** Precedence among spans of detectors and patterns: the smallest wins. */
  rank?: number;
  /** The range of the entity before it was cut at line ends. All pieces get the same placeholder. */
  whole?: Range;
}
