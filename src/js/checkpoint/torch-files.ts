// Files of weights as PyTorch writes them, in folders that have no safetensors.
import { type Files, one, readAll, sharded, type Weights, WHOLE } from "./files.js";
import { type Control, type Folder, openOptional, readFile } from "./folder.js";
import { initiated } from "./progress.js";

export const TORCH = "pytorch_model.bin";
export const TORCH_INDEX = "pytorch_model.bin.index.json";

/** The error where only small binaries can be had. */
export const NO_BINARY =
  "pytorch_model.bin: expected the binaries with all features, which read it, got env.wasmPaths without them. Save the model again in Python: save_pretrained() writes model.safetensors.";

/** Returns the weights of `pytorch_model.bin`, or of the shards that its index lists; undefined if there are none. */
export async function openTorch(folder: Folder, control: Control): Promise<Weights | undefined> {
  const whole = await openOptional(folder, TORCH, control.signal);
  if (whole && whole.page === undefined) {
    initiated(folder, TORCH, control);
    return { index: {}, needsAll: true, files: () => one(folder, TORCH, whole, control) };
  }
  const index = await readFile(folder, TORCH_INDEX, control);
  return index && { ...sharded(folder, index, control, TORCH_INDEX), needsAll: true };
}

/** Reads the `pytorch_model.bin` of modules that have no `model.safetensors`. `names` are the latter's. */
export function readTorch(folder: Folder, names: string[], control: Control): Promise<Files> {
  return readAll(
    folder,
    names.map((name) => name.replace(WHOLE, TORCH)),
    control,
  );
}

/**
 * Replaces each `pytorch_model.bin` of a module by the safetensors file of its tensors.
 * @param convert as the binary with all features has it
 */
export async function converted(
  files: Files,
  convert: (name: string, bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>,
): Promise<Files> {
  const changed: Files = {};
  for (const [name, bytes] of Object.entries(files))
    if (name.endsWith(TORCH)) changed[name.replace(TORCH, WHOLE)] = await convert(name, bytes);
    else changed[name] = bytes;
  return changed;
}
