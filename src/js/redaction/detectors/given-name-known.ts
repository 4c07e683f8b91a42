// Given names of the list, and whether a word is one.
import { GIVEN_NAMES } from "./given-name-list.js";
import { GIVEN_NAMES_IN_CYRILLIC } from "./languages/cyrillic-greek-words.js";

let known: ReadonlySet<string> | undefined;
/** Returns the set of the list, with names in Cyrillic that it does not have. Without the list it is nearly empty. */
export const givenNamesOfList = (): ReadonlySet<string> => {
  if (known) return known;
  known = new Set(GIVEN_NAMES.split(/\s/));
  return known.size < 2 ? known : (known = new Set([...known, ...GIVEN_NAMES_IN_CYRILLIC.split(" ")]));
};

/** Returns whether a word in lower case is a given name of the list. */
export const isGivenName = (word: string) => givenNamesOfList().has(word);
