// Training in Node: in this thread or in a Worker, with a pool of threads.

import type { Platform } from "../../engine/open.js";
import { WebertError } from "../../errors.js";
import { LocalTrainer } from "../../training/local.js";
import { RemoteTrainer, TrainingWorker } from "../../training/remote.js";
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
    async vocabulary(spec, signal, inWorker) {
      if (!inWorker) return vocabularyFiles(spec, platform.machine, signal);
      const worker = new TrainingWorker(startNodeWorker("training"));
      try {
        return await worker.call({ call: "vocabulary", args: [spec] }, { signal });
      } finally {
        worker.end(new WebertError("disposed", "the vocabulary is made"));
      }
    },
  });
