// Starts Workers of the package's script worker.js, which serves as an engine's Worker and as a thread of one (see
// worker.ts).
import { WebertError } from "../errors.js";
import type { Threads } from "./pool.js";
import { type ThreadState, threadStates } from "./thread.js";

/** The address of a Worker's script: a string, a URL, or a Trusted Types value. */
export type ScriptUrl = string | URL | { toString(): string };

/**
 * Starts a script as a module Worker.
 * @throws WebertError `unsupported` if the platform refuses to start one
 */
export function startWorker(script: ScriptUrl): Worker {
  try {
    const url = String(script);
    const foreign = /^https?:/.test(url) && new URL(url).origin !== globalThis.location?.origin;
    return new Worker(
      foreign ? trusted(importing(url)) : typeof script === "string" ? trusted(script) : (script as string),
      { type: "module" },
    );
  } catch (cause) {
    const message = `no Worker could be started (${(cause as Error).message}); worker: false runs the model in this thread`;
    throw new WebertError("unsupported", message, { cause });
  }
}

/**
 * Returns the URL of a script of this page's origin that imports a script of another origin. Workers must come from
 * the page's own origin.
 */
function importing(script: string): string {
  return URL.createObjectURL(new Blob([`import ${JSON.stringify(script)};`], { type: "text/javascript" }));
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}
let policy: { createScriptURL(url: string): string } | undefined;

/** Returns a URL that `new Worker` accepts if the page requires Trusted Types, by the policy "webert". */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("webert", { createScriptURL: (url) => url });
  return policy ? policy.createScriptURL(url) : url;
}

/**
 * Threads that are Workers running `script`. `address` returns the address at which a Worker can load a URL, if it
 * cannot load the URL itself.
 */
export function workerThreads(script: () => ScriptUrl, address?: (url: string) => Promise<string>): Threads {
  return {
    cores: globalThis.navigator?.hardwareConcurrency ?? 1,
    start(start) {
      const { ready, ended, report, fail } = threadStates();
      let worker: Worker | undefined;
      try {
        worker = startWorker(script());
        worker.onmessage = ({ data }: MessageEvent<ThreadState>) => report(data);
        worker.onerror = (event) => {
          event.preventDefault();
          fail(new Error(event.message || "its script could not be loaded"));
        };
        const { url } = start.glue;
        const post = (url?: string) => worker!.postMessage({ ...start, glue: { ...start.glue, url } });
        if (url && address) address(url).then(post).catch(fail);
        else post(url);
      } catch (error) {
        fail(error as Error);
      }
      return { ready, ended: () => ended, terminate: () => worker?.terminate() };
    },
  };
}
