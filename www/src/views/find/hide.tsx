// Hides and shows personal data, and restores it in a text.
import { useSignal } from "@preact/signals";
import { ErrorText } from "../../components/error-text.tsx";
import { PasteField } from "../../components/paste-field.tsx";
import { t, tx } from "../../language.ts";
import { counted, type PersonalDataFinder } from "./personal-data.ts";

export function HidePersonalData({ finder }: { finder: PersonalDataFinder }) {
  const [isHiding, found] = [finder.hiding.value === "1", finder.found.value];
  return (
    <div class="find-hide">
      <label>{tx`${(
        <input
          type="checkbox"
          checked={isHiding}
          onChange={({ currentTarget }) => (finder.hiding.value = currentTarget.checked ? "1" : "")}
        />
      )}Hide personal data`}</label>
      {isHiding && (
        <p class="hint" role="status" aria-busy={finder.busy.value || !found}>
          {summaryOf(finder)}
        </p>
      )}
      {isHiding && <ErrorText error={finder.error.value} about={{ thing: t`The model that finds names` }} />}
      {isHiding && found && counted(found) && <PutBack restore={found.restore} />}
    </div>
  );
}

/** The hidden words, the rule or model that found them, and a note on what may remain. */
function summaryOf(finder: PersonalDataFinder): string {
  const found = finder.found.value;
  if (!found) return t`Looking for personal data …`;
  const all = counted(found);
  const summary = all ? t`Hidden: ${all}.` : t`Nothing was found that is to be hidden.`;
  if (finder.busy.value) return t`${summary} Looking for names, places, numbers and dates, too …`;
  return found.byModel
    ? t`${summary} A model looked for names, places, numbers and dates, too: it misses some.`
    : t`${summary} Looked for by form and by the words around: addresses, numbers, keys, and names after "Dear" and the like. No model looked for other names.`;
}

/** A text with placeholders that another person has edited, and the text restored from it. */
function PutBack({ restore }: { restore: (text: string) => string }) {
  const text = useSignal("");
  return (
    <details>
      <summary>{t`Put it back into a text`}</summary>
      <p class="hint">{t`Give these passages to someone. When the text comes back, also with moved or repeated placeholders, this page restores it.`}</p>
      <PasteField text={text} label={t`A text with placeholders`} placeholder={t`Dear [PERSON_1], …`} rows={2} />
      <p class="find-restored" dir="auto" role="status" aria-label={t`The restored text`}>
        {restore(text.value)}
      </p>
    </details>
  );
}
