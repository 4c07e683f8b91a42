import type { WasmBuild } from "../api/env.js";
import { bestBuild } from "./artefacts.js";
import { choose } from "./device.js";
import type { Parts } from "./loading.js";
import { instantiate, type ReadWasm, type Wasm } from "./wasm.js";

/** The wasm side's tokenizer, in the binary that a model of this config.json would have by itself: a page with both then fetches one. */
export async function tokenizerClass(
  config: () => Promise<Uint8Array>,
  paths: Record<WasmBuild, string>,
  read: ReadWasm,
): Promise<Wasm["Tokenizer"]> {
  const { device } = await choose("auto", config);
  return (await instantiate(device === "webgpu" ? device : bestBuild(), paths, read)).Tokenizer;
}

/** The same, in the binary of a model that was loaded, perhaps by another thread: it is neither fetched nor compiled again. */
export async function tokenizerClassOf(
  { build, module }: Parts,
  paths: Record<WasmBuild, string>,
  read: ReadWasm,
): Promise<Wasm["Tokenizer"]> {
  return (await instantiate(build, paths, async (url) => module ?? read(url))).Tokenizer;
}
