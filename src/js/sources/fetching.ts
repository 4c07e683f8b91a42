// Fetches one file by HTTP. After a stall, a temporary error or a broken connection the download resumes where it
// stopped.
import { abortError, onAbort, throwIfAborted } from "../abort.js";
import { env } from "../env.js";
import { WebertError } from "../errors.js";
import { limits } from "./limits.js";

export { limits };

/**
 * Bytes that a request must bring to count as progress. Otherwise a server that sends a few bytes per request would be
 * retried forever.
 */
const PROGRESS = 2 ** 16;

/** What a request needs besides the URL. */
export interface FileRequest {
  signal: AbortSignal;
  /** Access token of the Hub. */
  token?: string | undefined;
  /** Name of the Hub model that the file belongs to. */
  model?: string | undefined;
  /** Do not retry after a failure. */
  once?: boolean | undefined;
}

/** How a server identifies a version of a file. */
export interface Version {
  etag: string | null;
  lastModified: string | null;
  /** Commit on the Hub. */
  revision: string | null;
}

/** A file on a server. Its bytes are not read yet. */
export interface FetchedFile {
  /** In bytes; 0 if the server does not report it. */
  size: number;
  /** Whether `size` is certain. A page cannot see whether a file of another origin was sent compressed. */
  isExact: boolean;
  /** Content-type of the file. */
  type: string;
  version: Version;
  body: AsyncGenerator<Uint8Array>;
  /** Returns the bytes from an offset on, by a separate request; undefined if the server may not support ranges. */
  bodyFrom?(offset: number, signal: AbortSignal): AsyncGenerator<Uint8Array> | undefined;
}

/** A failure after which the request is retried, up to a limit. */
class RetryableError extends Error {
  readonly isAnswer: boolean;
  readonly after: number | undefined;

  /** `after`: milliseconds that the server asks the client to wait. */
  constructor(
    message: string,
    isAnswer: boolean,
    { after, cause }: { after?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.isAnswer = isAnswer;
    this.after = after;
  }
}

/**
 * Fetches a file. Returns undefined for status 404 or 410. Throws `network`, or `not_found` for a Hub model that is not
 * accessible.
 */
export async function fetchFile(url: string, request: FileRequest): Promise<FetchedFile | undefined> {
  const retries = new Retries(url, request);
  const answer = await retries.until(() => ask(url, request, {}));
  if (!answer) return undefined;
  const { headers } = answer.response;
  // With a content-encoding, content-length counts compressed bytes.
  const isEncoded = headers.has("content-encoding");
  const size = isEncoded ? 0 : Number(headers.get("content-length")) || 0;
  const sendsRanges = headers.get("accept-ranges") === "bytes";
  const isExact = size > 0 && isOwn(url) && isOwn(answer.response.url || url);
  const file = { url, request, size: isExact ? size : 0, isEncoded, version: versionOf(headers) };
  return {
    size,
    isExact,
    type: headers.get("content-type") ?? "",
    version: file.version,
    body: bytesOf(file, new Received(), answer, retries),
    ...(isExact && {
      bodyFrom: (offset, signal) => (offset >= size || sendsRanges ? bytesFrom(file, offset, signal) : undefined),
    }),
  };
}

type FileState = { url: string; request: FileRequest; size: number; isEncoded: boolean; version: Version };

/** Yields the bytes of a file from an offset on. At the end of the file it sends no request. */
async function* bytesFrom(file: FileState, offset: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (offset >= file.size) return;
  const rest = { ...file, request: { ...file.request, signal } };
  const retries = new Retries(file.url, rest.request);
  const received = new Received(offset);
  const [answer, skip] = await retries.until(() => resume(rest, received));
  yield* bytesOf(rest, received, answer, retries, skip);
}

/**
 * Yields the bytes that are not in `received`, over as many requests as needed. Drops the first `skip` bytes of the
 * first answer.
 */
async function* bytesOf(
  file: FileState,
  received: Received,
  first: TimedResponse,
  retries: Retries,
  skip = 0,
): AsyncGenerator<Uint8Array> {
  let answer = first;
  try {
    for (;;) {
      try {
        for await (const chunk of answer.chunks()) {
          const fresh = received.check(file.url, chunk, skip);
          skip -= chunk.length - fresh.length;
          if (!fresh.length) continue;
          received.add(fresh);
          retries.progressed(fresh.length);
          yield fresh;
        }
        if (file.size && received.count < file.size) throw new RetryableError("the connection ended", true);
        return;
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        error.message = `reading ${file.url} broke off after ${received.count} of ${file.size || "an unknown number of"} bytes: ${error.message}`;
        await retries.wait(error);
        [answer, skip] = await retries.until(() => resume(file, received));
      }
    }
  } finally {
    answer.end();
  }
}

/** Requests the rest of a file. Returns an answer and the number of its bytes that were already received. */
async function resume(
  { url, request, size, isEncoded, version }: FileState,
  received: Received,
): Promise<[TimedResponse, number]> {
  // Without a version, the last received bytes are requested again and compared.
  const hasVersion = version.etag ?? version.lastModified;
  const from = received.count - (hasVersion ? 0 : received.tail.length);
  const headers: Record<string, string> = {};
  // Ranges count the bytes that are sent; with a content-encoding these are compressed bytes.
  if (from && !isEncoded) {
    headers.range = `bytes=${from}-`;
    const condition = version.etag?.startsWith("W/") ? version.lastModified : hasVersion;
    // A server of another origin would have to allow this header.
    if (condition && isOwn(url)) headers["if-range"] = condition;
  }
  const answer = await ask(url, request, headers);
  const changed = (what: string) => {
    answer?.end();
    return new WebertError("network", `${url} changed while it was read: ${what}; load it again`);
  };
  if (!answer) throw changed("it is gone");
  const { status, headers: got } = answer.response;
  if (status === 416) throw changed(`it ends before byte ${from}`);
  if (!isSame(version, versionOf(got)))
    throw changed(`it was ${shownVersion(version)}, now it is ${shownVersion(versionOf(got))}`);
  if (status !== 206) {
    const length = isEncoded ? 0 : Number(got.get("content-length"));
    if (size && length && length !== size) throw changed(`it had ${size} bytes, now ${length}`);
    return [answer, received.count];
  }
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(got.get("content-range") ?? `bytes ${from}-0/*`) ?? [];
  if (Number(start) !== from) throw changed(`asked for byte ${from} on, the server sends ${got.get("content-range")}`);
  if (size && total !== "*" && Number(total) !== size) throw changed(`it had ${size} bytes, now ${total}`);
  return [answer, received.count - from];
}

/** Number of bytes of a file that were passed on, and the last of them. */
class Received {
  count: number;
  tail = new Uint8Array();

  constructor(count = 0) {
    this.count = count;
  }

  add(chunk: Uint8Array): void {
    this.count += chunk.length;
    this.tail = chunk.slice(-1024);
  }

  /** Returns `chunk` without its first `skip` bytes, which were received before. Throws if they differ. */
  check(url: string, chunk: Uint8Array, skip: number): Uint8Array {
    const again = chunk.subarray(0, skip);
    const at = this.tail.length - skip; // position in `tail` of the first byte of `again`
    if (again.some((byte, i) => at + i >= 0 && byte !== this.tail[at + i])) {
      throw new WebertError("network", `${url} changed while it was read; load it again`);
    }
    return chunk.subarray(again.length);
  }
}

function versionOf(headers: Headers): Version {
  const [etag, lastModified, revision] = ["etag", "last-modified", "x-repo-commit"].map((name) =>
    headers.get(name),
  ) as [string, string, string];
  return { etag, lastModified, revision };
}

/**
 * Returns whether two versions are equal, as far as servers report them. A weak ETag means the same file, compressed.
 */
function isSame(a: Version, b: Version): boolean {
  const tag = (version: Version) => version.etag?.replace(/^W\//, "");
  if (a.etag && b.etag) return tag(a) === tag(b);
  if (a.lastModified && b.lastModified) return a.lastModified === b.lastModified;
  return a.etag === b.etag && a.lastModified === b.lastModified;
}

const shownVersion = ({ etag, lastModified }: Version) => etag ?? lastModified ?? "without a version";

function isOwn(url: string): boolean {
  const { location } = globalThis as { location?: { origin: string } };
  return !location || new URL(url).origin === location.origin;
}

/** Decides when a request is retried. */
class Retries {
  readonly #url: string;
  readonly #signal: AbortSignal;
  readonly #once: boolean;
  /** Number of requests since the last progress. */
  #requests = 0;
  #bytes = 0;

  constructor(url: string, { signal, once = false }: FileRequest) {
    this.#url = url;
    this.#signal = signal;
    this.#once = once;
  }

  progressed(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > PROGRESS) this.#requests = this.#bytes = 0;
  }

  /** Calls `work` until it succeeds or its failure is final. */
  async until<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        await this.wait(error);
      }
    }
  }

  /** Waits before the next request. Throws `network` if no further request is allowed. */
  async wait(failure: RetryableError): Promise<void> {
    throwIfAborted(this.#signal);
    const { message, isAnswer, after, cause } = failure;
    const requests = ++this.#requests;
    this.#bytes = 0;
    const isOffline = !isAnswer && (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false;
    const isLast = this.#once || isOffline || requests >= (isAnswer ? limits.requests : limits.unanswered);
    if (isLast || (after ?? 0) > limits.longestDelay) {
      const often = requests > 1 ? ` (asked ${requests} times)` : "";
      throw new WebertError("network", `${message.includes(this.#url) ? "" : `${this.#url}: `}${message}${often}`, {
        cause,
      });
    }
    // The random factor spreads the retries of clients that were refused at the same time.
    await sleep(after ?? limits.delay * 2 ** (requests - 1) * (0.75 + Math.random() / 2), this.#signal);
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      unfollow();
      resolve();
    }, milliseconds);
    const unfollow = onAbort(signal, () => {
      clearTimeout(timer);
      reject(abortError(signal));
    });
  });
}

/** Statuses after which a server may return the file later. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];

/** Sends one request. Returns undefined if the file does not exist. */
async function ask(
  url: string,
  request: FileRequest,
  headers: Record<string, string>,
): Promise<TimedResponse | undefined> {
  throwIfAborted(request.signal);
  const answer = new TimedResponse(request.signal);
  try {
    const { token } = request;
    const response = await answer.open(url, token ? { ...headers, authorization: `Bearer ${token}` } : headers);
    if (response.ok || (response.status === 416 && headers.range)) return answer;
    const { status, statusText } = response;
    if (status === 404 || status === 410) return void answer.end();
    if (status === 401 || status === 403) throw refused(url, request, response);
    const message = `the server answers ${status} ${statusText}`.trimEnd();
    if (!PASSING.includes(status)) throw new WebertError("network", `${url}: ${message}`);
    throw new RetryableError(message, true, { after: delayAsked(response.headers.get("retry-after")) });
  } catch (error) {
    answer.end();
    throw error;
  }
}

/** One answer of a server. After `end` its connection is not used again. */
class TimedResponse {
  response!: Response;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #unfollow: () => void;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#unfollow = onAbort(signal, () => this.#stop.abort(abortError(signal)));
  }

  async open(url: string, headers: Record<string, string>): Promise<Response> {
    try {
      return (this.response = await this.#timely(env.fetch(url, { signal: this.#stop.signal, headers })));
    } catch (cause) {
      if (cause instanceof RetryableError) throw cause;
      throwIfAborted(this.#signal);
      throw new RetryableError(`${url} could not be fetched: ${reason(cause)}`, false, { cause });
    }
  }

  /** Yields the chunks of the body. Safari does not support `for await` over a stream. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const reader = this.response.body?.getReader();
    try {
      for (;;) {
        const { done, value } = (await (reader && this.#timely(reader.read()))) ?? { done: true };
        if (done) return;
        yield value!;
      }
    } catch (cause) {
      if (cause instanceof RetryableError) throw cause;
      throwIfAborted(this.#signal);
      throw new RetryableError(reason(cause), true, { cause });
    } finally {
      this.end();
    }
  }

  end(): void {
    this.#unfollow();
    this.#stop.abort(new WebertError("aborted", "the answer is not needed any more"));
  }

  /** Resolves as `promise` does. Rejects with a retryable error after `limits.stall`. */
  async #timely<T>(promise: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stalled = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new RetryableError(`no byte came for ${limits.stall / 1000} s`, true));
        this.end();
      }, limits.stall);
    });
    try {
      return await Promise.race([promise, stalled]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Returns the reason of a failed fetch. In Node it is in `cause`. */
export function reason(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error };
  return cause?.message || message;
}

/** Returns the milliseconds in a Retry-After header, which has seconds or a date. */
function delayAsked(header: string | null): number | undefined {
  if (!header) return undefined;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/**
 * Returns the error for statuses 401 and 403. The Hub also sends them for missing models; its headers have the reason.
 */
function refused(url: string, { model, token }: FileRequest, { status, headers }: Response): WebertError {
  if (!model) return new WebertError("network", `${url}: the server refuses it (${status})`);
  const isGated = headers.get("x-error-code") === "GatedRepo";
  const state = isGated
    ? "is gated: its conditions have to be accepted on its page"
    : "is private, gated or does not exist";
  const remedy = token ? "the token given may not read it" : "give a token that may read it: { token }";
  const said = headers.get("x-error-message");
  return new WebertError(
    "not_found",
    `${model} ${state}; ${remedy}. ${url}: the server answers ${status}${said ? ` (${said})` : ""}`,
  );
}
