// What browsers have in Node's place: files are fetched, and an engine lives in a Worker.

import { env, hasOwnFetch, type WasmPaths } from "../api/env.js";
import { type Place, placeUrl } from "../checkpoint/source.js";
import { workerUrl } from "../checkpoint/urls.js";
import type { LocalEngine } from "../engine/local.js";
import { onDemand } from "../engine/on-demand.js";
import { RemoteEngine } from "../engine/remote.js";
import { type ScriptUrl, startWorker, workerThreads } from "../threads/workers.js";
import type { Platform } from "./platform.js";
import { reading } from "./reading.js";

const base = () => globalThis.document?.baseURI ?? globalThis.location.href;

/** The script that Workers are started from: `env.workerUrl`, or the package's own. */
function script(own: () => string): ScriptUrl {
  const url = env.workerUrl;
  if (url === null) return own();
  return typeof url === "string" ? new URL(url, base()).href : url;
}

/** Whether files come from a cache of the page's, or by its function, which a Worker cannot call. */
const isCustom = (place: Place) => place.kind === "url" && (place.isCustom || hasOwnFetch());

/** What differs between the entries for browsers. */
export interface Parts extends Pick<Platform, "models" | "without" | "training" | "search"> {
  /** Where a wasm file or the glues are, for those names that the entry has. */
  wasmUrl(name: keyof WasmPaths): string | undefined;
  /** The URL of the package's worker.js. */
  workerUrl?(): string;
  readWasm?: Platform["machine"]["readWasm"];
  /** Where a script is that `wasmUrl` names, unless it is there. */
  scriptUrl?(url: string): Promise<string>;
  /** Sends what an engine's Worker needs before it is asked to load. */
  greet?(worker: Worker): void;
  /** The engine in this thread, where it is not to be imported on demand. */
  localEngine?: typeof LocalEngine;
}

/** The platform of an entry for browsers. */
export function browserPlatform({
  wasmUrl,
  workerUrl: own = workerUrl,
  readWasm = reading.readWasm,
  scriptUrl,
  greet,
  localEngine,
  ...parts
}: Parts): Platform {
  const machine = { ...reading, readWasm, threads: workerThreads(() => script(own), scriptUrl) };
  return {
    machine,
    wasmUrl: wasmUrl as Platform["wasmUrl"],
    base,
    path: async (path) => (/^\.{0,2}\//.test(path) ? placeUrl(path, new URL(path, base())) : undefined),
    caching: () => env.useBrowserCache,
    // A SharedWorker has no Workers of its own in most browsers.
    usesWorker: (place, { worker }) => (worker ?? typeof Worker !== "undefined") && !isCustom(place),
    async createEngine(_, inWorker) {
      if (inWorker) {
        const started = startWorker(script(own));
        greet?.(started);
        return new RemoteEngine(started);
      }
      const Engine = localEngine ?? (await onDemand(() => import("../engine/local.js"))).LocalEngine;
      return new Engine(machine);
    },
    ...parts,
  };
}
