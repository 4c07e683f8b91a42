// The answers of the model's head over the state of each layer, as a ladder of words, and the sentence that describes it.
import type { FillMaskResult } from "webert";
import { percent } from "../../format.ts";
import { t } from "../../language.ts";
import { offered } from "../../text/offered.ts";

/** A word of a layer, and its probability. */
export interface Said {
  word: string;
  score: number;
}

/** The words of one layer, the best first; layer 0 is the embeddings. */
export interface Rung {
  layer: number;
  words: Said[];
}

/** Number of words per rung. */
export const A_RUNG = 3;
/** The number of answers requested from the head. Only some can be shown: low layers return many pieces and punctuation marks. */
export const ASKED = 24;
/** The minimum probability of a word that counts as an opinion. */
export const OPINION = 0.05;

/** The rungs of one gap, from the embeddings up. `before` and `after` are the text on both sides of it. */
export function rungsOf(
  layers: readonly { layer: number; masks: readonly (readonly FillMaskResult[])[] }[],
  gap: number,
  before: string,
  after: string,
): Rung[] {
  return layers.map(({ layer, masks }) => ({
    layer,
    words: offered(masks[gap] ?? [], before, after)
      .slice(0, A_RUNG)
      .map(({ token_str: word, score }) => ({ word, score })),
  }));
}

/** The first layer from which on the best word stays the same. */
export function settledAt(rungs: readonly Rung[]): number {
  const last = rungs.at(-1)?.words[0]?.word;
  let at = rungs.length - 1;
  while (at > 0 && rungs[at - 1]!.words[0]?.word === last) at--;
  return at;
}

const named = (layer: number, last: number) => (layer === last ? t`the last layer` : t`layer ${layer}`);

/** The ladder in one sentence. */
export function story(rungs: readonly Rung[]): string {
  const last = rungs.length - 1;
  const end = rungs[last]?.words[0];
  if (!end) return t`The model has no word for this gap.`;
  const at = settledAt(rungs);
  const before = rungs[at - 1]?.words[0];
  const sure = percent(end.score);
  if (end.score < OPINION) return t`It never makes up its mind: in the end its best word, “${end.word}”, has ${sure}.`;
  if (!before) return t`It says “${end.word}” from the first to the last layer, in the end with ${sure}.`;
  if (before.score >= OPINION)
    return t`It changes its mind at ${named(at, last)}: “${before.word}” becomes “${end.word}”, ${at === last ? t`with` : t`in the end with`} ${sure}.`;
  if (at === last)
    return t`It makes up its mind at the last layer: “${end.word}”, ${sure}. Before, no word had more than ${percent(most(rungs.slice(0, last)))}.`;
  return t`From layer ${at} on its best word is “${end.word}”: ${percent(rungs[at]!.words[0]!.score)} there, ${sure} in the end.`;
}

/** The largest probability of a first word. */
const most = (rungs: readonly Rung[]) => Math.max(...rungs.map(({ words }) => words[0]?.score ?? 0));

/** A word on two adjacent rungs: at `rank` on the lower one and at `above` on the upper one. */
export interface Link {
  layer: number;
  rank: number;
  above: number;
  /** True for the final answer. */
  isAnswer: boolean;
}

/** The links from each rung to the one above it. */
export function linksOf(rungs: readonly Rung[]): Link[] {
  const answer = rungs.at(-1)?.words[0]?.word;
  return rungs.slice(0, -1).flatMap(({ layer, words }, at) =>
    words.flatMap(({ word }, rank) => {
      const above = rungs[at + 1]!.words.findIndex((other) => other.word === word);
      return above < 0 ? [] : [{ layer, rank, above, isAnswer: word === answer }];
    }),
  );
}
