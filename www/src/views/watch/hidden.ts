// Chooses the hidden word of the sentence and the text that the model reads: the gap with its surroundings.
import { MASK } from "../../text/offered.ts";
import { type Range, type Stretch, stretchesOf } from "../../text/stretches.ts";

/** Characters on each side of the gap that are read and shown. */
export const AROUND = 400;

/** Function words. They are hidden by default only if the sentence has no other word. */
const SMALL = new Set(
  `a an the my your his her its our their this that these those i you he she it we they me him us them who which what and or but nor so
  if as than not is are was were am be been being has have had do does did will would can could in on at of to from with by for into
  over under about up down out off after before then there here very every each some any all no`.split(/\s+/),
);

/** A sentence around a gap. */
export interface Hidden {
  /** The part of the text that is read and shown; a cut at either end is marked. */
  stretches: Stretch[];
  /** The index of the gap among the stretches. */
  gap: number;
  /** The text that the model reads. */
  masked: string;
  /** The index of the gap among the masks of `masked`. */
  mask: number;
  /** The text on both sides of it, with masks in place of other gaps. */
  before: string;
  after: string;
  /** The hidden word; undefined for a gap that the visitor wrote. */
  word?: string;
  cutBefore: boolean;
  cutAfter: boolean;
}

/** The gap at the chosen place. By default the first gap of the text, or the last of its longest words. */
export function chosenStretch(stretches: readonly Stretch[], chosen?: Range): Stretch | undefined {
  const there = stretches.find(
    ({ kind, start, end }) => kind !== "between" && start === chosen?.start && end === chosen?.end,
  );
  if (there) return there;
  const gap = stretches.find(({ kind }) => kind === "gap");
  if (gap) return gap;
  const words = stretches.filter(({ kind }) => kind === "word");
  const large = words.filter(({ text }) => !SMALL.has(text.toLowerCase()));
  return (large.length ? large : words).reduce<Stretch | undefined>(
    (best, word) => (best && best.text.length > word.text.length ? best : word),
    undefined,
  );
}

/** The text with one word hidden: the word or gap at the chosen place, if any. Undefined if the text has no word. */
export function hide(text: string, chosen?: Range): Hidden | undefined {
  // read a long text around the chosen place, or at its beginning
  const near = Math.min(chosen?.start ?? 0, text.length);
  const [low, high] = [Math.max(0, near - 4 * AROUND), Math.min(text.length, near + 4 * AROUND)];
  const all = stretchesOf(text.slice(low, high)).map((stretch) => ({
    ...stretch,
    start: stretch.start + low,
    end: stretch.end + low,
  }));
  const hidden = chosenStretch(all, chosen);
  if (!hidden) return undefined;
  const stretches = all.filter(({ start, end }) => end > hidden.start - AROUND && start < hidden.end + AROUND);
  const gap = stretches.indexOf(hidden);
  const read = (some: readonly Stretch[]) => some.map(({ kind, text }) => (kind === "gap" ? MASK : text)).join("");
  const [before, after] = [read(stretches.slice(0, gap)), closed(read(stretches.slice(gap + 1)))];
  return {
    stretches,
    gap,
    masked: `${before}${MASK}${after}`,
    mask: stretches.slice(0, gap).filter(({ kind }) => kind === "gap").length,
    before,
    after,
    ...(hidden.kind === "word" && { word: hidden.text }),
    cutBefore: stretches[0]!.start > 0,
    cutAfter: stretches.at(-1)!.end < text.length,
  };
}

/** Adds a full stop. Without one the model expects it in the last word's place. */
const closed = (text: string) => (/[.!?…。！？"”»)\]]\s*$/.test(text) ? text : `${text.trimEnd()}.`);
