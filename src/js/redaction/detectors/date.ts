import { IN_LANGUAGES } from "./languages/languages.js";
import { continued, lazily, type Match, matches, stepped } from "./match.js";
import { MONTHS, monthForm } from "./months.js";
import { isTimeStamp } from "./time-stamp.js";
import { ROMANCE_WEEKDAYS, WEEKDAY_BEFORE, WEEKDAY_LENGTH } from "./weekdays.js";
import { daysAndMonths, years, yearsInWords } from "./year.js";

const NAMES = [...MONTHS.keys()].sort((a, b) => b.length - a.length).join("|");
const DAY = "(?:[0-2]?\\d|3[01])";
const YEAR = "(?:1[89]\\d{2}|20\\d{2}|'\\d{2})";
const NUMERIC =
  /(?<![\w./-])(?:(?:1[89]|20)\d{2}([-/.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?|(?:0?[1-9]|[12]\d|3[01])([-/.]) ?(?:0?[1-9]|[12]\d|3[01])\2 ?(?:(?:1[89]|20)\d{2}|\d{2}))(?![\w/-]|\.\d)/g;
const COMPACT = /(?<!\d)(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)/g;
const OF =
  "(?:\\.|st|nd|rd|th|º|er|e|-(?:a|e|én|án|jén))?,?(?:[^\\S\\n\\t]{1,3}|[-/.])(?:(?:(?:day\\s)?of|de|den|d'|the|da|di)\\s{1,3})?";
/** Case endings of months after a day: of Turkish, and of Estonian. */
const MONTH_CASE =
  "(?<=ocak|şubat|mart|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık)['’]?[dt][ae]n?|(?<=ocak|şubat|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık)['’]?[aeıiuü]n?|(?<=uari|märtsi|prilli|juuni|juuli|augusti|embri|oobri)(?:ni|l|s|st|ks)|(?<=mai)ni";
const DAY_BEFORE = lazily(`(?<![\\p{L}\\p{N}])${DAY}${OF}`, "giu");
const MONTH_AFTER = lazily(
  `(?:${NAMES})(?:${MONTH_CASE})?(?![\\p{L}\\p{M}])\\.?(?:(?:,|\\s|\\sde|\\sdel|\\sdo|-|/){1,3}\\s?${YEAR})?(?![\\p{L}\\p{N}])`,
  "iuy",
);
const MONTH_DAY = lazily(
  `(?<![\\p{L}\\p{N}])(?:${YEAR}\\.?[,\\s]{1,2})?(?:${NAMES})(?![\\p{L}\\p{M}])\\.?[\\s-]{1,2}(?:the\\s)?${DAY}(?!\\d|[:.]\\d)(?:st|nd|rd|th|\\.|-?(?:a|e|én|án|jén|ig|i))?(?![\\p{L}\\p{N}])(?:[,\\s]{1,3}${YEAR})?(?![\\p{L}\\p{N}])`,
  "giu",
);
const MONTH_YEAR = lazily(
  `(?<![\\p{L}\\p{N}])(?:${NAMES})(?![\\p{L}\\p{M}])(?:\\.?,?\\s(?:de\\s|of\\s)?|/)${YEAR}(?![\\p{L}\\p{N}])`,
  "giu",
);
const ASIAN =
  /(?:(?:\d{4}|(?:令和|平成|昭和|民[國国])\s?\d{1,3})\s?[年년]\s?\d{1,2}\s?[月월](?:\s?\d{1,2}\s?[日일號号])?|(?<!\d)\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일號号]|[一二三四五六七八九十]{1,3}月[一二三四五六七八九十廿]{1,3}日)(?:\s?[(（][月火水木金土日월화수목금토일一二三四五六][)）]|\s[월화수목금토일]요일)?/g;
const VIETNAMESE = /(?<![\p{L}\p{N}])(?:\d{1,2}\s)?(?:tháng|thg)\s\d{1,2}(?:(?:\/|\snăm\s|\s)(?:19|20)\d{2})?(?!\d)/giu;
/** Months that are also words, e.g. "may 3" or "mar": they need a capital, a year or an ordinal. */
const WORDS = /\b(?:may|march|mar|dec|sep|set|out|ene|jan)\b/i;

const ORDINAL =
  "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty[- ](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|thirtieth|thirty[- ]first";
const ONES = "(?:one|two|three|four|five|six|seven|eight|nine)";
const TENS = `(?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]${ONES})?|(?:oh|o) ${ONES})`;
const YEAR_WORDS = `(?:(?:eighteen|nineteen|twenty) (?:hundred(?: and)? )?${TENS}|two thousand(?:(?: and)? (?:${TENS}|one|two|three|four|five|six|seven|eight|nine))?)`;
const MONTH_EN = "(?:january|february|march|april|may|june|july|august|september|october|november|december)";
const IN_WORDS = lazily(
  `(?<![\\p{L}\\p{N}])(?:(?:the )?(?:${ORDINAL})(?: of)? ${MONTH_EN}|${MONTH_EN} (?:the )?(?:${ORDINAL}|\\d{1,2}(?:st|nd|rd|th)))(?:,? (?:${YEAR_WORDS}|${YEAR}|(?:thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ]${ONES}))?(?![\\p{L}\\p{N}])`,
  "giu",
);
/** Without the words for the first four, which mostly count other things. */
const NTH = `the (?:(?:[0-2]?\\d|3[01])(?:st|nd|rd|th)|${ORDINAL.split("|").slice(4).join("|")})`;
/** Days of the month that the text is about: "on the 5th", "from the 6th to the 17th". */
const DAYS = lazily(
  `(?<=(?<![\\p{L}\\p{N}])(?:on|by|until|till|since|dated)\\s)${NTH}(?=[,;:!?)]|\\.(?!\\d)|\\s*(?:\\n|$)|\\s(?:and|but|at|to|until|till|or|for|with|if|so|not|because|i|we|he|she|they|is|was|from)\\b|\\s[–—-])|(?<=(?<![\\p{L}\\p{N}])from\\s)${NTH}(?=\\s(?:to|until|till)\\sthe\\s)|(?<=(?<![\\p{L}\\p{N}])from ${NTH} (?:to|until|till)\\s)${NTH}(?![\\p{L}\\p{N}-])`,
  "giu",
);
/** A weekday and the day of the month: "thursday the seventeenth". */
const WEEKDAY_AND_DAY = lazily(
  `(?<!\\p{L})(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?,? (?:the (?:${ORDINAL})|(?:the )?\\d{1,2}(?:st|nd|rd|th))(?![\\p{L}\\p{N}-])`,
  "giu",
);
/** A weekday of Spanish, Portuguese, Galician, Catalan, French, Italian or Romanian, or the word for a day, and the day of the month. */
const ROMANCE_DAY = lazily(
  `(?<!\\p{L})(?:(?:${ROMANCE_WEEKDAYS}|luns|mércores|xoves|venres),?(?: d[ií]a)? |(?<!(?:al|por|ao|per|a[lo]) )d[ií]a )${DAY}(?:/(?:0?[1-9]|1[0-2]))?(?![\\p{L}\\p{N}%º/]|[.:,]\\d|\\s?(?:h|hs|horas|heures|ore|personas|pessoas|€)(?!\\p{L})|\\s?[-–]\\s?\\d|\\s(?:de|di|d['’])\\s)`,
  "giu",
);
/** A season, or a part of a year, and the year. */
const SEASON = lazily(
  `(?<!\\p{L})(?:(?:the )?(?:spring|summer|autumn|fall|winter)(?: of)?|(?:frühjahr|frühling|sommer|herbst|winter)|(?:été|hiver|automne|printemps|fin|début)|(?:verano|invierno|otoño|primavera|verão|inverno|outono|estate|autunno)(?: de| del)?|(?:zomer|herfst|voorjaar|najaar)|(?:sommeren|efteråret|foråret|vinteren|hösten|våren|sommaren|høsten)|(?:kesä|syksy|kevät|talvi)\\p{L}{0,4}|sumri[nð]|(?:tavasz|nyar|ősz|tel)\\p{L}{0,3}|(?:jesienią|wiosną|latem)|(?:lato|lata|lete?m?|léto|leto|jeseň|podzim|jesień|wiosn[aą]|zim[aąu]|jesen|proljeće|proleće|осень\\p{L}?|лет[оаом]{1,2}|весн[аой]{1,2}|зим[аой]{1,2}|літо|осінь))\\s(?:19|20)\\d\\d(?![\\p{L}\\p{N}])`,
  "giu",
);
/** A year and the season after it: Hungarian, Turkish, Lithuanian. */
const YEAR_AND_SEASON = lazily(
  "(?<![\\p{L}\\p{N}.,-])(?:19|20)\\d\\d(?:\\. (?=\\p{L})| metų | m\\. | )(?:tavasz|nyár|nyar[aá]|ősz|tele|tél|yaz|bahar|sonbahar|kış|pavasar|vasar|ruden|rud[uo]|žiem)(?:\\p{L}{0,4})(?![\\p{L}\\p{M}])",
  "giu",
);
/** A day and a month with "/", and the year behind a hyphen: "5/1-26". */
const YEAR_BY_HYPHEN =
  /(?<=\p{L}[.:]? )(?:0?[1-9]|[12]\d|3[01])\/(?:0?[1-9]|1[0-2])-(?:20)?[0-3]\d(?![\p{L}\p{N}/-]|[.,]\d)/gu;
/** Months of a span in a CV: "09/2014 – 03/2019", "08.2022 –". */
const MONTH_TO_MONTH =
  /(?<![\p{L}\p{N}./-])(?:0?[1-9]|1[0-2])[./](?:19|20)\d\d(?=\s?[–-])|(?<=(?:19|20)\d\d\s?[–-]\s?)(?:0?[1-9]|1[0-2])[./](?:19|20)\d\d(?![\p{L}\p{N}/]|\.\d)/gu;
/** A day and a month, each with a dot, inside a line: "am 11.6. um 14 Uhr". Sections with such numbers have a word before them. */
const DOTTED =
  /(?<=[\p{L},:.|(→–-][ \t]{1,3}|\()(?<!(?:§|(?<!\p{L})(?:[Kk]ap|[Kk]apitel|[Aa]bschn|[Aa]bschnitt|[Pp]unkt|[Pp]kt|[Bb]od|[Bb]odu|[Nn][ro]|[Čč]|[Čč]lán\p{Ll}k|[Oo]dd|[Vv]er(?:[sz]\p{Ll}*)?|[Vv]|[Uu]st|[Ss]t|[Ss]ection|[Cc]hapter|[Ll]uku|[Kk]ohta|[Aa]rt|[Pp]|[Ff]ig|[Tt]ab|[Aa]bb|in|see|[Ss]iehe|und|and)\.?)\s{1,3})(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?=\s?[\p{Ll}),;–-])/gu;
const DAY_WITH_MONTH = "(?:(?:0?[1-9]|[12]\\d|3[01])/(?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])/(?:[12]\\d|3[01]))";
/** "13.-15.2.", "12Jun", "Sat 1/11", "before mar 3". */
const SHORT = lazily(
  `(?<![\\p{L}\\p{N}.,/-])(?:(?:0?[1-9]|[12]\\d|3[01])\\.\\s?[–-]\\s?(?:0?[1-9]|[12]\\d|3[01])\\.(?:0?[1-9]|1[0-2])\\.|(?:0?[1-9]|[12]\\d|3[01])(?:J(?:an|un|ul)|Feb|Ma[ry]|A(?:pr|ug)|Sep|Oct|Nov|Dec)(?:20\\d\\d|\\d\\d)?(?![\\p{L}\\p{N}])|(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?:day)? ${DAY_WITH_MONTH}(?![\\p{L}\\p{N}%/])|(?<=(?:before|until|since|from|due|by|on) )(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec) (?:0?[1-9]|[12]\\d|3[01])(?![\\p{L}\\p{N}%:]|[.,]\\d))`,
  "gu",
);
/** "the 21st to the 24th of May". */
const SPAN_OF_MONTH = lazily(
  `(?<![\\p{L}\\p{N}])(?:the )?${DAY}(?:st|nd|rd|th) (?:to|until|till|and|or|–|-) (?:the )?${DAY}(?:st|nd|rd|th),?(?: of)? ${MONTH_EN}(?:,? ${YEAR})?(?![\\p{L}\\p{N}])`,
  "giu",
);
/** A holiday and its year. */
const HOLIDAY = lazily(
  `(?<!\\p{L})(?:(?:Memorial|Boxing|Christmas|Australia|Canada|Anzac|Labou?r|Independence|Republic|Heritage|Waitangi|Mother['’]s|Father['’]s|Valentine['’]s|New Year['’]?s|St\\.? \\p{L}{3,12}['’]s|May) Day|(?:New Year['’]?s|Christmas) Eve|Christmas|Easter(?: Sunday| Monday)?|Thanksgiving|Halloween|Good Friday|Whit Monday|Diwali|Hogmanay|Eid(?:[- ]al-\\p{L}{4})?),? (?:of )?(?:${YEAR}|${YEAR_WORDS})(?![\\p{L}\\p{N}])`,
  "giu",
);
/** "'17" after a word. */
const SHORT_YEAR = /(?<=\p{L}[,.)]? )['’]\d\d(?![\p{L}\p{N}'’"]|[.,:]\d|[^'’\n]{0,30}['’](?![\p{L}\d]))/gu;
/** The end of a span of years: "2013–15". */
const TO_YEAR = /(?<![\p{L}\p{N}.,/-])(?:19|20)(\d\d)\s?[–-]\s?(\d\d)(?![\p{L}\p{N}–/-]|[.,:]\d)/gu;
/** A day and a month in Roman numerals: "2.iii.25", "12 IV 2024". */
const ROMAN =
  /(?<![\p{N}.])(?:0?[1-9]|[12]\d|3[01])(?:\. ?(?:i{1,3}|iv|vi{0,3}|ix|xi{0,2})\. ?(?:(?:19|20)\d\d|\d\d)| (?:I{1,3}|IV|VI{1,3}|IX|XI{1,2}) (?:19|20)\d\d)(?![\p{L}\p{N}])/giu;
/** "12/1-12/31". */
const DAY_TO_DAY = lazily(
  `(?<![\\p{L}\\p{N}/.,])(?!\\d/\\d\\D)${DAY_WITH_MONTH}\\s?[-–]\\s?${DAY_WITH_MONTH}(?![\\p{L}\\p{N}/%]|\\.\\d)`,
  "gu",
);
/** A day and a month after a word for time. "24/7" and fractions are none. */
const DAY_AND_MONTH = lazily(
  `(?<=(?<!\\p{L})(?:thru|through|until|till?|exp\\.?|expires|expiry|due|booked|planned|since|from|on|paid|seen|dated?|signed|leaving|returning|returns|w\\/c|TCI|w/ me|tot|van(?:af)?|från|till?|til|inlagd|den|le|du|au|dal|desde|hasta|até|depuis|jusqu'au|ab|bis|am|vom|do|od):?\\s{1,3})(?!24/7|(?:1/[2-5]|2/[35]|3/4)(?!\\d)|\\d{1,2}/10(?!\\d))(?:${DAY_WITH_MONTH}|(?:0?[1-9]|1[0-2])/(?:19|20)\\d\\d)(?![\\p{L}\\p{N}/%]|\\.\\d)`,
  "giu",
);
/** Years alone, with the word or sign for a year: Chinese, Japanese, Korean, Latvian, Lithuanian. */
const WITH_YEAR =
  /(?<![\p{N}.,-])(?:19|20)\d{2}(?:年(?![度代级間间前])|년(?![도대간생])|\.\s?gad[aāsu](?!\p{L})|\smet(?:ų|ais)(?!\p{L})|\.\sg\.(?!\p{L}))/gu;
const PERSIAN = "فروردین|اردیبهشت|خرداد|تیر|مرداد|شهریور|مهر|آبان|آذر|دی|بهمن|اسفند";
/** Dates of the Persian and the Islamic calendar, whose years begin with 13 or 14. */
const OTHER_CALENDAR = lazily(
  `(?<![\\p{L}\\p{N}])(?:(?:0?[1-9]|[12]\\d|3[01])\\s(?:${PERSIAN}|محرم|صفر|رجب|شعبان|رمضان|شوال|ذو القعدة|ذو الحجة)(?:\\s1[34]\\d\\d)?|(?:(?:0?[1-9]|[12]\\d|3[01])\\s)?(?:${PERSIAN}|Muharr?am|Safar|R[ae]jab|Sya?[’']?aban|Rama[dz]h?an|Ramzan|Syawal|Zulka[e’']?dah|Zulhijjah)\\s1[34]\\d\\d)(?![\\p{L}\\p{N}])`,
  "gu",
);
const BORN =
  /\b(?:born|birth|b\.|dob|geboren|geb\.|né|née|nacid[oa]|nato|nata|urodzon[ya]|född|født|született)\b[^\d\n.]{0,14}((?:19|20)\d{2})(?!\d)/giu;

const isMonth = (word: string) => !WORDS.test(word) || /\p{Lu}|\d{4}|\d(?:st|nd|rd|th|\. )|of|de/u.test(word);

/** Finds dates such as "12 May 2020". */
const dayFirst = (text: string): Match[] =>
  continued(text, DAY_BEFORE, MONTH_AFTER).flatMap(({ start, middle, more }) =>
    more ? [{ start, end: middle + more[0].length, label: "DATE" }] : [],
  );

/** Finds dates such as "May 12" outside the dates of `dayFirst`: in "12 May 3 June" the second day belongs to June. */
function monthFirst(text: string): Match[] {
  const others = dayFirst(text);
  let next = 0;
  return matches(text, MONTH_DAY, "DATE", isMonth).filter(({ start, end }) => {
    while (next < others.length && others[next]!.end <= start) next++;
    return next === others.length || others[next]!.start >= end;
  });
}

/** Returns a step that finds dates with a digit, except time stamps of logs. A dot at the end may be the sentence's. */
const inDigits = (find: (text: string) => Match[]) => (text: string) =>
  /\d/.test(text)
    ? find(text)
        .filter(({ start, end }) => !isTimeStamp(text, start, end))
        .map((match) => withWeekday(text, text[match.end - 1] === "." ? { ...match, end: match.end - 1 } : match))
    : [];

/** The year before a month, as Latvian and Lithuanian write it: "2024. gada 31. maijam". */
const YEAR_BEFORE = /(?<!\d)(?:1[89]|20)\d{2}(?:\.\s?gada|\sm\.)\s$/;

/** What belongs to a date after it: a word for a year or day of Slavic and Baltic languages. */
const SUFFIX =
  /^\s?(?:г\.|года?(?!\p{L})|року(?!\p{L})|році(?!\p{L})|р\.|r\.|roku(?!\p{L})|жылы(?!\p{L})|[dm]\.(?=[\s,;)]))/u;
/** The article before a day in Nordic languages. */
const ARTICLE = /(?<!\p{L})(?:den|d\.) $/iu;

/** Returns a date with the weekday, the article or the year before it, and the word for a year after it. */
function withWeekday(text: string, { start, end, label }: Match): Match {
  const suffix = /[\d\p{L}]/u.test(text[end - 1]!) ? SUFFIX.exec(text.slice(end, end + 8)) : null;
  const article = ARTICLE.exec(text.slice(Math.max(0, start - 5), start));
  const match = { start: start - (article?.[0].length ?? 0), end: end + (suffix?.[0].length ?? 0), label };
  const year = YEAR_BEFORE.exec(text.slice(Math.max(0, match.start - 12), match.start));
  if (year) return { ...match, start: match.start - year[0].length };
  const weekday = WEEKDAY_BEFORE.exec(text.slice(Math.max(0, match.start - WEEKDAY_LENGTH), match.start));
  return weekday ? { ...match, start: match.start - weekday[0].length } : match;
}

/** A word, and a year after it. */
const WORD = /(?<![\p{L}\p{M}\p{N}@._/-])\p{L}[\p{L}\p{M}]{2,13}(?:['’]ta)?(?![\p{L}\p{M}\p{N}@_/-]|\.\p{L})/gu;
const YEAR_AFTER = /^,? (?:(?:de|del|of|roku|года|року) )?(?:19|20)\d{2}(?![\p{L}\p{N}])/u;
/** A preposition of time before the name of a month that is a word as well. */
const SINCE =
  /(?<![\p{L}\p{M}])(?:im|seit|bis|ab|ende|anfang|mitte|en|de|depuis|jusqu['’]à|jusqu['’]en|fin|début|mi|em|in|a|da|di|dal|nel|fino a|entro|desde|hasta|para|i|w|od|do|z|v|ve|til|till|från|fra|sedan|siden|sinds|tot|vanaf|eind|begin|medio|в|с|до|у|від|з|din|până în|în|since|until|last|next|early|late|mid|from|by|this) $/iu;
/** Months of English that are words or names need a capital. */
const ENGLISH_WORD = /^(?:may|march|june|led|set|out)$/;
/** "from", "by" and the like go before months of English only: "from mars". */
const ENGLISH_ONLY = /(?:since|until|last|next|early|late|mid|from|by|this) $/i;

/** The word for a month after its name in Turkish. */
const TURKISH_MONTH = /^ ayı(?:n\p{L}{0,3})?(?!\p{L})/u;

/** Finds months alone, e.g. "im September", with the year that may follow. */
function months(text: string): Match[] {
  const found: Match[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const form = monthForm(word);
    if (!form) continue;
    const end = index + word.length;
    const before = text.slice(Math.max(0, index - 12), index);
    const isCell = /[|;:\t] ?$/.test(before) && /^ ?(?:[|;\t\n]|$)/.test(text.slice(end, end + 2));
    const month = TURKISH_MONTH.exec(text.slice(end, end + 9))?.[0].length ?? 0;
    if (form !== "always" && !isCell && !month && !isTime(word, before)) continue;
    found.push({
      start: index,
      end: end + (month || (YEAR_AFTER.exec(text.slice(end, end + 16))?.[0].length ?? 0)),
      label: "DATE",
    });
  }
  return found;
}

function isTime(word: string, before: string): boolean {
  if (!SINCE.test(before) || ENGLISH_WORD.test(word)) return false;
  return !ENGLISH_ONLY.test(before) || /^(?:May|March|April|June|July|August)$/.test(word);
}

/** Spans of years, as CVs have them: "2019–2021", "2021-heute". */
const YEARS =
  /(?<![\p{L}\p{N}.,/-])(?:19[4-9]\d|20[0-3]\d)(?=\s?[–-]\s?(?:(?:19[4-9]\d|20[0-3]\d)(?![\d-])|\p{Ll}|[ \t]{0,4}(?:\n|$)))|(?<=(?:19[4-9]\d|20[0-3]\d)\s?[–-]\s?)(?<!-\d{4}-)(?:19[4-9]\d|20[0-3]\d)(?![\p{L}\p{N}-])/gu;
/** A day and a month at the start of a line of a statement. */
const ROW = /^[ \t|*•]{0,4}(\d{1,2})([./-])(\d{1,2})(?:(\.)|(?![\d.:/-]))(?=[ \t|;,])/gmu;
/** The fewest such lines. */
const ROWS = 3;

/** Finds the dates of rows: three lines or more begin with a day and a month, all in the same order. */
function rows(text: string): Match[] {
  const found = [...text.matchAll(ROW)].filter(
    ([, a, sign, b, dot]) => sign !== "." || dot || (a!.length === 2 && b!.length === 2),
  );
  const isDayFirst = found.every(([, a, , b]) => Number(a) <= 31 && Number(b) <= 12);
  const isMonthFirst = found.every(([, a, , b]) => Number(a) <= 12 && Number(b) <= 31);
  const isFilled = found.every(([, a, , b]) => Number(a) > 0 && Number(b) > 0);
  if (found.length < ROWS || !isFilled || !(isDayFirst || isMonthFirst)) return [];
  return found.map(({ 0: whole, index }) => ({
    start: index + whole.search(/\d/),
    end: index + whole.length,
    label: "DATE",
  }));
}

/**
 * Finds dates in digits, with names of months in 25 languages, and in English words. Leaves out time stamps of logs. V8
 * compiles some expressions for up to 50 ms each, so each is a step of its own.
 */
export const date = stepped(
  ["DATE"],
  [
    (text) => [...matches(text, YEARS, "DATE"), ...rows(text)],
    inDigits((text) => [...matches(text, NUMERIC, "DATE", isDate), ...matches(text, COMPACT, "DATE")]),
    inDigits((text) => dayFirst(text).filter(({ start, end }) => isMonth(text.slice(start, end)))),
    inDigits(monthFirst),
    inDigits((text) => [
      ...matches(text, MONTH_YEAR, "DATE"),
      ...matches(text, ASIAN, "DATE"),
      ...matches(text, WITH_YEAR, "DATE"),
      ...matches(text, OTHER_CALENDAR, "DATE"),
      ...matches(text, VIETNAMESE, "DATE", (word) => /\d\s\p{L}+\s\d|(?:19|20)\d{2}/u.test(word)),
      ...matches(text, BORN, "DATE", undefined, 1),
    ]),
    inDigits((text) => [
      ...matches(text, SHORT_YEAR, "DATE"),
      ...matches(text, TO_YEAR, "DATE", (_, [, from, to]) => Number(to) > Number(from) || Number(to) < 13),
      ...matches(text, ROMAN, "DATE"),
      ...matches(text, DAY_AND_MONTH, "DATE"),
      ...[
        SHORT,
        SPAN_OF_MONTH,
        DAY_TO_DAY,
        ROMANCE_DAY,
        SEASON,
        YEAR_AND_SEASON,
        YEAR_BY_HYPHEN,
        MONTH_TO_MONTH,
        DOTTED,
      ].flatMap((pattern) => matches(text, pattern, "DATE")),
    ]),
    inDigits(daysAndMonths),
    (text) => matches(text, IN_WORDS, "DATE").map((match) => withWeekday(text, match)),
    (text) => [DAYS, WEEKDAY_AND_DAY, HOLIDAY].flatMap((pattern) => matches(text, pattern, "DATE")),
    months,
    ...IN_LANGUAGES.dates,
    (text) => years(text).map((match) => withWeekday(text, match)),
    yearsInWords,
  ],
);

/** Returns whether one of the first two numbers can be the month; versions such as 10.15.7 are no dates. */
function isDate(word: string): boolean {
  const [a, b] = word.split(/[-/.T ]+/).map(Number) as [number, number];
  return a > 31 || ((a <= 12 || b <= 12) && !/^\d\.\d\.\d{2}$/.test(word));
}
