// An engine in this thread, which is a Worker or the page's own thread.
import { abortable, abortError, linked, onAbort, throwIfAborted, yieldToEventLoop } from "../abort.js";
import { WebertError } from "../errors.js";
import { Mutex } from "../mutex.js";
import type { Control } from "../sources/types.js";
import { type Choice, cpuInstead, gpuKernels } from "./device.js";
import type { Engine, EngineModel, LoadSpec, Machine, Parts, Release } from "./engine.js";
import type { Kernels } from "./kernels.js";
import { attachModel, type Exclusively, type Loaded, loadModel } from "./loading.js";
import type { Encoder } from "./shared-encoder.js";
import type { ModelInfo, RawInputs, RawTensor, WasmModel } from "./wasm.js";

/**
 * An engine in this thread. A trap ends its models, but not the engine: the next load loads the encoder again. If the
 * GPU is lost, the next call of a model loads the encoder again. Each other model attaches to it at its own next call.
 */
export class LocalEngine implements Engine {
  /**
   * The turns of the engine's calls, one pass each. The wasm side orders passes by itself. A turn also covers what is no
   * pass: a waiting call is not prepared yet, the bytes of another model are not stored until a pass ends, and a lost
   * model is loaded again, or freed, while no call uses it.
   */
  readonly passes = new Mutex();
  readonly isOver = false;
  readonly #machine: Machine;
  readonly #loads = new Mutex();
  readonly #models = new Set<LocalModel>();
  readonly #end = new AbortController();
  /** The encoder that models are attached to. */
  #encoder: Encoder | undefined;
  onchange?: () => void;
  /** False if a GPU failed when its kernels were chosen. The defaults are then used. */
  #canChoose = true;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async load(
    spec: LoadSpec,
    control: Control,
    release: Release = (freeHead) => freeHead(),
  ): Promise<EngineModel | undefined> {
    try {
      return await linked([control.signal, this.#end.signal], async (signal) => {
        const end = await abortable(this.#loads.lock(), signal, (end) => end());
        try {
          const loaded = await this.#load(spec, { ...control, signal });
          return loaded && this.#keep(loaded, spec, release);
        } finally {
          end();
        }
      });
    } catch (error) {
      throw WebertError.from(error);
    }
  }

  /**
   * Loads a model again after its device failed, in a separate turn. Also loads the encoder, unless another call has
   * done so.
   */
  async reload({ encoder }: Loaded, spec: LoadSpec, signal: AbortSignal, why: string): Promise<Loaded> {
    const present = this.#encoder;
    if (present && present !== encoder && present.model) {
      const attached = await attachModel(present, spec, { signal }, this.#machine, async (work) => work());
      if (attached) return attached;
    }
    // Under "auto", a GPU that failed is not used again.
    const cpu = spec.how.device === "auto" ? cpuInstead(`the GPU was in use until it failed: ${why}`) : undefined;
    return this.#loadFirst(spec, { signal }, cpu);
  }

  /** Removes a closed model. */
  forget(model: LocalModel): void {
    this.#models.delete(model);
  }

  async close(): Promise<void> {
    this.#end.abort(new WebertError("disposed", "the model was disposed of"));
    await Promise.all([...this.#models].map((model) => model.freeHead()));
  }

  async #load(spec: LoadSpec, control: Control): Promise<Loaded | undefined> {
    const encoder = this.#encoder;
    if (encoder?.model) {
      const exclusively: Exclusively = async (work) => this.passes.runExclusive(work);
      const attached = await attachModel(encoder, spec, control, this.#machine, exclusively);
      if (attached || encoder.model) return attached;
    }
    return this.#loadFirst(spec, control);
  }

  /** Loads a model with its encoder. */
  async #loadFirst(spec: LoadSpec, control: Control, given?: Choice): Promise<Loaded> {
    const loaded = await loadModel({ ...spec, choosesLater: true }, control, this.#machine, given);
    this.#encoder = loaded.encoder;
    void this.#chooseKernels(loaded.encoder, spec);
    return loaded;
  }

  /** Chooses the kernels of a GPU between calls. */
  async #chooseKernels(encoder: Encoder, { wasmPaths, kernelCache }: LoadSpec): Promise<void> {
    if (!encoder.pending) return;
    let kernels: Kernels | undefined;
    try {
      const { chooseKernels } = await gpuKernels(wasmPaths.gpu);
      const running = () => [...this.#models].flatMap(({ calls }) => [...calls]);
      const calls = { passes: this.passes, running, isOver: !this.#canChoose };
      kernels = await chooseKernels(encoder, encoder.choice.adapter!, calls, kernelCache);
    } catch {
      this.#canChoose = false; // if the device is lost, the next call finds out
    }
    encoder.pending = false;
    for (const model of this.#models) model.learn(encoder, kernels);
    this.onchange?.();
  }

  #keep(loaded: Loaded, spec: LoadSpec, release: Release): EngineModel {
    const model = new LocalModel(this, loaded, spec, release);
    this.#models.add(model);
    return model;
  }
}

type ModelWork<T> = (model: WasmModel, tick: () => Promise<void>) => Promise<T>;

/** A running call. */
interface RunningCall {
  /** Whether it has waited for a part of the choice of kernels. */
  isDelayed?: boolean;
  /** Reason to end early. The call's promise has been rejected; its work ends at its next tick. */
  stopped?: WebertError;
  stop(why: WebertError): void;
}

/**
 * A model in this thread. The wasm side computes one forward pass at a time: calls of all models of the engine take
 * turns, and a turn ends after a pass. A call of one pass takes one turn, so the wasm side never sees waiting calls. If
 * the GPU is lost, the running calls fail with `device_lost`; under "auto" the CPU answers them. The next call loads
 * the model again. Under "auto" the CPU also answers a call that the GPU refuses, and all later calls.
 */
class LocalModel implements EngineModel {
  readonly #engine: LocalEngine;
  readonly #spec: LoadSpec;
  readonly #release: Release;
  #closing: Promise<void> | undefined;
  /** Undefined after it was freed. */
  #loaded: Loaded | undefined;
  #info: ModelInfo;
  #parts: Parts;
  #unlisten: () => void;
  /** The calls that run or wait. */
  readonly calls = new Set<RunningCall>();
  /** Reason why calls are no longer possible: the model was disposed of, or a trap ended its instance. */
  #over: WebertError | undefined;
  /** Aborts when the model ends, so that a reload is not waited for. */
  readonly #end = new AbortController();

  constructor(engine: LocalEngine, loaded: Loaded, spec: LoadSpec, release: Release) {
    this.#engine = engine;
    this.#spec = spec;
    this.#release = release;
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

  close(): Promise<void> {
    return (this.#closing ??= this.#release(() => this.freeHead()));
  }

  /** Receives the kernels that its GPU computes with from now on; by default they stay. */
  learn(encoder: Encoder, kernels: Kernels = { ...this.#info.kernels!, pending: false }): void {
    if (this.#loaded?.encoder === encoder) this.#info = { ...this.#info, kernels };
  }

  async freeHead(): Promise<void> {
    if (this.#over) return;
    this.#finish(new WebertError("disposed", "the model was disposed of"));
    await this.#engine.passes.runExclusive(() => this.#free()); // this turn comes after the turns of its calls, so their work has ended
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
    for (const call of this.calls) call.stop(why);
  }

  #free(): void {
    this.#unlisten();
    this.#loaded?.free();
    this.#loaded = undefined;
  }

  #call<T>(work: ModelWork<T>, signal: AbortSignal | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#over) throw this.#over;
      throwIfAborted(signal);
      const call: RunningCall = {
        stop(why) {
          call.stopped ??= why;
          reject(why);
        },
      };
      const unfollow = signal && onAbort(signal, () => call.stop(abortError(signal)));
      this.calls.add(call);
      const done = () => {
        unfollow?.();
        this.calls.delete(call);
      };
      this.#runWhenFree(work, call)
        .then(resolve, (error: unknown) => reject(WebertError.from(error)))
        .finally(done);
    });
  }

  async #runWhenFree<T>(work: ModelWork<T>, call: RunningCall): Promise<T> {
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

  /** Reloads the model if a call on `used` failed because of its device. Otherwise throws the error. */
  async #replace(used: Loaded, error: unknown): Promise<void> {
    const { code, message } = WebertError.from(error);
    const isAuto = this.#spec.how.device === "auto";
    const mayBe = isAuto && used.info.device === "webgpu" && (code === "device_lost" || code === "unsupported");
    if (!mayBe) throw error;
    if (this.#loaded !== used) return; // another call has reloaded it
    if (code === "unsupported" && !used.model.refused()) throw error;
    await this.#reload(message);
  }

  /** Loads the model again from its source. */
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
