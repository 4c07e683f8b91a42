// Start of every Worker script in browsers. A Worker serves an engine or a trainer, or is a thread of the pool that
// shares its memory.

import { importGluesBy } from "../threads/builds.js";
import type { ThreadStart } from "../threads/pool.js";
import { runThread } from "../threads/thread.js";
import { workerThreads } from "../threads/workers.js";
import type { Machine } from "./engine.js";
import { reading } from "./reading.js";
import { blobOf, readByPort } from "./wasm-port.js";
import type { Port } from "./worker-calls.js";

/** The first message: the start of a thread, or the port that delivers wasm files. Otherwise it is already a call. */
type First = Partial<ThreadStart> & { wasm?: MessagePort };

/**
 * Runs a thread, or answers calls by `serve`, depending on the first message. `load` imports a script by its URL, for
 * one without glues inside.
 */
export function runWorker(
  serve: (port: Port, machine: Machine) => void,
  load?: (url: string) => Promise<unknown>,
): void {
  globalThis.onmessage = async (event: MessageEvent<First>) => {
    const { data } = event;
    if (load) importGluesBy(load);
    if (data.module) {
      await runThread(data as ThreadStart, (state) => globalThis.postMessage(state));
      return globalThis.close();
    }
    const readWasm = data.wasm ? readByPort(data.wasm) : reading.readWasm;
    const port = globalThis as unknown as Port;
    const scriptUrl = data.wasm && blobOf(readWasm);
    if (load && scriptUrl) importGluesBy(async (url) => load(await scriptUrl(url)));
    serve(port, { ...reading, readWasm, threads: workerThreads(() => globalThis.location.href, scriptUrl) });
    // Without a port for wasm files, the first message is already a call.
    if (!data.wasm) port.onmessage?.(event);
  };
}
