// Decides by capital letters which spans are names, for models that read all text in lower case. In most languages only names have a capital
// letter within a sentence.

import { labelOfKey } from "./detectors/keys.js";
import { isWordForPerson } from "./detectors/roles.js";
import { isTitle } from "./detectors/title.js";
import { isNoun, isProse, NOUN, writesNouns } from "./language.js";
import { NOT_A_NAME } from "./possible.js";
import type { Span } from "./span-types.js";
import { AMOUNT } from "./units.js";
import { isAddress, valuesIn } from "./value-shape.js";
import { isPronoun, isWord, OTHERS, plain } from "./words.js";

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
/** Matches the text before a German noun that is no name: it ends with an article or determiner, and perhaps an adjective. */
const DETERMINED =
  /(?<!\p{L})(?:d(?:er|ie|as|en|em|es)|[kmds]?ein(?:e[nmrs]?)?|ihre?[nmrs]?|unsere?[nmrs]?|eure?[nmrs]?|diese?[nmrs]?|jede?[nmrs]?|welche?[nmrs]?|alle[nmrs]?|viele[nr]?|im|am|zum|zur|vom|beim|ins|ans)\s+(?:\p{Ll}+\s+)?$/iu;

/** Least score of an illness of one word in lower case: the model takes some common words for illnesses ("chleb", bread). */
const ILLNESS_OF_A_WORD = 0.4;
/** Least score of a name or an illness of one word in a text that writes all nouns with a capital. */
const NAME_LIKE_A_NOUN = 0.3;

/** Labels whose values are no names and need no capital letter. */
const NO_NAMES = /^(?:EMAIL|AGE|USERNAME|PASSWORD|SECRET|HEALTH)$/;

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
  const isLikeNoun = isNouns && span.score < NAME_LIKE_A_NOUN && /^\p{Lu}\p{Ll}+$/u.test(word);
  if (isLikeNoun && (span.label === "HEALTH" || !NO_NAMES.test(span.label))) return [];
  if (NO_NAMES.test(span.label)) return [span];
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
