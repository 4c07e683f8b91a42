import { isEnglish, judgedPart, writesNouns } from "../language.js";
import type { Span } from "../span-types.js";
import { ENGLISH, isWord, plain } from "../words.js";
import { repeatedInArabicHebrew } from "./languages/arabic-hebrew.js";
import { repeatedChineseNames } from "./languages/chinese.js";
import { koreanRepeats } from "./languages/korean.js";
import type { Match } from "./match.js";

/** Words of names that are words as well: at the start of a sentence they are names only if no sentence follows. */
const WORDS = new Set(
  "will may mark grace rose hope faith joy dawn june april august summer autumn bill bob jack art gene grant chase drew dean earl guy pat rob sue wade miles frank ernest young long short small king prince page price rich white black brown green gray grey gold silver day moon star sunny sky lake hill wood woods stone field banks rivers brook ford marsh church bush rice cook baker miller mason hunter fisher cross pope bishop knight abbot may love best good wise sharp strong moody savage gay sage ivy olive violet lily daisy iris ruby pearl amber jade crystal paris london chelsea florence victoria georgia carolina virginia madison jordan israel china india kenya asia europe bank street park said the and for".split(
    " ",
  ),
);
const PARTICLES = new Set(
  "van von der den de del della di da dos du la le el al bin ibn ben ter ten af av zu und and y e i mr mrs ms dr miss sir herr frau prof".split(
    " ",
  ),
);
const PEOPLE = /^(?:PERSON|PER)$/;
/** Maximum number of words of names that are looked for. */
const MOST = 5_000;
/** How many spans to read before yielding to the event loop. */
const SLICE = 500;
/** How many code units to read before yielding to the event loop. */
const LENGTH = 16_000;

/**
 * Finds further occurrences of the names that were found: "Will" after "Dear Will". The parts of a name count alone
 * as well, with a capital.
 */
export async function repeatedNames(text: string, spans: readonly Span[], tick: () => Promise<void>): Promise<Match[]> {
  const names = new Map<string, string>();
  for (const [n, { label, start, end }] of spans.entries()) {
    if (n % SLICE === 0) await tick();
    if (PEOPLE.test(label) && names.size < MOST)
      for (const part of partsOf(text.slice(start, end))) names.set(part, label);
  }
  const isUncased = writesLower(judgedPart(text));
  if (isUncased) addLower(text, spans, names);
  const found = [...koreanRepeats(text, spans), ...inHan(text, spans), ...repeatedInArabicHebrew(text, spans)];
  if (!names.size) return found;
  const hasCases = writesCases(judgedPart(text));
  let n = 0;
  let pause = 0;
  for (const { 0: word, index } of isUncased ? text.matchAll(ANY_WORD) : words(text)) {
    if (index >= pause) {
      pause = index + LENGTH;
      await tick();
    }
    const label =
      names.get(word) ??
      inflected(word, names, hasCases) ??
      (word === word.toUpperCase() ? names.get(word[0] + word.slice(1).toLowerCase()) : undefined);
    if (!label) continue;
    const end = index + word.length;
    while (n < spans.length && spans[n]!.end <= index) n++;
    const isFound = spans[n] && spans[n]!.start <= index;
    if (!isFound && isName(text, word, index, end)) found.push({ start: index, end, label, score: 0.9 });
  }
  return found;
}

/** Returns further occurrences of names in Chinese characters. */
const inHan = (text: string, spans: readonly Span[]): Match[] =>
  repeatedChineseNames(
    text,
    spans.filter(({ label }) => PEOPLE.test(label)).map(({ start, end }) => text.slice(start, end)),
  );

/** The start of a line or sentence in lower case, and any start of one. */
const LOWER_START = /(?:^|[.!?\n])[\s:>-]*(?:\S{1,24}: )?\p{Ll}/gu;
const START = /(?:^|[.!?\n])[\s:>-]*(?:\S{1,24}: )?\p{L}/gu;
/** Returns whether most sentences of a text begin in lower case, as in chats: names may be in lower case, too. */
export const writesLower = (text: string) =>
  2 * (text.match(LOWER_START)?.length ?? 0) > (text.match(START)?.length ?? 0);

const ANY_WORD = /(?<![\p{L}\p{M}@._/-])\p{L}[\p{L}\p{M}]+(?:[-'][\p{Lu}][\p{L}\p{M}]+)*(?![@_/])/gu;

/** Adds the names in lower case that are no words. */
function addLower(text: string, spans: readonly Span[], names: Map<string, string>): void {
  for (const { label, start, end } of spans)
    if (PEOPLE.test(label) && names.size < MOST)
      for (const part of text.slice(start, end).match(/\p{L}[\p{L}\p{M}]{2,}/gu) ?? []) {
        const lower = part.toLowerCase();
        const isPlain = WORDS.has(lower) || PARTICLES.has(lower) || isWord(lower) || ENGLISH.has(lower);
        if (!isPlain) names.set(lower, label);
      }
}

/** Case endings after the stem of a name, without accents: Slavic languages, Hungarian, Finnish, Turkish. */
const CASE_ENDING =
  /^(?:s|y|u|e|i|a|o|ou|ovi|owi|em|om|ie|iem|ego|emu|ia|ii|ke|n|t|at|et|ot|a?nak|e?nek|a?val|e?vel|[aeo]?hoz|[aeo]?hez|n[ae]l|n|an|en|in|lle|lta|lla|alle|alta|alla|elle|elta|ella|ssa|nin|nun|ye|ya|yi|yu|у|е|и|ы|а|я|о|ой|ою|ом|ем|ей|ові|еві|і|ю|ею|им|ым|ого|ому|ую|ς|υ|ου)$/;

/** Endings of names in the nominative, in place of a case ending. */
const NOMINATIVE = ["", "a", "а", "я", "й", "ь", "о", "ий", "ый", "ая", "ος"];

/** Returns the label of the name that a word is a case form of: "Annának" after "Anna". Without cases, only an "s" is an ending. */
function inflected(word: string, names: ReadonlyMap<string, string>, hasCases: boolean): string | undefined {
  if (word.length < 4) return undefined;
  const bare = plain(word);
  if (hasCases && names.has(`${word}ς`)) return names.get(`${word}ς`);
  for (let cut = 1; cut <= 4 && word.length - cut >= 3; cut++) {
    const stem = word.slice(0, -cut);
    const ending = bare.slice(-cut);
    const name = NOMINATIVE.find((end) => names.has(stem + end));
    const label = name === undefined ? undefined : names.get(stem + name);
    if (label && (hasCases ? CASE_ENDING.test(ending) : ending === "s")) return label;
  }
  return undefined;
}

/** Returns whether names of a text may have case endings: not in English and German, which have only an "s". */
const writesCases = (text: string) => isEnglish(text) === false && !writesNouns(text);

const words = (text: string) => text.matchAll(/\p{Lu}[\p{L}\p{M}]+(?:[-'][\p{Lu}][\p{L}\p{M}]+)*/gu);

/** Returns the words of a name that may stand for the person alone. */
function partsOf(name: string): string[] {
  const parts = name.match(/\p{L}[\p{L}\p{M}]*(?:[-']\p{Lu}[\p{L}\p{M}]*)*/gu) ?? [];
  const isShouted = parts.every((part) => part === part.toUpperCase());
  return parts
    .filter((part) => part.length >= 3 && /^\p{Lu}/u.test(part) && !PARTICLES.has(part.toLowerCase()))
    .map((part) => (isShouted ? part[0] + part.slice(1).toLowerCase() : part));
}

/** A name that is a word as well is a name within a sentence, or if no sentence follows it. */
function isName(text: string, word: string, start: number, end: number): boolean {
  if (!WORDS.has(word.toLowerCase())) return true;
  const isFirst = /(?:^|[.!?:\n"“„(]\s*)$/.test(text.slice(Math.max(0, start - 4), start));
  return !isFirst || !/^[ ,]*[\p{Ll}\p{N}]/u.test(text.slice(end, end + 4));
}
