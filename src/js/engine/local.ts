// An engine in this thread, a Worker's or the page's own.
import { abortable, abortError, linked, onAbort, throwIfAborted, yieldToEventLoop } from "../abort.js";
import { WebertError } from "../errors.js";
import { Mutex } from "../mutex.js";
import type { Control } from "../sources/types.js";
import { cpuInstead } from "./device.js";
import type { Engine, EngineModel, LoadSpec, Machine, Parts } from "./engine.js";
import { attachModel, type Exclusively, type Loaded, loadModel } from "./loading.js";
import type { Encoder } from "./shared-encoder.js";
import type { ModelInfo, RawInputs, RawTensor, WasmModel } from "./wasm.js";

/**
 * An engine in this thread. A trap ends its models, but not the engine: the next load begins with the encoder again. So does
 * the next call of a model whose GPU was lost; the other models are attached to that encoder by their own next calls.
 */
export class LocalEngine implements Engine {
  /** Whose turn it is to compute: one forward pass at a time. */
  readonly passes = new Mutex();
  readonly isOver = false;
  readonly #machine: Machine;
  readonly #loads = new Mutex();
  readonly #models = new Set<LocalModel>();
  readonly #end = new AbortController();
  /** What models are attached to. */
  #encoder: Encoder | undefined;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async load(spec: LoadSpec, control: Control): Promise<EngineModel | undefined> {
    try {
      return await linked([control.signal, this.#end.signal], async (signal) => {
        const end = await abortable(this.#loads.lock(), signal, (end) => end());
        try {
          const loaded = await this.#load(spec, { ...control, signal });
          return loaded && this.#keep(loaded, spec);
        } finally {
          end();
        }
      });
    } catch (error) {
      throw WebertError.from(error);
    }
  }

  /** Loads a model again after its device failed, in a turn of its own: with the encoder, unless that was loaded again already. */
  async reload({ encoder }: Loaded, spec: LoadSpec, signal: AbortSignal, why: string): Promise<Loaded> {
    const present = this.#encoder;
    if (present && present !== encoder && present.model) {
      const attached = await attachModel(present, spec, { signal }, this.#machine, async (work) => work());
      if (attached) return attached;
    }
    // Under "auto" a GPU that failed is not trusted again.
    const cpu = spec.how.device === "auto" ? cpuInstead(`the GPU was in use until it failed: ${why}`) : undefined;
    const loaded = await loadModel(spec, { signal }, this.#machine, cpu);
    this.#encoder = loaded.encoder;
    return loaded;
  }

  /** A model is closed. */
  forget(model: LocalModel): void {
    this.#models.delete(model);
  }

  async close(): Promise<void> {
    this.#end.abort(new WebertError("disposed", "the model was disposed of"));
    await Promise.all([...this.#models].map((model) => model.close()));
  }

  async #load(spec: LoadSpec, control: Control): Promise<Loaded | undefined> {
    const encoder = this.#encoder;
    if (encoder?.model) {
      const exclusively: Exclusively = async (work) => this.passes.runExclusive(work);
      const attached = await attachModel(encoder, spec, control, this.#machine, exclusively);
      if (attached || encoder.model) return attached;
    }
    const loaded = await loadModel(spec, control, this.#machine);
    this.#encoder = loaded.encoder;
    return loaded;
  }

  #keep(loaded: Loaded, spec: LoadSpec): EngineModel {
    const model = new LocalModel(this, loaded, spec);
    this.#models.add(model);
    return model;
  }
}

type Work<T> = (model: WasmModel, tick: () => Promise<void>) => Promise<T>;

/** A call under way. */
interface Call {
  /** Why it is to end before its time: its promise has been rejected, and its work ends at its next tick. */
  stopped?: WebertError;
  stop(why: WebertError): void;
}

/**
 * A model in this thread. The wasm side makes one forward pass at a time: calls of all models of the engine take turns, and a
 * turn ends with a pass. A call of one pass takes one turn, so that of those that wait the wasm side knows nothing. Where the
 * GPU's device is lost, the calls under way end in `device_lost`, or under "auto" are answered by the CPU; the model is loaded
 * again for the next. Under "auto" the CPU also answers what the GPU refuses, and all that comes after it.
 */
class LocalModel implements EngineModel {
  readonly #engine: LocalEngine;
  readonly #spec: LoadSpec;
  /** Undefined once it has been given back. */
  #loaded: Loaded | undefined;
  #info: ModelInfo;
  #parts: Parts;
  #unlisten: () => void;
  readonly #calls = new Set<Call>();
  /** Why no call can be made any more: the model is disposed of, or a trap has ended its instance. */
  #over: WebertError | undefined;
  /** Aborts then: what is loaded again is not waited for. */
  readonly #end = new AbortController();

  constructor(engine: LocalEngine, loaded: Loaded, spec: LoadSpec) {
    this.#engine = engine;
    this.#spec = spec;
    this.#loaded = loaded;
    this.#info = loaded.info;
    this.#parts = loaded.parts;
    this.#unlisten = this.#listen(loaded);
  }

  get info(): ModelInfo {
    return this.#info;
  }

  get parts(): Parts {
    return this.#parts;
  }

  run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]> {
    return this.#call((model, tick) => model.run(task, inputs, options, tick), signal);
  }

  forward(inputs: RawInputs, options: object, signal?: AbortSignal): Promise<Record<string, RawTensor | RawTensor[]>> {
    return this.#call((model, tick) => model.forward(inputs, options, tick), signal);
  }

  async close(): Promise<void> {
    if (this.#over) return;
    this.#finish(new WebertError("disposed", "the model was disposed of"));
    await this.#engine.passes.runExclusive(() => this.#free()); // a turn after those of its calls: their work has ended
  }

  #listen({ encoder }: Loaded): () => void {
    return encoder.wasm.onfail((failure) => {
      this.#finish(failure);
      this.#free();
    });
  }

  #finish(why: WebertError): void {
    this.#over ??= why;
    this.#engine.forget(this);
    this.#end.abort(why);
    for (const call of this.#calls) call.stop(why);
  }

  #free(): void {
    this.#unlisten();
    this.#loaded?.free();
    this.#loaded = undefined;
  }

  #call<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#over) throw this.#over;
      throwIfAborted(signal);
      const call: Call = {
        stop(why) {
          call.stopped ??= why;
          reject(why);
        },
      };
      const unfollow = signal && onAbort(signal, () => call.stop(abortError(signal)));
      this.#calls.add(call);
      const done = () => {
        unfollow?.();
        this.#calls.delete(call);
      };
      this.#runWhenFree(work, call)
        .then(resolve, (error: unknown) => reject(WebertError.from(error)))
        .finally(done);
    });
  }

  async #runWhenFree<T>(work: Work<T>, call: Call): Promise<T> {
    const { passes } = this.#engine;
    const check = () => {
      if (call.stopped) throw call.stopped;
    };
    let end = await passes.lock();
    let isOver = false;
    try {
      check();
      await yieldToEventLoop();
      check();
      if (this.#loaded!.model.lost()) await this.#reload("its device was lost");
      check();
      let hasTicked = false;
      const tick = async () => {
        check();
        await yieldToEventLoop();
        check();
        if (hasTicked) {
          end();
          end = await passes.lock();
          if (isOver) end();
        }
        hasTicked = true;
        check();
      };
      const loaded = this.#loaded!;
      try {
        return await work(loaded.model, tick);
      } catch (error) {
        check();
        await this.#replace(loaded, error);
        check();
        return await work(this.#loaded!.model, tick);
      }
    } finally {
      isOver = true;
      end();
    }
  }

  /** Sees to another model where a call failed on `used` for what its device is; else throws the error. */
  async #replace(used: Loaded, error: unknown): Promise<void> {
    const { code, message } = WebertError.from(error);
    const isAuto = this.#spec.how.device === "auto";
    const mayBe = isAuto && used.info.device === "webgpu" && (code === "device_lost" || code === "unsupported");
    if (!mayBe) throw error;
    if (this.#loaded !== used) return; // another call has
    if (code === "unsupported" && !used.model.refused()) throw error;
    await this.#reload(message);
  }

  /** Loads the model again, from where it came from. */
  async #reload(why: string): Promise<void> {
    const { signal } = this.#end;
    const again = this.#engine.reload(this.#loaded!, this.#spec, signal, why);
    const loaded = await abortable(again, signal, ({ free }) => free());
    this.#free();
    this.#loaded = loaded;
    this.#info = loaded.info;
    this.#parts = loaded.parts;
    this.#unlisten = this.#listen(loaded);
  }
}
