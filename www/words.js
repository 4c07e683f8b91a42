// Which of fill-mask's answers the page offers: those that a person would take for a word at that place.

const MASK = "[MASK]";

/** How many answers a gap are asked for, until enough of them are fit to be offered. */
const ASKED = [16, 64, 1024];

/** Characters on each side of a gap that are looked at. */
const NEAR = 200;

/** A text up to a gap that is written without a space after a word, or after another gap. Chinese characters are words by themselves. */
const GLUED = /(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}]|\[MASK\])$/u;
const SPECIAL = /^\[[^\]]+\]$|^<[^>]+>$/;
const PIECE = /^##./;
const WORD = /[\p{L}\p{N}]/u;
/** A gap, a word, or a character that parts what is said; neither spaces nor apostrophes nor hyphens do. */
const PARTS = /\[MASK\]|[\p{L}\p{M}\p{N}]+|[^\s'’-]/gu;

/** A word without case and accents, a piece without its "##". */
const plain = (word) =>
  word
    .replace(PIECE, (start) => start.slice(2))
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase();

/** The two words nearest to a gap among `parts`, the nearest first; "" for another gap, none beyond punctuation. */
function nearest(parts) {
  const end = parts.findIndex((part) => part !== MASK && !WORD.test(part));
  return parts.slice(0, end < 0 ? 2 : Math.min(end, 2)).map((part) => (part === MASK ? "" : plain(part)));
}

/**
 * Those of a gap's answers that the page offers, in their order. `before` and `after` are the text on both sides of the gap.
 * Where it is glued to a word, as in "un[MASK]able", these are pieces that continue the word, and punctuation; elsewhere whole words.
 * No word that stands beside the gap is said again; one that stands one word further only where it is the best answer ("step by step").
 */
export function offered(answers, before, after) {
  const fits = GLUED.test(before)
    ? (word) => PIECE.test(word) || !WORD.test(word)
    : (word) => !PIECE.test(word) && WORD.test(word);
  const sides = [before.match(PARTS)?.reverse() ?? [], after.match(PARTS) ?? []].map(nearest);
  const [beside, further] = [0, 1].map((distance) => sides.map((words) => words[distance]));
  return answers
    .filter(({ token_str: word }) => !SPECIAL.test(word) && fits(word) && !beside.includes(plain(word)))
    .filter(({ token_str: word }, rank) => rank === 0 || !further.includes(plain(word)));
}

/**
 * The best answers for each gap of `text` that are fit to be offered: an array of fill-mask's answers a gap, at most `count` each, fewer
 * where the model has no more. The first `shown` gaps are seen to have as many as there can be.
 * @param {Function} unmask a fill-mask pipeline
 */
export async function fillGaps(unmask, text, { count = 5, shown = Infinity, signal } = {}) {
  const sides = [...text.matchAll(/\[MASK\]/g)].map(({ index }) => [
    text.slice(Math.max(0, index - NEAR), index),
    text.slice(index + MASK.length, index + MASK.length + NEAR),
  ]);
  for (const top_k of ASKED) {
    const result = await unmask(text, { top_k, signal });
    const gaps = Array.isArray(result[0]) ? result : [result];
    const lists = gaps.map((answers, gap) => offered(answers, ...sides[gap]).slice(0, count));
    const enough = lists.slice(0, shown).every((list, gap) => list.length === count || gaps[gap].length < top_k);
    if (enough || top_k === ASKED.at(-1)) return lists;
  }
}
