import type { App } from "../app.ts";
import { type About, explain, Mistake } from "../explain.ts";
import { t } from "../language.ts";

/**
 * An error in the visitor's words, with the original for developers folded up below it. Renders nothing without an error. `app`: the page's
 * model was used, so `about` need not name it.
 */
export function ErrorText({ error, about, app }: { error: unknown; about?: About; app?: App }) {
  const { message, code, name } = (error ?? {}) as { message?: string; code?: string; name?: string };
  return (
    <div class="error-box">
      <p class="error" role="alert">
        {error ? explain(error, { ...(app && modelOf(app)), ...about }) : ""}
      </p>
      {error && !(error instanceof Mistake) ? (
        <details class="original">
          <summary>{t`For developers`}</summary>
          <code>{`${message ?? String(error)} (${code ?? name ?? "unknown"})`}</code>
        </details>
      ) : null}
    </div>
  );
}

/** The context of an error: the model in use. */
const modelOf = (app: App): About => ({ own: app.model.value?.name !== undefined, device: app.device.value });
