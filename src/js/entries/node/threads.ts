// Threads of a binary in Node: worker_threads.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Threads } from "../../threads/pool.js";
import { threadStates } from "../../threads/thread.js";
import { packageFile } from "./files.js";

/** Starts Node's worker_threads. A waiting thread does not keep the process alive. */
export const threads: Threads = {
  cores: availableParallelism(),
  start(start) {
    // The process's own flags (-e, --input-type, --import) must not apply to this script.
    const worker = new Worker(packageFile("node-thread.js"), { workerData: start, execArgv: [] });
    const { ready, ended, report, fail } = threadStates();
    worker.on("message", (state) => state !== "ended" && report(state));
    worker.on("error", fail);
    worker.on("exit", () => report("ended"));
    const idle = ready.then(() => worker.unref());
    idle.catch(() => {});
    return {
      ready,
      ended() {
        worker.ref();
        return ended;
      },
      terminate: () => void worker.terminate(),
    };
  },
};
