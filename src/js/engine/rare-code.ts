// Imports of the code that few folders need. In a Worker this code is in the script of the glues.
import type { WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import { MERGE } from "../sources/advice.js";
import { type Formats, formats, openWeights, readConfig, type Weights } from "../sources/files.js";
import { readFile } from "../sources/folder.js";
import { openFolder } from "../sources/open.js";
import type { Control, Folder, Reading } from "../sources/types.js";
import { besideGlues } from "../threads/builds.js";
import type { LoadSpec } from "./engine.js";

/** Imports the code for adapters. */
export const adapters = ({ wasmPaths }: LoadSpec) =>
  besideGlues("adapters", gluesFor("adapter_config.json", wasmPaths, MERGE), () => import("../sources/adapters.js"));

/** Imports the code for SPLADE and ColBERT. */
export const retrieval = ({ wasmPaths }: LoadSpec) =>
  besideGlues("retrieval", gluesFor("SPLADE and ColBERT", wasmPaths), () => import("../sources/retrieval-folders.js"));

/**
 * Returns the URL of the glues of the binaries with all features.
 * @throws WebertError `unsupported` if only small binaries can be loaded
 */
function gluesFor(what: string, { glues }: WasmPaths, wayOut = ""): string {
  if (glues) return glues;
  const found = "expected the binaries with all features, got env.wasmPaths without them.";
  throw new WebertError("unsupported", `${what}: ${found} ${wayOut}`.trim());
}

/** Returns how to import the readers of weights in formats other than safetensors. */
export const formatsOf = ({ wasmPaths: { glues } }: LoadSpec): Formats => ({
  onnx: () => besideGlues("onnx", glues, formats.onnx),
  torch: () => besideGlues("torch", glues, formats.torch),
});

/**
 * Opens the weights of the checkpoint that a model of the Hub with only ONNX files was made from. Throws `why`, the
 * error for the missing weights, for all other folders.
 */
export async function fromOrigin(
  why: unknown,
  folder: Folder,
  { place, hub, config: own, wasmPaths }: Pick<LoadSpec, "place" | "hub"> & Partial<LoadSpec>,
  reading: Reading,
  control: Control,
): Promise<Weights> {
  if (!hub || place.kind !== "url" || WebertError.from(why).code !== "not_found") throw why;
  const { openOrigin } = await besideGlues("origin", wasmPaths?.glues, () => import("../sources/origin.js"));
  const readers = { openFolder, openWeights, readConfig, readFile };
  return openOrigin({ why, place, folder, hub, own }, reading, control, readers);
}
