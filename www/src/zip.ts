// Writes files as one zip file.
import { Zip, ZipPassThrough } from "fflate";

/** Files by their names. */
export type Files = Record<string, Blob>;

/** Bytes added to an archive at a time; their checksum takes some milliseconds. */
const PIECE = 1 << 20;

/** A zip of a folder. Weights do not compress, so nothing is compressed. */
export async function zipOf(folder: string, files: Files): Promise<Blob> {
  const parts: BlobPart[] = [];
  let failure: unknown;
  const zip = new Zip((error, bytes) => {
    if (error) failure = error;
    else parts.push(bytes as BlobPart);
  });
  for (const [name, blob] of Object.entries(files)) {
    const entry = new ZipPassThrough(`${folder}/${name}`);
    zip.add(entry);
    for (let at = 0; at < blob.size || at === 0; at += PIECE) {
      const piece = new Uint8Array(await blob.slice(at, at + PIECE).arrayBuffer());
      entry.push(piece, at + PIECE >= blob.size);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  zip.end();
  if (failure) throw failure;
  return new Blob(parts, { type: "application/zip" });
}
