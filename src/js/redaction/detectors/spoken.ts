import { isEnglish, judgedPart } from "../language.js";
import { COUNTED, numberAt } from "./age-verbs.js";
import { numbersInArabicHebrew } from "./languages/arabic-hebrew.js";
import { before, lazily, type Match, matches, stepped } from "./match.js";
import { monthForm } from "./months.js";
import { numbersInWords } from "./spoken-number.js";

/** Words for digits, by language. */
const DIGITS = [
  "zero|oh|o|nought|one|two|three|four|five|six|seven|eight|nine|double|triple|treble|hundred|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety",
  "null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun",
  "zéro|un|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|vingt|trente|quarante|cinquante|soixante",
  "cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve",
  "zero|uno|due|tre|quattro|cinque|sei|sette|otto|nove",
  "zero|um|dois|duas|três|quatro|cinco|seis|meia|sete|oito|nove",
  "nul|een|twee|drie|vier|vijf|zes|zeven|acht|negen",
  "zero|jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć",
  "noll|ett|två|tre|fyra|fem|sex|sju|åtta|nio",
];
const RUNS = DIGITS.map((words) =>
  lazily(
    `(?<![\\p{L}\\p{N}])(?:plus\\s+)?(?:(?:${words})|\\d{1,4})(?:[\\s,.-]{1,3}(?:(?:and|und|et|y|e|dash|hyphen|slash|dot)\\s+)?(?:(?:${words})|\\d{1,4})(?![\\p{L}\\p{N}])){3,24}(?![\\p{L}])`,
    "giu",
  ),
);
const WORDS = DIGITS.map((words) => lazily(`(?<![\\p{L}])(?:${words})(?![\\p{L}])`, "giu"));
/** Single letters that spell a word. */
const LETTERS = /(?<![\p{L}\p{N}'’.])\p{L}(?:(?:\s?[-.,]\s?|\s)\p{L}(?![\p{L}\p{N}'’])){2,30}(?![\p{L}\p{N}'’])/gu;
const SPELLED =
  /\b(?:spelled|spelt|spell(?:ing)?|letters|surname|lastname|last name|first name|name is|plate|buchstabiert|s'écrit|épelle|se escribe|deletrea|si scrive|soletra|gespeld|literuję|stavas)\b[^.\n]{0,40}$/iu;
const ID =
  /\b(?:card|account|sort code|iban|policy|reference|ref|order|member(?:ship)?|passport|social|ssn|insurance|licen[cs]e|case|customer|routing|booking|code|pin|id|plate|registration|badge|ticket|serial|meter|inc)\b[^.\n]{0,40}$/iu;

/** Digits and letters of a code that is said: "code for the door is c four seven nine x", "the buzzer is 4 4 0 B". */
const CODE = lazily(
  `(?<!\\p{L})(?:code|pin|passcode|buzzer|keypad|combination)(?: \\p{L}{1,12}){0,4} (?:is )?((?:(?:${DIGITS[0]}|\\p{L}|\\d)[ -]){2,9}(?:${DIGITS[0]}|\\p{L}|\\d))(?![\\p{L}\\p{N}'’])`,
  "giu",
);

/** Finds numbers that are spoken as words for digits, and names that are spelled letter by letter. */
export const spoken = stepped(
  ["PHONE", "ID", "PERSON", "MONEY", "AGE", "DATE", "PASSWORD", "IP"],
  [
    ...RUNS.map((run, n) => (text: string) => numbers(text, run(), WORDS[n]!())),
    spelled,
    (text) => matches(text, CODE, "PASSWORD", (word) => /\d|\p{L}{3}/u.test(word), 1),
    inOtherLanguages,
    numbersInArabicHebrew,
  ],
);

function numbers(text: string, run: RegExp, words: RegExp): Match[] {
  return Array.from(text.matchAll(run))
    .filter(([word]) => (word.match(words)?.length ?? 0) >= (/hundred/i.test(word) ? 6 : 4))
    .map(({ 0: word, index }) => {
      const isIp = word.match(/ dot /gi)?.length === 3;
      const label = isIp ? "IP" : ID.test(before(text, index, 60)) ? "ID" : "PHONE";
      return withLetters(text, { start: index, end: index + word.length, label });
    });
}

/** Letters that are spelled before and after a number: "a k l p d three three one nine q". */
const LETTERS_BEFORE = /(?<![\p{L}\p{N}'’])(?:(?![aioye] \S{2})\p{L} |[aioye] (?=\p{L} )){1,6}$/u;
const LETTERS_AFTER = /^(?: \p{L}(?![\p{L}\p{N}'’])){1,4}/u;

function withLetters(text: string, match: Match): Match {
  const head = LETTERS_BEFORE.exec(before(text, match.start, 14))?.[0] ?? "";
  const tail = LETTERS_AFTER.exec(text.slice(match.end, match.end + 8))?.[0] ?? "";
  const isId = head !== "" || (tail !== "" && !/^ [aio]$/i.test(tail));
  if (!isId) return match;
  return { start: match.start - head.length, end: match.end + tail.length, label: "ID" };
}

/** Returns an amount in words with the cents after it: "douze euros quatre-vingt-dix", "sei euro e venti". */
function withCents(text: string, match: Match): Match {
  const and = /^(?: (?:e|y|i|et|en|und|og|och|ja|és|și|si|και|и|i|in))? /iu.exec(text.slice(match.end, match.end + 6));
  const start = match.end + (and?.[0].length ?? 0);
  const cents = and && numberAt(text, start);
  const next = cents && /^ (\p{L}+)(?: (\p{L}+))?/u.exec(text.slice(cents.end, cents.end + 40));
  if (!cents || next?.slice(1).some((word) => word && monthForm(word))) return match;
  const unit =
    /^ (?:cent\p{L}*|c[ée]nt\p{L}*|λεπτά|stotin\p{L}*|gros\p{L}*|haléř\p{L}*|bani|øre|öre|коп\p{L}*|стотин\p{L}*)(?!\p{L})/iu.exec(
      text.slice(cents.end, cents.end + 14),
    );
  const isMeant = unit || (cents.word.length > 4 && !COUNTED.test(text.slice(cents.end, cents.end + 40)));
  return isMeant ? { ...match, end: cents.end + (unit?.[0].length ?? 0) } : match;
}

/** Returns numbers in words of other languages, in texts that are not English. */
function inOtherLanguages(text: string): Match[] {
  if (isEnglish(judgedPart(text)) !== false) return [];
  return numbersInWords(text).map((match) => (match.label === "MONEY" ? withCents(text, match) : match));
}

function spelled(text: string): Match[] {
  return Array.from(text.matchAll(LETTERS))
    .filter(({ 0: word, index }) => {
      const isLong = word.match(/\p{L}/gu)!.length >= 4 && !/^(?:a\s)?[ivx\s]+$/i.test(word);
      return isLong || SPELLED.test(before(text, index, 60));
    })
    .map(({ 0: word, index }) => ({ start: index, end: index + word.length, label: "PERSON" }));
}
