// Finds the words of a text that the model did not expect, by hiding each in turn.
import type { Tokenizer } from "webert";
import { closed } from "./guess.ts";
import { MASK, offered, plain, sidesOf, type Unmask, type Word } from "./offered.ts";
import { type Stretch, stretchesOf } from "./stretches.ts";

/** The model's answers for a hidden word. */
export interface Expectation {
  start: number;
  end: number;
  word: string;
  /** The probability of the word; of its first piece if it has several. */
  score: number;
  /** How much more surprising the word is than the model's expectation, in nats; see `oddness`. */
  excess: number;
  /** The expected words, the best first. */
  expected: Word[];
}

/** Number of answers examined per place. */
const LOOKED_AT = 24;
/** Maximum number of hidden words; each is a pass over its sentence. */
export const MOST_WORDS = 120;
/** Passes per call. Between calls a superseded question is dropped. */
const BATCH = 16;

/**
 * How odd a word is at a place, in nats: its surprisal, −ln p, minus the entropy of the model's answers there. The entropy is subtracted
 * because no word is expected where any word could stand. It is a lower bound: each answer beyond the given ones is only known to be
 * less likely than the last of them.
 */
export function oddness(score: number, answers: readonly { score: number }[]): number {
  const known = answers.reduce((sum, { score }) => sum + score, 0);
  const least = answers.at(-1)?.score ?? 1;
  const entropy =
    answers.reduce((sum, { score: p }) => sum - (p > 0 ? p * Math.log(p) : 0), 0) -
    Math.max(0, 1 - known) * Math.log(Math.max(least, 1e-9));
  return -Math.log(Math.max(score, 1e-12)) - entropy;
}

/** The strength of a word's glow, from 0 (up to 4 nats) to 1 (from 10 nats). */
export const glow = (excess: number): number => Math.min(1, Math.max(0, (excess - 4) / 6));

/** Where a sentence ends. */
const ENDS = /[.!?…。！？]["”»)]?(?=\s|$)|\n/g;
/** Code units on each side of a word that the model sees if its sentence is longer. */
const AROUND = 300;

/** The sentence around a word. The model needs no more, and a long text then costs one short pass per word. */
function sentenceAround(text: string, { start, end }: Stretch): [number, number] {
  let [from, to] = [Math.max(0, start - AROUND), Math.min(text.length, end + AROUND)];
  for (const match of text.matchAll(ENDS)) {
    const at = match.index + match[0].length;
    if (at <= start) from = Math.max(from, at);
    else if (at >= end) {
      to = Math.min(to, at);
      break;
    }
  }
  return [from, to];
}

/** The words of a text, each with the model's answers in its place. */
export async function oddWords(
  unmask: Unmask,
  tokenizer: Tokenizer,
  text: string,
  signal?: AbortSignal,
): Promise<Expectation[]> {
  const words = stretchesOf(text)
    .filter(({ kind }) => kind === "word")
    .slice(0, MOST_WORDS);
  const found: Expectation[] = [];
  for (let from = 0; from < words.length; from += BATCH) {
    found.push(...(await expectations(unmask, tokenizer, text, words.slice(from, from + BATCH), signal)));
  }
  return found;
}

async function expectations(
  unmask: Unmask,
  tokenizer: Tokenizer,
  text: string,
  words: readonly Stretch[],
  signal?: AbortSignal,
): Promise<Expectation[]> {
  const hidden = words.map((word) => {
    const [from, to] = sentenceAround(text, word);
    return closed(
      text.slice(from, word.start).trimStart().replaceAll(MASK, "…") +
        MASK +
        text.slice(word.end, to).replaceAll(MASK, "…"),
    );
  });
  const lists = (await unmask(hidden, { top_k: LOOKED_AT, signal: signal! })) as unknown as Word[][];
  const pieces = words.map(({ text }) => tokenizer.tokenize(text)[0] ?? "");
  const scores = lists.map((list, i) => list.find(({ token_str }) => token_str === pieces[i])?.score);
  const rest = [...scores.keys()].filter((i) => scores[i] === undefined && pieces[i] !== "");
  if (rest.length > 0) {
    const targets = [...new Set(rest.map((i) => pieces[i]!))];
    const answers = (await unmask(
      rest.map((i) => hidden[i]!),
      { targets, top_k: targets.length, signal: signal! },
    )) as unknown as Word[][];
    for (const [n, i] of rest.entries())
      scores[i] = answers[n]!.find(({ token_str }) => plain(token_str) === plain(pieces[i]!))?.score;
  }
  return words.map((word, i) => ({
    start: word.start,
    end: word.end,
    word: word.text,
    score: scores[i] ?? 0,
    excess: oddness(scores[i] ?? 0, lists[i]!),
    expected: offered(lists[i]!, ...sidesOf(hidden[i]!)[0]!)
      .slice(0, 5)
      .map(({ token_str, score }) => ({ token_str, score })),
  }));
}
