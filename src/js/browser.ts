import { WebertError } from "./errors.js";
import { opened, type Store } from "./hub.js";
import type { Machine } from "./loading.js";

/** Reading in a browser, in a page as in a Worker. */
export const reading: Omit<Machine, "threads"> = {
  async store(name) {
    // Only secure contexts have caches, and private windows may refuse to open one.
    if (typeof caches === "undefined") return undefined;
    return caches.open(name).then(cacheStore, () => undefined);
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
  throw new WebertError("not_found", `${url}: the server answers ${response.status}; esbuild and Rollup copy no files: see "webert/inline" and env.base`);
}

function cacheStore(cache: Cache): Store {
  const storing = new Map<string, Promise<void>>();
  return {
    async get(url) {
      const found = await cache.match(url);
      return found && opened(url, found);
    },
    async keep(url, response) {
      // Where there is no room, or the download breaks off, nothing is stored and nothing else is lost.
      storing.set(url, cache.put(url, response.clone()).catch(() => {}));
      return opened(url, response);
    },
    async drop(url) {
      await storing.get(url);
      await cache.delete(url);
    },
  };
}
