/** Lets one work at a time, in the order in which they asked. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Waits for a turn; gives what ends it. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end!: () => void;
    this.#last = new Promise((resolve) => (end = resolve));
    await before;
    return end;
  }

  /** Does `work` in a turn. */
  async during<T>(work: () => T | Promise<T>): Promise<T> {
    const end = await this.take();
    try {
      return await work();
    } finally {
      end();
    }
  }
}
