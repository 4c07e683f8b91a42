// Organisations in English texts that no other detector and no model found: by the words around them and by well-known names.
import type { Tick } from "../../abort.js";
import { isEnglish, judgedPart } from "../language.js";
import type { Range, Span } from "../span-types.js";
import { endingFrom, parts } from "../spans.js";
import { ENGLISH, isWord, plain } from "../words.js";
import { isGivenName } from "./given-name-known.js";
import { lazily, type Match, matches } from "./match.js";
import { isRole } from "./roles.js";
import { isTitle } from "./title.js";

const START = "(?<![\\p{L}\\p{M}\\p{N}@#._/'’-])";
const EDGE = "(?![\\p{L}\\p{M}\\p{N}_@]|['’.-][\\p{L}\\p{N}])";
const WORD = "\\p{Lu}[\\p{L}\\p{M}&]{1,24}(?:['’-]\\p{L}{1,20})?";
const NAME = `${WORD}(?:[ ](?:(?:and|&|of|for)[ ](?:the[ ])?)?${WORD}){0,3}`;
/** What follows a whole name: a sign, the end of the line, or a word before which no noun follows. */
const AFTER =
  '(?=[.,;:!?)\\]"”*]|[ ]?(?:$|\\n|[–—|(])|[ ](?:in|on|at|for|with|and|or|but|to|from|by|as|is|was|has|had|said|says|after|before|until|since|because|when|where|who|which|last|this|next|near|then|again|tonight|tomorrow|today|yesterday|now|instead)(?!\\p{L}))';

/** Shops, restaurants, banks, carriers, offices and employers that a whole country knows and whose names are no words, in any case. */
const KNOWN = lazily(
  `${START}(?:${[
    "publix|kroger|wegmans|walgreens|cvs|rite aid|costco|walmart|kmart|lowe'?s|menards|home depot|best buy|petsmart|petco|trader joe'?s|whole foods|dollar (?:general|tree)|nordstrom|macy'?s|chipotle|popeyes|wendy'?s|denny'?s|applebee'?s|arby'?s|zaxby'?s|chick-fil-a|taco bell|pizza hut|burger king|kfc|ihop|dunkin'?|tim hortons|canadian tire|loblaws",
    "nando'?s|greggs|wetherspoons?|tesco'?s?|asda|lidl|aldi|morrisons|sainsbury'?s|waitrose|ocado|marks (?:and|&) spencer|m&s|primark|superdrug|specsavers|poundland|b&q|screwfix|wickes|dunelm|asos|debenhams|john lewis|halfords|starbucks|mcdonald'?s|domino'?s|papa john'?s|ikea|argos|woolworths|bunnings|jollibee",
    "natwest|barclays|hsbc|lloyds|santander|monzo|tsb|metro bank|wells fargo|bank of america|capital one|citibank|scotiabank|cibc|td bank|westpac|anz|commbank|absa|nedbank|capitec|fnb|standard bank|maybank|posb(?:ank)?|ocbc|hdfc|icici|metrobank|bdo|opay|palmpay|western union|moneygram",
    "bupa|aviva|geico|allstate|state farm|aetna|cigna|humana|medibank|racq|racv|nrma|vodafone|talktalk|virgin media|plusnet|british gas|scottish power|t-?mobile|verizon|comcast|xfinity|at&t|telus|telkom|vodacom|safaricom|airtel|mtn|telstra|optus|singtel|pldt|eskom|meralco",
    "dhl|evri|fedex|usps|royal mail|parcelforce|an post|ryanair|easyjet|british airways|westjet|air canada|(?:american|united) airlines|jetblue|qantas|network rail|amtrak|lyft|deliveroo|doordash|grubhub|instacart|just eat|gojek|shopee|lazada|flipkart|takealot|ebay|etsy|netflix",
    "nhs|dvla|hmrc|dwp|rspca|nspcc|rnli|citizens advice|centrelink|oxfam|unicef|deloitte|kpmg|pwc|accenture|infosys|wipro|capgemini|arup|ibm|balfour beatty|p ?& ?o|p and o|rolls[- ]royce|british (?:steel|telecom|rail)|national grid|blackberry|radio (?:one|two|three|four|five)|channel (?:four|five)",
    "pret|wilko|currys|tk ?maxx|hertz|premier inn|travelodge|holiday inn|marriott|five guys|olive garden|waffle house|piggly wiggly|winn-dixie|meijer|stop (?:&|and) shop|autozone|circle k|7-?eleven|wawa|kum (?:&|and) go|cumberland farms|jet2|national express|arriva|translink|scotrail|eurostar|gtbank|(?:access|zenith|axis|equity) bank|ecobank|kcb|ucl|lse|nyu|lsu|unisa|daily (?:mail|telegraph|mirror)|(?:new york|financial) times|washington post",
  ].join("|")})(?:['’]s)?${EDGE}`,
  "giu",
);

/** First words that name no organisation after "the" or a preposition: parties, offices, groups, texts, programs, times, subjects. */
const GENERAL = new Set(
  [
    "board chair will court high supreme company agreement bank tenant landlord seller buyer client customer contractor employer employee party parties applicant defendant claimant judge crown government state president vice prime king queen prince pope church lord god gospel bible quran internet web cloud earth moon sun sea trust school university college department ministry office committee council association society union commission secretary treasurer principal registrar dean vicar bishop doctor nurse captain sergeant major chief mayor senate house congress parliament cabinet treasury",
    "act bill section article schedule clause part chapter appendix annex table figure policy terms conditions services service site website product products software program programme app apps settings menu home start file edit view insert tools help save cancel submit delete login account profile dashboard control task power device bluetooth wifi android iphone windows mac linux java python editor admissions housing branch tour tower bridge",
    "first second third fourth final last next new old north south east west middle great big open masters cup league world olympics olympic games conference summit war holocaust renaissance christmas easter ramadan diwali noon midnight night best least level stage grade year page line step room unit number human sales support accounts claims reception security",
    "catholic methodist muslim christian jewish buddhist protestant greek roman indian photo student user member national social tax passport card credit debit savings current checking joint business premium personal gift online mobile email google apple visa dear mum mom dad nan gran grandma grandpa auntie uncle mother sister baby rx",
  ]
    .join(" ")
    .split(" "),
);
/** Endings of words for people by what they do or where they come from. */
const PEOPLE = /(?:[^aeiou]ers?|ors|ists?|ians?|cans|ish|ese)$/u;

/** Returns whether words with a capital can be an organisation. `isDefinite` says that "the" stands before. */
function isName(name: string, isDefinite: boolean): boolean {
  const words = name.split(" ");
  const first = words[0]!;
  if (!/\p{Ll}/u.test(name) && !name.includes("&")) return false;
  if (GENERAL.has(first.toLowerCase()) || isWord(first) || ENGLISH.has(plain(first)) || isTitle(first)) return false;
  if (isRole(first) || (!isDefinite && isGivenName(first.toLowerCase().replace(/['’]s$/, "")))) return false;
  return words.length > 1 || !isDefinite || !PEOPLE.test(first);
}

/** A word before an account, card or bill with the name of who keeps it. */
const OWNER = "(?:[Yy]our|ur|[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[Oo]ur|to|from|with|via|the|an?)";
const KIND =
  "[Ee]mployer|[Bb]ank|[Ii]nsurer|[Ii]nsurance|[Pp]rovider|[Cc]arrier|[Ss]upplier|[Ll]andlord|[Ss]chool|[Uu]niversity|[Cc]ollege|[Gg]ym|[Pp]harmacy|[Hh]ospital|[Hh]otel|[Aa]irline|[Vv]et|[Ss]urgery|[Ff]irm|[Cc]ompany|[Aa]gency|[Cc]harity|[Ll]ender|[Cc]lub|[Tt]eam|[Pp]ub|[Cc]ontractor|[Bb]and|[Oo]utfit|ISP";
const OFFICER =
  "Editor|Manager|Principal|Registrar|Secretary|Superintendent|Headmaster|Headmistress|Headteacher|Director|Proprietor|Chairman|Postmaster|Commissioner";
const JOB =
  "Intern|Barista|Cashier|Server|Waiter|Waitress|Nurse|Chef|Cook|Analyst|Engineer|Developer|Manager|Assistant|Apprentice|Driver|Teacher|Tutor|Clerk|Supervisor|Director|Technician|Mechanic|Programs?|Associate|Trainee|Receptionist|Consultant|Porter|Cleaner|Carer|Fitter|Welder|Boards?";

/** Words around a name, with the name as the only group, and whether "the" is among them. */
const AROUND = (
  [
    [
      `(?<=(?<!\\p{L})(?:at|in|from|to|into|for|of|by|near|outside|behind|opposite|above|past) [Tt]he )(${NAME})${AFTER}`,
      true,
    ],
    [`(?<=(?<!\\p{L})[Tt]he )(${NAME})(?= (?:said|called|rang|phoned|reported|printed|published|ran)\\s)`, true],
    [`(?<=\\p{Ll}[,;]?[ ]at[ ])((?:The )?${NAME})${AFTER}`],
    [`(?<=\\p{Ll} in )(The ${NAME})`],
    [
      `(?<=(?<!\\p{L})${OWNER}[ ])(${NAME})(?=[ ](?:acct|account|a/c|acc|card|app|ID|branch|staff|mortgage|loan|Visa|debit|invoice|bill|policy|statement|router|broadband|membership|helpline|plan|letter|library)(?!\\p{L}))`,
    ],
    [`(?<=(?<!\\p{L})(?:(?:${KIND})[ ](?:is|was|called|named)|[Ii]nsurance)[ ])(${NAME})${EDGE}`],
    [
      `(?<=(?<!\\p{L})(?:at|from|to|above|behind|near|by|opposite|outside|into|past)[ ])((?:(?:Dr|St|Mr|Mrs)\\.? )?${WORD}(?:[ ]${WORD}){0,2}(?<=['’]s))${AFTER}`,
    ],
    [`(?<=(?:^|\\n)(?:To )?(?:The )?(?:\\p{Lu}\\p{L}{1,20} )?(?:${OFFICER}),?\\n)((?:The )?${NAME})(?=,|\\n)`],
    [`(?<=(?:^|\\n)(?:[-·•*] )?(?:\\p{Lu}\\p{L}{1,20} )?(?:${JOB})(?:[,:]| [—–@]) )(${NAME})(?=,| \\(| {2}|\\n)`],
    [`(?<=^[^\\n–—-]{3,40} [–—-] )(${NAME})(?=, \\p{Lu}|\\n)`],
    [`(?<=(?:^|\\n)(?:[-·•*] )?)(${NAME})(?=(?:, ${NAME})? [–—-] \\p{Ll}[^\\n]{1,50}(?:19|20)\\d\\d)`],
  ] as [source: string, isDefinite?: boolean][]
).map(([source, isDefinite = false]) => [lazily(source, "gu"), isDefinite] as const);
/** A line after the name under a letter. */
const UNDER_NAME = lazily(
  `(?<=(?:[Rr]egards|[Tt]hanks|[Ww]ishes|[Ff]aithfully|[Ss]incerely|[Tt]ruly|[Cc]heers|Best|Yours),?\\n{1,2}\\p{Lu}[\\p{L} .'’-]{2,30}(?: \\([^)\\n]{2,12}\\))?\\n)(?:${NAME}|[A-Z]{3,6})(?=\\n|$| [|·]|, \\p{Lu})`,
  "gu",
);
/** Lines that are a job, a degree or a part of a firm. */
const NO_FIRM =
  /(?:er|or|ist|ant|ent|ive|ian|man|ing|ary|chef|clerk|head|lead|desk|team|claims|relations|services|office|department|support|partner|associate|accounts|payable|receivable|director|intern|MBA|PhD|MBE|OBE|FRCS|MRCP|FRCP|BVSc|BSc|MRICS|MRCVS|LLB|CPA)$/iu;
/** Organisations with what they are that other lists leave out. */
const NAMED = lazily(
  `${START}(?:(?:Department|Dept\\.?|Bureau|Office|Court|Chamber|Directorate)[ ]of[ ](?:the[ ])?${NAME}|HMP ${WORD}(?: ${WORD})?|${WORD}['’]s Office|(?:${WORD}[ ]){1,3}(?:Assn|Assoc|Lifesaving|Ombudsman|Ballroom|Infantry|Regiment|House)(?!\\p{L})\\.?)`,
  "gu",
);
/** The name of a bank before an account in a text without capitals: "to ur access acct". */
const ACCOUNT = lazily("(?<=(?<!\\p{L})(?:ur|your|my) )\\p{Ll}{3,15}(?= acc?t(?!\\p{L}))", "gu");

/** Finds organisations in a part of an English text. */
function organizations(text: string): Match[] {
  const found = matches(text, KNOWN, "ORGANIZATION");
  if (/\p{Lu}/u.test(text)) {
    const isFirm = (name: string) => !NO_FIRM.test(name) && !GENERAL.has(name.split(" ")[0]!.toLowerCase());
    found.push(...matches(text, UNDER_NAME, "ORGANIZATION", isFirm));
    for (const [pattern, isDefinite] of AROUND)
      found.push(
        ...matches(text, pattern, "ORGANIZATION", (name) => {
          const bare = name.replace(/^(?:The|Dr|St|Mrs?)\.? /, "");
          return bare !== name ? isName(bare, true) : isName(name, isDefinite);
        }),
      );
    found.push(
      ...matches(
        text,
        NAMED,
        "ORGANIZATION",
        (name) => !/^(?:Open|Full|Opera|Safe|Public|Town|Guest)\s/.test(name),
      ).map((match) => withoutFunctionWords(text, match)),
    );
  }
  return [...found, ...matches(text, ACCOUNT, "ORGANIZATION", (word) => !GENERAL.has(word) && !ENGLISH.has(word))];
}

/** Returns a match without the function words at its start. */
function withoutFunctionWords(text: string, match: Match): Match {
  const first = /^\p{L}+ /u.exec(text.slice(match.start, match.end))?.[0] ?? "";
  return first && ENGLISH.has(plain(first.trim())) ? { ...match, start: match.start + first.length } : match;
}

/** Returns whether a match is free, or all found in it is a part of it. */
function isNew({ start, end }: Range, taken: readonly Range[]): boolean {
  for (let from = start; ; ) {
    const span = endingFrom(taken, from + 1);
    if (!span || span.start >= end) return true;
    if (span.start < start || span.end > end || (span.start === start && span.end === end)) return false;
    from = span.end;
  }
}

/** What belongs to the name of a place or organisation after it: the word before it, and what it is. */
const PREFIX =
  /(?<![\p{L}'’-])(?:[Nn]ew|[Ee]ast|[Ww]est|[Nn]orth|[Ss]outh|[Ss]t\.?|[Ss]aint|[Ss]an|[Ss]anta|[Ll]os|[Ll]as|[Pp]ort|[Ff]ort|[Mm]ount|[Ll]ake|[Uu]pper|[Ll]ower|[Rr]oyal|HMP) $/u;
const SUFFIX =
  /^ (?:hospital|infirmary|general|primary|academy|high|council|ambulance|dental|echo|gazette|herald|chronicle|packet|courier|mercury|argus|advertiser|observer|services|surgery|clinic|pharmacy|motors|roofing|taxis|hardware|row)(?!\p{L})/u;
/** The genitive without a noun, as the name of a shop or house: "above Rinaldi's". */
const GENITIVE = /^['’]s(?=[.,;:!?)<"]|\s*$|\n| (?:in|on|at|for|and|till|until|with|to|by|is|was|the) )/u;
const AT = /(?<!\p{L})(?:at|from|above|behind|near|outside|opposite|past|to) $/u;

/** Returns a place or organisation with what belongs to it before and after it. */
function withAffixes(text: string, { label, start, end }: Span): Match[] {
  if (!/^(?:LOCATION|ORGANIZATION|PERSON)$/.test(label)) return [];
  const before = text.slice(Math.max(0, start - 12), start);
  const after = text.slice(end, end + 14);
  const isName = label !== "PERSON";
  const isLower = isName && /^\p{Ll}/u.test(text.slice(start, end));
  const from = start - ((isName && PREFIX.exec(before)?.[0].length) || 0);
  const to =
    end +
    (((isName || AT.test(before)) && GENITIVE.exec(after)?.[0].length) ||
      (isLower && SUFFIX.exec(after)?.[0].length) ||
      0);
  return from < start || to > end ? [{ start: from, end: to, label, score: 0.8 }] : [];
}

/** How many spans to read before yielding to the event loop. */
const SLICE = 500;

/** Finds organisations in an English text that has the spans `taken`. */
export async function englishOrganizations(text: string, taken: readonly Span[], tick: Tick): Promise<Match[]> {
  if (isEnglish(judgedPart(text)) === false) return [];
  const found: Match[] = [];
  for (const [n, span] of taken.entries()) {
    if (n % SLICE === 0) await tick();
    found.push(...withAffixes(text, span).filter((match) => isNew(match, taken)));
  }
  for (const part of parts(text)) {
    await tick();
    for (const match of organizations(text.slice(part.start, part.end))) {
      const [start, end] = [match.start + part.start, match.end + part.start];
      if (start >= part.from && start < part.to && isNew({ start, end }, taken)) found.push({ ...match, start, end });
    }
  }
  return found;
}
