import { isEnglish, judgedPart } from "../language.js";
import { UNITS } from "../units.js";
import { COUNTED, numberAt } from "./age-verbs.js";
import { before, lazily, type Match, matches } from "./match.js";

const YEAR = "(?:19[3-9]\\d|20[0-3]\\d)";
/** Prepositions of time in some 30 languages, and words for a year. */
const SINCE =
  "in|im jahr|since|until|till|during|year|jahr|seit|ab|bis|anfang|ende|mitte|desde|en|em|até|hasta|año|ano|depuis|jusqu['’]en|dès|année|dal|nel|al|fino al|anno|od|do|w|v|ve|roku|roce|rok[ou]m?|leta|letih?|godin[eau]|odr\\.|u|sedan|från|till|år|året|fra|til|siden|i|ve\\.|sinds|tot|vanaf|jaar|vuonna|vuodesta|vuoteen|nuo|iki|kopš|līdz|no|alates|aastal|aastast|kuni|din|în|până în|anul|an|het jaar|frá|árið|síðan|от|до|с|со|по|в|во|у|від|з|із|през|год[ау]?|году|році|року|година|από|το|μέχρι|έως|έτος|năm|tahun|tàu|mwaka|taon|noong";
/** What makes a number of four digits a quantity or a name of a thing. */
const UNIT =
  /^\s?(?:%|°|€|\p{Sc}|(?:x|st|stk|szt|ks|db|pcs|units?|kcal|k?[Jmg]|[ckm]?m²?|km\/h|ml|[lhWV]|kW[h]?|mA[h]?|[GMk]B|rpm|[kM]?Hz|kr|ft|zł|kč|people|persons?|users|members|words|characters|steps|Stück|Euro|osób|osob|lidí|personnes|personas|pessoas|persone|mensen|meter|metros|mètres|metri|metrów|kilo\p{L}*|euro\p{L}*|dollars?|pesos|kron\p{L}*|korun\p{L}*|forint\p{L}*|руб\p{L}*|гр\p{L}*|лв|лева|штук|человек)(?![\p{L}\p{N}]))/u;
const AFTER = "(?![\\p{L}\\p{N}/:_@–-]|[.,]\\d)";
const CLAUSE_END = "(?=\\s?(?:[.,;)](?!\\d)|\\n|$))";
const PATTERNS = [
  `(?<=\\()${YEAR}(?=\\)|[,;] )|(?<=\\([^()\\n]{1,40}[ ,.] ?)${YEAR}(?=\\))`,
  `(?<=\\p{L}[.)»"”]?, )${YEAR}${CLAUSE_END}`,
  `(?<=(?<!\\p{L})(?:${SINCE}) )${YEAR}${AFTER}`,
  `(?<=\\p{Ll}{2}\\.? )${YEAR}${CLAUSE_END}`,
].map((source) => lazily(`(?<![\\p{L}\\p{N}.,/:+#_-])${source}`, "giu"));
/** Lines that begin with a year, as CVs have them. */
const LINE = lazily(`(?<=(?:^|\\n)[ •*-]{0,4})${YEAR}(?=(?:\\s{1,8}| ?[:;|\\t] ?)[–—-]?[  ]?["“„]?\\p{L})`, "gu");
/** Words before a number of a thing. */
const NUMBER =
  /(?<!\p{L})(?:codes?|kode?n?|kód|код|pin|otp|no|nr|room|zimmer|line|port|page|lote?|batch|number|numer|número|numéro|numero|nummer|error|artic\p{L}+|artik\p{L}+|ext|extension|bus|flight|train|tram|version|versión|versie|size|typ|type|serie|règlement|zip|plz|rev|limit|max|min|total|suma|parol\p{L}?|пароль|passwor[dt]|senha|clave|about|around|circa|ca|oltre|über|over|mehr als|více než|ponad|copyright) ?[.:]? $/iu;

/** Names of programs and standards, which have a year as their version. */
const VERSION =
  /(?:\p{L}*\p{Ll}\p{Lu}{1,3}\p{L}*|Excel|Office|Windows|Word|Server|Illustrator|Photoshop|Trados|Revit|Incoterms|Studio|Access|Outlook|Exchange|Project|3D|Agenda|Horizon|UN|ISO|EN|DIN) $/u;

/** A capital letter inside a sentence, which is no preposition: "4 V 2000". */
const LETTER = /[^.!?\n] \p{Lu} $/u;
/** A plural of English before a number: "Easter eggs 2024". */
const PLURAL = /\p{Ll}{3}s $/u;

/** Finds years alone in brackets, at the end of a clause, after a preposition of time, and at the start of lines. */
export function years(text: string): Match[] {
  if (!/(?:19|20)\d\d/.test(text)) return [];
  const found = PATTERNS.flatMap((pattern) => matches(text, pattern, "DATE"));
  const lines = matches(text, LINE, "DATE");
  const isInEnglish = isEnglish(judgedPart(text)) === true;
  return (lines.length > 1 ? [...found, ...lines] : found).filter(
    ({ start, end }) =>
      !NUMBER.test(before(text, start, 24)) &&
      !VERSION.test(before(text, start, 24)) &&
      !LETTER.test(before(text, start, 4)) &&
      !(isInEnglish && PLURAL.test(before(text, start, 24))) &&
      !UNIT.test(text.slice(end, end + 16)) &&
      !UNITS.MONEY!.test(text.slice(end, end + 12)),
  );
}

const LARGE = "(?:1[3-9]|2\\d|3[01])";
const MONTH = "(?:0?[1-9]|1[0-2])";
/** A day and a month with "/", one of them above 12 or with a zero, after a word in lower case, a colon, or at the start of a cell. */
const SLASHED = lazily(
  `(?<=[\\p{Ll}.:]{2}:?\\s|(?:^|[\\n\\t|;(>]) ?)(?!(\\d{1,2})/\\1(?!\\d)|24/7|16/9|20/10|30/0)(?:${LARGE}/${MONTH}|${MONTH}/${LARGE}|0[1-9]/(?:0[1-9]|1[0-2])|(?:[12]\\d|3[01])/(?:0[1-9]|1[0-2]))(?=[.,;:)](?!\\d)|\\s?(?:\\n|\\t|\\||$)| [\\p{L}–(-])(?! ?(?:inch|in\\b|"|mm|cm|szt|ks|cups?|tsp|tbsp|pages?))`,
  "gu",
);
/** Words before other numbers with "/": houses, pages, batches, seats, doses. */
const NO_DAY =
  /(?<!\p{L})(?:ul|str|čp|nr|no|page|seite|side|strana|fig|bp|kap|rev|partia|charge|lot|batch|formular\p{L}*|build|seats?|sitzpl\p{L}*|bewerber\p{L}*|od|bd|art|bus|gate|room|zimmer|size|vel|score|hours|directiv\p{L}{1,2}|richtlini\p{L}{1,2}|regulation|règlement|decret\p{L}?|dekret\p{L}?|decree|order|resolution|dyrektyw\p{L}|směrnic\p{L}|direktiv\p{L}{0,2})\.?:?\s$/iu;
/** A month and a year: "11/2022", "Stand 03/2025", in cells and after words. */
const MONTH_AND_YEAR = lazily(
  `(?<![\\p{L}\\p{N}/.,-])(?<!(?:nr|no|n[°º]|№|č\\.?|zn\\.?|ref|act|loi|gesetz|verordnung|rozporz\\p{L}*|ustaw\\p{L}*) ?[.:]? ?)(?:0[1-9]|1[0-2])/20[0-3]\\d(?![\\p{L}\\p{N}/-]|\\.\\d)`,
  "giu",
);
/** A day and a month of two digits each with a dot between them, at the end of a clause. */
const POINTED = lazily(
  `(?<=(?:\\p{Ll}{2}|[\\p{Ll}:]:) )(?<!(?:^|\\P{L})(?:kl|klo|um|ore|[aà]|u|at|o|plkst|val|alle|hod|ob|w|в|о|kell|ab|punkt\\p{L}?|kap|bod\\p{L}?|verz?i?\\p{L}*|v|versio[on]\\p{L}*) )(?:0[1-9]|[12]\\d|3[01])\\.(?:0[1-9]|1[0-2])(?=[,;)]|\\.(?:\\s|$)|\\s?(?:\\n|$)| (?:kl|klo|plkst|w|u|на|в|om|um|при|после|після|до)(?!\\p{L}))`,
  "gu",
);
/** The first day of a span before a date: "6. do 13. kolovoza", "du 7 au 21 janvier". */
const FROM = lazily(
  `(?<![\\p{L}\\p{N}/.,-])(?:[0-2]?\\d|3[01])\\.?(?= ?(?:do|au|to|al|ao|a|til|till|bis|tot|по|до|[–-]|and|und|et|y|e|i|og|och) ?(?:[0-2]?\\d|3[01])\\.?(?:-?(?:го|е))? (?:de |d[’'])?(?:jan|feb|fév|fev|mar|mär|apr|avr|abr|ma[ijy]|jun|juin|jul|juil|aug|août|ago|sep|set|okt|oct|out|ott|nov|dec|dez|déc|dic|gen|ene|giu|lug|mag|st[yu]|lut|kwi|cze|lip|sie|wrz|paź|lis|gru|sij|velj|ožu|travn|svi|srp|kol|ruj|pro|led|úno|bře|dub|kvě|čer|srp|zář|říj|янв|фев|мар|апр|ма[яй]|июн|июл|авг|сен|окт|ноя|дек|січ|лют|бер|кві|тра|чер|лип|сер|вер|жов|лис|гру|юли|юни))`,
  "giu",
);

/** Finds days with months, and months with years, in digits without a year or day. */
export function daysAndMonths(text: string): Match[] {
  const found = [SLASHED, MONTH_AND_YEAR, FROM]
    .flatMap((pattern) => matches(text, pattern, "DATE"))
    .filter(({ start }) => !NO_DAY.test(before(text, start, 24)));
  return isEnglish(judgedPart(text)) === false ? [...found, ...matches(text, POINTED, "DATE")] : found;
}

/** Beginnings of a year in words, from 1900 on. */
const IN_WORDS = lazily(
  "(?<!\\p{L})(?:(?:zwei|kaksi|két|twee|due|deux |dos |dois |dous |două |dwa |dva |dve |dvije |iki |δύο |две |дві |tvö |du |divi )(?:tausend|tuhatta|ezer|duizend|mila|mille|mil|mii|tysi[ąa]c\\p{L}*|tis[ií]c\\p{L}*|tisuć\\p{L}|hiljad\\p{L}|tisoč|bin|χιλιάδες|тысяч\\p{L}|тисяч\\p{L}|хиляди|хиљаде|þúsund|tūkstan\\p{L}*|tūkstoš\\p{L}*)|neunzehnhundert|negentienhonderd|negentien(?=\\p{L})|nittonhundra|tjugohundra|nitten(?:hundre)?(?=\\p{L})|millenovecento|mil neuf cents?|mil novecientos|mil novecentos|mil nou-cents|tysiąc dziewięćset|tisíc devěťset|tisíc devä[tť]sto|tisuću devetsto|bin dokuz yüz|одна? ?тысяча девятьсот|тысяча девятьсот|хиляда деветстотин)",
  "giu",
);
/** Prepositions of time before a year in words. */
const BEFORE_WORDS = lazily(`(?<!\\p{L})(?:${SINCE}|de|del|d[’']|abschluss|für|ik|o|no|na|nel|el|e) $`, "iu");

/** Finds years in words, after a preposition of time: "en mil novecientos ochenta", "im neunzehnhundertachtzig". */
export function yearsInWords(text: string): Match[] {
  if (isEnglish(judgedPart(text)) === true) return [];
  return Array.from(text.matchAll(IN_WORDS())).flatMap(({ 0: head, index }) => {
    if (!BEFORE_WORDS().test(before(text, index, 20))) return [];
    const number = numberAt(text, index);
    const end = number?.end ?? index + head.length + /^\p{L}*/u.exec(text.slice(index + head.length))![0].length;
    const rest = text.slice(end, end + 20);
    if (end < index + head.length || COUNTED.test(rest) || UNITS.MONEY!.test(rest) || /^ (?:de|d[’']) /.test(rest))
      return [];
    return [{ start: index, end, label: "DATE" }];
  });
}
