import { luhn } from "./checksums.js";
import type { Detector, Match } from "./match.js";

/** Between groups of digits: spaces, line ends, hyphens, dots, slashes, underscores; at most three. */
const BETWEEN = "[ \\t\\r\\n\\u00a0.\\-/_]{0,3}";

/**
 * First digits and lengths of card numbers by network (ISO/IEC 7812), from 13 digits on. In order: Visa; Visa and
 * Mastercard; Visa; American Express; Diners Club and JCB; Discover, UnionPay and Maestro.
 */
const NETWORKS = /^(4\d{12}|(4\d|5[1-5]|2[2-7])\d{14}|4\d{18}|3[47]\d{13}|3[05689]\d{12,17}|(6\d|5[06-9])\d{11,17})$/;

const MIN = 13;
const MAX = 19;

interface Group {
  digits: string;
  start: number;
}

/** Finds card numbers: they have a network's form and a correct check digit. Neighbouring groups are left out. */
export const card: Detector = {
  labels: ["ID"],
  find(text) {
    const found: Match[] = [];
    for (const { 0: run, index } of text.matchAll(new RegExp(`\\d+(?:${BETWEEN}\\d+)*`, "g"))) {
      if (run.length < MIN) continue;
      const groups = Array.from(run.matchAll(/\d+/g), (group) => ({ digits: group[0], start: index + group.index }));
      for (let first = 0; first < groups.length; first++) {
        const last = lastGroup(text, groups, first);
        if (last === undefined) continue;
        const { digits, start } = groups[last]!;
        found.push({ start: groups[first]!.start, end: start + digits.length, label: "ID" });
        first = last;
      }
    }
    return found;
  },
};

/** Returns the last group of the longest card number that starts with the group `first`. */
function lastGroup(text: string, groups: readonly Group[], first: number): number | undefined {
  let digits = "";
  let found: number | undefined;
  for (let last = first; last < groups.length; last++) {
    digits += groups[last]!.digits;
    if (digits.length > MAX) break;
    if (digits.length < MIN || !NETWORKS.test(digits) || !luhn(digits)) continue;
    const written = text.slice(groups[first]!.start, groups[last]!.start);
    const lengths = groups.slice(first, last + 1).map(({ digits }) => digits.length);
    // Numbers on several lines or in several cells are a card only in the usual groups.
    if (!/[\t\n]|[^\d]{2}/.test(written) || /^(?:4,4,4,4(?:,[1-3])?|4,6,[45])$/.test(lengths.join())) found = last;
  }
  return found;
}
