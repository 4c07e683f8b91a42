// The question of the view Compare: two sentences with the same gap.
import { type Difference, differenceOf, placeInSecond } from "../../text/compare.ts";
import { type Range, type Stretch, shownOf, stretchesOf } from "../../text/stretches.ts";

/** Two sentences, their difference and their gaps. */
export interface Question {
  texts: [string, string];
  difference: Difference;
  gaps: [Range, Range];
  /** The different words, as they are named. */
  names: [string, string];
}

/** The part that is missing if two sentences cannot be compared. */
export type Lack = "text" | "difference" | "gap";

/**
 * The question of two texts. The gap is the first sentence's word at `chosen`, or else its first written gap, or else its last word outside of
 * the part that differs.
 */
export function questionOf(first: string, second: string, chosen: Range | undefined): Question | Lack {
  const texts: [string, string] = [shownOf(first).shown, shownOf(second).shown];
  if (!texts[0].trim() || !texts[1].trim()) return "text";
  const difference = differenceOf(...texts);
  const named = (text: string, { start, end }: Range) => text.slice(start, end).trim();
  const names: [string, string] = [named(texts[0], difference.first), named(texts[1], difference.second)];
  if (texts[0] === texts[1]) return "difference";
  const isCommon = ({ kind, ...range }: Stretch) =>
    kind !== "between" && placeInSecond(range, difference) !== undefined;
  const common = stretchesOf(texts[0]).filter(isCommon);
  const gap =
    common.find(({ start, end }) => start === chosen?.start && end === chosen.end) ??
    common.find(({ kind }) => kind === "gap") ??
    common.at(-1);
  if (!gap) return "gap";
  const { start, end } = gap;
  return { texts, difference, names, gaps: [{ start, end }, placeInSecond({ start, end }, difference)!] };
}
