// Reads the options of the calls that train.
import { refuseUnknown } from "../nearest-name.js";
import { optionsOf } from "../values.js";

/**
 * Returns the options of a call. `null` and `undefined` mean the default and are left out.
 * @throws `bad_input` for an option that is not among `names`, with the nearest name
 */
export function knownOptions(what: string, given: unknown, names: readonly string[]): Record<string, unknown> {
  const options = optionsOf<Record<string, unknown>>(given);
  refuseUnknown(what, options, names);
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value != null));
}
