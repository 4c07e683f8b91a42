// Reads modules.json of sentence-transformers.
import type { Files } from "./types.js";

export const MODULES = "modules.json";

/** An entry of modules.json. */
export interface ModuleEntry {
  type: unknown;
  /** Name of the class if it belongs to sentence-transformers or PyLate; undefined for other code. */
  kind: string | undefined;
  /**
   * Folder of the module's files, with a slash at the end; empty for the model's own folder. Undefined if it is outside
   * that folder.
   */
  path: string | undefined;
}

/** Returns the entries of modules.json. Returns no entries if the file is missing, undefined if it is not a list. */
export function moduleEntries(files: Files): ModuleEntry[] | undefined {
  const bytes = files[MODULES];
  const list: unknown = bytes ? parsed(bytes) : [];
  if (!Array.isArray(list)) return undefined;
  return (list as ({ type?: unknown; path?: unknown } | null)[]).map((entry) => ({
    type: entry?.type,
    kind: /^(?:sentence_transformers|pylate)\.(?:\w+\.)*(\w+)$/.exec(String(entry?.type))?.[1],
    path: pathOf(entry?.path ?? ""),
  }));
}

function pathOf(path: unknown): string | undefined {
  const parts = String(path)
    .split("/")
    .filter((part) => part && part !== ".");
  return parts.every((part) => /^[\w-][\w.-]*$/.test(part)) ? parts.map((part) => `${part}/`).join("") : undefined;
}

/** Returns the folder of a sentence-transformers model's encoder; empty for the model's own folder. */
export function encoderFolder(files: Files): string {
  const first = moduleEntries(files)?.[0];
  return (/^(MLM)?Transformer$/.test(first?.kind ?? "") && first?.path) || "";
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
