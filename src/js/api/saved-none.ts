// The store of taught models, for entries without one.
import { WebertError } from "../errors.js";
import type { Saved } from "./saved.js";

/**
 * Replaces `saved` in entries of a single file, which have no room for it within the size limit of a first load. They
 * load kept models by `{ name }`.
 */
export function createSaved(): Saved {
  const refuse = async (): Promise<never> => {
    throw new WebertError("unsupported", "saved: not in this entry of the package");
  };
  return { list: refuse, has: refuse, delete: refuse, export: refuse, import: refuse };
}
