// The threads of the one instance of a binary with threads.
import type { ThreadStart } from "./thread.js";

/** A thread as the one that started it sees it. */
export interface Thread {
  /** Rejects where it could not be started. */
  ready: Promise<void>;
  /** Waits until it has ended. */
  ended(): Promise<void>;
  /** Ends it at once. */
  terminate(): void;
}

/** The threads of a machine. */
export interface Threads {
  /** How many there can be at a time. */
  cores: number;
  start(start: ThreadStart): Thread;
}

/** An encoder's use of the pool. */
export interface ThreadLease {
  /** How many threads, the one that calls the model included. Where the number was left open, a trial finds it, which wants the machine to be idle. */
  count(int8: boolean): Promise<number>;
  release(): void;
}

/** The threads for one more encoder: `asked` for, or at most `most`. */
export type LeaseThreads = (asked: number, most: number, threads: Threads) => Promise<ThreadLease>;

/** What the pool uses of the exports of a binary with threads. */
export interface PoolExports {
  /** The module and the memory of this instance. */
  shared(): [WebAssembly.Module, WebAssembly.Memory];
  /** Ends all workers. */
  stop_workers(): void;
  /** Lets workers run again, once all have ended. */
  allow_workers(): void;
  /** Says that this thread may not block. */
  spin_in_caller(): void;
  /** Drops the instance and its memory: see scripts/bindgen. */
  release(): void;
  /** A layer, to measure whether threads speed it up. */
  Trial: new (
    threads: number,
    int8: boolean,
  ) => { run(times: number): void; free(): void };
}

/**
 * The threads of an instance: those of all its encoders are the same, as only one computes at a time. `leaseThreads` throws where
 * fewer than asked for can be started; `release` lets go of the instance, which has failed: its threads are ended from without.
 * `glues`: of a binary with all features, the URL of their glues.
 */
export function createThreadPool(
  { allow_workers, stop_workers, release: releaseGlue, shared, spin_in_caller, Trial }: PoolExports,
  glues: string | undefined,
): { leaseThreads: LeaseThreads; release(): void } {
  /** Thread n + 1 of every encoder. */
  let workers: Thread[] = [];
  let leases = 0;
  /** One at a time starts threads or ends them. */
  let turn: Promise<unknown> = Promise.resolve();

  const leaseThreads: LeaseThreads = async (asked, most, threads) => {
    leases++;
    try {
      const there = await inTurn(() => grow(asked || Math.min(2, most), threads, asked));
      const count = async (int8: boolean) => (asked > 0 ? there : inTurn(() => gainful(most, threads, int8)));
      return { count, release: endLease };
    } catch (error) {
      endLease();
      throw error;
    }
  };

  const release = () => {
    for (const worker of workers) worker.terminate();
    workers = [];
    releaseGlue();
  };

  return { leaseThreads, release };

  /** Does `body` after what else starts or ends threads. */
  function inTurn<T>(body: () => Promise<T>): Promise<T> {
    const done = turn.then(body);
    turn = done.catch(() => {});
    return done;
  }

  /** Sees to it that there are `count` threads, this one included, and `least` at any rate. Gives how many there are. */
  async function grow(count: number, threads: Threads, least = 0): Promise<number> {
    if (!mayBlock()) spin_in_caller();
    const [module, memory] = shared();
    const started: Thread[] = [];
    for (let thread = workers.length + 1; thread < count; thread++)
      started.push(threads.start({ module, memory, thread, glues }));
    const outcomes = await Promise.all(
      started.map(({ ready }) =>
        ready.catch(({ message }: Error) => {
          if (!/^RuntimeError/.test(message)) return { message };
          // there is no memory for its stack, and it keeps the lock that each thread takes as it begins
          for (const thread of started) thread.terminate();
          throw new WebAssembly.RuntimeError(message);
        }),
      ),
    );
    const failed = outcomes.findIndex((error) => error);
    workers.push(...(failed < 0 ? started : started.slice(0, failed)));
    const there = Math.min(count, workers.length + 1);
    if (there >= least) return there;
    throw Object.assign(
      new Error(`threads: ${least}, but only ${there} could be started: ${outcomes[failed]!.message}`),
      {
        code: "unsupported",
      },
    );
  }

  /** Doubles the threads for as long as that makes a layer of a model faster; gives how many there then are. */
  async function gainful(most: number, threads: Threads, int8: boolean): Promise<number> {
    let number = 1;
    while (number < most) {
      const more = await grow(Math.min(2 * number, most), threads);
      if (more <= number || !gains(number, more, int8)) break;
      number = more;
    }
    return number;
  }

  /**
   * Whether `more` threads are worth having: both run turn about, and the best turn of each counts. They do so until turns
   * have stopped to get faster, as the browser begins with code that it compiled in haste, and compiles the better one beside.
   */
  function gains(few: number, more: number, int8: boolean): boolean {
    const trials = [new Trial(few, int8), new Trial(more, int8)];
    const best = trials.map(() => Infinity);
    for (let turn = 0, calm = 0; turn < 50 && calm < 8; turn++, calm++) {
      trials.forEach((trial, n) => {
        const start = performance.now();
        trial.run(4);
        const time = performance.now() - start;
        if (time < 0.9 * best[n]!) calm = 0;
        best[n] = Math.min(best[n]!, time);
      });
    }
    for (const trial of trials) trial.free();
    return best[1]! * 1.1 < best[0]!;
  }

  /** One encoder less; after the last, the threads end. */
  function endLease(): void {
    leases--;
    void inTurn(async () => {
      if (leases > 0) return;
      const ending = workers;
      workers = [];
      stop_workers();
      await Promise.all(ending.map((worker) => worker.ended()));
      allow_workers();
    });
  }
}

/** A page's main thread may not. */
function mayBlock(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}
