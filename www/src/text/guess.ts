// The model's answers for the gaps of a sentence, several of them together.
import type { Tokenizer } from "webert";
import { fillGaps, MASK, plain, type Unmask, type Word } from "./offered.ts";
import type { Range } from "./stretches.ts";

/** A gap of a text. If the visitor chose a word for it, that word is used whatever the model answers. */
export interface Gap extends Range {
  chosen?: string | undefined;
}

/** The model's answers for a gap. */
export interface Guess {
  /** The offered answers, the best first; empty if the model has no word for the gap. */
  words: Word[];
  /** The probability of a hidden word at its place. */
  own?: { word: string; score: number };
}

/** Maximum number of gaps that are answered. Each is a pass over the text, and a page with many more would be too long. */
export const MOST_GAPS = 10;

/** Number of answers offered per gap. */
export const ANSWERS = 5;

/** Replaces ranges of a text by `put(index)`. */
export function replaceRanges(text: string, ranges: readonly Range[], put: (index: number) => string): string {
  let [written, at] = ["", 0];
  for (const [index, { start, end }] of ranges.entries()) {
    written += text.slice(at, start) + put(index);
    at = end;
  }
  return written + text.slice(at);
}

/** An answer as written into the text: a continuing piece loses its "##". */
export const written = (word: string): string => word.replace(/^##(?=.)/, "");

/** Adds a missing full stop. Without one the model expects it in the last word's place. */
export const closed = (text: string): string => (/[.!?…。！？"”»)]\s*$/.test(text) ? text : `${text.trimEnd()}.`);

/** The probability of a word in the one gap of `text`; of its first piece if it has several. */
export async function likelihood(
  unmask: Unmask,
  tokenizer: Tokenizer,
  text: string,
  word: string,
  signal?: AbortSignal,
): Promise<number> {
  const [first] = tokenizer.tokenize(word);
  if (first === undefined) return 0;
  const [answer] = await unmask(text, { targets: [first], signal: signal! });
  return answer?.score ?? 0;
}

/**
 * Fills the gaps of `text`, given in order. The gap with the most certain answer is filled first, then the others, which see it filled.
 * Each pass fills one gap, so the guesses of a gap fit the more certain ones.
 */
export async function guess(
  unmask: Unmask,
  tokenizer: Tokenizer,
  text: string,
  gaps: readonly Gap[],
  signal?: AbortSignal,
): Promise<Guess[]> {
  const some = gaps.slice(0, MOST_GAPS);
  const filled = some.map(({ chosen }) => chosen);
  const guesses: Guess[] = [];
  const masked = () =>
    closed(replaceRanges(text, some, (gap) => (filled[gap] === undefined ? MASK : written(filled[gap]))));
  /** Gaps without an answer so far. Gaps with the visitor's choice are asked last, with their own gap open. */
  const open = new Set(some.keys());
  for (const gap of open) if (some[gap]!.chosen !== undefined) open.delete(gap);
  while (open.size > 0) {
    const lists = await fillGaps(unmask, masked(), { count: ANSWERS, ...(signal && { signal }) });
    // As in `masked`: a filled gap has no list.
    const byGap = [...some.keys()]
      .filter((gap) => filled[gap] === undefined)
      .map((gap, at) => [gap, lists[at] ?? []] as const);
    const [best, words] = byGap
      .filter(([gap]) => open.has(gap))
      .reduce((a, b) => ((b[1][0]?.score ?? -1) > (a[1][0]?.score ?? -1) ? b : a));
    open.delete(best);
    guesses[best] = { words };
    if (words[0]) filled[best] = words[0].token_str;
    else filled[best] = ""; // no word fits: the other gaps are asked without it
  }
  for (const [gap, { chosen }] of some.entries()) {
    if (chosen === undefined) continue;
    filled[gap] = undefined;
    const [words = []] = await fillGaps(unmask, masked(), { count: ANSWERS, ...(signal && { signal }) });
    guesses[gap] = { words };
    filled[gap] = chosen;
  }
  for (const [gap, { start, end }] of some.entries()) {
    const word = text.slice(start, end);
    if (/^(\[mask\]|_+|)$/i.test(word)) continue;
    const there = guesses[gap]!.words.find(({ token_str }) => plain(token_str) === plain(word));
    const kept = filled[gap];
    filled[gap] = undefined;
    const score = there?.score ?? (await likelihood(unmask, tokenizer, masked(), word, signal));
    filled[gap] = kept;
    guesses[gap]!.own = { word, score };
  }
  return guesses;
}
