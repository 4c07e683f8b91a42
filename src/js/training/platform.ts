// What training needs of a platform beside what models need. Each platform's is imported by those alone who train.
import type { Control } from "../sources/types.js";
import type { TrainerSpec, TrainingEngine } from "./engine.js";
import type { VocabularySpec } from "./vocabulary.js";

/** What trains on a platform. */
export interface Training {
  load(spec: TrainerSpec, control: Control, inWorker: boolean): Promise<TrainingEngine>;
  vocabulary(spec: VocabularySpec, signal: AbortSignal | undefined, inWorker: boolean): Promise<Record<string, string>>;
}
