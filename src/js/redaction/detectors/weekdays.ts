// Names of weekdays, which belong to the date after them.

/** Weekdays of Spanish, Portuguese, Catalan, French, Italian and Romanian. */
export const ROMANCE_WEEKDAYS = [
  "lunes|martes|miércoles|jueves|viernes|sábado|domingo|segunda(?:-feira)?|terça(?:-feira)?|quarta(?:-feira)?|quinta(?:-feira)?|sexta(?:-feira)?",
  "dilluns|dimarts|dimecres|dijous|divendres|dissabte|diumenge|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
  "lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|luni|marți|miercuri|joi|vineri|sâmbătă|duminică",
].join("|");
/** Weekdays of some 30 languages, in the forms that stand before a date. */
const WEEKDAYS = [
  ROMANCE_WEEKDAYS,
  "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonnabends?|sonntags?",
  "maandag|dinsdag|woensdag|donderdag",
  "vrijdag|zaterdag|zondag|poniedziałek|wtorek|środ[aęy]|czwartek|piątek|sobot[aęuy]|niedziel[aęi]|pondělí|úterý|středa|středu|čtvrtek|pátek|neděl[ei]|pondelok|utorok|streda|stredu|štvrtok|piatok|nedeľ[au]|hétfő|kedd|szerda|csütörtök",
  "péntek|szombat|vasárnap|måndag(?:en)?|tisdag(?:en)?|onsdag(?:en)?|torsdag(?:en)?|fredag(?:en)?|lördag(?:en)?|söndag(?:en)?|mandag|tirsdag|lørdag|søndag|maanantai(?:na)?",
  "tiistai(?:na)?|keskiviikko(?:na)?|torstai(?:na)?|perjantai(?:na)?|lauantai(?:na)?|sunnuntai(?:na)?|esmaspäev(?:al)?|teisipäev(?:al)?|kolmapäev(?:al)?|neljapäev(?:al)?|reede(?:l)?|laupäev(?:al)?|pühapäev(?:al)?|pirmdien[au]?",
  "otrdien[au]?|trešdien[au]?|ceturtdien[au]?|piektdien[au]?|sestdien[au]?|svētdien[au]?|(?:pirm|antr|treči|ketvirt|penkt|šešt|sekm)adien(?:is|į)|ponedjeljak|ponedeljek|ponedeljak|utorak|torek|srijed[au]|sred[ao]|sredu|četvrtak",
  "četrtek|petak|petek|subot[au]|nedjelj[au]|nedelj[aou]|pazartesi|salı|çarşamba|perşembe|cuma|cumartesi|pazar|senin|selasa|rabu|kamis|jumat|sabtu|minggu|thứ (?:hai|ba|tư|năm|sáu|bảy)|chủ nhật",
  "понедельник|вторник|сред[ау]|четверг|пятниц[ау]|суббот[ау]|воскресенье|понеділок|вівторок|серед[ау]|четвер|п['’]ятниц[яю]|субот[ау]|неділ[яю]|понеделник|сряда|четвъртък|петък|събота|неделя|понедељак",
  "уторак|четвртак|петак|недељ[ау]|Δευτέρα|Τρίτη|Τετάρτη|Πέμπτη|Παρασκευή|Σάββατο|Κυριακή|(?:mánu|þriðju|miðviku|fimmtu|föstu|laugar|sunnu)dag(?:ur|inn|inum|i)?",
].join("|");

/** Weekdays in two to four letters, which have a dot behind them. */
const SHORT =
  "mo|di|mi|do|fr|sa|so|lun|mar|mer|mié|mie|jeu|jue|ven|vie|sam|sáb|sab|dim|dom|gio|seg|ter|qua|qui|sex|pon?|wt|śr|czw|pt|sob|ndz?|út|st|čt|pá|ne|ut|str|štv|pia|sre|čet|pet|ned|ma|ti|ke|to|pe|la|su|man|tirs?|ons|tors?|fre|lørd?|sønd?|mån|tis|lör|sön|wo|vr|za|zo|mié|joi|vin|hét|ked|sze|csü|pén|szo|vas|paz|sal|çar|per|cum";
/** A weekday at the end of what stands before a date. */
export const WEEKDAY_BEFORE = new RegExp(
  `(?<![\\p{L}\\p{M}])(?:(?:${WEEKDAYS})(?:,|\\.)?|(?:${SHORT})\\.,?)\\s(?:(?:the|den|d\\.|de|le|el|dia|día|il|op|a|på)\\s)?$`,
  "iu",
);
/** A weekday. */
export const HAS_WEEKDAY = new RegExp(`(?<![\\p{L}\\p{M}])(?:${WEEKDAYS})(?![\\p{L}\\p{M}])`, "iu");
/** The length of the longest match of WEEKDAY_BEFORE. */
export const WEEKDAY_LENGTH = 24;
const ONLY_WEEKDAY = new RegExp(`^(?:${WEEKDAYS})$`, "iu");
/** Returns whether a text is a weekday, which is no date by itself. */
export const isWeekday = (word: string) => ONLY_WEEKDAY.test(word);
