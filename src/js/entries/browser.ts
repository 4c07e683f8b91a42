// What browsers have in Node's place: files are fetched, and an engine lives in a Worker, where the entry starts any.

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

/** Workers, as an entry starts them. */
export interface Workers {
  /** Those of a pool of threads. */
  threads: Threads;
  /** An engine in one. */
  createEngine(): Engine;
}

/** Of an entry without Workers: one thread. */
const ALONE: Threads = {
  cores: 1,
  start: () => {
    throw new WebertError("unsupported", "this entry of webert starts no Worker, so that it has one thread");
  },
};

/** Whether files come from a cache of the page's, or by its function, which a Worker cannot call. */
const isCustom = (place: Place) => place.kind === "url" && (place.isCustom || hasOwnFetch());

/** What differs between the entries for browsers. */
export interface Parts extends Pick<EntryPlatform, "models" | "without" | "training" | "search"> {
  /** Where a wasm file or the glues are, for those names that the entry has. */
  wasmUrl(name: keyof WasmPaths): string | undefined;
  readWasm?: EntryPlatform["machine"]["readWasm"];
  /** Without these an engine is in this thread, and computes alone. */
  workers?: Workers;
  /** The engine in this thread, where it is not to be imported on demand. */
  localEngine?: typeof LocalEngine;
}

/** The platform of an entry for browsers. */
export function browserPlatform({
  wasmUrl,
  readWasm = reading.readWasm,
  workers,
  localEngine,
  ...parts
}: Parts): EntryPlatform {
  const machine = { ...reading, readWasm, threads: workers?.threads ?? ALONE };
  return {
    machine,
    wasmUrl: wasmUrl as EntryPlatform["wasmUrl"],
    base,
    path: async (path) => (/^\.{0,2}\//.test(path) ? placeUrl(path, new URL(path, base())) : undefined),
    caching: () => env.useBrowserCache,
    // A SharedWorker has no Workers of its own in most browsers.
    usesWorker: (place, { worker }) => !!workers && (worker ?? typeof Worker !== "undefined") && !isCustom(place),
    async createEngine(_, inWorker) {
      if (workers && inWorker) return workers.createEngine();
      const Engine = localEngine ?? (await onDemand(() => import("../engine/local.js"))).LocalEngine;
      return new Engine(machine);
    },
    ...parts,
  };
}
