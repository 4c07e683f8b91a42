// The entry for browsers.
import { createApi } from "./api.js";
import { reading } from "./browser.js";
import { openWorker } from "./engine.js";
import { env } from "./env.js";
import { placeUrl } from "./source.js";

export * from "./common.js";

const base = () => globalThis.document?.baseURI ?? globalThis.location.href;

export const {
  pipeline,
  convert,
  AutoTokenizer,
  AutoModel,
  AutoModelForMaskedLM,
  AutoModelForSequenceClassification,
  AutoModelForTokenClassification,
  AutoModelForQuestionAnswering,
  AutoModelForMultipleChoice,
  AutoModelForNextSentencePrediction,
} = createApi({
  machine: reading,
  base,
  path: async (path) => (/^\.{0,2}\//.test(path) ? placeUrl(path, new URL(path, base())) : undefined),
  caching: () => env.useBrowserCache,
  async openEngine(spec, control, { worker = true }) {
    if (worker) return openWorker(spec, control, env.workerUrl && new URL(env.workerUrl, base()).href);
    const { openLocal } = await import("./engine-local.js");
    return openLocal(spec, control, reading);
  },
});
