// Reads of a model's folder that may find damaged copies or missing files.
import { WebertError } from "../errors.js";
import { initiated, reported } from "./progress.js";
import { join } from "./streams.js";
import type { Control, Folder, OpenFile } from "./types.js";

/**
 * Runs `work`, which loads a folder. If it fails because a file is damaged, and stored copies were read, runs it once
 * more with all files fetched again.
 */
export async function withFresh<T>(folder: Folder, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDamaged(WebertError.from(error).code) || !(await folder.forget?.())) throw error;
  }
  try {
    return await work();
  } catch (error) {
    if (isDamaged(WebertError.from(error).code)) await folder.forget?.();
    throw error;
  }
}

/** Returns whether an error code means a damaged file. */
const isDamaged = (code: string) => ["bad_config", "bad_tokenizer", "bad_weights"].includes(code);

/** Returns the error for a stored copy with only `found` of `size` bytes. */
export function cutShort(address: string, found: number, size: number): WebertError {
  const code = /\.(safetensors|bin|onnx)/.test(address)
    ? "bad_weights"
    : /config\.json$/.test(address)
      ? "bad_config"
      : "bad_tokenizer";
  return new WebertError(code, `the kept copy of ${address} has ${found} of its ${size} bytes`);
}

/**
 * Opens a file that may be missing. If the server cannot be reached, a file that was missing before counts as missing.
 */
export async function openOptional(folder: Folder, file: string, signal: AbortSignal): Promise<OpenFile | undefined> {
  let found: OpenFile | undefined;
  try {
    found = await folder.open(file, signal);
  } catch (error) {
    if (!signal.aborted && (await folder.wasAbsent?.(file))) return undefined;
    throw error;
  }
  if (found?.page !== undefined && !(await folder.isFallback?.(file, found.page, signal)))
    throw pageError(folder, file);
  return found;
}

/** Returns the bytes of a small file; undefined if it does not exist. */
export async function readFile(folder: Folder, file: string, control: Control): Promise<Uint8Array | undefined> {
  const found = await openOptional(folder, file, control.signal);
  if (!found || found.page !== undefined) return undefined;
  initiated(folder, file, control);
  return join(reported(folder, file, found, control));
}

/** Returns the bytes of a small file. Throws `not_found` if it does not exist. */
export async function needFile(folder: Folder, file: string, control: Control): Promise<Uint8Array> {
  initiated(folder, file, control);
  return join(reported(folder, file, needed(folder, file, await folder.open(file, control.signal)), control));
}

/** Returns the opened file, or throws the reason why it is missing. */
export function needed(folder: Folder, file: string, found: OpenFile | undefined): OpenFile {
  if (found && found.page === undefined) return found;
  throw missing(folder, file, found);
}

/** Returns the error for a missing file, or for a page that the server sent in its place. */
export function missing(folder: Folder, file: string, found: OpenFile | undefined): WebertError {
  if (found) return pageError(folder, file);
  const only = file.endsWith(".safetensors")
    ? " (weights are read from safetensors, pytorch_model.bin and ONNX files)"
    : "";
  return new WebertError(
    "not_found",
    `there is no ${file} in ${folder.name}: looked for ${folder.address(file)}${only}`,
  );
}

function pageError(folder: Folder, file: string): WebertError {
  return new WebertError("not_found", `${folder.address(file)}: the server sent an HTML page, not the file ${file}`);
}
