// Training in Node: always in this thread, with a pool of threads.

import type { Platform } from "../../engine/open.js";
import { LocalTrainer } from "../../training/local.js";
import { createTraining } from "../../training/trainer.js";
import type { TrainingApi } from "../../training/training.js";
import { vocabularyFiles } from "../../training/vocabulary.js";

/** Returns the training functions of this platform. */
export const nodeTraining = (platform: Platform): TrainingApi =>
  createTraining(platform, {
    load: (spec, control) => LocalTrainer.load(spec, control, platform.machine),
    vocabulary: (spec, signal) => vocabularyFiles(spec, platform.machine, signal),
  });
