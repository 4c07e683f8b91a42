import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { App } from "../../app.ts";
import { useAttempt } from "../../components/attempt.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { LossCurve } from "../../components/loss-curve.tsx";
import { PasteField } from "../../components/paste-field.tsx";
import { download } from "../../download.ts";
import { Mistake } from "../../explain.ts";
import { amount, timeLeft } from "../../format.ts";
import { language, later, t, tx } from "../../language.ts";
import { useSignalEffectNow } from "../../signal-effect.ts";
import { zipOf } from "../../zip.ts";
import { FEWEST_WORDS, gapIn, LONGEST, sentencesIn, withMask, wordsIn } from "./corpus.ts";
import { Gap } from "./gap.tsx";
import { Growth } from "./growth.ts";
import { PRESETS } from "./presets.ts";

/** The durations to choose from. */
const LENGTHS = [
  { steps: 300, name: later("a look") },
  { steps: 1000, name: later("a while") },
  { steps: 4000, name: later("long") },
];

const growths = new WeakMap<App, Growth>();

/** The page's own run, which stays while other views are shown. */
function growthOf(app: App): Growth {
  let one = growths.get(app);
  if (!one) growths.set(app, (one = new Growth(app.saved("grow.gap", PRESETS[0]!.gaps[0]!))));
  return one;
}

/** Pauses a run while nobody sees the page. */
function usePauseWhenHidden(growth: Growth) {
  useEffect(() => {
    const onChange = () => {
      if (document.hidden && growth.isRunning && !growth.paused.peek()) growth.pause("hidden");
      else if (!document.hidden && growth.paused.peek() === "hidden") growth.pause(null);
    };
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
}

function View({ app }: { app: App }) {
  const growth = growthOf(app);
  const chosen = app.saved("grow.text", PRESETS[0]!.id);
  const own = useSignal("");
  usePauseWhenHidden(growth);
  useSignalEffectNow(() => {
    growth.gap.value;
    const timer = setTimeout(() => growth.lookAgain(), 150);
    return () => clearTimeout(timer);
  });
  const stage = growth.stage.value;
  return (
    <div class="grow">
      <p class="hint lead">{t`A BERT of two layers that knows nothing, not even words. It reads a text again and again, with words hidden, and learns to guess them.`}</p>
      {stage.kind === "none" ? (
        <Choice app={app} growth={growth} chosen={chosen} own={own} />
      ) : (
        <Run
          app={app}
          growth={growth}
          name={PRESETS.find(({ id }) => id === chosen.value)?.name ?? later("your text")}
        />
      )}
      <ErrorText error={growth.error.value} about={{ thing: t`The training program` }} />
    </div>
  );
}

/** The choice of a text and a duration. */
function Choice({
  app,
  growth,
  chosen,
  own,
}: {
  app: App;
  growth: Growth;
  chosen: { value: string };
  own: Signal<string>;
}) {
  const { error, attempt } = useAttempt();
  const steps = useSignal(LENGTHS[1]!.steps);
  const preset = PRESETS.find(({ id }) => id === chosen.value);
  const words = preset ? undefined : wordsIn(own.value);
  const start = () =>
    attempt(async () => {
      const text = preset ? await preset.load() : own.value;
      if (!preset && wordsIn(text) < FEWEST_WORDS)
        throw new Mistake(t`Learning needs some pages of text: at least ${FEWEST_WORDS} words.`);
      if (!preset) growth.gap.value = gapIn(sentencesIn(text));
      app.announce(t`It begins to grow.`);
      await growth.start(text, steps.value);
      if (growth.stage.peek().kind === "done") app.announce(t`It has stopped growing.`);
    });
  return (
    <div class="grow-choice">
      <fieldset>
        <legend>{t`What it reads`}</legend>
        {PRESETS.map(({ id, name, about, gaps }) => (
          <label key={id} class="grow-option">
            <input
              type="radio"
              name="grow-text"
              checked={chosen.value === id}
              onChange={() => {
                chosen.value = id;
                growth.gap.value = gaps[0]!;
              }}
            />
            <span>
              <b>{t(name)}</b> {t(about)}
            </span>
          </label>
        ))}
        <label class="grow-option">
          <input type="radio" name="grow-text" checked={!preset} onChange={() => (chosen.value = "own")} />
          <span>{tx`${<b>{t`Your own text`}</b>} In any language; the more it repeats itself, the sooner it is learnt. It stays in this page.`}</span>
        </label>
        {!preset && <PasteField text={own} label={t`Your own text`} placeholder={t`Paste some pages here`} />}
        {words ? (
          <p class="took">{tx`${words.toLocaleString(language.value)} words${own.value.length > LONGEST ? t`; the first ${LONGEST.toLocaleString(language.value)} characters are read` : ""}`}</p>
        ) : null}
      </fieldset>
      <fieldset class="grow-lengths">
        <legend>{t`For how long`}</legend>
        {LENGTHS.map((length) => (
          <label key={length.steps}>
            <input
              type="radio"
              name="grow-steps"
              checked={steps.value === length.steps}
              onChange={() => (steps.value = length.steps)}
            />
            {t(length.name)} <small>{tx`(${length.steps.toLocaleString(language.value)} steps)`}</small>
          </label>
        ))}
      </fieldset>
      <div class="grow-go">
        <button type="button" onClick={start}>{t`Grow a BERT`}</button>
        <p class="hint">{t`It uses one thread of your processor for a minute or two, and some 50 MB of memory. It downloads a program of 1.5 MB once, and sends nothing.`}</p>
      </div>
      <ErrorText error={error.value} />
    </div>
  );
}

function Run({ app, growth, name }: { app: App; growth: Growth; name: string }) {
  const stage = growth.stage.value;
  const paused = growth.paused.value;
  const { busy, error, attempt } = useAttempt();
  const at = useSignal<number | null>(null);
  const snapshots = growth.snapshots.value;
  const { parameters, vocabulary } = growth.size.value;
  const save = () => attempt(async () => download("grown-bert.zip", await zipOf("grown-bert", await growth.save())));
  const use = () =>
    attempt(async () => {
      const files = await growth.save();
      app.text.value = withMask(growth.gap.peek()) ?? growth.gap.peek();
      app.view.value = "guess";
      await app.load({ files }, t`grown from “${t(name)}”`);
    });
  const isOver = stage.kind === "done";
  return (
    <>
      <div class="grow-row">
        {!isOver && stage.kind === "running" && (
          <button type="button" class="plain" onClick={() => growth.pause(paused ? null : "asked")}>
            {paused ? t`Go on` : t`Pause`}
          </button>
        )}
        {!isOver && <button type="button" class="plain" onClick={() => growth.stop()}>{t`Stop`}</button>}
        {isOver && <button type="button" onClick={() => growth.forget()}>{t`Grow another one`}</button>}
        {snapshots.length > 0 && (
          <>
            <button type="button" class="plain" disabled={busy.value} onClick={use}>{t`Use it in Guess`}</button>
            <button type="button" class="plain" disabled={busy.value} onClick={save}>{t`Save it (zip)`}</button>
          </>
        )}
        <p class="took grow-status" aria-live="off">
          {statusOf(growth)}
        </p>
      </div>
      <ErrorText error={error.value} />
      <Gap growth={growth} at={at} />
      {stage.kind === "running" || isOver ? (
        <LossCurve
          points={growth.curve.value.points}
          smooth={growth.curve.value.smooth}
          steps={stage.steps}
          mark={at.value === null ? undefined : snapshots[at.value]?.step}
          label={t`Loss: how surprised it is by the hidden words`}
        />
      ) : null}
      {parameters > 0 && (
        <p class="hint">{tx`${amount(parameters, "")} numbers that began at random, ${vocabulary.toLocaleString(language.value)} pieces of words found in “${t(name)}”.`}</p>
      )}
    </>
  );
}

function statusOf(growth: Growth): string {
  const stage = growth.stage.value;
  switch (stage.kind) {
    case "vocabulary":
      return t`Finding the words of the text …`;
    case "making":
      return t`Drawing a model at random …`;
    case "running":
      if (growth.paused.value) return growth.paused.value === "hidden" ? t`Paused while you were away.` : t`Paused.`;
      return t`Step ${stage.step.toLocaleString(language.value)} of ${stage.steps.toLocaleString(language.value)} · ${timeLeft(stage.seconds)} left`;
    case "done":
      return t`${stage.stopped ? t`Stopped` : t`Done`} after ${stage.steps.toLocaleString(language.value)} steps.`;
    default:
      return "";
  }
}

export default { id: "grow", View };
