// Search in Node: indexes are files.
import type { Platform } from "../../engine/open.js";
import { WebertError } from "../../errors.js";
import { createSearch } from "../../search/create.js";
import type { Models } from "../../search/embedder.js";
import type { SearchApi } from "../../search/search.js";
import { readWasm } from "./disk.js";
import { packageFile } from "./files.js";
import { diskStore, readWhole } from "./named-store.js";

async function find(name: string | URL, signal: AbortSignal | undefined): Promise<Blob> {
  if (!/^https?:/.test(String(name))) return readWhole(name);
  const response = await fetch(name, signal ? { signal } : {}).catch((cause: Error) => {
    throw new WebertError("network", `${name} could not be fetched: ${cause.message}`, { cause });
  });
  if (response.ok) return response.blob();
  throw new WebertError("not_found", `${name}: the server answers ${response.status}`);
}

/** Begins every index file: see src/search/file.rs. */
const MAGIC = "WEBERTIX";

const store = diskStore(MAGIC.length, (start) => new TextDecoder().decode(start) === MAGIC);

/** Returns the search functions of this platform. */
export const openSearch = (platform: Platform, models: Models): SearchApi =>
  createSearch(platform, models, {
    wasmUrl: () => packageFile("webert_search.wasm").href,
    readWasm,
    ...store,
    find,
  });
