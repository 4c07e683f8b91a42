import { WebertError } from "./errors.js";
import { kindOf } from "./values.js";

/** The error for a signal that was aborted; a WebertError given as the reason is kept as it is. */
export function abortError(signal: AbortSignal): WebertError {
  const { reason } = signal;
  if (reason instanceof WebertError) return reason;
  return new WebertError("aborted", "the call was aborted by its signal", { cause: reason });
}

/** The signal of a call's options, where there is one. */
export function signalOf({ signal }: { signal?: unknown }): AbortSignal | undefined {
  if (signal == null) return undefined;
  if (typeof (signal as AbortSignal).addEventListener === "function") return signal as AbortSignal;
  throw new WebertError("bad_input", `signal is an AbortSignal, not ${kindOf(signal)}`);
}

/** Throws where `signal` is already aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

/** What is to be called when a signal aborts. */
const followers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `stop` when `signal` aborts, at once where it already has. Gives what ends that. However many follow a signal, it
 * has one listener: Node takes more than ten for a leak, and warns.
 */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) {
    stop();
    return () => {};
  }
  const all = followers.get(signal) ?? follow(signal);
  all.add(stop);
  return () => all.delete(stop);
}

function follow(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  followers.set(signal, all);
  const tell = () => all.forEach((stop) => stop());
  signal.addEventListener("abort", tell, { once: true });
  return all;
}

/**
 * `promise`, but rejected as soon as `signal` aborts, whatever the work behind it does then; `late` is given what still
 * comes of it.
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  late?: (result: T) => unknown,
): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const unfollow = onAbort(signal, () => reject(abortError(signal)));
    const settle = (result: T) => {
      if (signal.aborted) late?.(result);
      resolve(result);
    };
    promise.then(settle, reject).finally(unfollow);
  });
}

/**
 * Runs `work` under a signal that aborts when one of `signals` does, or when `work` has ended, so
 * that nothing begun in it (a download, say) outlives it. AbortSignal.any is too new to rely on.
 */
export async function linked<T>(
  signals: (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const unfollow = signals
    .filter((signal) => signal !== undefined)
    .map((signal) => onAbort(signal, () => own.abort(abortError(signal))));
  try {
    throwIfAborted(own.signal);
    return await work(own.signal);
  } catch (error) {
    throw own.signal.aborted ? abortError(own.signal) : error;
  } finally {
    for (const end of unfollow) end();
    own.abort(new WebertError("aborted", "the work is over"));
  }
}

/** Milliseconds of work between two returns to the event loop: shorter than a frame of 16.7 ms. */
const SLICE = 8;

/**
 * When this thread's work began after the event loop's last turn, and the turn after that: one for all work in the
 * thread, since all of it holds the event loop up.
 */
let slice: { since: number; turn: Promise<void> } | undefined;

let pauses = true;

/**
 * From now on `breathe` returns at once. Where a turn of the event loop belongs to a request, it never comes if that request
 * has ended, and what others wait for with it; and there is no page to keep live.
 */
export function withoutPauses(): void {
  pauses = false;
}

/**
 * What long work awaits between its parts: returns to the event loop every few milliseconds, so that a page stays live
 * and a cancellation is heard.
 */
export async function breathe(): Promise<void> {
  if (!pauses) return;
  if (!slice) {
    slice = { since: performance.now(), turn: pause() };
    void slice.turn.then(() => (slice = undefined));
  } else if (performance.now() - slice.since >= SLICE) {
    await slice.turn;
  }
}

/** `breathe` for work that ends with an error once `signal` is aborted. */
export function ticker(signal: AbortSignal | undefined): () => Promise<void> {
  return async () => {
    throwIfAborted(signal);
    await breathe();
    throwIfAborted(signal);
  };
}

/** One turn of the event loop; not setTimeout, which browsers clamp to 4 ms when nested. */
function pause(): Promise<void> {
  const immediate = (globalThis as { setImmediate?: (run: () => void) => void }).setImmediate;
  if (immediate) return new Promise((resolve) => immediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
