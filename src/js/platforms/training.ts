// What training needs of a platform beside what models need. Each platform's is imported by those alone who train.
import type { Control } from "../checkpoint/folder.js";
import type { TrainerSpec, TrainingEngine } from "../engine/training/engine.js";
import type { VocabularySpec } from "../engine/training/vocabulary.js";

/** What trains on a platform. */
export interface Training {
  load(spec: TrainerSpec, control: Control, inWorker: boolean): Promise<TrainingEngine>;
  vocabulary(spec: VocabularySpec, signal: AbortSignal | undefined, inWorker: boolean): Promise<Record<string, string>>;
}
