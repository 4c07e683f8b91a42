// Progress of all files together.
import type { LoadEvent, ProgressEvent } from "./source.js";

/**
 * Returns a callback that also reports the total of all files, as transformers.js does: one `progress_total` after each
 * `progress`, from the first weights on. By then all smaller files are complete, and an `expected` event has named the
 * weight files to come. `progress` never falls; `loaded` never falls.
 */
export function withTotals(callback: (event: ProgressEvent) => void): (event: LoadEvent) => void {
  const files: Record<string, { loaded: number; total: number }> = {};
  let loaded = 0;
  let progress = 0;
  let isComplete = false;
  return (event) => {
    if (event.status === "expected") {
      for (const [file, total] of Object.entries(event.sizes)) files[file] ??= { loaded: 0, total };
      return;
    }
    callback(event);
    if (event.status !== "progress") return;
    const { name, file } = event;
    const before = files[file] ?? { loaded: 0, total: 0 };
    const ownLoaded = Math.max(before.loaded, event.loaded);
    // The file's own size replaces an estimate.
    files[file] = { loaded: ownLoaded, total: Math.max(event.total || before.total, ownLoaded) };
    isComplete ||= /\.(safetensors|bin)$/.test(file);
    if (!isComplete) return;
    const sum = (of: "loaded" | "total") => Object.values(files).reduce((all, entry) => all + entry[of], 0);
    loaded = Math.max(loaded, sum("loaded"));
    const total = Math.max(loaded, sum("total"));
    progress = Math.max(progress, total && (100 * loaded) / total);
    callback({ status: "progress_total", name, progress, loaded, total, files: structuredClone(files) });
  };
}
