// Draws a report on a canvas, to paste into an issue: it can be understood without the page.
import type { MeasureReport } from "webert/measure";
import { type Dress, EDGE, paintFoot, WIDTH, wrap } from "../../components/canvas.ts";
import { t } from "../../language.ts";
import {
  adapterName,
  caution,
  differenceText,
  encodeTable,
  figure,
  isWrong,
  kernelName,
  sizeOf,
  speedOf,
  verdict,
} from "./figures.ts";

const LINE = 34;

/** A line of the picture: cells with the places where they begin or, if right-aligned, end. */
type Line = { cells: [text: string, x: number, align: CanvasTextAlign][]; font: string; color: string; height: number };

/** Draws everything and sets the canvas' size. */
export function paint(canvas: HTMLCanvasElement, report: MeasureReport, { color, family }: Dress): void {
  const context = canvas.getContext("2d")!;
  const lines = linesOf(
    report,
    { color, family },
    (font, text) => ((context.font = font), context.measureText(text).width),
  );
  canvas.width = WIDTH;
  canvas.height = lines.reduce((sum, { height }) => sum + height, EDGE) + 100;
  context.fillStyle = color("--paper");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = "middle";
  let y = EDGE;
  for (const { cells, font, color, height } of lines) {
    context.font = font;
    context.fillStyle = color;
    for (const [text, x, align] of cells) {
      context.textAlign = align;
      context.fillText(text, x, y + height / 2, WIDTH - 2 * EDGE);
    }
    y += height;
  }
  paintFoot(context, canvas.height - 46, `${report.webert} · ${report.date.slice(0, 10)}`, { color, family });
}

function linesOf(
  report: MeasureReport,
  { color, family }: Dress,
  measure: (font: string, text: string) => number,
): Line[] {
  const [title, quiet, mono] = [`500 40px ${family}`, `24px ${family}`, "22px monospace"];
  const lines: Line[] = [];
  const text = (value: string, font: string, ink: string, height: number) => {
    const wide = (part: string) => measure(font, part);
    for (const line of wrap([{ text: value, color: ink }], WIDTH - 2 * EDGE, wide))
      lines.push({ cells: [[line.map((run) => run.text).join(""), EDGE, "start"]], font, color: ink, height });
  };
  const table = (cells: Line["cells"], ink = color("--ink")) =>
    lines.push({ cells, font: mono, color: ink, height: LINE });
  text(adapterName(report), title, color("--ink"), 52);
  const { browser, cores, gpu } = report;
  text(t`${browser.user_agent}; ${cores} cores`, quiet, color("--faint"), 32);
  for (const said of [caution(report), verdict(report)]) if (said) text(said, quiet, color("--green"), 40);
  const { names, rows } = encodeTable(report);
  const column = (WIDTH - 2 * EDGE - 160) / Math.max(1, names.length);
  const at = (index: number) => EDGE + 160 + (index + 1) * column;
  if (rows.length) {
    table(
      [[t`Batch`, EDGE, "start"], ...names.map((name, index) => [name, at(index), "right"] as Line["cells"][0])],
      color("--faint"),
    );
    for (const [batch, times] of rows)
      table([[batch, EDGE, "start"], ...times.map((ms, index) => [ms, at(index), "right"] as Line["cells"][0])]);
  }
  if (!gpu) return lines;
  const costs = t`A request takes ${figure(gpu.request_ms)} ms, each dispatch ${figure(gpu.dispatch_us)} µs.`;
  text(costs, quiet, color("--faint"), 52);
  for (const kernel of gpu.kernels)
    table(
      [
        [kernelName(kernel), EDGE, "start"],
        [sizeOf(kernel), EDGE + 430, "start"],
        [kernel.difference === null ? "–" : differenceText(kernel.difference), EDGE + 830, "right"],
        [speedOf(kernel), WIDTH - EDGE, "right"],
      ],
      color(isWrong(kernel) ? "--bad" : "--ink"),
    );
  return lines;
}
