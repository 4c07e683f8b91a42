// What the encoder computes for the visitor's sentence, with the values inside its layers.
import type { ModelOutput, Tokenizer } from "webert";
import type { Model } from "../../model.ts";
import { type Attention, betweenWords, type LayerAttention, type Word } from "../look/attention.ts";
import { beginningOf } from "../look/read.ts";

/** Maximum number of words; more would not fit on a screen. */
const MOST_WORDS = 24;

/** A matrix of one layer, as the model returns it. */
interface Layer {
  dims: readonly number[];
  data: Float32Array;
}

/** A sentence as its tokens. */
export interface Tokens {
  text: string;
  words: Word[];
  ids: number[];
  /** The piece of each id. */
  pieces: string[];
}

/** A sentence as its tokens, and the encoder's values. */
export interface Inside extends Tokens {
  /** The embeddings' output, then each layer's: [1, tokens, hidden]. */
  states: Layer[];
  /** Attention between words. */
  attention: Attention;
  /** Attention before the softmax of each layer: [1, heads, tokens, tokens]. */
  scores: Layer[];
  /** Attention after it. */
  shares: Layer[];
  /** What the feed-forward's units return, per layer: [1, tokens, units]. */
  activations: Layer[];
}

const ASKED = {
  output_hidden_states: true,
  output_attentions: true,
  output_attention_scores: true,
  output_activations: true,
};

/** The tokens of the beginning of a text. */
export function tokensOf(tokenizer: Tokenizer, whole: string): Tokens {
  const { start: text, words, ids: raw } = beginningOf(tokenizer, whole, MOST_WORDS);
  const ids = raw.map(Number);
  return { text, words, ids, pieces: tokenizer.convert_ids_to_tokens(ids).map((piece) => piece ?? "") };
}

/** Runs the encoder over the beginning of a text. */
export async function look(model: Model, whole: string, signal: AbortSignal): Promise<Inside> {
  const [{ model: encoder }, tokenizer] = await Promise.all([model.inspected(), model.tokenizer()]);
  const tokens = tokensOf(tokenizer, whole);
  const found: ModelOutput = await encoder({ input_ids: [tokens.ids] }, { ...ASKED, signal });
  const layers = (tensors: ModelOutput["attentions"]) => tensors as unknown as Layer[];
  return {
    ...tokens,
    states: layers(found.hidden_states),
    attention: betweenWords(found.attentions as unknown as LayerAttention[], tokens.words),
    scores: layers(found.attention_scores),
    shares: layers(found.attentions),
    activations: layers(found.activations),
  };
}

/** The numbers of a token in a layer's matrix. A view, not a copy. */
export function rowOf({ dims, data }: Layer, token: number): Float32Array {
  const width = dims.at(-1)!;
  return data.subarray(token * width, (token + 1) * width);
}

/** The cosine of two rows: 1 for the same direction. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, one, other] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    dot += a[at]! * b[at]!;
    one += a[at]! ** 2;
    other += b[at]! ** 2;
  }
  return dot / Math.sqrt(one * other || 1);
}

/** A key of a query: its score q · k / √32, and its share after the softmax. */
export interface ScoredKey {
  token: number;
  score: number;
  share: number;
}

/** The keys of a token in a head, the greatest share first. */
export function scoredKeys({ scores, shares }: Inside, layer: number, head: number, from: number): ScoredKey[] {
  const [before, after] = [scores[layer]!, shares[layer]!];
  const length = before.dims.at(-1)!;
  const start = (head * length + from) * length;
  return Array.from({ length }, (_, token) => ({
    token,
    score: before.data[start + token]!,
    share: after.data[start + token]!,
  })).sort((a, b) => b.share - a.share);
}

/** A unit counts as active above this value; GELU lets small negative values through. */
const ACTIVE = 0.1;

/** The units that are active for a token in a layer, the strongest first. */
export function activeUnits({ activations }: Inside, layer: number, token: number): { unit: number; value: number }[] {
  return Array.from(rowOf(activations[layer]!, token), (value, unit) => ({ unit, value }))
    .filter(({ value }) => value > ACTIVE)
    .sort((a, b) => b.value - a.value);
}

/** The numbers of weights of an encoder with these sizes, without biases and norms. */
export function weightsOf({ hidden, units, layers, vocabulary, positions }: Record<string, number>) {
  const [attention, forward] = [layers! * 4 * hidden! ** 2, layers! * 2 * hidden! * units!];
  return { attention, forward, embeddings: (vocabulary! + positions! + 2) * hidden! };
}
