// The script of an engine's Worker. scripts/build.mjs bundles it into one file without relative addresses; it imports
// only what a page names by URL. It therefore runs wherever it is copied: under another name, on another origin, as a
// Blob.
import { LocalEngine } from "./local.js";
import { serve } from "./protocol.js";
import { runWorker } from "./worker-script.js";

runWorker(
  (port, machine) => serve(port, new LocalEngine(machine)),
  (url) => import(url),
);
