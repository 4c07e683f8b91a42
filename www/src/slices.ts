// Long work in short slices, so that the page answers keys and pointers between them.

/** Milliseconds of work before the page gets a turn: less than a frame of the screen. */
const SLICE = 8;

/** Gives the page a turn. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Runs a generator to its end in slices. `signal` ends it between two steps. */
export async function inSlices<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const end = performance.now() + SLICE;
    do {
      const { done, value } = work.next();
      if (done) return value as T;
    } while (performance.now() < end);
    await pause();
    signal?.throwIfAborted();
  }
}
