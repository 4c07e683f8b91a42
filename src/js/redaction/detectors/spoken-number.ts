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
  "null|üks|kaks|kolm|neli|viis|kuus|seitse|kaheksa|üheksa|kümme|kümmend|teist|sada|tuhat|ühe|kahe|kolme|nelja|viie|kuue|seitsme|kümne",
  "tveir|tvær|þrír|þrjá|þrjár|fjóra?|fjórir|fimm|sex|sjö|átta|níu|tíu|ellefu|tólf|þrettán|fjórtán|fimmtán|sextán|sautján|átján|nítján|tuttugu|þrjátíu|fjörutíu|fimmtíu|sextíu|sjötíu|áttatíu|níutíu|hundrað",
  "agt|sewe|sewentig|vyf|vyftig|sestig|nege|negentig|tagtig|veertig|dertig|twintig|een|twee|drie|vier|ses|en|honderd",
  "nulla|egy|kettő|két|három|négy|öt|hat|hét|nyolc|kilenc|tíz|tizen|húsz|huszon|harminc|negyven|ötven|hatvan|hetven|nyolcvan|kilencven|száz|ezer|millió",
  "zero|uno|un|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|diciassette|diciotto|diciannove|vent[i]?|trent[a]?|quarant[a]?|cinquant[a]?|sessant[a]?|settant[a]?|ottant[a]?|novant[a]?|cento|mille|mila",
];
/** Words for numbers of languages that write each part apart. */
const PLAIN = [
  "zéro deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingts vingt trente quarante cinquante soixante septante nonante cents cent",
  "mille",
  "cero dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince treinta cuarenta cincuenta sesenta setenta ochenta noventa cientos ciento ciens cien",
  "quinientos quinientas mil millón millones",
  "dois duas três quatro meia sete oito dez quatorze quinze dezasseis vinte trinta quarenta cinquenta sessenta setenta oitenta cem",
  "dos quatre cinc sis set vuit nou deu vint trenta quaranta seixanta vuitanta noranta",
  "zer unu doi două trei patru cinci șase șapte opt nouă zece sute sută mii",
  "zero jeden jedna dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwadzieścia trzydzieści czterdzieści sto dwieście trzysta czterysta tysiące tysiący tysiąc",
  "tysięcy tysięc",
  "nula jedna dva dvije dvě dve tri tři štyri čtyři četiri štiri pět päť pet šest šesť sedm sedem sedam osm osem osam devět deväť devet deset desať dvacet dvadsať dvadeset dvajset tisíce tisícky tisočakov hiljada hiljadu milion miliona miliony milionů milijun milijuna",
  "třicet tridsať trideset čtyřicet štyridsať četrdeset štirideset padesát sto stotine stotina stotini tisíc tisuća tisuće hiljada hiljade tisoč",
  "ноль нуль нула один одна одну едно един један две два дві три четыре чотири четири п'ять п’ять пять пять пет шесть шість шест шейсет двайсет трийсет семь сім седем седам восемь вісім осем осам",
  "девять дев'ять дев’ять девет десять десет двадцять двадцать тридцять тридцать двадесет тридесет сорок девяносто дев'яносто дев’яносто сто двести двеста двісті мільйон мільйони мільйонів миллион миллиона миллионов полторы полтора півтора півтори мільйона тридцяти двадцяти сорока п'ятдесяти п’ятдесяти п'яти триста хиляди",
  "хиљаде хиљад тысяча тысячи тысячу тысяч тисяча тисячі тисячу тисяч",
  "sıfır bir iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli altmış yetmiş seksen doksan yüz bin",
  "μηδέν ένα μία δύο τρία τρεις τέσσερα τέσσερις τριών τεσσάρων δεκαεφτά δεκαεπτά δεκαοκτώ δεκαέξι δεκαπέντε δεκατρία πέντε έξι επτά εφτά οκτώ οχτώ εννέα εννιά δέκα έντεκα δώδεκα είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα",
  "ενενήντα εκατόν εκατό διακόσια χίλια χιλιάδες",
  "një dy tre katër pesë gjashtë shtatë tetë nëntë dhjetë njëzet tridhjetë dyzet pesëdhjetë gjashtëdhjetë shtatëdhjetë tetëdhjetë nëntëdhjetë qind njëqind mijë",
  "stě sta milljón milljónir ton nič trisdešimt kuue seitsme üheksa",
  "nulis vienas du trys keturi penki šeši septyni aštuoni devyni dešimt dvidešimt šimtas šimtai",
  "tūkstošus tūkstoši astoņsimt deviņsimt divsimt trīssimt četrsimt piecsimt sešsimt septiņsimt",
  "nulle viens divi trīs četri pieci seši septiņi astoņi deviņi desmit simts simt simti",
  "nol kosong satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas belas puluh seratus ratus seribu ribu juta",
  "không một hai ba bốn năm sáu bảy tám chín mười mươi trăm nghìn ngàn triệu linh lẻ mốt lăm chục",
  "sifar lapan sifuri moja mbili tatu nne tano sita saba nane tisa kumi ishirini thelathini arobaini hamsini sitini sabini themanini tisini mia elfu laki milioni",
  "isa dalawa tatlo apat lima anim pito walo siyam sampu dalawampu tatlumpu apatnapu limampu animnapu pitumpu walumpu siyamnapu isang dalawang tatlong limang daan daang libo libong",
  "शून्य एक दो तीन चार पाँच पांच छह छः छै सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह पन्द्रह सोलह सत्रह अठारह बीस तीस पचास साठ सत्तर अस्सी नब्बे सौ",
  "हजार हज़ार लाख करोड़ ढाई डेढ़ साढ़े सवा पौने दोन पाच सहा नऊ दहा वीस चाळीस पन्नास ऐंशी नव्वद शंभर शे ज़ीरो जीरो डबल",
  "শূন্য এক দুই তিন চার পাঁচ ছয় সাত আট নয় দশ এগারো বারো তেরো চৌদ্দ পনেরো ষোলো সতেরো আঠারো উনিশ বিশ কুড়ি পঁচিশ ত্রিশ তিরিশ চল্লিশ পঞ্চাশ ষাট সত্তর আশি নব্বই",
  "শ শো শত একশো দুইশো পাঁচশো হাজার লাখ লক্ষ কোটি সাড়ে আড়াই দেড়",
  "சுழியம் பூஜ்யம் பூஜ்ஜியம் ஒன்று ஒண்ணு ஒரு இரண்டு ரெண்டு மூன்று மூணு நான்கு நாலு ஐந்து அஞ்சு ஆறு ஏழு எட்டு ஒன்பது பத்து இருபது முப்பது நாற்பது ஐம்பது அறுபது எழுபது எண்பது தொண்ணூறு நூறு ஆயிரம் லட்சம்",
  "సున్నా ఒకటి రెండు మూడు నాలుగు ఐదు ఆరు ఏడు ఎనిమిది తొమ్మిది పది ఇరవై ముప్పై నలభై యాభై అరవై డెబ్భై ఎనభై తొంభై వంద వందల వెయ్యి వేలు వేల లక్ష లక్షల",
  "શૂન્ય બે ત્રણ ચાર પાંચ છ સાત આઠ નવ દસ વીસ ત્રીસ ચાલીસ પચાસ સાઠ સિત્તેર એંસી નેવું સો હજાર લાખ ਸਿਫ਼ਰ ਜ਼ੀਰੋ ਇੱਕ ਦੋ ਤਿੰਨ ਚਾਰ ਪੰਜ ਛੇ ਸੱਤ ਅੱਠ ਨੌਂ ਦਸ ਵੀਹ ਤੀਹ ਚਾਲੀ ਪੰਜਾਹ ਸੱਠ ਸੱਤਰ ਅੱਸੀ ਨੱਬੇ ਸੌ ਹਜ਼ਾਰ ਲੱਖ",
  "ಸೊನ್ನೆ ಒಂದು ಎರಡು ಮೂರು ನಾಲ್ಕು ಐದು ಆರು ಏಳು ಎಂಟು ಒಂಬತ್ತು ಹತ್ತು ಇಪ್ಪತ್ತು ಮೂವತ್ತು ನಲವತ್ತು ಐವತ್ತು ಅರವತ್ತು ಎಪ್ಪತ್ತು ಎಂಬತ್ತು ತೊಂಬತ್ತು ನೂರು ಸಾವಿರ ಲಕ್ಷ",
  "പൂജ്യം ഒന്ന് രണ്ട് മൂന്ന് നാല് അഞ്ച് ആറ് ഏഴ് എട്ട് ഒമ്പത് പത്ത് ഇരുപത് മുപ്പത് നാൽപത് അമ്പത് അറുപത് എഴുപത് എൺപത് തൊണ്ണൂറ് നൂറ് ആയിരം ലക്ഷം",
  "ნული ერთი ორი სამი ოთხი ხუთი ექვსი შვიდი რვა ცხრა ათი თერთმეტი თორმეტი ცამეტი თოთხმეტი თხუთმეტი თექვსმეტი ჩვიდმეტი თვრამეტი ცხრამეტი ოცი ორმოცი სამოცი ოთხმოცი ასი ათასი მილიონი",
  "զրո մեկ երկու երեք չորս հինգ վեց յոթ ութ ինը տասը հարյուր հազար միլիոն ዜሮ አንድ ሁለት ሦስት ሶስት አራት አምስት ስድስት ሰባት ስምንት ዘጠኝ አስር አሥር ሃያ ሰላሳ አርባ ሃምሳ ስልሳ ሰባ ሰማንያ ዘጠና መቶ ሺህ ሺ",
];
/** The same with variable parts: "quindici", "двадцать". */
const PATTERNS = [
  "dieci\\p{L}{3,6}|veint[ei]\\p{L}{0,6}|\\p{L}{2,6}cient[oa]s|deza?\\p{L}{3,5}|\\p{L}{3,6}centos|(?:du|tre)zent[oa]s|vint-i-\\p{L}+|\\p{L}{3,5}sprezece|\\p{L}{3,5}zeci|\\p{L}{3,7}naście",
  "\\p{L}{4,8}dziesiąt|\\p{L}{4,8}set|(?:dv[jě]?e|tri|tři|štiri|četiri|čtyři|štyri|pet|pět|päť|šest|sedam|sedem|sedm|osam|osem|osm|devet|devět|deväť)(?:sto|set|sti)|dvajst|trist[ao]|\\p{L}{2,6}n(?:áct|ásť|aest|ajst)|\\p{L}{2,5}desiat|\\p{L}{3,6}deset|\\p{L}{2,5}desát|\\p{L}{2,5}desiat(?:jeden|dva|dve|tri|štyri|päť|šesť|sedem|osem|deväť)|(?:jeden|jedna|dva|tři|čtyři|pět|šest|sedm|osm|devět|sedma|osma)a?(?:dvacet|třicet|čtyřicet|\\p{L}{2,5}desát)|(?:en|dv|tri|štiri|pet|šest|sedem|osem|devet)(?:a|e)?in\\p{L}{3,6}(?:deset|jset)|\\p{L}{2,8}надцят?ь|\\p{L}{2,8}надцать|\\p{L}{2,6}надесет",
  "\\p{L}{2,7}на(?:е|ј|й)?ст|\\p{L}{2,7}найсет|[\\p{L}'’]{2,8}дес[яе]т|[\\p{L}'’]{2,8}надцять|\\p{L}{3,6}ста|[\\p{L}'’]{2,7}(?:сот|стотин)|δεκα\\p{L}{3,5}|\\p{L}{2,7}κόσι\\p{L}{1,2}|\\p{L}{4,8}lika|\\p{L}{4,8}asdešimt|tūkstan\\p{L}{2,4}|\\p{L}{4,8}padsmit|\\p{L}{3,8}desmit",
  "tūkstoš\\p{L}{0,2}",
  "(?:इक्क|चौब|पच्च|छब्ब|उन्न)ीस|(?:बा|ते|सत्ता|अट्?ठा)ईस|(?:उन|इक|बत्|तैं|चौं|पैं|छत्|सैं|अड़)तीस|(?:इकत|बय|तैंत|चव|चौव|पैंत|छिय|सैंत|अड़त|उनत|च)ालीस|(?:इक्य|बा|सत्त|अट्ठ)ावन|तिरपन|चौवन|पचपन|छप्पन",
  "(?:उन|इक|बा|तिर|चौं|पैं|छिया|सड़|अड़)सठ|(?:उन|इक|ब|ति|चौ|पच|छि|सत|अठ)हत्तर|(?:इक्य|बय|तिर|चौर|पच|छिय|सत्त|अट्ठ|नव|उन्न)ासी|(?:इक्य|ब|तिर|चौर|पच|छिय|सत्त|अट्ठ|निन्य)ानवे",
  "(?:பதின|பதினொ|பன்னி|இருபத்|முப்பத்|நாற்பத்|ஐம்பத்|அறுபத்|எழுபத்|எண்பத்)[\\p{L}\\p{M}]{1,10}|[\\p{sc=Taml}]{2,10}(?:ாயிரம்|நூறு|நூற்று|லட்சம்)",
  "(?:ოც|ორმოც|სამოც|ოთხმოც)და\\p{L}{2,10}|(?:ორ|სამ|ოთხ|ხუთ|ექვს|შვიდ|რვა|ცხრა)ასი?|(?:տասն|քսան|երեսուն|քառասուն|հիսուն|վաթսուն|յոթանասուն|ութսուն|իննսուն)\\p{L}{0,6}",
];
const PLAIN_WORDS = new Set(PLAIN.flatMap((words) => words.split(" ")));
const COMPOUND = COMPOUNDS.map((parts) => lazily(`^(?:${parts})+$`, "u"));
const PATTERN = PATTERNS.map((parts) => lazily(`^(?:${parts})$`, "u"));

/** Returns whether a word in lower case is a number, or a part of one. */
export const isNumberWord = (word: string) =>
  PLAIN_WORDS.has(word) || (word.length < 60 && [...COMPOUND, ...PATTERN].some((pattern) => pattern().test(word)));

/** Words of numbers that are other words as well: they need others beside them. */
const WEAK =
  /^(?:ton|nič|sta|dy|ein|eins?und|un|uno|en|e|et|ett|to|ni|ti|und|og|six|set|nou|deu|sis|opt|dix|on|bin|elli|bir|ba|hai|du|sei|sex|to|tre|pet|sto|mil|mille|cent|hat|hét|egy|un[au]?|een|én|not|neuf|meia|dos|ena|один|одна|едно|един|година|năm|due|tri|два|otto|firs|tres|acht|elf|vier|एक|दो|এক|ஒரு|isa|isang|mia|saba|sita|na|எட்டு|ആറ്|ஆறு)$/iu;
/** What may stand between two words of a number. */
const AND = /^(?:und|et|y|e|i|og|och|ja|és|и|і|și|ve|kai|και|na|at|և|და)$/iu;
const TOKEN = /[\p{L}\p{M}'’]+/gu;
/** Beginnings of ordinals before the name of a month. */
const ORDINAL =
  /^(?!desde$|onde$|donde$|vom$)(?:erst|zweit|dritt|viert|fünft|sechst|siebt|acht|neunt|zehnt|elft|zwölft|\p{L}+zigst|\p{L}+zehnt|premier|primer|primo|prim[aã]|pierwsz|drug|trzeci|czwart|piąt|szóst|siódm|ósm|dziewiąt|dziesiąt|\p{L}+nast|\p{L}+dziest|prvn|prv|druh|tret|třet|čtvrt|štvrt|pát|piat|šest|sedm|siedm|osm|ôsm|devát|deviat|desát|desiat|\p{L}+náct|\p{L}+nást|перв|втор|трет|четв|пят|шест|седьм|восьм|девят|десят|\p{L}+надцат|двадцят|тридцят|двадцат|тридцат|друг|п['’]ят|сьом|прв|първ|втори$|четвърт|осм|седм|пет[аоиу]|шест|девет|десет|\p{L}+надесет|\p{L}+найсет|\p{L}+ого$|\p{L}+кого$|első|másod|harmad|negyed|ötöd|hatod|heted|nyolcad|kilenced|tized|huszon\p{L}+|harminc\p{L}*|\p{L}+dik[aáeéi]\p{L}*|ensimmä|toise|toinen|kolmas|kolmat|neljä|viides|kuude|seitsem|kahdeksa|yhdeksä|kymmen|\p{L}+toista|första|andra|tredje|fjärde|femte|sjätte|sjunde|åttonde|nionde|tionde|\p{L}+nde$|første|anden|fjerde|sjette|syvende|\p{L}+ende$|eerste|tweede|derde|vierde|vijfde|\p{L}+ste$|\p{L}+de$)/iu;
/** Words before a span of time that is no age. */
const SINCE =
  /(?<!\p{L})(?:depuis|seit|vor|hace|desde|durante|da|per|há|por|od|przez|przed|před|za|pred|через|за|sedan|för|i|acum|de|dopo|nach|après|après|sinds|al|acum)\s$/iu;
const ID =
  /(?<!\p{L})(?:n[uú]mer\p{L}*|nummer|nr|num[eé]ro\p{L}*|code|kod\p{L}*|pin|contra\p{L}+|vertrag\p{L}*|kunden\p{L}*|police|polis\p{L}*|poliz\p{L}*|konto|compte|cuenta|dossier|expediente|commande|bestell\p{L}*|zamówieni\p{L}*|паспорт\p{L}*|номер\p{L}*|договор\p{L}*|полис\p{L}*|счет\p{L}*|kimlik|id)(?!\p{L})[^.\n]{0,30}$/iu;
/** A word for a code before a number. */
const CODE =
  /(?<!\p{L})(?:pin\p{L}{0,4}|otp|kod(?:e[in]?|[oiyuaę]|om|em)?|code|codice|código|codigo|codi|cod|kód\p{L}{0,2}|koodi|kodas|kods|код\p{L}{0,2}|пин\p{L}{0,2}|sandi|hasło|heslo|jelszó|şifre\p{L}{0,3}|parol[aăe]|пароль|лозинка|шифра|contraseña|clave|senha|wachtwoord|passwort|lösenord|adgangskode|κωδικός|mã)(?!\p{L})\P{L}{0,3}(?:\p{L}+\P{L}{1,2}){0,3}$/iu;
/** A word for a telephone before a number. */
const PHONE =
  /(?:tele|tel|phon|fon|mobil|móvil|cell|komórk|handy|puhelin|gsm|hp|телеф|звон|дзвон|ring|call|appel|llam|ruf)/iu;

/** Currencies of the past, and words for thousands of one: they are other words without a number in words. */
const OLD_CURRENCY = /^(?:mark|schillinge?|gulden|tisočak\p{L}{0,2}|tisícov\p{L}{1,2}|patak\p{L}{0,2})$/iu;

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
const NO_START = /^(?:to|ton|sta|nič|et|en|un|una|uno|een|ein|ett|sei|du|hat|ni|ti|hát)$/iu;

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
  const next = tokens[last + 1];
  const unit = next && /^d[ei]$/iu.test(next.text) ? tokens[last + 2] : next;
  if (
    (strong > 0 || run.length > 1) &&
    unit &&
    text.slice(end, unit.start).length < 6 &&
    /^[\s,-]{1,3}(?:d[ei] )?$/iu.test(text.slice(end, unit.start))
  ) {
    if (CURRENCIES.test(unit.text) || OLD_CURRENCY.test(unit.text)) return { start, end: unit.end, label: "MONEY" };
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
