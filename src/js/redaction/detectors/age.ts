import { isEnglish, judgedPart } from "../language.js";
import type { Span } from "../span-types.js";
import { agesOfOtherLanguages, LASTING, MONTHS, numberWithUnit } from "./age-verbs.js";
import { IN_LANGUAGES } from "./languages/languages.js";
import { before, lazily, type Match, matches, stepped } from "./match.js";

const ONES = "one|two|three|four|five|six|seven|eight|nine";
const WORDS = `(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:${ONES}))?|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|${ONES})`;
const AGE = `(?:1[01]\\d|\\d{1,2}(?:[.,]5)?|${WORDS})`;
const YEARS =
  "years?[- ]old|y\\.?/?o\\.?|yrs?\\.?[- ]old|year[- ]old|month[- ]old|months? old|weeks? old|jahre alt|jährig(?:e[nrsm]?)?|ans(?! (?:d|de|que|plus)\\b)|años(?: de edad)?|anni|anos(?: de idade)?|jaar(?: oud)?|[- ]?jarige?|år(?: gammal| gammel|ig)?|-årig[ea]?|-vuotias|lat(?:ek|ka)?|letn[iy]|let[áýé]?|éves|de ani|ani|godin[ae]|yaşında(?:ki|yım)?|лет|года|років|роки|годин[аи]|ετών|χρονών|tahun|tuổi|साल|वर्ष|-?aastane|-?aastaselt|-?годишн\\p{L}{1,3}|ára(?: gam\\p{L}+)?|árs|vjeç(?:e|ar\\p{L}{0,3})?|anys|taong gulang|ساله";
const AFTER = lazily(
  `(?<![\\p{L}\\p{N}/€$£-])(?<!\\d[.,])${AGE}(?:[- ]{0,2})(?:${YEARS})(?![\\p{L}])(?!\\s(?:later|ago|of experience|warranty|garantie|d'expérience|de experiencia|nach|vor|später|temu|sedan|से|पहले|बाद|तक|में|पुरान\\p{M})(?![\\p{L}\\p{M}]))`,
  "giu",
);
/** Words before a span of years that is no age: "depuis 3 ans", "menores de 14 años", "garantie (2 ans". */
const SPAN =
  /(?<!\p{L})(?:depuis|pendant|durant|il y a|dès|tous les|avant|ces|dernières|garan\p{L}+|záruk\p{L}+|hace|durante|últimos|cada|há|(?:menores|mayores|minori|plus|partir|más|mais|più|acum|timp|mindre|mehr) (?:de|di|än|als|z)|seit|über|unter|nach|na|sinds|efter|etter|över|under|alle|przez|przed|po|pred|prije|přes|peste|sub|per|ogni|hasta|até|zhruba|последни\p{L}|гарант\p{L}+|срок службы|через|около|останні) \(?$/iu;
const isSpan = (text: string, start: number, end: number) =>
  SPAN.test(before(text, start, 24)) || LASTING.test(text.slice(end, end + 40));
const BEFORE = lazily(
  `(?<![\\p{L}\\p{N}])(?:aged?(?: of)?|aetat\\.?|im alter von|alter|âgée? de|âge|edad(?: de)?|età(?: di)?|idade(?: de)?|leeftijd|wiek|ålder|alder|ikä|věk|kor|vârst[ăa]|yaş|возраст|umri|umur|usia|vek|uzrast|starost|umar|ηλικία|vanus|vecums|aldur|amžius|سن|גיל|나이|年齢|年龄|umri (?:wa )?miaka|(?:mwenye|amefikisha|ana) miaka|ו?ב[ןת]|turn(?:s|ed|ing)|gilt|i am|i'm|she is|he is|she's|he's|age)[:=\\s"]{1,4}(${AGE})(?![\\p{L}\\p{N}%/]|[.,:-]\\d|\\s?(?:%|km|kg|min|hour|day|week|month|mile|foot|feet|ft|inch|down|of\\b|o'clock))`,
  "giu",
);
/** Years of age in scripts without spaces between words. */
const UNSPACED = /(?<![\d~～])(?:1[01]\d|\d{1,2})[ ]?(?:歳|岁|歲|세|살)(?!以|未| ?(?:미만|이상|이하|부터|까지))/gu;
const SEX = /(?<![\p{L}\p{N}]|\d\.|-|(?<!\p{L})(?:at|to|temp|is at)[ =])\d{1,2} ?(?:[MF]|yo[MF]?|y\/o)(?=[,;)\s.])/gu;

/** Notes: "F/33", "61/M", "37y/F". */
const SEX_AND_YEARS =
  /(?<![\p{L}\p{N}/.-])(?:[MFŽЧЖ]\/\d{1,2}(?![\p{L}\p{N}/.])|[WHKmfwhkžчж]\/\d\d(?=[,;)\n]|$)|\d{1,2}(?:y|yrs?)?\/[MF](?![\p{L}\p{N}/]))/gu;
const TENS = `(?:[2-9]\\d|1[01]\\d|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:${ONES}))?)`;
/** Where a number is not followed by what it counts. */
const ALONE = "(?![\\p{L}\\p{N}%/°]|[.,:-]\\d)(?=\\s?(?:[.,;!?)\\n]|$)|\\s(?:and|but|on|in|next|this|when|so|now)\\b)";
/** "when he was six", "she will be eighty-two on the 27th", "MI at 58". Numbers below 20 need the word "was": they may be hours. */
const PEOPLE = lazily(
  `(?<![\\p{L}\\p{N}])(?:(?:when|since) (?:i|you|s?he|they|we) (?:was|were) (${AGE})|(?:i|you|s?he|grandma|grandpa)(?:['’]ll| will| would have) (?:soon |only )?be (${TENS})|(?:MI|CVA|CABG|TIA|ca|cancer|stroke|died|d\\.|dead|dx|diagnosed|widowed|retired|menopause|birth)(?: \\p{L}{1,12}){0,2} at (?:age )?(${TENS})|(?:stroke|heart attack|cancer|died|passed(?: away)?)[.,]? only (${TENS}))${ALONE}`,
  "giu",
);
/** Words that may follow an age at once in English. */
const GOES_ON = `(?:${ALONE}|(?=\\s(?:today|tomorrow|already|lol|only|with|who|or|too|years|yrs|herself|himself|not|its|it|my|he|she|they|we|i|has|had|lives|live|hope|so|day|came|because|since|as|to be|til|till|now|ur|please|still|bless|got|from|can|cant|can['’]t|doesn['’]?t|a (?:swimming|retired|nurse|teacher))\\b))`;
const RELATIVES =
  "mum|mom|mam|dad|nan|gran|grandma|grandpa|granny|mother|father|sister|brother|son|daughter|wife|husband|partner|baby|boy|girl|child|kid|auntie|uncle|aunt|cousin|niece|nephew|mine|youngest|eldest|oldest|neighbour|neighbor|client|patient|caller";
/** "He's 22 months", "shes 3", "who is four and a half", "he was only twelve", "a child of about five". "One" and "two" alone mostly mean things. */
const PERSON_IS = lazily(
  `(?<![\\p{L}\\p{N}])(?:(?:s?he|who)s|(?:s?he|who|${RELATIVES})(?:['’]s|['’]ll be| is(?: now| turning)?| was| just turned| turns)|i was|you(?:['’]re| are| were)|(?:i['’]?m|ur|im not|you turn|i(?:['’]ll)? turn|i turned|she turns|he turns)|(?:child|kid|lad|lass|boy|girl|male|female|man|woman|baby|toddler)(?: of)?(?= (?:about|around) )) (?:(?:about|around|only|just|now|already|almost|nearly|barely|still|like|what|not|turning) ){0,2}((?!(?:one|two)\\b(?! and a half))(?:${AGE}|a hundred(?: and ${ONES})?)(?: and a half)?(?: (?:months?|weeks?|years|yrs)(?! (?:pregnant|late|ago|older|younger|in|into|of|behind|ahead|away)))?)${GOES_ON}`,
  "giu",
);
/** Ages at an event: ", at 37,", "at eighty-one", "(at 17)", "at twenty-four I was". Words, or digits between commas, because a time or price has none. */
const AT = lazily(
  `(?<![\\p{L}\\p{N}])at ((?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:${ONES}))?|thirteen|fourteen|sixteen|seventeen|eighteen|nineteen|a hundred(?: and ${ONES})?)(?=[.,;!?)]| (?:i|he|she|from|after|with|and|so|by)(?!\\p{L}))|(?<=(?:[,(]|,? and|died|passed) at )[1-9]\\d(?=[,;!)]|\\.(?:\\s|$)| (?:i|he|she)(?!\\p{L}))|(?<=(?:done|bypass|replacement|surgery|retired|widowed|divorced|\\bTB|stroke|attack|did|died|go) at )[1-9]\\d(?=[,;!?.)\\n]|$| (?:lol|but|and|so|ama|after|too)(?!\\p{L})))`,
  "giu",
);
/** "Mahnoor, 26 yrs, MBBS", "(18 months)", "FEMALE, 27 YRS". */
const WITH_UNIT = lazily(
  `(?<=\\p{Lu}[\\p{L}.'’-]*, |\\p{Lu}[\\p{L}.'’-]+ \\(|\\d\\d, |child |baby |mother |sibling \\p{Lu}\\p{Ll}+ )((?:${AGE}) ?(?:yrs?|y|years|mths?|months|mo|wks|weeks)(?: ?\\d{1,2} ?(?:m|mo|mths|months))?)(?=[,;)\\n.]|$| (?:old|of age|and|from|with|[MF](?!\\p{L})))`,
  "gu",
);
/** "4 y 2 m", "3y4m". */
const WITH_MONTHS = /(?<![\p{L}\p{N}.])\d{1,2} ?y(?:rs?)? ?\d{1,2} ?m(?:ths?|o)?(?![\p{L}\p{N}])/gu;
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
/** "happy 50th" and "happy 43 mom", but not "happy 4th of July". */
const BIRTHDAY =
  /(?<=\bhappy )\d{1,3}(?:(?:st|nd|rd|th)?(?=[!"]|\s(?:birthday|bday|b-day|mom|mum|mam|dad|nana?|gran|sis|bro|babe)(?!\p{L}))|(?:st|nd|rd|th)(?=[,.]|$))|(?<=\bhappy (?:birthday|bday)[^\n.\d]{0,40}[!,.] )\d{1,3}(?=!| today)/giu;
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
/** "12 years of age", "20 yrs young", "eighty-something", the second number of "aged 4 and 11", "a girl of five", "a man, around 30", "at 32?". */
const OF_AGE = lazily(
  `(?<![\\p{L}\\p{N}])(?:${AGE} (?:(?:years|yrs|months) of age|(?:years|yrs) young)|${TENS}[- ]something|(?<=aged \\d{1,2}(?:, \\d{1,2})?,? (?:and|&) )\\d{1,2}|(?<=(?:girl|boy|lad|lass|toddler) of )${AGE}|(?<=(?:man|male|lady|guy|bloke),? (?:about|around|roughly) )${TENS}(?! (?:min|m|k|p|per|y|feet|times|s|h)\\w*)|(?<=\\bat )(?:2[5-9]|[3-9]\\d)(?=\\?))(?![\\p{L}\\p{N}-])`,
  "giu",
);

/** Words before a span of months or years of work or of a contract. */
const EXPERIENCE = /experience|warranty|guarantee|teach\w+|works?|worked|volunteer|contract|term|staff|\bat\b/i;

/** Finds ages in digits and words: "43-year-old", "aged 43", "43 Jahre alt", "43F". */
export const age = stepped(
  ["AGE"],
  [
    (text) => matches(text, AFTER, "AGE", (word, { index }) => !isSpan(text, index!, index! + word.length)),
    (text) =>
      matches(
        text,
        BEFORE,
        "AGE",
        (word, [whole]) =>
          !/^(?:i am|i'm|she|he|turn)/i.test(whole!) || /\d{2}|-/.test(word) || !/^(?:one|two)$/i.test(word),
        1,
      ),
    ...IN_LANGUAGES.ages,
    (text) => [UNSPACED, SEX, SEX_AND_YEARS, OF_AGE].flatMap((pattern) => matches(text, pattern, "AGE")),
    (text) =>
      matches(text, PERSON_IS, "AGE", (_, [whole]) => !/^im /i.test(whole) || isEnglish(judgedPart(text)) !== false, 1),
    (text) => [I_AM, HOW_OLD, AT].flatMap((pattern) => matches(text, pattern, "AGE", undefined, 1)),
    (text) => matches(text, WITH_UNIT, "AGE", (_, { index }) => !EXPERIENCE.test(before(text, index!, 60)), 1),
    (text) => [BIRTHDAY, WITH_MONTHS].flatMap((pattern) => matches(text, pattern, "AGE")),
    (text) => [1, 2].flatMap((group) => matches(text, AGE_VERBS, "AGE", undefined, group)),
    (text) => [1, 2, 3].flatMap((group) => matches(text, CHILDREN, "AGE", undefined, group)),
    (text) => [1, 2, 3, 4].flatMap((group) => matches(text, PEOPLE, "AGE", undefined, group)),
    ...agesOfOtherLanguages,
  ],
);

/** Abbreviations of "years" after a number, as notes in many languages write them. */
const SHORT_YEARS =
  "J\\.?|Jahre|jr\\.?|yrs?|yo|y|a\\.?|aa|anos?|años|anys|ans|l\\.?|lat|let|v\\.?|vuotta|g\\.?|god\\.?|godin[ae]|r\\.?|rok[ůyov]+|th\\.?|thn|tahun|t|tuổi|m\\.|metų|metai|gadi|gadus|é\\.?|éves|ára|år|års|г\\.?|лет|года?|р\\.?|рок(?:ів|и)|saal|ετών|χρ\\.?|yaş(?:ında)?|[MFKWVHN]|歳|岁|歲|세|살|שנים|عام[\\p{L}\\p{M}]*|سنة|سنوات|أعوام|ساله";
/** A number of years after a name: "Mahnoor, 26 yrs", "Silas (34)", "Tosca 68aa". */
const AFTER_NAME = lazily(
  `^(?:(?:['’]s| is| turns| turned)(?: now| only| just)?(?= \\d\\d(?:[.,;!?](?!\\d)|\\n|$))|[,،]| ?\\(| ?[|/·–-]|)[ ]?(?:(?:age[d]?|wiek|věk|alter|l\\.|now|is|[MF](?= \\d\\d(?:\\s|,))) )?(\\d{1,2}|1[01]\\d)(?:(?:[ -]?(?:${SHORT_YEARS}|${MONTHS}|months?|mths?|weeks?|wks?)(?! ago| later| notice)(?:,? \\d{1,2} ?(?:m|mo|mths?|months?))?|\\/[MFKWVH])(?![\\p{L}\\p{N}])|(?<= [MF] \\d\\d)(?!\\d)|(?<=(?:[,،(](?: |now |is )?|(?:['’]s|is|turn(?:s|ed)|now|only|just) )\\d{1,3})(?=\\)|[,;](?!\\d)|:\\s|\\.(?:\\s|$)|$| ?[—–] |(?<=, \\d{1,3})\\n))`,
  "u",
);
/** A verb or preposition between a name and its number of years in other languages than English, with an adverb after it. */
const AFTER_VERB =
  /^,? (?:ist|wird|wurde|war|is|wordt|was|er|är|blir|on|saab|ir|yra|má|ma|mal[ao]?|měl[ao]?|miał[ao]?|ima|je|elmúlt|tiene|tem|té|ha|compie|a|are|avea|are deja|împlinește|cumple|fa|faz|está|është|ka|täyttää|täytti|fyller|fylder|skończył[ao]?|kończy|mbush|van|von|de|di) (?:(?:jetzt|schon|erst|nu|al|už|već|već|że|już|tylko|teraz|ya|já|già|déjà|deja|ora|acum|jau|juba|jo|nyt|vasta|nå|først|maar) )?(?=[\p{L}\d])/u;
/** The same in Chinese, whose signs are in their plain forms. */
const AFTER_CHINESE_NAME =
  /^[,( ]{0,2}(?:今年|现年|年)?[ ]?((?:[二三四五六七八九]?十[一二三四五六七八九]?|\d{2})[岁歲]?)(?=[),。;]|[岁歲]|$)/u;
/** Words for a woman or a man in notes, and a number of years. */
const AFTER_SEX = lazily(
  `(?<!\\p{L})(?:female|male|woman|man|boy|girl|mujer|var[oó]n|hombre|fem|masc|femme|homme|frau|mann|vrouw|man|žena|muž|muškarac|kobieta|mężczyzna|kvinna|kvinne|kvinde|nữ|nam|nő|férfi|femeie|bărbat|жен|муж|kadın|erkek|perempuan|wanita|donna|uomo|mulher|homem)\\.?,?[ ](?:de )?((?:\\d{1,2}|1[01]\\d)[ ]?(?:${SHORT_YEARS}))(?![\\p{L}\\p{N}])`,
  "giu",
);

/** Finds a number with a word for years or months after a name and a verb: "Elenka má dva mesiace". */
function afterVerb(text: string, end: number): Match | undefined {
  const verb = AFTER_VERB.exec(text.slice(end, end + 40));
  if (!verb) return undefined;
  const start = end + verb[0].length;
  const number = numberWithUnit(text, start);
  return number === undefined ? undefined : { start, end: number, label: "AGE" };
}

/** Finds numbers of years right after names, and after words for a woman or a man. `spans` are ordered. */
export function agesOfPeople(text: string, spans: readonly Span[]): Match[] {
  const found = matches(text, AFTER_SEX, "AGE", undefined, 1);
  for (const { label, end } of spans) {
    if (!/^PER(?:SON)?$/.test(label)) continue;
    const more = afterVerb(text, end);
    if (more) found.push(more);
    const match = AFTER_NAME().exec(text.slice(end, end + 24)) ?? AFTER_CHINESE_NAME.exec(text.slice(end, end + 24));
    if (!match) continue;
    const start = end + match[0].indexOf(match[1]!);
    found.push({ start, end: end + match[0].trimEnd().length, label: "AGE" });
  }
  return found;
}
