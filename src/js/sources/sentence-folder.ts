// What the files of a sentence-transformers folder say about it: its modules, and what its texts become.
import type { Files } from "./types.js";

/** The modules in order, each with its class and its folder. */
export const MODULES = "modules.json";
/** Prompts, and settings of the whole model. */
export const MODEL_CONFIG = "config_sentence_transformers.json";
/** Settings of the encoder, in its folder. */
export const ENCODER_CONFIG = "sentence_bert_config.json";
/** The modules for each task, if the first module is a Router. */
export const ROUTER = "router_config.json";
/** Name under which the projection of an HF_ColBERT checkpoint is kept: F32 [outputs, inputs] after a header. */
export const PROJECTION = "linear.weight";

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

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** Returns whether config.json describes a checkpoint of the ColBERT library. */
export const isStanford = (files: Files): boolean => text(files["config.json"]).includes('"HF_ColBERT"');

/**
 * Returns what a text becomes if it is not one vector: "sparse" weights of words (SPLADE), or "tokens", one vector per
 * token (ColBERT). A folder with a Router needs its file, too.
 */
export function retrievalKind(files: Files): "sparse" | "tokens" | undefined {
  const modules = text(files[MODULES]);
  if (files[PROJECTION] || isStanford(files) || /pylate|multi_vector/.test(modules)) return "tokens";
  return /sparse_encoder/.test(modules + text(files[ROUTER])) ? "sparse" : undefined;
}

/** Returns whether a folder may have a sparse encoder or late interaction, before the file of its Router is read. */
export const isRetrieval = (files: Files): boolean =>
  retrievalKind(files) !== undefined || text(files[MODULES]).includes('.Router"');

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text(bytes));
  } catch {
    return undefined;
  }
}
