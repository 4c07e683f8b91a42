// Requirements of training on a platform. Each platform's implementation is imported only by pages that train.
import type { Control } from "../sources/types.js";
import type { TrainerSpec, TrainingEngine } from "./engine.js";
import type { VocabularySpec } from "./vocabulary.js";

/** The parts of a platform that train. */
export interface Training {
  load(spec: TrainerSpec, control: Control, inWorker: boolean): Promise<TrainingEngine>;
  vocabulary(spec: VocabularySpec, signal: AbortSignal | undefined, inWorker: boolean): Promise<Record<string, string>>;
}
