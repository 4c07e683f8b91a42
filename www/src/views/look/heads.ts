// The heads with a name, from the results of www/tools/heads.mjs, and descriptions of all heads.
import { percent, wholePercent } from "../../format.ts";
import { language, t } from "../../language.ts";
import { type Attention, idle, looks, strongest } from "./attention.ts";
import measured from "./heads.json";
import { RELATIONS, type Relation } from "./relations.ts";

/** Counts for a named head; shares are from 0 to 1. */
export interface Measured {
  id: string;
  /** Both from 0. */
  layer: number;
  head: number;
  /** How often the word with most attention is the right one. */
  right: number;
  /** The share of a word's attention on the right word. */
  share: number;
  /** How often the best fixed distance is right. */
  fixed: number;
  pairs: number;
}

/** A named head. */
export interface NamedHead extends Measured {
  relation: Relation;
}

/** The named heads of the package's model, in the order in which they are shown. */
export const NAMED: readonly NamedHead[] = RELATIONS.flatMap((relation) =>
  (measured.relations as Measured[]).filter(({ id }) => id === relation.id).map((one) => ({ ...one, relation })),
);

/** The name of a head, if it has one. */
export const namedAt = (layer: number, head: number) => NAMED.find((one) => one.layer === layer && one.head === head);

/** The head shown first for a sentence: the first named head with a word in the sentence. */
export const opensWith = (words: readonly string[]): NamedHead =>
  NAMED.find(({ relation }) => relation.sources(words).length > 0) ?? NAMED[0]!;

/** The head with most attention on the text, if no head has a name. */
export function busiest(attention: Attention): number {
  let best = 0;
  for (let head = 1; head < attention.layers * attention.heads; head++)
    if (focus(attention, head) > focus(attention, best)) best = head;
  return best;
}

/** The mean share on the other word with most attention, over a head's words. */
function focus(attention: Attention, head: number): number {
  let sum = 0;
  for (let from = 0; from < attention.count; from++) {
    const row = looks(attention, head, from);
    const to = strongest(row, from);
    if (to >= 0) sum += row[to]!;
  }
  return sum / Math.max(1, attention.count) - idle(attention, head) * 1e-3;
}

/** A sentence on how reliably a head does what its name says. */
export function evidence({ right, fixed, pairs, relation }: NamedHead): string {
  const counted = t`Counted over ${pairs.toLocaleString(language.value)} cases: it is right in ${percent(right).replace(/[.,]0 %/, " %")}`;
  return relation.byDistance
    ? `${counted}.`
    : t`${counted}; always looking the same distance away would be right in ${percent(fixed)}.`;
}

/** The three words with most of a word's attention: "“Bert” (71 %) and “tired” (9 %); 8 % goes to no word". */
export function targetsOf(
  attention: Attention,
  words: readonly { text: string }[],
  head: number,
  from: number,
): string {
  const row = [...looks(attention, head, from)];
  const best = [...row.keys()]
    .sort((a, b) => row[b]! - row[a]!)
    .slice(0, 3)
    .filter((to, rank) => row[to]! >= (rank ? 0.05 : 0.01))
    .map((to) => `${to === from ? t`itself` : t`“${words[to]!.text}”`} (${wholePercent(row[to]!)})`);
  const none = attention.elsewhere[head * attention.count + from]!;
  const list = best.length > 1 ? t`${best.slice(0, -1).join(", ")} and ${best.at(-1)}` : (best[0] ?? t`no word`);
  return `${list}${none >= 0.05 && best.length ? t`; ${wholePercent(none)} goes to no word` : ""}`;
}
