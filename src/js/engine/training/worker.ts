// The script of a trainer's Worker: one file, as of ../worker.ts, with the glue of the binaries that have all features.
import { runWorker } from "../worker-script.js";
import { serveTraining } from "./protocol.js";

runWorker(serveTraining);
