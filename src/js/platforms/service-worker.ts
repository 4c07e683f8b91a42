// webert/service-worker: a service worker, an extension's background included, has no Worker, and no import() once its script
// was read. The build makes one file of it.

import { LocalEngine } from "../engine/local.js";
import { browserPlatform } from "./browser.js";
import { OWN_MODELS } from "./own-models.js";

export const platform = browserPlatform({ models: OWN_MODELS, localEngine: LocalEngine });
