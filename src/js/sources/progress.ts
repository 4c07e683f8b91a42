// Progress events of files.
import { onDemand } from "../on-demand.js";
import type { Control, Folder, OpenFile } from "./types.js";

const sizes = () => onDemand(() => import("./sizes.js"));

/** Milliseconds between two progress events of a file: short enough for a smooth progress bar. */
const REPORT = 40;

/** Number of bytes reported per file: -1 before the first event, Infinity after the last. */
const reports = new WeakMap<Folder, Map<string, number>>();

function reportsOf(folder: Folder): Map<string, number> {
  const files = reports.get(folder) ?? new Map<string, number>();
  reports.set(folder, files);
  return files;
}

/** Reports once that a file is going to be read. */
export function initiated(folder: Folder, file: string, control: Control): void {
  const files = reportsOf(folder);
  if (files.has(file)) return;
  files.set(file, -1);
  control.progress?.({ status: "initiate", name: folder.name, file });
}

/**
 * Yields a file's bytes and reports progress. `from` begins at byte `start`; earlier bytes count as read. If
 * a load reads a file again, its reports continue at the highest value so far: progress never falls.
 */
export async function* reported(
  folder: Folder,
  file: string,
  from: OpenFile,
  control: Control,
  start = 0,
): AsyncGenerator<Uint8Array> {
  const { name } = folder;
  const files = reportsOf(folder);
  const reportedBytes = () => files.get(file) ?? -1;
  // The size is missing for a compressed answer, and uncertain for a file of another origin. The safetensors header has
  // it.
  const header =
    file.endsWith(".safetensors") && !from.isExact && !start ? new (await sizes()).HeaderSize() : undefined;
  const report = (loaded: number) => {
    if (loaded < reportedBytes()) return;
    files.set(file, loaded);
    const size = header?.size || from.size;
    const total = size && Math.max(size, loaded);
    control.progress?.({ status: "progress", name, file, progress: total && (100 * loaded) / total, loaded, total });
  };
  if (reportedBytes() < 0) {
    files.set(file, 0);
    control.progress?.({ status: "download", name, file });
  }
  let loaded = start;
  let last = 0;
  for await (const bytes of from.body) {
    loaded += bytes.length;
    header?.read(bytes);
    yield bytes;
    if (performance.now() - last < REPORT) continue;
    last = performance.now();
    report(loaded);
  }
  report(loaded);
  if (reportedBytes() === Infinity) return;
  files.set(file, Infinity);
  control.progress?.({ status: "done", name, file });
}
