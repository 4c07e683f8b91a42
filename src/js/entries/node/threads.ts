import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Threads } from "../../threads/pool.js";
import { threadStates } from "../../threads/thread.js";
import { packageFile } from "./files.js";

/** Node's worker_threads. While they only wait for work, they do not keep the process alive. */
export const threads: Threads = {
  cores: availableParallelism(),
  start(start) {
    // The process's own flags (-e, --input-type, --import) are not meant for this script.
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
