// Saves the result: the model as a zip, the code that uses it, the examples as CSV.
import { useSignal } from "@preact/signals";
import type { App } from "../../app.ts";
import { useAttempt } from "../../components/attempt.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { download } from "../../download.ts";
import { Mistake } from "../../explain.ts";
import { t } from "../../language.ts";
import { zipOf } from "../../zip.ts";
import { codeFor, FOLDER, taughtFiles } from "./save.ts";
import type { TeachState } from "./state.ts";

export function Save({ app, state }: { app: App; state: TeachState }) {
  const { busy, error, attempt } = useAttempt();
  const learnt = state.learnt.value;
  if (!learnt) return null;
  const code = codeFor(FOLDER, app.text.value.trim().slice(0, 120));
  const save = () =>
    attempt(async () => {
      const files = await taughtFiles(app.model.peek()!.source, learnt).catch((cause) => {
        if (cause.code) throw cause;
        throw new Mistake(
          t`Only a model with its weights in one safetensors file can be saved like this. “All weights” below saves any model.`,
        );
      });
      download(`${FOLDER}.zip`, await zipOf(FOLDER, files));
      app.announce(t`The model is saved.`);
    });
  const saveRows = async () => {
    const { csvOf } = await import("./csv.ts");
    download(`${FOLDER}.csv`, new Blob([csvOf(state.lesson.peek())], { type: "text/csv" }));
  };
  return (
    <details class="teach-save">
      <summary>{t`Take it with you`}</summary>
      <p>{t`BERT with your layer on top, as one folder: 23 MB with the page's own model. It answers in any page or program with webert.`}</p>
      <div class="teach-row">
        <button type="button" onClick={save} disabled={busy.value}>
          {busy.value ? t`Saving …` : t`Save the model (zip)`}
        </button>
        <button type="button" class="plain" onClick={saveRows}>{t`Save the examples (CSV)`}</button>
      </div>
      <ErrorText error={error.value} />
      <CopyCode app={app} code={code} />
      <p class="hint">
        {state.isTooLong.value
          ? t`These are too many examples for a link: save them as CSV.`
          : t`“Copy link” at the top of the page makes a link that holds your examples, too.`}
      </p>
    </details>
  );
}

/** A program and its copy button. */
function CopyCode({ app, code }: { app: App; code: string }) {
  const copied = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(code);
      copied.value = true;
      app.announce(t`The code is copied.`);
      setTimeout(() => (copied.value = false), 2000);
    } catch {
      app.announce(t`The browser does not let the page copy. Select the code and copy it yourself.`);
    }
  };
  return (
    <div class="teach-code">
      <pre tabIndex={0} role="group" aria-label={t`The code that uses the model`}>
        <code>{code}</code>
      </pre>
      <button type="button" class="plain" onClick={copy}>
        {copied.value ? t`Copied` : t`Copy the code`}
      </button>
    </div>
  );
}
