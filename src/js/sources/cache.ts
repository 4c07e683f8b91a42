// Stores of fetched files: the Cache API, and `env.customCache`.
import { type CustomCache, env } from "../env.js";
import { WebertError } from "../errors.js";
import type { FetchedFile } from "./fetching.js";
import { cutShort } from "./folder.js";
import { chunks } from "./streams.js";
import type { Store } from "./types.js";

/** Returns a store over the browser's Cache API. A missing file is recorded as a response of status 404. */
export function cacheStore(cache: Cache): Store {
  const absent = async (url: string) => (await matched(cache, url))?.status === 404;
  return {
    ...responseStore(cache),
    wasAbsent: absent,
    async keepAbsence(url) {
      if (!(await absent(url))) await cache.put(url, new Response(null, { status: 404 })).catch(() => {});
    },
    keepsAbsence: true,
  };
}

/** Returns a store over `env.customCache`. If the network fails, files that it does not have count as missing. */
export function customStore(): Store {
  const cache = env.customCache;
  if (typeof cache?.match !== "function" || typeof cache.put !== "function") {
    throw new WebertError(
      "bad_input",
      "env.useCustomCache is set: expected env.customCache to have the methods match and put",
    );
  }
  return { ...responseStore(cache), wasAbsent: async () => true, keepAbsence: async () => {}, keepsAbsence: false };
}

/** Header of a stored response: the size that the server reported, if it is not certain. */
const SAID = "x-content-length";

function responseStore(cache: CustomCache): Pick<Store, "get" | "keep" | "drop"> {
  return {
    async get(url) {
      const found = await matched(cache, url);
      if (!found?.ok || !found.body) return undefined;
      const exact = Number(found.headers.get("content-length")) || 0;
      const size = exact || Number(found.headers.get(SAID)) || 0;
      const bodyFrom = exact ? (offset: number) => keptFrom(cache, url, exact, offset) : undefined;
      return { size, isExact: exact > 0, body: whole(url, found.body, exact), ...(bodyFrom && { bodyFrom }) };
    },
    keep: (url, file, body) => storing(cache, url, file, body),
    async drop(url) {
      try {
        await cache.delete?.(url);
      } catch {
        // a copy that cannot be removed is found to be damaged again, and fetched again
      }
    },
  };
}

/** Returns the response stored under `url`. If the cache fails, logs a warning and returns undefined. */
async function matched(cache: CustomCache, url: string): Promise<Response | undefined> {
  try {
    return await cache.match(url);
  } catch (error) {
    console.warn(`webert: the kept copy of ${url} cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

async function* whole(url: string, stream: ReadableStream<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let found = 0;
  for await (const chunk of chunks(stream, url)) {
    found += chunk.length;
    yield chunk;
  }
  if (size && found !== size) throw cutShort(url, found, size);
}

/** Yields a stored file's bytes from an offset on. Browsers make a Blob of a stored response without reading it. */
async function* keptFrom(cache: CustomCache, url: string, size: number, offset: number): AsyncGenerator<Uint8Array> {
  const blob = await (await matched(cache, url))?.blob();
  if (blob?.size !== size) throw cutShort(url, blob?.size ?? 0, size);
  yield* chunks(blob.slice(offset).stream(), url);
}

/**
 * Passes bytes on and writes them to the cache at the same pace, so that they are in memory once. Ends when the cache
 * has stored them: a file that passed completely is stored even if the load is aborted afterwards.
 */
async function* storing(
  cache: CustomCache,
  url: string,
  file: FetchedFile,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let state: "passing" | "whole" | "refused" | "broken off" = "passing";
  const stored = (async () => cache.put(url, new Response(readable, { headers: headersOf(file) })))().catch(
    (error: unknown) => {
      if (state !== "broken off") warnNotKept(url, error);
      state = "refused";
    },
  );
  writer.closed.catch(() => {}); // `stored` handles the error
  try {
    for await (const chunk of body) {
      // A cache that refuses the file may stop reading.
      if (state === "passing") await Promise.race([writer.write(chunk).catch(() => {}), stored]);
      yield chunk;
    }
    if (state !== "passing") return;
    state = "whole";
    writer.close().catch(() => {});
    await stored;
  } finally {
    if (state === "passing") {
      state = "broken off";
      writer.abort(new Error("the download broke off")).catch(() => {});
    }
  }
}

/** Returns the headers stored with a file: its length and its version. */
function headersOf({ size, isExact, type, version }: FetchedFile): Headers {
  const { etag, lastModified, revision } = version;
  const known = {
    "content-type": type,
    [isExact ? "content-length" : SAID]: size && String(size),
    etag,
    "last-modified": lastModified,
    "x-repo-commit": revision,
  };
  return new Headers(Object.entries(known).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** Warns that a file could not be stored. The load continues; the next load fetches the file again. */
export function warnNotKept(url: string, error: unknown): void {
  const { name, message } = error as Error;
  const full =
    name === "QuotaExceededError" || (error as { code?: string }).code === "ENOSPC" ? "there is no room for it: " : "";
  console.warn(`webert: ${url} is used, but not kept: ${full}${message}`);
}
