import type { WasmBuild } from "../api/env.js";
import type { Choice } from "./device.js";
import type { Wasm, WasmModel } from "./wasm.js";

/** An encoder in this thread: what computes it, and the models over it. */
export class Encoder {
  readonly build: WasmBuild;
  readonly wasm: Wasm;
  readonly choice: Choice;
  readonly #models = new Set<WasmModel>();
  readonly #release: () => void;
  #holds = 0;

  /** `release` ends the use of threads. */
  constructor(build: WasmBuild, wasm: Wasm, choice: Choice, release: () => void) {
    this.build = build;
    this.wasm = wasm;
    this.choice = choice;
    this.#release = release;
  }

  /** One of the models over it; undefined where there is none, or its device has gone. */
  get model(): WasmModel | undefined {
    const [model] = this.#models;
    return model?.lost() ? undefined : model;
  }

  /** Adds a model; gives what frees it. With the last one that is held the threads go. */
  add(model: WasmModel): () => void {
    this.#models.add(model);
    const letGo = this.hold();
    return () => {
      this.#models.delete(model);
      model.free();
      letGo();
    };
  }

  /** Keeps its threads until what this gives is called. */
  hold(): () => void {
    this.#holds++;
    return () => {
      if (--this.#holds === 0) this.#release();
    };
  }
}
