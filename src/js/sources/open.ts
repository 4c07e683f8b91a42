// Opens the folder of a model, in any place.
import { WebertError } from "../errors.js";
import { openBlob } from "./blob.js";
import type { Place } from "./source.js";
import type { Folder, Reading } from "./types.js";
import { UrlFolder } from "./url-folder.js";

/** Returns the folder at a place. */
export async function openFolder(place: Place, reading: Reading): Promise<Folder> {
  if (place.kind === "files") return filesFolder(place.name, place.files);
  if (place.kind === "url") return new UrlFolder(place, place.store === null ? undefined : await reading.store(place));
  if (reading.disk) return reading.disk(place.name, place.path);
  throw new WebertError("unsupported", `${place.path} is a folder on disk, which a browser cannot read; use { files }`);
}

function filesFolder(name: string, files: Record<string, Blob>): Folder {
  return {
    name,
    address: (file) => `${file} (of the ${Object.keys(files).length} files given)`,
    open: async (file) => {
      const blob = files[file];
      return blob && openBlob(blob, file);
    },
    list: async () => Object.keys(files),
    sizeOf: async (file) => files[file]?.size,
  };
}
