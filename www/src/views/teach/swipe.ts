// The direction of a swipe, and the label in this direction.

export type Swipe = "left" | "right" | "up";

/** Minimum pixels of a swipe. */
const FAR = 70;

/** The direction of a move by (x, y) pixels; undefined if it is too short or downwards. */
export function directionOf(x: number, y: number): Swipe | undefined {
  if (Math.abs(x) >= FAR && Math.abs(x) > Math.abs(y)) return x < 0 ? "left" : "right";
  return y <= -FAR ? "up" : undefined;
}

/** The index of the label that a swipe chooses. */
export const placeOfSwipe = (way: Swipe): number => ["left", "right", "up"].indexOf(way);
