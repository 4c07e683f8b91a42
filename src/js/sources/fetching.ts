// One file by HTTP: asked for again after stalls, refusals for the moment and broken connections, and then from where it broke off.
import { abortError, onAbort, throwIfAborted } from "../abort.js";
import { env } from "../env.js";
import { WebertError } from "../errors.js";
import { limits } from "./limits.js";

export { limits };

/** Bytes that a request has to bring to count as progress: a server that gives a few bytes a time would never be given up. */
const PROGRESS = 2 ** 16;

/** What is asked for beside the address. */
export interface FileRequest {
  signal: AbortSignal;
  /** Access token of the Hub. */
  token?: string | undefined;
  /** Name of the Hub's model that the file belongs to. */
  model?: string | undefined;
  /** Not to be asked for again after a failure. */
  once?: boolean | undefined;
}

/** What a server calls one state of a file. */
export interface Version {
  etag: string | null;
  lastModified: string | null;
  /** The Hub's commit. */
  revision: string | null;
}

/** A file that a server has, its bytes still to be read. */
export interface FetchedFile {
  /** In bytes; 0 where the server does not say. */
  size: number;
  /** Whether `size` is certain: of another origin's files a page does not see whether they were sent compressed. */
  isExact: boolean;
  /** Its content-type. */
  type: string;
  version: Version;
  body: AsyncGenerator<Uint8Array>;
  /** The bytes from an offset on by a request of their own; undefined where the server may not send them alone. */
  bodyFrom?(offset: number, signal: AbortSignal): AsyncGenerator<Uint8Array> | undefined;
}

/** A failure after which the server is asked again, unless it was asked often enough. */
class RetryableError extends Error {
  readonly isAnswer: boolean;
  readonly after: number | undefined;

  /** `after`: milliseconds that the server asks to wait. */
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

/** Asks for a file. Undefined where the server says that there is none: 404 or 410. Throws `network`, and `not_found` for a model of the Hub that may not be read. */
export async function fetchFile(url: string, request: FileRequest): Promise<FetchedFile | undefined> {
  const retries = new Retries(url, request);
  const answer = await retries.until(() => ask(url, request, {}));
  if (!answer) return undefined;
  const { headers } = answer.response;
  // With a content-encoding the length is that of the compressed bytes.
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

type Known = { url: string; request: FileRequest; size: number; isEncoded: boolean; version: Version };

/** The bytes of a file from an offset on; at its end nothing is asked for. */
async function* bytesFrom(file: Known, offset: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (offset >= file.size) return;
  const rest = { ...file, request: { ...file.request, signal } };
  const retries = new Retries(file.url, rest.request);
  const received = new Received(offset);
  const [answer, skip] = await retries.until(() => resume(rest, received));
  yield* bytesOf(rest, received, answer, retries, skip);
}

/** All bytes of a file that are not `given`, over as many requests as it takes; of the first answer but for `skip`. */
async function* bytesOf(
  file: Known,
  received: Received,
  first: Answer,
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

/** The rest of a file: an answer, and how many of its bytes were there before. */
async function resume(
  { url, request, size, isEncoded, version }: Known,
  received: Received,
): Promise<[Answer, number]> {
  // Without a version the last bytes are compared.
  const hasVersion = version.etag ?? version.lastModified;
  const from = received.count - (hasVersion ? 0 : received.tail.length);
  const headers: Record<string, string> = {};
  // Ranges count the bytes that are sent: with a content-encoding, the compressed ones.
  if (from && !isEncoded) {
    headers.range = `bytes=${from}-`;
    const condition = version.etag?.startsWith("W/") ? version.lastModified : hasVersion;
    // A server of another origin would have to permit this header.
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

/** How much of a file was given on, and its last bytes. */
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

  /** `chunk` without its first bytes, of which `skip` were given before: the last of those have to be the same again. */
  check(url: string, chunk: Uint8Array, skip: number): Uint8Array {
    const again = chunk.subarray(0, skip);
    const at = this.tail.length - skip; // of the tail, where `again` begins
    if (again.some((byte, i) => at + i >= 0 && byte !== this.tail[at + i])) {
      throw new WebertError(
        "network",
        `${url} changed while it was read: its bytes are not those of before; load it again`,
      );
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

/** Whether two versions are one, as far as servers say; a weak ETag is that of the same file, compressed. */
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

/** When a file is asked for again. */
class Retries {
  readonly #url: string;
  readonly #signal: AbortSignal;
  readonly #once: boolean;
  /** Requests since there was progress. */
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

  /** The first result of `work` that is no passing failure. */
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

  /** Waits before the next request; throws `network` where there is none. */
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
    // Not all who were refused at once ask again at once.
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

/** Statuses of a server that may give the file a moment later. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];

/** One request. Undefined: there is no such file. */
async function ask(url: string, request: FileRequest, headers: Record<string, string>): Promise<Answer | undefined> {
  throwIfAborted(request.signal);
  const answer = new Answer(request.signal);
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

/** One answer of a server. Once `end` was called its connection is not used any more. */
class Answer {
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

  /** Not `for await` over the stream itself, which Safari lacks. */
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

  /** `promise`, or a passing failure where it takes too long. */
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

/** What a failed fetch says; Node hides it one level down. */
export function reason(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error };
  return cause?.message || message;
}

/** Milliseconds of a Retry-After: it has seconds, or a date. */
function delayAsked(header: string | null): number | undefined {
  if (!header) return undefined;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** The error for 401 and 403. The Hub answers so for models that do not exist, too, and says more in headers. */
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
