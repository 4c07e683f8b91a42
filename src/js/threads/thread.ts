// What a thread of the pool does, and what is heard of it by the thread that started it.
import { threadsModule } from "../engine/artefacts.js";

/** What a thread begins with. */
export interface ThreadStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** Which thread it is: the one that calls models is 0. */
  thread: number;
  /** Of a module that is a binary with all features: the URL of their glues. */
  glues?: string;
}

/** What a thread reports: that it has begun, that it has ended, or else the error that it ends with. */
export type ThreadState = "ready" | "ended" | { error: string };

/** Bytes; the kernels keep their buffers elsewhere. */
const STACK = 2 ** 18;

/** Runs a worker of the thread pool on this thread: computes whenever it is called, until the pool stops its workers. */
export async function runThread(
  { module, memory, thread, glues }: ThreadStart,
  report: (state: ThreadState) => void,
): Promise<void> {
  try {
    const wasm = (await threadsModule(glues)).default();
    const exports = wasm.initSync({ module, memory, thread_stack_size: STACK });
    try {
      wasm.run_worker(thread, () => report("ready"));
    } catch (error) {
      wasm.leave_after_trap();
      throw error;
    }
    exports.__wbindgen_thread_destroy(); // gives its stack back
    report("ended");
  } catch (error) {
    report({ error: String(error) }); // browsers tell nobody of a Promise that rejects in a Worker
  }
}

/** Promises for what a thread reports: `report` takes it in, `fail` its error. */
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
