// Training in Node: in this thread or in a Worker, with a pool of threads.

import type { Platform } from "../../engine/open.js";
import { LocalTrainer } from "../../training/local.js";
import { RemoteTrainer, remoteVocabulary } from "../../training/remote.js";
import { createTraining } from "../../training/trainer.js";
import type { TrainingApi } from "../../training/training.js";
import { vocabularyFiles } from "../../training/vocabulary.js";
import { startNodeWorker } from "./worker-port.js";

/** Returns the training functions of this platform. */
export const nodeTraining = (platform: Platform): TrainingApi =>
  createTraining(platform, {
    load: async (spec, control, inWorker) =>
      inWorker
        ? RemoteTrainer.load(startNodeWorker("training"), spec, control)
        : LocalTrainer.load(spec, control, platform.machine),
    vocabulary: async (spec, signal, inWorker) =>
      inWorker
        ? remoteVocabulary(startNodeWorker("training"), spec, signal)
        : vocabularyFiles(spec, platform.machine, signal),
  });
