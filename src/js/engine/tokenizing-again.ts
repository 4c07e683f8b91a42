// Apart from tokenizing.ts, which reads files: a page fetches this with every pipeline.
import type { WasmPaths } from "../env.js";
import type { Parts } from "./engine.js";
import { instantiate, type ReadWasm, type Wasm } from "./wasm.js";

/** Returns the wasm side's tokenizer, in the binary of a model that was loaded, perhaps by another thread: it is neither fetched nor compiled again. */
export async function tokenizerClassOf(
  { build, module }: Parts,
  paths: WasmPaths,
  read: ReadWasm,
): Promise<Wasm["Tokenizer"]> {
  return (await instantiate(build, paths, async (url) => module ?? read(url))).Tokenizer;
}
