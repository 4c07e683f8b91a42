// Models that are kept in one file: under a name, or in a Blob. This module is imported by the first such source.
import { WebertError } from "../errors.js";
import { kindOf } from "../values.js";
import type { NamedStore } from "./named-store.js";
import { unpacked } from "./one-file.js";
import { counted } from "./saved-versions.js";
import type { Place } from "./source.js";

/** A source that names a kept model, or is one. */
export type SavedSource = { name: string } | { file: Blob };

/**
 * Returns a checked name of a kept model.
 * @throws WebertError `bad_input` if it is not a non-empty string
 */
export function nameOf(name: unknown): string {
  if (typeof name === "string" && name) return name;
  throw new WebertError("bad_input", `name: expected a non-empty string, got ${kindOf(name)}`);
}

/** Opens the store of models, if the platform has one. */
export async function openModelStore(store: (() => Promise<NamedStore>) | undefined): Promise<NamedStore> {
  if (store) return counted(await store());
  throw new WebertError("unsupported", "this entry of the package keeps no models under names");
}

/** Returns the place of a kept model. */
export async function keptPlace(source: SavedSource, store: (() => Promise<NamedStore>) | undefined): Promise<Place> {
  if ("file" in source) {
    if (!(source.file instanceof Blob))
      throw new WebertError("bad_input", `file: expected a Blob, got ${kindOf(source.file)}`);
    return { kind: "files", name: "file", files: await unpacked(source.file, "the file") };
  }
  const name = nameOf(source.name);
  return { kind: "files", name, files: await unpacked(await (await openModelStore(store)).get(name), `"${name}"`) };
}
