// What the script of every Worker in browsers begins with: an engine's or a trainer's Worker, or one of the thread pool, which
// shares its memory and computes with it.
import { reading } from "../platforms/reading.js";
import { runThread, type ThreadStart } from "../threads/thread.js";
import { workerThreads } from "../threads/workers.js";
import { importGluesBy } from "./artefacts.js";
import type { Machine } from "./loading.js";
import type { Port } from "./protocol.js";
import { blobOf, readByPort } from "./wasm-port.js";

/** What the first message says: what a thread begins with, or by which port wasm files come; otherwise it is a call. */
type First = Partial<ThreadStart> & { wasm?: MessagePort };

/**
 * Runs a thread, or answers calls by `serve`, as the first message says. `load` imports a script by its URL, for one that has not the
 * glues of binaries with all features inside.
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
    if (!data.wasm) port.onmessage?.(event);
  };
}
