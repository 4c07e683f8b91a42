// Names of fields of forms that no list has.
import { hasGivenName } from "./detectors/given-name.js";
import { labelOfKey } from "./detectors/keys.js";
import { SAYING } from "./detectors/roles.js";
import type { Range } from "./span-types.js";

/** A line with a field: its name and its value. */
const FIELD = /^[ *-]*(\p{Lu}[^\n:]{0,39}):[ \t]*\S/gmu;
/** The fewest fields of a form. */
const FIELDS = 3;
/** A name of a field that is no name of a person: its last word has no capital, as in "Kraj rojstva". */
const PHRASE = /^[^\d]*\s\p{Ll}[\p{Ll}\p{M}]{2,}$/u;

/** The fewest fields of a form of which at least a third have known names, and none comes back. */
const KNOWN_FIELDS = 4;

/**
 * Returns where the names of fields stand that are phrases, if the text has the lines of a form; all names if a third of
 * them are known. A name of a person may stand there as well.
 */
export function fieldNames(text: string): Range[] {
  const fields = Array.from(text.matchAll(FIELD));
  if (fields.length < FIELDS) return [];
  const known = fields.filter(([, name]) => labelOfKey(name!) !== undefined).length;
  const differ = new Set(fields.map(([, name]) => name)).size === fields.length;
  const isForm = fields.length >= KNOWN_FIELDS && differ && 3 * known >= fields.length;
  return fields.flatMap(({ 0: line, 1: name, index }) => {
    const start = index + line.indexOf(name!);
    return (isForm || PHRASE.test(name!)) && !SAYING.test(name!) && !hasGivenName(name!)
      ? [{ start, end: start + name!.length }]
      : [];
  });
}
