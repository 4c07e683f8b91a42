// Script of a Worker in Node, run in a worker_threads Worker: serves an engine, or a trainer.
import { parentPort, workerData } from "node:worker_threads";
import { LocalEngine } from "../../engine/local.js";
import { serve } from "../../engine/protocol.js";
import type { Port } from "../../engine/worker-calls.js";
import { env } from "../../env.js";
import { machine } from "./machine.js";
import type { WorkerStart } from "./worker-port.js";

const { kind, settings } = workerData as WorkerStart;
Object.assign(env, settings);
const own = parentPort!;
/** Messages that arrive before the trainer's code is there wait in the port. */
const port: Port = {
  postMessage: (message, transfer) => own.postMessage(message, (transfer ?? []) as ArrayBuffer[]),
  set onmessage(receive: Port["onmessage"]) {
    own.on("message", (data) => receive?.({ data } as MessageEvent));
  },
};
if (kind === "engine") serve(port, new LocalEngine(machine));
else (await import("../../training/protocol.js")).serveTraining(port, machine);
