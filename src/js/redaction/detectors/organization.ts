import { isEnglish, judgedPart } from "../language.js";
import { isSpeech, isWord } from "../words.js";
import { IN_LANGUAGES } from "./languages/languages.js";
import { lazily, type Match, matches, stepped } from "./match.js";
import { employers, kindsFirst, kindsLast } from "./organization-kinds.js";

const EDGE = "(?![\\p{L}\\p{M}\\p{N}]|-[\\p{L}\\p{N}])";
const START = "(?<![\\p{L}\\p{M}\\p{N}@._/-])";
/** A word of a name, and what may stand between two of them. */
const WORD = "\\p{Lu}[\\p{L}\\p{M}\\p{N}'’&-]{1,30}";
const LINK = "[ ](?:(?:&|\\+|and|und|et|y|e|i|och|og|de|du|des|del|della|di|da|la|le|van|von|der|den)[ ]){0,2}";
const WORDS = `${WORD}(?:${LINK}${WORD}){0,4}`;

/** The end of a name of partners. */
const KIN =
  "(?:&|and|und|et|y|e|och|og|en) (?:Sons?|Söhne|Fils|Hijos|Figli|Filhos|Zonen|Partners?|Associates|Associés|Daughters|Brothers|Co\\.)";
/** Legal forms of companies and associations. */
const LEGAL = [
  "GmbH(?: & Co\\.? KG(?:aA)?)?|mbH|AG|KGaA|KG|OHG|UG|e\\. ?V\\.|eG|Ltd\\.?|Limited|LLC|LLP|Inc\\.?|Incorporated|Corp\\.?|Corporation|PLC|plc",
  "SARL|SASU?|EURL|S\\.A\\.(?: de C\\.V\\.)?|SA|S\\.L\\.(?:U\\.)?|SL|S\\.?r\\.?l\\.?|S\\.R\\.L\\.|S\\.?p\\.?A\\.?|B\\.?V\\.?|N\\.?V\\.?|VOF|AB|ASA?|A/S|ApS",
  "Oyj?|Sp\\. ?z ?o\\.? ?o\\.?|s\\.? ?r\\.? ?o\\.?|a\\.s\\.|Kft\\.?|Zrt\\.?|Nyrt\\.?|d\\.o\\.o\\.|Lda\\.?|Ltda\\.?|OÜ|UAB|SIA|A\\.Ş\\.|Pty\\.? Ltd\\.?|Pvt\\.? Ltd\\.?",
  "& Co\\.?(?: KG)?",
  KIN,
].join("|");
const WITH_FORM = lazily(`${START}${WORDS},?[ ](?:${LEGAL})${EDGE}`, "gu");
/** "Abernathy, Cole and Sons": commas only before "and". */
const LISTED = lazily(`${START}${WORD}(?:,[ ]${WORD}){1,3},?[ ](?:${KIN})${EDGE}`, "gu");
const QUOTED = lazily(`(?<![\\p{L}])(?:ООО|ОАО|ЗАО|ПАО|АО|ИП|ТОВ|ПП)[ ]?[«"“][^»"”\\n]{2,60}[»"”]`, "gu");

/** What a name of an organisation ends with. */
const KIND = [
  "Hotel|Inn|Hostel|Bank|Hospital|Clinic|Surgery|University|College|School|Academy|Nursery|Church|Museum|Gallery|Theatre|Theater|Library|Brewery",
  "Bakery|Pharmacy|Insurance|Airlines|Airways|Foundation|Trust|Society|Association|Council|Institute|Motors|Systems|Industries|Logistics|Solutions",
  "Technologies|Consulting|Holdings|Group|Bros|Dairy|Shipping|Freight|Foods|Telecom|Publishing|Gazette|Herald|Football Club|Rugby Club|FC|Café|Cafe|Restaurant|Bistro",
].join("|");
const ENDING = lazily(`${START}${WORD}(?:[ ](?:(?:and|&)[ ])?${WORD}){0,3}[ ](?:${KIND})${EDGE}`, "gu");
/** Words before a kind that name nothing: "the Primary School". */
const GENERAL =
  /^(?:the|a|an|this|that|my|our|your|his|her|their|every|each|no|any|some|primary|secondary|high|public|private|local|national|central|general|first|second|new|old|good|grand|regional|state|city|in|at|from|to|for|of|on|with|by|when|if|and|or|but|dear|visit|see|near|before|after|until|since|is|was|are|contact|call|ask|email|write|tell|pay|join|buy|mr|mrs|ms|dr|prof|herr|frau)$/i;

/** What a name of an organisation begins with. */
const BEFORE = [
  "Hotel|Hôtel|Restaurant|Trattoria|Ristorante|Osteria|Pizzeria|Café|Gasthaus|Gasthof|Klinikum|Krankenhaus|Universität|Hochschule|Sparkasse|Stadtwerke|Volksbank",
  "Université|Lycée|Hôpital|Clinique|Banque|Boulangerie|Pharmacie|Universidad|Colegio|Instituto|Clínica|Banco|Panadería|Talleres|Farmacia|Università|Liceo",
  "Ospedale|Banca|Universidade|Escola|Universiteit|Ziekenhuis|University|College|Bank|Church|Ministry|Institute|Association|Society",
].join("|");
const HEAD = lazily(
  `${START}(?:${BEFORE})[ ](?:(?:of|the|de|du|des|del|della|di|da|do|la|le|los|las|zum|zur|am|im|der|van|St\\.|Saint|San|Santa)[ ]){0,2}${WORD}(?:[ ]${WORD}){0,3}`,
  "gu",
);
/** Kinds that need "of" or the like before the rest of the name: "the Bank Holiday". */
const NEEDS_OF =
  /^(?:University|College|Bank|Church|Ministry|Institute|Association|Society)[ ](?!(?:of|de|di|da|do|del|della|du)[ ])/;

/** Kinds of organisations before a name, in the cases of other languages. */
const KIND_FIRST = [
  "[Cc]liniques?|[Cc]línica|[Hh]ospitals?|[Hh]ôpital|[Oo]spedale|[Ss]pitalul?|[Ss]zpital\\p{L}{0,2}|[Nn]emocnic\\p{L}{1,2}|[Bb]olnic\\p{L}{1,2}|[Kk]linik\\p{L}{0,2}|[Pp]oliklinik\\p{L}{0,2}|[Pp]rzychodni\\p{L}{0,2}|[Aa]ptek\\p{L}{0,2}|[Ll][eé]k[aá]r[en]\\p{L}{1,2}|[Cc]entre médical|[Cc]entro (?:médico|medico|de salud)|[Bb]ệnh viện",
  "[Gg]imnazj\\p{L}{1,3}|[Gg]ymnázi\\p{L}{1,2}|[Gg]imnazij\\p{L}{1,2}|[Ll]iceum|[Ll]iceul|[Ll]ycée|[Cc]ollège|[ÉéEe]cole|[Ee]scola|[Ee]scuela|[Ii]nstitut[oe]?|[Ss]cuola|[Ss]zko[łl]\\p{L}{1,2}|(?:[Zz]ákladní |[Ss]řední )?[Šš]kol\\p{L}{1,2}|[Uu]niverzit\\p{L}{1,3}|[Uu]niwersytet\\p{L}{0,3}|[Uu]niversitatea|[Uu]niversitat|[Ff]acultatea|[Ff]akultet\\p{L}{0,2}",
  "[Bb]ank[aui]?|[Bb]anc[aă]|[Bb]anque|[Cc]aja|[Cc]aixa|[Ss]pořitelna|[Zz]avarovalnic\\p{L}{1,2}|[Oo]siguranje|[Ff]ondazione|[Ff]undacj\\p{L}{1,2}|[Ff]undación|[Aa]sociación|[Aa]ssociação|[Aa]ssociazione|[Ss]towarzyszenie|[Uu]druga|[Hh]ôtel|[Pp]ensiunea|[Rr]estauracj\\p{L}{1,2}|[Kk]avárn\\p{L}{1,2}|[Ww]arung|[Tt]oko",
  "[Oo]leificio|[Pp]astificio|[Pp]anificio|[Ll]ibreria|[Ll]ibrairie|[Gg]arage|[Ff]erreter[ií]a|[Mm]uebles|[Cc]onservas|[Zz]akład\\p{L}{0,2}(?: \\p{Lu}\\p{L}+)?|[Hh]urtowni\\p{L}{0,2}|[Kk]vetinárstvo|[Aa]juntament|[Aa]yuntamiento|[Cc]omune|[Mm]airie|[Oo]pćin\\p{L}{1,3}(?: ured)?|[Gg]emeinde(?:kanzlei|amt|verwaltung)|[Ll]andratsamt|[Ss]tadtverwaltung|UAB|SIA|OÜ|A\\.S\\.D\\.",
  "[Зз]авод\\p{L}{0,2}(?: за \\p{L}+)?|[Хх]отел|[Гг]отель|[Гг]остиниц\\p{L}{1,2}|[Бб]ольниц\\p{L}{1,2}|[Бб]олниц\\p{L}{1,2}|[Лл]ікарн\\p{L}{1,2}|[Шш]кол\\p{L}{1,2}|[Гг]имназ\\p{L}{1,3}|[Бб]анк\\p{L}{0,2}|[Кк]лін?ик\\p{L}{1,2}|[Кк]линик\\p{L}{1,2}|[Уу]н[иі]верситет\\p{L}{0,2}|[Кк]олл?едж\\p{L}{0,2}|ФОП|КП|ЕООД|ООД|ДОО",
].join("|");
const AFTER_KIND =
  "[ ](?:(?:de|de la|de l['’]|de los|de las|del|della|dell['’]|delle|do|da|dos|des|du|d['’]|za|pod|u|w|v|sv\\.|św\\.|[Ss]f\\.|of|im\\.) ?)?";
const NAMED_AFTER = lazily(
  `${START}(?:${KIND_FIRST})${AFTER_KIND}(?:[«"“„][^»"”“„\\n]{2,50}[»"”“]|${WORD}(?:[ ](?:(?:de|de la|des|della|do|da|i|y|e|et) )?${WORD}){0,3})`,
  "gu",
);
/** The same in speech without capitals: a kind and a word. */
const SPOKEN_AFTER = lazily(
  `(?<![\\p{L}\\p{M}])(?:${KIND_FIRST})${AFTER_KIND}(?:(?:el|la|le|les|los|las|deux|trois|dos|tres|due|tre|nad|pod|bu|pak) )?\\p{Ll}[\\p{L}\\p{M}'’-]{3,20}(?![\\p{L}\\p{M}])`,
  "gu",
);
/** Kinds of organisations after a name, in the cases of other languages, and legal forms of more countries. */
const KIND_LAST =
  "videregående skole|folkehøgskole|borettslag|[Bb]orettslag|sykehus|sjukhus|sygehus|skole|skola|koulu|lukio|yliopisto|sairaala|terveysasema\\p{L}{0,3}|gimnázium|[Gg]imnázium|iskola|[Ii]skola|[Kk]órház|kliniğ?i\\p{L}{0,4}|[Kk]lini[kğ]i\\p{L}{0,3}|[Hh]astanesi\\p{L}{0,3}|[Üü]niversitesi|[Ll]isesi|[Bb]ankası|[Kk]ahvesi|progimnazij\\p{L}{1,2}|gimnazij\\p{L}{1,2}|mokykl\\p{L}{1,2}|ligonin\\p{L}{1,2}|univerzit\\p{L}{1,3}|spo[rř]iteľ?[lľ]?n\\p{L}{1,2}|nemocnic\\p{L}{1,2}|školk?\\p{L}{1,2}|банк|турс|(?:медичн\\p{L}{2,3} )?коледж\\p{L}{0,2}|колледж\\p{L}{0,2}|(?:міськ\\p{L}{1,2} )?лікарн\\p{L}{1,2}|больниц\\p{L}{1,2}|болниц\\p{L}{1,2}|школ\\p{L}{1,2}|гимназ\\p{L}{1,3}|[Bb]ürotechnik|Haustechnik|Elektrotechnik|[Ss]nc|s\\.n\\.c\\.|[Ss]as|Bt\\.?|ΑΕ|ΕΠΕ|ООД|ЕООД|АД|ДОО|Credit Union|Nursing Home|Movers|Telecoms|Sixth Form|Medicos|Stores|Traders|Enterprises|Bank|Savings|Clinic";
const NAMED_BEFORE = lazily(
  `${START}(?:[«"“„][^»"”“„\\n]{2,40}[»"”“]|${WORD}(?:[ ](?:(?:&|and|og|och|ja|y|e|i|и|und) )?${WORD}){0,3}),?[ ](?:${KIND_LAST})${EDGE}`,
  "gu",
);

/** Large companies and organisations whose names are no words. */
const KNOWN = lazily(
  `${START}(?:PayPal|Netflix|eBay|Ebay|ebay|Spotify|Google|Microsoft|(?:Facebook|WhatsApp|Instagram)(?! ?[:@+(]| \\d)|YouTube|LinkedIn|TikTok|Snapchat|Samsung|Nokia|Siemens|Bosch|Volkswagen|Toyota|Honda|Hyundai|BMW|Audi|Renault|Peugeot|Lufthansa|Ryanair|easyJet|Vodafone|Telefónica|Movistar|O2(?!,? ?(?:\\d|la ))|Tesco|Sainsbury's|Asda|Waitrose|Aldi|Lidl|Rewe|REWE|Edeka|EDEKA|IKEA|Ikea|H&M|Decathlon|Carrefour|Auchan|Mercadona|Walmart|Costco|McDonald's|Starbucks|Nestlé|Unilever|Pfizer|BioNTech|AstraZeneca|Novartis|Deloitte|KPMG|PwC|Accenture|HSBC|Barclays|NatWest|Santander|BBVA|Revolut|Monzo|N26|Klarna|Mastercard|DHL|UPS|FedEx|DPD|Airbnb|Expedia|TripAdvisor|Deliveroo|Zalando|Oxfam|Unicef|UNICEF|Greenpeace|Red Cross|Red Crescent|WWF|BBC|CNN|Reuters|Sony|Philips|Panasonic|Huawei|Xiaomi|Intel|IBM|SAP|Oracle|Adobe|Dropbox|OpenAI|Anthropic|Nvidia|NVIDIA|Tesla|Airbus|Boeing|Michelin|Danone|L'Oréal|Adidas|adidas|Nike|Puma|Heineken|Carlsberg|Coca-Cola|Pepsi|Telekom|Swisscom|Telia|Telenor|Maersk|Allegro|Allianz|AXA|Bupa|Aviva|Generali|Groupon|Etsy|Wise|Western Union|Save the Children|Amnesty International|World Bank)(?:['’]s)?${EDGE}`,
  "gu",
);
/** Companies whose names are words as well: they need a capital within a sentence. */
const WORDLIKE =
  /(?<=\p{Ll},?[ ])(?:Amazon|Apple|Orange|Uber|Boots|Argos|Hermes|Bayer|Visa)(?![\p{L}\p{N}-]|[ ](?:river|rainforest|forest|basin|jungle|pie|juice|tree|Street|Road|Avenue))/gu;

/** Finds organisations by their legal form, by what they are ("Hotel Adriana", "Lund University"), and some large ones by their names. */
export const organization = stepped(
  ["ORGANIZATION", "LOCATION"],
  [
    latin((text) =>
      [...matches(text, WITH_FORM, "ORGANIZATION", isLegal), ...matches(text, LISTED, "ORGANIZATION")].map((match) =>
        shortened(text, match),
      ),
    ),
    latin((text) => matches(text, ENDING, "ORGANIZATION").flatMap((match) => named(text, match))),
    latin((text) => matches(text, HEAD, "ORGANIZATION", (word) => !NEEDS_OF.test(word))),
    latin((text) => [
      ...matches(text, KNOWN, "ORGANIZATION").map((match) => withoutPossessive(text, match)),
      ...matches(text, WORDLIKE, "ORGANIZATION"),
    ]),
    (text) => matches(text, NAMED_AFTER, "ORGANIZATION", isNamed),
    (text) =>
      isSpeech(text) && isEnglish(judgedPart(text)) === false
        ? matches(text, SPOKEN_AFTER, "ORGANIZATION", isSpokenName)
        : [],
    (text) => matches(text, NAMED_BEFORE, "ORGANIZATION").flatMap((match) => named(text, match)),
    ...IN_LANGUAGES.organizations,
    (text) => (/[«"“]/.test(text) ? matches(text, QUOTED, "ORGANIZATION") : []),
    ...kindsFirst,
    ...kindsLast,
    employers,
  ],
);

/** Returns whether a kind and a name are in one sentence: "der Bank Frau". */
const isNamed = (word: string) => !TITLE_LAST.test(word) && !NEEDS_OF.test(word);
const TITLE_LAST = /\s(?:Frau|Herrn?|Mme|Mr|Mrs|Ms|Dr|Sr|Sra|Sig|Pan[i]?|Paní)$/u;

/** Returns whether a kind in speech is followed by no function word. */
const isSpokenName = (word: string) => {
  const last = word.slice(word.lastIndexOf(" ") + 1);
  return !isWord(last) && !/(?:[аиіу]л[аиі]|[аиіу]т[иь])$/u.test(last);
};

/** Returns a step that reads only texts with a Latin capital. */
function latin(find: (text: string) => Match[]): (text: string) => Match[] {
  return (text) => (/[A-Z]/.test(text) ? find(text) : []);
}

/** In capitals alone "AS" and "SA" are words. */
const isLegal = (word: string) => /\p{Ll}/u.test(word.replace(/[ ,]+\S+$/u, "")) || /GmbH|Ltd|LLC|Inc|Corp/.test(word);

/** A name without the function words before it. */
function shortened(text: string, match: Match): Match {
  let { start } = match;
  for (;;) {
    const [whole, first] = /^(\p{L}+)[.,]?[ ]+/u.exec(text.slice(start, match.end)) ?? [];
    if (!whole || !(GENERAL.test(first!) || isWord(first!)) || match.end - start - whole.length < 5) break;
    start += whole.length;
  }
  // the dot of "Inc." may end the sentence
  const isLast = text[match.end - 1] === "." && !/^,? \p{Ll}/u.test(text.slice(match.end, match.end + 3));
  return { ...match, start, end: isLast ? match.end - 1 : match.end };
}

/** A name with a kind, if a word before the kind names something. */
function named(text: string, match: Match): Match[] {
  const short = shortened(text, match);
  const words = text.slice(short.start, short.end).split(" ");
  return words.length > 1 && words.slice(0, -1).some((word) => !GENERAL.test(word)) ? [short] : [];
}

function withoutPossessive(text: string, match: Match): Match {
  const word = text.slice(match.start, match.end);
  return /['’]s$/.test(word) && !/^(?:Sainsbury|McDonald)/.test(word) ? { ...match, end: match.end - 2 } : match;
}
