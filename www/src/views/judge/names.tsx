// Names and numbers: marked in the sentence, each with its kind.
import { useComputed } from "@preact/signals";
import type { App } from "../../app.ts";
import { useAnnounced } from "../../components/announced.ts";
import { Chips } from "../../components/chips.tsx";
import { labelStyle } from "../../components/colours.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { Took } from "../../components/took.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { t } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { ENTITY_NAMES } from "../../text/entity-names.ts";
import { shownOf } from "../../text/stretches.ts";
import { type Found, findNames, partsOf } from "./entities.ts";
import { EXAMPLES } from "./presets.ts";
import { recordedNames } from "./recorded.ts";

const ORDER = Object.keys(ENTITY_NAMES);
const kindOf = (label: string) => t(ENTITY_NAMES[label]?.[0] ?? label);

export function Names({ app }: { app: App }) {
  const shown = useComputed(() => shownOf(app.text.value));
  const answer = useLatest<{ text: string; found: readonly Found[] }>(app, () => {
    const [model, { shown: text }] = [app.model.value, shown.value];
    const loading = text.trim() ? model?.entities() : null;
    return loading ? async (signal) => ({ text, found: await findNames(await loading, text, signal) }) : null;
  });
  const { shown: text, cut } = shown.value;
  const { value, error, ms, busy } = answer.value;
  const recorded = value ? undefined : recordedNames(text);
  const found =
    recorded ?? value?.found.filter(({ start, end }) => value.text.slice(start, end) === text.slice(start, end));
  useAnnounced(app, busy || !found ? "" : summaryOf(found));
  return (
    <div class="judged" aria-busy={busy}>
      {text.trim() ? (
        <p class="words judge-names" dir="auto">
          {partsOf(text, found ?? []).map(({ text, label, start }) =>
            label ? (
              <mark key={start} style={labelStyle(ORDER.indexOf(label))}>
                {text}
                <small>{kindOf(label)}</small>
              </mark>
            ) : (
              text
            ),
          )}
          {cut && <small class="more">{t` … the rest of the text is not read`}</small>}
        </p>
      ) : (
        <p class="words hint">{t`Type a sentence.`}</p>
      )}
      {found ? (
        <>
          <p class="judge-story">{summaryOf(found)}</p>
          <Took ms={ms} recorded={recorded !== undefined} />
        </>
      ) : (
        <Waiting app={app} />
      )}
      <ErrorText app={app} error={error} about={{ thing: t`The model that finds names` }} />
      <p class="hint">{t`On 242 test texts its F1 is 94 %, counting exact bounds. It misses some of every kind, most often organisations whose names are common words. The page shows no scores.`}</p>
      <h2>{t`Examples`}</h2>
      <Chips label={t`Examples`} chips={EXAMPLES.names} onChoose={(text) => (app.text.value = text)} />
    </div>
  );
}

/** The names and numbers as a sentence. */
function summaryOf(found: readonly Found[]): string {
  if (found.length === 0) return t`It finds no name and no number here.`;
  const kinds = new Map<string, number>();
  for (const { label } of found) kinds.set(label, (kinds.get(label) ?? 0) + 1);
  const counts = [...kinds].map(([label, count]) => {
    const [one, several] = ENTITY_NAMES[label] ?? [`“${label}”`, `“${label}”`];
    return `${count} ${count === 1 ? t(one) : t(several)}`;
  });
  return t`It finds ${counts.join(", ")}.`;
}
