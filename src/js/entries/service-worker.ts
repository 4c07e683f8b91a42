// webert/service-worker: for service workers, including the background script of an extension. They have no Worker, and
// no import() after their script was read, so the build bundles everything into one file.

import { LocalEngine } from "../engine/local.js";
import { BUILDS, type Build } from "../env.js";
import { wasmUrl } from "../sources/urls.js";
import { browserPlatform } from "./browser.js";
import { OWN_MODELS } from "./own-models.js";

/** Returns whether `name` is a small binary. The file includes the glues of the small binaries only. */
const isThere = (name: string): name is Build => (BUILDS as readonly string[]).includes(name);

export const platform = browserPlatform({
  wasmUrl: (name) => (isThere(name) ? wasmUrl(name) : undefined),
  models: OWN_MODELS,
  localEngine: LocalEngine,
});
