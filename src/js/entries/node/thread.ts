// Script of a thread of the pool in Node, run in a worker_threads Worker.
import { parentPort, workerData } from "node:worker_threads";
import { runThread } from "../../threads/thread.js";

await runThread(workerData, (state) => parentPort!.postMessage(state));
