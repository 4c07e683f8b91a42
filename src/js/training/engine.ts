// Interface of a model in training. local.ts implements it in this thread, remote.ts in a Worker.

import type { EngineModel, LoadSpec } from "../engine/engine.js";
import type { Explanation, ExplanationStep } from "../engine/explanation.js";
import type { RawInputs } from "../engine/wasm.js";
import type { PeftSetup } from "./peft.js";
import type { Freeze } from "./training.js";
import type { Metrics, TrainingEvent, TrainingResult } from "./training-arguments.js";

/** How to turn a checkpoint into a model in training. */
export interface TrainerSetup {
  /** The canonical name of the task. */
  task: string;
  /** Labels of a new head; absent keeps the checkpoint's head. */
  labels?: readonly string[];
  problem_type?: string;
  freeze: Freeze;
  seed: number;
  /** Low-rank adapters that are trained instead of the weights. */
  peft?: PeftSetup;
  /** Whether to draw all weights instead of loading them. */
  blank?: boolean;
  /** Whether to continue from the files of a training checkpoint. */
  resume?: boolean;
}

/** What to train, and how to load it. */
export type TrainerSpec = LoadSpec & {
  trainer: TrainerSetup;
  /** Place of the generator, the model that makes replacements for replaced-token detection. */
  generator?: Pick<LoadSpec, "place" | "hub">;
  /** Place of the model whose outputs are targets. */
  teacher?: Pick<LoadSpec, "place" | "hub">;
};

/** Labels of a batch by name, row-major. */
export type RawLabels = Record<string, { dims: number[]; data: Float32Array }>;

type StepEvent = Extract<TrainingEvent, { type: "step" }>;

/**
 * An event of a run. A step event carries its number of tokens; rates and times are computed from it by the
 * receiver's clock.
 */
export type RunEvent =
  | Exclude<TrainingEvent, StepEvent>
  | (Omit<StepEvent, "tokens_per_second" | "seconds_left"> & { tokens: number });

/**
 * What to save: the model; the model before its adapters were added, with what a run needs to continue; or the adapters.
 */
export type SavedKind = "model" | "state" | "adapter";

/** The next bytes of a saved file. */
export interface SavedPart {
  file: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The calls of a trainer: arguments, result, and events sent while the call runs. */
export interface TrainerCalls {
  run: { args: Parameters<EngineModel["run"]>; result: unknown[]; event: never };
  forward: {
    args: Parameters<EngineModel["forward"]>;
    result: Awaited<ReturnType<EngineModel["forward"]>>;
    event: never;
  };
  explain: {
    args: [task: string, input: object, options: object];
    result: Explanation;
    event: ExplanationStep;
  };
  step: {
    args: [batches: RawInputs[], labels: RawLabels, options: object];
    result: { loss: number; grad_norm: number };
    event: never;
  };
  loss: { args: [batches: RawInputs[], labels: RawLabels]; result: { loss: number }; event: never };
  train: {
    args: [rows: readonly unknown[], evalRows: readonly unknown[] | undefined, options: object];
    result: TrainingResult;
    event: RunEvent;
  };
  evaluate: { args: [rows: readonly unknown[], options: object]; result: Metrics; event: never };
  /** Metrics of scores of another head, and of the shares of their labels, both [rows, labels]. */
  score_metrics: {
    args: [scores: Float32Array, targets: Float32Array, labels: number, several: boolean];
    result: Metrics;
    event: never;
  };
  save: { args: [what: SavedKind, base?: string]; result: undefined; event: SavedPart };
}

/** How to stop a call, and who receives its events. The call waits for `event`; an error thrown by it ends the call. */
export interface CallControl<E> {
  signal?: AbortSignal;
  event?: (event: E) => unknown;
}

/**
 * A model in training. Calls wait for each other, except `run`, `forward` and `explain`: they run between two steps.
 */
export interface TrainingEngine {
  /** Changes when the GPU was lost and the CPU took over. */
  readonly info: EngineModel["info"];
  /** Files and other parts that were loaded with the model. config.json describes the model in training. */
  readonly parts: EngineModel["parts"];
  call<M extends keyof TrainerCalls>(
    method: M,
    args: TrainerCalls[M]["args"],
    control?: CallControl<TrainerCalls[M]["event"]>,
  ): Promise<TrainerCalls[M]["result"]>;
  /** Frees everything. Pending and later calls reject with `disposed`. */
  close(): Promise<void>;
}
