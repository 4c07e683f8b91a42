import { isEnglish, isNoun, judgedPart } from "../english.js";
import type { Range } from "../span-types.js";
import { modelParts } from "../spans.js";
import { isSpeech, isWord } from "../words.js";
import { GIVEN_NAMES } from "./given-name-list.js";
import { isAsianWord } from "./languages/asian-latin.js";
import type { Match } from "./match.js";
import { isRole } from "./roles.js";
import { isNumberWord } from "./spoken-number.js";

let known: ReadonlySet<string> | undefined;
const names = () => (known ??= new Set(GIVEN_NAMES.split(/\s/)));

/** Returns whether a word in lower case is a given name of the list. */
export const isGivenName = (word: string) => names().has(word);

/** Returns whether a text may contain a given name of the list. Without the list any text may. */
export const hasGivenName = (text: string) =>
  names().size < 2 || (text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []).some((word) => names().has(word));

const WORD = /(?<![\p{L}\p{M}\p{N}@._/\\-])\p{L}[\p{L}\p{M}]{2,14}(?![\p{L}\p{M}\p{N}@_/\\]|-\p{L}|\.\p{L})/gu;
/** The family name after a given name with a capital. */
const FAMILY = /^ (?:(?:von|van|de|der|den|del|della|di|da|dos|du|le|la|al|el) ){0,2}\p{Lu}[\p{L}\p{M}'’-]{1,24}/u;
/** The same after a given name in speech that was written down without capitals. */
const SPOKEN_FAMILY =
  /^ (?:(?:von|van|de|der|den|del|della|di|da|dos|du|le|la|al|el) ){0,2}(\p{Ll}[\p{L}\p{M}'’-]{3,24})(?![\p{L}\p{M}])/u;
/** How many code units to read at once: their language is recognised together. */
const LENGTH = 320;

/**
 * Finds given names of a list outside of `taken` in texts of other languages than English. In lower case a name stands
 * alone; with a capital the family name that follows is a part of it.
 */
export async function givenNames(text: string, taken: readonly Range[], tick: () => Promise<void>): Promise<Match[]> {
  const found: Match[] = [];
  const whole = isEnglish(judgedPart(text));
  const isSpoken = isSpeech(judgedPart(text));
  let n = 0;
  for (const { start, from, to, end } of modelParts(text, LENGTH)) {
    await tick();
    const piece = text.slice(start, end);
    const needsCapital = isEnglish(piece) ?? whole ?? false;
    for (const match of inPiece(piece, isSpoken, needsCapital)) {
      const at = { start: start + match.start, end: start + match.end };
      while (n < taken.length && taken[n]!.end <= at.start) n++;
      const isFree = n === taken.length || taken[n]!.start >= at.end;
      if (isFree && at.start >= from && at.start < to) found.push({ ...match, ...at });
    }
  }
  return found;
}

/** Case endings of Polish, Czech and Slovak, and the endings of the name itself that they may stand for. */
const CASES: readonly [RegExp, readonly string[]][] = [
  [/(?:ę|ą|y|o|ie|ou|u)$/u, ["a"]],
  [/i(?:ą|ę|i|u)$/u, ["ia"]],
  [/(?:owi|ovi|em|iem|om|a|u)$/u, [""]],
  [/k(?:iem|owi|ovi|em|a|u)$/u, ["ek"]],
];
const SLAVIC = /[ąęłńśźżěřů]|(?<!\p{L})(?:się|nie|jest|czy|hej|cześć|ahoj|čau|jsem|není|také|som|že)(?!\p{L})/iu;

/** Returns whether a word in lower case is a name of the list in another case: "kasię", "bartkiem". */
const isInflected = (word: string) =>
  CASES.some(([ending, nominative]) => {
    const stem = word.replace(ending, "");
    return (
      stem !== word && stem.length >= 3 && nominative.some((end) => (stem + end).length >= 4 && names().has(stem + end))
    );
  });

function inPiece(piece: string, isSpoken: boolean, needsCapital: boolean): Match[] {
  const found: Match[] = [];
  const hasCases = SLAVIC.test(piece);
  for (const { 0: word, index } of piece.matchAll(WORD)) {
    if (needsCapital && !/^\p{Lu}\p{Ll}/u.test(word)) continue;
    const lower = word.toLowerCase();
    if (!names().has(lower) && !(hasCases && !isWord(lower) && isInflected(lower))) continue;
    if (isAsianWord(piece, lower)) continue;
    const end = index + word.length;
    const after = piece.slice(end, end + 60);
    const family = /^\p{Lu}\p{Ll}/u.test(word) ? FAMILY.exec(after)?.[0] : isSpoken ? spokenFamily(after) : undefined;
    found.push({
      start: index,
      end: end + (family && !isNoun(family.trim()) ? family.length : 0),
      label: "PERSON",
      score: 0.9,
    });
  }
  return found;
}

/** Returns the family name after a given name in speech: a word that is no function word, role or number. */
function spokenFamily(after: string): string | undefined {
  const [whole, name] = SPOKEN_FAMILY.exec(after) ?? [];
  return name === undefined || isRole(name) || isNumberWord(name) ? undefined : whole;
}
