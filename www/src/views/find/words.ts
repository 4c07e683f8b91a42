// Common words of a question and a passage, and words close to the question's.
import { plain } from "../../text/offered.ts";

/** English function words. */
const STOP = new Set(
  "a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its me my no not of on or our she so that the their them then there these they this to was we were what when where which who whom why will with would you your".split(
    " ",
  ),
);

/** A word of a text and its place. */
export interface Word {
  start: number;
  end: number;
  /** A word without case, accents and most endings, so that its forms compare equal. */
  stem: string;
}

/** The content words of a text. */
function contentWords(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)]
    .map(({ 0: word, index }) => ({ start: index, end: index + word.length, bare: plain(word) }))
    .filter(({ bare }) => !STOP.has(bare) && bare.length > 1)
    .map(({ start, end, bare }) => ({ start, end, stem: stem(bare) }));
}

/** A word without a plural, past or -ing ending: enough to recognise two forms of one word. */
function stem(word: string): string {
  const short = word.replace(/(?<=.{3})(ies|ing|ed|es|s|ly)$/, "");
  return short.replace(/(?<=.{3})[iye]$/, "");
}

/** Returns whether two texts share a content word. */
export function haveCommonWord(a: string, b: string): boolean {
  const stems = new Set(contentWords(a).map(({ stem }) => stem));
  return contentWords(b).some(({ stem }) => stems.has(stem));
}

/** States of the tokens of a text, a row of d numbers each, and the place of each token; special tokens have an empty place. */
export interface States {
  rows: readonly Float32Array[];
  places: readonly (readonly [number, number])[];
}

/** The closeness of each content word of a passage to the question's content words: the largest cosine of two of their tokens. */
export function closeness(
  question: string,
  asked: States,
  passage: string,
  found: States,
): { word: Word; cosine: number }[] {
  const rowsOf = (text: string, states: States) =>
    contentWords(text).map((word) => ({
      word,
      rows: states.rows.filter((_, at) => {
        const [start, end] = states.places[at]!;
        return end > start && start < word.end && end > word.start;
      }),
    }));
  const targets = rowsOf(question, asked).flatMap(({ rows }) => rows);
  return rowsOf(passage, found)
    .map(({ word, rows }) => ({
      word,
      cosine: Math.max(-1, ...rows.flatMap((row) => targets.map((target) => cosine(row, target)))),
    }))
    .filter(({ cosine }) => cosine > -1);
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += a[i]! * b[i]!;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
  }
  return ab / Math.sqrt(aa * bb || 1);
}

/** Maximum number of tinted words per passage. */
const TINTED = 4;

/** The closest words of a passage in their order, each with a tint from 0 to 1 by its distance above the median. */
export function tints(
  close: readonly { word: Word; cosine: number }[],
): { start: number; end: number; tint: number }[] {
  const sorted = close.map(({ cosine }) => cosine).sort((a, b) => b - a);
  const [best, middle] = [sorted[0] ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0];
  const least = sorted[Math.min(TINTED, sorted.length) - 1] ?? 0;
  return close
    .filter(({ cosine }) => cosine >= least)
    .map(({ word: { start, end }, cosine }) => ({
      start,
      end,
      tint: best > middle ? Math.max(0, (cosine - middle) / (best - middle)) : 1,
    }))
    .filter(({ tint }) => tint > 0);
}
