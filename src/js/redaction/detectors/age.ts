import type { Span } from "../span-types.js";
import { type Detector, lazily, type Match, matches } from "./match.js";

const ONES = "one|two|three|four|five|six|seven|eight|nine";
const WORDS = `(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:${ONES}))?|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|${ONES})`;
const AGE = `(?:1[01]\\d|\\d{1,2}|${WORDS})`;
const YEARS =
  "years?[- ]old|y\\.?/?o\\.?|yrs?\\.?[- ]old|year[- ]old|month[- ]old|months? old|weeks? old|jahre alt|jährig(?:e[nrsm]?)?|ans(?! (?:d|de|que|plus)\\b)|años(?: de edad)?|anni|anos(?: de idade)?|jaar(?: oud)?|[- ]?jarige?|år(?: gammal| gammel|ig)?|-årig[ea]?|-vuotias|lat(?:ek|ka)?|letn[iy]|let[áýé]?|éves|de ani|ani|godin[ae]|yaşında(?:ki|yım)?|лет|года|років|роки|годин[аи]|ετών|χρονών|tahun|tuổi|साल|वर्ष|-?aastane|-?aastaselt|-?годишн\\p{L}{1,3}|ára(?: gam\\p{L}+)?|árs|anys|taong gulang|ساله";
const AFTER = lazily(
  `(?<![\\p{L}\\p{N}/€$£-])(?<!\\d[.,])${AGE}(?:[- ]{0,2})(?:${YEARS})(?![\\p{L}])(?!\\s(?:later|ago|of experience|warranty|garantie|d'expérience|de experiencia|nach|vor|später|temu|sedan))`,
  "giu",
);
const BEFORE = lazily(
  `(?<![\\p{L}\\p{N}])(?:aged?(?: of)?|aetat\\.?|im alter von|alter|âgée? de|âge|edad(?: de)?|età(?: di)?|idade(?: de)?|leeftijd|wiek|ålder|alder|ikä|věk|kor|vârst[ăa]|yaş|возраст|umri|umur|usia|vek|uzrast|starost|umar|ηλικία|vanus|vecums|aldur|amžius|سن|גיל|나이|年齢|年龄|umri (?:wa )?miaka|(?:mwenye|amefikisha|ana) miaka|ו?ב[ןת]|turn(?:s|ed|ing)|gilt|i am|i'm|she is|he is|she's|he's|age)[:=\\s"]{1,4}(${AGE})(?![\\p{L}\\p{N}%/]|[.,:-]\\d|\\s?(?:%|km|kg|min|hour|day|week|month|mile|foot|feet|ft|inch|down|of\\b|o'clock))`,
  "giu",
);
/** Years of age in scripts without spaces between words. */
const UNSPACED = /(?<!\d)(?:1[01]\d|\d{1,2})\s?(?:歳|岁|歲|세|살)(?!以|未|미만|이상)/gu;
const SEX = /(?<![\p{L}\p{N}]|\d\.|-|(?<!\p{L})(?:at|to|temp|is at)[ =])\d{1,2} ?(?:[MF]|yo[MF]?|y\/o)(?=[,;)\s.])/gu;

/** Notes: "F/33", "61/M", "37y/F". */
const SEX_AND_YEARS =
  /(?<![\p{L}\p{N}/.-])(?:[MFŽЧЖ]\/\d{1,2}(?![\p{L}\p{N}/.])|[WHKmfwhkžчж]\/\d\d(?=[,;)\n]|$)|\d{1,2}(?:y|yrs?)?\/[MF](?![\p{L}\p{N}/]))/gu;
const TENS = `(?:[2-9]\\d|1[01]\\d|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:${ONES}))?)`;
/** Where a number is not followed by what it counts. */
const ALONE = "(?![\\p{L}\\p{N}%/°]|[.,:-]\\d)(?=\\s?(?:[.,;!?)\\n]|$)|\\s(?:and|but|on|in|next|this|when|so|now)\\b)";
/** "when he was six", "she will be eighty-two on the 27th", "MI at 58". Numbers below 20 need the word "was": they may be hours. */
const PEOPLE = lazily(
  `(?<![\\p{L}\\p{N}])(?:(?:when|since) (?:i|you|s?he|they|we) (?:was|were) (${AGE})|(?:i|you|s?he|grandma|grandpa)(?:['’]ll| will| would have) (?:soon |only )?be (${TENS})|(?:MI|CVA|CABG|TIA|ca|cancer|stroke|died|d\\.|dead|dx|diagnosed|widowed|retired|menopause|birth)(?: \\p{L}{1,12}){0,2} at (?:age )?(${TENS}))${ALONE}`,
  "giu",
);
/** Adverbs before an age. */
const ABOUT = "(?:(?:about|around|only|just|now|already|almost|nearly|barely|still) ){0,2}";
/** As `ALONE`, or before a word of time or a person's. */
const ALONE_OR_TIME = `(?:${ALONE}|(?=\\s(?:today|tomorrow|already|lol|only|with|who|or|too|years|yrs)\\b))`;
/** "He's 22 months", "shes 3", "who is four and a half", "he was only twelve", "a child of about five". "One" and "two" alone mostly mean things. */
const PERSON_IS = lazily(
  `(?<![\\p{L}\\p{N}])(?:(?:s?he|who)(?:['’]?s| is)|(?:i|s?he) was|(?:child|kid|lad|lass|boy|girl|male|female|man|woman|baby|toddler)(?: of)?(?= (?:about|around) )) ${ABOUT}((?!(?:one|two)\\b(?! and a half))${AGE}(?: and a half)?(?: (?:months?|weeks?|years|yrs)(?! (?:pregnant|late|ago|older|younger|in|into|of|behind|ahead|away)))?)${ALONE_OR_TIME}`,
  "giu",
);
/** Ages of children: "(kids 3 and 5)", "two children (6 and 9)". */
const CHILDREN = lazily(
  `(?<!\\p{L})(?:kids|children|boys|girls|sons|daughters|twins)(?:,|:)? \\(?(?:(\\d{1,2}), )?(\\d{1,2}),? (?:and|&) (\\d{1,2})(?=[),.;!?\\n]|$)`,
  "giu",
);
/** The answer to "how old". */
const HOW_OLD = lazily(
  `(?<!\\p{L})how old [^\\n?.]{2,40}[?.]?\\s?\\n(?:[^\\n:]{1,24}: )?(?:(?:uh|um|er|oh|well|he's|she's|i'm|im|about|only),? ){0,3}(${AGE})(?![\\p{L}\\p{N}:])`,
  "giu",
);
/** "happy 50th", but not "happy 4th of July". */
const BIRTHDAY = /(?<=\bhappy )\d{1,3}(?:st|nd|rd|th)(?=[,!."]|\s(?:birthday|bday|b-day)|$)/giu;
/** A verb of age in other languages and a number of two digits ("tengo 44", "hun fyller 80"), and Italian tens ("vent'anni"). */
const AGE_VERBS = lazily(
  `(?<!\\p{L})(?:tengo|tiene|tenía|tenho|tem|tinha|tinc|cumple|cumplo|compie|fyller|fylder|täyttää|täytti|skończył[ao]?|kończy|mbushi) (?:ya |já |jo |già |ora |agora |snart )?(\\d\\d)(?=\\s?(?:[.,;!?)]|\\n|$)|\\s(?:y|e|i|och|og|på|el|la|no|na|in)\\s)|(?<!\\p{L})((?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)['’]anni)(?! fa(?!\\p{L}))`,
  "giu",
);
/** "I am 68 years and cannot stand". */
const I_AM = lazily(
  `(?<![\\p{L}\\p{N}])i(?: a|['’])m (${AGE} years(?: of age)?)(?= (?:and|now|but)\\b|[.,;!?])`,
  "giu",
);
const OF_AGE = lazily(`(?<![\\p{L}\\p{N}])${AGE} (?:years|yrs|months) of age(?![\\p{L}-])`, "giu");

/** Finds ages in digits and words: "43-year-old", "aged 43", "43 Jahre alt", "43F". */
export const age: Detector = {
  labels: ["AGE"],
  find: (text) => [
    ...matches(text, AFTER, "AGE"),
    ...matches(
      text,
      BEFORE,
      "AGE",
      (word, [whole]) =>
        !/^(?:i am|i'm|she|he|turn)/i.test(whole!) || /\d{2}|-/.test(word) || !/^(?:one|two)$/i.test(word),
      1,
    ),
    ...matches(text, UNSPACED, "AGE"),
    ...matches(text, SEX, "AGE"),
    ...matches(text, SEX_AND_YEARS, "AGE"),
    ...matches(text, OF_AGE, "AGE"),
    ...[I_AM, PERSON_IS, HOW_OLD].flatMap((pattern) => matches(text, pattern, "AGE", undefined, 1)),
    ...matches(text, BIRTHDAY, "AGE"),
    ...[1, 2].flatMap((group) => matches(text, AGE_VERBS, "AGE", undefined, group)),
    ...[1, 2, 3].flatMap((group) => matches(text, CHILDREN, "AGE", undefined, group)),
    ...[1, 2, 3].flatMap((group) => matches(text, PEOPLE, "AGE", undefined, group)),
  ],
};

/** Abbreviations of "years" after a number, as notes in many languages write them. */
const SHORT_YEARS =
  "J\\.?|Jahre|jr\\.?|yrs?|yo|y|a\\.?|aa|anos?|años|anys|ans|l\\.?|lat|let|v\\.?|vuotta|g\\.?|god\\.?|godin[ae]|r\\.?|rok[ůyov]+|th\\.?|thn|tahun|t|tuổi|m\\.|metų|metai|gadi|gadus|é\\.?|éves|ára|år|års|г\\.?|лет|года?|р\\.?|рок(?:ів|и)|saal|ετών|χρ\\.?|yaş(?:ında)?|[MFKWVHN]|歳|岁|歲|세|살|שנים|عام\\p{L}*|سنة|ساله";
/** A number of years after a name: "Mahnoor, 26 yrs", "Silas (34)", "Tosca 68aa". */
const AFTER_NAME = lazily(
  `^(?:,| ?\\(| ?[|/·–-]|)[ ]?(?:(?:age[d]?|wiek|věk|alter|l\\.|now|is|[MF](?= \\d\\d(?:\\s|,))) )?(\\d{1,2}|1[01]\\d)(?:(?:[ -]?(?:${SHORT_YEARS}|months?|mths?|weeks?|wks?)(?! ago| later| notice)(?:,? \\d{1,2} ?(?:m|mo|mths?|months?))?|\\/[MFKWVH])(?![\\p{L}\\p{N}])|(?<= [MF] \\d\\d)(?!\\d)|(?<=[,(](?: |now |is )?\\d{1,3})(?=\\)|[,;](?!\\d)|:\\s|\\.(?:\\s|$)|$| ?[—–] |(?<=, \\d{1,3})\\n))`,
  "u",
);
/** Words for a woman or a man in notes, and a number of years. */
const AFTER_SEX = lazily(
  `(?<!\\p{L})(?:female|male|woman|man|boy|girl|mujer|var[oó]n|hombre|fem|masc|femme|homme|frau|mann|vrouw|man|žena|muž|muškarac|kobieta|mężczyzna|kvinna|kvinne|kvinde|nữ|nam|nő|férfi|femeie|bărbat|жен|муж|kadın|erkek|perempuan|wanita|donna|uomo|mulher|homem)\\.?,?[ ](?:de )?(\\d{1,2}|1[01]\\d)[ ]?(?:${SHORT_YEARS})(?![\\p{L}\\p{N}])`,
  "giu",
);

/** Finds numbers of years right after names, and after words for a woman or a man. `spans` are ordered. */
export function agesOfPeople(text: string, spans: readonly Span[]): Match[] {
  const found = matches(text, AFTER_SEX, "AGE", undefined, 1);
  for (const { label, end } of spans) {
    if (!/^PER(?:SON)?$/.test(label)) continue;
    const match = AFTER_NAME().exec(text.slice(end, end + 24));
    if (!match) continue;
    const start = end + match[0].indexOf(match[1]!);
    found.push({ start, end: end + match[0].trimEnd().length, label: "AGE" });
  }
  return found;
}
