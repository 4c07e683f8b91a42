/** Work of the wasm side that stops where it must wait. `wake` is called when it can continue. */
export interface Job<T> {
  step(done: (result: T) => void, wake: () => void): void;
  /** Frees the job. Absent in jobs without memory of their own. */
  free?(): void;
}

/**
 * Returns the result of a job, and frees the job. Rejects if any step throws. A trap rejects too, which a promise made
 * by the wasm side could not report.
 */
export async function completed<T>(job: Job<T>): Promise<T> {
  let isOver = false;
  try {
    return await new Promise((resolve, reject) => {
      const step = () => {
        if (isOver) return; // a late wake: the job is freed
        try {
          job.step(resolve, wake);
        } catch (error) {
          reject(error as Error);
        }
      };
      const wake = () => queueMicrotask(step);
      step();
    });
  } finally {
    isOver = true;
    job.free?.();
  }
}
