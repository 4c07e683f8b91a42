// The accuracy of the head: each example is judged by a head that has not seen it.
import type { TeachState } from "./state.ts";

export function Quality({ state }: { state: TeachState }) {
  const [held, learnt] = [state.heldOut.value, state.learnt.value];
  if (!learnt) return null;
  const how =
    !held || held.parts === held.total
      ? "Each example was left out in turn: the head learnt from the others and then judged it."
      : `The examples were split into ${held.parts} parts; each part was judged after learning from the others.`;
  return (
    <section class="teach-quality" aria-labelledby="teach-quality-title">
      <h2 id="teach-quality-title" aria-live="polite">
        {held ? (
          <>
            <strong>
              {held.right} of {held.total}
            </strong>{" "}
            right when {held.parts === held.total ? "each is held out" : "held out"}
          </>
        ) : (
          "Holding each one out …"
        )}
      </h2>
      <p class="hint">{how} What it says of texts that it has not seen is about as good as that.</p>
      {held && (
        <details>
          <summary>Confused labels</summary>
          <div class="teach-scroll" tabIndex={0} role="group" aria-label="Confused labels">
            <table class="teach-table">
              <caption>Rows: your label. Columns: its answer.</caption>
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
