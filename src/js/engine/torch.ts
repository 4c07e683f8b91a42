// Files of PyTorch where no model is loaded. Imported for a folder that has them.
import type { WasmPaths } from "../api/env.js";
import { NO_BINARY } from "../checkpoint/torch-files.js";
import { WebertError } from "../errors.js";
import { bestBuild } from "./artefacts.js";
import { instantiate, type ReadWasm } from "./wasm.js";

/**
 * Returns the tensors of a file as a safetensors file. Both are held in memory.
 * @param name for messages
 */
export async function toSafetensors(
  name: string,
  bytes: Uint8Array,
  paths: WasmPaths,
  readWasm: ReadWasm,
): Promise<Uint8Array> {
  if (!paths.glues) throw new WebertError("unsupported", NO_BINARY);
  const wasm = await instantiate(`${bestBuild()}_full`, paths, readWasm);
  return wasm.call("to_safetensors", name, bytes) as Uint8Array;
}
