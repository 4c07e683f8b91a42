// Text on a canvas, in the page's colours and fonts: what the pictures that visitors save have in common.

/** Width of a picture, and its margin, in pixels. */
export const WIDTH = 1200;
export const EDGE = 64;

/** The look of the page: its colours by their tokens, and its fonts. */
export interface Dress {
  color: (token: string) => string;
  family: string;
}

/** A run of text with one style. */
export interface Run {
  text: string;
  color: string;
  /** Underlined with this height in pixels; `markColor` is its colour. A marked run is not broken between lines. */
  mark?: number;
  markColor?: string;
  /** True if the text is struck out. */
  isStruck?: boolean;
}

/** Breaks runs between words into lines no wider than `width`. */
export function wrap(runs: readonly Run[], width: number, measure: (text: string) => number): Run[][] {
  const lines: Run[][] = [[]];
  let used = 0;
  for (const run of runs) {
    for (const part of run.mark ? [run.text] : run.text.split(/(?<=\s)(?!%)/)) {
      const wide = measure(part);
      if (used > 0 && used + measure(part.trimEnd()) > width) {
        lines.push([]);
        used = 0;
      }
      lines.at(-1)!.push({ ...run, text: part });
      used += wide;
    }
  }
  return lines;
}

/** Draws one line of runs, `height` pixels high. Returns the place of the next line. */
export function paintLine(
  context: CanvasRenderingContext2D,
  runs: readonly Run[],
  font: string,
  y: number,
  height: number,
): number {
  context.font = font;
  let x = EDGE;
  for (const { text, color, mark, markColor = color, isStruck } of runs) {
    const wide = context.measureText(text).width;
    if (mark) {
      context.fillStyle = markColor;
      context.fillRect(x, y + 24, wide, mark);
    }
    context.fillStyle = color;
    context.fillText(text, x, y);
    if (isStruck) context.fillRect(x, y, context.measureText(text.trimEnd()).width, 3);
    x += wide;
  }
  return y + height;
}

/** Draws the page's name and what the picture shows at the foot of a picture. */
export function paintFoot(context: CanvasRenderingContext2D, y: number, what: string, { color, family }: Dress): void {
  context.textAlign = "start";
  context.font = "600 24px monospace";
  context.fillStyle = color("--green");
  const name = "webert";
  context.fillText(name, EDGE, y);
  const left = EDGE + context.measureText(name).width + 20;
  context.font = `22px ${family}`;
  context.fillStyle = color("--faint");
  context.fillText(what, left, y, WIDTH - EDGE - left);
}
