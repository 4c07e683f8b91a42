import type { App } from "../app.ts";
import { ErrorText } from "../components/error-text.tsx";
import { t } from "../language.ts";
import { Chip } from "./chip.tsx";
import { Field } from "./field.tsx";
import { Languages } from "./languages.tsx";
import { Panel } from "./panel.tsx";
import { Tabs } from "./tabs.tsx";

/** True if guides and reference are beside the page; written by scripts/page.mjs. */
declare const SITE: boolean;

export function Frame({ app }: { app: App }) {
  const status = app.status.value;
  const failed = status.kind === "failed";
  return (
    <>
      <a
        class="skip"
        href="#panel"
        onClick={(event) => {
          event.preventDefault(); // what follows # is the view
          document.getElementById("panel")!.focus();
        }}
      >{t`Skip to the answers`}</a>
      <header class="top">
        <h1 class="wordmark" translate={false}>
          {"we"}
          <span aria-hidden="true">##</span>
          {"bert"}
          <small>{t`: BERT, in this page`}</small>
        </h1>
        <Chip app={app} />
      </header>
      <Field app={app} />
      <div class="load-error">
        <ErrorText
          error={failed ? status.error : undefined}
          about={{ own: status.kind === "failed" && status.own, device: failed ? status.device : "auto" }}
        />
        {failed && (
          <button
            type="button"
            class="plain"
            onClick={() => app.load(app.model.value?.source, app.model.value?.name)}
          >{t`Try again`}</button>
        )}
      </div>
      <nav aria-label={t`Views`}>
        <Tabs app={app} />
      </nav>
      <main>
        <Panel app={app} />
      </main>
      <footer>
        {SITE && (
          <>
            <a href="guides/index.html">{t`Use it in your own page`}</a>
            <a href="guides/training.html">{t`Training`}</a>
            <a href="api/index.html">API</a>
          </>
        )}
        <a href="#measure">{t`Measure this device`}</a>
        <Languages />
      </footer>
      <p class="visually-hidden" role="status" aria-live="polite">
        {app.announcement}
      </p>
    </>
  );
}
