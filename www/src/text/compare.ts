// Two sentences that differ in a few words, and the words that the masked LM expects in the same gap of both.

import { local } from "../format.ts";
import { t } from "../language.ts";
import { closed, replaceRanges } from "./guess.ts";
import { MASK, offered, plain, sidesOf, type Unmask, type Word } from "./offered.ts";
import { type Range, type Stretch, stretchesOf } from "./stretches.ts";

/** The parts in which two texts differ, from the first to the last different word. They may be empty. */
export interface Difference {
  first: Range;
  second: Range;
}

/** Words, gaps, and single characters between them. */
const partsOf = (text: string): string[] =>
  stretchesOf(text).flatMap(({ kind, text }) => (kind === "between" ? [...text] : [text]));

const lengthOf = (parts: readonly string[]) => parts.reduce((sum, part) => sum + part.length, 0);

/** Compares two texts by words. */
export function differenceOf(first: string, second: string): Difference {
  const [a, b] = [partsOf(first), partsOf(second)];
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const range = (text: string, parts: readonly string[]): Range => ({
    start: lengthOf(parts.slice(0, head)),
    end: text.length - lengthOf(parts.slice(parts.length - tail)),
  });
  return { first: range(first, a), second: range(second, b) };
}

/**
 * The other sentence after an edit of one from `before` to `after`. An edit of the part that differs leaves the other one as it is; an edit of
 * the common parts is made in both. An edit across them replaces the other sentence, and equal sentences stay equal.
 */
export function follow(before: string, after: string, other: string): string {
  if (before === other) return after;
  const { first } = differenceOf(before, other);
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [start, end] = [head, before.length - tail];
  if (start >= first.start && end <= first.end) return other;
  const edit = after.slice(head, after.length - tail);
  if (end <= first.start) return other.slice(0, start) + edit + other.slice(end);
  const shift = other.length - before.length;
  if (start >= first.end) return other.slice(0, start + shift) + edit + other.slice(end + shift);
  return after;
}

/** The place in the second sentence of a range of the first one; undefined if the range is in the part that differs. */
export function placeInSecond({ start, end }: Range, { first, second }: Difference): Range | undefined {
  if (end <= first.start) return { start, end };
  if (start < first.end) return undefined;
  const shift = second.end - first.end;
  return { start: start + shift, end: end + shift };
}

/** A word with its probabilities in the gap of both sentences. */
export interface Candidate {
  word: string;
  first: number;
  second: number;
}

/** Answers that are asked for per gap. The least likely of them stands for all words that are not among them. */
const ASKED = 1000;
/** A word is shown if its probability in one sentence is at least this. */
const LEAST = 0.01;
/** Numbers and single letters say little. */
const WORD = /^\p{L}{2,}$/u;

/** The words that can stand in the same gap of two sentences, by the ratio of their probabilities: words that fit the first sentence come first. */
export async function compare(
  unmask: Unmask,
  sentences: readonly [string, string],
  gaps: readonly [Range, Range],
  signal?: AbortSignal,
): Promise<Candidate[]> {
  const hidden = sentences.map((text, at) => closed(replaceRanges(text, [gaps[at]!], () => MASK)));
  const lists = (await unmask(hidden, { top_k: ASKED, signal: signal! })) as unknown as Word[][];
  const used = new Set(hidden.flatMap(wordsIn));
  const known = lists.map((list) => new Map(list.map(({ token_str, score }) => [token_str, score])));
  const scoreOf = (word: string, at: number) => known[at]!.get(word) ?? lists[at]!.at(-1)!.score;
  const likely = lists.flatMap((list, at) =>
    offered(
      list.filter(({ score }) => score >= LEAST),
      ...sidesOf(hidden[at]!)[0]!,
    ),
  );
  return [...new Set(likely.map(({ token_str }) => token_str))]
    .filter(
      (word) =>
        WORD.test(word) &&
        ![plain(word), `${plain(word)}s`, plain(word).replace(/s$/, "")].some((one) => used.has(one)),
    )
    .map((word) => ({ word, first: scoreOf(word, 0), second: scoreOf(word, 1) }))
    .sort((a, b) => leanOf(b) - leanOf(a));
}

/** The words of a text, without case and accents. */
const wordsIn = (text: string): string[] =>
  stretchesOf(text)
    .filter(({ kind }) => kind === "word")
    .map(({ text }: Stretch) => plain(text));

/** How much likelier a word is in the first sentence, as a logarithm; negative if it is likelier in the second one. */
export const leanOf = ({ first, second }: Candidate): number => Math.log(first / second);

/** A ratio below which a word is as likely in both sentences. */
const ALIKE = 1.5;

/** The words that are likelier in one sentence, the greatest ratio first. */
export function leaning(candidates: readonly Candidate[], to: "first" | "second", most = 8): Candidate[] {
  const side = to === "first" ? 1 : -1;
  return candidates
    .filter((one) => side * leanOf(one) >= Math.log(ALIKE))
    .sort((a, b) => side * (leanOf(b) - leanOf(a)))
    .slice(0, most);
}

/** Ratios above it are not told: probabilities near zero are too uncertain. */
const MOST_TOLD = 100;

/** How many times likelier a word is in one sentence, for people: "2.4", "17", "over 100". */
export function factor(candidate: Candidate): string {
  const ratio = Math.exp(Math.abs(leanOf(candidate)));
  if (ratio > MOST_TOLD) return t`over ${MOST_TOLD}`;
  return ratio < 4.95 ? local(ratio.toFixed(1)) : String(Math.round(ratio));
}

/** A sentence about the greatest differences. `names`: the different words of the two sentences. */
export function contrast(candidates: readonly Candidate[], names: readonly [string, string]): string {
  const [a, b] = [leaning(candidates, "first", 1)[0], leaning(candidates, "second", 1)[0]];
  const part = (one: Candidate, name: string) => t`“${one.word}” is ${factor(one)} times likelier with “${name}”`;
  if (a && b) return `${part(a, names[0])}, ${part(b, names[1])}.`;
  const [one, name] = a ? [a, names[0]] : [b, names[1]];
  return one ? `${part(one, name)}.` : t`It expects the same words in both.`;
}
