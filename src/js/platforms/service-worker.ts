// webert/service-worker: a service worker, an extension's background included, has no Worker, and no import() once its script
// was read. The build makes one file of it.
import { browserPlatform } from "../browser-platform.js";
import { openLocal } from "../engine-local.js";
import { OWN_MODELS } from "../own-models.js";

export const platform = browserPlatform({ models: OWN_MODELS, openLocal });
