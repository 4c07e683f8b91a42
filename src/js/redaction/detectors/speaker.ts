// Speakers of chats, in lower case and with user names as well: "bex: anyone there?".
import { labelOfKey } from "./keys.js";
import { koreanSpeaker } from "./languages/korean.js";
import type { Match } from "./match.js";
import { isRole, SAYING } from "./roles.js";

/** A line that begins with a short text and ":", and the line's rest. */
const LINE =
  /^[ \t>]{0,4}(?:\[[\d:. ,/APMapm-]{4,22}\][ ]?|\(?\d{1,2}:\d{2}(?::\d{2})?\)?[ ]{1,2})?<?([@\p{L}][^\n:<>[\](){}"=]{0,28}?)>?[ \u00a0]?:[ \t]+(\S[^\n]*)$/gmu;
/** What a speaker may be called: up to three words, the first of at least two letters. */
const NAME = /^@?[\p{L}_][\p{L}\p{M}\p{N}_.'’-]{1,28}(?: \p{L}[\p{L}\p{M}.'’-]{0,20}){0,2}$/u;
const HANDLE = /[@_\d]|\p{Ll}\.\p{Ll}/u;
/** Words before ":" in lines of logs and notes. */
const NO_SPEAKER =
  /^(?:a|b|q|error|warn(?:ing)?|info|debug|trace|fatal|notice|note|notes|system|bot|user|admin|assistant|customer|agent|caller|support|client|interviewer|speaker|me|you|ich|du|ja|yo|tu|eu|io|я|ти|ты|subject|re|fwd|todo|step|summary|item|total|dates?|time|http|https|nationality|education|references|skills|experience|languages|từ|đến|von|an|betreff|objet|asunto|oggetto|assunto|onderwerp|temat|předmět|ämne|emne|aihe|tárgy|konu|perihal)$/iu;
/** A phrase, as the name of a field: "Desired employment". */
const PHRASE = /^\p{Lu}\p{Ll}+(?: \p{Ll}+)+$/u;
/** Returns whether a text before ":" may be a speaker, and no word of logs, notes and headers or phrase. */
export const maySpeak = (name: string) => !NO_SPEAKER.test(name) && !PHRASE.test(name);
/** A second field on a line, as forms have it. */
const FIELD = / {2,}\p{L}[\p{L}\p{M} ]{0,20}: /u;
/** The fewest lines of a chat, and the fewest words that a speaker says on average. */
const LINES = 3;
const WORDS = 3;

/**
 * Finds the speakers of a chat: most lines begin with a name and ":", at least two names differ, one comes back, and
 * sentences follow.
 */
export function speakers(text: string): Match[] {
  const lines = [...text.matchAll(LINE)];
  if (lines.length < LINES || 2 * lines.length < (text.match(/[^\n]+/g)?.length ?? 0)) return [];
  const names = new Set(lines.map(([, name]) => name!));
  const words = lines.reduce((sum, [, , said]) => sum + said!.split(/\s+/).length, 0);
  if (lines.some(([, , said]) => FIELD.test(said!))) return [];
  if (names.size < 2 || names.size === lines.length || words < WORDS * lines.length) return [];
  return lines.flatMap(({ 0: whole, 1: head, index }) => {
    const name = koreanSpeaker(head!.replace(SAYING, ""));
    if (!NAME.test(name) || !maySpeak(name) || isRole(name) || labelOfKey(name) !== undefined) return [];
    const start = index + whole.indexOf(name);
    return [{ start, end: start + name.length, label: HANDLE.test(name) ? "USERNAME" : "PERSON" }];
  });
}
