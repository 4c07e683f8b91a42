import type { EngineModel } from "../engine/engine.js";
import type { ModelInfo } from "../engine/wasm.js";

/** What every model and pipeline has beside being callable. */
export interface Handle {
  /** Facts about the device and the model. */
  readonly info: ModelInfo;
  /** Frees everything. Calls under way and later ones reject with `disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Older browsers lack the symbol; a `using` compiled for them looks for this one. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** Returns `call` with the facts about its engine and the ways to dispose of it. */
export function handleOf<C extends object>(engine: EngineModel, call: C, dtype_reason?: string): C & Handle {
  const dispose = () => engine.close();
  Object.defineProperty(call, "info", {
    get: () => (dtype_reason ? { ...engine.info, dtype_reason } : engine.info),
    enumerable: true,
  });
  return Object.assign(call, { dispose, [asyncDispose]: dispose }) as C & Handle;
}
