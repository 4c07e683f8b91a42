// Engines in Workers, and Workers as their threads, for the entries that start any.

import { RemoteEngine } from "../engine/remote.js";
import { env } from "../env.js";
import { workerUrl } from "../sources/urls.js";
import { type ScriptUrl, startWorker, workerThreads } from "../threads/workers.js";
import { base, type Workers } from "./browser.js";

/** What differs between the entries. */
interface Parts {
  /** The URL of the package's worker.js. */
  workerUrl?(): string;
  /** Where a script is that `wasmUrl` names, unless it is there. */
  scriptUrl?(url: string): Promise<string>;
  /** Sends what an engine's Worker needs before it is asked to load. */
  greet?(worker: Worker): void;
}

/** The Workers of an entry for pages. */
export function pageWorkers({ workerUrl: own = workerUrl, scriptUrl, greet }: Parts = {}): Workers {
  /** The script that they are started from: `env.workerUrl`, or the package's own. */
  const script = (): ScriptUrl => {
    const url = env.workerUrl;
    if (url === null) return own();
    return typeof url === "string" ? new URL(url, base()).href : url;
  };
  return {
    threads: workerThreads(script, scriptUrl),
    createEngine() {
      const started = startWorker(script());
      greet?.(started);
      return new RemoteEngine(started);
    },
  };
}
