import type { App } from "../app.ts";
import { type About, explain, Mistake } from "../explain.ts";

/**
 * An error in the visitor's words, and folded up below it the original for developers; nothing where there is none. `app`: where the
 * page's model was used, which `about` then need not tell.
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
          <summary>For developers</summary>
          <code>{`${message ?? String(error)} (${code ?? name ?? "unknown"})`}</code>
        </details>
      ) : null}
    </div>
  );
}

/** What an error is told with of the model in use. */
const modelOf = (app: App): About => ({ own: app.model.value?.name !== undefined, device: app.device.value });
