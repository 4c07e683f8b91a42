// What every model and pipeline has besides its call: facts about its engine, and its disposal.
import type { EngineModel } from "../engine/engine.js";
import type { ModelInfo } from "../engine/wasm.js";

/** Members of every model and pipeline besides the call itself. */
export interface Handle {
  /** Facts about the device and the model. */
  readonly info: ModelInfo;
  /** Frees everything. Running and later calls reject with `disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Older browsers do not have the symbol. `using`, compiled for them, looks for this one. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** Returns `call` with the facts about its engine and the methods that dispose of it. */
export function handleOf<C extends object>(engine: EngineModel, call: C, dtype_reason?: string): C & Handle {
  const dispose = () => engine.close();
  Object.defineProperty(call, "info", {
    get: () => (dtype_reason ? { ...engine.info, dtype_reason } : engine.info),
    enumerable: true,
  });
  return Object.assign(call, { dispose, [asyncDispose]: dispose }) as C & Handle;
}
