// Search in Node: indexes are files.
import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Platform } from "../../engine/open.js";
import { WebertError } from "../../errors.js";
import { createSearch } from "../../search/create.js";
import type { Models } from "../../search/embedder.js";
import type { SearchApi } from "../../search/search.js";
import { diskError, readWasm } from "./disk.js";
import { packageFile } from "./files.js";

/** Writes a file under a temporary name and renames it when it is complete. */
async function keep(name: string, blob: Blob): Promise<void> {
  const part = `${name}.${randomUUID()}.part`;
  try {
    await writeFile(part, blob.stream());
    await rename(part, name);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw diskError(`${name} could not be written`, error);
  }
}

async function find(name: string | URL, signal: AbortSignal | undefined): Promise<Blob> {
  if (/^https?:/.test(String(name))) {
    const response = await fetch(name, signal ? { signal } : {}).catch((cause: Error) => {
      throw new WebertError("network", `${name} could not be fetched: ${cause.message}`, { cause });
    });
    if (response.ok) return response.blob();
    throw new WebertError("not_found", `${name}: the server answers ${response.status}`);
  }
  const path = String(name).startsWith("file:") ? fileURLToPath(name) : String(name);
  try {
    return new Blob([await readFile(path)]);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT")
      throw new WebertError("not_found", `${path}: no such file`, { cause: error });
    throw diskError(`${path} could not be read`, error);
  }
}

/** Begins every index file: see src/search/file.rs. */
const MAGIC = "WEBERTIX";

/** Returns whether a file is an index. */
async function has(name: string): Promise<boolean> {
  const path = name.startsWith("file:") ? fileURLToPath(name) : name;
  const file = await open(path).catch(() => undefined);
  try {
    const start = await file?.read(new Uint8Array(MAGIC.length));
    return start !== undefined && new TextDecoder().decode(start.buffer) === MAGIC;
  } catch {
    return false; // a folder
  } finally {
    await file?.close();
  }
}

async function list(folder = "."): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw diskError(`${folder} could not be read`, error);
  });
  const paths = names.sort().map((name) => join(folder, name));
  const are = await Promise.all(paths.map(has));
  return paths.filter((_, n) => are[n]);
}

async function drop(name: string): Promise<boolean> {
  if (!(await has(name))) return false;
  await rm(name.startsWith("file:") ? fileURLToPath(name) : name);
  return true;
}

/** Returns the search functions of this platform. */
export const openSearch = (platform: Platform, models: Models): SearchApi =>
  createSearch(platform, models, {
    wasmUrl: () => packageFile("webert_search.wasm").href,
    readWasm,
    keep,
    find,
    list,
    has,
    drop,
  });
