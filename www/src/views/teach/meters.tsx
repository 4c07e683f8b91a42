// The head's scores for the sentence, and buttons to correct them.
import { useComputed } from "@preact/signals";
import type { App } from "../../app.ts";
import { labelStyle } from "../../components/colours.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { percent } from "../../format.ts";
import { t, tx } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { argmax, predict } from "./classifier.ts";
import { addExample } from "./lesson.ts";
import type { TeachState } from "./state.ts";

/** Maximum characters of the sentence; the model reads fewer. */
const READ = 4000;

/** The head's answer for the page's sentence, and a button per label to correct it. */
export function Meters({ app, state }: { app: App; state: TeachState }) {
  const vector = useLatest(app, () => {
    const [model, text] = [app.model.value, app.text.value.trim().slice(0, READ)];
    if (!model || !text) return null;
    return async (signal) => ({ text, vector: (await state.vectors(model).once(text, signal))! });
  });
  const shares = useComputed(() => {
    const [learnt, answer] = [state.learnt.value, vector.value.value];
    return learnt && answer && learnt.head.weights[0]!.length === answer.vector.length
      ? { names: learnt.names, shares: predict(learnt.head, answer.vector) }
      : null;
  });
  const { columns } = state.lesson.value;
  const best = shares.value && argmax(shares.value.shares);
  const said = best === null ? undefined : shares.value!.names[best];
  const text = app.text.value.trim();
  const teach = (column: number, name: string) => {
    state.change(addExample(state.lesson.peek(), column, text));
    app.announce(t`“${text.slice(0, 80)}” is now an example of ${name}.`);
  };
  return (
    <section class="teach-meters" aria-labelledby="teach-says">
      <h2 id="teach-says">
        {said === undefined
          ? t`What is your sentence?`
          : tx`Your sentence is ${(
              <strong dir="auto" class="teach-said" style={labelStyle(state.placeOf(said))}>
                {said}
              </strong>
            )}`}
      </h2>
      <ul class="teach-shares" aria-label={t`How sure it is of each label`} data-stale={vector.value.busy || undefined}>
        {columns.map(({ id, name }, place) => {
          const at = shares.value?.names.indexOf(name) ?? -1;
          const share = at < 0 ? 0 : shares.value!.shares[at]!;
          return (
            <li key={id} style={labelStyle(place)} class={name === said ? "is-first" : undefined}>
              <span class="teach-name" dir="auto">
                {name}
              </span>
              <span class="bar-track" aria-hidden="true">
                <span class="bar-fill" style={{ width: `${100 * share}%` }} />
              </span>
              <span class="bar-score">{at < 0 ? "–" : percent(share)}</span>
            </li>
          );
        })}
      </ul>
      {text && columns.length > 1 && (
        <div class="teach-correct" role="group" aria-labelledby="teach-correct-title">
          <span id="teach-correct-title">{said === undefined ? t`Teach it:` : t`Wrong? Correct it:`}</span>
          {columns.map(({ id, name }, place) =>
            name === said ? null : (
              <button
                key={id}
                type="button"
                class="chip teach-label"
                style={labelStyle(place)}
                dir="auto"
                onClick={() => teach(id, name)}
              >{tx`it is ${name}`}</button>
            ),
          )}
        </div>
      )}
      <ErrorText app={app} error={vector.value.error ?? state.error.value} />
      <p class="took" role="status">
        {status(state, columns.length)}
      </p>
    </section>
  );
}

function status(state: TeachState, columns: number): string {
  const [progress, learnt] = [state.progress.value, state.learnt.value];
  if (progress.kind === "reading" && progress.total > 16)
    return t`Reading ${progress.read} of ${progress.total} texts …`;
  if (progress.kind !== "idle") return t`Learning …`;
  if (!learnt)
    return columns < 2
      ? t`It takes two labels to learn something.`
      : t`It takes examples of two labels to learn something.`;
  return t`Learnt from ${learnt.examples} examples in ${learnt.ms < 1000 ? `${Math.max(1, Math.round(learnt.ms))} ms` : `${(learnt.ms / 1000).toFixed(1)} s`}, in this page.`;
}
