// The gap as the model fills it: now, or at an earlier moment that the visitor drags to.
import type { Signal } from "@preact/signals";
import { Bars } from "../../components/bars.tsx";
import { Chips } from "../../components/chips.tsx";
import { spoken } from "../../format.ts";
import { language, t, tx } from "../../language.ts";
import { withMask } from "./corpus.ts";
import type { Growth } from "./growth.ts";
import { PRESETS } from "./presets.ts";
import { changes } from "./timeline.ts";

/** Number of changes of its best guess that are shown. */
const SHOWN = 12;

export function Gap({ growth, at }: { growth: Growth; at: Signal<number | null> }) {
  const snapshots = growth.snapshots.value;
  const place = Math.min(at.value ?? snapshots.length - 1, snapshots.length - 1);
  const snapshot = snapshots[place];
  const preset = PRESETS.find(({ gaps }) => gaps.includes(growth.gap.value));
  const [before, after] = (snapshot?.text ?? withMask(growth.gap.value) ?? "").split("[MASK]");
  const best = snapshot?.guesses[0];
  return (
    <section class="grow-guesses" aria-labelledby="grow-guesses-title">
      <h2 id="grow-guesses-title" class="visually-hidden">{t`The gap`}</h2>
      <p class="grow-sentence" dir="auto">
        {before}
        <mark style={{ opacity: best ? String(0.7 + 0.3 * best.score) : "1" }}>{best ? best.token_str : "___"}</mark>
        {after}
      </p>
      {snapshot && (
        <>
          <div class="grow-timeline">
            <label for="grow-at">
              {at.value === null ? t`Now` : t`Back at step ${snapshot.step.toLocaleString(language.value)}`}
            </label>
            <input
              id="grow-at"
              type="range"
              min={0}
              max={Math.max(1, snapshots.length - 1)}
              value={place}
              aria-valuetext={t`step ${snapshot.step}: ${best ? spoken(best.token_str) : t`nothing`}`}
              onInput={({ currentTarget }) => {
                const to = Number(currentTarget.value);
                at.value = to >= snapshots.length - 1 ? null : to;
              }}
            />
            <button
              type="button"
              class="plain"
              disabled={at.value === null}
              onClick={() => (at.value = null)}
            >{t`Now`}</button>
          </div>
          <Bars
            label={t`Answers at step ${snapshot.step}`}
            bars={snapshot.guesses.map(({ token_str, score }) => ({ name: token_str, score }))}
          />
          <ol class="grow-changes" aria-label={t`How its best guess changed`}>
            {changes(snapshots, SHOWN).map(({ at: when, word }) => (
              <li key={when}>
                <button
                  type="button"
                  class="chip"
                  dir="auto"
                  aria-pressed={when === place}
                  onClick={() => (at.value = when)}
                >
                  {word} <small>{snapshots[when]!.step}</small>
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
      <label class="grow-gap">{tx`Look at another gap, written ___${(
        <input
          type="text"
          dir="auto"
          spellcheck={false}
          value={growth.gap.value}
          onInput={({ currentTarget }) => {
            growth.gap.value = currentTarget.value;
            at.value = null;
          }}
        />
      )}`}</label>
      {!withMask(growth.gap.value) && (
        <p class="hint">{t`The sentence has no gap: write ___ for the word to guess.`}</p>
      )}
      {preset && (
        <Chips
          label={t`Other gaps`}
          chips={preset.gaps}
          onChoose={(gap) => ((growth.gap.value = gap), (at.value = null))}
        />
      )}
    </section>
  );
}
