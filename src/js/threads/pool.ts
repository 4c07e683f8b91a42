// The threads that help the one instance of a binary with threads.
import type glue from "#glue/threads";
import type { Helper, Join, Threads } from "./threads.js";

type Glue = ReturnType<typeof glue>;

/**
 * The threads of an instance: those of all its models are the same, as only one computes at a time. `join` throws where fewer than
 * asked for can be started; `release` lets go of the instance, which has failed: its threads are ended from without.
 */
export function createThreadPool({ admit, dismiss, release: releaseGlue, shared, stay_awake, Trial }: Glue): {
  join: Join;
  release(): void;
} {
  /** Thread n + 1 of every model. */
  let helpers: Helper[] = [];
  let models = 0;
  /** One at a time starts threads or ends them. */
  let turn: Promise<unknown> = Promise.resolve();

  const join: Join = async (asked, most, threads) => {
    models++;
    try {
      const there = await inTurn(() => grow(asked || Math.min(2, most), threads, asked));
      return { threads: async (int8) => (asked > 0 ? there : inTurn(() => gainful(most, threads, int8))), leave };
    } catch (error) {
      leave();
      throw error;
    }
  };

  const release = () => {
    for (const helper of helpers) helper.terminate();
    helpers = [];
    releaseGlue();
  };

  return { join, release };

  /** Does `body` after what else starts or ends threads. */
  function inTurn<T>(body: () => Promise<T>): Promise<T> {
    const done = turn.then(body);
    turn = done.catch(() => {});
    return done;
  }

  /** Sees to it that there are `count` threads, this one included, and `least` at any rate. Gives how many there are. */
  async function grow(count: number, threads: Threads, least = 0): Promise<number> {
    if (!maySleep()) stay_awake();
    const [module, memory] = shared();
    const started: Helper[] = [];
    for (let thread = helpers.length + 1; thread < count; thread++)
      started.push(threads.start({ module, memory, thread }));
    const outcomes = await Promise.allSettled(started.map(({ ready }) => ready));
    const failed = outcomes.findIndex(({ status }) => status === "rejected");
    helpers.push(...(failed < 0 ? started : started.slice(0, failed)));
    const there = Math.min(count, helpers.length + 1);
    if (there >= least) return there;
    const { message } = (outcomes[failed] as PromiseRejectedResult).reason as Error;
    throw Object.assign(new Error(`threads: ${least}, but only ${there} could be started: ${message}`), {
      code: "unsupported",
    });
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

  /** One model less; after the last, the threads end. */
  function leave(): void {
    models--;
    void inTurn(async () => {
      if (models > 0) return;
      const gone = helpers;
      helpers = [];
      dismiss();
      await Promise.all(gone.map((helper) => helper.gone()));
      admit();
    });
  }
}

/** A page's main thread may not. */
function maySleep(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}
