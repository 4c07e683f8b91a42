import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { App } from "../app.ts";
import { language, t } from "../language.ts";
import { BUILT_IN } from "../model.ts";
import { useSignalEffectNow } from "../signal-effect.ts";
import { isEnglish } from "../text/english.ts";
import { VIEWS } from "../views/index.ts";
import { Share } from "./share.tsx";

/** Maximum code units that the field shows. With more, typing would take a browser longer than a frame. */
const MOST = 20_000;

/** Number of code units by which the language is judged. */
const JUDGED = 2_000;

/** The sentence: one field for all views. */
export function Field({ app }: { app: App }) {
  const field = useRef<HTMLTextAreaElement>(null);
  // Write only a different value: browsers move the caret to the end of a written value.
  useSignalEffectNow(() => {
    const text = app.text.value;
    if (field.current!.value !== text) field.current!.value = text;
  });
  const isOwn = (app.model.value?.source ?? BUILT_IN) === BUILT_IN;
  const isIgnored = VIEWS.find(({ id }) => id === app.view.value)?.ignoresText;
  const isForeign = useComputed(() => !isEnglish(app.text.value.slice(0, JUDGED)));
  return (
    <section class="field" aria-label={t`The sentence`}>
      <div class="field-top">
        <label for="text">
          {isIgnored ? `${t`The sentence`} ${t`(not used in this view)`}` : t`Type a sentence`}
          {!isIgnored && language.value !== "en" && ` ${t`(the model reads English)`}`}
        </label>
        <Share app={app} />
      </div>
      <textarea
        id="text"
        ref={field}
        rows={1}
        dir="auto"
        spellcheck={false}
        autocomplete="off"
        maxLength={MOST}
        disabled={isIgnored === true}
        onInput={(event) => (app.text.value = event.currentTarget.value)}
      />
      <p class="hint" role="status">
        {isOwn &&
          !isIgnored &&
          isForeign.value &&
          t`This does not look like English. The model learned English only: its answers mean little here.`}
      </p>
    </section>
  );
}
