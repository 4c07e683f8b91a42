// Locks by name, across tabs if the browser has them.
import { abortable, abortError, onAbort } from "../abort.js";
import { limits } from "./limits.js";

/** The end of the queue for each lock of this thread. */
const queues = new Map<string, Promise<void>>();

/**
 * Waits for the lock `name` and returns the function that frees it. Stops waiting after `limits.shared`, because the
 * holder may hang. With Web Locks, all pages and Workers of an origin share the lock; otherwise only this thread does.
 */
export async function lock(name: string, signal: AbortSignal): Promise<() => void> {
  const stop = new AbortController();
  const unfollow = onAbort(signal, () => stop.abort(abortError(signal)));
  const timer = setTimeout(() => stop.abort(), limits.shared);
  try {
    return await (webLock(name, stop.signal) ?? threadLock(name, stop.signal));
  } catch {
    // Documents with an opaque origin may not use Web Locks.
    if (signal.aborted) throw abortError(signal);
    return () => {};
  } finally {
    clearTimeout(timer);
    unfollow();
  }
}

function webLock(name: string, signal: AbortSignal): Promise<() => void> | undefined {
  const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {};
  return (
    locks &&
    new Promise((resolve, reject) => {
      locks.request(name, { signal }, () => new Promise<void>((free) => resolve(free))).catch(reject);
    })
  );
}

async function threadLock(name: string, signal: AbortSignal): Promise<() => void> {
  const before = queues.get(name) ?? Promise.resolve();
  let free!: () => void;
  const freed = new Promise<void>((resolve) => (free = resolve));
  const tail = before.then(() => freed);
  queues.set(name, tail);
  void tail.then(() => {
    if (queues.get(name) === tail) queues.delete(name);
  });
  try {
    await abortable(before, signal);
  } catch (error) {
    free();
    throw error;
  }
  return free;
}
