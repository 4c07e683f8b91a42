// webert: all features, in a page or a Worker.
import { wasmUrl } from "../sources/full-urls.js";
import { browserPlatform } from "./browser.js";
import { OWN_MODELS } from "./own-models.js";
import { startParts } from "./parts.js";
import { pageWorkers } from "./workers.js";

startParts();

export const platform = browserPlatform({
  wasmUrl,
  models: OWN_MODELS,
  workers: pageWorkers(),
  training: async (platform) => (await import("./training-browser.js")).browserTraining(platform),
  search: () => import("./search-browser.js"),
});
