// PyTorch's files when no model is loaded. Imported for folders that have such files.
import type { WasmPaths } from "../env.js";
import { checkPaths, converted } from "../sources/torch-files.js";
import type { Files } from "../sources/types.js";
import { bestBuild } from "../threads/builds.js";
import { instantiate, type ReadWasm } from "./wasm.js";

/** Replaces each `pytorch_model.bin` by a safetensors file. Both are in memory at once. */
export async function withSafetensors(files: Files, paths: WasmPaths, readWasm: ReadWasm): Promise<Files> {
  checkPaths(paths);
  return converted(files, await instantiate(`${bestBuild()}_full`, paths, readWasm));
}
