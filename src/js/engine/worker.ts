// The script of every Worker in browsers: a model's, or one of the threads that share its memory and help it compute.
// scripts/build.mjs makes one file of it that imports nothing and addresses nothing beside itself, so that it runs wherever it
// is copied to: under another name, on another origin, as a blob.
import { reading } from "../platforms/reading.js";
import { help, type Start } from "../threads/work.js";
import { workerThreads } from "../threads/workers.js";
import type { Machine } from "./loading.js";
import { openLocal } from "./local.js";
import { type Port, serve } from "./protocol.js";
import { readByPort } from "./wasm-port.js";

/** What the first message says: what a thread begins with, or by which port wasm files come; otherwise it is a call. */
type First = Partial<Start> & { wasm?: MessagePort };

const machine: Machine = { ...reading, threads: workerThreads(() => globalThis.location.href) };

globalThis.onmessage = async (event: MessageEvent<First>) => {
  const { data } = event;
  if (data.module) {
    await help(data as Start, (news) => globalThis.postMessage(news));
    return globalThis.close();
  }
  const readWasm = data.wasm ? readByPort(data.wasm) : machine.readWasm;
  const port = globalThis as unknown as Port;
  serve(port, (spec, control) => openLocal(spec, control, { ...machine, readWasm }));
  if (!data.wasm) port.onmessage?.(event);
};
