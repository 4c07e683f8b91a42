import { WebertError } from "../errors.js";
import { optionsOf } from "../values.js";
import { near } from "../words.js";

/**
 * The options of a call, of which only those of these names are known; null and undefined are as good as nothing. Throws
 * `bad_input` for another one, with the name that may have been meant.
 */
export function knownOptions(what: string, given: unknown, names: readonly string[]): Record<string, unknown> {
  const options = optionsOf<Record<string, unknown>>(given);
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const meant = near(name, names);
    throw new WebertError("bad_input", `${what} has no option ${name}${meant ? `; did you mean ${meant}?` : ""}`);
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value != null));
}
