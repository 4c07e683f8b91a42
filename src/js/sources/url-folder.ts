import { abortError, onAbort } from "../abort.js";
import { env } from "../env.js";
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import { openBlob } from "./blob.js";
import type { FetchedFile, FileRequest } from "./fetching.js";
import { lock } from "./locks.js";
import type { Place } from "./source.js";
import { joined } from "./streams.js";
import type { Folder, OpenFile, Store } from "./types.js";

type UrlPlace = Place & { kind: "url" };

/** Fetches a file. A page whose models are in Workers fetches none itself: the code comes with the first one. */
async function fetchFile(url: string, request: FileRequest): Promise<FetchedFile | undefined> {
  return (await onDemand(() => import("./fetching.js"))).fetchFile(url, request);
}

/** A model's folder on a server, its files kept in a store where there is one. One instance is one load's. */
export class UrlFolder implements Folder {
  readonly name: string;
  readonly #place: UrlPlace;
  readonly #store: Store | undefined;
  /** What ends the downloads under way, by URL. */
  readonly #downloads = new Map<string, () => void>();
  /** URLs that were asked for, and those of them that came from the store. */
  readonly #asked = new Set<string>();
  readonly #kept = new Set<string>();
  /** By a file name's ending, the page that comes for one that does not exist. */
  readonly #fallbacks = new Map<string, Promise<string | undefined>>();

  constructor(place: UrlPlace, store: Store | undefined) {
    this.name = place.name;
    this.#place = place;
    this.#store = store;
  }

  address(file: string): string {
    const { files } = this.#place;
    const given = files?.[file];
    if (files) return typeof given === "string" ? given : `${file} (of the ${Object.keys(files).length} files given)`;
    const url = new URL(this.#place.base);
    url.pathname += file;
    return url.href;
  }

  async open(file: string, signal: AbortSignal): Promise<OpenFile | undefined> {
    const { files } = this.#place;
    const given = files?.[file];
    if (given instanceof Blob) return openBlob(given, file);
    if (files && !given) return undefined;
    const url = this.address(file);
    this.#asked.add(url);
    // A load that begins again has no use for what it began before, which would hold the lock.
    this.#downloads.get(url)?.();
    const kept = await this.#stored(url);
    if (kept || !this.#place.fetch) return kept;
    const free = this.#store ? await lock(`webert: ${url}`, signal) : () => {};
    try {
      // Who had the lock before may have stored it.
      const stored = await this.#stored(url);
      if (!stored) return await this.#fetched(url, file, signal, free);
      free();
      return stored;
    } catch (error) {
      free();
      throw error;
    }
  }

  async #stored(url: string): Promise<OpenFile | undefined> {
    const found = await this.#store?.get(url);
    if (found) this.#kept.add(url);
    return found;
  }

  /** The file from the server. `free` is called once it is read, or is not going to be. */
  async #fetched(url: string, file: string, signal: AbortSignal, free: () => void): Promise<OpenFile | undefined> {
    const stop = new AbortController();
    const end = (why: WebertError) => {
      this.#downloads.delete(url);
      unfollow();
      stop.abort(why);
      free();
    };
    const unfollow = onAbort(signal, () => end(abortError(signal)));
    const close = () => end(new WebertError("aborted", `the download of ${url} is not needed any more`));
    try {
      const { token, model } = this.#place;
      const found = await fetchFile(url, { signal: stop.signal, token, model, once: await this.#isKnownAbsent(file) });
      if (!found) {
        await this.#store?.keepAbsence(url);
        close();
        return undefined;
      }
      const { head, isWhole } = await beginningOf(found.body);
      const body = concatenated(head, found.body);
      if (isPage(found.type, head)) {
        const page = await pageIn(body);
        close();
        return { size: 0, isExact: false, body: concatenated(), page };
      }
      const failure = isWhole && file.endsWith(".json") ? failureIn(head) : undefined;
      if (failure !== undefined)
        throw new WebertError("not_found", `${url}: the server sent an error (${failure}), not the file ${file}`);
      this.#downloads.set(url, close);
      const { size, isExact, bodyFrom } = found;
      if (this.#store) return { size, isExact, body: closing(this.#store.keep(url, found, body), close) };
      const seekable = bodyFrom && { bodyFrom: (offset: number) => bodyFrom(offset, signal) };
      return { size, isExact, body: closing(body, close), ...seekable };
    } catch (error) {
      close();
      throw error;
    }
  }

  async isFallback(file: string, page: string, signal: AbortSignal): Promise<boolean> {
    const ending = /\.\w+$/.exec(file)?.[0] ?? "";
    const other = `no-such-file-${Math.random().toString(36).slice(2)}${ending}`;
    const fallback = this.#fallbacks.get(ending) ?? this.#pageAt(other, signal);
    this.#fallbacks.set(ending, fallback);
    return (await fallback) === page.replaceAll(file, "");
  }

  /** The page that the server has at `file`, without that name. */
  async #pageAt(file: string, signal: AbortSignal): Promise<string | undefined> {
    const { token, model } = this.#place;
    const found = await fetchFile(this.address(file), { signal, token, model });
    return found && (await pageIn(found.body)).replaceAll(file, "");
  }

  async has(file: string, signal: AbortSignal): Promise<boolean | undefined> {
    const { fetch, token } = this.#place;
    const headers = token ? { authorization: `Bearer ${token}` } : undefined;
    const url = this.address(file);
    const answer = fetch && (await env.fetch(url, { method: "HEAD", headers, signal }).catch(() => undefined));
    if (!answer) return (await this.wasAbsent(file)) ? false : undefined;
    if (answer.status === 404) await this.#store?.keepAbsence(url);
    // A server in development answers with a page where there is no file.
    return answer.ok && !/html/i.test(answer.headers.get("content-type") ?? "");
  }

  async sizeOf(file: string, signal: AbortSignal): Promise<number | undefined> {
    const { files, fetch, token } = this.#place;
    const given = files?.[file];
    if (given instanceof Blob) return given.size;
    if (files && !given) return undefined;
    const url = this.address(file);
    const kept = await this.#store?.get(url);
    if (kept || !fetch) return kept?.size;
    return (await onDemand(() => import("./sizes.js"))).headSize(url, token, signal);
  }

  async wasAbsent(file: string): Promise<boolean> {
    return (await this.#store?.wasAbsent(this.address(file))) ?? false;
  }

  /** Whether the server said that there is no such file: it is not asked for it again and again. */
  async #isKnownAbsent(file: string): Promise<boolean> {
    return this.#store?.keepsAbsence === true && (await this.wasAbsent(file));
  }

  async forget(): Promise<boolean> {
    const hadKept = this.#kept.size > 0;
    await Promise.all([...this.#asked].map((url) => this.#store?.drop(url)));
    this.#asked.clear();
    this.#kept.clear();
    return hadKept;
  }
}

/** Bytes that are looked at before a file is taken for what it should be. */
const HEAD = 4096;

/** The first bytes of a file, and whether they are all. */
async function beginningOf(body: AsyncGenerator<Uint8Array>): Promise<{ head: Uint8Array; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  for (let size = 0; size < HEAD; size += parts.at(-1)!.length) {
    const { done, value } = await body.next();
    if (done) return { head: joined(parts), isWhole: true };
    parts.push(value);
  }
  return { head: joined(parts), isWhole: false };
}

/** Bytes of a page that are compared. */
const PAGE = 2 ** 18;

/** The text of a page, at least of its beginning. */
async function pageIn(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    if ((size += part.length) >= PAGE) break;
  }
  return text(joined(parts).subarray(0, PAGE));
}

async function* concatenated(head?: Uint8Array, rest?: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head?.length) yield head;
  if (rest) yield* rest;
}

async function* closing(body: AsyncIterable<Uint8Array>, close: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    close();
  }
}

/** Neither JSON, nor a vocabulary, nor safetensors begins as a page does. */
function isPage(type: string, head: Uint8Array): boolean {
  return (
    /^\s*(text\/html|application\/xhtml)/i.test(type) ||
    /^\s*<(!doctype html|html|head|!--)/i.test(text(head.subarray(0, 64)))
  );
}

/** What JSON says that is no file but the report of an error: an object of "error" and what goes with it. */
function failureIn(json: Uint8Array): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text(json));
  } catch {
    return undefined; // left to who reads all of it
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "error")) return undefined;
  const isReport = Object.keys(value).every((key) =>
    /^(error\w*|message|detail|code|status\w*|path|timestamp|request_?id)$/i.test(key),
  );
  return isReport ? JSON.stringify((value as { error: unknown }).error).slice(0, 200) : undefined;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
