/** Work of the wasm side, which stops where it has to wait; `wake` is called when it can go on. */
export interface Job<T> {
  step(done: (result: T) => void, wake: () => void): void;
}

/** The result of a job. An error in any of its steps rejects, also a trap, which no Promise of the wasm side's would survive. */
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
