// The files of a PEFT adapter's folder. adapters.ts has the code that understands them.
import { readAll, readTokenizerFiles } from "./files.js";
import { missing, needFile } from "./folder.js";
import type { Control, Files, Folder } from "./types.js";

export const ADAPTER_CONFIG = "adapter_config.json";
export const ADAPTER = "adapter_model.safetensors";
const ADAPTER_TORCH = "adapter_model.bin";
/** config.json of the adapter's folder. It may have the labels of the adapter's classifier. */
export const OWN_CONFIG = "adapter's config.json";

/** Reads adapter_config.json, which `check` may reject, and the adapter's weights. */
export async function readAdapter(
  folder: Folder,
  control: Control,
  check: (config: Uint8Array) => void,
): Promise<Files> {
  const config = await needFile(folder, ADAPTER_CONFIG, control);
  check(config);
  let weights = await readAll(folder, [ADAPTER], control);
  if (!weights[ADAPTER]) weights = await readAll(folder, [ADAPTER_TORCH], control);
  if (!Object.keys(weights).length) throw missing(folder, ADAPTER, undefined);
  const own = (await readAll(folder, ["config.json"], control))["config.json"];
  return { [ADAPTER_CONFIG]: config, ...weights, ...(own && { [OWN_CONFIG]: own }) };
}

/** Returns the tokenizer files of the adapter's folder, or of its base if the folder has no tokenizer. */
export async function readTokenizerOf(adapter: Folder, base: Folder, control: Control, required: boolean) {
  const own = await readTokenizerFiles(adapter, control, true).catch((error: { code?: string }) => {
    if (error.code === "not_found") return undefined;
    throw error;
  });
  return own ?? readTokenizerFiles(base, control, required);
}
