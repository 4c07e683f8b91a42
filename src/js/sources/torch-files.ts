// PyTorch's files of weights, for folders without safetensors.

import type { WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import { one, readAll, sharded, type Weights, WHOLE } from "./files.js";
import { openOptional, readFile } from "./folder.js";
import { initiated } from "./progress.js";
import type { Control, Files, Folder } from "./types.js";

export const TORCH = "pytorch_model.bin";
export const TORCH_INDEX = "pytorch_model.bin.index.json";

/** Throws `unsupported` if only small binaries can be loaded. `file` is the file that needs another one. */
export function checkPaths(paths: WasmPaths, file = TORCH): void {
  if (paths.glues) return;
  throw new WebertError(
    "unsupported",
    `${file}: expected the binaries with all features, which read it, got env.wasmPaths without them. Save the model again in Python: save_pretrained() writes ${WHOLE}.`,
  );
}

/** Returns the weights of `pytorch_model.bin`, or of the shards that its index lists; undefined if both are missing. */
export async function openTorch(folder: Folder, control: Control): Promise<Weights | undefined> {
  const whole = await openOptional(folder, TORCH, control.signal);
  if (whole && whole.page === undefined) {
    initiated(folder, TORCH, control);
    return { index: {}, needsAll: true, files: () => one(folder, TORCH, whole, control) };
  }
  const index = await readFile(folder, TORCH_INDEX, control);
  return index && { ...sharded(folder, index, control, TORCH_INDEX), needsAll: true };
}

/**
 * Reads `pytorch_model.bin` of the modules that have no `model.safetensors`. `names` are the paths of
 * `model.safetensors`.
 */
export function readTorch(folder: Folder, names: string[], control: Control): Promise<Files> {
  return readAll(
    folder,
    names.map((name) => name.replace(WHOLE, TORCH)),
    control,
  );
}

/** Replaces each PyTorch file of a module or an adapter by a safetensors file. `wasm` is a binary with all features. */
export function converted(files: Files, wasm: { call(name: "to_safetensors", ...args: unknown[]): unknown }): Files {
  const changed = Object.entries(files).map(([name, bytes]) =>
    name.endsWith(".bin")
      ? [
          name.replace(TORCH, WHOLE).replace(/\.bin$/, ".safetensors"),
          wasm.call("to_safetensors", name, bytes) as Uint8Array,
        ]
      : [name, bytes],
  );
  return Object.fromEntries(changed) as Files;
}
