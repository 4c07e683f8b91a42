// Training in browsers: in a Worker with a separate script, or in this thread.

import type { Machine } from "../engine/engine.js";
import type { Platform } from "../engine/open.js";
import { reading } from "../engine/reading.js";
import { trainWorkerUrl } from "../sources/training-urls.js";
import { startWorker, workerThreads } from "../threads/workers.js";
import { LocalTrainer } from "../training/local.js";
import { RemoteTrainer, remoteVocabulary } from "../training/remote.js";
import { createTraining } from "../training/trainer.js";
import type { TrainingApi } from "../training/training.js";
import { vocabularyFiles } from "../training/vocabulary.js";

/** The differences between the entries for browsers. */
export interface BrowserTraining {
  /** Returns the URL of the package's train-worker.js. */
  workerUrl?(): string;
  readWasm?: Machine["readWasm"];
  /** Sends a Worker what it needs before its first load. */
  greet?(worker: Worker): void;
}

/** Returns the training functions of an entry for browsers. */
export function browserTraining(
  platform: Platform,
  { workerUrl = trainWorkerUrl, readWasm = reading.readWasm, greet }: BrowserTraining = {},
): TrainingApi {
  const machine: Machine = { ...reading, readWasm, threads: workerThreads(workerUrl) };
  const start = () => {
    const worker = startWorker(workerUrl());
    greet?.(worker);
    return worker;
  };
  return createTraining(platform, {
    load: async (spec, control, inWorker) =>
      inWorker ? RemoteTrainer.load(start(), spec, control) : LocalTrainer.load(spec, control, machine),
    vocabulary: async (spec, signal, inWorker) =>
      inWorker ? remoteVocabulary(start(), spec, signal) : vocabularyFiles(spec, machine, signal),
  });
}
