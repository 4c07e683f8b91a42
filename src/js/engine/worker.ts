// The script of an engine's Worker. scripts/build.mjs makes one file of it that addresses nothing beside itself, and imports
// nothing but what a page names by its URL, so that it runs wherever it is copied to: under another name, on another origin, as a
// blob.
import { LocalEngine } from "./local.js";
import { serve } from "./protocol.js";
import { runWorker } from "./worker-script.js";

runWorker(
  (port, machine) => serve(port, new LocalEngine(machine)),
  (url) => import(url),
);
