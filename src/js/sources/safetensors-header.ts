// The header of safetensors files: eight bytes with its length, then JSON with the place of each tensor.

/** An entry of a header. Offsets are bytes from the header's end. */
export interface HeaderEntry {
  dtype: string;
  shape: number[];
  data_offsets: [from: number, to: number];
}

/** A parsed header: entries by the names of tensors, and metadata. Entries are not checked. */
export type Header = Record<string, unknown> & { __metadata__?: Record<string, string> };

/** Bytes of a header's length. */
export const LENGTH_BYTES = 8;
/** Maximum length of a header, as in Hugging Face's library. */
const MOST = 100_000_000;

/** Returns the length of a header, from the first bytes of the file; undefined if it cannot be one. */
export function headerLength(start: Uint8Array): number | undefined {
  if (start.length < LENGTH_BYTES) return undefined;
  const length = Number(new DataView(start.buffer, start.byteOffset).getBigUint64(0, true));
  return length >= 2 && length <= MOST ? length : undefined;
}

/** Returns the object in the bytes of a header. Throws what `fail` returns for other bytes. */
export function parseHeader(bytes: Uint8Array, fail: (what: string, cause?: unknown) => Error): Header {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw fail("the header is not valid JSON", cause);
  }
  if (typeof header === "object" && header !== null && !Array.isArray(header)) return header as Header;
  throw fail("the header is not a JSON object");
}

/** Returns a header with its length. Blanks make it a multiple of 8 bytes, so that tensors are aligned. */
export function headerBytes(header: Header): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(LENGTH_BYTES + 8 * Math.ceil(text.length / 8)).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(bytes.length - LENGTH_BYTES), true);
  bytes.set(text, LENGTH_BYTES);
  return bytes;
}
