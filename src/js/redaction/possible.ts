// Decides which spans of a model can be values of their labels.

import { labelOfKey } from "./detectors/keys.js";
import { isTimeStamp } from "./detectors/time-stamp.js";
import { isTitle } from "./detectors/title.js";
import { isWeekday } from "./detectors/weekdays.js";
import type { Span } from "./span-types.js";
import { CURRENCIES } from "./units.js";

/** Words for numbers and currencies, digits and currency signs. */
const NUMBER =
  /\d|\p{Sc}|\b(?:hundred|thousand|million|billion|grand|quid|bucks?|dollars?|euros?|pounds?|pence|pennies|cents?|kron\w+|yen|rupees?|francs?|one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|\w+ty)\b/iu;
/** Tests of the values of these labels: the model takes "dm me" for an e-mail address. */
const FORMS: Record<string, (word: string, before: string) => boolean> = {
  MONEY: (word) => NUMBER.test(word) || CURRENCIES.test(word),
  ADDRESS: (word) => /\d|\S\s+\S/.test(word),
  EMAIL: (word) => /@|%40|[([{<]\s*at\s*[)\]}>]|\bat\b.*\b(?:dot|com|org|net)\b/i.test(word),
  PHONE: (word) => (word.match(/\d/g)?.length ?? 0) >= 5 || (word.match(/\p{L}{2,}/gu)?.length ?? 0) >= 4,
  ID: (word) => /\d/.test(word) || word.length >= 6,
  AGE: (word) => NUMBER.test(word),
  USERNAME: (word) => word.length >= 3 && !/^(?=.*[^\x20-\x7e])[\p{L}\p{M}]+$/u.test(word),
  PASSWORD: (word, before) =>
    word.length >= 3 && !/^#\d+$/.test(word) && (!/^[\p{L}\p{M}-]+[.!?@]*$/u.test(word) || OF_PASSWORD.test(before)),
  SECRET: (word) => word.length >= 8 && /\d/.test(word),
  PERSON: (word) => !isTitle(word) && /\p{L}.*\p{L}|\p{Lo}/u.test(word) && !NOT_A_NAME.test(word),
  ORGANIZATION: (word) =>
    !/^(?:the|an?|and|of|at|in|to|by|for)$/.test(word) && /\p{L}{2}|\p{Lo}|\p{L}\p{N}{2}/u.test(word),
};
/** Beginnings of words for a password or code. */
const OF_PASSWORD =
  /(?<!\p{L})(?:pass|pw|kenn|hasł|hesl|jelsz|şifre|sifre|parol|wachtw|contras|senha|mot de passe|mdp|lösen|kod|code|clave|лозин|парол|шифр|ключ|lozink|geslo|slaptaž|κωδ|sandi|mật khẩu|salasan|adgang)/iu;
/** The rest of the name of a field of JSON or a log, after a part of it. */
const OF_KEY = /^[\p{L}\p{N}_.-]*(?:"\s{0,3}:|=)/u;

/** A word with a capital letter, or in a script without capitals: it may be a name, whatever the label. */
const MAYBE_NAME = /^\p{Lu}\p{Ll}|\p{Lo}/u;

/** The start of a field of a form, before a part of its name, and the rest of its name. */
const BEFORE_IN_FIELD = /(?:^|[\n\t|;,.、，；。])[ *-]*([\p{L}\p{M}\p{N} ]{0,40})$/u;
const AFTER_IN_FIELD = /^([\p{L}\p{M}\p{N} ]{0,40})[:：]/u;

/** Returns whether a span lies within the name of a field of a form. */
function isOfField(text: string, start: number, end: number): boolean {
  const after = AFTER_IN_FIELD.exec(text.slice(end, end + 42));
  const before = after && BEFORE_IN_FIELD.exec(text.slice(Math.max(0, start - 42), start));
  return !!before && labelOfKey(before[1] + text.slice(start, end) + after[1]) !== undefined;
}

/** The name of a machine right before its port. */
const HOST = /(?:[\w-]\.[a-z]{2,24}|localhost|\d{1,3}(?:\.\d{1,3}){3}|\bports?[ =]):?$/i;

/** A unit after a number that is no age. */
const UNIT = /^\s?(?:ms|s|sec|seconds?|min|minutes?|hours?|h|days?|weeks?|kg|km|cm|%|[kMG]B)(?![\p{L}\p{N}])/u;

/** Returns whether a number is the port of a machine, a duration or a blood pressure, or a date is a version ("glob@7.2.3") or a time stamp. */
function isTechnical(text: string, { label, start, end }: Span): boolean {
  const before = text.slice(Math.max(0, start - 40), start);
  const word = text.slice(start, end);
  if (label === "AGE") return UNIT.test(text.slice(end, end + 10));
  if (label === "MONEY") return /^\d{2,3} (?:zu|zum|sur|na|over|op|su|sobre|por|auf) \d{2,3}$/.test(word);
  if (label === "DATE") return isTimeStamp(text, start, end) || (/[\w/]@$/.test(before) && /^[\d.]+$/.test(word));
  return /^(?:PASSWORD|ID|PHONE)$/.test(label) && /^\d{2,5}(?:\/\d*)?$/.test(word) && HOST.test(before);
}

/** Labels whose values end with the sentence: an abbreviation in them is no end of one. */
const IN_SENTENCE = /^(?:EMAIL|PHONE|ID|DATE|MONEY|AGE|HEALTH|USERNAME)$/;
/** The end of a sentence and what follows it. */
const NEXT_SENTENCE = /(?<=[\p{Ll}\p{N}]{3})[.!?]\s+\p{Lu}\p{Ll}.*$/su;

/** Signs after a value, which are no part of it. */
const AFTER_VALUE = /(?<=[^\s,;:])[\s,;:]+$/u;

/** Returns a span of the model up to the end of its sentence, and without a comma at its end: "KL44821. Levering" is no number. */
export function inSentence(text: string, span: Span): Span {
  const whole = text.slice(span.start, span.end);
  if (/^(?:PASSWORD|SECRET)$/.test(span.label)) return span;
  const word = IN_SENTENCE.test(span.label) ? whole.slice(0, NEXT_SENTENCE.exec(whole)?.index) : whole;
  return { ...span, end: span.start + word.replace(AFTER_VALUE, "").length };
}

/** Words of chats, and professions, skills and licences in a CV: nobody's name. */
export const NOT_A_NAME =
  /^(?:ive|im|id|ill|dont|cant|wont|didnt|isnt|thats|whats|hes|shes|theyre|youre|lol|omg|haha\w*|Sykepleier|Sjuksköterska|Sygeplejerske|Sairaanhoitaja|Verpleegkundige|Krankenpfleger(?:in)?|Infirmi(?:er|ère)|Enfermer[oa]|Infermier[ea]|Pielęgniarka|Ápolónő|jaja\w*|wkwk\w*|btw|idk|tbh|pls|plz|thx|abeg|oga|haan|(?:\p{L}+ )?[ABC][12]\+?|(?:Permis|Sertifikat|Führerschein|Carta|Carnet|Licencia|Patente|Rijbewijs|Prawo jazdy) [A-E]{1,2}\d?|Chrome|Firefox|Edge|Bluetooth|Android|Twitter|Safari|Prometheus|QuickBooks|Schengen|Bank Holidays?|SpO2|NaCl|HbA1c|PostgreSQL|MySQL|Kotlin|Grafana|Error|IBAN|Excel|PowerPoint|Python|JavaScript|TypeScript|Java|LaTeX|SolidWorks|AutoCAD|Photoshop|Illustrator|InDesign|MATLAB|Matlab|Revit|Linux|Windows|Docker|Kubernetes|GitHub|WordPress|Figma|Outlook|Word|Office)$/iu;
/** Abbreviations of notes and forms that name nobody. */
const ABBREVIATIONS =
  /^(?:EF|Hct|SOB|EGA|PCV|Rx|XR|Dx|Hx|CDL|DOB|DOA|GST|VAT|OTP|PIN|SMS|Nr|No|Jr|Dra?|Yth|Ημ|ИНН|ЕГН|КПП)\.?$/u;

/** The start of a numbered list after a heading: "Questions: 1) …". */
const BEFORE_LIST = /^ ?: ?1[).] /;
/** A number after the word for a speaker: "locuteur 2:". */
const NUMBERED = /^\s\d{1,2}\s?:/;

/** A quantity of goods or work, as in a line of an invoice. */
const QUANTITY =
  /(?<![\p{L}\p{N}])(?:\d+ ?[x×]|[x×] ?\d+|\d+(?:[.,]\d+)? ?(?:db|stk|st|pcs|stuks?|ks|kpl|szt|buc|шт|tk|vnt|kom|adet|Stück|pz|uds?|h|hrs?|l|kg|km|ft|ml|cm|mm))(?![\p{L}\p{N}])/iu;

/** Returns whether a text is an item with its quantity: no address, which has a postcode or a street before its number. */
const isItem = (word: string) => QUANTITY.test(word) && !/\d{4}/.test(word);

/** Returns whether a span of the model can be a value of its label. A part of a longer number can. */
export function isPossible(text: string, span: Span): boolean {
  const { label, start, end } = span;
  const word = text.slice(start, end);
  const after = text.slice(end, end + 48);
  if (OF_KEY.test(after) || isOfField(text, start, end) || isTechnical(text, span)) return false;
  const has = FORMS[label];
  if (label === "ADDRESS" && isItem(text.slice(start, end + 6))) return false;
  if (ABBREVIATIONS.test(word)) return false;
  if (/^(?:ORGANIZATION|LOCATION|AGE)$/.test(label) && NOT_A_NAME.test(word)) return false;
  if ((label === "DATE" || label === "PERSON") && isWeekday(word)) return false;
  if (label === "PERSON" && BEFORE_LIST.test(after)) return false;
  if (label === "PERSON") return has!(word, "") && !(NUMBERED.test(after) && !/\s/.test(word));
  if (label === "ORGANIZATION" && !has!(word, "")) return false;
  if (!has || has(word, text.slice(Math.max(0, start - 40), start))) return true;
  if (/^(?:MONEY|PASSWORD|USERNAME)$/.test(label)) return false;
  return MAYBE_NAME.test(word) || (/\d$/.test(word) && /^[ .-]?\d/.test(after));
}
