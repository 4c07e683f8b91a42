// What is found by rule: forms that nothing else has, and numbers with checksums.
import type { PatternName } from "./types.js";

/** Where something is in a text, in UTF-16 code units. */
export interface Range {
  start: number;
  end: number;
}

/** The label of what each pattern finds. */
export const PATTERN_LABELS: Record<PatternName, string> = { email: "EMAIL", card: "ID", iban: "ID" };

/** Where a pattern is found in a text. All take time linear in the text's length. */
export const PATTERNS: Record<PatternName, (text: string) => Range[]> = { email: emails, card: cards, iban: ibans };

// RFC 5321: at most 64 characters before the @ (here some more, for its points) and 63 in each part of a domain. Letters of any script (RFC 6531). Of the signs
// that RFC 5322 allows before the @ those that addresses have: with "=" or "/" the URL around an address would be its beginning.
const LOCAL = "[\\p{L}\\p{M}\\p{N}_%+'~&-]";
const PART = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const EMAIL = `${LOCAL}(?:\\.?${LOCAL}){0,63}@(?:${PART}\\.){1,8}(?:xn--[a-z\\d-]{2,59}|\\p{L}{2,24})`;

/** E-mail addresses. */
function emails(text: string): Range[] {
  if (!text.includes("@")) return [];
  return Array.from(text.matchAll(new RegExp(EMAIL, "gu")), ({ 0: address, index }) => ({
    start: index + /^'*/.exec(address)![0].length, // a quotation mark before it
    end: index + address.length,
  }));
}

/** Between the groups of a number: a space (also those that keep a line together), a hyphen, a point. */
const SEPARATOR = "[ \\u00a0\\u2009\\u202f.\\u2010\\u2011\\u2013-]";

/**
 * First digits and lengths that card networks have (ISO/IEC 7812), from 13 digits on: Visa; Visa and Mastercard; Visa; American Express;
 * Diners Club and JCB; Discover, UnionPay and Maestro.
 */
const NETWORKS = /^(4\d{12}|(4\d|5[1-5]|2[2-7])\d{14}|4\d{18}|3[47]\d{13}|3[05689]\d{12,17}|(6\d|5[06-9])\d{11,17})$/;

const MIN_CARD = 13;
const MAX_CARD = 19;

/** Card numbers: of a network's form and with the right check digit. Groups of digits that stand before or after one are left out. */
function cards(text: string): Range[] {
  const found: Range[] = [];
  for (const { 0: run, index } of text.matchAll(
    new RegExp(`(?<![\\p{L}\\p{N}])\\d+(?:${SEPARATOR}\\d+)*(?![\\p{L}\\p{N}])`, "gu"),
  )) {
    if (run.length < MIN_CARD) continue;
    const groups = Array.from(run.matchAll(/\d+/g), (group) => ({ digits: group[0], start: index + group.index }));
    for (let first = 0; first < groups.length; first++) {
      const last = lastGroup(groups, first);
      if (last === undefined) continue;
      found.push({ start: groups[first]!.start, end: groups[last]!.start + groups[last]!.digits.length });
      first = last;
    }
  }
  return found;
}

/** The last of the groups that make the longest card number from the `first` on. */
function lastGroup(groups: readonly { digits: string }[], first: number): number | undefined {
  let digits = "";
  let found: number | undefined;
  for (let last = first; last < groups.length; last++) {
    const { digits: more } = groups[last]!;
    if (digits.length + more.length > MAX_CARD) break;
    digits += more;
    if (digits.length >= MIN_CARD && isCard(digits)) found = last;
  }
  return found;
}

const isCard = (digits: string) => NETWORKS.test(digits) && luhn(digits);

/** Whether the check digit is right (ISO/IEC 7812-1, annex B). */
function luhn(digits: string): boolean {
  let sum = 0;
  for (let n = 0; n < digits.length; n++) {
    const digit = Number(digits[digits.length - 1 - n]) * (n % 2 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** Countries by the length of their IBANs: SWIFT's IBAN registry. */
const IBANS: Record<number, string> = {
  15: "NO",
  16: "BE",
  18: "DK FI FK FO GL NL SD",
  19: "MK SI",
  20: "AT BA EE KZ LT LU MN XK",
  21: "CH HR LI LV",
  22: "BG BH CR DE GB GE IE ME RS VA",
  23: "AE GI IL IQ OM SO TL",
  24: "AD CZ ES MD PK RO SA SE SK TN VG",
  25: "LY PT ST",
  26: "IS TR",
  27: "BI DJ FR GR IT MC MR SM",
  28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
  29: "BR EG PS QA UA",
  30: "JO KW MU YE",
  31: "MT SC",
  32: "LC",
  33: "RU",
};
const LENGTHS = new Map(
  Object.entries(IBANS).flatMap(([length, all]) => all.split(" ").map((country) => [country, +length])),
);

/** International bank account numbers (ISO 13616): of the length that their country has, and with the right check digits. */
function ibans(text: string): Range[] {
  const found: Range[] = [];
  const separator = new RegExp(SEPARATOR);
  for (const { 0: head, index } of text.matchAll(/(?<![\p{L}\p{N}])[A-Z]{2}\d{2}/giu)) {
    const length = LENGTHS.get(head.slice(0, 2).toUpperCase());
    if (length === undefined || index < (found.at(-1)?.end ?? 0)) continue;
    let end = index + head.length;
    let code = head;
    while (code.length < length) {
      const at = separator.test(text[end] ?? "") ? end + 1 : end;
      if (!/[A-Z\d]/i.test(text[at] ?? "")) break;
      code += text[at];
      end = at + 1;
    }
    const goesOn = /^[\p{L}\p{N}]/u.test(text.slice(end, end + 2)); // two code units, which may be one letter
    if (code.length === length && !goesOn && remainder97(code.toUpperCase()) === 1) found.push({ start: index, end });
  }
  return found;
}

/** The code with its first four characters last, letters as 10 to 35, modulo 97 (ISO/IEC 7064). */
function remainder97(code: string): number {
  let remainder = 0;
  for (const character of code.slice(4) + code.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
