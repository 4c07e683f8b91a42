// An engine in a Worker: the page's part of protocol.ts.
import { linked } from "../abort.js";
import { WebertError } from "../errors.js";
import type { LoadEvent } from "../sources/source.js";
import type { Control } from "../sources/types.js";
import type { Engine, EngineModel, LoadSpec, Release } from "./engine.js";
import type { LoadedParts, Request } from "./protocol.js";
import type { ModelInfo, RawInputs, RawTensor } from "./wasm.js";
import { WorkerCalls, type WorkerPort } from "./worker-calls.js";

/** An engine in a Worker. Closing it frees all its memory. */
export class RemoteEngine implements Engine {
  readonly #calls: WorkerCalls<Request>;
  readonly #models = new Map<number, RemoteModel>();

  constructor(port: WorkerPort) {
    this.#calls = new WorkerCalls(port, (id, info) => {
      const model = this.#models.get(id);
      if (model) model.info = info as ModelInfo;
    });
  }

  get isOver(): boolean {
    return this.#calls.isOver;
  }

  async load(
    spec: LoadSpec,
    { signal, progress }: Control,
    release: Release = (freeHead) => freeHead(),
  ): Promise<EngineModel | undefined> {
    const calls = this.#calls;
    const id = calls.id();
    const close = async () => {
      this.#models.delete(id);
      // Rejects if the Worker ends, and the model with it.
      if (!calls.isOver) await calls.call({ call: "close", model: id }).catch(() => {});
    };
    const late = (loaded: LoadedParts | undefined) => void (loaded && close());
    const request: Request = { call: "load", args: [{ ...spec, reports: progress !== undefined }] };
    const loaded = await calls.call<LoadedParts | undefined, LoadEvent>(request, { signal, event: progress, late }, id);
    if (!loaded) return undefined;
    const model = new RemoteModel(calls, id, loaded, close, release);
    this.#models.set(id, model);
    return model;
  }

  /** Ends the Worker. Completely received files of a stopped load are stored first. */
  async close(): Promise<void> {
    this.#calls.end(new WebertError("disposed", "the model was disposed of"));
  }
}

/** A model of an engine in a Worker. */
class RemoteModel implements EngineModel {
  info: LoadedParts["info"];
  readonly parts: LoadedParts["parts"];
  readonly #calls: WorkerCalls<Request>;
  readonly #id: number;
  readonly #close: () => Promise<void>;
  readonly #release: Release;
  #closing: Promise<void> | undefined;
  /** Aborts when the model was disposed of. */
  readonly #end = new AbortController();

  constructor(
    calls: WorkerCalls<Request>,
    id: number,
    { info, parts }: LoadedParts,
    close: () => Promise<void>,
    release: Release,
  ) {
    this.#calls = calls;
    this.#id = id;
    this.#close = close;
    this.#release = release;
    this.info = info;
    this.parts = parts;
  }

  run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]> {
    return this.#call({ call: "run", model: this.#id, args: [task, inputs, options] }, signal);
  }

  forward(inputs: RawInputs, options: object, signal?: AbortSignal): Promise<Record<string, RawTensor | RawTensor[]>> {
    return this.#call({ call: "forward", model: this.#id, args: [inputs, options] }, signal);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#release(() => {
      this.#end.abort(new WebertError("disposed", "the model was disposed of"));
      return this.#close();
    }));
  }

  #call<T>(request: Request, signal: AbortSignal | undefined): Promise<T> {
    return linked([this.#end.signal, signal], (signal) => this.#calls.call<T>(request, { signal }));
  }
}
