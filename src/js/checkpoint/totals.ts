import type { ProgressEvent } from "./source.js";

/**
 * A callback that is told of all files together, too, as transformers.js does: after each `progress` of weights a
 * `progress_total`. All smaller files have come by then, so that the total is known; where weights come in several
 * files, it grows with each that is opened.
 */
export function withTotals(callback: (event: ProgressEvent) => void): (event: ProgressEvent) => void {
  const files: Record<string, { loaded: number; total: number }> = {};
  let loaded = 0;
  let isComplete = false;
  return (event) => {
    callback(event);
    if (event.status !== "progress") return;
    const { name, file } = event;
    const before = files[file] ?? { loaded: 0, total: 0 };
    files[file] = {
      loaded: Math.max(before.loaded, event.loaded),
      total: Math.max(before.total, event.total, event.loaded),
    };
    isComplete ||= file.endsWith(".safetensors");
    if (!isComplete || !event.total) return;
    const sum = (of: "loaded" | "total") => Object.values(files).reduce((all, entry) => all + entry[of], 0);
    loaded = Math.max(loaded, sum("loaded"));
    const total = Math.max(loaded, sum("total"));
    callback({
      status: "progress_total",
      name,
      progress: total && (100 * loaded) / total,
      loaded,
      total,
      files: structuredClone(files),
    });
  };
}
