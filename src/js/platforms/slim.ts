// webert/slim: without the models, so that bundlers do not copy their 23 MB.
import { browserPlatform } from "./browser.js";

export const platform = browserPlatform({
  models: {},
  without: ' in webert/slim, which is "webert" without models',
  training: async (platform) => (await import("./training-browser.js")).browserTraining(platform),
});
