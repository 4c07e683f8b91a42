import { useEffect } from "preact/hooks";
import type { App } from "../app.ts";

/** Milliseconds without a change before an announcement. Announcing every key would be too much. */
const PAUSE = 700;

/** Announces a text to visitors who do not see the page change, once it has stayed the same for a while. */
export function useAnnounced(app: App, text: string): void {
  useEffect(() => {
    if (!text) return;
    const timer = setTimeout(() => app.announce(text), PAUSE);
    return () => clearTimeout(timer);
  }, [app, text]);
}
