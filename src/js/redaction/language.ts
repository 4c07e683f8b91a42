// The language of a text, as far as the decisions by capital letters need it.

import { ENGLISH, isWord, OTHERS, plain, SHARED } from "./words.js";

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
export const isProse = (text: string) => (text.match(/[\d:=_<>@{}|/]/g)?.length ?? 0) * 20 < text.length;

/** Function words of German, which writes all nouns with a capital letter, and of languages which do not. */
const GERMAN =
  /(?<!\p{L})(?:der|die|das|und|ist|nicht|ein|eine|einen|mit|für|auf|dem|ich|wir|sie|bei|hat|im|zum|zur|vom|beim|ihre?[nmrs]?|unsere?[nmrs]?|wird|sind|werden|haben|keine?|frau|herrn?|bitte|nach|aus|oder|von|an|kommt|wegen|seit|bis|über|zwei|drei|wurde|gibt|sich|noch|auch|ohne|durch|gegen|täglich|geboren|geb)(?!\p{L})/giu;
const NOT_GERMAN =
  /(?<!\p{L})(?:de|la|le|el|il|och|att|og|het|een|i|w|et|est|van|que|di|che|e|y|na|do|je|se|on|ja|bir|ve)(?!\p{L})/giu;
/** Endings of German nouns. */
export const NOUN = /(?:ung|heit|keit|schaft|tion|chen|nis|ment|tät)(?:en|s)?$/u;

/** Returns whether a word with a capital is no name: a greeting, a function word, or a German noun by its ending. */
export const isNoun = (word: string) => isWord(word) || NOUN.test(word);

/** Returns whether a text of another language than English writes its nouns with a capital, as German does. */
export const writesNouns = (text: string) =>
  (text.match(GERMAN)?.length ?? 0) > (text.match(NOT_GERMAN)?.filter((word) => /\p{Ll}/u.test(word)).length ?? 0);
