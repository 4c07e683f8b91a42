// Sizes of the files of weights, known or estimated before the files are read.
import { env } from "../env.js";
import { headerLength, LENGTH_BYTES } from "./safetensors-header.js";
import type { Control, Folder } from "./types.js";

/** Metadata of an index. */
interface IndexMetadata {
  /** Total size of all tensors in bytes. */
  total_size?: unknown;
  /** Size of each file in bytes. The package's own models have it. */
  file_sizes?: Record<string, number>;
}

/**
 * Reports the sizes of the files `names` of an index before the first file is read. A size comes from the index, the
 * folder or a `HEAD` request. Files of unknown size share the rest of `total_size`.
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

/** Returns the size of a file from a `HEAD` request; undefined if the answer has no usable size. */
export async function headSize(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const headers = token ? { authorization: `Bearer ${token}` } : undefined;
  const answer = await env.fetch(url, { method: "HEAD", headers, signal }).catch(() => undefined);
  // With a content-encoding, content-length counts compressed bytes.
  if (!answer?.ok || answer.headers.has("content-encoding")) return undefined;
  return Number(answer.headers.get("content-length")) || undefined;
}

/** Longest header, in bytes, that is read to find a file's size. */
const LONGEST = 2 ** 22;

/** Computes the size of a safetensors file from its first bytes. */
export class HeaderSize {
  #head: Uint8Array = new Uint8Array();
  #isDone = false;
  /** In bytes; 0 until the header is complete. */
  size = 0;

  /** Reads the next bytes of the file. */
  read(bytes: Uint8Array): void {
    if (this.#isDone) return;
    const head = new Uint8Array(this.#head.length + bytes.length);
    head.set(this.#head);
    head.set(bytes, this.#head.length);
    this.#head = head;
    if (head.length < LENGTH_BYTES) return;
    const end = LENGTH_BYTES + (headerLength(head) ?? Infinity);
    this.#isDone = end > LONGEST || head.length >= end;
    if (!this.#isDone) return;
    this.#head = new Uint8Array();
    if (end > LONGEST) return;
    const text = new TextDecoder().decode(head.subarray(LENGTH_BYTES, end));
    for (const [, last] of text.matchAll(/"data_offsets"\s*:\s*\[\s*\d+\s*,\s*(\d+)/g))
      this.size = Math.max(this.size, end + Number(last));
  }
}
