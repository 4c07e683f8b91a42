// Verdicts on a text, and how much each of its words adds to them: the text is judged again without each word (leave-one-out).

import { t } from "../language.ts";
import { replaceRanges } from "./guess.ts";
import { labelName } from "./label-names.ts";
import { type Range, type Stretch, stretchesOf } from "./stretches.ts";

/** A classifier of texts. */
export interface Judge {
  labels: readonly string[];
  /** True if scores are probabilities; false for cosines between -1 and 1. */
  isProbability: boolean;
  /** Returns the scores of each text, in the order of `labels`. */
  judge: (texts: readonly string[], signal?: AbortSignal) => Promise<number[][]>;
}

/** A classifier's answer for one text. */
export interface Verdict {
  labels: readonly string[];
  /** Scores in the order of `labels`. */
  scores: readonly number[];
  /** The index of the label with the highest score. */
  best: number;
  /** True if the page names no label. */
  isUnsure: boolean;
  /** True if the labels are the visitor's. */
  isOwn: boolean;
}

/** A word of the text, and how much the score of the best label falls without it. */
export interface Reason extends Range {
  word: string;
  /** Score with the word minus score without it, from -1 to 1; negative if the word speaks against the label. */
  fall: number;
  /** The text's label without the word; undefined if the page would name none. */
  without: string | undefined;
}

/** Probabilities below which no label is named. With two labels the range of unsure scores is 35 to 65 %. */
export const SURE = 0.65;
/** Cosines below which no label is named, and the least lead over the next label. Near zero, a text has nothing to do with a label. */
const NEAR = 0.12;
const LEAD = 0.04;

/** The verdict of scores. */
export function verdictOf({ labels, isProbability }: Omit<Judge, "judge">, scores: readonly number[]): Verdict {
  const best = scores.indexOf(Math.max(...scores));
  const next = Math.max(...scores.filter((_, label) => label !== best));
  const isUnsure = isProbability
    ? scores[best]! < SURE
    : scores[best]! < NEAR || (labels.length > 1 && scores[best]! - next < LEAD);
  return { labels, scores, best, isUnsure, isOwn: !isProbability };
}

/** The name of a verdict; undefined if it is unsure. */
export const nameOf = ({ labels, best, isUnsure }: Verdict): string | undefined =>
  isUnsure ? undefined : labels[best];

/** A label as the page shows it: a model's in the visitor's language, the visitor's own as it is; "unsure" without one. */
export const shownLabel = ({ isOwn }: Pick<Verdict, "isOwn">, label: string | undefined): string =>
  label === undefined ? t`unsure` : isOwn ? label : labelName(label);

/** The text without ranges of it, in order. Spaces that are left over are removed. */
export function without(text: string, ranges: readonly Range[]): string {
  return replaceRanges(text, ranges, () => "")
    .replace(/\s+/g, " ")
    .replace(/ (?=[,.;:!?…])/g, "")
    .replace(/^[\s,;:]+/, "")
    .trim();
}

/** Maximum number of words that are left out; each is a pass over the text. */
export const MOST_WORDS = 96;
/** Texts per call. A sentence fits in one call; between two calls a superseded question is dropped. */
const BATCH = 25;

/** Judges many texts, some at a time. */
export async function judgeAll(
  judge: Judge,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<readonly number[][]> {
  const found: number[][] = [];
  for (let at = 0; at < texts.length; at += BATCH) {
    found.push(...(await judge.judge(texts.slice(at, at + BATCH), signal)));
    signal?.throwIfAborted();
  }
  return found;
}

/** The words of a text that are not struck out. */
export const wordsOf = (text: string, struck: readonly Range[]): Stretch[] =>
  stretchesOf(text)
    .filter(({ kind, start }) => kind === "word" && !struck.some((range) => range.start === start))
    .slice(0, MOST_WORDS);

/** A text's verdict and the reasons for it. */
export interface Judgement {
  verdict: Verdict;
  reasons: Reason[];
}

/** Judges a text without its struck words, and without each further word in turn. Undefined if no word is left. */
export async function judgeText(
  judge: Judge,
  text: string,
  struck: readonly Range[],
  signal?: AbortSignal,
): Promise<Judgement | undefined> {
  const words = wordsOf(text, struck);
  if (words.length === 0) return undefined;
  const left = (word?: Range) =>
    without(text, word ? [...struck, word].sort((a, b) => a.start - b.start) : struck) || ".";
  const [scores, ...others] = await judgeAll(judge, [left(), ...words.map(left)], signal);
  const verdict = verdictOf(judge, scores!);
  const reasons = words.map(({ start, end, text: word }, at) => {
    const other = verdictOf(judge, others[at]!);
    return { start, end, word, fall: scores![verdict.best]! - other.scores[verdict.best]!, without: nameOf(other) };
  });
  return { verdict, reasons };
}

/** The least fall that counts as a reason. */
export const WEIGHT = 0.1;

/** A sentence about the reasons. `named`: the name of a word as it is shown. */
export function story({ verdict, reasons }: Judgement, named: (word: string) => string = (word) => word): string {
  const quoted = (some: readonly Reason[]) => some.map(({ word }) => t`“${named(word)}”`).join(t` and `);
  if (reasons.length < 2) return "";
  const sorted = [...reasons].sort((a, b) => b.fall - a.fall);
  const said = nameOf(verdict);
  if (said === undefined) {
    const against = sorted.filter(({ without }) => without !== undefined);
    const [first] = against;
    return first
      ? t`Without “${named(first.word)}” it would say ${shownLabel(verdict, first.without)}.`
      : t`No single word would change that.`;
  }
  const turning = sorted.filter(({ without, fall }) => without !== said && fall >= WEIGHT).slice(0, 2);
  if (turning.length > 0) {
    const [first, second] = turning;
    const is = (one: Reason) => shownLabel(verdict, one.without);
    if (second && is(first!) === is(second))
      return t`It would be ${is(first!)} without ${turning.map(({ word }) => t`“${named(word)}”`).join(t`, and also without `)}.`;
    return t`Without “${named(first!.word)}” it would be ${is(first!)}.`;
  }
  const weighty = sorted.filter(({ fall }) => fall >= WEIGHT).slice(0, 2);
  return weighty.length > 0
    ? t`Most of it is due to ${quoted(weighty)}, but no single word decides.`
    : t`No single word decides: several say the same.`;
}
