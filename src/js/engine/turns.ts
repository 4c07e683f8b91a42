/** A mutex: runs one piece of work at a time, in the order of the requests. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Waits for the lock and returns the function that releases it. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end!: () => void;
    this.#last = new Promise((resolve) => (end = resolve));
    await before;
    return end;
  }

  /** Runs `work` while holding the lock. */
  async during<T>(work: () => T | Promise<T>): Promise<T> {
    const end = await this.take();
    try {
      return await work();
    } finally {
      end();
    }
  }
}
