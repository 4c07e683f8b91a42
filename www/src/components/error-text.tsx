import { type About, explain, Mistake } from "../explain.ts";

/** An error in the visitor's words, and folded up below it the original for developers; nothing where there is none. */
export function ErrorText({ error, about }: { error: unknown; about?: About }) {
  const { message, code, name } = (error ?? {}) as { message?: string; code?: string; name?: string };
  return (
    <div class="error-box">
      <p class="error" role="alert">
        {error ? explain(error, about) : ""}
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
