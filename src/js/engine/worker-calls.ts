// Calls of an engine or a trainer in a Worker: requests, events, replies and cancellation.
import { abortError, onAbort, throwIfAborted } from "../abort.js";
import { type ErrorMessage, WebertError } from "../errors.js";

/** The part of a Worker, or of its scope, that the calls use. */
export interface Port {
  postMessage(message: unknown, transfer?: unknown[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror?: ((event: ErrorEvent) => void) | null;
}

/** A Worker as a page sees it. */
export type WorkerPort = Port & { terminate(): void };

/** A message to the Worker: a request with the id of its reply, or a message about an earlier request. */
type WorkerMessage<R> = ({ id: number } & R) | { id: number; cancel: true } | { id: number; handled: true };

/**
 * A message to the page. A call receives any number of events, then a result or an error. After an event with `waits`
 * the Worker waits for `handled`. `info` is sent if facts about a model changed, before the next reply at the latest.
 */
type WorkerReply =
  | { id: number; event: unknown; waits?: true }
  | { id: number; result: unknown }
  | { id: number; error: ErrorMessage }
  | { model: number; info: unknown };

/** The control of a call in the Worker. */
export interface CallContext {
  id: number;
  signal: AbortSignal;
  /** Sends an event. */
  tell(event: unknown): void;
  /** Sends an event. Resolves when the page has handled it, or the call is stopped. */
  ask(event: unknown): Promise<void>;
}

/**
 * Answers the calls of a page by `dispatch`. Every call gets an answer; a failed call gets its error. The buffers of a
 * result or event are transferred, not copied. `infos` returns the facts about each model by its id; later changes are
 * sent before the next answer, or by the returned function.
 */
export function serveCalls<R>(
  port: Port,
  dispatch: (request: R, served: CallContext) => Promise<unknown>,
  infos: () => (readonly [model: number, info: unknown])[],
): () => void {
  const calls = new Map<number, { stop: AbortController; onHandled?: () => void }>();
  const send = (reply: WorkerReply) => port.postMessage(reply, buffers(reply));
  let known = new Map<number, unknown>();
  const sendNewInfos = () => {
    const now = new Map(infos());
    for (const [model, info] of now) if (known.has(model) && known.get(model) !== info) send({ model, info });
    known = now;
  };
  port.onmessage = async ({ data }) => {
    const message = data as WorkerMessage<R>;
    const { id } = message;
    if ("cancel" in message) return calls.get(id)?.stop.abort();
    if ("handled" in message) return calls.get(id)?.onHandled?.();
    const call: { stop: AbortController; onHandled?: () => void } = { stop: new AbortController() };
    const { signal } = call.stop;
    calls.set(id, call);
    const tell = (event: unknown) => send({ id, event });
    const ask = (event: unknown) =>
      new Promise<void>((resolve) => {
        call.onHandled = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true }); // a page that has stopped may not answer
        send({ id, event, waits: true });
      });
    let reply: WorkerReply;
    try {
      reply = { id, result: await dispatch(message, { id, signal, tell, ask }) };
    } catch (error) {
      reply = { id, error: WebertError.pack(error) };
    }
    calls.delete(id);
    sendNewInfos();
    send(reply);
  };
  return sendNewInfos;
}

/** Returns the buffers of all typed arrays in a message. */
function buffers(value: unknown, found: Set<ArrayBuffer> = new Set()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) found.add(value.buffer);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) buffers(part, found);
  }
  return [...found];
}

/** Explains why a script may be missing. */
const WORKER_MISSING =
  'the Worker\'s script could not be loaded. esbuild, Rollup and Angular copy no files: import "webert/inline" there, or copy them by ' +
  '`npx webert copy FOLDER` and name its URL in env.base; in a workspace Vite\'s server needs optimizeDeps.exclude: ["webert"]; ' +
  "on a cross-origin isolated page worker.js needs the header Cross-Origin-Embedder-Policy, too, " +
  "and a Content-Security-Policy has to allow it by worker-src ('self', or blob: where it is of another origin or inside)";

/** Milliseconds that an ended Worker has to answer its stopped calls, e.g. to store the downloads of a load. */
const STORING = 30_000;

/** How to make a call. */
export interface RequestOptions<R, E> {
  signal?: AbortSignal;
  /** Receives the events. An error thrown by it stops the call. */
  event?: (event: E) => unknown;
  /** Whether the call settles only when the Worker has answered, even if it was stopped. */
  waits?: boolean;
  /** Receives the Worker's late answer to a stopped call: its result, or undefined. */
  late?: (result: R | undefined) => void;
}

interface Pending {
  resolve(value: never): void;
  reject(error: WebertError): void;
  stop(why: WebertError): void;
  event?: (event: never) => unknown;
  late?: (result: never) => void;
  /** Why the call was stopped. */
  why?: WebertError;
  /** Whether its promise has been rejected. */
  isOver?: boolean;
}

/** Calls to a Worker. A reply finds its call by its id; replies may arrive in any order. */
export class WorkerCalls<R extends { call: string }> {
  readonly #port: WorkerPort;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #ending: ReturnType<typeof setTimeout> | undefined;
  /** Reason why calls are no longer possible. */
  #over: WebertError | undefined;

  /** `onInfo` receives facts about a model that changed. */
  constructor(port: WorkerPort, onInfo: (model: number, info: unknown) => void = () => {}) {
    this.#port = port;
    port.onmessage = ({ data }) => {
      const reply = data as WorkerReply;
      if ("info" in reply) onInfo(reply.model, reply.info);
      else this.#receive(reply);
    };
    port.onerror = (event) => {
      event.preventDefault?.();
      const stopped = event.message && `the Worker's script stopped: ${event.message}`;
      this.end(new WebertError(stopped ? "device_lost" : "network", stopped || WORKER_MISSING));
      this.#terminate();
    };
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Returns the id of a new call. */
  id(): number {
    return ++this.#last;
  }

  /** Makes a call. */
  async call<T, E = never>(
    request: R,
    { signal, event, waits, late }: RequestOptions<T, E> = {},
    id = this.id(),
  ): Promise<T> {
    if (this.#over) throw this.#over;
    throwIfAborted(signal);
    let unfollow: (() => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#port.postMessage({ id, ...request });
        const stop = (why: WebertError) => {
          call.why ??= why;
          this.#port.postMessage({ id, cancel: true });
          if (waits) return;
          call.isOver = true;
          reject(call.why);
        };
        const call: Pending = { resolve, reject, stop, event, late };
        this.#pending.set(id, call);
        unfollow = signal && onAbort(signal, () => stop(abortError(signal)));
      });
    } catch (error) {
      throw WebertError.from(error);
    } finally {
      unfollow?.();
    }
  }

  /** Ends the Worker. Pending and later calls reject with `why`. Waits for the late answers of stopped calls. */
  end(why: WebertError): void {
    this.#over ??= why;
    for (const { reject } of this.#pending.values()) reject(this.#over);
    if (this.#awaitsLate) this.#ending ??= setTimeout(() => this.#terminate(), STORING);
    else this.#terminate();
  }

  /** Whether a stopped call waits for its late answer. */
  get #awaitsLate(): boolean {
    return [...this.#pending.values()].some(({ isOver, late }) => isOver && late);
  }

  #receive(reply: Exclude<WorkerReply, { info: unknown }>): void {
    const call = this.#pending.get(reply.id);
    if (!call) return;
    if ("event" in reply) return void this.#handle(reply, call);
    this.#pending.delete(reply.id);
    if (call.isOver) {
      call.late?.(("result" in reply ? reply.result : undefined) as never);
      if (this.#over && !this.#awaitsLate) this.#terminate();
    } else if ("error" in reply) call.reject(call.why ?? WebertError.unpack(reply.error));
    else call.resolve(reply.result as never);
  }

  async #handle({ id, event, waits }: Extract<WorkerReply, { event: unknown }>, call: Pending): Promise<void> {
    try {
      const handled = call.isOver ? undefined : call.event?.(event as never);
      if (waits) await handled;
    } catch (error) {
      call.stop(WebertError.from(error));
    }
    if (waits) this.#port.postMessage({ id, handled: true });
  }

  #terminate(): void {
    clearTimeout(this.#ending);
    this.#port.terminate();
  }
}
