// The result of the day, and a text of it that tells no word.
import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { aroundGap, points, resultOf, standing } from "../../text/beat.ts";
import type { Game } from "./state.ts";

export function Result({ game }: { game: Game }) {
  const rounds = game.rounds.value;
  const [mine, its] = standing(rounds);
  const outcome = mine > its ? t`You beat BERT.` : mine === its ? t`A draw.` : t`BERT beat you.`;
  return (
    <section class="beat-result" aria-labelledby="beat-outcome">
      <h2 id="beat-outcome">{outcome}</h2>
      <p class="beat-score" aria-label={t`You ${mine} : ${its} BERT`}>
        {mine} : {its}
      </p>
      <p>{t`${rounds.reduce((sum, round) => sum + points(round), 0)} of ${10 * rounds.length} points.`}</p>
      <Copy text={resultOf(game.day, rounds, new URL("#beat", location.href).href)} />
      <ol class="beat-list">
        {rounds.map(({ word, words, isRight, isBertRight }, at) => {
          const [before, after] = aroundGap(game.gaps[at]!);
          return (
            <li key={at}>
              <span lang="en">
                {before}
                <b>{word}</b>
                {after}
              </span>
              <small>
                {isRight ? t`right` : t`not in the list`} · {t`BERT: ${words[0]?.token_str ?? "…"}`} ·{" "}
                {isBertRight ? t`right` : t`not in the list`}
              </small>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The result as it is pasted, and a button that copies it. */
function Copy({ text }: { text: string }) {
  const state = useSignal("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      state.value = t`Copied. It names no word.`;
    } catch {
      state.value = t`The browser copied nothing. Select the text above.`;
    }
  };
  return (
    <div class="beat-copy">
      <pre>{text}</pre>
      <button type="button" onClick={copy}>
        {t`Copy the result`}
      </button>
      <p class="hint" role="status">
        {state}
      </p>
    </div>
  );
}
