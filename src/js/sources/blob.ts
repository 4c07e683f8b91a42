// Files in memory or in an input element.
import { chunks } from "./streams.js";
import type { OpenFile } from "./types.js";

/** Returns a file whose bytes are in memory or on a disk that the browser reads. */
export function openBlob(blob: Blob, file: string): OpenFile {
  const bodyFrom = async function* (offset: number) {
    yield* chunks(blob.slice(offset).stream(), file);
  };
  return { size: blob.size, isExact: true, body: bodyFrom(0), bodyFrom };
}
