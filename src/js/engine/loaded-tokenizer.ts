// Separate from tokenizing.ts, which reads files, because a page fetches this file with every pipeline.
import type { WasmPaths } from "../env.js";
import type { Parts } from "./engine.js";
import { instantiate, type ReadWasm, type Wasm } from "./wasm.js";

/**
 * Returns the Tokenizer class of a loaded model's binary. A binary that another thread compiled is not fetched or
 * compiled again.
 */
export async function tokenizerClassOf(
  { build, module }: Parts,
  paths: WasmPaths,
  read: ReadWasm,
): Promise<Wasm["Tokenizer"]> {
  return (await instantiate(build, paths, async (url) => module ?? read(url))).Tokenizer;
}
