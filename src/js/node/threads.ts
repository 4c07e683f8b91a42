import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Threads } from "../threads/threads.js";
import { awaitNews } from "../threads/work.js";
import { packageFile } from "./files.js";

/** Node's worker_threads. While they only wait for work, they do not keep the process alive. */
export const threads: Threads = {
  cores: availableParallelism(),
  start(start) {
    // The process's own flags (-e, --input-type, --import) are not meant for this script.
    const worker = new Worker(packageFile("node-thread.js"), { workerData: start, execArgv: [] });
    const { ready, over, hear, fail } = awaitNews();
    worker.on("message", (news) => news === "ready" && hear(news));
    worker.on("error", fail);
    worker.on("exit", () => hear("over"));
    const idle = ready.then(() => worker.unref());
    idle.catch(() => {});
    return {
      ready,
      gone() {
        worker.ref();
        return over;
      },
      terminate: () => void worker.terminate(),
    };
  },
};
