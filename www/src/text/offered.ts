// Selects the answers of fill-mask that the page offers: words that a person would accept at that place.
import type { FillMaskResult, Pipeline } from "webert";
import { FUNCTION_WORDS, OTHER_WORDS } from "./english.ts";

export type Unmask = Pipeline<"fill-mask">;
/** An answer for a gap. */
export type Word = Pick<FillMaskResult, "token_str" | "score"> & { truncated?: true };

export const MASK = "[MASK]";

/** Numbers of answers to ask for per gap, until enough of them can be offered. */
const ASKED = [16, 64, 1024];

/** Characters on each side of a gap that are examined. */
const NEAR = 200;

/** Matches a text up to a gap without a space after a word or another gap. Each Chinese character is a word. */
const GLUED = /(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}]|\[MASK\])$/u;
const SPECIAL = /^\[[^\]]+\]$|^<[^>]+>$/;
const PIECE = /^##./;
const LETTER = /[\p{L}\p{N}]/u;
/** A gap, a word, or a character that separates phrases. Spaces, apostrophes and hyphens do not separate. */
const PARTS = /\[MASK\]|[\p{L}\p{M}\p{N}]+|[^\s'’-]/gu;

/** A word without case and accents, a piece without its "##". */
export const plain = (word: string): string =>
  word
    .replace(PIECE, (start) => start.slice(2))
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase();

/** The end of a sentence. */
const SENTENCE_END = /[.!?…]["”»)]?\s|\n/;

/** The words of the sentence around a gap that no answer repeats: "Ice melts into ice." Empty unless the sentence is English. */
function ownWords(before: string, after: string): Set<string> {
  const sentence = `${before.split(SENTENCE_END).at(-1)} ${after.split(SENTENCE_END)[0]}`;
  const words = (sentence.replaceAll(MASK, "").match(/[\p{L}\p{M}]+/gu) ?? []).map(plain);
  const isEnglish = words.some((word) => FUNCTION_WORDS.has(word)) && !words.some((word) => OTHER_WORDS.has(word));
  return new Set(isEnglish ? words.filter((word) => word.length > 1 && !FUNCTION_WORDS.has(word)) : []);
}

/** The two words nearest to a gap among `parts`, the nearest first; "" for another gap, none beyond punctuation. */
function nearest(parts: readonly string[]): string[] {
  const end = parts.findIndex((part) => part !== MASK && !LETTER.test(part));
  return parts.slice(0, end < 0 ? 2 : Math.min(end, 2)).map((part) => (part === MASK ? "" : plain(part)));
}

/**
 * The answers for a gap that the page offers, in their order. `before` and `after` are the text on both sides of the gap.
 * If the gap is glued to a word, as in "un[MASK]able", these are continuing pieces and punctuation; elsewhere whole words.
 * A word beside the gap is not repeated. A word one place further is repeated only if it is the best answer ("step by step"). Other words
 * of an English sentence are not repeated, except function words.
 */
export function offered<T extends Word>(answers: readonly T[], before: string, after: string): T[] {
  const fits = GLUED.test(before)
    ? (word: string) => PIECE.test(word) || !LETTER.test(word)
    : (word: string) => !PIECE.test(word) && LETTER.test(word);
  const sides = [before.match(PARTS)?.reverse() ?? [], after.match(PARTS) ?? []].map(nearest);
  const [beside, further] = [0, 1].map((distance) => sides.map((words) => words[distance]));
  const own = ownWords(before, after);
  return answers
    .filter(({ token_str: word }) => !SPECIAL.test(word) && fits(word) && !beside!.includes(plain(word)))
    .filter(({ token_str: word }, rank) => rank === 0 || !further!.includes(plain(word)))
    .filter(({ token_str: word }) => further!.includes(plain(word)) || !own.has(plain(word)));
}

/** The text on both sides of each [MASK], up to the length that is examined. */
export const sidesOf = (text: string): [string, string][] =>
  [...text.matchAll(/\[MASK\]/g)].map(({ index }) => [
    text.slice(Math.max(0, index - NEAR), index),
    text.slice(index + MASK.length, index + MASK.length + NEAR),
  ]);

/**
 * The best answers for each gap of `text` that can be offered: one array of fill-mask's answers per gap, at most `count` each, fewer if
 * the model has no more. For the first `shown` gaps the model is asked until they have as many as possible.
 */
export async function fillGaps(
  unmask: Unmask,
  text: string,
  { count = 5, shown = Infinity, signal }: { count?: number; shown?: number; signal?: AbortSignal } = {},
): Promise<Word[][]> {
  const sides = sidesOf(text);
  for (const top_k of ASKED) {
    const result = (await unmask(text, { top_k, signal: signal! })) as Word[] | Word[][];
    const gaps = (Array.isArray(result[0]) ? result : [result]) as Word[][];
    const lists = gaps.map((answers, gap) => offered(answers, ...sides[gap]!).slice(0, count));
    const enough = lists.slice(0, shown).every((list, gap) => list.length === count || gaps[gap]!.length < top_k);
    if (enough || top_k === ASKED.at(-1)) return lists;
  }
  return [];
}
