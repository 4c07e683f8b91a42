// A verdict as a needle between two labels, or as bars of several.
import { labelStyle } from "../../components/colours.ts";
import { t } from "../../language.ts";
import { nameOf, shownLabel, type Verdict } from "../../text/judge.ts";

/** Places in the list of hues: green and red for a sentiment. */
const FEELING = [9, 0];

/** The colour of a label. `kind` is "feeling" for the two labels of the sentiment model. */
export const styleOf = (kind: string, label: number): Record<string, string> =>
  kind === "feeling" ? labelStyle(FEELING[label] ?? label) : labelStyle(label + 1);

/** Percent that the sentiment model's card supports: its probabilities end at 10 and 90. */
export const supported = (score: number): number => Math.min(90, Math.max(10, Math.round(100 * score)));

/** How sure a verdict is, in words. For the sentiment model also in numbers, because its card measures them. */
export function surenessOf(kind: string, { scores, best, isUnsure }: Verdict): string {
  if (isUnsure) return "";
  if (kind === "feeling") return `${supported(scores[best]!)} %`;
  if (kind === "topic") return scores[best]! >= 0.9 ? t`clearly` : t`probably`;
  return "";
}

/** A scale from the first label to the second, with a needle. Between 35 and 65 % the verdict is unsure. */
export function Scale({ verdict, kind }: { verdict: Verdict; kind: string }) {
  const [low, high] = verdict.labels.map((label) => shownLabel(verdict, label));
  const said = nameOf(verdict);
  const name = said === undefined ? t`unsure` : `${shownLabel(verdict, said)}, ${surenessOf(kind, verdict)}`;
  return (
    <div class="scale" role="img" aria-label={t`${name}, on a scale from ${low} to ${high}`}>
      <div class="scale-track">
        <span class="scale-unsure" />
        <span class="scale-needle" style={{ transform: `translateX(${(100 * verdict.scores[1]!).toFixed(1)}%)` }} />
      </div>
      <div class="scale-ends">
        <span style={styleOf(kind, 0)}>{low}</span>
        <span>{t`unsure`}</span>
        <span style={styleOf(kind, 1)}>{high}</span>
      </div>
    </div>
  );
}

/** Length of a full bar: the highest cosine between a sentence and a label that can be expected. */
const CLOSE = 0.5;

/** Bars of the labels' scores, without numbers: the models' cards do not support any. */
export function Shares({ verdict, kind }: { verdict: Verdict; kind: string }) {
  const most = kind === "labels" ? CLOSE : 1;
  return (
    <ul class="shares" aria-label={t`The labels`}>
      {verdict.labels.map((label, at) => {
        const share = Math.min(1, Math.max(0, verdict.scores[at]! / most));
        const isSaid = at === verdict.best && !verdict.isUnsure;
        return (
          <li key={label} class={isSaid ? "is-said" : undefined} style={styleOf(kind, at)}>
            <span dir="auto">{shownLabel(verdict, label)}</span>
            <span class="bar-track" aria-hidden="true">
              <span class="bar-fill" style={{ width: `${(100 * share).toFixed(1)}%` }} />
            </span>
            {isSaid && <span class="visually-hidden">{t`the verdict`}</span>}
          </li>
        );
      })}
    </ul>
  );
}
