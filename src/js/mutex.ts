/** Runs one piece of work at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Waits for the lock. Returns the function that releases it. */
  async lock(): Promise<() => void> {
    const before = this.#last;
    let release!: () => void;
    this.#last = new Promise((resolve) => (release = resolve));
    await before;
    return release;
  }

  /** Runs `work` while it holds the lock. */
  async runExclusive<T>(work: () => T | Promise<T>): Promise<T> {
    const release = await this.lock();
    try {
      return await work();
    } finally {
      release();
    }
  }
}
