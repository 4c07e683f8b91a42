import { abortError, onAbort, throwIfAborted } from "../abort.js";
import type { WasmBuild } from "../api/env.js";
import type { Control } from "../checkpoint/folder.js";
import type { Hub } from "../checkpoint/origin.js";
import type { Place, ProgressEvent } from "../checkpoint/source.js";
import { WebertError } from "../errors.js";
import type { Parts } from "./loading.js";
import type { Port, Reply, Request } from "./protocol.js";
import type { LoaderOptions, ModelInfo, RawInputs, RawTensor } from "./wasm.js";

/** What is to be loaded, and how. Can be posted to a Worker. */
export interface LoadSpec {
  place: Place;
  how: LoaderOptions;
  /** Whether the model needs a tokenizer: a pipeline does, a model called with ids does not. */
  tokenizer: boolean;
  /** Whether to look how the checkpoint pools. */
  pooling: boolean;
  wasmPaths: Record<WasmBuild, string>;
  /** How many threads were asked for; 0: as many as useful. */
  threads: number;
  /** Where other models are, if that is where the place is. */
  hub?: Hub;
  /** Fields that take the place of those in config.json. */
  config?: object;
}

/** One model, loaded. The same in this thread (local.ts) and across postMessage (below). */
export interface Engine {
  /** Another one after the GPU was lost and the CPU took over. */
  readonly info: ModelInfo;
  /** What else was loaded with the model. */
  readonly parts: Parts;
  /** One result an input. Calls take turns, block by block; any of them can be stopped by its signal. */
  run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]>;
  /** The model's outputs by name. */
  forward(inputs: RawInputs, options: object, signal?: AbortSignal): Promise<Record<string, RawTensor | RawTensor[]>>;
  /** Frees everything; calls under way and later ones reject with `disposed`. */
  close(): Promise<void>;
}

/** Loads a model into a Worker of its own, so that closing it gives all its memory back. */
export async function openWorker(spec: LoadSpec, control: Control, worker: Worker): Promise<Engine> {
  const engine = new WorkerEngine(worker);
  try {
    await engine.load(spec, control);
    return engine;
  } catch (error) {
    engine.retire();
    throw error;
  }
}

const WORKER_MISSING =
  'the Worker\'s script could not be loaded. esbuild, Rollup and Angular copy no files: import "webert/inline" there, or copy them by ' +
  "`npx webert copy FOLDER` and name its URL in env.base; on a cross-origin isolated page worker.js needs the header Cross-Origin-Embedder-Policy, too, " +
  "and a Content-Security-Policy has to allow it by worker-src ('self', or blob: where it is of another origin or inside)";

interface Pending {
  resolve(value: never): void;
  reject(error: WebertError): void;
  progress(event: ProgressEvent): void;
}

/** Milliseconds that a Worker gets to store what it has downloaded, after its load was stopped. */
const STORING = 30_000;

/** The page's half of protocol.ts. Replies find their call by its id, in any order. */
export class WorkerEngine implements Engine {
  info!: ModelInfo;
  parts!: Parts;
  readonly #port: Port & { terminate(): void };
  readonly #pending = new Map<number, Pending>();
  /** Calls that were stopped, and which the Worker has not answered yet. */
  readonly #stopped = new Set<number>();
  #last = 0;
  #retiring: ReturnType<typeof setTimeout> | undefined;
  /** Why no call can be made any more. */
  #over: WebertError | undefined;

  constructor(port: Port & { terminate(): void }) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#hear(data as Reply);
    port.onerror = (event) => {
      event.preventDefault?.();
      const stopped = event.message && `the Worker's script stopped: ${event.message}`;
      this.#end(new WebertError(stopped ? "device_lost" : "network", stopped || WORKER_MISSING));
    };
  }

  async load(spec: LoadSpec, control: Control): Promise<void> {
    this.parts = await this.#call({ call: "load", args: [spec] }, control.signal, control.progress);
  }

  run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]> {
    return this.#call({ call: "run", args: [task, inputs, options] }, signal);
  }

  forward(inputs: RawInputs, options: object, signal?: AbortSignal): Promise<Record<string, RawTensor | RawTensor[]>> {
    return this.#call({ call: "forward", args: [inputs, options] }, signal);
  }

  async close(): Promise<void> {
    this.#end(new WebertError("disposed", "the model was disposed of"));
  }

  /** As `close`, but once the Worker has answered the load that was stopped: a file that is there to its end is stored by then. */
  retire(): void {
    const error = new WebertError("disposed", "the model was not loaded");
    if (!this.#stopped.size) {
      this.#end(error);
      return;
    }
    this.#over ??= error;
    this.#retiring = setTimeout(() => this.#end(error), STORING);
  }

  async #call<T>(request: Request, signal: AbortSignal | undefined, progress?: Control["progress"]): Promise<T> {
    if (this.#over) throw this.#over;
    throwIfAborted(signal);
    const id = ++this.#last;
    let unfollow: (() => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        const cancel = (error: unknown) => {
          this.#stopped.add(id);
          this.#port.postMessage({ id, cancel: true });
          reject(error);
        };
        const report = (event: ProgressEvent) => {
          try {
            progress?.(event);
          } catch (error) {
            cancel(error);
          }
        };
        this.#pending.set(id, { resolve, reject, progress: report });
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

  #hear(reply: Reply): void {
    if ("info" in reply) return void (this.info = reply.info);
    const call = this.#pending.get(reply.id);
    // A call that was stopped in the meantime has no one waiting.
    if (!call) {
      if (!("progress" in reply)) this.#stopped.delete(reply.id);
      if (this.#retiring && !this.#stopped.size) this.#end(this.#over!);
      return;
    }
    if ("progress" in reply) call.progress(reply.progress);
    else if ("error" in reply) call.reject(WebertError.unpack(reply.error));
    else call.resolve(reply.result as never);
  }

  #end(error: WebertError): void {
    this.#over ??= error;
    clearTimeout(this.#retiring);
    this.#port.terminate();
    for (const { reject } of this.#pending.values()) reject(error);
  }
}
