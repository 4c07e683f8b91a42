import { onDemand } from "../on-demand.js";
import type { Control, Folder, OpenFile } from "./types.js";

const sizes = () => onDemand(() => import("./sizes.js"));

/** Milliseconds between two progress events of a file: enough for a smooth bar. */
const REPORT = 40;

/** How many bytes of each file were reported: -1 before the first, Infinity after the last. */
const reports = new WeakMap<Folder, Map<string, number>>();

function reportsOf(folder: Folder): Map<string, number> {
  const files = reports.get(folder) ?? new Map<string, number>();
  reports.set(folder, files);
  return files;
}

/** Tells that a file is going to be read, unless that was told. */
export function initiated(folder: Folder, file: string, control: Control): void {
  const files = reportsOf(folder);
  if (files.has(file)) return;
  files.set(file, -1);
  control.progress?.({ status: "initiate", name: folder.name, file });
}

/**
 * The file's bytes, reported as they pass; those before `start`, from which on `from` has them, count as read. Where a load has to
 * read a file again, it goes on where it was: progress never goes back.
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
  // A server that compresses reports no size, and a file of another origin an uncertain one: the header has it.
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
