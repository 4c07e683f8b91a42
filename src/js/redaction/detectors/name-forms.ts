// The sources of regular expressions for names.

const PART = "\\p{Lu}(?:[\\p{L}\\p{M}]{1,24}|\\.)?(?:[-'’]\\p{L}[\\p{L}\\p{M}]{0,24}){0,3}";
const PARTICLE =
  "(?:(?:van|von|vom|zu|zur|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|ibn|ben|ter|ten|y|e|af|av|St\\.?)[ ]){0,3}";
const NAME = `${PART}(?:[ ]${PARTICLE}${PART}){0,3}`;
/** A name of two or more words. */
export const FULL_NAME = `${PART}(?:[ ]${PARTICLE}${PART}){1,3}`;
/** Initials and a name. */
export const ONE_LINE_NAME = `(?:\\p{Lu}\\.[ ]?){0,4}${NAME}`;
export const WORD_CHAR = "[\\p{L}\\p{N}]";

/** A title before a name. */
export const TITLE =
  "Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Dame|Lord|Lady|Rev|Father|Sister|Judge|Justice|Capt|Captain|Sgt|Sergeant|Lt|Col|Maj|Nurse|Herrn?|Frau|Hr|Fru|Monsieur|Madame|Mademoiselle|Mme|Mlle|Me|Maître|Sr|Sra|Srta|Señora?|Don|Doña|Signora?|Sig|Dott|Dottoressa|Dott\\.ssa|Ing|Avv|Pan|Pani|Panu|Panem|Pán|Paní|Pana|Dhr|Mevr|Mw|Meneer|Mevrouw|Senhora?|Doutora?|Domnul|Doamna|Dl|Dna|Gospodin|Gospođa|Г-н|Г-жа|Господин|Госпожа|Пан|Пані|Кύριος|Κύριε|Κυρία|Κος|Κα|Bay|Bayan|Bapak|Ibu|Ông|Bà|श्री|श्रीमती|מר|גב'";
