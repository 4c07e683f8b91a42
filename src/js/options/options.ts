// The first check of a call's options, which knows the usual names. option-names.ts has all names and is imported on
// demand.
import { onDemand } from "../on-demand.js";
import type { OptionsOf } from "./option-names.js";

/** Options of loading a model that are accepted without the table of all names. */
export const USUAL: readonly string[] = ["device", "dtype", "progress_callback", "signal", "revision", "token"];

/**
 * Rejects an option that the call does not have.
 * @param usual names that the call has; another name is looked up in the table of all names
 * @throws `bad_input` with the nearest name, or `unsupported` with the way out
 */
export async function checkOptions(of: OptionsOf, options: object, usual = USUAL): Promise<void> {
  if (Object.keys(options).every((name) => usual.includes(name))) return;
  (await onDemand(() => import("./option-names.js"))).check(of, options);
}
