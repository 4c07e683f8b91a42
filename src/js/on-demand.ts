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
