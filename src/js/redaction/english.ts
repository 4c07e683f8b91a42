// Decides by capital letters which spans are names, for models that read all text in lower case, in languages other than
// English. In most of these, only names have a capital letter within a sentence.

import { labelOfKey } from "./detectors/keys.js";
import { isWordForPerson } from "./detectors/roles.js";
import { isTimeStamp } from "./detectors/time-stamp.js";
import { isTitle } from "./detectors/title.js";
import { isWeekday } from "./detectors/weekdays.js";
import type { Span } from "./span-types.js";
import { AMOUNT, CURRENCIES } from "./units.js";
import { isAddress, valuesIn } from "./value-shape.js";
import { ENGLISH, isPronoun, isWord, OTHERS, plain, SHARED } from "./words.js";

/** A letter with an accent, of a text in NFD. */
const ACCENT = /\p{M}|[łøßıæœđ]/iu;

/** Least number of words of a text whose language is recognised. Fewer words may be names alone. */
const LEAST = 4;

/** Code units of a text by which the whole is judged. */
const JUDGED = 2_000;

/** Returns the beginning of a text, by which its language and its use of capitals are judged. */
export const judgedPart = (text: string): string => text.slice(0, JUDGED);

/**
 * Returns whether a text may be English: most letters are Latin, and English function words are at least
 * as frequent as function words of other languages. Words with accents count as half a function word of another language, because names
 * have them as well; in lower case, and without any function word of English, one is enough. undefined for fewer than LEAST words without such a word.
 */
export function isEnglish(text: string): boolean | undefined {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (2 * latin < letters.length) return false;
  const words = text.match(/[\p{L}\p{M}]{2,}/gu) ?? [];
  const bare = words.map(plain);
  const count = (set: ReadonlySet<string>) => bare.filter((word) => set.has(word) && !SHARED.has(word)).length;
  const accents = words.filter((word) => ACCENT.test(word.normalize("NFD")));
  const [own, other] = [count(ENGLISH), count(OTHERS) + accents.length / 2];
  if (own === 0 && accents.some((word) => /^\p{Ll}/u.test(word))) return false;
  if (words.length < LEAST) return undefined;
  if (own === 0 && endsInVowels(words)) return false;
  return own >= other || other < (own === 0 && isProse(text) ? 1 : 1.5);
}

/** Returns whether many words in lower case end in a vowel that English words seldom end in: "intestata a nome". */
function endsInVowels(words: readonly string[]): boolean {
  const lower = words.filter((word) => /^\p{Ll}{4,}$/u.test(word));
  const ends = lower.filter((word) => /[aiou]$/.test(word)).length;
  return ends >= 2 && 3 * ends >= lower.length;
}

/** Returns whether a text has few digits and signs of logs and programs. */
const isProse = (text: string) => (text.match(/[\d:=_<>@{}|/]/g)?.length ?? 0) * 20 < text.length;

/** Function words of German, which writes all nouns with a capital letter, and of languages which do not. */
const GERMAN =
  /(?<!\p{L})(?:der|die|das|und|ist|nicht|ein|eine|einen|mit|für|auf|dem|ich|wir|sie|bei|hat|im|zum|zur|vom|beim|ihre?[nmrs]?|unsere?[nmrs]?|wird|sind|werden|haben|keine?|frau|herrn?|bitte|nach|aus|oder|von|an|kommt|wegen|seit|bis|über|zwei|drei|wurde|gibt|sich|noch|auch|ohne|durch|gegen|täglich|geboren|geb)(?!\p{L})/giu;
const NOT_GERMAN =
  /(?<!\p{L})(?:de|la|le|el|il|och|att|og|het|een|i|w|et|est|van|que|di|che|e|y|na|do|je|se|on|ja|bir|ve)(?!\p{L})/giu;
/** Matches the text before a German noun that is no name: it ends with an article or determiner, and perhaps an adjective. */
const DETERMINED =
  /(?<!\p{L})(?:d(?:er|ie|as|en|em|es)|[kmds]?ein(?:e[nmrs]?)?|ihre?[nmrs]?|unsere?[nmrs]?|eure?[nmrs]?|diese?[nmrs]?|jede?[nmrs]?|welche?[nmrs]?|alle[nmrs]?|viele[nr]?|im|am|zum|zur|vom|beim|ins|ans)\s+(?:\p{Ll}+\s+)?$/iu;
const NOUN = /(?:ung|heit|keit|schaft|tion|chen|nis|ment|tät)(?:en|s)?$/u;

/** Words with a capital in one line and sentence, one space apart; "St." and initials do not end it, "OK." and "A2." do. */
const NAME =
  /\p{Lu}[\p{L}\p{M}\p{N}.'’&-]*(?:(?<![\p{Ll}\p{N}]{3}\.|[\p{Lu}\p{N}]{2}\.|\p{N}\.|°\p{Lu}\.|-\p{Lu}\.)[^\S\n\r\t](?:(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|ibn|y|e|zu|af|av|ter|ten)[^\S\n\r\t]+){0,3}\p{Lu}[\p{L}\p{M}\p{N}.'’&-]*)*/gu;
/** A name without the signs at its end, and without its case ending ("İzmir'deyken", "Kennedy'ego"). */
const bare = (name: string) => name.replace(/[.'’&-]+$/, "").replace(/(?<=\p{Script=Latin}{3})['’]\p{Ll}+$/u, "");
/** A name without a polite pronoun at its end ("Kučera Vás"). */
const withoutPronoun = (name: string) => {
  const last = /\s+(\S+)$/u.exec(name);
  return last && isPronoun(last[1]!) ? name.slice(0, last.index) : name;
};
/** The start of a text, line, sentence, quotation or item. */
const BEGINS = /(?:^|[.!?…:;\n|•*>]|\d ?[xх×]|["'“”„«»‹›(¿¡–—-])[\s"'“”„«»‹›(¿¡*–—-]*$/u;
/** Least score of a span in a script without capitals, where nothing else tells names from other words. */
const WITHOUT_CASE = 0.5;
/** Least score of a place of one word in a text without capitals: the model takes some common words for places ("mleko", milk). */
const PLACE_WITHOUT_CAPITAL = 0.4;

/** Least score of an illness of one word in lower case: the model takes some common words for illnesses ("chleb", bread). */
const ILLNESS_OF_A_WORD = 0.4;
/** Least score of a name of one word in a text that writes all nouns with a capital. */
const NAME_LIKE_A_NOUN = 0.3;

/** Labels whose values are no names and need no capital letter. */
const NO_NAMES = /^(?:EMAIL|AGE|USERNAME|PASSWORD|SECRET|HEALTH)$/;

/** Returns whether a word with a capital is no name: a greeting, a function word, or a German noun by its ending. */
export const isNoun = (word: string) => isWord(word) || NOUN.test(word);

/** Returns whether a text of another language than English writes its nouns with a capital, as German does. */
export const writesNouns = (text: string) =>
  (text.match(GERMAN)?.length ?? 0) > (text.match(NOT_GERMAN)?.filter((word) => /\p{Ll}/u.test(word)).length ?? 0);

/** Words in lower case before a long number: "henkilötunnuksenne 240780-172L". */
const BEFORE_NUMBER = /^(?:\p{Ll}{4,}[ ])+(?=\d[\d -]{5})/u;

/** Returns the parts of a span to keep in a text which is not English: the words with a capital letter, if it has capitals. */
export function plausibleParts(text: string, span: Span, isNouns = writesNouns(text)): Span[] {
  const word = text.slice(span.start, span.end);
  const isCased = /[\p{Lu}\p{Ll}]/u.test(word) && /\p{Lu}/u.test(text) && /\p{Ll}/u.test(text);
  if (span.label === "MONEY" && /^\p{Ll}{4,} \d/u.test(word))
    return [{ ...span, start: span.start + word.indexOf(" ") + 1 }];
  const isFirst = BEGINS.test(text.slice(Math.max(0, span.start - 40), span.start));
  if (span.label === "ADDRESS" && isFirst && !/[\d\s]/.test(word)) return [];
  if (span.label === "ADDRESS" && isCased && /\d/.test(word) && !isAddress(word)) return valuesIn(text, span);
  if (/\p{N}/u.test(word)) return [{ ...span, start: span.start + (BEFORE_NUMBER.exec(word)?.[0].length ?? 0) }];
  if (span.label === "HEALTH" && isSlavicOrGreek(word)) return /^\p{Ll}/u.test(word) ? fromFirst(word, span) : [span];
  if (span.label === "HEALTH" && span.score < ILLNESS_OF_A_WORD && /^\p{Ll}+$/u.test(word)) return [];
  if (NO_NAMES.test(span.label)) return [span];
  if (isNouns && span.score < NAME_LIKE_A_NOUN && /^\p{Lu}\p{Ll}+$/u.test(word)) return [];
  if (span.label === "ORGANIZATION" && span.score < WITHOUT_CAPITAL && /^[\p{Ll}\P{L}]+$/u.test(word)) return [];
  if (span.label === "LOCATION" && span.score < PLACE_WITHOUT_CAPITAL && /^\p{Ll}+$/u.test(word)) return [];
  if (!isCased) return /\p{Lo}/u.test(word) && span.score < WITHOUT_CASE ? [] : withoutFunctionWords(word, span);
  return Array.from(word.matchAll(NAME), ({ 0: name, index }) => {
    const start = span.start + index;
    return { ...span, start, end: start + bare(withoutPronoun(name)).length };
  })
    .flatMap((part) => withoutCommon(text, part))
    .filter((part) => canBeName(text, part, isNouns));
}

/** Returns whether a text begins with a letter of the Greek or Cyrillic script. */
const isSlavicOrGreek = (word: string) => /^\P{L}*[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);

/** Returns a span without the function words before its first other word. */
function fromFirst(word: string, span: Span): Span[] {
  const first = Array.from(word.matchAll(/[^\s]+/gu)).find(
    ({ 0: one }) => !isWord(one.replace(/[^\p{L}\p{M}]+$/u, "")),
  );
  return first ? [{ ...span, start: span.start + first.index }] : [];
}

/** Returns a part of a name in Cyrillic or Greek without the words at its edges that are no names. */
function withoutCommon(text: string, part: Span): Span[] {
  const name = text.slice(part.start, part.end);
  const before = text[part.start - 1] ?? "";
  if (!isSlavicOrGreek(name.slice(name.indexOf(" "))) || !/\s/.test(name) || /[«„“"]/.test(before)) return [part];
  const words = [...name.matchAll(/\S+/gu)];
  if (before === "°") words.shift();
  const isCommon = (match?: RegExpExecArray) =>
    !!match && !/^\p{Lu}\./u.test(match[0]) && isWord(match[0].replace(/[^\p{L}\p{M}]+$/u, ""));
  while (isCommon(words[0])) words.shift();
  while (isCommon(words.at(-1)) && words.at(-1)![0].length > 1) words.pop();
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return [];
  const isCut = part.start + last.index + last[0].length < part.end;
  const end = part.start + last.index + (isCut ? bare(last[0]) : last[0]).length;
  return [{ ...part, start: part.start + first.index, end }];
}

/** Names that are function words of other languages as well. */
const AMBIGUOUS = /^(?:ben|dan|ada|per|kim|mai|jan)$/;

/** Returns a span of a text without capitals without the function words at its start and end: "tu bartek". */
function withoutFunctionWords(text: string, span: Span): Span[] {
  const words = [...text.matchAll(/[^\s]+/gu)];
  const isFunction = (match?: RegExpExecArray | RegExpMatchArray) =>
    !!match && OTHERS.has(plain(match[0])) && !AMBIGUOUS.test(match[0]);
  while (isFunction(words[0])) words.shift();
  while (isFunction(words.at(-1))) words.pop();
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return [];
  return [{ ...span, start: span.start + first.index!, end: span.start + last.index! + last[0].length }];
}

/** Returns whether a word or words with a capital can be a name: no greeting or pronoun, and no German noun after its article. */
function canBeName(text: string, { start, end }: Span, isNouns: boolean): boolean {
  const name = text.slice(start, end);
  if (/\s/.test(name)) return true;
  if (isWord(name)) return false;
  return !(isNouns && (DETERMINED.test(text.slice(Math.max(0, start - 40), start)) || NOUN.test(name)));
}

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

/** Returns a span of the model up to the end of its sentence: "KL44821. Levering" is no number. */
export function inSentence(text: string, span: Span): Span {
  if (!IN_SENTENCE.test(span.label)) return span;
  const word = text.slice(span.start, span.end);
  return { ...span, end: span.start + (NEXT_SENTENCE.exec(word)?.index ?? word.length) };
}

/** Words of chats, skills and licences in a CV: nobody's name. */
const NOT_A_NAME =
  /^(?:ive|im|id|ill|dont|cant|wont|didnt|isnt|thats|whats|hes|shes|theyre|youre|lol|omg|haha\w*|jaja\w*|wkwk\w*|btw|idk|tbh|pls|plz|thx|abeg|oga|haan|(?:\p{L}+ )?[ABC][12]\+?|(?:Permis|Sertifikat|Führerschein|Carta|Carnet|Licencia|Patente|Rijbewijs|Prawo jazdy) [A-E]{1,2}\d?|Chrome|Firefox|Edge|Bluetooth|Android|Twitter|Safari|Prometheus|QuickBooks|Schengen|Bank Holidays?|SpO2|NaCl|HbA1c|PostgreSQL|MySQL|Kotlin|Grafana|Error|IBAN|Excel|PowerPoint|Python|JavaScript|TypeScript|Java|LaTeX|SolidWorks|AutoCAD|Photoshop|Illustrator|InDesign|MATLAB|Matlab|Revit|Linux|Windows|Docker|Kubernetes|GitHub|WordPress|Figma|Outlook|Word|Office)$/iu;
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

/** Least score of a name without a capital in English that has capitals. */
const WITHOUT_CAPITAL = 0.8;
/** Returns whether a text is prose with capitals: it begins with one, and no sentence and no "I" is in lower case. */
const isCased = (text: string) =>
  /^\P{L}*\p{Lu}/u.test(text) &&
  (isProse(text) || /[.!?]["'”’)]*\s*$/.test(text)) &&
  !/[.!?]\s+\p{Ll}|\bi\b(?!\.)/u.test(text);

/** An adverb after a place in lower case: "sunderland originally". */
const ADVERB = /\s\p{Ll}{3,}ly$/u;

/** Words in lower case at the end of a name with a capital: "Ashby depot". */
const LOWER_END = /(?<=\p{Lu}[^\n]{0,60}\p{L})(?: (?!of|for|and)\p{Ll}{2,20}){1,3}$/u;

/** Returns the spans of English text to keep: names in capitalised text have a capital or a high score. Without "the". */
export function plausibleInEnglish(text: string, spans: readonly Span[]): Span[] {
  const needsCapital = isCased(text);
  return spans.flatMap((span) => {
    const word = text.slice(span.start, span.end);
    if (!/^(?:PERSON|LOCATION|ORGANIZATION)$/.test(span.label)) return [span];
    const adverb = span.label === "LOCATION" ? ADVERB.exec(word) : null;
    if (adverb) return [{ ...span, end: span.start + adverb.index }];
    if (needsCapital && span.score < WITHOUT_CAPITAL && !/[\p{Lu}\p{Lo}\p{N}]/u.test(word)) return [];
    const start = span.start + (/^the\s+(?=\p{Lu})/u.exec(word)?.[0].length ?? 0);
    const after = span.label === "PERSON" ? 0 : (LOWER_END.exec(word)?.[0].length ?? 0);
    return [{ ...span, start, end: span.end - after }];
  });
}

/** Words after which a name is a place's, by language. */
const IN =
  /(?<!\p{L})(?:à|in|en|i|w|we|em|a|nach|aus|do|z|ve|v|z|din|la|till|fra|från|til|в|из|у|στη|στην|στο|στον)\s$/iu;

/** The first word of a sentence, which has a capital anyway, and particles, up to the rest of the name. */
const REST = /^\S+\s+(?:\p{Ll}+\s+)*(?=\p{Lu})/u;

/** Returns whether the first word of a sentence may begin a name: no function word, title, word for people or name of a field. */
const mayBegin = (word: string) =>
  /^\p{Lu}[\p{Ll}\p{M}]{2,}(?:-\p{Lu}[\p{Ll}\p{M}]+)?$/u.test(word) &&
  !isNoun(word) &&
  !isTitle(word) &&
  !isWordForPerson(word) &&
  labelOfKey(word) === undefined;

/** Returns whether two to four words with a capital are a whole line, as the name at the head of a CV. */
const isLine = (text: string, index: number, name: string) =>
  /^\S+(?: \S+){1,3}$/.test(name) &&
  /(?:^|\n)$/.test(text.slice(Math.max(0, index - 1), index)) &&
  /^[ \r]*\n/.test(text.slice(index + name.length, index + name.length + 8));

/**
 * Finds words with a capital within a sentence of a text which is neither English nor German: names that the model
 * does not know. Abbreviations in capitals are none.
 */
function capitals(text: string): Span[] {
  if (!/\p{Ll}/u.test(text) || writesNouns(text)) return [];
  return Array.from(text.matchAll(NAME), ({ 0: name, index }) => {
    const isFirst = BEGINS.test(text.slice(Math.max(0, index - 40), index));
    const rest = REST.exec(name)?.[0];
    const isWhole =
      !isFirst ||
      isLine(text, index, name) ||
      (!!rest &&
        mayBegin(rest.trimEnd()) &&
        !AFTER_KIND.test(name.slice(rest.length)) &&
        (!isSlavicOrGreek(name) || /\p{Lu}[\p{Ll}.]/u.test(name.slice(rest.length))));
    const start = isWhole ? index : index + (rest?.length ?? name.length);
    return { start, end: index + bare(withoutPronoun(name)).length, label: "PERSON", score: 0.5 };
  })
    .flatMap((part) => withoutCommon(text, part))
    .filter(({ start, end }) => isNameByCapitals(text, start, end))
    .map((part) =>
      IN.test(text.slice(Math.max(0, part.start - 6), part.start)) ? { ...part, label: "LOCATION" } : part,
    );
}

/** An abbreviation in capitals, or the letter or number of a kind: "Projekt HRZZ", "Regał B4". */
const AFTER_KIND = /^(?:\p{Lu}{1,4}|\S*\d\S*)(?:\s|$)/u;
/** A quantity, or the number of an item of a list, before a thing: "2 Möhren", "3) Ocena". */
const COUNTED = /(?<![\p{L}\p{N}.,/-])\d{1,3}[).]?[ ]+$/u;
/** The end of a field's name, the number of a version, or a sign of a log after a word with a capital. */
const AFTER_THING = /^(?:[ ]?:|[ ]\d+(?:[.,]\d+)*(?![\d/-]|[ ]?\p{L}))/u;

/** Returns whether words with a capital are no abbreviation, function word, title, product, thing with its number, or name of a field. */
function isNameByCapitals(text: string, start: number, end: number): boolean {
  const name = text.slice(start, end);
  if (!/\p{Ll}/u.test(name) || /\d/.test(name) || text[end] === "=" || /^\p{Lu}(?:\p{Ll}|-\p{Ll}+)$/u.test(name))
    return false;
  const before = text.slice(Math.max(0, start - 40), start);
  if (/[\p{L}\p{N}@._/-]$/u.test(before) || isWord(name) || isTitle(name) || NOT_A_NAME.test(name)) return false;
  return /\s/.test(name) || !(COUNTED.test(before) || AFTER_THING.test(text.slice(end, end + 16)));
}

/** Finds amounts of at least two digits with a currency. */
const amounts = (text: string): Span[] =>
  Array.from(text.matchAll(AMOUNT), ({ 0: word, index }) => ({
    label: "MONEY",
    score: 0.5,
    start: index,
    end: index + word.length,
  })).filter(({ start, end }) => /\d\D?\d/.test(text.slice(start, end)));

const IS_NAME = /^(?:PERSON|LOCATION|ORGANIZATION|ADDRESS)$/;

/** Adds amounts, and names by their capitals, to the spans of a model. A part of such a name that the model found becomes the whole name. */
export function withCapitals(text: string, spans: readonly Span[]): Span[] {
  const names = [...capitals(text), ...amounts(text)];
  const touches = (a: Span, b: Span) => a.start < b.end && b.start < a.end;
  const grown = spans.map((span) => {
    const name = IS_NAME.test(span.label) ? names.find((other) => touches(span, other)) : undefined;
    return name ? { ...span, start: Math.min(span.start, name.start), end: Math.max(span.end, name.end) } : span;
  });
  return [...grown, ...names.filter((name) => !spans.some((span) => touches(span, name)))];
}
