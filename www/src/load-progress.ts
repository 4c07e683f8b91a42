// The progress of a download, and the time left.
import type { ProgressEvent } from "webert";

/** Bytes, and seconds. */
export interface Progress {
  loaded: number;
  /** Undefined until the size of the weights is known; the small files before them would fill the bar. */
  total: number | undefined;
  /** Seconds left; undefined until they can be estimated. */
  seconds: number | undefined;
}

/** Seconds before the speed of a download is meaningful. */
const LEAST = 0.5;

/** Sums up the files of a load and calls `onProgress` at each change. */
export class LoadProgress {
  readonly #files = new Map<string, { loaded: number; total: number }>();
  readonly #start = performance.now();

  constructor(readonly onProgress: (progress: Progress) => void) {}

  /** Pass this to the package as `progress_callback`. */
  readonly callback = (event: ProgressEvent): void => {
    if (event.status !== "progress") return;
    this.#files.set(event.file, { loaded: event.loaded, total: event.total });
    const sum = (key: "loaded" | "total") => [...this.#files.values()].reduce((bytes, file) => bytes + file[key], 0);
    const known = [...this.#files].some(([name, { total }]) => name.endsWith(".safetensors") && total > 0);
    const [loaded, total] = [sum("loaded"), known ? sum("total") : undefined];
    const passed = (performance.now() - this.#start) / 1000;
    const seconds = total && passed > LEAST ? ((total - loaded) / loaded) * passed : undefined;
    this.onProgress({ loaded, total, seconds });
  };
}
