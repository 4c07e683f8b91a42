// webert/service-worker: a service worker, an extension's background included, has no Worker, and no import() once its script
// was read. The build makes one file of it.

import { LocalEngine } from "../engine/local.js";
import { BUILDS, type Build } from "../env.js";
import { wasmUrl } from "../sources/urls.js";
import { browserPlatform } from "./browser.js";
import { OWN_MODELS } from "./own-models.js";

/** The one file has the glues of the small binaries inside, and no room for the other glues. */
const isThere = (name: string): name is Build => (BUILDS as readonly string[]).includes(name);

export const platform = browserPlatform({
  wasmUrl: (name) => (isThere(name) ? wasmUrl(name) : undefined),
  models: OWN_MODELS,
  localEngine: LocalEngine,
});
