/** What a thread begins with. */
export interface Start {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** Which thread it is: the one that calls models is 0. */
  thread: number;
}

/** What a thread tells: that it has begun, and that it has ended. */
export type News = "ready" | "over";

/** Bytes; the kernels keep their buffers elsewhere. */
const STACK = 2 ** 18;

/** A thread's life: computes whenever it is called, until it is sent home. */
export async function help({ module, memory, thread }: Start, tell: (news: News) => void): Promise<void> {
  const wasm = (await import("#glue/threads")).default();
  const exports = wasm.initSync({ module, memory, thread_stack_size: STACK });
  try {
    wasm.work(thread, () => tell("ready"));
  } catch (error) {
    wasm.fail();
    throw error;
  }
  exports.__wbindgen_thread_destroy(); // gives its stack back
  tell("over");
}

/** Promises for a thread's news: `hear` takes them in, `fail` its error. */
export function awaitNews() {
  let begun!: () => void, ended!: () => void, failed!: (error: Error) => void;
  const ready = new Promise<void>((resolve, reject) => ([begun, failed] = [resolve, reject]));
  const over = new Promise<void>((resolve) => (ended = resolve));
  const hear = (news: News) => (news === "ready" ? begun() : ended());
  const fail = (error: Error) => {
    failed(error);
    ended();
  };
  return { ready, over, hear, fail };
}
