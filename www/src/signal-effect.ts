// Effects that follow a signal in the same turn.
import { effect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Runs `body` when a signal that it reads changes, before the statement that changed it returns. `useSignalEffect` waits for a frame
 * and would show an outdated answer as current during it. The function that `body` returns runs before the next call.
 * @example
 * useSignalEffectNow(() => {
 *   app.text.value; // watched
 *   chosen.value = {};
 * });
 */
export function useSignalEffectNow(body: () => undefined | (() => void)) {
  const latest = useRef(body);
  latest.current = body;
  useLayoutEffect(() => effect(() => latest.current()), []);
}
