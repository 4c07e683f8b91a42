// A model in training as the page calls it, the same in this thread (local.ts) and in a Worker (remote.ts).
import type { Explanation, ExplanationStep } from "../../api/tasks.js";
import type { Freeze, Metrics, TrainingEvent, TrainingResult } from "../../api/training.js";
import type { EngineModel, LoadSpec } from "../engine.js";
import type { RawInputs } from "../wasm.js";

/** What is made of a checkpoint to be trained. */
export interface TrainerSetup {
  /** The canonical name of the task. */
  task: string;
  /** Of a new head; absent: the checkpoint's own. */
  labels?: readonly string[];
  problem_type?: string;
  freeze: Freeze;
  seed: number;
  /** Whether there are no weights, and all are drawn. */
  blank?: boolean;
  /** Whether to go on from the files of a checkpoint of training. */
  resume?: boolean;
}

/** What is to be trained, and how it is loaded. */
export type TrainerSpec = LoadSpec & {
  trainer: TrainerSetup;
  /** Where the model is that makes the replacements of replaced-token detection. */
  generator?: Pick<LoadSpec, "place" | "hub">;
};

/** Labels of a batch by their names, row-major. */
export type RawLabels = Record<string, { dims: number[]; data: Float32Array }>;

type StepEvent = Extract<TrainingEvent, { type: "step" }>;

/** What a step or an evaluation of a run tells: of a step its tokens, in place of what is told from them by the clock. */
export type RunEvent =
  | Exclude<TrainingEvent, StepEvent>
  | (Omit<StepEvent, "tokens_per_second" | "seconds_left"> & { tokens: number });

/** The next bytes of a file that is saved. */
export interface SavedPart {
  file: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The calls of a trainer: what each takes, tells while it is under way, and gives. */
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
  /** `state`: with all that a run goes on from. */
  save: { args: [state: boolean]; result: undefined; event: SavedPart };
}

/** How a call can be stopped, and who is told what it tells. The call waits for `event`; what that throws ends it. */
export interface CallControl<E> {
  signal?: AbortSignal;
  event?: (event: E) => unknown;
}

/** A model in training. Calls wait for each other but for `run`, `forward` and `explain`, which are made between two steps. */
export interface TrainingEngine {
  /** Another one after the GPU was lost and the CPU took over. */
  readonly info: EngineModel["info"];
  /** What was loaded with the model; its config.json is that of the model in training. */
  readonly parts: EngineModel["parts"];
  call<M extends keyof TrainerCalls>(
    method: M,
    args: TrainerCalls[M]["args"],
    control?: CallControl<TrainerCalls[M]["event"]>,
  ): Promise<TrainerCalls[M]["result"]>;
  /** Frees everything; calls under way and later ones reject with `disposed`. */
  close(): Promise<void>;
}
