// Answers of the built-in model for the examples, recorded by www/tools/record-page.mjs and shown while the model loads.
import examples from "./recorded.json";
import type { Guess } from "./text/guess.ts";
import type { Expectation } from "./text/odd.ts";
import type { Range } from "./text/stretches.ts";

const recorded = examples as { text: string; words: Expectation[] }[];

/** The examples with recorded answers. */
export const EXAMPLES: readonly string[] = recorded.map(({ text }) => text);

/** The model's answers in the place of each word of an example; undefined for other texts. */
export const recordedWords = (text: string): Expectation[] | undefined =>
  recorded.find((example) => example.text === text)?.words;

/** The model's answers in the one gap of an example; undefined if they were not recorded. */
export function recordedGuess(text: string, gaps: readonly Range[]): Guess[] | undefined {
  const [gap, another] = gaps;
  if (!gap || another) return undefined;
  const there = recordedWords(text)?.find(({ start, end }) => start === gap.start && end === gap.end);
  return there && [{ words: there.expected, own: { word: there.word, score: there.score } }];
}
