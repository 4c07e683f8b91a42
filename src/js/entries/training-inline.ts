// Training in webert/inline, which contains the Worker's script.
import script from "#train-worker-script";
import type { Platform } from "../engine/open.js";
import type { TrainingApi } from "../training/training.js";
import { greet, readWasm, urlOf } from "./inline.js";
import { browserTraining } from "./training-browser.js";

const workerUrl = urlOf(script);

/** Returns the training functions of this platform. */
export const inlineTraining = (platform: Platform): TrainingApi =>
  browserTraining(platform, { workerUrl, readWasm, greet });
