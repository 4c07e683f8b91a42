// Describes a folder that did not load as a model. Imported after a load has failed.
import { WebertError } from "../errors.js";
import { INDEX, WHOLE } from "./files.js";
import { readFile } from "./folder.js";
import { type Around, type GlinerFolder, glinerFolder } from "./gliner-folders.js";
import { routedEncoder } from "./retrieval-folders.js";
import { encoderFolder, MODULES, moduleEntries } from "./sentence-folder.js";
import type { Place } from "./source.js";
import { TORCH, TORCH_INDEX } from "./torch-files.js";
import type { Control, Files, Folder, Reading } from "./types.js";

/** Errors after which the folder is examined. */
const CODES = ["not_found", "unsupported"];

/** Where the model of a folder is: in a folder below, or elsewhere, if the folder has an adapter of it. */
export type Below = { below: string } | Base | GlinerFolder;

/** The base of a PEFT adapter. */
export interface Base {
  base: string;
  revision: string | null;
  /** Returns an error of loading the base, with the way out. */
  explained(error: unknown): WebertError;
}

/**
 * Returns where the model of a folder is, after a load failed with `error`: the folder of the encoder within a
 * sentence-transformers folder, or the base of a PEFT adapter.
 * @throws `unsupported` with the kind of the folder, or `error` itself
 */
export async function modelBelow(
  folder: Folder,
  place: Place,
  control: Control,
  error: unknown,
  around: Around,
): Promise<Below> {
  const { code, message } = WebertError.from(error);
  const isOfFolder = CODES.includes(code) && /config\.json|safetensors|\.bin/.test(message);
  if (!isOfFolder || control.signal.aborted || message.includes("HTML page")) throw error;
  const quiet = { signal: control.signal };
  const modules = await small(folder, MODULES, quiet);
  const files: Files = modules ? { [MODULES]: modules } : {};
  const below = code === "not_found" ? encoderFolder(files) || (await routedEncoder(folder, files, quiet)) : "";
  if (below) return { below };
  const adapter = code === "not_found" ? await small(folder, "adapter_config.json", quiet) : undefined;
  if (adapter && !message.includes("adapter_")) return baseOf(place, fieldsOf(adapter));
  const gliner = code === "not_found" && (await glinerFolder(folder, quiet, around));
  if (gliner) return gliner;
  const found = (await kindOf(folder, files, code, quiet)) ?? (await otherWeights(folder, code, message, quiet));
  throw found ? new WebertError("unsupported", `${folder.name}: ${found}`, { cause: error }) : error;
}

/** A call that needs a folder with config.json, for its errors. */
export interface Caller {
  caller: string;
  machine: Reading;
  /** What to do with a GLiNER model. */
  gliner: string;
}

/**
 * Returns an error with the kind of a folder whose config.json is missing, and the way out; `error` itself if the kind
 * is unknown.
 */
export async function kindError(
  folder: Folder,
  place: Place,
  control: Control,
  error: unknown,
  { caller, machine, gliner }: Caller,
): Promise<WebertError> {
  const around: Around = {
    config: undefined,
    task: caller, // no task of a GLiNER model, so that its encoder is not looked for
    named: () => Promise.reject(error),
    machine,
  };
  try {
    const found = await modelBelow(folder, place, control, error, around);
    if ("configs" in found) return WebertError.from(error);
    const [kind, out] =
      "base" in found
        ? ["a PEFT adapter (adapter_config.json)", `Name its base, "${found.base}".`]
        : ["a folder of modules (modules.json)", `Set the option \`subfolder\` to "${found.below}".`];
    return new WebertError("unsupported", `${folder.name}: ${caller}: expected config.json, got ${kind}. ${out}`, {
      cause: error,
    });
  } catch (kind) {
    const { code, message } = WebertError.from(kind);
    const isGliner = kind !== error && message.includes("GLiNER");
    return isGliner ? new WebertError(code, `${message}. ${gliner}`, { cause: error }) : WebertError.from(kind);
  }
}

/** Returns a small file; undefined if it is missing or cannot be read now. */
const small = (folder: Folder, file: string, control: Control) =>
  readFile(folder, file, control).catch(() => undefined);

function fieldsOf(bytes: Uint8Array | undefined): Record<string, unknown> {
  try {
    return (JSON.parse(new TextDecoder().decode(bytes)) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const STATIC =
  'expected an encoder, got static embeddings, which have none. Load them with pipeline("feature-extraction", …).';

/** Returns the kind of the folder, recognized by files that only this kind has. */
async function kindOf(folder: Folder, files: Files, code: string, control: Control): Promise<string | undefined> {
  const config = await small(folder, "config.json", control);
  if (fieldsOf(config).model_type === "model2vec") return STATIC;
  const first = moduleEntries(files)?.[0];
  if (first?.kind === "StaticEmbedding") return STATIC;
  if (code !== "not_found") return undefined;
  if (!config && first && first.kind !== "Transformer")
    return `modules.json: module 0: expected a Transformer or a StaticEmbedding, got ${first.type}`;
  return undefined;
}

/**
 * Returns the base that adapter_config.json names: a model of the Hub, or a folder relative to the adapter's.
 * @throws `unsupported` if the name means nothing here
 */
function baseOf(place: Place, { base_model_name_or_path: name, revision }: Record<string, unknown>): Base {
  const what = `adapter_config.json: base_model_name_or_path ${JSON.stringify(name)}`;
  const out = "Name the base by the option `base`.";
  const isHub = typeof name === "string" && /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(name);
  const base = isHub ? name : typeof name === "string" && pathBeside(place, name);
  if (!base)
    throw new WebertError("unsupported", `${place.name}: ${what} is not found from the adapter's folder. ${out}`);
  const explained = (error: unknown) => {
    const { code, message } = WebertError.from(error);
    return new WebertError(code, code === "not_found" ? `${message} (${what}). ${out}` : message, { cause: error });
  };
  return { base, revision: isHub && typeof revision === "string" ? revision : null, explained };
}

/** Returns the address of a path that is relative to a place; undefined if the place has no paths. */
function pathBeside(place: Place, path: string): string | undefined {
  if (place.kind === "disk") {
    if (/^\.{1,2}\//.test(path)) return `${place.path}/${path}`;
    return /^([A-Za-z]:)?[/\\]/.test(path) ? path : undefined;
  }
  if (place.kind !== "url" || place.files || place.model || !/^\.{0,2}\//.test(path)) return undefined;
  const url = new URL(path, place.base);
  return url.origin === new URL(place.base).origin ? url.href : undefined;
}

const SAVE = "load it in Python with the class that config.json names and call save_pretrained()";
const ORIGINAL = "load the checkpoint that it was made from";

/** Files of weights that are not supported, and the way out. The pattern is used for folders that can be listed. */
const WEIGHTS: readonly [names: string[], pattern: RegExp, out: string][] = [
  [["tf_model.h5"], /\.h5$/, `${SAVE} (from_tf: true in transformers 4)`],
  [["flax_model.msgpack"], /\.msgpack$/, `${SAVE} (from_flax: true in transformers 4)`],
  [["openvino/openvino_model.xml", "openvino_model.xml"], /openvino_model\.xml$/, ORIGINAL],
  [["model.gguf"], /\.gguf$/, ORIGINAL],
];

/** Returns a message about the unsupported weights of a folder. */
async function otherWeights(
  folder: Folder,
  code: string,
  message: string,
  control: Control,
): Promise<string | undefined> {
  if (code !== "not_found") return undefined;
  if (message.includes("has only ONNX files")) return message; // the message already names the checkpoint
  const listed =
    folder.list && (await Promise.all([".", "onnx", "openvino"].map((below) => folder.list!(below)))).flat();
  // If the folder has supported weights, another file is missing.
  for (const name of [WHOLE, INDEX, TORCH, TORCH_INDEX]) if (await has(folder, listed, name, control)) return undefined;
  for (const [names, pattern, out] of WEIGHTS) {
    const found = listed ? listed.find((name) => pattern.test(name)) : await firstOf(folder, names, control);
    if (!found) continue;
    return `expected ${WHOLE} or ${TORCH}, got ${found}, which is not read. Way out: ${out}.`;
  }
  return undefined;
}

async function firstOf(folder: Folder, names: string[], control: Control): Promise<string | undefined> {
  const there = await Promise.all(names.map((name) => folder.has?.(name, control.signal)));
  return names.find((_, n) => there[n]);
}

async function has(folder: Folder, listed: string[] | undefined, name: string, { signal }: Control): Promise<boolean> {
  return listed ? listed.includes(name) : (await folder.has?.(name, signal)) === true;
}
