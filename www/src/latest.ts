// Answers to typed text: only the latest question matters.
import { type Signal, useSignal } from "@preact/signals";
import type { App } from "./app.ts";
import { useSignalEffectNow } from "./signal-effect.ts";

/** The outcome of the latest question. */
export interface Answer<T> {
  /** The latest answer; while `busy`, the answer to an earlier question. */
  value: T | undefined;
  /** The error of the latest question. */
  error: unknown;
  /** True while the latest question is being answered. */
  busy: boolean;
  /** Milliseconds that `value` took. */
  ms: number | undefined;
}

/**
 * Asks again when a signal that `question` reads changes. `question` returns the work that answers, or null if there is no question.
 * The signal passed to the work aborts when a later question replaces it.
 * @example
 * const answer = useLatest(app, () => {
 *   const [model, text] = [app.model.value, app.text.value]; // signals read here are watched
 *   return model && (async (signal) => (await model.fillMask())(text, { signal }));
 * });
 */
export function useLatest<T>(
  app: App,
  question: () => ((signal: AbortSignal) => Promise<T>) | null | undefined,
): Signal<Answer<T>> {
  const answer = useSignal<Answer<T>>({ value: undefined, error: undefined, busy: false, ms: undefined });
  useSignalEffectNow(() => {
    const work = question();
    if (!work) {
      answer.value = { value: undefined, error: undefined, busy: false, ms: undefined };
      return;
    }
    const controller = new AbortController();
    const start = performance.now();
    answer.value = { ...answer.peek(), error: undefined, busy: true };
    const model = app.model.peek();
    const answering = model ? model.using(() => work(controller.signal)) : work(controller.signal);
    answering.then(
      (value) => {
        if (controller.signal.aborted) return;
        const ms = performance.now() - start;
        app.answered(ms);
        answer.value = { value, error: undefined, busy: false, ms };
      },
      (error) => {
        if (controller.signal.aborted) return;
        answer.value = { value: undefined, error, busy: false, ms: undefined };
      },
    );
    return () => controller.abort();
  });
  return answer;
}
