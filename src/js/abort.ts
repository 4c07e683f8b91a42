import { WebertError } from "./errors.js";
import { kindOf } from "./values.js";

/** Returns the error of an aborted signal. A WebertError given as the reason is returned unchanged. */
export function abortError(signal: AbortSignal): WebertError {
  const { reason } = signal;
  if (reason instanceof WebertError) return reason;
  return new WebertError("aborted", "the call was aborted by its signal", { cause: reason });
}

/**
 * Returns the signal of a call's options, if any.
 * @throws WebertError `bad_input` if `signal` is not an AbortSignal
 */
export function signalOf({ signal }: { signal?: unknown }): AbortSignal | undefined {
  if (signal == null) return undefined;
  if (typeof (signal as AbortSignal).addEventListener === "function") return signal as AbortSignal;
  throw new WebertError("bad_input", `signal: expected an AbortSignal, got ${kindOf(signal)}`);
}

/** Throws if `signal` is already aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

/** Callbacks to run when a signal aborts, by signal. */
const followers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `stop` when `signal` aborts, or at once if it already has. Returns a function that cancels this. Each signal
 * gets a single listener for all its followers: Node warns of a leak at more than ten.
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
 * Returns a promise that follows `promise`, but rejects as soon as `signal` aborts. `late` receives a result that
 * arrives after the abort.
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  late?: (result: T) => unknown,
): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const unfollow = onAbort(signal, () => reject(abortError(signal)));
    const resolveOnce = (result: T) => {
      // The caller has the rejection already, so only `late` can free the result.
      if (signal.aborted) late?.(result);
      resolve(result);
    };
    promise.then(resolveOnce, reject).finally(unfollow);
  });
}

/**
 * Runs `work` with a signal that aborts when any of `signals` aborts, and when `work` ends. Work that it started,
 * e.g. a download, therefore stops with it. AbortSignal.any is too new to rely on.
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

/** Milliseconds of work between two returns to the event loop: less than a 60 Hz frame of 16.7 ms. */
const SLICE = 8;

/**
 * When this thread's current slice of work began, and the event loop's turn after it. All work of a thread shares one
 * slice, because all of it blocks the event loop.
 */
let slice: { since: number; turn: Promise<void> } | undefined;

let pauses = true;

/**
 * Makes `yieldToEventLoop` return at once from now on. In edge functions, a turn of the event loop may belong to a request: if
 * that request ends, the turn never comes, and other requests would wait for it forever. These platforms have no page
 * to keep responsive.
 */
export function withoutPauses(): void {
  pauses = false;
}

/**
 * Returns to the event loop if the current slice is used up. Long work awaits this between its parts, so that a page
 * stays responsive and cancellations arrive.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (!pauses) return;
  if (slice && performance.now() - slice.since >= SLICE) await slice.turn;
  // also after the turn: the next slice begins with what the caller does now
  if (!slice) {
    slice = { since: performance.now(), turn: pause() };
    void slice.turn.then(() => (slice = undefined));
  }
}

/** Awaited between two parts of long work. If it throws, the work ends with its error. */
export type Tick = () => Promise<void>;

/** Returns a `yieldToEventLoop` that throws once `signal` is aborted. */
export function ticker(signal: AbortSignal | undefined): Tick {
  return async () => {
    throwIfAborted(signal);
    await yieldToEventLoop();
    throwIfAborted(signal);
  };
}

/** Waits for one turn of the event loop. setTimeout is not used: browsers clamp nested timeouts to 4 ms. */
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
