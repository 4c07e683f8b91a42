import { isWord } from "../words.js";
import { lazily, type Match, matches, stepped } from "./match.js";

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

/** Large companies and organisations whose names are no words. */
const KNOWN = lazily(
  `${START}(?:PayPal|Netflix|eBay|Ebay|ebay|Spotify|Google|Microsoft|Facebook|WhatsApp|Instagram|YouTube|LinkedIn|TikTok|Snapchat|Samsung|Nokia|Siemens|Bosch|Volkswagen|Toyota|Honda|Hyundai|BMW|Audi|Renault|Peugeot|Lufthansa|Ryanair|easyJet|Vodafone|Telefónica|Movistar|O2|Tesco|Sainsbury's|Asda|Waitrose|Aldi|Lidl|Rewe|REWE|Edeka|EDEKA|IKEA|Ikea|H&M|Decathlon|Carrefour|Auchan|Mercadona|Walmart|Costco|McDonald's|Starbucks|Nestlé|Unilever|Pfizer|BioNTech|AstraZeneca|Novartis|Deloitte|KPMG|PwC|Accenture|HSBC|Barclays|NatWest|Santander|BBVA|Revolut|Monzo|N26|Klarna|Mastercard|DHL|UPS|FedEx|DPD|Airbnb|Expedia|TripAdvisor|Deliveroo|Zalando|Oxfam|Unicef|UNICEF|Greenpeace|Red Cross|Red Crescent|WWF|BBC|CNN|Reuters|Sony|Philips|Panasonic|Huawei|Xiaomi|Intel|IBM|SAP|Oracle|Adobe|Dropbox|OpenAI|Anthropic|Nvidia|NVIDIA|Tesla|Airbus|Boeing|Michelin|Danone|L'Oréal|Adidas|adidas|Nike|Puma|Heineken|Carlsberg|Coca-Cola|Pepsi|Telekom|Swisscom|Telia|Telenor|Maersk|Allegro|Allianz|AXA|Bupa|Aviva|Generali|Groupon|Etsy|Wise|Western Union|Save the Children|Amnesty International|World Bank)(?:['’]s)?${EDGE}`,
  "gu",
);
/** Companies whose names are words as well: they need a capital within a sentence. */
const WORDLIKE =
  /(?<=\p{Ll},?[ ])(?:Amazon|Apple|Orange|Uber|Boots|Argos|Hermes|Bayer|Visa)(?![\p{L}\p{N}-]|[ ](?:river|rainforest|forest|basin|jungle|pie|juice|tree|Street|Road|Avenue))/gu;

/** Finds organisations by their legal form, by what they are ("Hotel Adriana", "Lund University"), and some large ones by their names. */
export const organization = stepped(
  ["ORGANIZATION"],
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
    (text) => (/[«"“]/.test(text) ? matches(text, QUOTED, "ORGANIZATION") : []),
  ],
);

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
