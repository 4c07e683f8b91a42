import type { WasmPaths } from "../api/env.js";
import { type Files, needsAll } from "../checkpoint/files.js";
import { bestBuild } from "./artefacts.js";
import { choose } from "./device.js";
import type { Parts } from "./loading.js";
import { instantiate, type ReadWasm, type Wasm } from "./wasm.js";

/** The wasm side's tokenizer, in the binary that a model of these files would have by itself: a page with both then fetches one. */
export async function tokenizerClass(files: Files, paths: WasmPaths, read: ReadWasm): Promise<Wasm["Tokenizer"]> {
  const { device } = await choose("auto", async () => files["config.json"] ?? new Uint8Array());
  const build = device === "webgpu" ? device : bestBuild();
  return (await instantiate(paths.glues && needsAll(files) ? `${build}_full` : build, paths, read)).Tokenizer;
}

/** The same, in the binary of a model that was loaded, perhaps by another thread: it is neither fetched nor compiled again. */
export async function tokenizerClassOf(
  { build, module }: Parts,
  paths: WasmPaths,
  read: ReadWasm,
): Promise<Wasm["Tokenizer"]> {
  return (await instantiate(build, paths, async (url) => module ?? read(url))).Tokenizer;
}
