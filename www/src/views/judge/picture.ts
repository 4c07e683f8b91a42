// Draws a judgement on a canvas: the sentence with its reasons, the verdict, its scale, and the sentence about the reasons.
import { type Dress, EDGE, paintFoot, paintLine, type Run, WIDTH, wrap } from "../../components/canvas.ts";
import { named } from "../../format.ts";
import { t } from "../../language.ts";
import { type Judgement, nameOf, shownLabel, story, type Verdict } from "../../text/judge.ts";
import { type Range, stretchesOf } from "../../text/stretches.ts";
import type { LabelKind } from "./judges.ts";
import { surenessOf } from "./scale.tsx";
import { LIGHT, strengthOf } from "./sentence.tsx";

/** Characters of the sentence that are drawn. */
const MOST = 260;
const ROW = 46;
/** Bars that are drawn of several labels. */
const BARS = 4;

interface Judged {
  kind: LabelKind;
  text: string;
  struck: readonly Range[];
  judgement: Judgement;
}

/** The sentence as runs: the line under a word is as thick as its reason is strong. */
function sentenceRuns({ text, struck, judgement }: Judged, color: Dress["color"]): Run[] {
  const runs = stretchesOf(text.slice(0, MOST)).map((stretch): Run => {
    const isStruck = struck.some(({ start }) => start === stretch.start);
    if (isStruck) return { text: stretch.text, color: color("--faint"), isStruck };
    const reason = judgement.reasons.find(({ start }) => start === stretch.start);
    const strength = reason ? strengthOf(judgement, reason) : 0;
    return {
      text: stretch.text.replace(/\s+/g, " "),
      color: color("--ink"),
      ...(stretch.kind === "word" && {
        mark: 1 + 9 * Math.abs(strength),
        markColor: color(strength <= -LIGHT ? "--bad" : "--green"),
      }),
    };
  });
  return text.length > MOST ? [...runs, { text: " …", color: color("--faint") }] : runs;
}

/** Draws everything and sets the canvas' size. */
export function paint(canvas: HTMLCanvasElement, judged: Judged, dress: Dress): void {
  const { color, family } = dress;
  const { kind, judgement } = judged;
  const { verdict } = judgement;
  const context = canvas.getContext("2d")!;
  const [large, middle, quiet] = [`500 46px ${family}`, `600 36px ${family}`, `26px ${family}`];
  const measure = (font: string) => (text: string) => ((context.font = font), context.measureText(text).width);
  const sentence = wrap(sentenceRuns(judged, color), WIDTH - 2 * EDGE, measure(large));
  const summary = wrap([{ text: story(judgement, named), color: color("--faint") }], WIDTH - 2 * EDGE, measure(quiet));
  const bars = kind === "feeling" ? 1 : Math.min(BARS, verdict.labels.length);
  canvas.width = WIDTH;
  canvas.height = EDGE + sentence.length * 68 + 84 + bars * ROW + 50 + summary.length * 36 + 100;
  context.fillStyle = color("--paper");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = "middle";
  let y = EDGE + 20;
  for (const line of sentence) y = paintLine(context, line, large, y, 68);
  const said = nameOf(verdict);
  const sure = surenessOf(kind, verdict);
  const says = said === undefined ? t`It is unsure.` : t`It says ${shownLabel(verdict, said)}${sure && `, ${sure}`}`;
  y = paintLine(context, [{ text: says, color: color("--ink") }], middle, y + 18, 62);
  if (kind === "feeling") paintScale(context, verdict, y, dress);
  else paintBars(context, verdict, y, dress);
  y += bars * ROW + 50;
  for (const line of summary) y = paintLine(context, line, quiet, y, 36);
  paintFoot(
    context,
    canvas.height - 46,
    t`The thicker a line, the more BERT’s verdict depends on the word. Computed in the browser`,
    dress,
  );
}

/** The scale with its needle, and the names of its ends. */
function paintScale(
  context: CanvasRenderingContext2D,
  { labels, scores }: Verdict,
  y: number,
  { color, family }: Dress,
) {
  const wide = WIDTH - 2 * EDGE;
  const gradient = context.createLinearGradient(EDGE, 0, WIDTH - EDGE, 0);
  for (const [at, token] of [
    [0, "--bad"],
    [0.35, "--track"],
    [0.65, "--track"],
    [1, "--bar-first"],
  ] as const)
    gradient.addColorStop(at, color(token));
  context.fillStyle = gradient;
  context.fillRect(EDGE, y, wide, 14);
  context.fillStyle = color("--edge");
  for (const at of [0.35, 0.65]) context.fillRect(EDGE + at * wide, y, 2, 14);
  context.fillStyle = color("--ink");
  context.fillRect(EDGE + scores[1]! * wide - 4, y - 10, 8, 34);
  context.font = `24px ${family}`;
  context.fillStyle = color("--faint");
  for (const [text, at, align] of [
    [labels[0]!, 0, "start"],
    [t`unsure`, 0.5, "center"],
    [labels[1]!, 1, "end"],
  ] as const) {
    context.textAlign = align;
    context.fillText(text, EDGE + at * wide, y + 44);
  }
  context.textAlign = "start";
}

/** Bars of the best labels. */
function paintBars(
  context: CanvasRenderingContext2D,
  { labels, scores }: Verdict,
  y: number,
  { color, family }: Dress,
) {
  const order = [...labels.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, BARS);
  const most = Math.max(...scores, 0.5);
  const left = EDGE + 330;
  for (const [row, label] of order.entries()) {
    const at = y + row * ROW;
    context.font = `${row === 0 ? 600 : 400} 28px ${family}`;
    context.fillStyle = color("--ink");
    context.fillText(labels[label]!, EDGE, at + 8, 310);
    context.fillStyle = color("--track");
    context.fillRect(left, at, WIDTH - EDGE - left, 16);
    context.fillStyle = color(row === 0 ? "--bar-first" : "--bar");
    context.fillRect(left, at, (WIDTH - EDGE - left) * Math.max(0, scores[label]! / most), 16);
  }
}
