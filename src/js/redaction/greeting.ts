// Words that begin a letter: "Kochana Bogna", "Guten Tag, Henrike". A model takes them for a part of the name.
import { isBeforeName, isOffice } from "./detectors/roles.js";
import { isTitle } from "./detectors/title.js";
import type { Span } from "./span-types.js";

/** Greetings and words for "dear", in lower case. Not those that are also given names, such as "cara" and "draga", unless an accent tells them apart. */
const GREETINGS = new Set(
  "guten|dearest|hiya|morning|afternoon|evening|liebe|lieber|werte|werter|geehrte|geehrter|servus|moin|tag|morgen|abend|chère|cher|chères|chers|salut|coucou|bonjour|bonsoir|querida|querido|queridas|queridos|estimada|estimado|buenas|gentile|gentili|gentilissima|gentilissimo|carissima|carissimo|egregio|spett|le|salve|buongiorno|buonasera|prezada|prezado|oi|olá|lieve|beste|geachte|hoi|droga|drogi|kochana|kochany|szanowna|szanowny|witaj|witam|milá|milý|vážená|vážený|nazdar|čau|ahoj|kära|käre|bästa|bäste|tjena|hejsan|hejsa|godmorgen|kære|kjære|rakas|hyvä|huomenta|moikka|kedves|szia|szervusz|drága|tisztelt|dragă|stimată|stimate|bună|sevgili|sayın|merhaba|selam|günaydın|милая|милый|дорогая|дорогой|уважаемая|уважаемый|привет|здравствуйте|шановна|шановний|люба|любий|дорога|poštovana|poštovani|bok|zdravo|živjo|αγαπητή|αγαπητέ|γεια".split(
    "|",
  ),
);
/** Matches the text before a greeting: the beginning of a text, line or sentence, or a word such as "Guten". */
const BEGINNING = /(?:^|[\n.!?>*_]|\b(?:guten|good|sehr|spett)\.?)\s*$/i;
const WORD = /^[\p{L}\p{M}]+/u;
/** What follows a greeting and begins a name. */
const BEFORE_NAME = /^[.,]?\s?(?=\p{Lu})/u;

/**
 * Returns spans of names without the greetings at their start; in texts that are not English also without words for
 * people, as some of them are English names.
 */
export const withoutGreetings = (text: string, spans: readonly Span[], isForeign: boolean): Span[] =>
  spans.flatMap((span) => {
    if (!/^(?:PERSON|LOCATION|ORGANIZATION)$/.test(span.label)) return span;
    let { start } = span;
    for (;;) {
      const word = WORD.exec(text.slice(start, start + 24))?.[0] ?? "";
      const end = start + word.length;
      if (
        span.label === "PERSON" &&
        ((isForeign && isBeforeName(word)) || isTitle(word) || isOffice(word)) &&
        /^\.?\s\p{Lu}/u.test(text.slice(end, end + 3))
      ) {
        start = end + /^\.?\s/.exec(text.slice(end, end + 2))![0].length;
        if (start >= span.end) return [];
        continue;
      }
      if (!GREETINGS.has(word.toLowerCase())) break;
      if (start === span.start && !BEGINNING.test(text.slice(Math.max(0, start - 12), start))) break;
      const gap = BEFORE_NAME.exec(text.slice(end, end + 3));
      if (!gap) break;
      start = end + gap[0].length;
      if (start >= span.end) return [];
    }
    return { ...span, start };
  });
