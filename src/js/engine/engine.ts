import type { WasmPaths } from "../api/env.js";
import type { Explanation, ExplanationStep } from "../api/tasks.js";
import type { Control } from "../checkpoint/folder.js";
import type { Hub } from "../checkpoint/origin.js";
import type { Place } from "../checkpoint/source.js";
import type { Parts } from "./loading.js";
import type { LoaderOptions, ModelInfo, RawInputs, RawTensor } from "./wasm.js";

/** What is to be loaded, and how. Can be posted to a Worker. */
export interface LoadSpec {
  /** Whether the load is to report its progress. */
  reports?: boolean;
  place: Place;
  /** Place of modules.json, if the model is in a folder below it. */
  modulesPlace?: Place;
  how: LoaderOptions;
  /** Whether the model needs a tokenizer: a pipeline does, a model called with ids does not, one in training may. */
  tokenizer: boolean;
  /** Whether to read what sentence-transformers says of the checkpoint. */
  modules: boolean;
  wasmPaths: WasmPaths;
  /** How many threads were asked for; 0: as many as useful. */
  threads: number;
  /** Where other models are, if that is where the place is. */
  hub?: Hub;
  /** Fields that take the place of those in config.json. */
  config?: object;
  /** Of a model that is to be trained, by a binary with all features: see training/engine.ts. */
  trainer?: { blank?: boolean };
}

/** One encoder on one device, and models over it. The same in this thread (local.ts) and across postMessage (remote.ts). */
export interface Engine {
  /** Whether nothing can be loaded any more. */
  readonly isOver: boolean;
  /**
   * Loads a model: the first one with its encoder, those after it by their heads alone. One load at a time, in the order of
   * the calls. Undefined: the model cannot share the encoder that is there, which is another by its configuration, or has
   * left no room on the GPU.
   */
  load(spec: LoadSpec, control: Control): Promise<EngineModel | undefined>;
  /** Frees everything, and ends what computes it; calls under way and later ones reject with `disposed`. */
  close(): Promise<void>;
}

/** One model of an engine: a head over the engine's encoder. */
export interface EngineModel {
  /** Another one after the GPU was lost and the CPU took over. */
  readonly info: ModelInfo;
  /** What else was loaded with the model. */
  readonly parts: Parts;
  /** One result an input. All calls of an engine take turns, pass by pass; any of them can be stopped by its signal. */
  run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]>;
  /** The model's outputs by name. */
  forward(inputs: RawInputs, options: object, signal?: AbortSignal): Promise<Record<string, RawTensor | RawTensor[]>>;
  /** How much each token of a text adds to an answer; of a model in training. */
  explain?(
    task: string,
    input: object,
    options: object,
    control: { signal?: AbortSignal; event?: (step: ExplanationStep) => unknown },
  ): Promise<Explanation>;
  /** Frees the head; calls of this model under way and later ones reject with `disposed`. */
  close(): Promise<void>;
}
