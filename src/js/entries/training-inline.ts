// Training by webert/inline: with the Worker's script inside.
import script from "#train-worker-script";
import type { Platform } from "../engine/open.js";
import type { TrainingApi } from "../training/training.js";
import { greet, readWasm, urlOf } from "./inline.js";
import { browserTraining } from "./training-browser.js";

const workerUrl = urlOf(script);

/** Training on this platform. */
export const inlineTraining = (platform: Platform): TrainingApi =>
  browserTraining(platform, { workerUrl, readWasm, greet });
