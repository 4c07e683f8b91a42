// Files under names in Node: a name is a path, and only files of the store's kind count.
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebertError } from "../../errors.js";
import type { NamedStore } from "../../sources/named-store.js";
import { diskError } from "./disk.js";

const pathOf = (name: string | URL) => (String(name).startsWith("file:") ? fileURLToPath(name) : String(name));

/** Writes a file under a temporary name and renames it when it is complete. Makes its folder. */
export async function writeWhole(name: string, blob: Blob): Promise<void> {
  const path = pathOf(name);
  const part = `${path}.${randomUUID()}.part`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(part, blob.stream());
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw diskError(`${name} could not be written`, error);
  }
}

/** Returns the content of a file. */
export async function readWhole(name: string | URL): Promise<Blob> {
  const path = pathOf(name);
  try {
    return new Blob([await readFile(path)]);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT")
      throw new WebertError("not_found", `${path}: no such file`, { cause: error });
    throw diskError(`${path} could not be read`, error);
  }
}

/**
 * Returns a store of files on disk.
 * @param bytes number of bytes that `isOne` reads
 * @param isOne returns whether a file that begins with these bytes is of the store's kind
 */
export function diskStore(bytes: number, isOne: (start: Uint8Array) => boolean): NamedStore {
  const has = async (name: string) => {
    const file = await open(pathOf(name)).catch(() => undefined);
    try {
      const start = await file?.read(new Uint8Array(bytes), 0, bytes, 0);
      return start !== undefined && start.bytesRead === bytes && isOne(start.buffer);
    } catch {
      return false; // a folder
    } finally {
      await file?.close();
    }
  };
  return {
    keep: writeWhole,
    get: readWhole,
    has,
    async list(folder = ".") {
      const names = await readdir(folder).catch((error: unknown) => {
        throw diskError(`${folder} could not be read`, error);
      });
      const paths = names.sort().map((name) => join(folder, name));
      const are = await Promise.all(paths.map(has));
      return paths.filter((_, n) => are[n]);
    },
    async drop(name) {
      if (!(await has(name))) return false;
      await rm(pathOf(name));
      return true;
    },
  };
}
