import { useEffect, useState } from "preact/hooks";
import type { App } from "../../app.ts";
import { t } from "../../language.ts";
import { Cards } from "./cards.tsx";
import { Columns } from "./columns.tsx";
import { FileInput } from "./file-input.tsx";
import { lessonOf } from "./lesson.ts";
import { Meters } from "./meters.tsx";
import { PRESETS } from "./presets.ts";
import { Quality } from "./quality.tsx";
import { Retrain } from "./retrain.tsx";
import { Save } from "./save.tsx";
import { stateOf, type TeachState } from "./state.ts";

const OTHERS = PRESETS.flatMap(({ others }) => others);

/** True on a phone's screen; cards are swiped there and come first. */
function useNarrow(): boolean {
  const [query] = useState(() => matchMedia("(max-width: 44rem)"));
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const onChange = () => setMatches(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, []);
  return matches;
}

function View({ app }: { app: App }) {
  const state = stateOf(app);
  const isNarrow = useNarrow();
  useEffect(() => {
    const preset = PRESETS.find(({ id }) => id === app.saved("teach.lesson", "").peek()) ?? PRESETS[0]!;
    app.suggest(preset.others[0]!, OTHERS);
    return state.follow();
  }, []);
  return (
    <div class="teach" data-drop>
      <p class="hint lead">{t`Teach BERT labels of your own with a few examples, and correct it where it is wrong.`}</p>
      <div class="teach-top">
        <Meters app={app} state={state} />
        <Quality state={state} />
      </div>
      {isNarrow && <Cards app={app} state={state} />}
      <section class="teach-examples" aria-labelledby="teach-examples-title">
        <h2 id="teach-examples-title">{t`What it learns from`}</h2>
        <p class="hint">{t`Change the examples; it learns at once.`}</p>
        <Toolbar app={app} state={state} />
        <Columns app={app} state={state} />
      </section>
      {!isNarrow && <Cards app={app} state={state} />}
      <Save app={app} state={state} />
      <Retrain app={app} state={state} />
    </div>
  );
}

function Toolbar({ app, state }: { app: App; state: TeachState }) {
  const undo = state.undo.value;
  return (
    <div class="teach-toolbar">
      <div class="teach-row" role="group" aria-labelledby="teach-presets">
        <span id="teach-presets" class="hint">{t`Start from`}</span>
        {PRESETS.map(({ id, name, labels, others }) => (
          <button
            key={id}
            type="button"
            class="chip"
            aria-pressed={state.preset.value === id}
            onClick={() => {
              state.change(lessonOf(labels));
              state.cards.value = others;
              app.suggest(others[0]!, OTHERS);
              app.announce(t`It is taught with the examples of “${t(name)}”.`);
            }}
          >
            {t(name)}
          </button>
        ))}
        <button
          type="button"
          class="chip"
          onClick={() => {
            const [first, second] = [t`label A`, t`label B`];
            state.change(lessonOf({ [first]: [], [second]: [] }));
            app.announce(t`There are two labels without examples.`);
          }}
        >{t`Nothing`}</button>
      </div>
      <div class="teach-row">
        {undo && (
          <button
            type="button"
            class="chip"
            onClick={() => {
              state.takeBack();
              app.announce(t`The last change is taken back.`);
            }}
          >{t`Undo`}</button>
        )}
        <FileInput app={app} state={state} />
      </div>
    </div>
  );
}

export default { id: "teach", View };
