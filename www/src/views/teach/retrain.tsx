// Trains all weights, not only the layer on top.
import { useComputed } from "@preact/signals";
import type { App } from "../../app.ts";
import { useAttempt } from "../../components/attempt.ts";
import { Bars } from "../../components/bars.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { LossCurve } from "../../components/loss-curve.tsx";
import { download } from "../../download.ts";
import { timeLeft } from "../../format.ts";
import { t } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { zipOf } from "../../zip.ts";
import { taughtOf } from "./lesson.ts";
import { Retraining, type Stage } from "./retraining.ts";
import { FOLDER } from "./save.ts";
import type { TeachState } from "./state.ts";

const retrainings = new WeakMap<App, Retraining>();
/** Steps between two answers for the sentence. */
const STEPS_AN_ANSWER = 5;

/** The page's own run, which continues while other views are shown. */
function retrainingOf(app: App): Retraining {
  let one = retrainings.get(app);
  if (!one) retrainings.set(app, (one = new Retraining()));
  return one;
}

export function Retrain({ app, state }: { app: App; state: TeachState }) {
  const run = retrainingOf(app);
  const stage = run.stage.value;
  const { names } = taughtOf(state.lesson.value);
  const model = app.model.value;
  const start = async () => {
    app.announce(t`Training begins.`);
    await run.start(model!, state.lesson.peek());
    if (run.stage.peek().kind === "done") app.announce(sentenceOf(run.stage.peek()));
  };
  return (
    <details class="teach-retrain">
      <summary>{t`Train all weights`}</summary>
      <p>{t`Above, BERT stays fixed and one layer is trained. Here all of its weights learn from your examples. This takes seconds to minutes, about 500 MB of memory and a download of 1.5 MB. It is worthwhile with more than a handful of examples.`}</p>
      <div class="teach-row">
        {stage.kind === "none" || stage.kind === "done" ? (
          <button type="button" onClick={start} disabled={!model || names.length < 2}>
            {stage.kind === "done" ? t`Train again from the start` : t`Train all weights`}
          </button>
        ) : (
          <button type="button" class="plain" onClick={() => run.stop()}>{t`Stop`}</button>
        )}
        {stage.kind === "done" && (
          <button type="button" class="plain" onClick={() => run.forget()}>{t`Forget it (frees memory)`}</button>
        )}
        <p class="took" aria-live="off">
          {sentenceOf(stage)}
        </p>
      </div>
      <ErrorText app={app} error={run.error.value} about={{ thing: t`The training program` }} />
      {(stage.kind === "running" || stage.kind === "done") && (
        <LossCurve
          points={run.curve.value.points}
          smooth={run.curve.value.smooth}
          steps={stage.steps}
          label={t`Loss: how wrong it is on your examples`}
        />
      )}
      {run.classify.value && stage.kind !== "loading" && <Answer app={app} run={run} />}
      {stage.kind === "done" && <SaveAll app={app} run={run} />}
    </details>
  );
}

/** The state of a run as a sentence. */
function sentenceOf(stage: Stage): string {
  switch (stage.kind) {
    case "none":
      return "";
    case "loading":
      return t`Fetching the training program and the weights …`;
    case "running":
      return t`Step ${stage.step} of ${stage.steps} · ${timeLeft(stage.seconds)} left · ${Math.round(stage.tokens)} tokens a second`;
    case "done":
      return t`${stage.stopped ? t`Stopped after` : "Done:"} ${stage.steps} steps in ${stage.seconds.toFixed(1)} s.`;
  }
}

/** The scores of the model with all its weights trained, for the sentence. */
function Answer({ app, run }: { app: App; run: Retraining }) {
  // answer now and then during training: each answer pauses the run
  const moment = useComputed(() => {
    const stage = run.stage.value;
    return stage.kind === "running" ? Math.floor(stage.step / STEPS_AN_ANSWER) : stage.kind;
  });
  const answer = useLatest(app, () => {
    const [classify, text] = [run.classify.value, app.text.value.trim()];
    moment.value;
    return classify && text ? (signal) => classify(text, { top_k: null, signal }) : null;
  });
  const shares = answer.value.value;
  if (!shares) return null;
  return (
    <>
      <h3>{t`The model with all weights trained, for your sentence`}</h3>
      <Bars
        label={t`What the model with all weights trained says`}
        bars={shares.map(({ label, score }) => ({ name: label, score }))}
      />
    </>
  );
}

function SaveAll({ app, run }: { app: App; run: Retraining }) {
  const { busy, error, attempt } = useAttempt();
  const save = (dtype: "q8" | "fp32") =>
    attempt(async () => {
      download(`${FOLDER}-${dtype}.zip`, await zipOf(FOLDER, await run.save(dtype)));
      app.announce(t`The model is saved.`);
    });
  return (
    <div class="teach-row">
      <button type="button" onClick={() => save("q8")} disabled={busy.value}>
        {busy.value ? t`Saving …` : t`Save for webert (small)`}
      </button>
      <button
        type="button"
        class="plain"
        onClick={() => save("fp32")}
        disabled={busy.value}
      >{t`Save for Hugging Face (four times as large)`}</button>
      <ErrorText error={error.value} />
    </div>
  );
}
