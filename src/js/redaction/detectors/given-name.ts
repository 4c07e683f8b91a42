import { isEnglish, isNoun, judgedPart } from "../language.js";
import type { Range } from "../span-types.js";
import { modelParts } from "../spans.js";
import { isSpeech, isWord } from "../words.js";
import { givenNamesOfList as names } from "./given-name-known.js";
import { isAsianWord } from "./languages/asian-latin.js";
import type { Match } from "./match.js";
import { writesLower } from "./repeated-name.js";
import { isRole } from "./roles.js";
import { isNumberWord } from "./spoken-number.js";

/** Returns whether a text may contain a given name of the list. Without the list any text may. */
export const hasGivenName = (text: string) =>
  names().size < 2 || (text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []).some((word) => names().has(word));

const WORD = /(?<![\p{L}\p{M}\p{N}@._/\\-])\p{L}[\p{L}\p{M}]{2,14}(?![\p{L}\p{M}\p{N}@_/\\]|-\p{L}|\.\p{L})/gu;
/** The family name after a given name with a capital. */
const FAMILY = /^ (?:(?:von|van|de|der|den|del|della|di|da|dos|du|le|la|al|el) ){0,2}\p{Lu}[\p{L}\p{M}'’-]{1,24}/u;
/** The same after a given name in speech that was written down without capitals. */
const SPOKEN_FAMILY =
  /^ (?:(?:von|van|de|der|den|del|della|di|da|dos|du|le|la|al|el) ){0,2}(\p{Ll}[\p{L}\p{M}'’-]{3,24})(?![\p{L}\p{M}])/u;
/** Names of the list that English writes in lower case: contractions and plants. */
const ENGLISH_WORD = /^(?:theres|shea)$/;
/** How many code units to read at once: their language is recognised together. */
const LENGTH = 320;

/**
 * Finds given names of a list outside of `taken`. In lower case a name stands alone; with a capital the family name that
 * follows is a part of it. In English a name needs a capital, except in texts whose sentences begin in lower case.
 */
export async function givenNames(text: string, taken: readonly Range[], tick: () => Promise<void>): Promise<Match[]> {
  const found: Match[] = [];
  const whole = isEnglish(judgedPart(text));
  const isSpoken = whole === false && isSpeech(judgedPart(text));
  const isUncased = writesLower(judgedPart(text));
  let n = 0;
  for (const { start, from, to, end } of modelParts(text, LENGTH)) {
    await tick();
    const piece = text.slice(start, end);
    const needsCapital = !isUncased && (isEnglish(piece) ?? whole ?? false);
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

/** The same in Cyrillic and Greek. */
const OTHER_CASES: readonly [RegExp, readonly string[]][] = [
  [/(?:[оуиыеії]|ою|ой)$/u, ["а"]],
  [/(?:[юиеєїі]|ею|єю|ей)$/u, ["я"]],
  [/(?:а|у|ом|ові|е)$/u, [""]],
  [/(?:я|ю|ем|єм|єві|еві|ї)$/u, ["й", "ь"]],
  [/(?:ου|ο|ε)$/u, ["ος"]],
  [/(?:η|ης)$/u, ["ης", "η"]],
  [/(?:α|ας)$/u, ["ας", "α"]],
];
/** Words in lower case that are case forms of a name as well. */
const NO_CASE =
  /^(?:марш|карт|вер|роз|надежд|любов|мир|слав|свет|рад|побед|пет|дес|двад|люб|зим|весн|лил|груш|дин|мин|лин|стан|боян|дарь|мар[иу]|дан|дар|соф|корн|том|рим|пол[яюе])/u;

/** Returns whether a word in lower case is a name of the list in another case: "kasię", "bartkiem". */
const isInflected = (word: string, cases = CASES) =>
  cases.some(([ending, nominative]) => {
    const stem = word.replace(ending, "");
    return (
      stem !== word && stem.length >= 3 && nominative.some((end) => (stem + end).length >= 4 && names().has(stem + end))
    );
  });

/** Returns whether a word in Cyrillic or Greek is a name of the list in another case; a longer one in lower case. */
function isCyrillicCase(word: string): boolean {
  if (!/^[\u0370-\u052f\u1f00-\u1fff]{4}/.test(word)) return false;
  const lower = word.toLowerCase();
  const isLower = lower === word;
  if (isLower && (word.length < 6 || /\p{Script=Greek}/u.test(word) || NO_CASE.test(word))) return false;
  return !isWord(lower) && isInflected(lower, OTHER_CASES);
}

function inPiece(piece: string, isSpoken: boolean, needsCapital: boolean): Match[] {
  const found: Match[] = [];
  const hasCases = SLAVIC.test(piece);
  for (const { 0: word, index } of piece.matchAll(WORD)) {
    if (needsCapital && !/^\p{Lu}\p{Ll}/u.test(word)) continue;
    const lower = word.toLowerCase();
    if (!names().has(lower) && !(hasCases && !isWord(lower) && isInflected(lower)) && !isCyrillicCase(word)) continue;
    if (isAsianWord(piece, lower) || ENGLISH_WORD.test(word)) continue;
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
