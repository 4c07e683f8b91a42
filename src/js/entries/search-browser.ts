// Search in browsers. It runs in the calling thread. Indexes are fetched from URLs and stored in the Cache API.

import type { Platform } from "../engine/open.js";
import { env } from "../env.js";
import { WebertError } from "../errors.js";
import { createSearch, type SearchParts } from "../search/create.js";
import type { Models } from "../search/embedder.js";
import type { SearchApi } from "../search/search.js";
import { cacheStore, isAddress } from "../sources/named-store.js";
import { searchWasmUrl } from "../sources/search-urls.js";

const store = cacheStore("index", "indexes");

async function find(name: string | URL, signal: AbortSignal | undefined): Promise<Blob> {
  if (typeof name === "string" && !isAddress(name)) return store.get(name);
  let response: Response;
  try {
    response = await env.fetch(String(name), { signal });
  } catch (cause) {
    throw new WebertError("network", `${name} could not be fetched: ${(cause as Error).message}`, { cause });
  }
  if (!response.ok) throw new WebertError("not_found", `${name}: the server answers ${response.status}`);
  return response.blob();
}

/** Returns the search functions of an entry for browsers. */
export const openSearch = (
  platform: Platform,
  models: Models,
  parts: Pick<SearchParts, "wasmUrl" | "readWasm"> = { wasmUrl: searchWasmUrl, readWasm: platform.machine.readWasm },
): SearchApi => createSearch(platform, models, { ...parts, ...store, find });
