// The visitor's own labels, in one field, and the way to the view Teach.
import type { App } from "../../app.ts";
import { t } from "../../language.ts";
import type { JudgeState } from "./state.ts";

export function OwnLabels({ app, state }: { app: App; state: JudgeState }) {
  const labels = state.labels.value;
  const teach = async () => {
    const [{ stateOf }, { lessonOf }] = await Promise.all([import("../teach/state.ts"), import("../teach/lesson.ts")]);
    stateOf(app).change(lessonOf(Object.fromEntries(labels.map((label) => [label, []]))));
    app.view.value = "teach";
    app.announce(t`Your labels are in Teach. Add examples of each.`);
  };
  return (
    <div class="own-labels">
      <label for="judge-labels">{t`Labels, with commas between them`}</label>
      <input
        id="judge-labels"
        dir="auto"
        spellcheck={false}
        autocomplete="off"
        maxLength={300}
        value={state.labelText.value}
        onInput={({ currentTarget }) => (state.labelText.value = currentTarget.value)}
      />
      <button type="button" class="plain" disabled={labels.length < 2} onClick={teach}>{t`Teach it`}</button>
      <p class="hint">
        {labels.length < 2
          ? t`It takes two labels.`
          : t`Nothing is trained: the label nearest to the sentence wins. In Teach it learns your labels from examples.`}
      </p>
    </div>
  );
}
