// Training in Node: always in this thread, with its pool of threads.
import { createTraining } from "../api/trainer.js";
import type { TrainingApi } from "../api/training.js";
import { LocalTrainer } from "../engine/training/local.js";
import { vocabularyFiles } from "../engine/training/vocabulary.js";
import type { Platform } from "../platforms/platform.js";

/** Returns the training functions of this platform. */
export const nodeTraining = (platform: Platform): TrainingApi =>
  createTraining(platform, {
    load: (spec, control) => LocalTrainer.load(spec, control, platform.machine),
    vocabulary: (spec, signal) => vocabularyFiles(spec, platform.machine, signal),
  });
