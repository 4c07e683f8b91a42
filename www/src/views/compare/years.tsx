// Through the years: one sentence whose year moves, and the words whose probability changes most.
import { useSignal } from "@preact/signals";
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import type { App } from "../../app.ts";
import { Chips } from "../../components/chips.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Took } from "../../components/took.tsx";
import { wholePercent } from "../../format.ts";
import { t } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { overYears, YEAR, YEARS, type YearLine } from "../../text/years.ts";
import recorded from "./years.json";

interface Swept {
  sentence: string;
  lines: readonly YearLine[];
}

/** The sentences and their answers, recorded by www/tools/record-compare.mjs. */
const SWEPT = recorded as readonly Swept[];

const [WIDTH, HEIGHT] = [600, 240];

export function Years({ app }: { app: App }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="compare-years"
      open={isOpen.value}
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary>{t`Through the years`}</summary>
      {isOpen.value && <Opened app={app} />}
    </details>
  );
}

/** Computes only while it is open: each sentence is a pass over 32 years. */
function Opened({ app }: { app: App }) {
  const sentence = app.saved("compare.years", SWEPT[0]!.sentence);
  const at = useSignal(YEARS.length - 1);
  const answer = useLatest<Swept>(app, () => {
    const [model, asked] = [app.model.value, sentence.value];
    if (!model || !asked.includes(YEAR) || !asked.includes("___")) return null;
    return async (signal) => ({ sentence: asked, lines: await overYears(await model.fillMask(), asked, signal) });
  });
  const { value, error, ms } = answer.value;
  const known = SWEPT.find((one) => one.sentence === sentence.value);
  const shown = value?.sentence === sentence.value ? value : known;
  return (
    <>
      <label for="compare-sentence">{t`A sentence with the year ${YEAR} and a gap ___`}</label>
      <input
        id="compare-sentence"
        lang="en"
        spellcheck={false}
        autocomplete="off"
        maxLength={200}
        value={sentence.value}
        onInput={({ currentTarget }) => (sentence.value = currentTarget.value)}
      />
      {shown ? <Sweep lines={shown.lines} at={at} /> : <p class="hint">…</p>}
      {shown && <Took ms={ms} recorded={shown !== value} />}
      <ErrorText app={app} error={error} />
      <Chips
        label={t`Sentences through the years`}
        chips={SWEPT.map((one) => one.sentence)}
        onChoose={(text) => (sentence.value = text)}
      />
      <p class="hint">
        {t`Shown are the words that change most. The model knows a year only as a word that stood beside other words in its texts, most of them of our time: it is no source of history.`}
      </p>
    </>
  );
}

/** The words as lines over the years, a slider, and their probabilities in the chosen year. */
function Sweep({ lines, at }: { lines: readonly YearLine[]; at: { value: number } }) {
  const year = YEARS[at.value]!;
  const here = lines
    .map(({ word, scores }, index) => ({ word, index, score: scores[at.value]! }))
    .sort((a, b) => b.score - a.score);
  return (
    <>
      <YearLines lines={lines} at={at.value} />
      <label class="compare-year">
        <output>{year}</output>
        <input
          type="range"
          aria-label={t`Year`}
          min={0}
          max={YEARS.length - 1}
          value={at.value}
          aria-valuetext={`${year}: ${here.map(({ word, score }) => `${word} ${wholePercent(score)}`).join(", ")}`}
          onInput={({ currentTarget }) => (at.value = Number(currentTarget.value))}
        />
      </label>
      <ol class="compare-words" lang="en" aria-label={t`Words in ${year}`}>
        {here.map(({ word, index, score }) => (
          <li key={word} class={`is-line-${index}`}>
            <b>{word}</b> <span>{wholePercent(score)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Years that are written below the lines. */
const WRITTEN = YEARS.map((year, index) => ({ year, index })).filter(({ year }) => year % 50 === 10);

/** The lines with both axes. Their numbers are HTML, because a stretched drawing would stretch its text. */
function YearLines({ lines, at }: { lines: readonly YearLine[]; at: number }) {
  // Below 2.5 % some ticks would be half percents.
  const highest = Math.max(...lines.flatMap(({ scores }) => scores), 0.025);
  const x = scaleLinear([0, YEARS.length - 1], [0, WIDTH]);
  const y = scaleLinear([0, highest], [HEIGHT, 6]).nice(4);
  const path = line<number>(
    (_, index) => x(index),
    (score) => y(score),
  );
  const label = lines
    .map(({ word, scores }) => `${word}: ${wholePercent(scores[0]!)} – ${wholePercent(scores.at(-1)!)}`)
    .join("; ");
  const ticks = y.ticks(3);
  return (
    <figure class="compare-chart">
      <div class="compare-shares" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ top: `${(100 * y(tick)) / HEIGHT}%` }}>
            {wholePercent(tick)}
          </span>
        ))}
      </div>
      <svg
        class="compare-lines"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t`From ${YEARS[0]!} to ${YEARS.at(-1)!}: ${label}`}
      >
        {ticks.map((tick) => (
          <line key={tick} class="compare-grid" x1={0} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
        ))}
        <line class="compare-now" x1={x(at)} x2={x(at)} y1={0} y2={HEIGHT} />
        {lines.map(({ word, scores }, index) => (
          <path key={word} class={`is-line-${index}`} d={path(scores as number[]) ?? ""} />
        ))}
      </svg>
      <div class="compare-decades" aria-hidden="true">
        {WRITTEN.map(({ year, index }) => (
          <span key={year} style={{ left: `${(100 * x(index)) / WIDTH}%` }}>
            {year}
          </span>
        ))}
      </div>
    </figure>
  );
}
