// One sentence in many years: how the probabilities of the words in its gap change.
import { MASK, offered, sidesOf, type Unmask, type Word } from "./offered.ts";

/** The years that are asked for. */
export const YEARS: readonly number[] = Array.from({ length: 32 }, (_, at) => 1860 + 5 * at);

/** The place of the year in a sentence. */
export const YEAR = "1860";

/** A word with its probability in each of `YEARS`. */
export interface YearLine {
  word: string;
  scores: readonly number[];
}

/** Answers that are asked for per year. */
const ASKED = 200;
/** A word is drawn if its probability in one year is at least this. */
const LEAST = 0.01;
/** Words of each kind: those that become rarer, and those that become more frequent. */
const SIDE = 3;
/** Years at both ends whose means are compared. */
const ENDS = 6;

const WORD = /^\p{L}{2,}$/u;

/** The logarithm of the ratio of a word's mean probability in the last years to that in the first ones. */
export function trendOf({ scores }: YearLine): number {
  const mean = (some: readonly number[]) => some.reduce((sum, score) => sum + score, 0) / some.length;
  return Math.log(mean(scores.slice(-ENDS)) / mean(scores.slice(0, ENDS)));
}

/** The words of a sentence with `YEAR` and `___` that change most over the years, the falling ones first. */
export async function overYears(unmask: Unmask, sentence: string, signal?: AbortSignal): Promise<YearLine[]> {
  const texts = YEARS.map((year) => sentence.replace(YEAR, String(year)).replace("___", MASK));
  const lists = (await unmask(texts, { top_k: ASKED, signal: signal! })) as unknown as Word[][];
  const known = lists.map((list) => new Map(list.map(({ token_str, score }) => [token_str, score])));
  const likely = lists.flatMap((list, at) =>
    offered(
      list.filter(({ score }) => score >= LEAST),
      ...sidesOf(texts[at]!)[0]!,
    ),
  );
  const lines = [...new Set(likely.map(({ token_str }) => token_str))]
    .filter((word) => WORD.test(word))
    .map((word) => ({ word, scores: known.map((one, at) => one.get(word) ?? lists[at]!.at(-1)!.score) }))
    .sort((a, b) => trendOf(a) - trendOf(b));
  return lines.length <= 2 * SIDE ? lines : [...lines.slice(0, SIDE), ...lines.slice(-SIDE)];
}
