// The ladder: a row of words per layer, the embeddings at the bottom. Lines join a word to itself in the row above.
import { percent, spoken, wholePercent } from "../../format.ts";
import { t } from "../../language.ts";
import { A_RUNG, linksOf, OPINION, type Rung } from "./ladder.ts";
import { nameOf } from "./player.tsx";

/** `layer` is the layer in view; layers above it are not reached yet. */
export function LadderFigure({ rungs, layer }: { rungs: readonly Rung[]; layer: number }) {
  const answer = rungs.at(-1)?.words[0]?.word;
  return (
    <div class="ladder" style={{ "--rungs": String(rungs.length) }}>
      <Links rungs={rungs} layer={layer} />
      <ol aria-label={t`What each layer says, from the embeddings up`}>
        {rungs.map((rung) => (
          <li key={rung.layer} class={`rung${rung.layer > layer ? " ahead" : ""}${rung.layer === layer ? " now" : ""}`}>
            <span class="rung-name">{nameOf(rung.layer)}</span>
            {rung.words.map(({ word, score }) => (
              <span
                key={word}
                class={`said${word === answer ? " answer" : ""}${score < OPINION ? " weak" : ""}`}
                style={{ "--p": score.toFixed(4) }}
                aria-label={`${spoken(word)}, ${percent(score)}`}
                role="img"
              >
                <span class="said-word" dir="auto" lang="en">
                  {word}
                </span>
                <small>{wholePercent(score)}</small>
              </span>
            ))}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Lines behind the words, in units of a column and a row. */
function Links({ rungs, layer }: { rungs: readonly Rung[]; layer: number }) {
  const rows = rungs.length;
  const y = (of: number) => rows - of - 0.5;
  return (
    <svg class="links" viewBox={`0 0 ${A_RUNG} ${rows}`} preserveAspectRatio="none" aria-hidden="true">
      {linksOf(rungs).map(({ layer: of, rank, above, isAnswer }) => {
        const [x1, y1, x2, y2] = [rank + 0.5, y(of), above + 0.5, y(of + 1)];
        const bend = (y1 + y2) / 2;
        return (
          <path
            key={`${of} ${rank}`}
            class={`${isAnswer ? "answer" : ""}${of >= layer ? " ahead" : ""}`}
            d={`M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${y2}`}
            vector-effect="non-scaling-stroke"
          />
        );
      })}
    </svg>
  );
}
