// Extends what was found only in part to the whole name, number, address or term, where the writing around makes that sure.
import type { Tick } from "../abort.js";
import { isGivenName } from "./detectors/given-name-known.js";
import { labelOfKey } from "./detectors/keys.js";
import { type Lazy, lazily } from "./detectors/match.js";
import { isBeforeName, isRole, isWordForPerson } from "./detectors/roles.js";
import { isTitle } from "./detectors/title.js";
import { isWeekday, WEEKDAY_BEFORE } from "./detectors/weekdays.js";
import { isEnglish, isNoun, judgedPart, writesNouns } from "./language.js";
import type { Span } from "./span-types.js";
import { ENGLISH, isWord, plain } from "./words.js";

/** How far to look around a span. */
const FAR = 64;
/** How many spans to extend before yielding to the event loop. */
const SLICE = 100;

/** What an extension knows of a span: the text around it up to its neighbours, and how the text is written. */
interface Place {
  span: Span;
  word: string;
  /** The text before and after the span, up to the spans beside it. */
  before: string;
  after: string;
  isEnglish: boolean;
  isGerman: boolean;
}

/** Returns how many code units before and after a span belong to it. */
type Step = (place: Place) => [number, number];

/** Returns a step that extends spans of some labels by what matches before and after them. */
const by =
  (labels: RegExp, isMeant: (place: Place) => boolean, left?: Lazy, right?: Lazy): Step =>
  (place) => {
    if (!labels.test(place.span.label) || !isMeant(place)) return [0, 0];
    return [left?.().exec(place.before)?.[0].length ?? 0, right?.().exec(place.after)?.[0].length ?? 0];
  };

const PEOPLE = /^PER(?:SON)?$/;
const NAMES = /^(?:PER(?:SON)?|LOC(?:ATION)?|ORG(?:ANIZATION)?)$/;
const NAMES_AND = /^(?:PER(?:SON)?|LOC(?:ATION)?|ORG(?:ANIZATION)?|HEALTH|DATE)$/;
const PLACES = /^(?:ADDRESS|LOC(?:ATION)?)$/;
const always = () => true;
const isCapital = (word: string) => /^\p{Lu}/u.test(word);

/** The rest of a word with hyphens: "Secours" of "Télé-Secours", "TCH" of "TCH-P". */
const compounds: Step[] = [
  by(
    NAMES_AND,
    ({ word, isGerman, span }) => /\p{L}$/u.test(word) && (!isGerman || PEOPLE.test(span.label)),
    lazily(
      "(?<![\\p{L}\\p{M}\\p{N}])(?!(?:Ex|Non|Anti|Pre|Post|Mid|Pro|Co)-)(?:\\p{Lu}[\\p{L}\\p{M}\\p{N}]{1,24}[-‑]){1,3}$",
      "u",
    ),
    lazily("^(?:[-‑]\\p{Lu}[\\p{L}\\p{M}\\p{N}]{0,24}){1,3}(?![\\p{L}\\p{N}-])", "u"),
  ),
  by(/^USERNAME$/, ({ word }) => word.startsWith("@"), undefined, lazily("^(?:[._-]\\w{1,24}){1,3}(?![\\w@])", "u")),
];

/** A case ending after an apostrophe, as in Turkish: "Bosch'tan". */
const ENDING = by(
  NAMES_AND,
  ({ word, isEnglish }) => !isEnglish && /[\p{L}\p{N}]$/u.test(word),
  undefined,
  lazily("^['’](?!(?:s|ll|re|ve|d|m|t)(?!\\p{L}))\\p{Ll}{1,9}(?![\\p{L}\\p{M}'’])", "u"),
);

/** Initials: "G." of "G. Mroczek", "P" of "Mikey P", "D." of "Cruz, D.". */
const initials: Step[] = [
  by(
    PEOPLE,
    ({ word }) => isCapital(word),
    lazily(
      "(?<![\\p{L}\\p{M}\\p{N}°.'’&/-]|\\d ?|\\n(?=[AQ]\\. $)|(?=M\\. $)|i\\. |[A-C]\\d? |[Pp]ermis |(?:vitamin|hepatitis|plan|option|class|group|type|part|section|grade|block|room|gate|team|phase|level) )(?:\\p{Lu}\\.[ -]?){1,3}$",
      "u",
    ),
    lazily("^(?:,? (?:\\p{Lu}\\.){1,2}(?= ?(?:[^\\p{L}\\s]|$)))|^ (?!I)\\p{Lu}(?= ?(?:[^\\p{L}\\p{N}\\s'’.]|$))", "u"),
  ),
  by(
    PEOPLE,
    ({ word }) => /^\p{Ll}{3,}$/u.test(word),
    undefined,
    lazily("^ (?![aeiouywzskv])[a-z]\\.?(?= ?(?:[,;|)\\n]|$))", "u"),
  ),
];

/** Words for relatives, greetings and ranks before a name, in lower case. */
const BEFORE_NAME =
  /^(?:aunt(?:ie|y)?|uncle|grand?(?:ma|pa|dad|mother|father)|gran(?:ny)?|mumm?y?|momm?y?|dad(?:dy)?|[mp]apa|cousin|sister|brother|kuya|ate|tit[ao]|lol[ao]|oom|tante|t[ií][ao]|tatie|tonton|opa|mann|onkel|sohn|tochter|bruder|schwester|dear|hello|hey|signed|attn|sold|paid|head|chief|senior|junior|deputy|acting|vice|assistant|lead|hajiya|alhaj[ia]|mdm|cpl|sgt|capt|lt)$/;

/** A particle in lower case after a title: "el" of "meneer el khattabi". */
const particles = by(
  PEOPLE,
  always,
  lazily(
    "(?<=(?<!\\p{L})(?:meneer|mevrouw|mevr\\.|dhr\\.|mw\\.|dr|dr\\.|mr|mr\\.|mrs|ms|miss|frau|herr|herrn|monsieur|madame|señora?|sr\\.|sra\\.|sig\\.) )(?:van|van de[rn]?|von|von der|de|de la|del|di|da|el|al|la|le|ter|ten) $",
    "iu",
  ),
);

/** Returns whether a word with a capital is none of a name: a function word, title, role, weekday or field. */
const isOther = (word: string) => {
  const bare = word.replace(/[.'’]+$/, "");
  const lower = bare.toLowerCase();
  return (
    isNoun(bare) ||
    ENGLISH.has(plain(bare)) ||
    isTitle(bare) ||
    BEFORE_NAME.test(lower) ||
    isRole(bare) ||
    isBeforeName(bare) ||
    isWordForPerson(bare) ||
    isWeekday(bare) ||
    labelOfKey(lower) !== undefined
  );
};

/** A word with a capital after or before a name, with the space between. */
const NEXT_WORD = lazily(
  "^ (\\p{Lu}[\\p{Ll}\\p{M}]{1,24}(?:['’-]\\p{Lu}?[\\p{Ll}\\p{M}]{1,24})?)(?![\\p{L}\\p{M}\\p{N}:=@/]|-\\p{L}|[.]\\p{L}| ?:)",
  "u",
);
const LAST_WORD = lazily(
  "(?<![\\p{L}\\p{M}\\p{N}@/.'’-])(\\p{Lu}[\\p{Ll}\\p{M}]{1,24}(?:-\\p{Lu}[\\p{Ll}\\p{M}]{1,24})?) $",
  "u",
);
/** The start of a line, sentence, quotation or item. */
const STARTS = /(?:^|[\n.!?…:;|•*>–—(["'“”„«»-])\s*$/u;
/** Endings of words for what people do. */
const OCCUPATION = /(?:er|or|ist|ian|ent|ant|ing|ment|tion|ss|ly|ed)$/;
const MOST_WORDS = 4;

/** Extends a name by the words with a capital beside it. A word at the start of a sentence is one only if it is a given name. */
const capitals: Step = ({ span, word, before, after, isGerman }) => {
  const isName =
    NAMES.test(span.label) && /^(?:\p{Lu}[\p{Ll}\p{M}'’-]+(?: |$)){1,4}/u.test(word) && /\p{Ll}$/u.test(word);
  if (!isName || (isGerman && !PEOPLE.test(span.label)) || isHeading(lineOf(before, word, after))) return [0, 0];
  const [first, last] = [word.split(" ")[0]!, word.split(" ").at(-1)!];
  let count = word.split(" ").length;
  let [left, right] = [0, 0];
  while (count < MOST_WORDS && (!isGerman || isGivenName(last.toLowerCase()))) {
    const [whole, next] = NEXT_WORD().exec(after.slice(right)) ?? [];
    if (whole === undefined || isOther(next!)) break;
    right += whole.length;
    count++;
  }
  while (count < MOST_WORDS && isCapital(first)) {
    const rest = before.slice(0, before.length - left);
    const [whole, previous] = LAST_WORD().exec(rest) ?? [];
    if (
      whole === undefined ||
      isOther(previous!) ||
      !begins(span, previous!, rest.slice(0, rest.length - whole.length), isGerman)
    )
      break;
    left += whole.length;
    count++;
  }
  return [left, right];
};

/** Returns whether a word before a name can be a part of it. */
function begins({ label }: Span, word: string, before: string, isGerman: boolean): boolean {
  if (PEOPLE.test(label) && isGivenName(word.toLowerCase())) return true;
  return !isGerman && !STARTS.test(before) && !OCCUPATION.test(word);
}

/** Returns what is known of the line of a span. */
const lineOf = (before: string, word: string, after: string) =>
  before.slice(before.lastIndexOf("\n") + 1) + word + after.split("\n", 1)[0];

/** Returns whether nearly all words of a line have a capital, as in titles. */
function isHeading(line: string): boolean {
  const words = line.match(/\p{L}[\p{L}\p{M}'’]{3,}/gu) ?? [];
  return words.length >= 5 && 4 * words.filter(isCapital).length >= 3 * words.length;
}

/** A name in capitals that fills a line or cell of two to four words: "JUBAL E GREENHAW". */
const shouted: Step = ({ span, word, before, after }) => {
  if (!PEOPLE.test(span.label) || !/^[\p{Lu}\p{M} .'’-]{3,}$/u.test(word)) return [0, 0];
  const left = /(?<=[\n|;\t:])[ ]?((?:\p{Lu}[\p{Lu}\p{M}'’.-]* ){1,2})$/u.exec(before)?.[1] ?? "";
  const right = /^(?: \p{Lu}[\p{Lu}\p{M}'’.-]*){1,2}(?= ?[|;,\n])/u.exec(after)?.[0] ?? "";
  const words = (left + word + right).split(" ");
  const isName =
    words.every((part) => part.length === 1 || !isOther(part)) &&
    words.some((part) => /^\p{Lu}$/u.test(part) || isGivenName(part.toLowerCase()));
  return isName ? [left.length, right.length] : [0, 0];
};

const STATES =
  "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC|ON|QC|BC|AB|SK|MB|NS|NB|NL|PEI|NT|NU|YT|NSW|VIC|QLD|TAS|ACT";
/** Words for a part of a building before its number. */
const UNIT =
  "(?:app?t?|suite|ste|unit|flat|floor|room|int|piso|puerta|esc|dep(?:to)?|lok|byt|bus|bte|étage|top|stiege|bl|кв|офис|оф|корп|эт)";
/** What belongs to a place or an address: its state, the part of the building. */
const places: Step[] = [
  by(
    PLACES,
    ({ word }) => isCapital(word) || /\d/.test(word),
    undefined,
    lazily(
      `^(?:,? (?:${STATES})(?: \\d{5})?(?= ?(?:[^\\p{L}\\p{N}\\s]|\\n))|, (?!IN |OR |ME |OK |HI )(?:${STATES})(?= \\p{Ll}))`,
      "u",
    ),
  ),
  by(
    /^ADDRESS$/,
    ({ word }) => /\d/.test(word),
    lazily(
      `(?<![\\p{L}\\p{N}])${UNIT}[.]? ?#?\\d{1,4}\\p{L}?, ?$|(?<![\\p{L}\\p{N}./-])[a-z]?\\d{1,4}[A-Za-z]?[/-]$`,
      "iu",
    ),
    lazily(`^(?:,? ${UNIT}[.]? ?(?:#|n[r°º]\\.? ?)?\\d{1,4}\\p{L}?(?![\\p{L}\\p{N}])){1,3}`, "iu"),
  ),
];

/** Signs before a number that say what it is. */
const NO_PREFIX = "(?:[TMPFHWCEDONGI]|NR|NO|ID|VS|TF|PH|WA|AT|OR|IN|ON|IS|TO|BY|ME|US|UK|AM|PM|HP|PO|RT|CH|TM|RM|VA)";
const isLongNumber = ({ word }: Place) => /^\d/.test(word) && (word.match(/\d/g)?.length ?? 0) >= 5;
/** Letters before and after a number, its groups, and the extension of a telephone number. */
const numbers: Step[] = [
  by(
    /^(?:ID|PHONE)$/,
    (place) => isLongNumber(place) && /(?<!\p{L})\p{Lu}{2} $/u.test(place.before),
    undefined,
    lazily("^ \\p{Lu}{2}(?![\\p{L}\\p{N}])", "u"),
  ),
  by(
    /^(?:ID|PHONE)$/,
    (place) => isLongNumber(place) && place.span.pattern !== "national-id",
    lazily(`(?<![\\p{L}\\p{M}\\p{N}.'’-])(?!${NO_PREFIX}[ -])(?:\\p{Lu}{2}|A|\\p{Lu}{1,4}(?=-))[ -]$`, "u"),
  ),
  by(
    /^PHONE$/,
    ({ word }) => /\d[,)]?$/.test(word),
    undefined,
    lazily(
      "^[,;]? ?\\(?(?:ext(?:ension|n)?|x|poste|int(?:erno)?|wew|доб(?:авочный)?|вн(?:утр)?|dw|durchwahl|klappe|mellék|linka|klapka|ramal|anexo|toestel|tst|ankn(?:ytning)?|lok|εσωτ|dahili)[.:]{0,2} ?#?\\d{1,5}(?![\\p{L}\\p{N}])",
      "iu",
    ),
  ),
  by(
    /^(?:PHONE|PASSWORD)$/,
    ({ span, word }) => !span.pattern && /^\+?[\d ()-]+$/.test(word),
    undefined,
    lazily("^(?:[ -]\\d{2,4}){1,3}(?![\\d.,:/%]|[ -]?\\p{L})", "u"),
  ),
  by(
    /^PASSWORD$/,
    ({ word }) => /^\w(?: \w)+$/.test(word),
    undefined,
    lazily("^(?: \\p{Lu}){1,3}(?![\\p{L}\\p{N}])", "u"),
  ),
];

/** Millions after an amount. */
const MONEY = by(
  /^MONEY$/,
  always,
  undefined,
  lazily("^ ?(?:Mio|Mrd|mln|mld|млн|млрд|million|billion|bn)\\.?(?![\\p{L}\\p{N}])", "u"),
);

/** Seasons, in the cases that stand beside a year. */
const SEASON =
  "spring|summer|autumn|winter|frühling|frühjahr|sommer(?:en)?|herbst|printemps|été|automne|hiver|primavera|verano|otoño|invierno|verão|outono|inverno|estate|autunno|voorjaar|zomer|najaar|herfst|våren?|sommaren?|hösten?|vintern?|kevä(?:t|ällä)|kesä(?:llä)?|syksy(?:llä)?|talv(?:i|ella)|wiosn[aąęy]|lat(?:o|em)|jesie(?:ń|nią)|zim[aąęyu]|léto|podzim|tavasz(?:án)?|nyár(?:on|án)?|ősz(?:én)?|tél(?:en)?|primăvara|vara|toamna|iarna|rud(?:uo|en[įs])|ruden[sī]|(?:весн|осен|осін|зим)\\p{L}{0,4}|лет(?:о|ом|а)|літ(?:о|ку)|лято(?:то)?|άνοιξη|καλοκαίρι|φθινόπωρο|χειμώνα[ςσ]?|yaz(?:ı|ında)?|kış(?:ı|ında)?|(?:son|ilk)bahar(?:ı|da|ında)?";
const dates: Step[] = [
  by(
    /^DATE$/,
    ({ word }) => /^(?:19|20)\d{2}/.test(word),
    lazily(`(?<![\\p{L}\\p{M}])(?:${SEASON}) (?:(?:van|de|del|du|di|of|на|от|του) )?$`, "iu"),
    lazily(`^(?: (?:m\\.|metų|gada))? (?:${SEASON})(?![\\p{L}\\p{M}])`, "iu"),
  ),
  by(
    /^DATE$/,
    ({ span, word }) => span.pattern === "spoken" || /^\d{1,2}[. ]/.test(word),
    () => WEEKDAY_BEFORE,
  ),
];

/** What belongs to a word for an illness or treatment: its grade, or that it was operated on. */
const illnesses: Step[] = [
  by(
    /^HEALTH$/,
    ({ word }) => /\p{L}$/u.test(word),
    undefined,
    lazily(
      "^ (?:(?:stage|grade|gr|typ[e]?|stadium|NYHA|GOLD)\\.? \\d[ab]?|[IV]{1,3}[ab]?|\\d\\+\\d)(?! ?[\\p{L}\\p{N}%/×.]|[,:]\\d|-)",
      "u",
    ),
  ),
  by(
    /^HEALTH$/,
    ({ word }) => /^(?:knees?|hips?|shoulders?|backs?|eyes?|wrists?|feet|bunions?)$/i.test(word),
    undefined,
    lazily("^ (?:done|replaced|fixed|operated on|surgery|replacement)(?!\\p{L})", "u"),
  ),
];

/** The rest of a quoted name of an organisation. */
const quoted: Step = ({ span, before, after }) => {
  if (!/^ORG/.test(span.label)) return [0, 0];
  const left = /(?<=[„“«])[^„“”«»".,;:!?\n]{1,32}$/u.exec(before)?.[0] ?? "";
  const right = /^[^„“”«»".,;:!?\n]{1,32}(?=[“”»])/u.exec(after)?.[0] ?? "";
  const isOpen = /[„“«]$/.test(before) || left !== "";
  const isClosed = /^[“”»]/.test(after) || right !== "";
  if (!isOpen || !isClosed || (left + right).trim().split(/\s+/).length > 3) return [0, 0];
  return [left.length, right.length];
};

/** The words in lower case after the first word of a name that fills a cell: "Kauno grūdai". Only other languages than English write names so. */
const filling: Step = ({ span, word, before, after, isEnglish, isGerman }) => {
  if (isEnglish || isGerman || !/^(?:ORG|LOC)/.test(span.label) || !/^(?=\p{Lu})\p{Script=Latin}/u.test(word))
    return [0, 0];
  const right = /^(?: \p{Ll}[\p{L}\p{M}-]{3,20}){1,3}(?=[,|;\n“”»])/u.exec(after)?.[0] ?? "";
  const isCell = /[\n|;:„“«][ ]?$|, $| [–—-] $|\d{4} $/.test(before);
  return isCell && !right.split(" ").some((part) => isWord(part)) ? [0, right.length] : [0, 0];
};

/** Words after which a name is expected: the question for it. */
const ASKS_NAME =
  /(?<!\p{L})(?:(?:sur)?name|(?:cog)?nome|nombre|apellidos?|(?:cog)?nom|naam|navn|namn|nimi|nimesi|neve|nume(?:le)?|imi[eę]|nazwisko|jméno|příjmení|meno|priezvisko|(?:pre)?z?ime|priimek|vardas|pavardė|(?:soy)?adı(?:nız)?|фамили[яю]|имя|прізвище|ім['’ʼ]я|име(?:то)?|фамилията|όνομ[αά]|επώνυμο|обращаться|звать)(?!\p{L}).{0,24}$/iu;

/** The whole line in lower case after the question for a name, if a part of it was found: an answer. */
const answers: Step = ({ span, word, before, after }) => {
  if (!PEOPLE.test(span.label) || !/^[\p{Ll}\p{M} '’-]+$/u.test(word)) return [0, 0];
  const [, line] = /[\n:][ ]*((?:\p{Ll}[\p{Ll}\p{M}'’-]+ ){0,2})$/u.exec(before) ?? [];
  const [right] =
    /^(?: \p{Ll}[\p{Ll}\p{M}'’-]+){0,2}(?= ?[\n,]| (?:από|из|з|із|from|aus|z|ze|fra|från|uit) )/u.exec(after) ?? [];
  if (line === undefined || right === undefined) return [0, 0];
  const others = `${line}${right}`.trim().split(/\s+/);
  if (others.some((other) => other.length < 3 || isWord(other) || ENGLISH.has(other) || isRole(other))) return [0, 0];
  return ASKS_NAME.test(before.slice(0, before.length - line.length).trimEnd()) ? [line.length, right.length] : [0, 0];
};

const STEPS: readonly Step[] = [
  ...compounds,
  ...initials,
  capitals,
  particles,
  shouted,
  ...places,
  ...numbers,
  MONEY,
  ...dates,
  ...illnesses,
  quoted,
  filling,
  answers,
  ENDING,
];

const PARTICLE =
  "(?:d['’]|(?:de|du|des|del|dell['’]|della|delle|degli|dei|di|da|do|dos|das|de la|din|of|of the|van|van de|von|am|im) )";
/** What stands between two parts of one value: the labels of both, and a test of what is between them. */
const BRIDGES: readonly [first: RegExp, second: RegExp, between: Lazy][] = [
  [/^ORG/, /^(?:ORG|LOC)/, lazily(`^ ${PARTICLE}(?:\\p{Ll}{3,14} ${PARTICLE})?$`, "u")],
  [/^ORG/, /^ORG/, lazily("^ (?:i|in|w|we|på) $", "u")],
  [
    PEOPLE,
    PEOPLE,
    lazily(
      '^ (?:(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|bin|binti|al|el|ibn|ben|a/l|a/p|s/o|d/o|zu|af|av|née|nee|geb\\.) ){1,2}$|^ ["“„«]\\p{Lu}\\p{L}{1,14}["”“»] $|^ \\p{Lu}\\. $',
      "u",
    ),
  ],
  [/^DATE$/, /^DATE$/, lazily("^ (?:по|до|to|till|bis|do|tot|til|al|au) $", "u")],
];

/** Returns whether two spans in one line are parts of one value. */
function isBridged(text: string, first: Span, second: Span): boolean {
  const between = text.slice(first.end, second.start);
  if (between.length > 40 || !/[\p{L}\p{N}]/u.test(between)) return false;
  const [word, next] = [text.slice(first.start, first.end), text.slice(second.start, second.end)];
  if (first.label === "DATE" && !/^\d{1,2}\.?$/.test(word)) return false;
  if (NAMES.test(first.label) && !(isCapital(word) && isCapital(next))) return false;
  if (PEOPLE.test(first.label) && /^ \p{Lu}[\p{L}\p{M}'’-]{1,20} $/u.test(between) && PEOPLE.test(second.label))
    return isCapital(word.split(" ").at(-1)!) && !isOther(between.trim());
  return BRIDGES.some(
    ([one, other, pattern]) => one.test(first.label) && other.test(second.label) && pattern().test(between),
  );
}

const isFixed = ({ label, rank = 0 }: Span) => rank < 0 || /^(?:AGE|EMAIL|IP|SECRET|CARD|IBAN|URL)$/.test(label);

/** Returns ordered spans without overlaps, each extended to the whole of which only a part was found. */
export async function extended(text: string, spans: readonly Span[], tick: Tick): Promise<Span[]> {
  if (!spans.length) return [];
  const judged = judgedPart(text);
  const isForeign = isEnglish(judged) === false;
  const how = { isEnglish: !isForeign, isGerman: isForeign && writesNouns(judged) };
  const found: Span[] = [];
  for (const [n, span] of spans.entries()) {
    if (n % SLICE === 0) await tick();
    const last = found.at(-1);
    const whole = isFixed(span)
      ? span
      : extendedOne(text, span, last?.end ?? 0, spans[n + 1]?.start ?? text.length, how);
    if (!last || isFixed(last) || isFixed(whole) || !isBridged(text, last, whole)) found.push(whole);
    else {
      const main = whole.end - whole.start > last.end - last.start ? whole : last;
      found[found.length - 1] = { ...main, start: last.start, end: whole.end };
    }
  }
  return found;
}

/** Returns a span extended by all steps, between the places where its neighbours end and begin. */
function extendedOne(
  text: string,
  span: Span,
  from: number,
  to: number,
  how: Pick<Place, "isEnglish" | "isGerman">,
): Span {
  let { start, end } = span;
  const place = (): Place => ({
    ...how,
    span,
    word: text.slice(start, end),
    before: (from === 0 && start <= FAR ? "\n" : "") + text.slice(Math.max(from, start - FAR), start),
    after: text.slice(end, Math.min(to, end + FAR)) + (end + FAR >= text.length && to === text.length ? "\n" : ""),
  });
  let known = place();
  for (const step of STEPS) {
    const [left, right] = step(known);
    if (!left && !right) continue;
    start -= left;
    end += right;
    known = place();
  }
  return start === span.start && end === span.end ? span : { ...span, start, end };
}
