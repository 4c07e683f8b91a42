// Tests by form whether a span of a model can be a value of its label, and finds the values in one that cannot.
import { monthForm } from "./detectors/months.js";
import { HAS_WEEKDAY } from "./detectors/weekdays.js";
import type { Span } from "./span-types.js";
import { AMOUNT, CURRENCIES, UNITS, YEARS_OF_AGE } from "./units.js";

/** A year, an ordinal, or the sign of a year or month. */
const YEAR = /(?<!\d)(?:1[89]|20)\d{2}(?!\d)|['’]\d{2}(?!\d)|\d(?:st|nd|rd|th|er|º|ª|-?[áé]n)(?!\p{L})|[年月日년월일]/u;
/** A day and a month in digits, and the year. */
const NUMERIC = /(?<![\d.:,/-])(\d{1,2})\s?([./-])\s?(\d{1,2})(?:\s?\2\s?(\d{2}(?:\d{2})?)?)?(?![\d:]|[./,-]\d)/g;
/** Words before the number of a day. */
const BEFORE_DAY =
  /(?<!\p{L})(?:am|vom|zum|den|ab|dne|dňa|dnia|il|el|día|dia|le|du|au|dien|on the|of the|a|de|fra|till|til|od|do|с|по|до|від|на)\s$/iu;

/** Returns whether two numbers can be a day and a month. */
function isDayAndMonth([, first, sign, second, year]: RegExpMatchArray, text: string, end: number): boolean {
  const [a, b] = [Number(first), Number(second)];
  if (a === 0 || b === 0 || a > 31 || b > 31 || (a > 12 && b > 12)) return false;
  if (year !== undefined || sign !== ".") return true;
  // "6.1" is a version, "6.1." and "06.01" are dates; the month comes second.
  return b <= 12 && (text[end - 1] === "." || text[end] === "." || (first!.length === 2 && second!.length === 2));
}

const WORDS = /\p{L}[\p{L}\p{M}]{2,}/gu;
const hasMonth = (text: string) => (text.match(WORDS) ?? []).some((word) => monthForm(word) !== undefined);

/** Returns whether a span with a digit can be a date. */
function isDate(text: string, { start, end }: Span): boolean {
  const word = text.slice(start, end);
  if (YEAR.test(word) || hasMonth(word) || HAS_WEEKDAY.test(word)) return true;
  if (hasMonth(text.slice(Math.max(0, start - 14), start)) || hasMonth(text.slice(end, end + 14))) return true;
  for (const match of word.matchAll(NUMERIC))
    if (isDayAndMonth(match, text, start + match.index + match[0].length)) return true;
  return /^\d{1,2}\.?$/.test(word) && BEFORE_DAY.test(text.slice(Math.max(0, start - 9), start));
}

/** A sign or code of a currency right before an amount. */
const CURRENCY_BEFORE = /(?:\p{Sc}|(?<!\p{L})(?:[A-Z]{3}|Rp|Rs\.?|kr\.?|R))\s?$/u;

/** Returns whether an amount has a currency in the span or right beside it. */
const isMoney = (text: string, { start, end }: Span) =>
  CURRENCIES.test(text.slice(start, end)) ||
  UNITS.MONEY!.test(text.slice(end, end + 12)) ||
  CURRENCY_BEFORE.test(text.slice(Math.max(0, start - 5), start)) ||
  /\d{3}[.,]\d{2}(?!\d)/.test(text.slice(start, end));

/** A street with a number, a postcode with a town, or a word for a street or a box. */
const STREET_AND_NUMBER =
  /\p{Lu}\p{Ll}[\p{L}\p{M}.'’-]*(?:\s(?:[\p{L}\p{M}'’]+\.?)){0,4},?\s(?:(?:n[.°ºr]{1,2}|č\.|č\. ?p\.|№|br\.|nr\.?|no\.|д\.|буд\.)\s?)?\d{1,4}(?:\s?[\p{L}])?(?:[/-]\d{1,4}\p{L}?)?(?=\.?(?:[,;\n)]|$|\s\p{Lu}|\s\d{4,6}))/u;
const POSTCODE =
  /(?<!\d)(?:\d{2}-\d{3}|\d{4,6}|\d{3}\s\d{2}|\d{4}\s?[A-Z]{2}|[A-Z]{1,2}-\d{4,5}),?\s\p{Lu}\p{Ll}|\p{Ll},?\s(?:\d{5}|\d{2}-\d{3}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2})(?!\d)/u;
/** A number of a thing, a time or a measure: no part of an address. */
const MEASURE =
  /№|(?<!\p{L})(?:n|nr|no|č|num|klo|kl|godz|tel|tlf)[.°º]?\s?\d|\d\s?(?:%|x\s?\d|[×]|g|kg|mg|ml|cl|l|m|mm|cm|km|h|min|st[dk]?|ks|szt|бр|шт|vnt|tk|db|buc|pcs|kpl|mAh|bar|W|V|GB|MB|mm\s?Hg|лв|kr|zł|Kč|Ft|€|руб|грн)(?!\p{L})|\d[,.]\d|\d{2,3}\s?\/\s?\d{2,3}/iu;

/** Returns whether a number can be an age: it has a unit that is no measure, it stands after a name, or the model is certain. */
function isAge(text: string, { start, end, score }: Span): boolean {
  const word = text.slice(start, end);
  if (/\p{L}/u.test(word)) return !MEASURE.test(word);
  if (/^\.\s?\p{Ll}/u.test(text.slice(end, end + 3))) return false; // "3. oldal", the third page
  return score >= 0.8 || /\p{L}[,(] ?$/u.test(text.slice(Math.max(0, start - 3), start));
}

/** A word or a part of one for a street or square. */
const STREET =
  /ulic|(?<!\p{L})(?:ul|al|av|bd|jl|sok|cad|ул|вул|пер|g)\.|utc[aá]|(?<!\p{L})(?:út|út[jo]|rua|rue|ruelle|via|bis|rang|quai|cours|route|place|voie|côte|al[eé]ja|plac|plaza|piazza|praça|largo|calle|carrer|trg|mah|tie|katu|cadde|sokak|jalan|đường|phố)(?!\p{L})|stra(?:ss|ß)|(?:weg|vej|veg|gade|gata|gatan|vägen|gasse|platz|laan|straat|katu|tie|iela|tänav|gatvė|poisto)(?!\p{L})|avenu|avenid|boulevard|chemin|allée|impasse|square|passage|sentier|montée|náměstí|námestie|улиц|вулиц|просп|(?<!\p{L})οδ/iu;

/** Returns whether a text with a digit can be an address. */
export function isAddress(word: string): boolean {
  return STREET.test(word) || POSTCODE.test(word) || (STREET_AND_NUMBER.test(word) && !MEASURE.test(word));
}

/** Measurements of patients, with a number after them. */
const MEASURED =
  /(?<!\p{L})(?:BP|RR|TA|PA|HA|TK|TT|KD|FC|FR|HR|AF|AV|AT|SpO2|sats?|temp|T|EF|LVEF|INR|Hb|HbA1c|Hct|PCV|PSA|CRP|BMI|Plt|GCS|EGA|АД|ЧСС|АТ|ΑΠ)[ :.]{0,3}(?:[\d,. ]+\/)?$/iu;

/** Returns whether a number is a measurement of a patient: a blood pressure, a rate, a share. */
function isMeasured(text: string, start: number, end: number): boolean {
  const [, name, number] =
    /^(\p{Lu}[\p{L}\d]{1,4} )?(\d{1,3}(?:[.,]\d{1,2})?(?:\s?\/\s?(?:\d{1,3}|min))?\.?)$/u.exec(
      text.slice(start, end),
    ) ?? [];
  return number !== undefined && MEASURED.test(text.slice(Math.max(0, start - 12), start) + (name ?? ""));
}

/** A code of a model or error, and a word before it that makes it the number of a contract or the like. */
const SHORT_CODE = /^(?:\p{Lu}{1,3}-\d{2,3}(?:-\p{Lu}{1,3})?|(?=\S*[a-f])(?=\S*\d)[\da-f]{4}-[\da-f]{3,4})$/u;
const NUMBER_WORD =
  /(?:n[ru]m|n[°ºr]|no\b|№|\bid\b|ref|kod|code|cod\b|case|ticket|order|invoice|polic|polis|contra|vertr|kund|client|bestell|rechn|fa[ck]tur|book|reserv|buch|zam|zak|patient|mrn|plat|reg|kenn|dossier|avtal|sag|sak|ärende|договор|заказ|дело|полис)[^\n,;]{0,16}$/iu;
/** Units of time in medical notes: "3/7" are three days, "6/52" six weeks. */
const MEDICAL_TIME = /^\d{1,2}\/(?:7|12|52|24|40)\.?$/;
const IS_NOTE = /(?<!\p{L})(?:BP|Rx|Hx|PMH|C\/o|Pt|PCV|sats|obs|bd|tds|SOS)(?!\p{L})/u;

/** Returns whether a span with a digit identifies nobody: a measurement of a patient, a code, a time stamp, or a span of time in a medical note. */
const isNotPersonal = (text: string, { label, start, end }: Span): boolean => {
  const word = text.slice(start, end);
  if (label === "HEALTH" && MEASURED.test(word) && /^[ :.]{0,3}\d/.test(text.slice(end, end + 4))) return true;
  if (!/\d/.test(word)) return false;
  if (isMeasured(text, start, end)) return true;
  const before = text.slice(Math.max(0, start - 12), start);
  // A time stamp, the status and the size of an answer, a hash with its name, and a version.
  if (/^\d{4}-\d\d-\d\dT/.test(word) || (/^\d{3} \d+$/.test(word) && /" $/.test(before))) return true;
  if (/^(?:256|512|1):/.test(word) && /(?:sha|md5)-?$/i.test(before)) return true;
  if (label === "ADDRESS") return /^\d{1,3}$/.test(word);
  if (label === "ID") return SHORT_CODE.test(word) && !NUMBER_WORD.test(text.slice(Math.max(0, start - 30), start));
  if (label !== "DATE") return false;
  return (MEDICAL_TIME.test(word) && IS_NOTE.test(text)) || (HOUR.test(word) && HOUR_OF_ROW.test(text));
};

/** A day and a month, or an hour and minutes; and an hour at the start of a line that is no day with a month. */
const HOUR = /^\d{1,2}\.\d{2}$/;
const HOUR_OF_ROW = /^\d{1,2}\.(?:00|1[3-9]|[2-5]\d)(?![\d.])/m;

/** Returns whether a span can be a date, an amount or an age, if its label is that of one. Spans without a digit can. */
function hasShape(text: string, span: Span): boolean {
  const word = text.slice(span.start, span.end);
  if (!/\d/.test(word)) return true;
  if (span.label === "DATE") return isDate(text, span);
  if (span.label === "MONEY") return isMoney(text, span);
  return span.label !== "AGE" || isAge(text, span);
}

/** A long number, or a token of letters and digits, with the capitals before it. */
const LONG =
  /(?<![\p{L}\p{N}])(?:[A-Z]{1,3}[ -])?(?=[\p{L}\p{N}/-]*\d[\p{L}\p{N}/-]*\d[\p{L}\p{N}/-]*\d)[\p{L}\p{N}]{2,}(?:[/-][\p{L}\p{N}]+)*(?![\p{L}\p{N}])/gu;
/** Two or more words with a capital. */
const FULL_NAME = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’-]+)+/gu;

/** A size or a blood pressure: "120x140", "RR 155/85". */
const PAIR = /^\D{0,4}\d{2,3}\s?[/x×]\s?\d{2,3}$/u;
const isNumberOfThing = (value: string) =>
  !PAIR.test(value) && ((value.match(/\d/g)?.length ?? 0) >= 5 || (/\p{Lu}/u.test(value) && value.length >= 7));

/** Returns the amounts, numbers and names in a span that is no value of its label. */
export function valuesIn(text: string, span: Span): Span[] {
  const word = text.slice(span.start, span.end);
  const found: Span[] = [];
  const add = (pattern: RegExp, label: string, isMeant: (value: string) => boolean = () => true) => {
    for (const { 0: value, index } of word.matchAll(pattern)) {
      const [start, end] = [span.start + index, span.start + index + value.length];
      if (isMeant(value) && !found.some((other) => other.start < end && start < other.end))
        found.push({ ...span, label, start, end });
    }
  };
  add(AMOUNT, "MONEY");
  add(YEARS_OF_AGE, "AGE");
  add(LONG, "ID", isNumberOfThing);
  add(FULL_NAME, "PERSON");
  return found.sort((a, b) => a.start - b.start);
}

/** Words before the digits of a number, and words after them: "Ticket SR-10552 opened". Short words in capitals may be a part of it. */
const WORDS_BEFORE = /^(?:(?:(?=\S*\p{Ll})[\p{L}.:-]+|\p{Lu}{4,}|VAT|№|#|n[°º])\s+)+(?=\S*\d)/u;
const WORDS_AFTER = /(?<=\d)((?:\s+\p{Ll}{2,})+)$/u;
/** An amount; what stands before it, "od" of "od 26,50 EUR" or a quantity, and words after it do not belong to it. */
const FIRST_AMOUNT = new RegExp(`(?:\\p{Lu}{0,2}\\p{Sc}|[A-Z]{3}|Rp|Rs\\.?|kr\\.?)\\s?\\d|${AMOUNT.source}`, "u");
const NUMBER_WORDS = /\p{Sc}|hundred|thousand|million|about|over|under|nearly|almost/iu;
const AFTER_AMOUNT = /(?:\.\s+\p{Lu}\p{Ll}*|\s(?:ke|na|za|på|à|til|till|to|do|de|går|на|за))$/u;

/** Returns a number or an amount without the words around it. */
function withoutWords(text: string, span: Span): Span {
  const word = text.slice(span.start, span.end);
  if (!/\d/.test(word)) return span;
  if (span.label === "MONEY") {
    const first = FIRST_AMOUNT.exec(word)?.index ?? 0;
    const head = NUMBER_WORDS.test(word.slice(0, first)) ? 0 : first;
    return { ...span, start: span.start + head, end: span.end - (AFTER_AMOUNT.exec(word)?.[0].length ?? 0) };
  }
  if (span.label !== "ID") return span;
  const start = span.start + (WORDS_BEFORE.exec(word)?.[0].length ?? 0);
  const after = WORDS_AFTER.exec(word)?.[1]?.length ?? 0;
  return { ...span, start, end: span.end - after };
}

/** A dose after a medicine, up to the next one. */
const DOSE =
  /(?:\s|^)\d+(?:[.,]\d+)?(?:\s?[-x×/]\s?\d+)*\s?(?:mg|mcg|µg|ug|g|ml|IE|UI|IU|j\.m\.|%)(?!\p{L})[^,;+\p{L}]*|\s?[,;+]\s/giu;

/** Returns the parts of a span between doses, lists and measurements, or the span. */
function withoutDoses(text: string, span: Span): Span[] {
  const word = text.slice(span.start, span.end);
  if (span.label !== "HEALTH" || !/\d/.test(word)) return [span];
  const found: Span[] = [];
  const add = (from: number, to: number) => {
    const part = word.slice(from, to);
    const start = span.start + from + (part.length - part.trimStart().length);
    if (/\p{L}/u.test(part) && !/^\s*(?:\p{L}{1,5}\s)?\d+(?:[.,]\d+)?$/u.test(part))
      found.push({ ...span, start, end: start + part.trim().length });
  };
  let from = 0;
  for (const { 0: dose, index } of word.matchAll(DOSE)) {
    add(from, index);
    from = index + dose.length;
  }
  if (from === 0) return [span];
  add(from, word.length);
  return found;
}

/** Returns a span of the model if its form is that of its label, or the values in it. */
export function shaped(text: string, span: Span): Span[] {
  if (isNotPersonal(text, span)) return [];
  return hasShape(text, span) ? withoutDoses(text, withoutWords(text, span)) : valuesIn(text, span);
}
