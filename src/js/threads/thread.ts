// The code of a thread of the pool, and its reports to the thread that started it.
import { threadsModule } from "./builds.js";
import type { ThreadStart } from "./pool.js";

/** A thread's reports: it has begun, it has ended, or it failed with an error. */
export type ThreadState = "ready" | "ended" | { error: string };

/** Stack of a thread, in bytes. It can be small: the kernels' buffers are elsewhere. */
const STACK = 2 ** 18;

/** Runs a worker of the thread pool on this thread until the pool stops its workers. */
export async function runThread(
  { module, memory, thread, glue }: ThreadStart,
  report: (state: ThreadState) => void,
): Promise<void> {
  try {
    const wasm = (await threadsModule(glue)).default();
    const exports = wasm.initSync({ module, memory, thread_stack_size: STACK });
    try {
      wasm.run_worker(thread, () => report("ready"));
    } catch (error) {
      wasm.leave_after_trap();
      throw error;
    }
    exports.__wbindgen_thread_destroy(); // frees the thread's stack
    report("ended");
  } catch (error) {
    report({ error: String(error) }); // browsers do not report an unhandled rejection in a Worker
  }
}

/**
 * Returns promises for a thread's states. `report` receives a state, `fail` an error of starting or running the
 * thread.
 */
export function threadStates() {
  let onReady!: () => void, onEnd!: () => void, onFailure!: (error: Error) => void;
  const ready = new Promise<void>((resolve, reject) => ([onReady, onFailure] = [resolve, reject]));
  const ended = new Promise<void>((resolve) => (onEnd = resolve));
  const fail = (error: Error) => {
    onFailure(error);
    onEnd();
  };
  const report = (state: ThreadState) => {
    if (state === "ready") onReady();
    else if (state === "ended") onEnd();
    else fail(new Error(state.error));
  };
  return { ready, ended, report, fail };
}
