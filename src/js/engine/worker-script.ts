// What the script of every Worker in browsers begins with: an engine's or a trainer's Worker, or one of the thread pool, which
// shares its memory and computes with it.
import { reading } from "../platforms/reading.js";
import { runThread, type ThreadStart } from "../threads/thread.js";
import { workerThreads } from "../threads/workers.js";
import type { Machine } from "./loading.js";
import type { Port } from "./protocol.js";
import { readByPort } from "./wasm-port.js";

/** What the first message says: what a thread begins with, or by which port wasm files come; otherwise it is a call. */
type First = Partial<ThreadStart> & { wasm?: MessagePort };

/** Runs a thread, or answers calls by `serve`, as the first message says. */
export function runWorker(serve: (port: Port, machine: Machine) => void): void {
  globalThis.onmessage = async (event: MessageEvent<First>) => {
    const { data } = event;
    if (data.module) {
      await runThread(data as ThreadStart, (state) => globalThis.postMessage(state));
      return globalThis.close();
    }
    const readWasm = data.wasm ? readByPort(data.wasm) : reading.readWasm;
    const port = globalThis as unknown as Port;
    serve(port, { ...reading, readWasm, threads: workerThreads(() => globalThis.location.href) });
    if (!data.wasm) port.onmessage?.(event);
  };
}
