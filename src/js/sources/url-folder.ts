// A model folder on a server.
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

/** Fetches a file. The code is imported by the first call: a page with its models in Workers fetches nothing itself. */
async function fetchFile(url: string, request: FileRequest): Promise<FetchedFile | undefined> {
  return (await onDemand(() => import("./fetching.js"))).fetchFile(url, request);
}

/** A model's folder on a server. Files are kept in a store if one exists. Each load has its own instance. */
export class UrlFolder implements Folder {
  readonly name: string;
  readonly #place: UrlPlace;
  readonly #store: Store | undefined;
  /** Functions that stop the running downloads, by URL. */
  readonly #downloads = new Map<string, () => void>();
  /** URLs that were opened, and the URLs that came from the store. */
  readonly #asked = new Set<string>();
  readonly #kept = new Set<string>();
  /** The page that the server sends for a missing file, by the file name's extension. */
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
    // A load that starts again stops its earlier download, which would hold the lock.
    this.#downloads.get(url)?.();
    const kept = await this.#stored(url);
    if (kept || !this.#place.fetch) return kept;
    const free = this.#store ? await lock(`webert: ${url}`, signal) : () => {};
    try {
      // The previous holder of the lock may have stored the file.
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

  /** Fetches the file from the server. Calls `free` when it is read, or will not be read. */
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

  /** Returns the page that the server sends for `file`, with the file's name removed. */
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
    // Development servers answer a request for a missing file with a page.
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

  /** Returns whether the server has reported the file as missing. Such a file is not requested again. */
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

/** Number of bytes that are examined before a file is accepted. */
const HEAD = 4096;

/** Returns the first bytes of a file, and whether they are the whole file. */
async function beginningOf(body: AsyncGenerator<Uint8Array>): Promise<{ head: Uint8Array; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  for (let size = 0; size < HEAD; size += parts.at(-1)!.length) {
    const { done, value } = await body.next();
    if (done) return { head: joined(parts), isWhole: true };
    parts.push(value);
  }
  return { head: joined(parts), isWhole: false };
}

/** Number of bytes of a page that are compared. */
const PAGE = 2 ** 18;

/** Returns the text of a page, or at least of its beginning. */
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

/** Returns whether a file begins like an HTML page. JSON, vocabularies and safetensors do not. */
function isPage(type: string, head: Uint8Array): boolean {
  return (
    /^\s*(text\/html|application\/xhtml)/i.test(type) ||
    /^\s*<(!doctype html|html|head|!--)/i.test(text(head.subarray(0, 64)))
  );
}

/** Returns the message of a JSON error report, an object with "error"; undefined for other files. */
function failureIn(json: Uint8Array): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text(json));
  } catch {
    return undefined; // reported by the code that reads the file
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "error")) return undefined;
  const isReport = Object.keys(value).every((key) =>
    /^(error\w*|message|detail|code|status\w*|path|timestamp|request_?id)$/i.test(key),
  );
  return isReport ? JSON.stringify((value as { error: unknown }).error).slice(0, 200) : undefined;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
