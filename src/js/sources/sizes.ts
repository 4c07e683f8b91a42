// Sizes of the files of weights, known or estimated before the files are read.
import { env } from "../env.js";
import type { Control, Folder } from "./types.js";

/** What an index says of its files beside their tensors. */
interface IndexMetadata {
  /** Bytes of all tensors. */
  total_size?: unknown;
  /** Bytes of each file: the package's own models have them. */
  file_sizes?: Record<string, number>;
}

/**
 * Reports the sizes of the files `names` of an index before the first of them is read. A size comes from the index, from the
 * folder, or from `HEAD`. Unknown sizes share what `total_size` leaves.
 */
export async function announce(folder: Folder, index: Uint8Array, names: string[], control: Control): Promise<void> {
  const { total_size, file_sizes = {} } = metadataOf(index);
  const known = await Promise.all(
    names.map(async (name) => file_sizes[name] || (await folder.sizeOf?.(name, control.signal)) || 0),
  );
  const rest = Number(total_size) - known.reduce((all, size) => all + size, 0);
  const share = rest > 0 ? Math.round(rest / known.filter((size) => !size).length) : 0;
  const sizes = Object.fromEntries(names.map((name, i) => [name, known[i] || share]));
  control.progress?.({ status: "expected", name: folder.name, sizes });
}

function metadataOf(index: Uint8Array): IndexMetadata {
  const { metadata } = JSON.parse(new TextDecoder().decode(index)) as { metadata?: IndexMetadata | null };
  return metadata ?? {};
}

/** Returns what `HEAD` reports as a file's size; undefined if that is no size of the file. */
export async function headSize(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const headers = token ? { authorization: `Bearer ${token}` } : undefined;
  const answer = await env.fetch(url, { method: "HEAD", headers, signal }).catch(() => undefined);
  // With a content-encoding the length is that of the compressed bytes.
  if (!answer?.ok || answer.headers.has("content-encoding")) return undefined;
  return Number(answer.headers.get("content-length")) || undefined;
}

/** Longest header that is read for its file's size, in bytes. */
const LONGEST = 2 ** 22;

/** Finds the size of a safetensors file in its first bytes. */
export class HeaderSize {
  #head: Uint8Array = new Uint8Array();
  #isDone = false;
  /** In bytes; 0 until the header is complete. */
  size = 0;

  /** Takes the next bytes of the file. */
  read(bytes: Uint8Array): void {
    if (this.#isDone) return;
    const head = new Uint8Array(this.#head.length + bytes.length);
    head.set(this.#head);
    head.set(bytes, this.#head.length);
    this.#head = head;
    if (head.length < 8) return;
    const end = 8 + Number(new DataView(head.buffer).getBigUint64(0, true));
    this.#isDone = end > LONGEST || head.length >= end;
    if (!this.#isDone) return;
    this.#head = new Uint8Array();
    if (end > LONGEST) return;
    const text = new TextDecoder().decode(head.subarray(8, end));
    for (const [, last] of text.matchAll(/"data_offsets"\s*:\s*\[\s*\d+\s*,\s*(\d+)/g))
      this.size = Math.max(this.size, end + Number(last));
  }
}
