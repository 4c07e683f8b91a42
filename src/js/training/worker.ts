// The script of a trainer's Worker: one file like ../worker.ts, but it contains the glues of the binaries with all
// features.
import { runWorker } from "../engine/worker-script.js";
import { serveTraining } from "./protocol.js";

runWorker(serveTraining);
