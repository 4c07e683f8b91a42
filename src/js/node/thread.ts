// The script of the worker_threads that share an instance's memory and help it compute, in Node.
import { parentPort, workerData } from "node:worker_threads";
import { help } from "../threads/work.js";

await help(workerData, (news) => parentPort!.postMessage(news));
