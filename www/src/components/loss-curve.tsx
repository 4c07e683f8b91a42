// A loss curve: SVG by d3's scales and shapes, so that it has the page's colours and is sharp at any size. Numbers are HTML beside
// it, because a stretched drawing would stretch its text.
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { language, t, tx } from "../language.ts";
import type { Point } from "./curve.ts";

const WIDTH = 600;
const HEIGHT = 160;

/**
 * @param points loss per step
 * @param smooth their running mean
 * @param steps the steps of the whole run
 * @param mark a step to mark with a line
 * @param label the name of the curve
 */
export function LossCurve({
  points,
  smooth,
  steps,
  mark,
  label,
}: {
  points: readonly Point[];
  smooth: readonly Point[];
  steps: number;
  mark?: number | undefined;
  label: string;
}) {
  const highest = Math.max(...points.map(({ loss }) => loss), 0.1);
  const x = scaleLinear([0, Math.max(steps, 1)], [0, WIDTH]);
  const y = scaleLinear([0, highest], [HEIGHT, 4]).nice(4);
  const path = line<Point>(
    ({ step }) => x(step),
    ({ loss }) => y(loss),
  );
  const [first, last] = [smooth[0], smooth.at(-1)];
  const spoken = last
    ? t`${label}: from ${first!.loss.toFixed(2)} at step ${first!.step} to ${last.loss.toFixed(2)} at step ${last.step}`
    : t`${label}: no steps yet`;
  const ticks = y.ticks(3);
  return (
    <figure class="curve">
      <div class="curve-numbers" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ top: `${(100 * y(tick)) / HEIGHT}%` }}>
            {tick}
          </span>
        ))}
      </div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={spoken}>
        {ticks.map((tick) => (
          <line key={tick} class="curve-grid" x1={0} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
        ))}
        <path class="curve-raw" d={path(points as Point[]) ?? ""} />
        <path class="curve-smooth" d={path(smooth as Point[]) ?? ""} />
        {mark !== undefined && <line class="curve-mark" x1={x(mark)} x2={x(mark)} y1={0} y2={HEIGHT} />}
      </svg>
      <figcaption>
        <span>{label}</span>
        <span>{tx`${steps.toLocaleString(language.value)} steps`}</span>
      </figcaption>
    </figure>
  );
}
