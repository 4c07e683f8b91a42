// The platform of browsers: files are fetched, and engines run in Workers if the entry supports Workers.

import type { Engine } from "../engine/engine.js";
import type { LocalEngine } from "../engine/local.js";
import { reading } from "../engine/reading.js";
import { env, hasOwnFetch, type WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import { type Place, placeUrl } from "../sources/source.js";
import type { Threads } from "../threads/pool.js";
import type { EntryPlatform } from "./platform.js";

export const base = () => globalThis.document?.baseURI ?? globalThis.location.href;

/** How an entry starts Workers. */
export interface Workers {
  /** Workers as threads of a pool. */
  threads: Threads;
  /** Creates an engine in a Worker. */
  createEngine(): Engine;
}

/** The threads of an entry without Workers: one. */
const ALONE: Threads = {
  cores: 1,
  start: () => {
    throw new WebertError("unsupported", "this entry of webert starts no Worker, so that it has one thread");
  },
};

/** Returns whether files come from the page's own cache or fetch function, which a Worker cannot call. */
const isCustom = (place: Place) => place.kind === "url" && (place.isCustom || hasOwnFetch());

/** The differences between the entries for browsers. */
export interface BrowserParts extends Pick<EntryPlatform, "models" | "without" | "training" | "search"> {
  /** Returns the URL of a wasm file or a glue; undefined if the entry does not have it. */
  wasmUrl(name: keyof WasmPaths): string | undefined;
  readWasm?: EntryPlatform["machine"]["readWasm"];
  /** If absent, engines run in this thread, with one thread. */
  workers?: Workers;
  /** The engine for this thread. If absent, it is imported on demand. */
  localEngine?: typeof LocalEngine;
}

/** The platform of an entry for browsers. */
export function browserPlatform({
  wasmUrl,
  readWasm = reading.readWasm,
  workers,
  localEngine,
  ...parts
}: BrowserParts): EntryPlatform {
  const machine = { ...reading, readWasm, threads: workers?.threads ?? ALONE };
  return {
    machine,
    wasmUrl: wasmUrl as EntryPlatform["wasmUrl"],
    base,
    path: async (path) => (/^\.{0,2}\//.test(path) ? placeUrl(path, new URL(path, base())) : undefined),
    caching: () => env.useBrowserCache,
    // In most browsers a SharedWorker cannot start Workers.
    usesWorker: (place, { worker }) => !!workers && (worker ?? typeof Worker !== "undefined") && !isCustom(place),
    modelStore: async () => (await onDemand(() => import("../sources/named-store.js"))).cacheStore("model", "models"),
    async createEngine(_, inWorker) {
      if (workers && inWorker) return workers.createEngine();
      const Engine = localEngine ?? (await onDemand(() => import("../engine/local.js"))).LocalEngine;
      return new Engine(machine);
    },
    ...parts,
  };
}
