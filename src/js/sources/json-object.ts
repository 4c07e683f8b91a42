// Reads a JSON file that holds an object.
import { WebertError } from "../errors.js";

export type Json = Record<string, unknown>;

/**
 * Returns the object in a JSON file.
 * @throws WebertError `bad_config` for other bytes
 */
export function jsonObject(name: string, bytes: Uint8Array | undefined): Json {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new WebertError("bad_config", `${name}: expected JSON`, { cause });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new WebertError("bad_config", `${name}: expected an object`);
}
