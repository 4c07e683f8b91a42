import { WebertError } from "../errors.js";
import { optionsOf } from "../values.js";
import { near } from "../words.js";

/**
 * Returns the options of a call without those that are null or undefined.
 * @throws WebertError `bad_input` for a name outside `names`; it suggests the most similar name
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
