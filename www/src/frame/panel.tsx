import { useSignal } from "@preact/signals";
import type { App } from "../app.ts";
import { ErrorText } from "../components/error-text.tsx";
import { t } from "../language.ts";
import { useSignalEffectNow } from "../signal-effect.ts";
import { addStyles, loadView, VIEWS, type ViewModule } from "../views/index.ts";

/** The current view. It is fetched when it first opens, which may be slow or fail. */
export function Panel({ app }: { app: App }) {
  const shown = useSignal<{ module?: ViewModule; error?: unknown }>({});
  useSignalEffectNow(() => {
    const entry = VIEWS.find(({ id }) => id === app.view.value)!;
    const isCurrent = () => app.view.peek() === entry.id;
    Promise.all([loadView(entry), addStyles(entry.id)]).then(
      ([{ default: module }]) => isCurrent() && (shown.value = { module }),
      (cause) =>
        isCurrent() && (shown.value = { error: Object.assign(new Error(String(cause)), { code: "network", cause }) }),
    );
  });
  const { module, error } = shown.value;
  const id = app.view.value;
  const isThere = module?.id === id;
  const { title, isLinked } = VIEWS.find((entry) => entry.id === id)!;
  const role = isLinked ? { role: "region" as const, "aria-label": t(title) } : tabPanel(id);
  return (
    <div id="panel" class={`panel view-${id}`} {...role} tabIndex={-1}>
      {error ? (
        <ErrorText error={error} about={{ thing: t`This view` }} />
      ) : isThere ? (
        <module.View key={id} app={app} />
      ) : (
        <p class="hint">{t`Loading this view …`}</p>
      )}
    </div>
  );
}

const tabPanel = (id: string) => ({ role: "tabpanel" as const, "aria-labelledby": `tab-${id}` });
