// Search by webert/inline: with the wasm file inside.

import type { Platform } from "../engine/open.js";
import type { Models } from "../search/embedder.js";
import type { SearchApi } from "../search/search.js";
import { unpacked } from "./inline.js";
import * as browser from "./search-browser.js";

/** Search on this platform. */
export const openSearch = (platform: Platform, models: Models): SearchApi =>
  browser.openSearch(platform, models, {
    wasmUrl: () => "inline:search",
    readWasm: () => unpacked(() => import("#wasm/search")),
  });
