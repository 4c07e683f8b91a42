// Moves dates by a number of days and keeps their form.
import { MONTHS } from "./detectors/months.js";

const DAY = 86_400_000;
const ISO = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(.*)$/s;
const SHORT = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(.*)$/s;

/** Returns a date moved by `days`, written in the same form; undefined if the form is unknown. */
export function shifted(word: string, days: number): string | undefined {
  const iso = ISO.exec(word);
  if (iso) {
    const [, year, sign, month, day, rest] = iso as unknown as string[];
    const date = moved(+year!, +month!, +day!, days);
    return date && `${date.year}${sign}${same(date.month, month!)}${sign}${same(date.day, day!)}${rest}`;
  }
  const short = SHORT.exec(word);
  if (!short) return inWords(word, days);
  const [, first, sign, second, year, rest] = short as unknown as string[];
  const isMonthFirst = +second! > 12;
  const [day, month] = isMonthFirst ? [second!, first!] : [first!, second!];
  const date = moved(year!.length === 2 ? 1900 + +year! + (+year! < 40 ? 100 : 0) : +year!, +month, +day, days);
  if (!date) return undefined;
  const [a, b] = isMonthFirst ? [date.month, date.day] : [date.day, date.month];
  return `${same(a, first!)}${sign}${same(b, second!)}${sign}${String(date.year).slice(-year!.length)}${rest}`;
}

/** "3 May 1984", "May 3, 1984", "3. Mai 1984": the month stays in the language in which it was written. */
function inWords(word: string, days: number): string | undefined {
  const name = [...word.matchAll(/\p{L}+/gu)].map(([part]) => part).find((part) => MONTHS.has(part.toLowerCase()));
  const year = /\b\d{4}\b/.exec(word)?.[0];
  const day = /(?<!\d)\d{1,2}(?!\d)/.exec(word)?.[0];
  if (!name || !year || !day) return undefined;
  const [month, language] = MONTHS.get(name.toLowerCase())!;
  const date = moved(+year, month, +day, days);
  const other = date && [...MONTHS].find(([, [number, of]]) => number === date.month && of === language)?.[0];
  if (!date || !other) return undefined;
  const written =
    name === name.toUpperCase()
      ? other.toUpperCase()
      : /^\p{Lu}/u.test(name)
        ? other[0]!.toUpperCase() + other.slice(1)
        : other;
  return word
    .replace(year, "\u0001")
    .replace(name, "\u0002")
    .replace(
      /(?<!\d)\d{1,2}(?!\d)(?:st|nd|rd|th)?/,
      (old) => `${date.day}${/[a-z]/.test(old) ? ordinal(date.day) : ""}`,
    )
    .replace("\u0001", String(date.year))
    .replace("\u0002", written);
}

const ordinal = (day: number) =>
  day % 10 > 3 || day % 10 === 0 || (day > 10 && day < 14) ? "th" : ["st", "nd", "rd"][(day % 10) - 1]!;

/** A number with as many digits as `like` if that begins with 0 or has two digits. */
const same = (value: number, like: string) => String(value).padStart(like.length, "0");

function moved(year: number, month: number, day: number, days: number) {
  const time = Date.UTC(year, month - 1, day);
  if (new Date(time).getUTCMonth() !== month - 1) return undefined;
  const date = new Date(time + days * DAY);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
