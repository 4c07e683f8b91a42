import { type Signal, useSignal } from "@preact/signals";

/** Work that a visitor starts and that may fail: its running state, and the latest error. */
export function useAttempt(): {
  busy: Signal<boolean>;
  error: Signal<unknown>;
  attempt: (work: () => Promise<void>) => Promise<void>;
} {
  const busy = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const attempt = async (work: () => Promise<void>) => {
    busy.value = true;
    error.value = undefined;
    try {
      await work();
    } catch (caught) {
      error.value = caught;
    }
    busy.value = false;
  };
  return { busy, error, attempt };
}
