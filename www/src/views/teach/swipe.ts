// Which way a card is swiped, and the label that is there.

export type Swipe = "left" | "right" | "up";

/** Pixels that a card has to be moved. */
const FAR = 70;

/** The way of a move by (x, y) pixels; undefined where it is too short or downwards. */
export function directionOf(x: number, y: number): Swipe | undefined {
  if (Math.abs(x) >= FAR && Math.abs(x) > Math.abs(y)) return x < 0 ? "left" : "right";
  return y <= -FAR ? "up" : undefined;
}

/** The index of the label that a swipe chooses. */
export const placeOfSwipe = (way: Swipe): number => ["left", "right", "up"].indexOf(way);
