// Threads of the only instance of a binary with threads.

/** Name of a glue, and the URL of its script. */
export interface GluePlace {
  name: string;
  url: string | undefined;
}

/** The message that starts a thread. */
export interface ThreadStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** The thread's number; the thread that calls models is 0. */
  thread: number;
  /** Location of the module's glue. */
  glue: GluePlace;
}

/** A handle to a started thread. */
export interface Thread {
  /** Rejects if the thread could not start. */
  ready: Promise<void>;
  /** Waits until the thread has ended. */
  ended(): Promise<void>;
  /** Ends the thread at once. */
  terminate(): void;
}

/** Starts threads on a platform. */
export interface Threads {
  /** How many threads can run at the same time. */
  cores: number;
  start(start: ThreadStart): Thread;
}

/** An encoder's use of the pool. */
export interface ThreadLease {
  /**
   * Returns how many threads to compute with, including the calling thread. If the caller left the number open, a
   * trial measures it, which needs an otherwise idle machine.
   */
  count(int8: boolean): Promise<number>;
  release(): void;
}

/** Leases threads for one more encoder: exactly `asked`, or at most `most` if `asked` is 0. */
export type LeaseThreads = (asked: number, most: number, threads: Threads) => Promise<ThreadLease>;

/** Exports of a binary with threads that the pool uses. */
export interface PoolExports {
  /** Returns the module and the memory of this instance. */
  shared(): [WebAssembly.Module, WebAssembly.Memory];
  /** Ends all workers. */
  stop_workers(): void;
  /** Lets workers run again, once all have ended. */
  allow_workers(): void;
  /** Makes the calling thread spin instead of block. */
  spin_in_caller(): void;
  /** Drops the instance and its memory: see scripts/bindgen. */
  release(): void;
  /** A layer for measuring whether threads speed it up. */
  Trial: new (
    threads: number,
    int8: boolean,
  ) => { run(times: number): void; free(): void };
}

/**
 * Creates the threads of an instance. All encoders share them, because only one encoder computes at a time.
 * `leaseThreads` throws if fewer threads than requested can start. `release` drops a failed instance and terminates its
 * threads. `glue` is the location of the instance's glue.
 */
export function createThreadPool(
  exports: PoolExports,
  glue: GluePlace,
): { leaseThreads: LeaseThreads; release(): void } {
  const pool = new ThreadPool(exports, glue);
  return { leaseThreads: (...args) => pool.lease(...args), release: () => pool.release() };
}

class ThreadPool {
  readonly #exports: PoolExports;
  readonly #glue: GluePlace;
  /** The worker at an index is the thread `index + 1` of every encoder. */
  #workers: Thread[] = [];
  #leases = 0;
  /** The last start or end of threads. The next one waits for it. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(exports: PoolExports, glue: GluePlace) {
    this.#exports = exports;
    this.#glue = glue;
  }

  async lease(...[asked, most, threads]: Parameters<LeaseThreads>): Promise<ThreadLease> {
    this.#leases++;
    const release = () => this.#endLease();
    try {
      const there = await this.#inTurn(() => this.#grow(asked || Math.min(2, most), threads, asked));
      const grow = (count: number) => this.#grow(count, threads);
      const chosen = async (int8: boolean) => {
        const number = await gainful(grow, most, this.#exports.Trial, int8);
        // Threads that a trial started in vain keep their memory. Other encoders may use them.
        const idle = this.#workers.length + 1 - number;
        if (this.#leases > 1 || idle < MANY / 2) return number;
        await this.#end();
        return grow(number);
      };
      const count = async (int8: boolean) => (asked > 0 ? there : this.#inTurn(() => chosen(int8)));
      return { count, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  release(): void {
    for (const worker of this.#workers) worker.terminate();
    this.#workers = [];
    this.#exports.release();
  }

  /** Runs `body` after the earlier starts and ends of threads. */
  #inTurn<T>(body: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(body);
    this.#turn = done.catch(() => {});
    return done;
  }

  /**
   * Starts threads until `count` run, including this one. Returns how many run.
   * @throws Error if fewer than `least` run
   */
  async #grow(count: number, threads: Threads, least = 0): Promise<number> {
    const { shared, spin_in_caller } = this.#exports;
    // A page's main thread may not block while it waits for the other threads.
    if (!mayBlock()) spin_in_caller();
    const [module, memory] = shared();
    const started: Thread[] = [];
    for (let thread = this.#workers.length + 1; thread < count; thread++)
      started.push(threads.start({ module, memory, thread, glue: this.#glue }));
    const outcomes = await outcomesOf(started);
    const failed = outcomes.findIndex((error) => error);
    this.#workers.push(...(failed < 0 ? started : started.slice(0, failed)));
    const there = Math.min(count, this.#workers.length + 1);
    if (there >= least) return there;
    throw Object.assign(
      new Error(`threads: expected ${least}, only ${there} could be started: ${outcomes[failed]!.message}`),
      {
        code: "unsupported",
      },
    );
  }

  /** Ends an encoder's lease. After the last one, the threads end. */
  #endLease(): void {
    this.#leases--;
    void this.#inTurn(async () => {
      // Another encoder may have taken a lease while this waited.
      if (this.#leases === 0) await this.#end();
    });
  }

  /** Ends all threads. */
  async #end(): Promise<void> {
    const ending = this.#workers;
    this.#workers = [];
    this.#exports.stop_workers();
    await Promise.all(ending.map((worker) => worker.ended()));
    this.#exports.allow_workers();
  }
}

/**
 * Waits until threads have started. Returns why a thread failed, or undefined, for each.
 * @throws WebAssembly.RuntimeError if no memory is left for a thread's stack; all of them have then ended
 */
function outcomesOf(started: readonly Thread[]): Promise<(Error | undefined)[]> {
  const failed = (error: Error) => {
    if (!/^RuntimeError/.test(error.message)) return error;
    // The thread still holds the lock that each thread takes when it begins, so the others would wait forever.
    for (const thread of started) thread.terminate();
    throw new WebAssembly.RuntimeError(error.message);
  };
  return Promise.all(started.map(({ ready }) => ready.then(() => undefined, failed)));
}

/** From this number on, more threads must gain more: each takes 9 MB in Node, and a core that others may need. */
const MANY = 8;

/** Returns how many times faster a trial must be with `more` threads than with `few`. */
const leastGain = (few: number, more: number) => (few < MANY ? 1.1 : 1 + (more / few - 1) / 4);

/**
 * Doubles the threads by `grow` while this makes a layer of a model faster. Returns the last number that was faster.
 * `grow` returns how many threads run.
 */
async function gainful(
  grow: (count: number) => Promise<number>,
  most: number,
  Trial: PoolExports["Trial"],
  int8: boolean,
): Promise<number> {
  let number = 1;
  // Each doubling gains less than the one before, so threads that cannot gain enough are not started.
  for (let last = Infinity; number < most && last >= leastGain(number, Math.min(2 * number, most)); ) {
    const more = await grow(Math.min(2 * number, most));
    if (more <= number) break;
    last = gain(Trial, number, more, int8);
    if (last < leastGain(number, more)) break;
    number = more;
  }
  return number;
}

/** Milliseconds of a trial's measurement. A thread that slept needs 0.05 to 0.2 ms to join. */
const TRIAL_MS = 1;

/**
 * Returns how many times faster `more` threads are than `few`. Both run in turn, and the best time of each counts. The
 * trial continues until the times stop improving: browsers start with quickly compiled code and swap in optimised code
 * later.
 */
function gain(Trial: PoolExports["Trial"], few: number, more: number, int8: boolean): number {
  const trials = [new Trial(few, int8), new Trial(more, int8)];
  const best = [Infinity, Infinity];
  for (let times = 4, turn = 0, calm = 0; turn < 50 && calm < 8; turn++, calm++) {
    const taken = trials.map((trial) => {
      const start = performance.now();
      trial.run(times);
      return performance.now() - start;
    });
    const isShort = taken[0]! < TRIAL_MS && times < 1 << 20;
    if (isShort) times *= 2;
    for (const [n, time] of taken.entries()) {
      if (isShort || time < 0.9 * best[n]!) calm = 0;
      best[n] = isShort ? Infinity : Math.min(best[n]!, time);
    }
  }
  for (const trial of trials) trial.free();
  return best[0]! / best[1]!;
}

/** Returns whether this thread may block; a page's main thread may not. */
function mayBlock(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}
