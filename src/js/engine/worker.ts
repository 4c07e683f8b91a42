// The script of every Worker in browsers: an engine's, or one of the thread pool, which shares its memory and computes with it.
// scripts/build.mjs makes one file of it that imports nothing and addresses nothing beside itself, so that it runs wherever it
// is copied to: under another name, on another origin, as a blob.
import { reading } from "../platforms/reading.js";
import { runThread, type ThreadStart } from "../threads/thread.js";
import { workerThreads } from "../threads/workers.js";
import type { Machine } from "./loading.js";
import { LocalEngine } from "./local.js";
import { type Port, serve } from "./protocol.js";
import { readByPort } from "./wasm-port.js";

/** What the first message says: what a thread begins with, or by which port wasm files come; otherwise it is a call. */
type First = Partial<ThreadStart> & { wasm?: MessagePort };

const machine: Machine = { ...reading, threads: workerThreads(() => globalThis.location.href) };

globalThis.onmessage = async (event: MessageEvent<First>) => {
  const { data } = event;
  if (data.module) {
    await runThread(data as ThreadStart, (state) => globalThis.postMessage(state));
    return globalThis.close();
  }
  const readWasm = data.wasm ? readByPort(data.wasm) : machine.readWasm;
  const port = globalThis as unknown as Port;
  serve(port, new LocalEngine({ ...machine, readWasm }));
  if (!data.wasm) port.onmessage?.(event);
};
