// Where the candidates stand in the square of both probabilities, and which of them get their word.
import { language } from "../../language.ts";
import { type Candidate, leaning, leanOf } from "../../text/compare.ts";

/** The least probability of the axes. */
const LOWEST = 1e-5;

/** Marks of the axes. */
export const TICKS = [0.0001, 0.001, 0.01, 0.1, 1] as const;

/** A probability on an axis, as a percentage in the page's language. */
export const tickName = (score: number): string =>
  `${(100 * score).toLocaleString(language.value, { maximumFractionDigits: 2 })} %`;

/** The place of a probability on an axis, from 0 to 1, by its logarithm. */
export const placeOf = (score: number): number =>
  Math.max(0, Math.log(Math.max(score, LOWEST) / LOWEST) / Math.log(1 / LOWEST));

/** A candidate in the square: `x` and `y` from 0 to 1, from the lower left. */
export interface Dot {
  candidate: Candidate;
  x: number;
  y: number;
  lean: number;
  /** Where its word begins or ends, beside the dot; undefined if there is no room for it. */
  label?: { x: number; y: number; anchor: "start" | "end" };
}

/** Words per side that get a label. */
const LABELS = 6;
/** Height of a label, width of a letter, and distance from the dot, in sides of the square. */
const HIGH = 0.045;
const LETTER = 0.0195;
const AWAY = 0.022;
/** Radius of a dot, in sides of the square. */
const RADIUS = 0.012;

/** The dots of the candidates. The farthest from the diagonal get labels that do not overlap, on the side that covers fewer dots. */
export function dotsOf(candidates: readonly Candidate[]): Dot[] {
  const dots: Dot[] = candidates.map((candidate) => ({
    candidate,
    x: placeOf(candidate.first),
    y: placeOf(candidate.second),
    lean: leanOf(candidate),
  }));
  const farthest = [...leaning(candidates, "first", LABELS), ...leaning(candidates, "second", LABELS)].sort(
    (a, b) => Math.abs(leanOf(b)) - Math.abs(leanOf(a)),
  );
  const taken: { left: number; right: number; y: number }[] = [];
  for (const candidate of farthest) {
    const dot = dots.find((dot) => dot.candidate === candidate)!;
    const wide = candidate.word.length * LETTER;
    const places = (["start", "end"] as const).flatMap((anchor) => {
      const x = anchor === "start" ? dot.x + AWAY : dot.x - AWAY;
      const [left, right] = anchor === "start" ? [x, x + wide] : [x - wide, x];
      const isFree = taken.every((one) => one.right < left || one.left > right || Math.abs(one.y - dot.y) > HIGH);
      if (left < 0 || right > 1 || !isFree) return [];
      const isCovered = (one: Dot) =>
        one !== dot && one.x > left - RADIUS && one.x < right + RADIUS && Math.abs(one.y - dot.y) < HIGH / 2;
      return [{ anchor, x, left, right, covered: dots.filter(isCovered).length }];
    });
    const [best] = places.sort((a, b) => a.covered - b.covered);
    if (!best) continue;
    dot.label = { x: best.x, y: dot.y, anchor: best.anchor };
    taken.push({ left: best.left, right: best.right, y: dot.y });
  }
  return dots;
}
