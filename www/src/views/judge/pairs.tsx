// Two sentences: whether the second one follows the first one, by the head of a visitor's model.
import type { App } from "../../app.ts";
import { useAnnounced } from "../../components/announced.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { Took } from "../../components/took.tsx";
import { t } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { verdictOf } from "../../text/judge.ts";
import { Scale } from "./scale.tsx";
import type { JudgeState } from "./state.ts";

const labels = () => [t`does not follow`, t`follows`];

export function Pairs({ app, state }: { app: App; state: JudgeState }) {
  const answer = useLatest(app, () => {
    const [model, first, second] = [app.model.value, app.text.value.trim(), state.second.value.trim()];
    if (!model || !first || !second) return null;
    return async (signal) => {
      const follows = await model.nextSentence();
      const { is_next, not_next, truncated } = await follows!(first, second, { signal });
      const verdict = verdictOf({ labels: labels(), isProbability: true }, [not_next, is_next]);
      return { verdict, truncated: truncated ?? false };
    };
  });
  const { value, error, ms, busy } = answer.value;
  const said =
    value &&
    (value.verdict.isUnsure ? t`It is unsure.` : t`It says that the second sentence ${labels()[value.verdict.best]}.`);
  useAnnounced(app, busy || !said ? "" : said);
  return (
    <div class="judged" aria-busy={busy}>
      <p class="words" dir="auto">
        {app.text.value.trim() ? app.text.value : t`Type a sentence.`}
      </p>
      <div class="own-labels">
        <label for="judge-second">{t`The second sentence`}</label>
        <input
          id="judge-second"
          dir="auto"
          autocomplete="off"
          maxLength={2000}
          value={state.second.value}
          onInput={({ currentTarget }) => (state.second.value = currentTarget.value)}
        />
      </div>
      {value && (
        <>
          <section class="judge-said" aria-label={t`The verdict`}>
            <p class="judge-verdict">{said}</p>
            <Scale verdict={value.verdict} kind="pairs" />
          </section>
          <Took ms={ms} truncated={value.truncated} limit={app.limit.value} />
        </>
      )}
      <ErrorText app={app} error={error} />
      <p class="hint">{t`Your model has the head of BERT’s second task, next sentence prediction. How well its probabilities are calibrated is not known, so the page shows none.`}</p>
    </div>
  );
}
