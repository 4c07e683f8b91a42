// Draws a comparison on a canvas: both sentences, the square with its words, and the sentence about it.
import { type Dress, EDGE, paintFoot, paintLine, type Run, WIDTH, wrap } from "../../components/canvas.ts";
import { t } from "../../language.ts";
import { type Candidate, contrast } from "../../text/compare.ts";
import type { Range } from "../../text/stretches.ts";
import { dotsOf, placeOf, TICKS, tickName } from "./plot.ts";
import type { Question } from "./question.ts";

const SIDE = 820;
/** Characters of a sentence that are drawn. */
const MOST = 200;

/** The colours of the two sides. */
const COLORS = ["--bar-first", "--amber-ink"] as const;

/** A sentence as runs: what differs is coloured, the gap is a line. */
function sentenceRuns(text: string, gap: Range, differs: Range, own: string, color: Dress["color"]): Run[] {
  const cuts = [0, ...[gap, differs].flatMap(({ start, end }) => [start, end]), text.length].sort((a, b) => a - b);
  const runs = cuts.slice(1).map((end, at): Run => {
    const start = cuts[at]!;
    if (start === gap.start && end > start) return { text: "____", color: color("--faint") };
    const isOwn = start >= differs.start && end <= differs.end && end > start;
    return { text: text.slice(start, end), color: isOwn ? own : color("--ink") };
  });
  return runs.filter(({ text }) => text);
}

/** Draws everything and sets the canvas' size. */
export function paint(
  canvas: HTMLCanvasElement,
  { question, candidates }: { question: Question; candidates: readonly Candidate[] },
  dress: Dress,
): void {
  const { color, family } = dress;
  const { texts, gaps, difference, names } = question;
  const context = canvas.getContext("2d")!;
  const [large, quiet] = [`500 42px ${family}`, `26px ${family}`];
  const measure = (font: string) => (text: string) => ((context.font = font), context.measureText(text).width);
  const lines = texts.flatMap((text, at) =>
    wrap(
      sentenceRuns(
        text.slice(0, MOST),
        gaps[at]!,
        at === 0 ? difference.first : difference.second,
        color(COLORS[at]!),
        color,
      ),
      WIDTH - 2 * EDGE,
      measure(large),
    ),
  );
  const summary = wrap(
    [{ text: contrast(candidates, names), color: color("--faint") }],
    WIDTH - 2 * EDGE,
    measure(quiet),
  );
  const top = EDGE + lines.length * 58 + summary.length * 36 + 36;
  canvas.width = WIDTH;
  canvas.height = top + SIDE + 180;
  context.fillStyle = color("--paper");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = "middle";
  let y = EDGE + 16;
  for (const line of lines) y = paintLine(context, line, large, y, 58);
  for (const line of summary) y = paintLine(context, line, quiet, y, 36);
  paintSquare(context, candidates, names, top, dress);
  paintFoot(
    context,
    canvas.height - 46,
    t`What BERT expects in the same gap of two sentences. Computed in the browser`,
    dress,
  );
}

function paintSquare(
  context: CanvasRenderingContext2D,
  candidates: readonly Candidate[],
  names: readonly [string, string],
  top: number,
  { color, family }: Dress,
): void {
  const left = (WIDTH - SIDE) / 2 + 20;
  const [x, y] = [(at: number) => left + at * SIDE, (at: number) => top + (1 - at) * SIDE];
  context.fillStyle = color("--sheet");
  context.fillRect(left, top, SIDE, SIDE);
  context.strokeStyle = color("--rule");
  context.lineWidth = 2;
  context.strokeRect(left, top, SIDE, SIDE);
  context.beginPath();
  context.moveTo(x(0), y(0));
  context.lineTo(x(1), y(1));
  context.stroke();
  context.font = `22px ${family}`;
  context.fillStyle = color("--faint");
  for (const score of TICKS) {
    const text = tickName(score);
    context.textAlign = score < 1 ? "center" : "end";
    context.fillText(text, x(placeOf(score)), y(0) + 24);
    context.textAlign = "end";
    context.fillText(text, x(0) - 12, y(placeOf(score)));
  }
  for (const { candidate, x: across, y: up, lean, label } of dotsOf(candidates)) {
    context.fillStyle = color(COLORS[lean > 0 ? 0 : 1]);
    context.globalAlpha = label ? 1 : 0.45;
    context.beginPath();
    context.arc(x(across), y(up), label ? 10 : 7, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
    if (!label) continue;
    context.font = `28px ${family}`;
    context.fillStyle = color("--ink");
    context.textAlign = label.anchor;
    context.fillText(candidate.word, x(label.x), y(label.y));
  }
  context.font = `26px ${family}`;
  context.textAlign = "end";
  context.fillStyle = color(COLORS[0]);
  context.fillText(t`with “${names[0]}” →`, x(1), y(0) + 62, SIDE);
  context.save();
  context.translate(left - 110, top);
  context.rotate(-Math.PI / 2);
  context.fillStyle = color(COLORS[1]);
  context.fillText(t`with “${names[1]}” →`, 0, 0, SIDE);
  context.restore();
}
