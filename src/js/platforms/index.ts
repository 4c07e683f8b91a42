// webert: everything, in a page or a Worker.
import { browserPlatform } from "./browser.js";
import { OWN_MODELS } from "./own-models.js";

export const platform = browserPlatform({
  models: OWN_MODELS,
  training: async (platform) => (await import("./training-browser.js")).browserTraining(platform),
});
