// Finds entities by rule: unmistakable forms, and numbers with checksums.
import type { PatternName } from "./types.js";

/** A range of a text, in UTF-16 code units. */
export interface Range {
  start: number;
  end: number;
}

/** The label of each pattern's matches. */
export const PATTERN_LABELS: Record<PatternName, string> = { email: "EMAIL", card: "ID", iban: "ID" };

/** Functions that find a pattern in a text. All run in time linear in the text's length. */
export const PATTERNS: Record<PatternName, (text: string) => Range[]> = { email: emails, card: cards, iban: ibans };

// RFC 5321 allows at most 64 characters before the @ (here slightly more, because dots are extra) and 63 in each part
// of a domain. RFC 6531 allows letters of any script. RFC 5322 allows more signs before the @ than real addresses
// have. Only common signs are accepted here: with "=" or "/", a URL before an address would become part of it.
const LOCAL = "[\\p{L}\\p{M}\\p{N}_%+'~&-]";
const PART = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const EMAIL = `${LOCAL}(?:\\.?${LOCAL}){0,63}@(?:${PART}\\.){1,8}(?:xn--[a-z\\d-]{2,59}|\\p{L}{2,24})`;

/** Returns the ranges of e-mail addresses. */
function emails(text: string): Range[] {
  if (!text.includes("@")) return [];
  return Array.from(text.matchAll(new RegExp(EMAIL, "gu")), ({ 0: address, index }) => ({
    start: index + /^'*/.exec(address)![0].length, // skip opening quotation marks
    end: index + address.length,
  }));
}

/** Separators between groups of digits: spaces (including no-break ones), hyphens, dots. */
const SEPARATOR = "[ \\u00a0\\u2009\\u202f.\\u2010\\u2011\\u2013-]";

/**
 * First digits and lengths of card numbers by network (ISO/IEC 7812), from 13 digits on. In order: Visa; Visa and
 * Mastercard; Visa; American Express; Diners Club and JCB; Discover, UnionPay and Maestro.
 */
const NETWORKS = /^(4\d{12}|(4\d|5[1-5]|2[2-7])\d{14}|4\d{18}|3[47]\d{13}|3[05689]\d{12,17}|(6\d|5[06-9])\d{11,17})$/;

const MIN_CARD = 13;
const MAX_CARD = 19;

/**
 * Returns the ranges of card numbers: they have a network's form and a correct check digit. Groups of digits before
 * or after the number are left out.
 */
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

/** Returns the last group of the longest card number that starts with the group `first`. */
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

/** Returns whether the check digit is correct (ISO/IEC 7812-1, annex B). */
function luhn(digits: string): boolean {
  let sum = 0;
  for (let n = 0; n < digits.length; n++) {
    const digit = Number(digits[digits.length - 1 - n]) * (n % 2 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** Country codes by the length of their IBANs, from SWIFT's IBAN registry. */
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

/**
 * Returns the ranges of international bank account numbers (ISO 13616): they have their country's length and correct
 * check digits.
 */
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
    const goesOn = /^[\p{L}\p{N}]/u.test(text.slice(end, end + 2)); // two code units, because a letter may take two
    if (code.length === length && !goesOn && remainder97(code.toUpperCase()) === 1) found.push({ start: index, end });
  }
  return found;
}

/**
 * Returns the code modulo 97 (ISO/IEC 7064). The first four characters are moved to the end, and letters count 10 to
 * 35.
 */
function remainder97(code: string): number {
  let remainder = 0;
  for (const character of code.slice(4) + code.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
