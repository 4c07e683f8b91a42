// The candidates as dots in the square of both probabilities, and as two lists.

import { t, tx } from "../../language.ts";
import { type Candidate, contrast, factor, leaning } from "../../text/compare.ts";
import { dotsOf, placeOf, TICKS, tickName } from "./plot.ts";

/** The square's side, and the room for the axes at its left and below it. */
const SIDE = 400;
const EDGE = 62;

export function Square({ candidates, names }: { candidates: readonly Candidate[]; names: readonly [string, string] }) {
  const [x, y] = [(at: number) => EDGE + at * SIDE, (at: number) => (1 - at) * SIDE + 6];
  return (
    <figure class="compare-square">
      <svg viewBox={`0 0 ${SIDE + EDGE + 8} ${SIDE + EDGE + 6}`} role="img" aria-label={contrast(candidates, names)}>
        <rect class="square-box" x={x(0)} y={y(1)} width={SIDE} height={SIDE} />
        <line class="square-diagonal" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
        {TICKS.map((score) => {
          const [at, text] = [placeOf(score), tickName(score)];
          return (
            <g key={text} class="square-tick">
              {score < 1 && <line x1={x(at)} x2={x(at)} y1={y(0)} y2={y(1)} />}
              {score < 1 && <line x1={x(0)} x2={x(1)} y1={y(at)} y2={y(at)} />}
              <text x={x(at)} y={y(0) + 16} text-anchor={score < 1 ? "middle" : "end"}>
                {text}
              </text>
              <text x={x(0) - 6} y={y(at) + (score < 1 ? 4 : 10)} text-anchor="end">
                {text}
              </text>
            </g>
          );
        })}
        {dotsOf(candidates).map(({ candidate, x: across, y: up, lean, label }) => (
          <g key={candidate.word} class={lean > 0 ? "is-first" : "is-second"}>
            <circle cx={x(across)} cy={y(up)} r={label ? 5.5 : 4} class={label ? undefined : "is-quiet"}>
              <title lang="en">{candidate.word}</title>
            </circle>
            {label && (
              <text x={x(label.x)} y={y(label.y) + 5} text-anchor={label.anchor} class="square-word" lang="en">
                {candidate.word}
              </text>
            )}
          </g>
        ))}
        <text
          class="square-axis is-first"
          x={x(1)}
          y={y(0) + 36}
          text-anchor="end"
        >{tx`with “${cut(names[0])}” →`}</text>
        <text
          class="square-axis is-second"
          transform={`translate(10 ${y(1)}) rotate(-90)`}
          text-anchor="end"
        >{tx`with “${cut(names[1])}” →`}</text>
      </svg>
    </figure>
  );
}

/** A name for little room. */
const cut = (name: string) => (name.length > 30 ? `${name.slice(0, 29)}…` : name);

/** The words that are likelier in one sentence. */
export function Side({
  candidates,
  side,
  name,
}: {
  candidates: readonly Candidate[];
  side: "first" | "second";
  name: string;
}) {
  const words = leaning(candidates, side);
  return (
    <section class={`compare-side is-${side}`}>
      <h2>{tx`Likelier with “${<span dir="auto">{cut(name)}</span>}”`}</h2>
      {words.length === 0 ? (
        <p class="hint">{t`No word is.`}</p>
      ) : (
        <ol>
          {words.map((candidate) => (
            <li key={candidate.word}>
              <b lang="en">{candidate.word}</b>{" "}
              <span>
                {factor(candidate)}
                <span aria-hidden="true"> ×</span>
                <span class="visually-hidden">{t` times`}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
