import { abortable, linked, ticker } from "./abort.js";
import { cpuInstead } from "./device.js";
import type { Engine, LoadSpec } from "./engine.js";
import { WebertError } from "./errors.js";
import type { Control } from "./hub.js";
import { completed, type Job } from "./job.js";
import { loadModel, type Loaded, type Machine, type Parts } from "./loading.js";
import { explain, type ModelInfo, type RawInputs, type RawTensor, type WasmModel } from "./wasm.js";

/** Loads a model into this thread. */
export async function openLocal(spec: LoadSpec, control: Control, machine: Machine): Promise<Engine> {
  const isAuto = spec.how.device === "auto";
  // Under "auto" a GPU that goes is not trusted again.
  const again = (signal: AbortSignal, why: string) => loadModel(spec, { signal }, machine, isAuto ? cpuInstead(why) : undefined);
  try {
    const loaded = await linked([control.signal], (signal) => loadModel(spec, { ...control, signal }, machine));
    return new LocalEngine(loaded, again, isAuto);
  } catch (error) {
    throw explain(error);
  }
}

type Again = (signal: AbortSignal, why: string) => Promise<Loaded>;
type Work<T> = (model: WasmModel, tick: () => Promise<void>) => Job<T>;

/**
 * A model in this thread. The wasm side takes one call at a time, so calls queue. Where the GPU's device is lost, the
 * call under way ends in `device_lost`, or under "auto" is answered by the CPU; the model is loaded again for the next.
 * Under "auto" the CPU also answers what the GPU refuses, and all that comes after it.
 */
class LocalEngine implements Engine {
  #loaded: Loaded;
  readonly #again: Again;
  readonly #isAuto: boolean;
  /** Aborts when no call can be made any more: the model is disposed of, or a trap has left it in an unknown state. */
  readonly #end = new AbortController();
  #closed = false;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(loaded: Loaded, again: Again, isAuto: boolean) {
    this.#loaded = loaded;
    this.#again = again;
    this.#isAuto = isAuto;
  }

  get info(): ModelInfo {
    return this.#loaded.info;
  }

  get parts(): Parts {
    return this.#loaded.parts;
  }

  run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]> {
    return this.#queue((model, tick) => model.run(task, inputs, options, tick), signal);
  }

  forward(inputs: RawInputs, options: object, signal?: AbortSignal): Promise<Record<string, RawTensor | RawTensor[]>> {
    return this.#queue((model, tick) => model.forward(inputs, options, tick), signal);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#end.abort(new WebertError("disposed", "the model was disposed of"));
    await this.#tail;
    give(this.#loaded);
  }

  /** `work` after all calls before it. A stopped call rejects at once, and its work ends at its next tick. */
  async #queue<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#tail;
    try {
      return await linked([this.#end.signal, signal], (stop) => {
        const turn = before.then(() => this.#perform(work, stop));
        this.#tail = turn.catch((error: unknown) => {
          if (error instanceof WebAssembly.RuntimeError) this.#end.abort(explain(error));
        });
        return abortable(turn, stop);
      });
    } catch (error) {
      throw explain(error);
    }
  }

  async #perform<T>(work: Work<T>, stop: AbortSignal): Promise<T> {
    const tick = ticker(stop);
    await tick();
    if (this.#loaded.model.lost()) await this.#reload(stop, "its device was lost");
    try {
      return await completed(work(this.#loaded.model, tick));
    } catch (error) {
      const { code, message } = WebertError.from(error);
      if (!this.#isAuto || this.info.device !== "webgpu") throw error;
      if (code !== "device_lost" && !(code === "unsupported" && this.#loaded.model.refused())) throw error;
      await this.#reload(stop, message);
      return completed(work(this.#loaded.model, tick));
    }
  }

  /** Loads the model again, from where it came from. */
  async #reload(signal: AbortSignal, why: string): Promise<void> {
    const gone = this.#loaded;
    this.#loaded = await this.#again(signal, `the GPU was in use until it failed: ${why}`);
    give(gone);
  }
}

/** Gives a model's memory back. */
function give({ model, leave }: Loaded): void {
  try {
    model.free();
  } catch {
    // after a trap there may be nothing to free it with
  }
  leave();
}
