// Long work in short slices, so that the page answers keys and pointers between them.

/** Milliseconds of work between two chances for the page to do something else: less than a frame of the screen. */
const SLICE = 8;

/** Lets the page do what waits. */
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
