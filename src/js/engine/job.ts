/** Work of the wasm side that stops where it must wait. `wake` is called when it can continue. */
export interface Job<T> {
  step(done: (result: T) => void, wake: () => void): void;
}

/**
 * Returns the result of a job. Rejects if any step throws. A trap rejects too, which a promise made by the wasm side
 * could not report.
 */
export function completed<T>(job: Job<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const step = () => {
      try {
        job.step(resolve, wake);
      } catch (error) {
        reject(error as Error);
      }
    };
    const wake = () => queueMicrotask(step);
    step();
  });
}
