import { isSpeech, isWord } from "../words.js";
import { isAsianWord } from "./languages/asian-latin.js";
import { type Lazy, lazily, type Match, matches } from "./match.js";
import { isRole } from "./roles.js";

/** "My name is" in other languages than English, as written without capitals. */
const LOWER = lazily(
  "(?<![\\p{L}\\p{M}])(?:(?:čau|ahoj|zdravím|nazdar),? tady|(?:hej|cześć|siema),? tu|privet,? eto|(?:hei|moi),? tässä|szia,? itt|me llamo|mi nombre es|je m['’]appelle|mon nom est|moi c['’]est|ich hei(?:ß|ss)e|mein name ist|mi chiamo|il mio nome è|me chamo|chamo-me|(?:o )?meu nome é|mijn naam is|ik heet|jag heter|mitt namn är|jeg (?:heter|hedder)|mitt navn er|mit navn er|nazywam się|mam na imię|na imię mi|jmenuj[iu] se|volám sa|a nevem|mă numesc|numele meu este|zovem se|ime mi je|(?:benim )?adım|nimeni on|меня зовут|мене звати|με λένε|ονομάζομαι|mi nombre|nama saya|tên tôi là|hier spricht|le habla|quem fala é|u spreekt met|u telefonu|pri telefóne|la telefon|при телефоне|вас беспокоит|на телефона|обажда се|λέγομαι|είμαι (?:ο|η)|em là|parla en|tu mówi|tady(?: je)?) " +
    "(\\p{Ll}[\\p{L}\\p{M}'’-]{1,20})((?: (?:de la|de los|de|da|do|dos|van der|van|von|del|della|di|el|al|ter))?) ?(\\p{Ll}[\\p{L}\\p{M}'’-]{1,20})?",
  "gu",
);

/** Two words in lower case before "speaking" or "am" of other languages. */
const BEFORE_INTRODUCTION = lazily(
  "(?<![\\p{L}\\p{M}])(\\p{Ll}[\\p{L}\\p{M}'’-]{2,20} \\p{Ll}[\\p{L}\\p{M}'’-]{2,20}) (?:vagyok|beszél(?:ek)?|à l['’]appareil|au téléphone|am apparat|am telefon|al telefono|al aparato|ao telefone|na linii|u telefonu|przy telefonie|la telefon|mä soitan|soitan|puhelimessa|ved telefonen|i telefonen|telefonde|на линии|на проводі|у телефона|στο τηλέφωνο)(?![\\p{L}\\p{M}])",
  "gu",
);
/** Titles before a name in speech that was written down without capitals. */
const LOWER_TITLE = lazily(
  "(?<![\\p{L}\\p{M}])(?:frau|herrn?|señora?|monsieur|madame|signora?|senhora?|dona|mevrouw|meneer|doktor|doctora?|dottore|dottoressa|господин|госпожа|gospodin|gospođa|domnul|doamna) (\\p{Ll}[\\p{L}\\p{M}'’-]{2,20})(?![\\p{L}\\p{M}])",
  "gu",
);

const INDIC = "[\\p{Script=Devanagari}]{2,20}";
const HAN = "\\p{Script=Han}";

/** Introductions, titles and greetings of scripts without capitals, each with the name as its first group. */
const UNCASED: readonly Lazy[] = [
  `(?<![\\p{L}\\p{M}])(?:मेरा नाम|श्रीमती|श्री|सुश्री|डॉ\\.?|प्रिय)\\s(${INDIC}(?:\\s(?!है|हैं|और|जी|को|का|की|के|ने|से)${INDIC}(?=\\s(?:है|हैं|जी)|\\s?[,।]))?)(?![\\p{L}\\p{M}])`,
  `(?:(?:私|僕|わたし)の|お|(?<!${HAN}))名前は([${HAN}\\p{Script=Katakana}ー\\s]{2,12}?)(?=です|といいます|と申します)`,
].map((source) => lazily(source, "gmu"));
/** What stands in the place of a name and names nobody. */
const NOBODY = /^(?:(?:ग्राहक|मित्र|अभिभावक|सदस्य|छात्र)(?:ों)?|साथियों|लोग|सब)$/u;

/** Finds names after "my name is" in lower case, and after introductions and titles in scripts without capitals. */
export function introduced(text: string): Match[] {
  const found: Match[] = [];
  for (const { 0: whole, 1: first, 2: particle, 3: second, index } of text.matchAll(LOWER())) {
    if (isWord(first!)) continue;
    const start = index + whole.indexOf(` ${first}`) + 1;
    const hasSecond = second !== undefined && !isWord(second);
    const end = start + first!.length + (hasSecond ? particle!.length + 1 + second.length : 0);
    found.push({ start, end, label: "PERSON" });
  }
  return [...found, ...inSpeech(text)];
}

/** Titles that are frequent words as well. */
const SPOKEN_TITLE = lazily(
  "(?<![\\p{L}\\p{M}])(?:pan|pani|pana|panu|panem|panią|pán|paní|pána|pánovi|bapak|ibu|pak|bu|ông|bà|anh|chị|bay|bayan|κύριε|κυρία|κύριος|κύριο|пан|пані|пана|fru|hr|tante|onkel|tío|tía|zia|zio|wujek|ciocia|teta|strýc|тётя|дядя) (\\p{Ll}[\\p{L}\\p{M}'’-]{3,20})(?![\\p{L}\\p{M}])",
  "gu",
);

/** Finds names before introductions and after titles in text without any capital. */
function inSpeech(text: string): Match[] {
  if (/\p{Lu}/u.test(text)) return [];
  const titles = isSpeech(text) ? [LOWER_TITLE, SPOKEN_TITLE] : [LOWER_TITLE];
  return [BEFORE_INTRODUCTION, ...titles].flatMap((pattern) =>
    matches(
      text,
      pattern,
      "PERSON",
      (name) => !name.split(" ").some((word) => isWord(word) || isRole(word) || isAsianWord(text, word)),
      1,
    ),
  );
}

/** Finds names after introductions, titles and greetings in scripts without capitals. */
export function introducedUncased(text: string): Match[] {
  if (!/\p{Lo}/u.test(text)) return [];
  const found: Match[] = [];
  for (const pattern of UNCASED)
    for (const { 0: whole, 1: name, index } of text.matchAll(pattern())) {
      if (!name || NOBODY.test(name)) continue;
      const start = index + whole.lastIndexOf(name);
      found.push({ start, end: start + name.length, label: "PERSON" });
    }
  return found;
}
