import { WebertError } from "../errors.js";
import { completed, type Job } from "./job.js";

type Methods = Record<string, (...args: unknown[]) => unknown>;

/** What of a glue is called where its instance has failed. */
interface Ends {
  /** Whether the code of the instance found a fault of its own. */
  panicked(): boolean;
  /** Lets go of the instance. */
  release(): void;
}

/** What guarded objects hold. */
const insides = new WeakMap<object, { object?: Methods }>();

/**
 * A WebAssembly instance as the code around it sees it: all calls go through here. After a trap its state is unknown, so
 * the first one is the last: what is made of it rejects or throws with the same error from then on, and holds it no more.
 */
export class Instance {
  #memory: WebAssembly.Memory | undefined;
  #failure: WebertError | undefined;
  readonly #glue: Ends;
  readonly #listeners = new Set<(failure: WebertError) => void>();

  constructor(memory: WebAssembly.Memory, glue: Ends) {
    this.#memory = memory;
    this.#glue = glue;
  }

  /** Calls `listener` once, when the instance fails; gives what takes that back. */
  onfail(listener: (failure: WebertError) => void): () => void {
    if (this.#failure) listener(this.#failure);
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A call into the instance. A job that it gives becomes a promise, an object is guarded as the instance is. */
  call(work: () => unknown): unknown {
    return this.#outward(this.#run(work));
  }

  /** `promise`, where a trap rejects it. */
  async until<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #run<T>(work: () => T): T {
    if (this.#failure) throw this.#failure;
    try {
      return work();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #outward(value: unknown): unknown {
    if (typeof (value as Partial<Job<unknown>> | null)?.step === "function")
      return this.#completed(value as Job<unknown>);
    return typeof (value as { free?: unknown } | null)?.free === "function" ? this.#guard(value as Methods) : value;
  }

  async #completed(job: Job<unknown>): Promise<unknown> {
    let forget!: () => void;
    try {
      return this.#outward(
        await new Promise((resolve, reject) => {
          forget = this.onfail(reject); // after a failure nothing wakes the job
          completed({ step: (done, wake) => this.#run(() => job.step(done, wake)) }).then(resolve, reject);
        }),
      );
    } finally {
      forget();
    }
  }

  /** The methods of an object of the instance; others that it takes may be guarded, too. They alone hold it: a program may keep what it cannot use any more. */
  #guard(object: Methods): object {
    const held: { object?: Methods } = { object };
    const weak = new WeakRef(held);
    const forget = this.onfail(() => delete weak.deref()?.object);
    const guarded: Methods = {};
    insides.set(guarded, held);
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(object))) {
      if (name === "constructor") continue;
      guarded[name] = (...args) => {
        const ends = name === "free" || name === "finish";
        if (ends) forget();
        if (name === "free" && this.#failure) return undefined; // it has gone with all the rest
        const inner = args.map((arg) => (typeof arg === "object" ? (insides.get(arg!)?.object ?? arg) : arg));
        return this.call(() => held.object![name]!(...inner));
      };
    }
    return guarded;
  }

  #explain(error: unknown): WebertError {
    if (this.#failure) return this.#failure;
    if (!isTrap(error)) return WebertError.from(error);
    const { code, message } = WebertError.from(error);
    // where an allocation fails, Rust stops without a panic
    const isFull = /unreachable/i.test(message) && !this.#glue.panicked();
    const size = `${this.#memory!.buffer.byteLength / 2 ** 20} MiB`;
    this.#failure = isFull
      ? new WebertError("out_of_memory", `WebAssembly's memory of ${size} cannot grow as it has to`, { cause: error })
      : new WebertError(
          code === "out_of_memory" ? code : "device_lost",
          `WebAssembly stopped (${message}): what was loaded has to be loaded again`,
          { cause: error },
        );
    // until it is read, a stack holds the functions in it, and these the instance
    void [(error as Error).stack, this.#failure.stack];
    this.#memory = undefined;
    for (const listener of this.#listeners) listener(this.#failure);
    this.#listeners.clear();
    this.#glue.release();
    return this.#failure;
  }
}

/**
 * Whether an error may have left frames of the instance unfinished: a trap, or what JavaScript engines throw for lack of
 * stack or memory. The instance's own errors are of neither class.
 */
function isTrap(error: unknown): boolean {
  if (error instanceof WebertError) return false;
  return (
    error instanceof WebAssembly.RuntimeError ||
    error instanceof RangeError ||
    (error as Error | null)?.name === "InternalError"
  );
}
