// Explanations, as an engine returns them.

/** How far an explanation is. */
export interface ExplanationStep {
  /** Gradients that there are, from 0 to `n_steps`. */
  step: number;
  n_steps: number;
}

/** What a token adds to the score. */
export interface TokenAttribution {
  /** Its id. */
  token: number;
  token_str: string;
  attribution: number;
  /** Which text it is of: 0, or of two texts 1 for the second; null: a special token. */
  sequence_id: 0 | 1 | null;
  /** `text.slice(start, end)` is the token. */
  start: number;
  end: number;
}

/** Why a model says something of a text: how much each token adds to a score. */
export interface Explanation<T = object> {
  /** What is explained. */
  target: T;
  /** Its logit; of an answer the sum of those of its start and its end. */
  score: number;
  /** Of integrated gradients: the score of the baseline, the text with padding for all but its special tokens and masks. */
  baseline_score?: number;
  /** The sum of the attributions less the difference of the two scores, which it should be. */
  convergence_delta?: number;
  /** Its absolute value as a share of the difference, which more `n_steps` lower; null where there is no difference. */
  completeness_error?: number | null;
  /** One for each of the model's tokens. */
  tokens: TokenAttribution[];
  /** Where the text did not fit the model and its end was left out. */
  truncated?: true;
}
