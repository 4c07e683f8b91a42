import { useSignal } from "@preact/signals";
import type { App } from "../app.ts";
import { t } from "../language.ts";
import { linkTo } from "./hash.ts";

/** Copies a link to the current view, after the visitor has read that the link contains the text. */
export function Share({ app }: { app: App }) {
  const asking = useSignal(false);
  const copied = useSignal<string | undefined>(undefined);
  const copy = async () => {
    const link = linkTo(app);
    try {
      await navigator.clipboard.writeText(link);
      copied.value = undefined;
      app.announce(t`The link is copied.`);
      asking.value = false;
    } catch {
      copied.value = link; // the visitor copies it by hand
    }
  };
  if (!asking.value) {
    return <button type="button" class="quiet" onClick={() => (asking.value = true)}>{t`Copy link`}</button>;
  }
  return (
    <span class="share">
      <span>{t`The link contains your text.`}</span>
      <button type="button" class="quiet" onClick={copy} ref={(button) => button?.focus()}>{t`Copy it`}</button>
      <button
        type="button"
        class="quiet"
        onClick={() => ((asking.value = false), (copied.value = undefined))}
      >{t`Cancel`}</button>
      {copied.value && (
        <input
          class="link"
          readOnly
          value={copied.value}
          aria-label={t`The link`}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </span>
  );
}
