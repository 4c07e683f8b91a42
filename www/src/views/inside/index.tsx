// Inside: six stations through which a sentence passes, each with the visitor's own sentence and the model's numbers.
import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { App } from "../../app.ts";
import { Choices } from "../../components/choices.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { timeLeft } from "../../format.ts";
import { t } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { useSignalEffectNow } from "../../signal-effect.ts";
import { Answering } from "./answering.tsx";
import { forgetTables } from "./embeddings.ts";
import { Learning } from "./learning.tsx";
import { Looking } from "./looking.tsx";
import { Numbers } from "./numbers.tsx";
import { PiecesStation } from "./pieces-station.tsx";
import { type Inside, look, tokensOf } from "./read.ts";
import { type InsideState, stateOf } from "./state.ts";
import { FURTHER, STATIONS, type Station, titleOf } from "./stations.ts";
import { Thinking } from "./thinking.tsx";

/** The stations that read values inside the layers. */
const READING: readonly Station[] = ["pieces", "numbers", "looking", "thinking"];

function View({ app }: { app: App }) {
  const state = stateOf(app);
  useSignalEffectNow(() => {
    app.text.value;
    state.word.value = -1;
  });
  useEffect(() => {
    const model = app.model;
    return () => {
      model.peek()?.forgetInspected();
      if (model.peek()) forgetTables(model.peek()!.source);
      state.growth.stop();
    };
  }, []);
  const read = useLatest<Inside>(app, () => {
    const [model, text] = [app.model.value, app.text.value];
    if (!model || !text.trim() || !READING.includes(state.station)) return null;
    return (signal) => look(model, text, signal);
  });
  const { station } = state;
  return (
    <div class="inside" aria-busy={read.value.busy}>
      <p class="hint lead">
        {t`What happens to your sentence in BERT, in six stations with its own numbers. Guess first, then look.`}
      </p>
      <Choices
        label={t`Stations`}
        name="inside-station"
        options={STATIONS.map((id, at) => ({ id, title: `${at + 1} ${titleOf(id)}` }))}
        chosen={station}
        onChoose={(id) => state.go(id)}
      />
      <section class={`inside-station is-${station}`} aria-labelledby="inside-title">
        <h2 id="inside-title">{titleOf(station)}</h2>
        <Body app={app} state={state} inside={read.value.value} />
        <ErrorText app={app} error={read.value.error} />
        <Onward app={app} state={state} />
      </section>
    </div>
  );
}

function Body({ app, state, inside }: { app: App; state: InsideState; inside: Inside | undefined }) {
  const { station } = state;
  if (station === "learning") return <Learning app={app} state={state} />;
  if (!app.text.value.trim()) return <p class="hint">{t`Write a sentence in the field above.`}</p>;
  if (station === "pieces") return <FromTokens app={app} state={state} />;
  if (!app.model.value) return <Loading app={app} />;
  if (station === "answering") return <Answering app={app} state={state} />;
  if (!inside) return <p class="hint">…</p>;
  if (inside.words.length === 0) return <p class="hint">{t`There is no word in this text.`}</p>;
  const all = { app, state, inside };
  if (station === "numbers") return <Numbers {...all} />;
  if (station === "looking") return <Looking {...all} />;
  return <Thinking {...all} />;
}

/** The first station: the tokenizer is there before the model. */
function FromTokens({ app, state }: { app: App; state: InsideState }) {
  const tokens = useComputed(() => app.tokenizer.value && tokensOf(app.tokenizer.value, app.text.value)).value;
  if (!tokens) return <p class="hint">{t`The tokenizer is loading.`}</p>;
  if (tokens.words.length === 0) return <p class="hint">{t`There is no word in this text.`}</p>;
  return <PiecesStation app={app} state={state} tokens={tokens} />;
}

/** Shown until the model is loaded: the time left. */
function Loading({ app }: { app: App }) {
  const status = app.status.value;
  return (
    <p class="hint">
      {status.kind === "loading" && status.seconds !== undefined
        ? t`The model is loading: ${timeLeft(status.seconds)} left. It shows your sentence's numbers then.`
        : t`The model is loading. It shows your sentence's numbers then.`}
    </p>
  );
}

/** The way to the next station, and to the view that goes further. */
function Onward({ app, state }: { app: App; state: InsideState }) {
  const at = STATIONS.indexOf(state.station);
  const [before, after] = [STATIONS[at - 1], STATIONS[at + 1]];
  const { view, text } = FURTHER[state.station];
  return (
    <p class="inside-onward">
      {before && (
        <button type="button" class="plain" onClick={() => state.go(before)}>
          ← {titleOf(before)}
        </button>
      )}
      {after && (
        <button type="button" onClick={() => state.go(after)}>
          {t`Next: ${titleOf(after)}`} →
        </button>
      )}
      <button type="button" class="quiet" onClick={() => (app.view.value = view)}>
        {text()}
      </button>
    </p>
  );
}

export default { id: "inside", View };
