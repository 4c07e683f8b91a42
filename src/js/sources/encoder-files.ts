// Identifies the files with a model's encoder, without fetching anything.
import { WebertError } from "../errors.js";
import { reader } from "./reader.js";
import type { Place } from "./source.js";
import type { Folder, Reading } from "./types.js";

/** Matches the names of an encoder's tensors in all families. No other tensor's name matches. */
const ENCODER = /(^|\.)(embeddings|embeddings_project|encoder|transformer)\./;

const identities = new WeakMap<Blob, number>();
let blobs = 0;

/** Returns a text that identifies a Blob. Two Blobs have the same text only if they are one object. */
function identityOf(file: Blob | string): string {
  if (typeof file === "string") return file;
  const identity = identities.get(file) ?? ++blobs;
  identities.set(file, identity);
  return `blob ${identity}`;
}

/** Returns a text that identifies a place. Two places have the same text only if all their files are the same. */
export function placeIdentity(place: Place): string {
  if (place.kind === "disk") return place.path;
  if (place.kind === "url" && !place.files) return place.base;
  return JSON.stringify(Object.entries(place.files!).map(([name, file]) => [name, identityOf(file)]));
}

/** Identifies an encoder's weights. */
export interface EncoderIdentity {
  /** Identifies the file with the encoder, or all of its tensors. */
  base: string;
  /** Identifies the files that change the encoder of `base`. Absent if there are none. */
  changes?: string;
}

/**
 * Identifies the encoder's weights at a place. Two places have the same identity only if they use the same tensors of
 * the same files. A folder behind a URL is identified by its URL, because its files are unknown before they are
 * fetched.
 * @param own fields that replace fields of config.json
 */
export async function encoderIdentity(
  place: Place,
  own: object | undefined,
  reading: Reading,
): Promise<EncoderIdentity> {
  const whole = { base: placeIdentity(place) };
  if (place.kind === "url" && !place.files) return whole;
  try {
    return (await identify(place, own, reading)) ?? whole;
  } catch (error) {
    if (error instanceof WebertError) return whole; // the load fails with the same error and reports it
    throw error;
  }
}

async function identify(place: Place, own: object | undefined, reading: Reading): Promise<EncoderIdentity | undefined> {
  const given = place.kind === "disk" ? undefined : place.files;
  const isRemote = (name: string) => typeof given?.[name] === "string";
  if (isRemote("config.json")) return undefined;
  const { INDEX, namedWeights, openFolder, readConfig, readFile, WHOLE, weightMap } = await reader();
  const folder = await openFolder(place, reading);
  const control = { signal: new AbortController().signal };
  const exists = async (name: string) => isRemote(name) || (await folder.open(name, control.signal)) !== undefined;
  const address = async (name: string) =>
    given ? identityOf(given[name] ?? name) : `${folder.address(name)} ${await versionOf(folder, name)}`;

  const named = namedWeights(folder, (await readConfig(folder, control, own))["config.json"]);
  const whole = named ?? WHOLE;
  if (!whole.endsWith(".json") && (named || (await exists(whole)))) return { base: await address(whole) };
  const name = whole.endsWith(".json") ? whole : INDEX;
  const index = isRemote(name) ? undefined : await readFile(folder, name, control);
  if (!index) return undefined;
  const tensors = Object.entries(weightMap(folder, index));
  const encoder = tensors.filter(([tensor]) => ENCODER.test(tensor)).sort();
  const files = [...new Set(encoder.map(([, file]) => file))];
  const addresses = await Promise.all(files.map(address));
  if (files.length === 1) return { base: addresses[0]! };
  const all = JSON.stringify(encoder.map(([tensor, file]) => [tensor, addresses[files.indexOf(file)]]));
  // The files of the folder change the encoder in a file of another folder.
  const others = files.filter((file) => file.startsWith("../"));
  return others.length === 1 ? { base: addresses[files.indexOf(others[0]!)]!, changes: all } : { base: all };
}

/** Returns a text that identifies a PEFT adapter. */
export async function adapterIdentity(place: Place, reading: Reading): Promise<string> {
  if (place.kind !== "disk") return placeIdentity(place);
  const folder = await (await reader()).openFolder(place, reading);
  const names = ["adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"];
  const versions = await Promise.all(names.map((name) => versionOf(folder, name)));
  return [placeIdentity(place), ...versions].join(" ");
}

/** Returns a text that changes when a file on disk changes. */
async function versionOf(folder: Folder, name: string): Promise<string> {
  const file = await folder.open(name, new AbortController().signal);
  return `${file?.size} ${file?.version}`;
}
