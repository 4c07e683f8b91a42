// The accuracy of the head: each example is judged by a head that has not seen it.

import { t, tx } from "../../language.ts";
import type { TeachState } from "./state.ts";

export function Quality({ state }: { state: TeachState }) {
  const [held, learnt] = [state.heldOut.value, state.learnt.value];
  if (!learnt) return null;
  const how =
    !held || held.parts === held.total
      ? t`Each example was left out in turn: the head learnt from the others and then judged it.`
      : t`The examples were split into ${held.parts} parts; each part was judged after learning from the others.`;
  return (
    <section class="teach-quality" aria-labelledby="teach-quality-title">
      <h2 id="teach-quality-title" aria-live="polite">
        {held
          ? tx`${<strong>{tx`${held.right} of ${held.total}`}</strong>} right when ${held.parts === held.total ? t`each is held out` : t`held out`}`
          : t`Holding each one out …`}
      </h2>
      <p class="hint">{tx`${how} What it says of texts that it has not seen is about as good as that.`}</p>
      {held && (
        <details>
          <summary>{t`Confused labels`}</summary>
          <div class="teach-scroll" tabIndex={0} role="group" aria-label={t`Confused labels`}>
            <table class="teach-table">
              <caption>{t`Rows: your label. Columns: its answer.`}</caption>
              <thead>
                <tr>
                  <td />
                  {learnt.names.map((name) => (
                    <th key={name} scope="col" dir="auto">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {held.table.map((row, label) => {
                  const sum = row.reduce((a, b) => a + b, 0) || 1;
                  return (
                    <tr key={learnt.names[label]}>
                      <th scope="row" dir="auto">
                        {learnt.names[label]}
                      </th>
                      {row.map((count, given) => (
                        <td
                          key={learnt.names[given]}
                          class={given === label ? "is-right" : "is-wrong"}
                          style={{ "--share": `${Math.round((100 * count) / sum)}%` }}
                        >
                          {count}
                        </td>
                      ))}
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </section>
  );
}
