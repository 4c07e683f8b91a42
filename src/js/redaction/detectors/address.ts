import { IN_LANGUAGES } from "./languages/languages.js";
import { continued, type Lazy, lazily, type Match, matches, stepped } from "./match.js";

const WORD = "\\p{Lu}[\\p{L}\\p{M}'.-]{0,24}";
const NAME = `${WORD}(?: (?:de |la |le |du |des |del |di |der |den |van |von |of |the |y |e |da |do |dos )?${WORD}){0,3}`;
const NUMBER = "\\d{1,5}(?: ?[a-zA-Z](?![\\p{L}]))?(?:[-/]\\d{1,4}[a-zA-Z]?)?";
const END = "(?![\\p{L}])";
const UNIT = `(?:,? (?:Flat|Apt\\.?|Apartment|Unit|Suite|Ste\\.?|Floor|Room|#) ?[\\w-]{1,6})?`;
const STREET =
  "Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Close|Court|Ct|Place|Pl|Square|Sq|Terrace|Crescent|Way|Boulevard|Blvd|Gardens|Grove|Hill|Mews|Parade|Parkway|Pkwy|Highway|Hwy|Row|Walk|Rise|View|Circle|Cir|Trail|Alley|Esplanade|Quay|Wharf";
/** Postcode and town after a street. */
const TOWN = lazily(
  `(?:,|,? -)? (?:(?:[A-Z]{1,2}-)?\\d{4,6}(?:[- ][A-Z]{2}|-\\d{3})? ${NAME}|${NAME},? [A-Z]{2} \\d{5}(?:-\\d{4})?|(?:${NAME},? )?[A-Z]{1,2}\\d[A-Z\\d]? \\d[A-Z]{2}|\\d{3} ?\\d{2} ${NAME}|${NAME},? [A-Z]\\d[A-Z] \\d[A-Z]\\d|\\d{4} ?[A-Z]{2} ${NAME})`,
  "uy",
);

/** Returns an expression that does not begin within a word. */
const unconnected = (form: string) => lazily(`(?<![\\p{L}\\p{N}])${form}`, "gu");

/** Streets with a number, which a town may follow. */
const STREETS = [
  // English: number, name, kind
  `(?:(?:Flat|Apt\\.?|Apartment|Unit|Suite) ?\\w{1,5},? )?${NUMBER},? ${NAME} (?:${STREET})${END}\\.?${UNIT}`,
  // German, Dutch, Scandinavian: name with kind, number
  `\\p{Lu}[\\p{L}-]{2,30}(?:straße|strasse|str\\.|gasse|weg|allee|platz|ring|damm|ufer|straat|laan|plein|kade|gracht|dreef|singel|gatan|vägen|gata|veien|vegen|gaten|gade|vej|allé|katu|tie|kuja)${END} ${NUMBER}${UNIT}`,
  `${NAME} (?:Straße|Strasse|Str\\.|Gasse|Weg|Allee|Platz|Ring|Damm|Straat|Laan|Plein|utca|u\\.|út|útja|tér|körút|gatan|vej) ${NUMBER}\\.?`,
  // Romance and Slavic: kind, name, number
  `(?:\\d{1,4}(?: ?(?:bis|ter))?,? )(?:rue|avenue|av\\.|boulevard|bd|place|chemin|impasse|allée|quai|route|cours|square)${END} (?:de |du |des |de la |de l'|d'|la |le )?${NAME}`,
  `(?:[Cc]alle|[Cc]/|C\\.|[Aa]venida|Avda?\\.|[Pp]laza|[Pp]aseo|[Cc]arrera|Cra\\.|[Vv]ia|[Vv]iale|[Cc]orso|[Pp]iazza|[Ll]argo|[Rr]ua|R\\.|Av\\.|[Tt]ravessa|[Pp]raça|[Aa]lameda|[Uu]l\\.|[Uu]lica|[Aa]l\\.|[Aa]leja|[Oo]s\\.|[Pp]l\\.|[Ss]tr\\.|[Ss]trada|[Bb]d\\.|[Cc]alea|[Uu]lice|nám\\.|[Nn]áměstí) ?(?:de |del |de la |da |do |dos |das |della |dei |św\\. )?${NAME},? (?:n[°ºr.]{1,2} ?|nr\\.? )?${NUMBER}(?:,? (?:\\d{1,2}[ºª°o]? ?[A-Z]?|m\\. ?\\d+|lok\\. ?\\d+|ap\\. ?\\d+))?`,
].map(unconnected);

/** Addresses of other forms. */
const OTHERS = [
  `(?:ул\\.|улица|просп\\.|проспект|пр\\.|пер\\.|вул\\.|вулиця|бул\\.) ?${NAME},? (?:д\\.|дом|буд\\.|№)? ?\\d{1,4}[\\p{L}]?(?:,? (?:кв\\.|квартира|корп\\.|ап\\.) ?\\d{1,4})?`,
  `(?:Οδός|Λεωφόρος|Λεωφ\\.) ${NAME} ${NUMBER}`,
  `רחוב [\\p{Script=Hebrew}' ]{2,25} \\d{1,4}|شارع [\\p{Script=Arabic} ]{2,25}[،, ]{1,2}\\d{1,4}`,
  "〒 ?\\d{3}-\\d{4}|[東京都北海道大阪府京都府\\p{Script=Han}]{2,4}[都道府県][\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]{1,8}[市区町村郡][\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー]{0,10}\\d[\\d\\-丁目番地号]{0,12}",
  "[\\p{Script=Han}]{2,4}[省市][\\p{Script=Han}]{1,6}[市区县][\\p{Script=Han}]{1,10}[路街道巷]\\d{1,5}号(?:[\\p{Script=Han}\\d]{1,10}室)?",
  "[\\p{Script=Hangul}]{2,6}[시도] [\\p{Script=Hangul}]{1,5}[구군시] [\\p{Script=Hangul}\\d]{1,8}[로길] ?\\d{1,4}(?:-\\d{1,3})?",
  // Post office boxes
  "(?:P\\.? ?O\\.? Box|Postfach|Boîte postale|BP|Apartado(?: de correos)?|Casella postale|Skrytka pocztowa|Postboks|Postbus) \\d{1,6}(?!\\d|\\s?/\\s?\\d)",
].map(unconnected);

/** Postcodes that have a form of their own: of Great Britain, Canada and the Netherlands, and of states of the US. */
const CODES = [
  "(?:GIR 0AA|[A-PR-UWYZ](?:\\d{1,2}|[A-HK-Y]\\d|[A-HK-Y]\\d\\d|\\d[A-HJKPSTUW]|[A-HK-Y]\\d[ABEHMNPRVWXY]) ?\\d[ABD-HJLNP-UW-Z]{2})",
  "[ABCEGHJ-NPRSTVXY]\\d[ABCEGHJ-NPRSTV-Z] \\d[ABCEGHJ-NPRSTV-Z]\\d",
  "[1-9]\\d{3} [A-Z]{2}(?= \\p{Lu})",
  "(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]) \\d{5}(?:-\\d{4})?",
].map((form) => lazily(`(?<![\\p{L}\\p{N}-])${form}(?![\\p{L}\\p{N}-])`, "gu"));

const withTown =
  (street: Lazy) =>
  (text: string): Match[] =>
    continued(text, street, TOWN).map(({ start, middle, more }) => {
      const end = middle + (more?.[0].length ?? 0);
      return { start, end: start + beforeSentence(text.slice(start, end)), label: "ADDRESS" };
    });

/** The length of an address without the next sentence: a long word with a dot before a space is no abbreviation. */
function beforeSentence(address: string): number {
  const end = /\p{Ll}{4}\. /u.exec(address);
  return end ? end.index + 4 : address.length;
}

/** Compiles the expression for towns in a step of its own. */
function prepare(): Match[] {
  TOWN().test("");
  return [];
}

/** Finds postal addresses by the words for streets of some 20 languages, and postcodes of a form of their own. */
export const address = stepped(
  ["ADDRESS"],
  [
    prepare,
    ...STREETS.map(withTown),
    ...[...OTHERS, ...CODES].map((form) => (text: string) => matches(text, form, "ADDRESS")),
    ...IN_LANGUAGES.addresses,
  ],
);
