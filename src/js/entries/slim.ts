// webert/slim: without the models, so that bundlers do not copy their 25 MB.
import { wasmUrl } from "../sources/full-urls.js";
import { browserPlatform } from "./browser.js";
import { startParts } from "./parts.js";
import { pageWorkers } from "./workers.js";

startParts();

export const platform = browserPlatform({
  wasmUrl,
  models: {},
  without: ' in webert/slim, which is "webert" without models',
  workers: pageWorkers(),
  training: async (platform) => (await import("./training-browser.js")).browserTraining(platform),
  search: () => import("./search-browser.js"),
});
