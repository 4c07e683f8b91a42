// Draws the ladder on a canvas, with the sentence and its story, so that the picture can be understood without the page.
import { type Dress, EDGE, paintFoot, paintLine, type Run, WIDTH, wrap } from "../../components/canvas.ts";
import { wholePercent } from "../../format.ts";
import { t } from "../../language.ts";
import type { Hidden } from "./hidden.ts";
import { linksOf, OPINION, type Rung, story } from "./ladder.ts";

const ROW = 76;
const CHIP = 52;
const LABEL = 160;
const ROUND = 6;

/** The sentence as runs: the model's last answer in the gap, marked. */
function sentenceRuns(
  { before, after, cutBefore, cutAfter }: Hidden,
  answer: string,
  color: (token: string) => string,
): Run[] {
  const plain = (text: string) => text.replaceAll("[MASK]", "____").replace(/\s+/g, " ");
  const [near, far] = [plain(before), plain(after)];
  const [most, ink] = [160, color("--ink")];
  return [
    { text: near.length > most || cutBefore ? `… ${near.slice(-most)}` : near, color: ink },
    { text: answer, color: color("--green"), mark: 5, markColor: color("--amber") },
    { text: far.length > most || cutAfter ? `${far.slice(0, most)} …` : far, color: ink },
  ];
}

/** Draws everything and sets the canvas' size. */
export function paint(
  canvas: HTMLCanvasElement,
  hidden: Hidden,
  rungs: readonly Rung[],
  { color, family }: Dress,
): void {
  const context = canvas.getContext("2d")!;
  const large = `500 44px ${family}`;
  const quiet = `26px ${family}`;
  const measure = (font: string) => (text: string) => ((context.font = font), context.measureText(text).width);
  const answer = rungs.at(-1)?.words[0]?.word ?? "____";
  const sentence = wrap(sentenceRuns(hidden, answer, color), WIDTH - 2 * EDGE, measure(large));
  const summary = wrap(
    [{ text: toldOf(hidden, rungs, answer), color: color("--faint") }],
    WIDTH - 2 * EDGE,
    measure(quiet),
  );
  const top = EDGE + sentence.length * 58 + summary.length * 36 + 34;
  canvas.width = WIDTH;
  canvas.height = top + rungs.length * ROW + 74;
  context.fillStyle = color("--paper");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = "middle";
  let y = EDGE + 16;
  for (const line of sentence) y = paintLine(context, line, large, y, 58);
  y += 2;
  for (const line of summary) y = paintLine(context, line, quiet, y, 36);
  paintLadder(context, rungs, top, { color, family });
  paintFoot(context, canvas.height - 46, t`What BERT would say after each of its layers, computed in the browser`, {
    color,
    family,
  });
}

/** The story. It begins with the hidden word if the model's answer differs. */
function toldOf({ word }: Hidden, rungs: readonly Rung[], answer: string): string {
  const isOther = word !== undefined && word.toLowerCase() !== answer.toLowerCase();
  return `${isOther ? t`“${word}” was hidden. ` : ""}${story(rungs)}`;
}

function paintLadder(
  context: CanvasRenderingContext2D,
  rungs: readonly Rung[],
  top: number,
  { color, family }: Dress,
): void {
  const column = (WIDTH - 2 * EDGE - LABEL) / 3;
  const [x, y] = [
    (rank: number) => EDGE + LABEL + (rank + 0.5) * column,
    (layer: number) => top + (rungs.length - layer - 0.5) * ROW,
  ];
  const answer = rungs.at(-1)?.words[0]?.word;
  for (const { layer, rank, above, isAnswer } of linksOf(rungs)) {
    context.strokeStyle = color(isAnswer ? "--amber" : "--rule");
    context.lineWidth = isAnswer ? 5 : 3;
    const bend = (y(layer) + y(layer + 1)) / 2;
    context.beginPath();
    context.moveTo(x(rank), y(layer));
    context.bezierCurveTo(x(rank), bend, x(above), bend, x(above), y(layer + 1));
    context.stroke();
  }
  for (const { layer, words } of rungs) {
    context.font = `24px ${family}`;
    context.fillStyle = color("--faint");
    context.textAlign = "start";
    context.fillText(layer ? t`Layer ${layer}` : t`Embeddings`, EDGE, y(layer));
    for (const [rank, { word, score }] of words.entries()) {
      const [left, wide] = [x(rank) - column / 2 + 8, column - 16];
      context.beginPath();
      context.roundRect(left, y(layer) - CHIP / 2, wide, CHIP, ROUND);
      context.fillStyle = color("--sheet");
      context.fill();
      context.globalAlpha = 0.5 * score;
      context.fillStyle = color("--bar-first");
      context.fill();
      context.globalAlpha = 1;
      context.strokeStyle = color(word === answer ? "--amber" : "--rule");
      context.lineWidth = word === answer ? 3 : 1;
      context.stroke();
      context.fillStyle = color(score < OPINION ? "--faint" : "--ink");
      context.font = `${score >= 0.3 ? 600 : 400} 28px ${family}`;
      context.textAlign = "start";
      context.fillText(word, left + 16, y(layer), wide - 110);
      context.font = `20px ${family}`;
      context.textAlign = "end";
      context.fillText(wholePercent(score), left + wide - 14, y(layer));
    }
  }
}
