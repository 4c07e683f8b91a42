// The pairs that the view offers and their answers, recorded by www/tools/record-compare.mjs and shown while the model loads.
import type { Candidate } from "../../text/compare.ts";
import type { Pair } from "./presets.ts";
import recorded from "./recorded.json";

const entries = recorded as unknown as { texts: Pair; words: [string, number, number][] }[];

/** The pairs; the first one opens the view. */
export const PAIRS: readonly Pair[] = entries.map(({ texts }) => texts);

/** The recorded candidates of a pair whose gap is its ___; undefined for other pairs. */
export const recordedCandidates = (first: string, second: string): Candidate[] | undefined =>
  entries
    .find(({ texts }) => texts[0] === first && texts[1] === second)
    ?.words.map(([word, first, second]) => ({ word, first, second }));
