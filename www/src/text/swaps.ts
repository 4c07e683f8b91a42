// Other words for a place of a text by the masked LM, and the verdicts that they would lead to.
import type { Tokenizer } from "webert";
import { closed, replaceRanges, written } from "./guess.ts";
import { type Judge, judgeAll, nameOf, type Reason, type Verdict, verdictOf } from "./judge.ts";
import { MASK, offered, plain, sidesOf, type Unmask, type Word } from "./offered.ts";
import { moveRanges, type Range } from "./stretches.ts";

/** Another word for a place, and the verdict on the text with it. */
export interface Swap {
  /** The place in the text. */
  start: number;
  end: number;
  /** The word there. */
  word: string;
  /** The other word, as it is written. */
  other: string;
  /** Its probability at this place by the masked LM. */
  score: number;
  /** The whole text with it; struck words are still there. */
  text: string;
  verdict: Verdict;
}

/** Answers that the masked LM is asked for. */
const ASKED = 96;
/** Words per place: of one place, and of each of several. */
const ALTERNATIVES = 12;
const TRIED = 16;
/** Places that are tried to turn a verdict: those with the strongest reasons. */
const PLACES = 7;
/** Turns that are shown: at most, and of one place. */
const TURNS = 6;
const A_PLACE = 3;

/** Single letters, e.g. of "wouldn't" and "he's": in a sentence they are no words. */
const STRAY = /^[b-hj-z]$/;

/** A question about the words of a text. */
export interface SwapQuestion {
  unmask: Unmask;
  tokenizer: Tokenizer;
  judge: Judge;
  text: string;
  /** Struck words, in order. */
  struck: readonly Range[];
  /** Returns the text that is judged: without the struck words. */
  left: (text: string, struck: readonly Range[]) => string;
}

/** Writes a word as the word that it replaces: with a capital at the beginning if that has one. */
export function likeCase(word: string, model: string): string {
  const other = written(word);
  const [first = ""] = model;
  return first !== first.toLowerCase() ? other.charAt(0).toUpperCase() + other.slice(1) : other;
}

/** The masked LM's words for several places of a text, each place hidden alone. */
async function wordsAt(
  { unmask, text, struck, left }: SwapQuestion,
  places: readonly Range[],
  signal?: AbortSignal,
): Promise<Word[][]> {
  const hidden = places.map((place) => {
    const masked = replaceRanges(text, [place], () => MASK);
    return closed(left(masked, moveRanges(struck, text, masked)));
  });
  const lists = (await unmask(hidden, { top_k: ASKED, signal: signal! })) as unknown as Word[][];
  return lists.map((list, at) => {
    const word = text.slice(places[at]!.start, places[at]!.end);
    return offered(list, ...sidesOf(hidden[at]!)[0]!).filter(
      ({ token_str }) => plain(token_str) !== plain(word) && !STRAY.test(token_str),
    );
  });
}

/** The texts with each of some words at a place, judged. */
async function judged(
  question: SwapQuestion,
  some: readonly { place: Range; words: readonly Word[] }[],
  signal?: AbortSignal,
): Promise<Swap[]> {
  const { judge, text, struck, left } = question;
  const swaps = some.flatMap(({ place: { start, end }, words }) =>
    words.map(({ token_str, score }) => {
      const word = text.slice(start, end);
      const other = likeCase(token_str, word);
      return { start, end, word, other, score, text: replaceRanges(text, [{ start, end }], () => other) };
    }),
  );
  const texts = swaps.map((swap) => left(swap.text, moveRanges(struck, text, swap.text)));
  const scores = await judgeAll(judge, texts, signal);
  return swaps.map((swap, at) => ({ ...swap, verdict: verdictOf(judge, scores[at]!) }));
}

/** The words that the masked LM expects at one place, each with its verdict, the likeliest first. */
export async function alternatives(question: SwapQuestion, place: Range, signal?: AbortSignal): Promise<Swap[]> {
  const [words = []] = await wordsAt(question, [place], signal);
  return judged(question, [{ place, words: words.slice(0, ALTERNATIVES) }], signal);
}

/** The likeliest single words that turn the verdict into a sure other one, the likeliest first. */
export async function turns(
  question: SwapQuestion,
  verdict: Verdict,
  reasons: readonly Reason[],
  signal?: AbortSignal,
): Promise<Swap[]> {
  const places = [...reasons].sort((a, b) => Math.abs(b.fall) - Math.abs(a.fall)).slice(0, PLACES);
  const lists = await wordsAt(question, places, signal);
  const some = places.map((place, at) => ({ place, words: lists[at]!.slice(0, TRIED) }));
  const found = await judged(question, some, signal);
  const now = nameOf(verdict);
  return found
    .filter((swap) => nameOf(swap.verdict) !== undefined && nameOf(swap.verdict) !== now)
    .sort((a, b) => b.score - a.score)
    .filter((swap, at, all) => all.slice(0, at).filter(({ start }) => start === swap.start).length < A_PLACE)
    .slice(0, TURNS);
}
