// Numbers in words of other languages than English: telephone and other numbers, amounts, ages and dates, as speech
// recognition writes them. spoken.ts has those of English.
import { CURRENCIES, UNITS } from "../units.js";
import { before, lazily, type Match } from "./match.js";
import { monthForm } from "./months.js";

/** Languages that write a number as one word: its parts. */
const COMPOUNDS = [
  "null|zwo|ein(?:s|und)?|zwei|drei|vier|fünf|sech?s?|sieben|sieb|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|dreissig|zig|hundert|tausend|und",
  "nul|een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|dertien|veertien|twintig|dertig|veertig|tachtig|tig|honderd|duizend|en|ën",
  "noll|ett|två|tre|fyra|fem|sex|sju|åtta|nio|tio|elva|tolv|tretton|fjorton|femton|sexton|sjutton|arton|nitton|tjugo|trettio|fyrtio|femtio|sextio|sjuttio|åttio|nittio|hundra|tusen",
  "null|nul|én|ett?|to|tre|fire|fem|seks|syv|sju|åtte|otte|ni|ti|elleve|tolv|tretten|fjorten|femten|seksten|sytten|atten|nitten|tjue|tyve|tretti|tredive|førti|fyrre|femti|halvtreds|seksti|tres|sytti|halvfjerds|åtti|firs|halvfems|nitti|hundre|hundrede|tusen|tusind|og",
  "nolla|yksi|yks|kaksi|kaks|kolme|neljä|nelj|viisi|viis|kuusi|kuus|seitsemän|seittemän|kahdeksan|kasi|yhdeksän|kymmenen|kymmentä|kyt|toista|sata|sataa|tuhat|tuhatta",
  "null|üks|kaks|kolm|neli|viis|kuus|seitse|kaheksa|üheksa|kümme|kümmend|teist|sada|tuhat",
  "nulla|egy|kettő|két|három|négy|öt|hat|hét|nyolc|kilenc|tíz|tizen|húsz|huszon|harminc|negyven|ötven|hatvan|hetven|nyolcvan|kilencven|száz|ezer|millió",
  "zero|uno|un|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|diciassette|diciotto|diciannove|vent[i]?|trent[a]?|quarant[a]?|cinquant[a]?|sessant[a]?|settant[a]?|ottant[a]?|novant[a]?|cento|mille|mila",
];
/** Words for numbers of languages that write each part apart. */
const PLAIN = [
  "zéro deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingts vingt trente quarante cinquante soixante septante nonante cents cent",
  "mille",
  "cero dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince treinta cuarenta cincuenta sesenta setenta ochenta noventa cientos ciento ciens cien",
  "quinientos quinientas mil",
  "dois duas três quatro meia sete oito dez quatorze quinze dezasseis vinte trinta quarenta cinquenta sessenta setenta oitenta cem",
  "dos quatre cinc sis set vuit nou deu trenta quaranta seixanta vuitanta noranta",
  "zer unu doi două trei patru cinci șase șapte opt nouă zece sute sută mii",
  "zero jeden jedna dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwadzieścia trzydzieści czterdzieści sto dwieście trzysta czterysta tysiące tysiący tysiąc",
  "tysięcy tysięc",
  "nula jedna dva dvě dve tri tři štyri čtyři četiri štiri pět päť pet šest šesť sedm sedem sedam osm osem osam devět deväť devet deset desať dvacet dvadsať dvadeset dvajset",
  "třicet tridsať trideset čtyřicet štyridsať četrdeset štirideset padesát sto stotine stotina stotini tisíc tisuća tisuće hiljada hiljade tisoč",
  "ноль нуль нула один одна одну едно един један две два дві три четыре чотири четири п'ять п’ять пять пять пет шесть шість шест семь сім седем седам восемь вісім осем осам",
  "девять дев'ять дев’ять девет десять десет двадцять двадцать тридцять тридцать двадесет тридесет сорок девяносто дев'яносто дев’яносто сто двести двісті триста хиляди",
  "хиљаде хиљад тысяча тысячи тысячу тысяч тисяча тисячі тисячу тисяч",
  "sıfır bir iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli altmış yetmiş seksen doksan yüz bin",
  "μηδέν ένα μία δύο τρία τρεις τέσσερα τέσσερις πέντε έξι επτά εφτά οκτώ οχτώ εννέα εννιά δέκα έντεκα δώδεκα είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα",
  "ενενήντα εκατόν εκατό διακόσια χίλια χιλιάδες",
  "nulis vienas du trys keturi penki šeši septyni aštuoni devyni dešimt dvidešimt šimtas šimtai",
  "nulle viens divi trīs četri pieci seši septiņi astoņi deviņi desmit simts simt simti",
  "nol kosong satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas belas puluh seratus ratus seribu ribu juta",
  "không một hai ba bốn năm sáu bảy tám chín mười mươi trăm nghìn ngàn",
];
/** The same with variable parts: "quindici", "двадцать". */
const PATTERNS = [
  "dieci\\p{L}{3,6}|veint[ei]\\p{L}{0,6}|\\p{L}{2,6}cient[oa]s|deza?\\p{L}{3,5}|\\p{L}{3,6}centos|vint-i-\\p{L}+|\\p{L}{3,5}sprezece|\\p{L}{3,5}zeci|\\p{L}{3,7}naście",
  "\\p{L}{4,7}dziesiąt|\\p{L}{4,7}set|\\p{L}{2,6}n(?:áct|ásť|aest|ajst)|\\p{L}{2,5}desiat|\\p{L}{3,6}deset|\\p{L}{2,8}надцят?ь|\\p{L}{2,8}надцать|\\p{L}{2,6}надесет",
  "\\p{L}{2,6}наест|\\p{L}{2,8}десят|\\p{L}{3,6}ста|\\p{L}{2,6}сот|\\p{L}{4,8}lika|\\p{L}{4,8}asdešimt|tūkstan\\p{L}{2,4}|\\p{L}{4,8}padsmit|\\p{L}{4,8}desmit",
  "tūkstoš\\p{L}{0,2}",
];
const PLAIN_WORDS = new Set(PLAIN.flatMap((words) => words.split(" ")));
const COMPOUND = COMPOUNDS.map((parts) => lazily(`^(?:${parts})+$`, "u"));
const PATTERN = PATTERNS.map((parts) => lazily(`^(?:${parts})$`, "u"));

/** Returns whether a word in lower case is a number, or a part of one. */
export const isNumberWord = (word: string) =>
  PLAIN_WORDS.has(word) || (word.length < 60 && [...COMPOUND, ...PATTERN].some((pattern) => pattern().test(word)));

/** Words of numbers that are other words as well: they need others beside them. */
const WEAK =
  /^(?:ein|eins?und|un|uno|en|e|et|ett|to|ni|ti|und|og|six|set|nou|deu|sis|opt|dix|on|bin|elli|bir|ba|hai|du|sei|sex|to|tre|pet|sto|mil|mille|cent|hat|hét|egy|un[au]?|een|én|not|neuf|meia|dos|ena|один|одна|едно|един|година|năm|due|tri|два|otto|firs|tres|acht|elf|vier)$/iu;
/** What may stand between two words of a number. */
const AND = /^(?:und|et|y|e|i|og|och|ja|és|и|і|și|ve|kai|και)$/iu;
const TOKEN = /[\p{L}\p{M}'’]+/gu;
/** Beginnings of ordinals before the name of a month. */
const ORDINAL =
  /^(?!desde$|onde$|donde$|vom$)(?:erst|zweit|dritt|viert|fünft|sechst|siebt|acht|neunt|zehnt|elft|zwölft|\p{L}+zigst|\p{L}+zehnt|premier|primer|primo|prim[aã]|pierwsz|drug|trzeci|czwart|piąt|szóst|siódm|ósm|dziewiąt|dziesiąt|\p{L}+nast|\p{L}+dziest|prvn|prv|druh|tret|třet|čtvrt|štvrt|pát|piat|šest|sedm|siedm|osm|ôsm|devát|deviat|desát|desiat|\p{L}+náct|\p{L}+nást|перв|втор|трет|четв|пят|шест|седьм|восьм|девят|десят|\p{L}+надцат|двадцат|тридцат|друг|\p{L}+ого$|\p{L}+кого$|első|másod|harmad|negyed|ötöd|hatod|heted|nyolcad|kilenced|tized|huszon\p{L}+|harminc\p{L}*|\p{L}+dik[aáeéi]\p{L}*|ensimmä|toise|toinen|kolmas|kolmat|neljä|viides|kuude|seitsem|kahdeksa|yhdeksä|kymmen|\p{L}+toista|första|andra|tredje|fjärde|femte|sjätte|sjunde|åttonde|nionde|tionde|\p{L}+nde$|første|anden|fjerde|sjette|syvende|\p{L}+ende$|eerste|tweede|derde|vierde|vijfde|\p{L}+ste$|\p{L}+de$)/iu;
/** Words before a span of time that is no age. */
const SINCE =
  /(?<!\p{L})(?:depuis|seit|vor|hace|desde|durante|da|per|há|por|od|przez|przed|před|za|pred|через|за|sedan|för|i|acum|de|dopo|nach|après|après|sinds|al|acum)\s$/iu;
const ID =
  /(?<!\p{L})(?:n[uú]mer\p{L}*|nummer|nr|num[eé]ro\p{L}*|code|kod\p{L}*|pin|contra\p{L}+|vertrag\p{L}*|kunden\p{L}*|police|polis\p{L}*|poliz\p{L}*|konto|compte|cuenta|dossier|expediente|commande|bestell\p{L}*|zamówieni\p{L}*|паспорт\p{L}*|номер\p{L}*|договор\p{L}*|полис\p{L}*|счет\p{L}*|kimlik|id)(?!\p{L})[^.\n]{0,30}$/iu;
/** A word for a code before a number. */
const CODE =
  /(?<!\p{L})(?:pin\p{L}{0,4}|otp|kode?[in]?|code|codice|código|codigo|codi|cod|kód\p{L}{0,2}|koodi|kodas|kods|код\p{L}{0,2}|пин\p{L}{0,2}|sandi|hasło|heslo|jelszó|şifre\p{L}{0,3}|parol[aăe]|пароль|лозинка|шифра|contraseña|clave|senha|wachtwoord|passwort|lösenord|adgangskode|κωδικός|mã)(?!\p{L})\P{L}{0,3}(?:\p{L}+\P{L}{1,2}){0,3}$/iu;
/** A word for a telephone before a number. */
const PHONE =
  /(?:tele|tel|phon|fon|mobil|móvil|cell|komórk|handy|puhelin|gsm|hp|телеф|звон|дзвон|ring|call|appel|llam|ruf)/iu;

interface Token {
  text: string;
  isNumber: boolean;
  start: number;
  end: number;
}

/** The fewest words of a number without a unit. */
const LEAST = 5;

/** Finds numbers in words, with the currency, the years or the month that belong to them. */
export function numbersInWords(text: string): Match[] {
  const known = new Map<string, boolean>();
  const isKnown = (word: string) => {
    const answer = known.get(word) ?? isNumberWord(word);
    known.set(word, answer);
    return answer;
  };
  const tokens: Token[] = Array.from(text.matchAll(TOKEN), ({ 0: word, index }) => ({
    text: word,
    isNumber: isKnown(word.toLowerCase()),
    start: index,
    end: index + word.length,
  }));
  const found: Match[] = [];
  for (let n = 0; n < tokens.length; n++) {
    const last = runFrom(text, tokens, n);
    if (last < n) continue;
    const match = matchOf(text, tokens, n, last);
    if (match) found.push(match);
    n = last;
  }
  return [...found, ...datesIn(text, tokens, found)];
}

const isNumber = (token: Token | undefined) => token?.isNumber === true;
/** Returns whether only spaces and hyphens separate two tokens. */
const touches = (text: string, a: Token, b: Token) => /^[\s,-]{1,3}$/.test(text.slice(a.end, b.start));

/** Function words that are numbers in another language: they begin no number. */
const NO_START = /^(?:to|et|en|un|una|uno|een|ein|ett|sei|du|hat|ni|ti|hát)$/iu;

/** Returns the index of the last token of the number that begins at `n`, or less than `n`. */
function runFrom(text: string, tokens: readonly Token[], n: number): number {
  const token = tokens[n];
  if (!token?.isNumber || AND.test(token.text) || NO_START.test(token.text)) return n - 1;
  let last = n;
  for (let next = n + 1; next < tokens.length && touches(text, tokens[next - 1]!, tokens[next]!); next++) {
    if (isNumber(tokens[next]) && !AND.test(tokens[next]!.text)) last = next;
    else if (!AND.test(tokens[next]!.text) || next > last + 1) break;
  }
  return last;
}

function matchOf(text: string, tokens: readonly Token[], first: number, last: number): Match | undefined {
  const run = tokens.slice(first, last + 1).filter(({ text }) => !AND.test(text));
  const strong = run.filter(({ text }) => !WEAK.test(text)).length;
  const { start } = tokens[first]!;
  const { end } = tokens[last]!;
  const unit = tokens[last + 1];
  if (strong > 0 && unit && touches(text, tokens[last]!, unit)) {
    if (CURRENCIES.test(unit.text)) return { start, end: unit.end, label: "MONEY" };
    const years = UNITS.AGE!.exec(text.slice(end, end + 16));
    if (years && !SINCE.test(before(text, start, 12))) return { start, end: end + years[0].length, label: "AGE" };
  }
  const context = before(text, start, 60);
  if (run.length >= 3 && strong > 1 && CODE.test(context)) return { start, end, label: "PASSWORD" };
  if (run.length < LEAST || strong < 3) return undefined;
  return { start, end, label: ID.test(context) && !PHONE.test(context.slice(-24)) ? "ID" : "PHONE" };
}

/** Finds the names of months with a number or ordinal before them, and the year after them. */
function datesIn(text: string, tokens: readonly Token[], others: readonly Match[]): Match[] {
  return tokens.flatMap((month, n) => {
    if (monthForm(month.text) === undefined) return [];
    let first = n;
    const isDay = ({ text, isNumber }: Token) =>
      (isNumber && !NO_START.test(text) && !AND.test(text)) || ORDINAL.test(text);
    const link = tokens[n - 1];
    if (link && /^(?:de|d|di|da|of)$/i.test(link.text)) first = n - 1;
    const top = first;
    while (
      first > 0 &&
      top - first < 3 &&
      touches(text, tokens[first - 1]!, tokens[first]!) &&
      isDay(tokens[first - 1]!)
    )
      first--;
    if (first === top) return [];
    const next = tokens[n + 1] && /^(?:de|del)$/i.test(tokens[n + 1]!.text) ? n + 2 : n + 1;
    const last = tokens[next] ? runFrom(text, tokens, next) : n;
    const end = last > next ? tokens[last]!.end : month.end;
    const { start } = tokens[first]!;
    return others.some((other) => other.start < end && start < other.end && other.label !== "PHONE")
      ? []
      : [{ start, end, label: "DATE" }];
  });
}
