// Kinds of the values that callers pass, and how messages name them.
import { WebertError } from "./errors.js";

export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

/** Returns a value as text for messages: numbers in digits, other values by their kind. */
export function shown(value: unknown): string {
  return isNumber(value) ? String(value) : kindOf(value);
}

/** Returns a word for the kind of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === "") return "an empty string";
  return Array.isArray(value) ? "an array" : typeof value;
}

/** Returns the options of a call, which may be absent or an object. Throws `bad_input`. */
export function optionsOf<T extends object>(value: unknown): Partial<T> {
  if (value == null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Partial<T>;
  throw new WebertError("bad_input", `options are an object, not ${kindOf(value)}`);
}
