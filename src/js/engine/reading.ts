// How browsers read models and wasm files.
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import type { Machine } from "./engine.js";

/** How browsers read files, in a page and in a Worker. */
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

/** Fetches a wasm file. Throws `not_found` with the URL, because a misplaced file is the most frequent cause. */
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
