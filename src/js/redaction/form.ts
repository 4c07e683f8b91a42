// Names of fields of forms that no list has.
import { hasGivenName } from "./detectors/given-name.js";
import type { Range } from "./span-types.js";

/** A line with a field: its name and its value. */
const FIELD = /^[ *-]*(\p{Lu}[^\n:]{0,39}):[ \t]*\S/gmu;
/** The fewest fields of a form. */
const FIELDS = 3;
/** A name of a field that is no name of a person: its last word has no capital, as in "Kraj rojstva". */
const PHRASE = /^[^\d]*\s\p{Ll}[\p{Ll}\p{M}]{2,}$/u;
/** A verb at the end of what stands before a colon: "Anna schreibt:". */
const SAYING =
  /\s(?:writes?|wrote|says?|said|asks?|asked|repl(?:y|ies|ied)|answers?|answered|added|schreibt|schrieb|sagte?|fragte?|meinte?|antwortete?|ergänzt|écrit|dit|demande|répond|répondit|ajoute|escrib(?:e|ió)|dice|dijo|pregunt(?:a|ó)|respond(?:e|ió|eu)|scriv(?:e|eva)|scritto|disse|chiede|rispo(?:nde|se)|escrev(?:e|eu)|diz|pergunt(?:a|ou)|schrijft|schreef|zegt|zei|vraagt|vroeg|antwoordt|pisze|pisał[ao]?|napisał[ao]?|mówi|pyta|odpowiada|powiedział[ao]?|skriver|skrev|säger|sade|sier|siger|sa|sagde|spørger|svarer|svarar|píše|napsala?|napísala?|říká|řekla?|hovorí|ptá|írja|írta|mondja|mondta|kérdezi|scrie|scris|spune|întreabă|piše|napisala?|napisao|kaže|vpraša|pita|yazdı|yazıyor|dedi|diyor|sordu|kirjoitt(?:i|aa)|sano[oi]|kysyy|пишет|писала?|написала?|говорит|сказала?|спрашивает|отвечает|пише|написав|каже|сказав|питає|γράφει|έγραψε|λέει|είπε|ρωτά)$/iu;

/**
 * Returns where the names of fields stand that are phrases, if the text has the lines of a form. A name of a person may
 * stand there as well.
 */
export function fieldNames(text: string): Range[] {
  const fields = Array.from(text.matchAll(FIELD));
  if (fields.length < FIELDS) return [];
  return fields.flatMap(({ 0: line, 1: name, index }) => {
    const start = index + line.indexOf(name!);
    return PHRASE.test(name!) && !SAYING.test(name!) && !hasGivenName(name!)
      ? [{ start, end: start + name!.length }]
      : [];
  });
}
