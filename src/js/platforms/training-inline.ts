// Training by webert/inline: with the Worker's script inside.
import script from "#train-worker-script";
import type { TrainingApi } from "../api/training.js";
import { greet, readWasm, urlOf } from "./inline.js";
import type { Platform } from "./platform.js";
import { browserTraining } from "./training-browser.js";

const workerUrl = urlOf(script);

/** Training on this platform. */
export const inlineTraining = (platform: Platform): TrainingApi =>
  browserTraining(platform, { workerUrl, readWasm, greet });
