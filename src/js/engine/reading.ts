import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import type { Machine } from "./engine.js";

/** Reading in a browser, in a page as in a Worker. */
export const reading: Omit<Machine, "threads"> = {
  async store({ store, isCustom }) {
    // Only secure contexts have caches, and private windows may refuse to open one.
    if (!isCustom && typeof caches === "undefined") return undefined;
    const { cacheStore, customStore } = await onDemand(() => import("../sources/cache.js"));
    if (isCustom) return customStore();
    return caches.open(store!).then(cacheStore, () => undefined);
  },
  readWasm,
};

/** A wasm file by fetch. Throws `not_found` with the address, since a misplaced file is the usual case. */
export async function readWasm(url: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new WebertError("network", `${url} could not be fetched: ${(cause as Error).message}`, { cause });
  }
  if (response.ok) return response;
  throw new WebertError(
    "not_found",
    `${url}: the server answers ${response.status}; esbuild, Rollup and Angular copy no files: see "webert/inline" and env.base`,
  );
}
