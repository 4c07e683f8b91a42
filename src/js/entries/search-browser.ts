// Search in browsers. It runs in the calling thread. Indexes are fetched from URLs and stored in the Cache API, which
// browsers provide to secure pages.

import type { Platform } from "../engine/open.js";
import { env } from "../env.js";
import { WebertError } from "../errors.js";
import { createSearch, type SearchParts } from "../search/create.js";
import type { Models } from "../search/embedder.js";
import type { SearchApi } from "../search/search.js";
import { searchWasmUrl } from "../sources/search-urls.js";

/** Returns whether a name is a URL or begins like a path. */
const isAddress = (name: string) => /^(https?:|blob:|data:|\.{0,2}\/)/.test(name);

/** Opens the cache of indexes. Its keys are URLs that are never fetched. */
async function shelf(): Promise<Cache> {
  if (typeof caches === "undefined")
    throw new WebertError(
      "unsupported",
      "nothing can be kept here: there is no Cache API, as in a page that is not served by https; keep the Blob that save() gives",
    );
  return caches.open(`${env.cacheKey}-indexes`);
}
const keyOf = (name: string) => `https://index.invalid/${encodeURIComponent(name)}`;

async function keep(name: string, blob: Blob): Promise<void> {
  if (isAddress(name))
    throw new WebertError("bad_input", `name: "${name}" is an address, under which nothing can be kept`);
  try {
    await (await shelf()).put(keyOf(name), new Response(blob));
  } catch (cause) {
    if (cause instanceof WebertError) throw cause;
    throw new WebertError("out_of_memory", `the index "${name}" could not be kept: ${(cause as Error).message}`, {
      cause,
    });
  }
}

async function find(name: string | URL, signal: AbortSignal | undefined): Promise<Blob> {
  if (typeof name === "string" && !isAddress(name)) {
    const kept = await (await shelf()).match(keyOf(name));
    if (kept) return kept.blob();
    throw new WebertError("not_found", `no index is kept under the name "${name}"`);
  }
  let response: Response;
  try {
    response = await env.fetch(String(name), { signal });
  } catch (cause) {
    throw new WebertError("network", `${name} could not be fetched: ${(cause as Error).message}`, { cause });
  }
  if (!response.ok) throw new WebertError("not_found", `${name}: the server answers ${response.status}`);
  return response.blob();
}

const PREFIX = keyOf("");

const list = async () =>
  (await (await shelf()).keys()).map(({ url }) => decodeURIComponent(url.slice(PREFIX.length))).sort();
const has = async (name: string) => (await (await shelf()).match(keyOf(name))) !== undefined;
const drop = async (name: string) => (await shelf()).delete(keyOf(name));

/** Returns the search functions of an entry for browsers. */
export const openSearch = (
  platform: Platform,
  models: Models,
  parts: Pick<SearchParts, "wasmUrl" | "readWasm"> = { wasmUrl: searchWasmUrl, readWasm: platform.machine.readWasm },
): SearchApi => createSearch(platform, models, { ...parts, keep, find, list, has, drop });
