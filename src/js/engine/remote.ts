// An engine in a Worker: the page's part of protocol.ts.
import { abortError, onAbort, throwIfAborted } from "../abort.js";
import { WebertError } from "../errors.js";
import type { LoadEvent } from "../sources/source.js";
import type { Control } from "../sources/types.js";
import type { Engine, EngineModel, LoadSpec } from "./engine.js";
import type { LoadedParts, Port, Reply, Request } from "./protocol.js";
import type { RawInputs, RawTensor } from "./wasm.js";

/** Explains why a script may be missing. */
export const WORKER_MISSING =
  'the Worker\'s script could not be loaded. esbuild, Rollup and Angular copy no files: import "webert/inline" there, or copy them by ' +
  '`npx webert copy FOLDER` and name its URL in env.base; in a workspace Vite\'s server needs optimizeDeps.exclude: ["webert"]; ' +
  "on a cross-origin isolated page worker.js needs the header Cross-Origin-Embedder-Policy, too, " +
  "and a Content-Security-Policy has to allow it by worker-src ('self', or blob: where it is of another origin or inside)";

interface Pending {
  /** The called model; undefined for a load. */
  model: number | undefined;
  resolve(value: never): void;
  reject(error: WebertError): void;
  progress(event: LoadEvent): void;
}

/** Milliseconds that a Worker has to store its downloads after its last load was stopped. */
const STORING = 30_000;

/**
 * An engine in a Worker. Closing it frees all its memory. Replies carry the id of their call and may arrive in any
 * order.
 */
export class RemoteEngine implements Engine {
  readonly #port: Port & { terminate(): void };
  readonly #pending = new Map<number, Pending>();
  readonly #models = new Map<number, RemoteModel>();
  /** Ids of stopped loads that the Worker has not answered yet. */
  readonly #stoppedLoads = new Set<number>();
  #last = 0;
  #terminating: ReturnType<typeof setTimeout> | undefined;
  /** Reason why calls are no longer possible. */
  #over: WebertError | undefined;

  constructor(port: Port & { terminate(): void }) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#receive(data as Reply);
    port.onerror = (event) => {
      event.preventDefault?.();
      const stopped = event.message && `the Worker's script stopped: ${event.message}`;
      this.#end(new WebertError(stopped ? "device_lost" : "network", stopped || WORKER_MISSING));
      this.#terminate();
    };
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  async load(spec: LoadSpec, { signal, progress }: Control): Promise<EngineModel | undefined> {
    const id = ++this.#last;
    const loaded = await this.#send<LoadedParts | undefined>(
      id,
      { call: "load", args: [{ ...spec, reports: progress !== undefined }] },
      signal,
      progress,
    );
    if (!loaded) return undefined;
    const model = new RemoteModel(this, id, loaded);
    this.#models.set(id, model);
    return model;
  }

  /** Sends a call of a model. */
  call<T>(request: Exclude<Request, { call: "load" }>, signal?: AbortSignal): Promise<T> {
    return this.#send(++this.#last, request, signal);
  }

  /** Frees a model. Its calls reject with `error`. */
  async release(model: number, error: WebertError): Promise<void> {
    this.#models.delete(model);
    for (const call of this.#pending.values()) if (call.model === model) call.reject(error);
    if (this.#over) return;
    await this.call({ call: "close", model }).catch(() => {}); // rejects if the Worker ends, and the model with it
  }

  /**
   * Ends the Worker. After a stopped load it waits for the Worker's answer, so that completely received files are
   * stored.
   */
  async close(): Promise<void> {
    this.#end(new WebertError("disposed", "the model was disposed of"));
    if (this.#stoppedLoads.size) this.#terminating ??= setTimeout(() => this.#terminate(), STORING);
    else this.#terminate();
  }

  async #send<T>(
    id: number,
    request: Request,
    signal: AbortSignal | undefined,
    progress?: Control["progress"],
  ): Promise<T> {
    if (this.#over) throw this.#over;
    throwIfAborted(signal);
    let unfollow: (() => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        const cancel = (error: unknown) => {
          if (request.call === "load") this.#stoppedLoads.add(id);
          this.#port.postMessage({ id, cancel: true });
          reject(error);
        };
        const report = (event: LoadEvent) => {
          try {
            progress?.(event);
          } catch (error) {
            cancel(error);
          }
        };
        const model = request.call === "load" || request.call === "close" ? undefined : request.model;
        this.#pending.set(id, { model, resolve, reject, progress: report });
        unfollow = signal && onAbort(signal, () => cancel(abortError(signal)));
        this.#port.postMessage({ id, ...request });
      });
    } catch (error) {
      throw WebertError.from(error);
    } finally {
      this.#pending.delete(id);
      unfollow?.();
    }
  }

  #receive(reply: Reply): void {
    if ("info" in reply) {
      const model = this.#models.get(reply.model);
      if (model) model.info = reply.info;
      return;
    }
    const call = this.#pending.get(reply.id);
    if (!call) this.#receiveLate(reply);
    else if ("progress" in reply) call.progress(reply.progress);
    else if ("error" in reply) call.reject(WebertError.unpack(reply.error));
    else call.resolve(reply.result as never);
  }

  /** Handles the reply to a stopped call. */
  #receiveLate(reply: Exclude<Reply, { info: unknown }>): void {
    if ("progress" in reply || !this.#stoppedLoads.delete(reply.id)) return;
    if (this.#over) {
      if (!this.#stoppedLoads.size) this.#terminate();
    } else if ("result" in reply && reply.result) {
      this.call({ call: "close", model: reply.id }).catch(() => {}); // rejects if the Worker ends, and the model with it
    }
  }

  /** Rejects all running and later calls. */
  #end(error: WebertError): void {
    this.#over ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
  }

  #terminate(): void {
    clearTimeout(this.#terminating);
    this.#port.terminate();
  }
}

/** A model of an engine in a Worker. */
class RemoteModel implements EngineModel {
  info: LoadedParts["info"];
  readonly parts: LoadedParts["parts"];
  readonly #engine: RemoteEngine;
  readonly #id: number;
  #over: WebertError | undefined;

  constructor(engine: RemoteEngine, id: number, { info, parts }: LoadedParts) {
    this.#engine = engine;
    this.#id = id;
    this.info = info;
    this.parts = parts;
  }

  async run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]> {
    if (this.#over) throw this.#over;
    return this.#engine.call({ call: "run", model: this.#id, args: [task, inputs, options] }, signal);
  }

  async forward(
    inputs: RawInputs,
    options: object,
    signal?: AbortSignal,
  ): Promise<Record<string, RawTensor | RawTensor[]>> {
    if (this.#over) throw this.#over;
    return this.#engine.call({ call: "forward", model: this.#id, args: [inputs, options] }, signal);
  }

  async close(): Promise<void> {
    if (this.#over) return;
    this.#over = new WebertError("disposed", "the model was disposed of");
    await this.#engine.release(this.#id, this.#over);
  }
}
