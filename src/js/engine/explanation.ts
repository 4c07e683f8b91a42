// Explanations, as an engine returns them.

/** Progress of an explanation. */
export interface ExplanationStep {
  /** Number of gradients computed so far, from 0 to `n_steps`. */
  step: number;
  n_steps: number;
}

/** A token's contribution to the score. */
export interface TokenAttribution {
  /** Id of the token. */
  token: number;
  token_str: string;
  attribution: number;
  /** Index of the text: 0, or 1 for the second text of a pair; null for a special token. */
  sequence_id: 0 | 1 | null;
  /** `text.slice(start, end)` is the token. */
  start: number;
  end: number;
}

/** An explanation of an answer: how much each token adds to a score. */
export interface Explanation<T = object> {
  /** The explained answer. */
  target: T;
  /** Logit of the target. For an answer in a context, the sum of the logits of its start and its end. */
  score: number;
  /**
   * For integrated gradients: the score of the baseline. The baseline is the text with padding in place of all tokens
   * except special tokens and masks.
   */
  baseline_score?: number;
  /** Error of the approximation: the sum of the attributions minus the difference of the two scores. */
  convergence_delta?: number;
  /**
   * Absolute `convergence_delta` divided by the difference. A larger `n_steps` lowers it. null if the difference is 0.
   */
  completeness_error?: number | null;
  /** Attributions of the model's tokens. */
  tokens: TokenAttribution[];
  /** True if the text was too long for the model and its end was left out. */
  truncated?: true;
}
