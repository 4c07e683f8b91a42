// Stores files under names: indexes and saved models. Browsers keep them in the Cache API, which they provide to secure
// pages. Node's store is in entries/node/named-store.ts.

import { env } from "../env.js";
import { WebertError } from "../errors.js";

/** Stores files of one kind under names. In Node a name is the path of a file. */
export interface NamedStore {
  keep(name: string, blob: Blob): Promise<void>;
  /**
   * Returns the file stored under a name.
   * @throws WebertError `not_found` if no such file exists
   */
  get(name: string): Promise<Blob>;
  has(name: string): Promise<boolean>;
  /** Returns the names of all files. In Node they are paths of files in a folder. */
  list(folder?: string): Promise<string[]>;
  /** Deletes a file. Returns whether it existed. */
  drop(name: string): Promise<boolean>;
}

/** Returns whether a name is a URL or begins like a path. */
export const isAddress = (name: string): boolean => /^(https?:|blob:|data:|\.{0,2}\/)/.test(name);

/**
 * Returns a store in the Cache API, in a cache of its own. Its keys are URLs that are never fetched.
 * @param kind what is stored, for messages: "index" or "model"
 * @param plural the end of the cache's name
 */
export function cacheStore(kind: string, plural: string): NamedStore {
  const open = async (): Promise<Cache> => {
    if (typeof caches === "undefined")
      throw new WebertError(
        "unsupported",
        "nothing can be kept here: there is no Cache API, as in a page that is not served by https; keep the Blob that save() gives",
      );
    return caches.open(`${env.cacheKey}-${plural}`);
  };
  const keyOf = (name: string) => `https://${kind}.invalid/${encodeURIComponent(name)}`;
  return {
    async keep(name, blob) {
      if (isAddress(name))
        throw new WebertError("bad_input", `name: "${name}" is an address, under which nothing can be kept`);
      try {
        await (await open()).put(keyOf(name), new Response(blob));
      } catch (cause) {
        if (cause instanceof WebertError) throw cause;
        throw new WebertError("out_of_memory", `the ${kind} "${name}" could not be kept: ${(cause as Error).message}`, {
          cause,
        });
      }
    },
    async get(name) {
      const kept = await (await open()).match(keyOf(name));
      if (kept) return kept.blob();
      throw new WebertError("not_found", `no ${kind} is kept under the name "${name}"`);
    },
    has: async (name) => (await (await open()).match(keyOf(name))) !== undefined,
    list: async () =>
      (await (await open()).keys()).map(({ url }) => decodeURIComponent(url.slice(keyOf("").length))).sort(),
    drop: async (name) => (await open()).delete(keyOf(name)),
  };
}
