// The script of the worker_threads of the thread pool, in Node.
import { parentPort, workerData } from "node:worker_threads";
import { runThread } from "../../threads/thread.js";

await runThread(workerData, (state) => parentPort!.postMessage(state));
