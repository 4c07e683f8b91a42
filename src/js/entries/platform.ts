// A platform: what entries for browsers, Node and edge functions do in different ways.
import type { Platform } from "../engine/open.js";
import type { Models } from "../search/embedder.js";
import type { SearchApi } from "../search/search.js";
import type { TrainingApi } from "../training/training.js";

/** A platform with the parts of the package that are imported when they are first used. */
export interface EntryPlatform extends Platform {
  /** Trains models. Absent if nothing can be imported on demand. */
  training?(platform: Platform): Promise<TrainingApi>;
  /** Makes and reads indexes. Absent if nothing can be imported on demand. */
  search?(): Promise<{ openSearch(platform: Platform, models: Models): SearchApi }>;
}
