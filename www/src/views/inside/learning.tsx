// Station 6: how the weights came about. A small model learns in the page; what pre-training is; what BERT cannot do.
import { useSignal } from "@preact/signals";
import type { App } from "../../app.ts";
import { useAttempt } from "../../components/attempt.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { LossCurve } from "../../components/loss-curve.tsx";
import { percent } from "../../format.ts";
import { t } from "../../language.ts";
import { stretchesOf } from "../../text/stretches.ts";
import { PRESETS } from "../grow/presets.ts";
import type { Snapshot } from "../grow/timeline.ts";
import { type Drawn, draw } from "./masking.ts";
import { Question } from "./question.tsx";
import { type InsideState, LESSON, STEPS } from "./state.ts";

export function Learning({ app, state }: { app: App; state: InsideState }) {
  return (
    <Question
      id="learning"
      answers={state.answers}
      quiz={{
        question: t`Every weight begins at random. What does such a model say for “May comes after ___.”?`,
        options: [t`the most frequent word`, t`anything, all as likely`, t`“April”, with doubt`],
        truth: 1,
      }}
    >
      <FirstSteps state={state} />
      <Tasks app={app} />
      <section class="inside-aside">
        <h3>{t`What BERT cannot do`}</h3>
        <p>
          {t`It does not write: it fills gaps whose number is known. It reads at most 512 pieces at once. It has no facts but what its texts repeated, and no opinion. A “not” often escapes it, and it does not count or reckon. What it finds likely is what was frequent in what it read.`}
        </p>
      </section>
    </Question>
  );
}

/** A model of two layers and its first steps, computed on demand. */
function FirstSteps({ state }: { state: InsideState }) {
  const { growth } = state;
  const { error, attempt, busy } = useAttempt();
  const stage = growth.stage.value;
  const start = () =>
    attempt(async () => {
      await growth.start(await PRESETS[0]!.load(), STEPS);
      await growth.free();
    });
  const snapshots = growth.snapshots.value;
  const [first, last] = [snapshots[0], snapshots.at(-1)];
  return (
    <section class="inside-aside">
      <h3>{t`The first ${STEPS} steps, in this page`}</h3>
      <p>
        {t`A model of two layers reads sentences about the calendar with words hidden, and changes each weight a little towards the right word. One step takes some milliseconds.`}
      </p>
      <button type="button" disabled={busy.value} onClick={start}>
        {stage.kind === "done" ? t`Begin again` : t`Begin at random`}
      </button>
      {(stage.kind === "running" || stage.kind === "done") && (
        <>
          <LossCurve
            points={growth.curve.value.points}
            smooth={growth.curve.value.smooth}
            steps={STEPS}
            label={t`Loss: how surprised it is by the hidden words`}
          />
          <div class="inside-guesses" lang="en">
            {first && <Guesses title={t`Step ${first.step}`} snapshot={first} />}
            {last && last !== first && <Guesses title={t`Step ${last.step}`} snapshot={last} />}
          </div>
        </>
      )}
      <ErrorText error={error.value ?? growth.error.value} about={{ thing: t`The training program` }} />
    </section>
  );
}

function Guesses({ title, snapshot }: { title: string; snapshot: Snapshot }) {
  return (
    <div>
      <h4>
        {title} · {LESSON}
      </h4>
      <ol>
        {snapshot.guesses.map(({ token_str, score }) => (
          <li key={token_str}>
            {token_str} <span>{percent(score)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The two tasks of pre-training, the first one drawn for the visitor's sentence. */
function Tasks({ app }: { app: App }) {
  const words = stretchesOf(app.text.value.slice(0, 300))
    .filter(({ kind }) => kind === "word")
    .map(({ text }) => text);
  const drawn = useSignal<{ words: string; all: Drawn[] } | undefined>(undefined);
  const again = () => (drawn.value = { words: words.join(" "), all: draw(words, OTHERS, Math.random) });
  const shown = drawn.value?.words === words.join(" ") ? drawn.value.all : undefined;
  return (
    <section class="inside-aside">
      <h3>{t`The two tasks`}</h3>
      <p>
        {t`Guess hidden words: 15 % of the words are chosen. Of these, 80 % become [MASK], 10 % another word, and 10 % stay, so that the model cannot rely on the mask, which no later text has. All pieces of a chosen word are hidden together (whole words): otherwise the rest would tell it.`}
      </p>
      {words.length > 0 && (
        <button type="button" class="plain" onClick={again}>
          {t`Draw for my sentence`}
        </button>
      )}
      {shown && (
        <p class="inside-drawn" dir="auto">
          {shown.map(({ fate, seen, word }, at) => (
            <span key={at} class={`is-${fate}`} title={fate === "stays" ? undefined : word}>
              {seen}
              {fate !== "stays" && <small> {NOTES[fate]()}</small>}{" "}
            </span>
          ))}
        </p>
      )}
      <p>
        {t`Judge two sentences: does the second follow the first, or was it drawn from elsewhere? Later models left this task out and lost nothing; the model of this page has no head for it.`}
      </p>
    </section>
  );
}

/** Words to exchange with. */
const OTHERS = ["table", "seven", "green", "river", "slowly", "music"];

const NOTES = {
  masked: () => t`(hidden)`,
  exchanged: () => t`(another word)`,
  kept: () => t`(chosen, but kept)`,
};
