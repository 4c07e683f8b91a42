import { abortable, abortError, breathe, linked, onAbort, throwIfAborted } from "../abort.js";
import type { Control } from "../checkpoint/folder.js";
import { WebertError } from "../errors.js";
import { cpuInstead } from "./device.js";
import type { Engine, LoadSpec } from "./engine.js";
import { type Loaded, loadModel, type Machine, type Parts } from "./loading.js";
import { Turns } from "./turns.js";
import type { ModelInfo, RawInputs, RawTensor, WasmModel } from "./wasm.js";

/** Loads a model into this thread. */
export async function openLocal(spec: LoadSpec, control: Control, machine: Machine): Promise<Engine> {
  const isAuto = spec.how.device === "auto";
  // Under "auto" a GPU that goes is not trusted again.
  const again = (signal: AbortSignal, why: string) =>
    loadModel(spec, { signal }, machine, isAuto ? cpuInstead(why) : undefined);
  try {
    const loaded = await linked([control.signal], (signal) => loadModel(spec, { ...control, signal }, machine));
    return new LocalEngine(loaded, again, isAuto);
  } catch (error) {
    throw WebertError.from(error);
  }
}

type Again = (signal: AbortSignal, why: string) => Promise<Loaded>;
type Work<T> = (model: WasmModel, tick: () => Promise<void>) => Promise<T>;

/** A call under way. */
interface Call {
  /** Why it is to end before its time: its promise has been rejected, and its work ends at its next tick. */
  stopped?: WebertError;
  stop(why: WebertError): void;
}

/**
 * A model in this thread. The wasm side makes one forward pass at a time: calls take turns, and a turn ends with a pass. A call
 * of one pass takes one turn, so that of those that wait the wasm side knows nothing. Where the GPU's device is lost, the
 * calls under way end in `device_lost`, or under "auto" are answered by the CPU; the model is loaded again for the next.
 * Under "auto" the CPU also answers what the GPU refuses, and all that comes after it.
 */
class LocalEngine implements Engine {
  /** Undefined once it has been given back. */
  #loaded: Loaded | undefined;
  #info: ModelInfo;
  #parts: Parts;
  #unlisten: () => void;
  readonly #again: Again;
  readonly #isAuto: boolean;
  readonly #calls = new Set<Call>();
  readonly #turns = new Turns();
  /** Why no call can be made any more: the model is disposed of, or a trap has ended its instance. */
  #over: WebertError | undefined;
  /** Aborts then: what is loaded again is not waited for. */
  readonly #end = new AbortController();

  constructor(loaded: Loaded, again: Again, isAuto: boolean) {
    this.#loaded = loaded;
    this.#info = loaded.info;
    this.#parts = loaded.parts;
    this.#again = again;
    this.#isAuto = isAuto;
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
    await this.#turns.take(); // the last one: all work has ended
    this.#give();
  }

  #listen({ wasm }: Loaded): () => void {
    return wasm.onfail((failure) => {
      this.#finish(failure);
      this.#give();
    });
  }

  #finish(why: WebertError): void {
    this.#over ??= why;
    this.#end.abort(why);
    for (const call of this.#calls) call.stop(why);
  }

  #give(): void {
    this.#unlisten();
    if (this.#loaded) give(this.#loaded);
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
      this.#perform(work, call)
        .then(resolve, (error: unknown) => reject(WebertError.from(error)))
        .finally(done);
    });
  }

  async #perform<T>(work: Work<T>, call: Call): Promise<T> {
    const check = () => {
      if (call.stopped) throw call.stopped;
    };
    let end = await this.#turns.take();
    let isOver = false;
    try {
      check();
      await breathe();
      check();
      if (this.#loaded!.model.lost()) await this.#reload("its device was lost");
      check();
      let hasTicked = false;
      const tick = async () => {
        check();
        await breathe();
        check();
        if (hasTicked) {
          end();
          end = await this.#turns.take();
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
    const mayBe = this.#isAuto && used.info.device === "webgpu" && (code === "device_lost" || code === "unsupported");
    if (!mayBe) throw error;
    if (this.#loaded !== used) return; // another call has
    if (code === "unsupported" && !used.model.refused()) throw error;
    await this.#reload(message);
  }

  /** Loads the model again, from where it came from. */
  async #reload(why: string): Promise<void> {
    const { signal } = this.#end;
    const loaded = await abortable(this.#again(signal, `the GPU was in use until it failed: ${why}`), signal, give);
    this.#give();
    this.#loaded = loaded;
    this.#info = loaded.info;
    this.#parts = loaded.parts;
    this.#unlisten = this.#listen(loaded);
  }
}

/** Gives a model's memory back. */
function give({ model, leave }: Loaded): void {
  model.free();
  leave();
}
