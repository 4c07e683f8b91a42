// Pairs of texts for the contrastive training of SetFit.
import type { LabelledTexts } from "./sentence-rows.js";

/** A row of feature-extraction: two texts and the similarity of their vectors. */
export interface Pair {
  text: string;
  text_pair: string;
  score: number;
}

/** Pairs of a kind, at most. Of more rows than these need, pairs are drawn. */
const MOST = 100_000;
/** Draws for each pair, at most: one kind may be rare. */
const TRIES = 20;

/**
 * Returns each pair of rows, also a row with itself: similarity 1 if they share a label, otherwise 0. The rarer kind is
 * repeated until both are equally many, as SetFit's sampling strategy "oversampling" does.
 */
export function contrastivePairs({ texts, targets }: LabelledTexts, seed: number): Pair[] {
  const labels = targets.length / texts.length;
  const shares = (a: number, b: number) =>
    Array.from({ length: labels }, (_, label) => label).some(
      (label) => targets[a * labels + label]! > 0.5 && targets[b * labels + label]! > 0.5,
    );
  const kinds: [different: Pair[], same: Pair[]] = [[], []];
  const random = generator(seed);
  const add = (a: number, b: number) => {
    const score = shares(a, b) ? 1 : 0;
    if (kinds[score].length < MOST) kinds[score].push({ text: texts[a]!, text_pair: texts[b]!, score });
  };
  const count = texts.length;
  const draw = () => Math.floor(random() * count);
  if ((count * (count + 1)) / 2 <= MOST) {
    for (let a = 0; a < count; a++) for (let b = a; b < count; b++) add(a, b);
  } else {
    for (let n = 0; n < TRIES * MOST && kinds.some((kind) => kind.length < MOST); n++) add(draw(), draw());
  }
  const most = Math.max(...kinds.map((kind) => kind.length));
  for (const kind of kinds) shuffle(kind, random);
  return kinds.flatMap((kind) => (kind.length ? Array.from({ length: most }, (_, n) => kind[n % kind.length]!) : []));
}

/** Returns numbers from 0 up to but excluding 1, the same ones for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Brings the values into a random order (Fisher and Yates). */
function shuffle<T>(values: T[], random: () => number): void {
  for (let last = values.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [values[last], values[other]] = [values[other]!, values[last]!];
  }
}
