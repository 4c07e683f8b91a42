// Runs the encoder over a text and returns its attention between words.
import type { Tokenizer } from "webert";
import type { Model } from "../../model.ts";
import { MASK } from "../../text/offered.ts";
import { GAP } from "../../text/stretches.ts";
import { type Attention, betweenWords, type LayerAttention, type Word, wordsOf } from "./attention.ts";

/** The maximum number of words that are read and shown; more cannot be told apart. */
export const MOST_WORDS = 40;
/** The characters that are searched for these words. */
const MOST_CHARACTERS = 600;

/** The words of a text, and the attention of each head. */
export interface Read {
  words: Word[];
  attention: Attention;
  /** True if the text is longer than the part that was read. */
  cut: boolean;
}

/** The text as the model reads it, with gaps as masks, cut to the length that is shown. */
export function readable(text: string): { start: string; cut: boolean } {
  const masked = text.slice(0, 2 * MOST_CHARACTERS).replace(GAP, MASK);
  if (masked.length <= MOST_CHARACTERS) return { start: masked, cut: false };
  const space = masked.lastIndexOf(" ", MOST_CHARACTERS);
  return { start: masked.slice(0, space > 0 ? space : MOST_CHARACTERS), cut: true };
}

/** Tokens of one text, without a batch. */
interface Encoded {
  input_ids: number[];
  offset_mapping: [number, number][];
  special_tokens_mask: number[];
}

/** The beginning of a text, its words and the ids of its tokens. */
export interface Beginning {
  start: string;
  words: Word[];
  ids: number[];
  /** True if the text is longer. */
  cut: boolean;
}

/** Splits the beginning of a text into words, `most` at most. */
export function beginningOf(tokenizer: Tokenizer, text: string, most: number): Beginning {
  const encode = (text: string) =>
    tokenizer(text, {
      truncation: true,
      return_offsets_mapping: true,
      return_special_tokens_mask: true,
      return_tensor: false,
    }) as unknown as Encoded;
  let { start, cut } = readable(text);
  const wordsIn = ({ offset_mapping: offsets, special_tokens_mask: special }: Encoded) =>
    wordsOf(start, { offsets, special });
  let encoded = encode(start);
  let words = wordsIn(encoded);
  if (words.length > most) {
    start = start.slice(0, words[most - 1]!.end);
    cut = true;
    encoded = encode(start);
    words = wordsIn(encoded);
  }
  return { start, words, ids: encoded.input_ids, cut };
}

/** Runs the encoder without a head over a text. It returns attention and no vocabulary scores. */
export async function read(model: Model, text: string, signal: AbortSignal): Promise<Read> {
  const [{ model: encoder }, tokenizer] = await Promise.all([model.features(), model.tokenizer()]);
  const { words, ids, cut } = beginningOf(tokenizer, text, MOST_WORDS);
  const { attentions } = await encoder({ input_ids: [ids] }, { output_attentions: true, signal });
  return { words, attention: betweenWords(attentions as unknown as LayerAttention[], words), cut };
}
