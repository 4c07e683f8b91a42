// Finds weights for a repository that has only ONNX files: the weights of the checkpoint that the files were made from.

import { WebertError } from "../errors.js";
import type { openWeights, readConfig, Weights } from "./files.js";
import type { readFile } from "./folder.js";
import type { openFolder } from "./open.js";
import type { Place } from "./source.js";
import type { Control, Files, Folder, Reading } from "./types.js";

/** Where other models of the same hub are: `env.remoteHost` and `env.remotePathTemplate`. */
export interface Hub {
  host: string;
  template: string;
}

type Fields = Record<string, unknown>;

/** Fields that must be equal for two models to have the same weights. A missing field counts as equal. */
const SAME = [
  "model_type",
  "architectures",
  "vocab_size",
  "hidden_size",
  "num_hidden_layers",
  "num_attention_heads",
  "intermediate_size",
  "max_position_embeddings",
  "type_vocab_size",
  "embedding_size",
  "dim",
  "n_layers",
  "n_heads",
  "hidden_dim",
  "id2label",
] as const;

/**
 * Functions that read folders. They are passed as arguments because a Worker takes this file from another script, which
 * would have copies of them.
 */
export interface FolderReaders {
  openFolder: typeof openFolder;
  openWeights: typeof openWeights;
  readConfig: typeof readConfig;
  readFile: typeof readFile;
}

/** A folder without weights that can be read. */
export interface WithoutWeights {
  /** The error for the missing weights. */
  why: unknown;
  place: Place & { kind: "url" };
  folder: Folder;
  hub: Hub;
  /** Fields that the caller added to config.json; they do not describe the folder. */
  own?: object | undefined;
}

/**
 * Returns the weights of the checkpoint that `_name_or_path` of the config or `base_model` of the model card names. The
 * checkpoint must have the same shape and head.
 */
export async function openOrigin(
  { why, place, folder, hub, own = {} }: WithoutWeights,
  reading: Reading,
  control: Control,
  { openFolder, openWeights, readConfig, readFile }: FolderReaders,
): Promise<Weights> {
  if (!(await hasOnlyOnnx(folder, control.signal))) throw why;
  const config = fieldsOf(await readConfig(folder, { signal: control.signal }));
  /** For each rejected checkpoint, the reason. */
  const tried = new Map<string, string>();
  const from = async (candidate: unknown): Promise<Weights | undefined> => {
    if (
      typeof candidate !== "string" ||
      !/^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(candidate) ||
      candidate === place.name ||
      tried.has(candidate)
    )
      return undefined;
    try {
      const path = hub.template.replaceAll("{model}", candidate).replaceAll("{revision}", "main");
      const other = await openFolder(
        { ...place, name: candidate, model: candidate, base: new URL(path, hub.host).href },
        reading,
      );
      const files = await readConfig(other, { signal: control.signal });
      const found = fieldsOf(files);
      const field = SAME.find((field) => !Object.hasOwn(own, field) && differs(config[field], found[field]));
      if (!field) return { ...(await openWeights(other, control, files)), source: candidate };
      tried.set(
        candidate,
        `is of another ${field}: ${JSON.stringify(found[field])}, not ${JSON.stringify(config[field])}`,
      );
    } catch (error) {
      if (control.signal.aborted) throw error;
      tried.set(candidate, `could not be read: ${WebertError.from(error).message}`);
    }
    return undefined;
  };
  const weights = await from(config._name_or_path);
  if (weights) return weights;
  const card = await readFile(folder, "README.md", { signal: control.signal });
  for (const candidate of card ? baseModels(new TextDecoder().decode(card)) : []) {
    const weights = await from(candidate);
    if (weights) return weights;
  }
  const faults = Array.from(tried, (words) => words.join(" ")).join("; ");
  const hint = faults ? `of what it says to be made from, ${faults}` : "name the checkpoint that it was made from";
  throw new WebertError(
    "not_found",
    `${WebertError.from(why).message}; ${place.name} has only ONNX files, and ${hint}`,
    { cause: why },
  );
}

/**
 * Returns whether the folder has ONNX files where transformers.js looks for them, and no PyTorch weights. Without a
 * network, a recorded absence of the PyTorch weights is enough: it is recorded only after ONNX files were found.
 */
async function hasOnlyOnnx(folder: Folder, signal: AbortSignal): Promise<boolean> {
  const isThere = (file: string) => folder.has?.(file, signal);
  const onnx = await Promise.all(["onnx/model.onnx", "onnx/model_quantized.onnx"].map(isThere));
  return onnx.some((there) => there !== false) && (await isThere("pytorch_model.bin")) === false;
}

function fieldsOf(files: Files): Fields {
  try {
    return (JSON.parse(new TextDecoder().decode(files["config.json"])) ?? {}) as Fields;
  } catch {
    return {};
  }
}

function differs(a: unknown, b: unknown): boolean {
  return a != null && b != null && JSON.stringify(a) !== JSON.stringify(b);
}

/** Returns `base_model` of a model card's YAML front matter: one name, or a list of names. */
function baseModels(card: string): string[] {
  const front = /^---\s*\n([\s\S]*?)\n---/.exec(card)?.[1] ?? "";
  const value = /^base_model:[ \t]*(.*(?:\n[ \t]*-.*)*)/m.exec(front)?.[1] ?? "";
  return value
    .split(/[\n,[\]]/)
    .map((line) =>
      line
        .replace(/^[\s-]*/, "")
        .replace(/\s+#.*$/, "")
        .replace(/["']/g, "")
        .trim(),
    )
    .filter(Boolean);
}
