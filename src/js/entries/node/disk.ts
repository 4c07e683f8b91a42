// Reads model folders on a disk, in Node.
import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readWasm as fetchWasm } from "../../engine/reading.js";
import { env } from "../../env.js";
import { WebertError } from "../../errors.js";
import { customStore, warnNotKept } from "../../sources/cache.js";
import type { FetchedFile } from "../../sources/fetching.js";
import type { Place } from "../../sources/source.js";
import type { Folder, OpenFile, Reading } from "../../sources/types.js";

/** Returns the place of a path or file: URL; undefined for a name that can only be a Hub model. */
export async function placePath(path: string): Promise<Place | undefined> {
  if (path.startsWith("file:")) return { kind: "disk", name: path, path: fileURLToPath(path) };
  const looksLikeOne = /^\.{0,2}[/\\]|^\.{1,2}$/.test(path) || isAbsolute(path) || path.split("/").length > 2;
  if (!looksLikeOne && !(await statFile(join(path, "config.json")).catch(() => undefined))) return undefined;
  return { kind: "disk", name: path, path: resolve(path) };
}

/** Returns a folder on disk. Its files are read in chunks of 1 MiB. */
export function diskFolder(name: string, path: string): Folder {
  const address = (file: string) => join(path, file);
  const list = async (below = ".") => (await readdir(address(below)).catch(() => [])).map((file) => join(below, file));
  const sizeOf = async (file: string) => (await statFile(address(file)))?.size;
  return { name, address, open: (file) => openPath(address(file)), list, sizeOf };
}

async function openPath(path: string): Promise<OpenFile | undefined> {
  const found = await statFile(path);
  if (!found) return undefined;
  const bodyFrom = (offset: number) => readPath(path, offset);
  return { size: found.size, isExact: true, version: String(found.mtimeMs), body: bodyFrom(0), bodyFrom };
}

async function* readPath(path: string, start: number): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1 << 20, start }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw diskError(`${path} could not be read`, cause);
  }
}

/** Returns the status of a file; undefined if it does not exist. */
async function statFile(path: string): Promise<Stats | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found : undefined;
  } catch (cause) {
    // If a part of the path is a file, or a name is too long, the file does not exist either.
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"].includes((cause as NodeJS.ErrnoException).code!))
      return undefined;
    throw diskError(`${path} could not be read`, cause);
  }
}

/**
 * Returns the error for a failed disk access: `out_of_memory` if the disk is full, `not_found` if the file is missing,
 * otherwise `unsupported`.
 */
export function diskError(what: string, cause: unknown): WebertError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  const found = isFull ? "out_of_memory" : code === "ENOENT" ? "not_found" : "unsupported";
  return new WebertError(found, `${what}: ${isFull ? "there is no room on the disk: " : ""}${message}`, { cause });
}

/**
 * Stores fetched files in the cache folder. A file's name is a hash of its URL. A JSON file beside it has its facts, or
 * records that the server has no such file.
 */
export const diskStore: Reading["store"] = async ({ isCustom, cacheDir }) => {
  if (isCustom) return customStore();
  const folder = cacheDir ?? env.cacheDir ?? join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "webert");
  const pathOf = (url: string) => {
    const hash = createHash("sha256").update(url).digest("hex").slice(0, 32);
    return join(folder, hash, new URL(url).pathname.split("/").pop()!);
  };
  return {
    async get(url) {
      const path = pathOf(url);
      const found = await openPath(path).catch(() => undefined);
      const size = found && (await readFacts(path))?.size;
      return size && size !== found.size ? undefined : found;
    },
    keep: (url, file, body) => written(pathOf(url), url, file, body),
    async drop(url) {
      const path = pathOf(url);
      await Promise.all([path, factsOf(path)].map((path) => rm(path, { force: true }))).catch(() => {});
    },
    async keepAbsence(url) {
      const path = pathOf(url);
      await mkdir(dirname(path), { recursive: true })
        .then(() => writeFile(factsOf(path), JSON.stringify({ url, absent: true })))
        .catch(() => {});
    },
    wasAbsent: async (url) => (await readFacts(pathOf(url)))?.absent ?? false,
    keepsAbsence: true,
  };
};

/** Facts about a stored file. */
type Facts = { url: string; absent?: boolean; size?: number } & Partial<FetchedFile["version"]>;

const factsOf = (path: string) => `${path}.facts.json`;

async function readFacts(path: string): Promise<Facts | undefined> {
  try {
    return JSON.parse(await readFile(factsOf(path), "utf8")) as Facts;
  } catch {
    return undefined;
  }
}

let writers = 0;

/** Passes bytes on and writes them to a file. The file gets its final name when it is complete. */
async function* written(
  path: string,
  url: string,
  { version }: FetchedFile,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const part = `${path}.${process.pid}-${writers++}.part`;
  let file: FileHandle | undefined;
  const remove = async () => {
    await file?.close().catch(() => {});
    if (file) await rm(part, { force: true }).catch(() => {});
    file = undefined;
  };
  /** Runs `work` and ignores its errors: a read-only or full disk must not fail the load. */
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      await remove();
      warnNotKept(url, error);
    }
  };
  await attempt(async () => {
    await mkdir(dirname(path), { recursive: true });
    file = await open(part, "w");
  });
  let size = 0;
  try {
    for await (const chunk of bytes) {
      if (file) await attempt(() => writeAll(file!, chunk));
      size += chunk.length;
      yield chunk;
    }
    if (!file) return;
    await attempt(async () => {
      await file!.close();
      await writeFile(factsOf(path), JSON.stringify({ url, size, ...version }));
      await rename(part, path);
      file = undefined;
    });
  } finally {
    await remove();
  }
}

/** Writes all of `bytes`. A single write may write only a part. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

/** Reads a wasm file from disk, or from the URL in `env.wasmPaths`. */
export async function readWasm(url: string): Promise<Response | Uint8Array> {
  if (!url.startsWith("file:")) return fetchWasm(url);
  try {
    return await readFile(fileURLToPath(url));
  } catch (cause) {
    throw new WebertError("not_found", `${url} could not be read: ${(cause as Error).message}`, { cause });
  }
}
