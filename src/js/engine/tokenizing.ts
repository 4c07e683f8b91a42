// The tokenizer of the binary that a model would load.
import type { WasmPaths } from "../env.js";
import { needsAll } from "../sources/small-binary.js";
import type { Files } from "../sources/types.js";
import { bestBuild } from "../threads/builds.js";
import { choose } from "./device.js";
import { instantiate, type ReadWasm, type Wasm } from "./wasm.js";

/**
 * Returns the Tokenizer class of the binary that a model with these files would load. A page with both fetches one
 * binary.
 */
export async function tokenizerClass(files: Files, paths: WasmPaths, read: ReadWasm): Promise<Wasm["Tokenizer"]> {
  const { device } = await choose("auto", async () => files["config.json"] ?? new Uint8Array());
  const build = device === "webgpu" ? device : bestBuild();
  return (await instantiate(paths.glues && needsAll(files) ? `${build}_full` : build, paths, read)).Tokenizer;
}
