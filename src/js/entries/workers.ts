// Engines in Workers, and Workers as their threads, for the entries that start Workers.

import { RemoteEngine } from "../engine/remote.js";
import { env } from "../env.js";
import { workerUrl } from "../sources/urls.js";
import { type ScriptUrl, startWorker, workerThreads } from "../threads/workers.js";
import { base, type Workers } from "./browser.js";

/** The differences between the entries. */
interface WorkerParts {
  /** Returns the URL of the package's worker.js. */
  workerUrl?(): string;
  /** Returns the URL to start a script from, if `url` itself cannot be used. */
  scriptUrl?(url: string): Promise<string>;
  /** Sends an engine's Worker what it needs before its first load. */
  greet?(worker: Worker): void;
}

/** Returns the Workers of an entry for pages. */
export function pageWorkers({ workerUrl: own = workerUrl, scriptUrl, greet }: WorkerParts = {}): Workers {
  /** Returns the URL of the Worker's script: `env.workerUrl`, or the package's own. */
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
