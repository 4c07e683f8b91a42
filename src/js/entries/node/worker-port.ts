// Node's Workers with the interface of browsers' Workers.
import { Worker } from "node:worker_threads";
import type { WorkerPort } from "../../engine/worker-calls.js";
import { env } from "../../env.js";
import { packageFile } from "./files.js";

/** What a Worker serves, and the settings that it reads. */
export interface WorkerStart {
  kind: "engine" | "training";
  settings: Pick<typeof env, "cacheDir">;
}

/** Starts a Worker of the package. It keeps the process alive only while a call waits for its answer. */
export function startNodeWorker(kind: WorkerStart["kind"]): WorkerPort {
  const start: WorkerStart = { kind, settings: { cacheDir: env.cacheDir } };
  // The process's own flags (-e, --input-type, --import) must not apply to this script.
  const worker = new Worker(packageFile("node-worker.js"), { workerData: start, execArgv: [] });
  let calls = 0;
  const port: WorkerPort = {
    onmessage: null,
    onerror: null,
    postMessage(message, transfer) {
      if ("call" in (message as object) && calls++ === 0) worker.ref();
      worker.postMessage(message, (transfer ?? []) as ArrayBuffer[]);
    },
    terminate: () => void worker.terminate(),
  };
  worker.on("message", (data: object) => {
    if (("result" in data || "error" in data) && --calls === 0) worker.unref();
    port.onmessage?.({ data } as MessageEvent);
  });
  worker.on("error", ({ message }) => port.onerror?.({ message } as ErrorEvent));
  worker.unref();
  return port;
}
