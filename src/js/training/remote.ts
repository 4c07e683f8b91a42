// A model in training in a Worker: the page's side of protocol.ts.
import { onAbort, throwIfAborted } from "../abort.js";
import type { Port } from "../engine/protocol.js";
import { WORKER_MISSING } from "../engine/remote.js";
import { WebertError } from "../errors.js";
import type { LoadEvent } from "../sources/source.js";
import type { Control } from "../sources/types.js";
import type { CallControl, TrainerCalls, TrainerSpec, TrainingEngine } from "./engine.js";
import type { TrainingMessage, TrainingParts, TrainingReply, TrainingRequest } from "./protocol.js";

interface Pending {
  resolve(value: never): void;
  reject(error: WebertError): void;
  progress?(event: LoadEvent): void;
  event?(event: unknown): unknown;
  /** An error thrown by the caller's callback; the call rejects with it. */
  thrown?: WebertError;
}

type TrainingPort = Port & { terminate(): void };

/** Calls to a training Worker. A reply finds its call by its id. */
export class TrainingWorker {
  readonly #port: TrainingPort;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #over: WebertError | undefined;
  /** The latest description of the model, if it changed after the load. */
  info: TrainingParts["info"] | undefined;

  constructor(port: TrainingPort) {
    this.#port = port;
    port.onmessage = ({ data }) => void this.#receive(data as TrainingReply);
    port.onerror = (event) => {
      event.preventDefault?.();
      const stopped = event.message && `the Worker's script stopped: ${event.message}`;
      this.end(new WebertError(stopped ? "device_lost" : "network", stopped || WORKER_MISSING));
    };
  }

  /** Makes a call. It settles when the Worker has ended it, even if `signal` aborts. */
  async call<T>(
    request: TrainingRequest,
    { signal, event, progress }: CallControl<never> & Partial<Control> = {},
  ): Promise<T> {
    if (this.#over) throw this.#over;
    throwIfAborted(signal);
    const id = ++this.#last;
    const unfollow = signal && onAbort(signal, () => this.#send({ id, cancel: true }));
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject, progress, event: event as Pending["event"] });
        this.#send({ id, ...request });
      });
    } catch (error) {
      throw WebertError.from(error);
    } finally {
      this.#pending.delete(id);
      unfollow?.();
    }
  }

  /** Ends the Worker. Pending and later calls reject with `why`. */
  end(why: WebertError): void {
    this.#over ??= why;
    for (const { reject } of this.#pending.values()) reject(this.#over);
    this.#port.terminate();
  }

  #send(message: TrainingMessage): void {
    this.#port.postMessage(message);
  }

  async #receive(reply: TrainingReply): Promise<void> {
    if ("info" in reply) this.info = reply.info;
    const { id } = reply;
    const call = this.#pending.get(id);
    if (!call) return;
    if ("result" in reply) return call.resolve(reply.result as never);
    if ("error" in reply) return call.reject(call.thrown ?? WebertError.unpack(reply.error));
    try {
      if ("progress" in reply) call.progress?.(reply.progress);
      else await call.event?.(reply.event);
    } catch (error) {
      // Stop the Worker; when it replies, the call rejects with this error.
      call.thrown ??= WebertError.from(error);
      this.#send({ id, cancel: true });
    }
    if ("event" in reply) this.#send({ id, acknowledged: true });
  }
}

/** A model in training in a separate Worker. Closing it ends the Worker, which frees all its memory. */
export class RemoteTrainer implements TrainingEngine {
  readonly #worker: TrainingWorker;
  readonly #loaded: TrainingParts;

  private constructor(worker: TrainingWorker, loaded: TrainingParts) {
    this.#worker = worker;
    this.#loaded = loaded;
  }

  static async load(port: TrainingPort, spec: TrainerSpec, control: Control): Promise<RemoteTrainer> {
    const worker = new TrainingWorker(port);
    try {
      return new RemoteTrainer(worker, await worker.call({ call: "load", args: [spec] }, control));
    } catch (error) {
      worker.end(WebertError.from(error));
      throw error;
    }
  }

  get info(): TrainingParts["info"] {
    return this.#worker.info ?? this.#loaded.info;
  }

  get parts(): TrainingParts["parts"] {
    return this.#loaded.parts;
  }

  call<M extends keyof TrainerCalls>(
    method: M,
    args: TrainerCalls[M]["args"],
    control?: CallControl<TrainerCalls[M]["event"]>,
  ): Promise<TrainerCalls[M]["result"]> {
    return this.#worker.call({ call: method, args }, control as CallControl<never>);
  }

  async close(): Promise<void> {
    this.#worker.end(new WebertError("disposed", "the trainer was disposed of"));
  }
}
