import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readWasm as fetchWasm } from "./browser.js";
import { env } from "./env.js";
import { WebertError } from "./errors.js";
import { opened, type Folder, type OpenFile, type Store } from "./hub.js";
import type { Place } from "./source.js";

/** A path or file: URL as a folder on disk; undefined for what can only be a model of the Hub. */
export async function placePath(path: string): Promise<Place | undefined> {
  if (path.startsWith("file:")) return { kind: "disk", name: path, path: fileURLToPath(path) };
  const looksLikeOne = /^\.{0,2}[/\\]|^\.{1,2}$/.test(path) || isAbsolute(path) || path.split("/").length > 2;
  if (!looksLikeOne && !(await sizeOf(join(path, "config.json")).catch(() => undefined))) return undefined;
  return { kind: "disk", name: path, path: resolve(path) };
}

/** A folder's files, read in chunks of 1 MiB. */
export function diskFolder(name: string, path: string): Folder {
  const address = (file: string) => join(path, file);
  return { name, address, open: (file) => openPath(address(file)) };
}

async function openPath(path: string): Promise<OpenFile | undefined> {
  const size = await sizeOf(path);
  return size === undefined ? undefined : { size, body: readPath(path) };
}

async function* readPath(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new WebertError("not_found", `${path} could not be read: ${(cause as Error).message}`, { cause });
  }
}

/** Bytes of a file; undefined where there is none. */
async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch((cause: Error & { code?: string }) => {
    if (cause.name !== "NotCapable" && cause.name !== "PermissionDenied") return undefined;
    throw new WebertError("not_found", `${path} may not be read: ${cause.message}`, { cause }); // Deno, which names the flag that allows it
  });
  return found?.isFile() ? found.size : undefined;
}

/** Keeps fetched files in `env.cacheDir`, each under a hash of its URL. */
export async function diskStore(): Promise<Store> {
  const folder = env.cacheDir ?? join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "webert");
  const pathOf = (url: string) => {
    const hash = createHash("sha256").update(url).digest("hex").slice(0, 32);
    return join(folder, hash, new URL(url).pathname.split("/").pop()!);
  };
  return {
    get: (url) => openPath(pathOf(url)),
    async keep(url, response) {
      const { size, body } = opened(url, response);
      return { size, body: written(pathOf(url), body) };
    },
    drop: (url) => rm(pathOf(url), { force: true }).catch(() => {}),
  };
}

let writers = 0;

/** Passes bytes on, and writes them to a file that gets its name only once it is whole. */
async function* written(path: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const part = `${path}.${process.pid}-${writers++}.part`;
  // A cache that cannot be written (a read-only disk, a full one) is no reason to fail.
  let file = await mkdir(dirname(path), { recursive: true }).then(() => open(part, "w")).catch(() => undefined);
  const giveUp = async () => {
    await file?.close().catch(() => {});
    if (file) await rm(part, { force: true });
    file = undefined;
  };
  try {
    for await (const chunk of bytes) {
      await file?.write(chunk).catch(giveUp);
      yield chunk;
    }
    await file?.close();
    if (file) await rename(part, path);
    file = undefined;
  } finally {
    await giveUp();
  }
}

/** A wasm file from disk, or from wherever `env.wasmPaths` says. */
export async function readWasm(url: string): Promise<Response | Uint8Array> {
  if (!url.startsWith("file:")) return fetchWasm(url);
  try {
    return await readFile(fileURLToPath(url));
  } catch (cause) {
    throw new WebertError("not_found", `${url} could not be read: ${(cause as Error).message}`, { cause });
  }
}
