// What follows a signal in the same turn.
import { effect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Runs `body` with each change of the signals it reads, before the statement that changed them returns: `useSignalEffect` waits
 * for a frame, in which a view would show what no longer holds and call it answered. What `body` returns is run before the next time.
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
