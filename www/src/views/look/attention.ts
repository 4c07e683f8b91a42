// Attention between words. The model returns attention between pieces of words, for each head of each layer.

/** A word as the reader sees it, `text.slice(start, end)`, and its tokens. */
export interface Word {
  text: string;
  start: number;
  end: number;
  tokens: number[];
}

/** The fields of an encoding that words are made from, for one text. `special`: 1 for a token that is not part of the text. */
export interface Pieces {
  offsets: readonly (readonly [number, number])[];
  special: readonly number[];
}

/** Words joined by an apostrophe are one word: "don't". */
const APOSTROPHE = /^['’ʼ]$/u;
const LETTER = /\p{L}/u;

/** The words of a text: adjacent tokens whose letters or digits continue across the cut. A punctuation mark is a word. */
export function wordsOf(text: string, { offsets, special }: Pieces): Word[] {
  const words: Word[] = [];
  for (const [token, [start, end]] of offsets.entries()) {
    if (special[token] || end <= start) continue;
    const last = words.at(-1);
    if (last && last.end === start && goesOn(text, last, start, end)) {
      last.end = end;
      last.text = text.slice(last.start, end);
      last.tokens.push(token);
    } else words.push({ text: text.slice(start, end), start, end, tokens: [token] });
  }
  return words;
}

/** Returns whether the token from `start` to `end` continues the word before it. */
function goesOn(text: string, word: Word, start: number, end: number): boolean {
  const [before, here] = [text[start - 1]!, text.slice(start, end)];
  if (/[\p{L}\p{M}\p{N}]/u.test(before)) {
    if (/^[\p{L}\p{M}\p{N}]/u.test(here)) return !/\p{Script=Han}/u.test(before + here[0]);
    return APOSTROPHE.test(here) && LETTER.test(before) && LETTER.test(text[end] ?? "");
  }
  return APOSTROPHE.test(before) && LETTER.test(here[0]!) && LETTER.test(word.text[0]!) && word.text.length > 1;
}

/** Characters of a word with its punctuation that fit on any line. */
const FITS = 20;

/** The indices of words, with punctuation attached, so that no line begins with a full stop. */
export function runsOf(words: readonly Word[]): number[][] {
  const runs: number[][] = [];
  for (const [at, { text, start, end }] of words.entries()) {
    const run = runs.at(-1);
    const isMark = !/[\p{L}\p{N}]/u.test(text);
    if (run && isMark && words[at - 1]!.end === start && end - words[run[0]!]!.start <= FITS) run.push(at);
    else runs.push([at]);
  }
  return runs;
}

/** The attention of a model's heads in a text of `count` words. */
export interface Attention {
  layers: number;
  heads: number;
  count: number;
  /** `shares[(head * count + from) * count + to]`, heads counted through all layers: the share of `from`'s attention that is on `to`. */
  shares: Float32Array;
  /** `elsewhere[head * count + from]`: the share on [CLS], [SEP] and other tokens that are not words. */
  elsewhere: Float32Array;
}

/** A layer's attention as the model returns it: dims [1, heads, query, key]. */
export interface LayerAttention {
  dims: readonly number[];
  data: ArrayLike<number>;
}

/**
 * Converts attention between tokens to attention between words. A word receives the sum over its pieces, and its own attention is the
 * mean over its pieces. The shares of a word therefore still add up to 1 (Clark et al. 2019, "What Does BERT Look At?").
 */
export function betweenWords(layers: readonly LayerAttention[], words: readonly Word[]): Attention {
  const heads = layers[0]?.dims[1] ?? 0;
  const count = words.length;
  const shares = new Float32Array(layers.length * heads * count * count);
  const elsewhere = new Float32Array(layers.length * heads * count);
  for (const [layer, { dims, data }] of layers.entries()) {
    const length = dims[3]!;
    for (let head = 0; head < heads; head++) {
      const all = layer * heads + head;
      for (const [from, { tokens }] of words.entries()) {
        let inside = 0;
        for (const [to, target] of words.entries()) {
          let sum = 0;
          for (const query of tokens)
            for (const key of target.tokens) sum += data[(head * length + query) * length + key]!;
          inside += shares[(all * count + from) * count + to] = sum / tokens.length;
        }
        elsewhere[all * count + from] = Math.max(0, 1 - inside);
      }
    }
  }
  return { layers: layers.length, heads, count, shares, elsewhere };
}

/** The place of a head, layer and index from 0. */
export interface Place {
  layer: number;
  head: number;
}

/** A head by its index through all layers. */
export const headAt = ({ heads }: Pick<Attention, "heads">, layer: number, head: number) => layer * heads + head;

/** A word's attention in a head: the shares of all words. A view, not a copy. */
export function looks({ shares, count }: Attention, head: number, from: number): Float32Array {
  const start = (head * count + from) * count;
  return shares.subarray(start, start + count);
}

/** The word with the largest share, the first of equal ones; `except` is not considered. Returns -1 if no word is left. */
export function strongest(row: ArrayLike<number>, except = -1): number {
  let best = -1;
  for (let to = 0; to < row.length; to++) if (to !== except && (best < 0 || row[to]! > row[best]!)) best = to;
  return best;
}

/** The mean share of a head's attention that is not on words. */
export function idle({ elsewhere, count }: Attention, head: number): number {
  let sum = 0;
  for (let from = 0; from < count; from++) sum += elsewhere[head * count + from]!;
  return count ? sum / count : 1;
}

/** If the words of a head put this share of their attention on [CLS] and [SEP], the head attends to nothing in the text. */
export const IDLE = 0.8;

/** For each word of a head, its arc to the word with most attention, if the share is at least `least`. */
export interface Arc {
  from: number;
  to: number;
  share: number;
}

/** The arcs of a word to words with at least `least` of its attention, the strongest first. An arc to itself is left out. */
export function arcsOf(attention: Attention, head: number, from: number, least = 0.05): Arc[] {
  return Array.from(looks(attention, head, from), (share, to) => ({ from, to, share }))
    .filter(({ to, share }) => to !== from && share >= least)
    .sort((a, b) => b.share - a.share);
}

/** Each word's arc to the other word with most attention, if the share is at least `least`. */
export function mainArcs(attention: Attention, head: number, least = 0.1): Arc[] {
  const arcs = [];
  for (let from = 0; from < attention.count; from++) {
    const row = looks(attention, head, from);
    const to = strongest(row, from);
    if (to >= 0 && row[to]! >= least) arcs.push({ from, to, share: row[to]! });
  }
  return arcs;
}
