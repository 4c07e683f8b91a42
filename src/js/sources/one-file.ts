// A model in one file: safetensors whose metadata holds the other files of the model's folder. Programs that read
// safetensors read its weights and ignore the metadata.

import { WebertError } from "../errors.js";
import { type Header, headerBytes, headerLength, LENGTH_BYTES, parseHeader } from "./safetensors-header.js";

/** The file of the weights. */
const WEIGHTS = "model.safetensors";

/** Key of the metadata that marks the format; its value is the format's version. */
const MARK = "webert";
const VERSION = "1";

/** Prefixes of the metadata's keys for files: of texts, and of other bytes in base64. */
const TEXT = "file:";
const BYTES = "base64:";

/** The bytes with which every such file continues after the 8 bytes of its header's length. */
const START = `{"__metadata__":{"${MARK}":"`;
/** Bytes from the beginning of a file that `isOneFile` needs. */
export const START_BYTES = LENGTH_BYTES + START.length;

/** Returns whether a file that begins with these bytes is a model in one file. */
export const isOneFile = (start: Uint8Array): boolean =>
  new TextDecoder().decode(start.subarray(LENGTH_BYTES, START_BYTES)) === START;

/**
 * Returns a model's files as one file. The bytes of the weights are not read.
 * @throws WebertError `bad_input` if the weights are not in a single file model.safetensors
 */
export async function packed(files: Readonly<Record<string, Blob>>): Promise<Blob> {
  const weights = files[WEIGHTS];
  if (!weights)
    throw new WebertError("bad_input", `files: expected ${WEIGHTS}, got ${Object.keys(files).join(", ") || "none"}`);
  const { header, data } = await headerOf(weights, WEIGHTS);
  const { __metadata__: own, ...tensors } = header;
  const others = Object.entries(files).filter(([name]) => name !== WEIGHTS);
  const entries = await Promise.all(others.map(async ([name, file]) => entryOf(name, await file.arrayBuffer())));
  // The mark comes first, because isOneFile reads the beginning only.
  const metadata = { [MARK]: VERSION, ...own, ...Object.fromEntries(entries) };
  return new Blob([headerBytes({ __metadata__: metadata, ...tensors }), data], { type: "application/octet-stream" });
}

/**
 * Returns the files of a model in one file. The bytes of the weights are not read.
 * @param address name of the file in messages
 * @throws WebertError `bad_input` if the file is no such file, `unsupported` if its format is of a later version
 */
export async function unpacked(file: Blob, address: string): Promise<Record<string, Blob>> {
  const { header, data } = await headerOf(file, address);
  const { __metadata__: metadata = {}, ...tensors } = header;
  const version = metadata[MARK];
  if (typeof version !== "string")
    throw bad(address, "expected a file of `saved.export`, got safetensors without a config");
  if (version !== VERSION)
    throw new WebertError("unsupported", `${address}: expected version ${VERSION} of the format, got ${version}`);
  const files: [string, Blob][] = [];
  const own: [string, string][] = [];
  for (const [key, value] of Object.entries(metadata)) {
    if (key.startsWith(TEXT)) files.push([key.slice(TEXT.length), new Blob([value])]);
    else if (key.startsWith(BYTES)) files.push([key.slice(BYTES.length), new Blob([bytesOf(address, key, value)])]);
    else if (key !== MARK) own.push([key, value]);
  }
  const kept = own.length ? { __metadata__: Object.fromEntries(own) } : {};
  files.push([WEIGHTS, new Blob([headerBytes({ ...kept, ...tensors }), data])]);
  return Object.fromEntries(files);
}

/** Returns a file as an entry of the metadata, whose values are texts. */
function entryOf(name: string, buffer: ArrayBuffer): [key: string, value: string] {
  try {
    return [TEXT + name, new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(buffer)];
  } catch {
    let binary = "";
    for (const byte of new Uint8Array(buffer)) binary += String.fromCharCode(byte);
    return [BYTES + name, btoa(binary)];
  }
}

function bytesOf(address: string, key: string, value: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw bad(address, `the metadata's ${key} is not base64`, cause);
  }
}

/** Returns the parsed header of a safetensors file, and the rest of the file. */
async function headerOf(file: Blob, address: string): Promise<{ header: Header; data: Blob }> {
  const length = headerLength(new Uint8Array(await file.slice(0, LENGTH_BYTES).arrayBuffer()));
  const fault = (cause?: unknown) => bad(address, "expected a safetensors file", cause);
  const end = LENGTH_BYTES + (length ?? Infinity);
  if (end > file.size) throw fault();
  const bytes = new Uint8Array(await file.slice(LENGTH_BYTES, end).arrayBuffer());
  return { header: parseHeader(bytes, (_, cause) => fault(cause)), data: file.slice(end) };
}

const bad = (address: string, what: string, cause?: unknown) =>
  new WebertError("bad_input", `${address}: ${what}`, { cause });
