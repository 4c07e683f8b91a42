import { WebertError } from "./errors.js";

/**
 * Imports a part of the package's code when it is first needed.
 * @throws WebertError `unsupported` in a service worker, which may not import later; `not_found` if the import fails
 */
export async function onDemand<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const { ServiceWorkerGlobalScope: Scope } = globalThis as { ServiceWorkerGlobalScope?: new () => object };
    if (Scope && globalThis instanceof Scope) {
      throw new WebertError(
        "unsupported",
        'a service worker can neither start Workers nor import() code later: import "webert/service-worker"',
        { cause },
      );
    }
    throw new WebertError(
      "not_found",
      `a part of the package's code could not be loaded: ${(cause as Error).message}. It must be beside the other files of the ` +
        'package; for bundlers that copy no files see "webert/inline" and env.base.',
      { cause },
    );
  }
}

/** Imports a script by its URL. */
export type ImportUrl = (url: string) => Promise<unknown>;

/**
 * Returns `load` for scripts that may be imported again after a failure. Chromium 148 does not fetch a module again if it
 * could not be fetched once, so each later import has a query of its own.
 */
export function importingAgain(load: ImportUrl): ImportUrl {
  const failures: Record<string, number> = {};
  return async (url) => {
    const count = failures[url];
    try {
      return await load(count && /^http/.test(url) ? `${url}${url.includes("?") ? "&" : "?"}try=${count}` : url);
    } catch (error) {
      failures[url] = (count ?? 0) + 1;
      throw error;
    }
  };
}
