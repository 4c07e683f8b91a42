// An encoder of this thread, and the models that use it.
import type { WasmBuild } from "../env.js";
import type { Choice } from "./device.js";
import type { Wasm, WasmModel } from "./wasm.js";

/** An encoder in this thread: its binary, its device, and the models that use it. */
export class Encoder {
  readonly build: WasmBuild;
  readonly wasm: Wasm;
  readonly choice: Choice;
  readonly #models = new Set<WasmModel>();
  readonly #release: () => void;
  /** Whether the kernels of its GPU are still to be chosen. */
  pending = false;
  #holds = 0;

  /** `release` ends the use of threads. */
  constructor(build: WasmBuild, wasm: Wasm, choice: Choice, release: () => void) {
    this.build = build;
    this.wasm = wasm;
    this.choice = choice;
    this.#release = release;
  }

  /** Any model of this encoder; undefined if it has no model, or if its device was lost. */
  get model(): WasmModel | undefined {
    const [model] = this.#models;
    return model?.lost() ? undefined : model;
  }

  /** Adds a model and returns the function that frees it. When the last hold ends, the threads end. */
  add(model: WasmModel): () => void {
    this.#models.add(model);
    const release = this.hold();
    return () => {
      this.#models.delete(model);
      model.free();
      release();
    };
  }

  /** Keeps the threads until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    return () => {
      if (--this.#holds === 0) this.#release();
    };
  }
}
