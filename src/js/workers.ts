// The package's Workers in a browser. Their addresses are written out, since bundlers look for just this form.
import { WebertError } from "./errors.js";
import { awaitNews, type News } from "./thread-work.js";
import type { Threads } from "./threads.js";

/** A Worker for a model. */
export function startWorker(url: string | null): Worker {
  try {
    if (url === null && !foreign(import.meta.url)) return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    const script = url ?? new URL("./worker.js", import.meta.url.toString()).href;
    return foreign(script) ? startForeign(script) : new Worker(script, { type: "module" });
  } catch (cause) {
    const message = `no Worker could be started (${(cause as Error).message}); worker: false runs the model in this thread`;
    throw new WebertError("unsupported", message, { cause });
  }
}

export const threads: Threads = {
  cores: globalThis.navigator?.hardwareConcurrency ?? 1,
  start(start) {
    const { ready, over, hear, fail } = awaitNews();
    let worker: Worker | undefined;
    try {
      worker = foreign(import.meta.url)
        ? startForeign(new URL("./thread.js", import.meta.url.toString()).href)
        : new Worker(new URL("./thread.js", import.meta.url), { type: "module" });
      worker.onmessage = ({ data }: MessageEvent<News>) => hear(data);
      worker.onerror = (event) => {
        event.preventDefault();
        fail(new Error(event.message || "its script could not be loaded"));
      };
      worker.postMessage(start);
    } catch (error) {
      fail(error as Error);
    }
    return { ready, gone: () => over, terminate: () => worker?.terminate() };
  },
};

/** Whether a script cannot be a Worker's as it is: that has to be of the page's origin. */
function foreign(url: string): boolean {
  return /^https?:/.test(url) && new URL(url).origin !== globalThis.location?.origin;
}

/** A Worker of a foreign script: a module that a Worker imports need not be of the page's origin. */
function startForeign(script: string): Worker {
  const text = new Blob([`import ${JSON.stringify(script)};`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(text), { type: "module" });
}
