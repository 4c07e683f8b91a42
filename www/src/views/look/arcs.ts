// Paths of arcs: from the top of one word to the top of another, or to the bottom of one in a line above.

/** A word's place in the box, in pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The path of an arc, and its height. */
export function arcPath(from: Box, to: Box): string {
  const [x1, x2] = [from.left + from.width / 2, to.left + to.width / 2];
  const isSameLine = Math.abs(from.top - to.top) < Math.min(from.height, to.height) / 2;
  if (isSameLine) {
    const [y1, y2] = [from.top, to.top];
    const height = archHeight(Math.abs(x2 - x1));
    return path(
      x1,
      y1,
      x1 + (x2 - x1) * 0.08,
      y1 - height * 1.33,
      x2 - (x2 - x1) * 0.08,
      y2 - height * 1.33,
      x2,
      y2 - 1,
    );
  }
  const isBelow = to.top > from.top;
  const [y1, y2] = isBelow ? [from.top + from.height, to.top] : [from.top, to.top + to.height];
  const bend = (y2 - y1) * 0.6;
  return path(x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2);
}

/** The height of an arc over `distance` pixels, within the space between two lines. */
export const archHeight = (distance: number) => Math.min(34, 12 + distance * 0.09);

const path = (...at: number[]) => {
  const [x1, y1, cx1, cy1, cx2, cy2, x2, y2] = at.map((value) => Math.round(value * 10) / 10);
  return `M${x1} ${y1}C${cx1} ${cy1} ${cx2} ${cy2} ${x2} ${y2}`;
};
