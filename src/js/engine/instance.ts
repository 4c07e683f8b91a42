// A WebAssembly instance that no call reaches after it has failed.
import { WebertError } from "../errors.js";
import { completed, type Job } from "./job.js";

type WasmMethods = Record<string, (...args: unknown[]) => unknown>;

/** The function of a glue that is called after its instance has failed. */
interface Ends {
  /** Drops the instance. */
  release(): void;
}

/** Pages of 64 KiB. A memory with less room counts as full: one allocation rarely takes more. */
const ROOM = 4096;

/** The inner object of each guarded object. */
const insides = new WeakMap<object, { object?: WasmMethods }>();

/**
 * A WebAssembly instance; all calls pass through this class. After a trap the state of the instance is unknown. From
 * then on every call on the instance or its objects fails with the error of the first trap, and the instance is
 * dropped.
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

  /**
   * Calls `listener` once when the instance fails, or at once if it already has. Returns a function that removes the
   * listener.
   */
  onfail(listener: (failure: WebertError) => void): () => void {
    if (this.#failure) listener(this.#failure);
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls into the instance. A returned job becomes a promise; a returned object is guarded like the instance. */
  call(work: () => unknown): unknown {
    return this.#outward(this.#run(work));
  }

  /** Returns `promise`, with a trap turned into the failure of the instance. */
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
    return typeof (value as { free?: unknown } | null)?.free === "function" ? this.#guard(value as WasmMethods) : value;
  }

  async #completed(job: Job<unknown>): Promise<unknown> {
    let forget!: () => void;
    try {
      return this.#outward(
        await new Promise((resolve, reject) => {
          forget = this.onfail(reject); // after a failure nothing wakes the job
          const step: Job<unknown>["step"] = (done, wake) => this.#run(() => job.step(done, wake));
          const free = () => this.#failure || job.free?.(); // after a failure the whole instance is gone
          completed({ step, free }).then(resolve, reject);
        }),
      );
    } finally {
      forget();
    }
  }

  /**
   * Wraps an object of the instance so that its methods are guarded; arguments may be guarded objects. Only the
   * wrapper refers to the object: after a failure the reference is deleted, so a program that keeps a useless wrapper
   * does not keep the instance alive.
   */
  #guard(object: WasmMethods): object {
    const held: { object?: WasmMethods } = { object };
    const weak = new WeakRef(held);
    const forget = this.onfail(() => delete weak.deref()?.object);
    const guarded: WasmMethods = {};
    insides.set(guarded, held);
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(object))) {
      if (name === "constructor") continue;
      guarded[name] = (...args) => {
        const ends = name === "free" || name === "finish";
        if (ends) forget();
        if (name === "free" && this.#failure) return undefined; // the whole instance is gone
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
    const size = `${this.#memory!.buffer.byteLength / 2 ** 20} MiB`;
    // Rust stops in the same way at a bug and at an allocation that fails.
    const isFull = /unreachable/i.test(message) && !canGrow(this.#memory!);
    this.#failure = isFull
      ? new WebertError("out_of_memory", `WebAssembly's memory of ${size} cannot grow any further`, { cause: error })
      : new WebertError(
          code === "out_of_memory" ? code : "device_lost",
          `WebAssembly stopped (${message}): load all models again`,
          { cause: error },
        );
    // Until it is read, a stack trace refers to the functions on it, and they refer to the instance.
    void [(error as Error).stack, this.#failure.stack];
    this.#memory = undefined;
    for (const listener of this.#listeners) listener(this.#failure);
    this.#listeners.clear();
    this.#glue.release();
    return this.#failure;
  }
}

/** Returns whether the memory of a failed instance has room for `ROOM` more pages. */
function canGrow(memory: WebAssembly.Memory): boolean {
  try {
    memory.grow(ROOM);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether an error may have left frames of the instance unfinished: a trap, or an error that JavaScript
 * engines throw when stack or memory run out. Errors thrown by the instance itself have neither class.
 */
function isTrap(error: unknown): boolean {
  if (error instanceof WebertError) return false;
  return (
    error instanceof WebAssembly.RuntimeError ||
    error instanceof RangeError ||
    (error as Error | null)?.name === "InternalError"
  );
}
