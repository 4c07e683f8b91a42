// The interface of an engine: one encoder on one device, in this thread or in a Worker.
import type { WasmBuild, WasmPaths } from "../env.js";
import type { Hub } from "../sources/origin.js";
import type { OnnxChoice, Place } from "../sources/source.js";
import type { Control, Files, Reading } from "../sources/types.js";
import type { Threads } from "../threads/pool.js";
import type { Explanation, ExplanationStep } from "./explanation.js";
import type { KernelCache } from "./kernels.js";
import type { LoaderOptions, ModelInfo, RawInputs, RawTensor, ReadWasm } from "./wasm.js";

/** What loading requires from the machine. */
export type Machine = Reading & { readWasm: ReadWasm; threads: Threads };

/**
 * Other parts of a load: config.json, the tokenizer's files if requested, and the compiled binary, which other threads
 * can reuse.
 */
export interface Parts {
  files: Files;
  build: WasmBuild;
  module?: WebAssembly.Module;
}

/** What to load, and how. It can be posted to a Worker. */
export interface LoadSpec {
  /** Whether to report progress of the load. */
  reports?: boolean;
  place: Place;
  /** Place of modules.json, if the model is in a folder below it. */
  modulesPlace?: Place;
  /** Place of a PEFT adapter of the model. */
  adapter?: Place;
  /** The config files, if the folder has no config.json: see sources/gliner-folders.ts. */
  configs?: Files;
  /** Place of the tokenizer's files, if it is not `place`. */
  tokenizerPlace?: Place;
  how: LoaderOptions;
  /** Whether the model needs a tokenizer. Pipelines do, models called with ids do not, models in training may. */
  tokenizer: boolean;
  /** Whether to read the modules of sentence-transformers. */
  modules: boolean;
  wasmPaths: WasmPaths;
  /** Requested number of threads; 0 means as many as useful. */
  threads: number;
  /** Where to find other models, if the place is on this hub. */
  hub?: Hub;
  /** Fields that override fields of config.json. */
  config?: object;
  /** The ONNX file to load; absent if none may be read. */
  onnx?: OnnxChoice;
  /** Set for a model that will be trained by a binary with all features: see training/engine.ts. */
  trainer?: { blank?: boolean };
  /** Where the kernels that a GPU computes with are kept; absent if nothing is kept. */
  kernelCache?: KernelCache;
  /** Whether the caller chooses the kernels of a GPU after the load. */
  choosesLater?: boolean;
  /** Whether the model returns values inside its layers, which requires a binary with all features. */
  inspect?: boolean;
}

/**
 * One encoder on one device, and the models that share it. local.ts implements it in this thread, remote.ts across
 * postMessage.
 */
export interface Engine {
  /** Called after the facts about models have changed between calls. */
  onchange?: () => void;
  /** Whether the engine can no longer load models. */
  readonly isOver: boolean;
  /**
   * Loads a model: the first one with its encoder, later ones only by their heads. Loads run one at a time, in the
   * order of the calls. Returns undefined if the model cannot share the existing encoder, because their
   * configurations differ or the GPU has no room left. `release` is called when the model is closed for the first time;
   * by default it frees the head.
   */
  load(spec: LoadSpec, control: Control, release?: Release): Promise<EngineModel | undefined>;
  /** Frees everything and ends the Worker or threads. Pending and later calls reject with `disposed`. */
  close(): Promise<void>;
}

/** Closes a model: `freeHead` frees its head only. */
export type Release = (freeHead: () => Promise<void>) => Promise<void>;

/** One model of an engine: a head over the engine's encoder. */
export interface EngineModel {
  /** Facts about the model. They change if the GPU was measured, or was lost and the CPU took over. */
  readonly info: ModelInfo;
  /** Files and other parts that were loaded with the model. */
  readonly parts: Parts;
  /**
   * Returns one result per input. All calls of an engine take turns after each forward pass; a signal stops its own
   * call.
   */
  run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]>;
  /** Returns the model's outputs by name. */
  forward(inputs: RawInputs, options: object, signal?: AbortSignal): Promise<Record<string, RawTensor | RawTensor[]>>;
  /** Explains an answer by a score per token. Only models in training have it. */
  explain?(
    task: string,
    input: object,
    options: object,
    control: { signal?: AbortSignal; event?: (step: ExplanationStep) => unknown },
  ): Promise<Explanation>;
  /** Frees the head, once. Pending and later calls of this model reject with `disposed`. */
  close(): Promise<void>;
}
