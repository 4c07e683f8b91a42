// The script of every Worker that trains in browsers: a trainer's, or one of the thread pool. scripts/build.mjs makes one file of
// it, as of ../worker.ts, with the glue of the binaries that have all features.
import { reading } from "../../platforms/reading.js";
import { runThread, type ThreadStart } from "../../threads/thread.js";
import { workerThreads } from "../../threads/workers.js";
import type { Port } from "../protocol.js";
import { readByPort } from "../wasm-port.js";
import { serveTraining } from "./protocol.js";

/** What the first message says: what a thread begins with, or by which port wasm files come; otherwise it is a call. */
type First = Partial<ThreadStart> & { wasm?: MessagePort };

globalThis.onmessage = async (event: MessageEvent<First>) => {
  const { data } = event;
  if (data.module) {
    await runThread(data as ThreadStart, (state) => globalThis.postMessage(state));
    return globalThis.close();
  }
  const readWasm = data.wasm ? readByPort(data.wasm) : reading.readWasm;
  const port = globalThis as unknown as Port;
  serveTraining(port, { ...reading, readWasm, threads: workerThreads(() => globalThis.location.href) });
  if (!data.wasm) port.onmessage?.(event);
};
