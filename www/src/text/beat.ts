// The game Beat BERT: ten gaps a day, the visitor's word before the model's, and a result without spoilers.
import type { Tokenizer } from "webert";
import { likelihood } from "./guess.ts";
import { fillGaps, MASK, plain, type Unmask, type Word } from "./offered.ts";

/** A sentence with one [MASK], and the words that people accept in it. */
export interface Gap {
  text: string;
  accepted: readonly string[];
}

/** A played gap. */
export interface Round {
  /** The visitor's word. */
  word: string;
  /** The model's probability of that word; of its first piece if it has several. */
  score: number;
  /** The model's words, the best first. */
  words: Word[];
  /** Whether the list accepts the visitor's word, and the model's best word. */
  isRight: boolean;
  isBertRight: boolean;
}

const DAY = 24 * 60 * 60 * 1000;
/** Days until a category begins again, with the sets of 20 sentences: without a common divisor with 20. */
const STEP = 7;

/** The visitor's day as "2026-11-26". */
export const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

/** The sentences of a table by category: `text [MASK]`, accepted words, category, divided by tabs. */
function categoriesOf(table: string): Gap[][] {
  const found = new Map<string, Gap[]>();
  for (const line of table.trim().split("\n")) {
    const [text = "", words = "", category = ""] = line.split("\t");
    const gap = { text, accepted: words.split(",") };
    found.set(category, [...(found.get(category) ?? []), gap]);
  }
  return [...found.values()];
}

/** The gaps of a day: one of each category, in an order of the day. All visitors have the same. */
export function gapsOf(table: string, day: string): Gap[] {
  const number = Math.round(Date.parse(day) / DAY);
  const gaps = categoriesOf(table).map((all, at) => all[(number * STEP + at * 3) % all.length]!);
  const turn = number % gaps.length;
  return [...gaps.slice(turn), ...gaps.slice(0, turn)];
}

/** Returns whether the list accepts a word, whatever its case and accents. */
export const accepts = ({ accepted }: Gap, word: string): boolean =>
  accepted.some((one) => plain(one) === plain(word.trim()));

/** Asks the model for its words and for the visitor's. */
export async function play(
  unmask: Unmask,
  tokenizer: Tokenizer,
  gap: Gap,
  word: string,
  signal?: AbortSignal,
): Promise<Round> {
  const [words = []] = await fillGaps(unmask, gap.text, { count: 5, ...(signal && { signal }) });
  const there = words.find(({ token_str }) => plain(token_str) === plain(word));
  return {
    word,
    score: there?.score ?? (await likelihood(unmask, tokenizer, gap.text, word, signal)),
    words: words.map(({ token_str, score }) => ({ token_str, score })),
    isRight: accepts(gap, word),
    isBertRight: words[0] !== undefined && accepts(gap, words[0].token_str),
  };
}

/** The points of a round, from 0 to 10: ten times the model's probability of the word, and 1 for any accepted word. */
export const points = ({ score, isRight }: Pick<Round, "score" | "isRight">): number =>
  Math.max(Math.round(10 * score), isRight ? 1 : 0);

/** The sides' accepted words. */
export const standing = (rounds: readonly Round[]): [number, number] => [
  rounds.filter(({ isRight }) => isRight).length,
  rounds.filter(({ isBertRight }) => isBertRight).length,
];

/** A round as a square: both right, only the visitor, only BERT, nobody. */
const squareOf = ({ isRight, isBertRight }: Round) =>
  isRight ? (isBertRight ? "🟨" : "🟩") : isBertRight ? "🟥" : "⬜";

/** The result to paste: the day, the score, a square per gap, and no word. */
export function resultOf(day: string, rounds: readonly Round[], link: string): string {
  const [mine, its] = standing(rounds);
  const sum = rounds.reduce((sum, round) => sum + points(round), 0);
  return `Beat BERT ${day}\n${mine} : ${its} · ${sum}/${10 * rounds.length}\n${rounds.map(squareOf).join("")}\n${link}`;
}

/** The text on both sides of the gap. */
export function aroundGap({ text }: Gap): [string, string] {
  const at = text.indexOf(MASK);
  return [text.slice(0, at), text.slice(at + MASK.length)];
}
