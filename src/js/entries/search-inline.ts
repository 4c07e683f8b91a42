// Search in webert/inline, which contains the wasm file.

import type { Platform } from "../engine/open.js";
import type { Models } from "../search/embedder.js";
import type { SearchApi } from "../search/search.js";
import { unpacked } from "./inline.js";
import * as browser from "./search-browser.js";

/** Returns the search functions of this platform. */
export const openSearch = (platform: Platform, models: Models): SearchApi =>
  browser.openSearch(platform, models, {
    wasmUrl: () => "inline:search",
    readWasm: () => unpacked(() => import("#wasm/search")),
  });
