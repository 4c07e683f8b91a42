// The script of an engine's Worker. scripts/build.mjs makes one file of it that imports nothing and addresses nothing beside
// itself, so that it runs wherever it is copied to: under another name, on another origin, as a blob.
import { LocalEngine } from "./local.js";
import { serve } from "./protocol.js";
import { runWorker } from "./worker-script.js";

runWorker((port, machine) => serve(port, new LocalEngine(machine)));
