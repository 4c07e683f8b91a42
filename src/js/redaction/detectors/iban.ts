import { remainder97 } from "./checksums.js";
import type { Detector, Match } from "./match.js";

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
/** What may follow an IBAN without a space. */
const CURRENCY = /^(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|AED|SAR)(?![\p{L}\p{N}])/u;

/**
 * Finds international bank account numbers (ISO 13616): they have their country's length and correct check digits.
 */
export const iban: Detector = {
  labels: ["ID"],
  find(text) {
    const found: Match[] = [];
    for (const { 0: whole, 1: head, index } of text.matchAll(/(?<![\p{L}\p{N}])(?:IBAN)?([A-Z]{2}\d{2})/giu)) {
      const start = index + whole.length - head!.length;
      const end = start < (found.at(-1)?.end ?? 0) ? undefined : endOf(text, start);
      if (end !== undefined) found.push({ start, end, label: "ID" });
    }
    return found;
  },
};

function endOf(text: string, start: number): number | undefined {
  const length = LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let end = start;
  let code = "";
  while (code.length < length) {
    const gap = code.length >= 2 ? /^(?:[ \t.\-/_]|\r?\n)?/.exec(text.slice(end, end + 2))![0].length : 0;
    if (!/[A-Z\d]/i.test(text[end + gap] ?? "")) return undefined;
    code += text[end + gap];
    end += gap + 1;
  }
  const goesOn = /^[\p{L}\p{N}]/u.test(text.slice(end, end + 2)) && !CURRENCY.test(text.slice(end, end + 5));
  return !goesOn && remainder97(code.toUpperCase()) === 1 ? end : undefined;
}
