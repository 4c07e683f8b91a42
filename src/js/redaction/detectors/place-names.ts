// Places by prepositions before them, by dates and postcodes beside them, and by their names.
import { ENGLISH, isWord, LISTS, plain, SHARED } from "../words.js";
import { isGivenName } from "./given-name-known.js";
import { type Lazy, lazily, type Match, matches } from "./match.js";
import { MONTHS, monthForm } from "./months.js";
import { isRole } from "./roles.js";
import { isWeekday } from "./weekdays.js";

const WORD =
  "\\p{Lu}[\\p{L}\\p{M}]{1,24}(?:[-'’](?:(?:am|an|der|sur|sous|de|la|le|les|en|ob|on|upon|by|the|in)-){0,2}\\p{Lu}[\\p{L}\\p{M}]{1,24}){0,3}";
const LINK =
  "(?:am|an der|im|de la|de los|de las|de|del|della|do|da|dos|la|sur|en|of|upon|nad|pod|pri|na|ob|над|на|под|της|του)";
const NAME = `${WORD}(?:[ ](?:${LINK}[ ])?${WORD}){0,2}`;
const EDGE = "(?![\\p{L}\\p{M}\\p{N}@_]|['’.](?=\\p{Ll})|-\\p{L})";

/** Languages whose prepositions of place differ, by their function words. */
const BY_WORDS: readonly [code: string, words: string][] = [
  ["en", [...ENGLISH].join(" ")],
  ...["de", "fr", "es", "it", "nl", "pt", "pl", "sv", "sv", "fi", "hu", "ro", "tr", "cs", "hr", "id"].map(
    (code, n): [string, string] => [code, LISTS[n]!],
  ),
  ["es", "els les amb per que es dels una meva meu als aquest aquesta tinc soc unha unhas dun dunha co ca meu moito"],
  ["sv", "ekki það sem við var ekki eg ég ikkje eit ho frå dei"],
  ["cs", "som sme nie nebol bola mne pre alebo ktory ktora vas"],
  ["hr", "je sem bil bila ali pri sva smo ter kot lahko sta ima in"],
  ["et", "ja ei see kas mis ka ma olen on oli aga siis minu mul nuud kui ning"],
  ["lt", "ir yra kad bet su man mano aciu per nuo iki bus del jau as tai labas"],
  ["lv", "un ir ka bet ar man mans paldies no uz pie vai jau lidz par bija es tas"],
  ["sq", "dhe eshte nuk une per nje ne qe me te ka nga jam si"],
];
let sets: readonly [string, ReadonlySet<string>][] | undefined;
const words = () => (sets ??= BY_WORDS.map(([code, list]) => [code, new Set(list.split(" "))]));

/** Returns the code of the language, or of one with the same prepositions, whose function words a text has most of. */
function languageOf(text: string): string | undefined {
  if (!/[A-Za-z]/.test(text)) return undefined;
  const found = (text.slice(0, 4_000).match(/\p{Script=Latin}[\p{L}\p{M}]*/gu) ?? [])
    .map(plain)
    .filter((word) => !SHARED.has(word) || word === "in");
  let [best, most] = ["", 1];
  for (const [code, set] of words()) {
    const count = found.filter((word) => set.has(word)).length;
    if (count > most) [best, most] = [code, count];
  }
  return best || undefined;
}

/** Prepositions of place by language, before a name with a capital. */
const PREPOSITIONS: Record<string, string> = {
  en: "in|near|from|outside|towards?|via|around|(?:going|moved|moving|flew|flying|drove|drive|driving|travel(?:l?ing|l?ed)?|trip|flight|flights|train|bus|transferred|back|return(?:ed)?|relocat(?:e|ed|ing)|shipped|delivered|delivery|visit|up|down|over) to",
  nl: "in|uit|te|naar|vanuit|nabij|richting|tussen",
  fr: "à|vers|depuis|près de|entre|jusqu['’]à|en|(?:ville|gare|port|route|région|commune|quartier|usine|agence|mairie|banlieue|hôpital|environs|marché|aéroport|originaire|direction|village|centre|natif|native|site) (?:de|d['’])",
  es: "en|desde|hasta|hacia|entre|cerca de|prop de|(?:ciudad|pueblo|municipio|barrio|provincia|estación|aeropuerto|puerto|playa|centro|mercado|sucursal|oficina|sede|planta|zona|concello|vecin[oa]|vei[nñ]a?|natural|carretera|camino|afueras|tienda|poble|ciutat|comarca|mercat|valle|isla|comunidad|departamento) (?:de|d['’])",
  it: "in|a|ad|presso|verso|tra|fra|vicino a|(?:città|paese|comune|provincia|stazione|aeroporto|porto|zona|sede|filiale|frazione|quartiere|mercato|valle|isola|parrocchia) (?:di|d['’])",
  pt: "em|no|na|desde|até|perto de|para|(?:cidade|vila|aldeia|município|bairro|província|estação|aeroporto|porto|praia|centro|mercado|zona|concelho|freguesia|natural|sede|fábrica|loja|agência|estrada|ilha|distrito) (?:de|d[oa])",
  pl: "w|we|pod|koło|nad|(?:mieście|miasta|miasto|gmin\\p{L}{1,2}|powia\\p{L}{1,4}|okolic\\p{L}{1,3}|stacj\\p{L}{1,2}|oddzia\\p{L}{1,3}|fili\\p{L}|osiedl\\p{L}{1,2}|dzielnic\\p{L}|wsi|wieś|kierunk\\p{L}{1,2}(?: na)?)",
  cs: "v|ve|vo|do|z|ze|zo|u|pri|pod|cez|neďaleko|okolo|poblíž|bytem|bytom|(?:měst\\p{L}{1,2}|mest\\p{L}{1,2}|obc\\p{L}{1,2}|okres\\p{L}{0,2}|pobočk\\p{L}|nádraží|stanic\\p{L}|osad\\p{L}|vesnic\\p{L}|k\\. ?ú\\.)",
  hr: "u|iz|v|blizu|kod|preko|prema|pri|do|(?:grad\\p{L}{0,2}|sel[oau]|mest[oau]|općin\\p{L}|opštin\\p{L}|poslovnic\\p{L}|naselj\\p{L}|luk\\p{L}|stanic\\p{L}|vasi|kraj\\p{L})",
  sv: "i|í|från|frå|fra|frá|vid|ved|nära|nær|mot|utenfor|utanför|udenfor|via|mellan|mellem|mellom|till?|(?:kommun|kommune|staden|byen|stationen|kontoret|avdelingen) i",
  ro: "în|din|la|lângă|spre|prin|dinspre|(?:orașul|oraș|comuna|satul|municipiul|județul|jud\\.|com\\.|cartier(?:ul)?|zona|sucursala|filiala|gara)",
  lt: "iš|į|prie|netoli|pro|per",
  lv: "no|uz|pie|caur|līdz",
  id: "di|ke|dari|sampai|asal|daerah|kota|kabupaten|cabang|cawangan|kecamatan|kelurahan|desa|kampung|dekat|menuju",
  sq: "në|nga|për|pranë|drejt",
  et: "(?:linnas|vallas|linn|vald|külas)",
};
const SCRIPTS: readonly [script: RegExp, prepositions: string][] = [
  [
    /[іїєґ]/iu,
    "в|у|із|зі|біля|під|через|(?:міст[оаіу]|сел[оаіу]|м\\.|с\\.|смт|станці[яїю]|склад|район[іу]?|офіс|філі[яїю])",
  ],
  [/[ђјљњћџ]/iu, "у|из|код|преко|(?:град\\p{L}{0,2}|село|села|општина)"],
  [
    /\p{Script=Cyrillic}/u,
    "в|во|из|под|через|във|край|город\\p{L}{0,2}|сел[оае]|станци[яию]|посёлок|посел\\p{L}{2,3}|деревн\\p{L}{1,2}|(?<!\\d ?)г\\.|гр\\.|с\\.|пгт|п\\.|дер\\.|с/о|офис|район",
  ],
  [/\p{Script=Greek}/u, "στο|στη|στην|στα|στις|από(?: τ[ηο]ν?| τα)?|κάτοικος|κατοίκου|προς|κοντά στ[ηο]ν?|μέσω"],
];
/** Prepositions of languages that write common nouns without a capital, at the start of a sentence too. */
const expression = (prepositions: string) =>
  lazily(
    `(?<=(?:^|[ \\n\\t(–—-]|[ (][ld]['’])(?:${prepositions})[ ](?:(?:el|la|las|los|els|les|de|den|der|het|l['’])[ ])?|(?<= )d['’])(?<!\\p{Lu}\\p{Ll}{2,20}[ ]\\p{Ll}{1,7}[ ])${NAME}${EDGE}`,
    "gu",
  );
const EXPRESSIONS = new Map<string, Lazy>(
  [...Object.values(PREPOSITIONS), ...SCRIPTS.map(([, prepositions]) => prepositions)].map((one) => [
    one,
    expression(one),
  ]),
);

/** Words with a capital that name no place, by their beginnings, without accents: holidays, programs, parts of documents, offices. */
const NO_PLACE = lazily(
  `^(?:${[
    "christ|toussaint|easter|ramadan|eid$|diwali|noel|paques|navidad|pascua|natal|natale|pasqua|pasen|kerst|bozeg|bozim|wielkan|wigili|vanoc|velikono|velkou|silvest|bozic|uskrs|velik|jul$|paske|pask$|craciun|pasti|kaledo|ziemassv|roždest|рождест|пасх|різдв|велик|коледа|великден|божић",
    "internet|google|gmail|facebook|whatsapp|instagram|youtube|teams$|zoom|skype|excel|word|outlook|windows|linux|android|python|java|javascript|chrome|firefox|safari|github|docker|photoshop|wifi|wi-fi|bluetooth|sql|html|pdf|linkedin|tiktok|twitter|netflix|paypal|messenger|telegram|viber|slack|jira|sap|интернет",
    "god$|god's|lord|jesus|allah|dieu|dios|deus|boga|bogu|bog$|boh|general|addition|fact|case$|class|grade|year$|room|ward|unit|section|chapter|part|step|phase|stage|table|figure|fig|appendix|annex|article|item|level|zone|block|line|column|row|page|question|form$|schedule|version|volume|series|type|box|bed|building|hall|floor|suite|gate|terminal|lot$|bay$|group|team|plan|order|accordance|respect|witness",
    "english|german|french|spanish|italian|dutch|polish|portuguese|swedish|danish|norwegian|finnish|hungarian|romanian|czech|turkish|russian|ukrainian|arabic|chinese|japanese|korean|hindi|urdu|latin|hebrew|welsh|irish|mandarin|swahili|tagalog",
    "spring|summer|autumn|winter|fall$|covid|article|annexe|tableau|chapitre|partie|contrat|contrato|contratto|convention|clausula|anexo|allegat|capitul|seccion|secao|seccao|tribunal$|ley$|lei$|codigo|codice|code|reglamento|regulamin|umow|zalaczni|ustaw|kodek|priloz|prilog|smlouv|zakon|zmluv|ugovor|pogodb",
    "ministr|ministe|parlam|senat|congre|assembl|sejm|unia|unii|union|europ|droga|pana$|pani$|panu|panstw|pane|pani|vas|vam|vase|vasi|vasim|vasem|vasich|vasej|vasom|ihrem|ihren|ustedes|voce|договор|закон|прилож|статт|стать|кодекс|додат",
    "urgenc|urgence|oncolog|cardio|kardiol|neurol|pediatr|radiol|chirurg|psychiat|gynek|ginek|ortoped|dermatol|onkolog|internal|medicin|mri|rtg|usg|ecg|ekg|icu|uci|uti|jip|aro$|sor$|izb|dg|er$|ed$|ob$|pt$|dr$|mr$|mrs$|ms$|prof|mag$|ing$|mudr|st$",
  ].join("|")})`,
  "iu",
);

/** Endings of people's names in cases that follow these prepositions in Slavic languages. */
const PERSON_ENDING =
  /(?:sk|ck|zk)(?:iego|iemu|im|ého|ému|ým|ym|og|om|ega|emu)$|(?:owi|ovi|em|iem|ou|ą|ům|om)$|(?:ом|ем|єм|ою|ею|єю)$/u;
/** Prepositions that take the instrumental case for people: "z Janem", "з Олегом". */
const WITH = /(?:^|[^\p{L}])(?:z|ze|zo|s|pod|nad|do|з|із|зі|под|під)[ ]$/iu;

/** Returns whether a word with a capital may be the first of a place. */
function maybePlace(word: string): boolean {
  const bare = plain(word);
  return (
    /\p{Ll}/u.test(word) &&
    !isWord(word) &&
    !ENGLISH.has(bare) &&
    !isWeekday(word) &&
    !monthForm(word) &&
    !MONTHS.has(word.toLowerCase()) &&
    !NO_PLACE().test(bare) &&
    !isGivenName(word.toLowerCase())
  );
}

/** Returns a place of the words of `name`, without those at its end that are no names. */
function located(text: string, start: number, name: string): Match[] {
  const [first = ""] = name.split(/[ -]/, 1);
  if (!maybePlace(first) || (WITH.test(text.slice(Math.max(0, start - 5), start)) && PERSON_ENDING.test(first)))
    return [];
  let length = name.length;
  for (;;) {
    const last = / (\S+)$/u.exec(name.slice(0, length));
    if (!last || (!isWord(last[1]!) && !isWeekday(last[1]!) && !monthForm(last[1]!) && !/^\p{Ll}/u.test(last[1]!)))
      break;
    length = last.index;
  }
  return [{ start, end: start + length, label: "LOCATION", score: 0.9 }];
}

/** Places in German, whose common nouns have a capital too: by the ending of the name. */
const GERMAN = lazily(
  `(?<=(?<!\\p{L})(?:[Ii]n|[Aa]us|[Nn]ach|[Bb]ei|[Bb]is|[Üü]ber|[Vv]on|[Rr]ichtung|Raum|Filiale|Standort|Bahnhof|Stadt|Gemeinde|Landkreis|Kreis|Hafen|Flughafen)[ ])(?:(?:Bad|Sankt|St\\.|Groß|Klein|Neu|Alt|Ober|Unter)[ -])?\\p{Lu}\\p{Ll}{1,14}(?:burg|berg|dorf|stadt|heim|hausen|ingen|bach|furt|furth|hagen|hafen|kirchen|brück|brücken|bruck|walde|felde|itz|rode|stedt|stedte|leben|büttel|münde|weiler|hofen|reuth|stetten|haven|horst|bronn|kirch|wil|hofen|lingen)(?: (?:am|an der|im|ob der) \\p{Lu}\\p{Ll}+|/\\p{Lu}\\p{Ll}+)?${EDGE}`,
  "gu",
);

/** Finds places after the prepositions of the text's language. */
function prepositional(text: string): Match[] {
  const found: Match[] = [];
  const code = languageOf(text);
  const lists = code && PREPOSITIONS[code] ? [PREPOSITIONS[code]] : [];
  if (code === "de")
    for (const { 0: name, index } of text.matchAll(GERMAN())) found.push(...located(text, index, name));
  const script = SCRIPTS.find(([letters]) => letters.test(text));
  if (script) lists.push(script[1]);
  for (const list of lists)
    for (const { 0: name, index } of text.matchAll(EXPRESSIONS.get(list)!())) found.push(...located(text, index, name));
  return found;
}

/** Case endings of place in languages without such prepositions, after a word in lower case. */
const ENDINGS: Record<string, Lazy> = Object.fromEntries(
  Object.entries({
    hu: "[\\p{L}-]{2,20}?(?:b[ae]n?|b[óő]l|r[óő]l|n[áé]l|t[óő]l|[oeö]n)",
    fi: "[\\p{L}-]{2,20}?(?:ss[aä]|st[aä]|lt[aä]|(?:aa|ee|ii|oo|uu|yy|ää|öö)n)",
    et: "[\\p{L}-]{2,20}?(?:sse|st|[aeiouäöü]s|lt)",
    lv: "[\\p{L}-]{2,20}?[āēīū]",
    lt: "[\\p{L}-]{2,20}?(?:[uoė]je|uose|yje|ose|ėse)",
  }).map(([code, form]) => [code, lazily(`(?<=[\\p{Ll},][ ])\\p{Lu}${form}${EDGE}`, "gu")]),
);

/** Finds places by the case endings of Hungarian, Finnish and the Baltic languages. */
function inflected(text: string): Match[] {
  const ending = ENDINGS[languageOf(text) ?? ""];
  if (!ending) return [];
  return Array.from(text.matchAll(ending())).flatMap(({ 0: name, index }) =>
    name.length > 4 && !isRole(name) ? located(text, index, name) : [],
  );
}

const MONTH = "(\\p{L}{3,12})\\.?";
const YEAR = "(?:19|20)\\d\\d(?!\\d)";
const DATE = `(?:\\d{1,2}(?:\\.|er|º|°|th|st|-го)?[ ./-]{1,2}(?:\\d{1,2}[ ./-]{1,2}\\d{2}|(?:de |d['’])?${MONTH})|${YEAR}[.,]?[ -]|${MONTH} (?:\\d{1,2}, )?${YEAR})`;
/** A place before the date of a letter, alone in their line. */
const DATED = lazily(
  `(?<=^[ \\t>]{0,4}(?:(?:W|We|V|Ve|U|A|En|Em|À|În|Dado em|Dáno v|Done at|Fait à) )?)${NAME}(?=(?:,|, –| [–-])?[ ]{1,3}(?:(?:le|den|dne|dnia|dňa|am|el|il|a|a los|aos|i|dana|de|dana|gada|ngày|tanggal|dt\\.?|на|од|від|от) )?(?<=, {1,3}|[-–] |(?:le|den|dne|dnia|dňa|dana|ngày) )${DATE}.{0,24}$)`,
  "gmu",
);
const isMonth = (word: string) => MONTHS.has(word.toLowerCase()) || monthForm(word) !== undefined;
const dated = (text: string): Match[] =>
  Array.from(text.matchAll(DATED())).flatMap(({ 0: name, 1: month, 2: other, index }) =>
    name.split(" ").some((word) => isWeekday(word) || isMonth(word) || isRole(word)) ||
    !isMonth(month ?? other ?? "may")
      ? []
      : located(text, index, name),
  );

/** A postcode with a town, at the start of a line or after a comma. */
const POSTCODE = lazily(
  `(?<=(?:^|[,;|(·–\\t-])[ ]?)(?:(?:[A-Z]{1,2}[- ])?(?:\\d{5}|\\d{3} \\d{2}|\\d{2}-\\d{3}|\\d{4}-\\d{3})|(?:[A-Z]{1,2}-|(?<=, ))(?!19|20)\\d{4}) ${NAME}(?: \\d{1,2}(?![\\p{N}.,:/-]))?(?=[ ]?(?:$|[,;|()·\\n]|[-–—] |\\.(?:\\s|$)))`,
  "gmu",
);
/** Units and other words after a number. */
const COUNTED =
  /^(?:Euro|Units?|Items?|Pieces|Stück|St|Stk|Kronen|Franken|Forint|Punkte|Meter|Watt|Liter|Einwohner|Seiten|Zeichen|Wörter)/u;

/** Names of countries without their endings and accents. */
const COUNTRIES = [
  "afganist afghanist afghanistan aserbaidschan azerbaijan azerbejdzan bangladesh belarus bielorus belgi belgiqu belgie bolivi bosnia bosni brasil brazil brazyli bresil brasilien bulgari bulgarsk bulharsk cambodi cameroun canad colombi croati croaci chorwacj chorvatsk cypr cyprus czechi cechy cesk tschechi tchequi rumunj rumunsk romani romeni rumani roumani denmark danmark danemark dinamarc dani\u0101j danij dansk",
  "deutschland germany allemagn alemani alemanh germani nemeck nemack njemack nemcij niemc niemiec nemetorszag vokietij vacij saksamaa tyskland duitsland egypt egipt agypten ecuador ekvador estoni eston estland ethiopi etiopi etiopij athiopien espagn espan espanya spani spain spanien spanelsk spanij spanyolorszag hiszpani ispanij ispanya spanje france france franci francij francuzsk francji francusk frankreich frankrijk frankrik frankrig franciaorszag prancuzij ranska",
  "finland finlandi finlandia suomi suome finsk finnorszag greec greci grecj griechenland griekenland grecko gorogorszag grck hungari hungary ungarn ungern ungari wegier wegry wegrz madarsk madarsko madzarsk mađarsk magyarorszag hongri hungri iceland islandi irlandi irlandia irland ireland irlanda irsk indonesi indonezj italia italien italie italy italij wloch wlosz olaszorszag talianskoe taliansk japan japon japani kazachstan kazakhstan kasachstan keni kenya",
  "latvi latvij lettland lotw lotyssk lithuani litauen lietuv litwa litwi litw litv luksemburg luxembourg luxemburg marok marocco maroc marruecos marrocos mexico mexiko meksyk mexiqu messico moldav moldova mongoli mozambiqu mozambik mocambiqu montenegro nederland$ netherlands niederlande holland hollandi olanda holandi nizozemsk nigeria norway norweg norwegi norge noreg norvegi norvege noruega norvegij noorwegen norvegija",
  "osterreich austria austrij austri autrich avstrij rakousk rakusk ausztri oostenrijk osterrik ostrig pakistan palestin paraguay poland polen pologn polonia polsk polsc poljsk lenkij lengyelorszag puola philippines philippinen filipine portugal portugali portugalsk portugalij russia russland rosja rosji rosje russi rusij rusija rusko rusk ruskej rossij venaj oroszorszag senegal",
  "serbi serbij srbij srbsk serbia slovaki slovakia slowakei slowacj slovensk slovack eslovaqui slovaquie szlovaki slovenia sloveni slovenij slowenien slowenia slowenij szlovenia somalia sudan suede suec svezia schweden sweden sverig szwecj svedsk zviedrij svedij svedorszag ruotsi rootsi schweiz switzerland suisse suiza suica svizzera szwajcari svycarsk svajciarsk svajc sveits svajcarsk svicarsk zwitserland sveitsi",
  "singapur singapor taiwan tajwan tanzani thailand tajlandi tailandi tunisi tunezj turkei turqui turcj turcij turcia turecko tureck turkiye torokorszag ucrain ucrani ukrain ukraine ukrajin uganda ouganda uruguay uzbekistan venezuel vietnam wietnam zambi zambia zimbabw inglaterr inghilterra angleterre england englands anglij anglie angli scotland schottland szkocj skotsk wales großbritannien grossbritannien",
];
/** Names of large cities without their endings and accents. */
const CITIES = [
  "aberdeen amsterdam ankara antalya antwerp antwerpen arnhem athens athen atlanta auckland augsburg bangalore bangkok barcelon basel beijing peking beirut belfast belgrad beograd bergamo berlin bilbao birmingham bochum bogota bolzano bonn$ bordeaux boston bratislav braunschweig bremen brescia brisbane bristol brno brussel brussels bruxelles budapest bukarest bucharest bucurest burgos bursa bydgoszcz caracas cardiff casablanca chemnitz chennai chicago cluj coimbra colombo copenhagen cordoba cracow craiova",
  "dakar dallas damascus danzig debrecen delhi denver detroit dhaka dortmund dresden drezn drazdan dubai dublin dubrovnik duisburg dusseldorf edinburgh eindhoven erfurt erlangen firenze frankfurt freiburg gdansk gdyni gdyn geneve genf genova girona glasgow gliwic goteborg gothenburg gottingen granada graz$ grenoble groningen guadalajara guangzhou gyor haarlem hamburg hannover hanoi havana heidelberg heilbronn helsingi helsingfors helsink houston hyderabad iasi innsbruck istanbul izmir",
  "jakarta jaipur jerusalem johannesburg kampala karachi karlsruhe kassel katowic kaunas kaun kiel kielc kijow kyiv kiev kigali kinshasa kishinev chisinau klagenfurt klaipeda klaiped kobenhavn kopenhag koeln koln kolkata konstanz konstanca kosice kosic krakow krakau kyoto lagos lahore lausanne leeds leicester leiden leipzig lipsk liege lille lima$ linkoping linz lisbon lisbo lisbona lisabon liverpool ljubljan lodz london londyn londra londres londyn lubeck lublin luzern lyon",
  "madrid magdeburg mainz malaga malmo manchester manila mannheim maribor marseille marsylia melbourne messina mexico miami milano milan mailand minsk miskolc mogadishu mombasa monaco montevideo montpellier montreal moskau moscow moskva moskv moskwa moskw mumbai munich munchen monachi munster murcia nairobi nantes napoli neapol newcastle nicosia nijmegen nottingham novosibirsk nurnberg norymberg odense odessa oldenburg olomouc olsztyn opole osijek osaka oslo ostrav ottawa oulu oviedo",
  "padova palermo pamplona panama paris paryz pariz parizs parizh pecs perugia philadelphia pisa plovdiv plzen podgoric porto potsdam poznan prag praha prah prague praga pretoria prishtin pristin quito radom ravenna regensburg reggio rennes reykjavik riga rig rijeka rijec rome roma$ rostock rotterdam rouen rzeszow rzym salzburg salamanca salerno santander santiago saarbrucken sarajev seattle sevilla sevill shanghai sheffield sibiu singapore skopje slask sofia solingen southampton split$ stavanger",
  "stockholm sztokholm strasbourg strasburg stuttgart suceava sydney szczecin szeged tallinn tampere tarragona tartu tbilisi teheran tehran tilburg timisoar tiran tokio tokyo torino toronto torun toulon toulouse trento trieste trnava trondheim tromso tunis turin turku uppsala utrecht valencia valladolid vancouver varna vasteras varsov warsaw warschau warszaw venezia verona vicenza vienna vilnius vilni wilno wien wieden wiedn viden vigo vaasa wiesbaden winterthur wroclaw breslau wurzburg wuppertal yerevan york$",
  "zabrze zadar zagreb zaragoza zilin zurich zurych bekescsab kecskemet szombathely nyiregyhaz sopron oradea brasov constanta arad$ ploiest pitest galati timisoar bialystok bialymstok czestochow sosnowiec zakopan koszalin slupsk plock elblag gorzow opava pardubic liberec hradec olomouc zlin jihlav budejovic presov nitra bystric poprad martin$ celje koper kranj novo$ nis$ kragujevac subotic zrenjanin banjaluk mostar tuzla zenica",
  "adana konya gaziantep kayseri eskisehir diyarbakir samsun trabzon mersin denizli malatya erzurum bodrum bergen kristiansand drammen aarhus aalborg esbjerg orebro norrkoping jonkoping helsingborg lund$ umea vaxjo karlstad gavle espoo vantaa jyvaskyl lahti lahde rovaniem parnu narva daugavpils liepaj ventspils jelgav siauli panevez tirana durres vlore shkoder pristina prizren bitola ohrid",
];
/** Names of countries and cities in Cyrillic and Greek without their endings. */
const OTHER_SCRIPTS = [
  "росси россія росії германи німеччин франци францi итали італі испани іспан польш польщ украин україн белорус білорус казахстан узбекистан грузи армени турци туреччин греци греці болгари болгарі българи румъни румыни румуні сербия србиј србия чехи чехія чехії словаки",
  "словаччин венгри угорщин австри австрі англи англія германиј немачк франциј италиј швајцарск швейцари норвеги швеци финлянди эстони латви литв молдав израил ізраїл египет єгипет кита япони японі инди індія канад америк бразили холандия испания гърция гърци",
  "москв київ києв киев петербург новосибирск екатеринбург казан казань самар омск челябинск ростов волгоград воронеж краснояр пермь перми саратов тюмен краснодар сочи владивосток хабаровск иркутск мурманск калининград ижевск барнаул ярославл томск кемеров астрахан",
  "харків харков одес дніпр днепр львів львов запоріжж вінниц полтав чернівц черніг житомир ужгород тернопіл рівн луцьк сум$ херсон миколаїв черкас кропивницьк варшав краков берлин берлін лондон париж праг прага мадрид рим$ милан відень відн вена$ вене$",
  "софи софия пловдив варн бургас русе$ плевен благоевград велик$ шумен добрич сливен хасков перник враца видин београд нови$ ниш$ крагујевц крагујевац суботиц зрењанин сарајев загреб подгориц скопј скопје минск гомель гродн брест алмат астан ташкент тбилис ереван бак$",
  "тул$ тула$ тулу$ туле$ калуг рязан твер орел$ орле$ смоленск брянск курск белгород липецк тамбов пенз ульяновск саранск чебоксар оренбург курган магнитогорск тольятти ставропол махачкал владикавказ нальчик майкоп псков новгород вологд архангельск петрозаводск сыктывкар костром иваново$ нижневартовск сургут новокузнецк абакан кызыл якутск магадан благовещенск",
  "карел татарстан башкир удмурт чуваш дагестан чечн якути бурят сибир донбас галичин поволж карпат камчатк химк мытищ подольск балаших люберц одинцов серпухов коломн зеленоград анап геленджик новороссииск таганрог дзержинск стерлитамак уф$ уфа$ уфе$ уфу$ уфы$ череповец череповц рыбинск ангарск братск норильск воркут элист караганд шымкент актоб павлодар костана атырау актау бишкек душанбе ашхабад самарканд бухар баку$ батум кутаис гюмри могил$ витебск бобруиск кишинев",
  "маріупол кременчук бердянськ мелітопол нікопол бровар дрогобич мукачев берегов умань уман$ бердичів бердичев ковел краматорськ бахмут луганськ донецьк крим$ криму$ севастопол сімферопол ялт тернопол житомир вашингтон лос$ токіо токио варшав вроцлав гданськ",
  "монтан ловеч габров търгов$ търгови разград силистр ямбол казанлък асеновград кюстендил дупниц смолян кърджал пазарджик банск несебър созопол поморие димитровград свищов солун чачак ужиц крушев краљев лесков панчев сомбор зајечар пирот врањ битол битољ охрид тетов куманов прилеп велес струмиц штип гостивар беч$",
  "αλεξανδρουπολ κοζαν καστορι φλωριν γρεβεν τρικαλ καρδιτσ πρεβεζ λευκαδ ηγουμενιτσ μεσολογγ αγρινι ναυπλι ναυπακτ σπαρτ χαλκιδ χαλκιδικ λιβαδει κατερινη$ κατερινης$ βεροι ναουσ εδεσσ κιλκι μυτιλην λεσβ μυκον σαντοριν ναξ τηνο συρο κεφαλονι ζακυνθ αιγιν χαλανδρι μαρουσι κηφισι γλυφαδ περιστερι",
  "αθην θεσσαλονικ πατρ ηρακλει λαρισ βολο ιωανν χανια χανιων καβαλ ροδο ρεθυμν καλαματ κερκυρ κορινθ τριπολ λαμι σερρ ξανθ κομοτην πειραι πειραια κρητη κρητης κυπρο λευκωσια λεμεσο λονδινο παρισι βερολινο ρωμη ελλαδα ελλαδας γερμανι ιταλι γαλλι ισπανι αγγλι βελγι ολλανδι σουηδι τουρκι βουλγαρι ρουμανι ρωσι πολωνι ουκρανι",
];
/** Names of several words. */
const SEVERAL =
  "Buenos Aires|Cape Town|Costa Rica|Côte d['’]Ivoire|Czech Republic|Česk(?:á|é|ou) republi\\p{L}{1,2}|Den Haag|El Salvador|Frankfurt am Main|Ho Chi Minh City|Hong Kong|Kuala Lumpur|Las Palmas|Las Vegas|Los Angeles|New Delhi|New York|New Zealand|North Macedonia|Nov(?:i|og|om) Sad\\p{L}{0,2}|Nueva York|Rio de Janeiro|San Francisco|San Diego|San Salvador|San José|Santiago de Chile|Saudi Arabia|São Paulo|Sierra Leone|South Africa|South Korea|Sri Lanka|St\\. Gallen|Sankt Petersburg|St\\. Petersburg|Tel Aviv|United Kingdom|United States(?: of America)?|Velk(?:á|é|ou) Británi\\p{L}|Wielk\\p{L}{1,3} Brytani\\p{L}|Абу-Даби|Нижн\\p{L}{2,4} Новгород\\p{L}{0,2}|Санкт-Петербург\\p{L}{0,2}|Велик\\p{L}{1,3} Търново|Нови Сад|Новом Саду|Набережн\\p{L}{2,3} Челн\\p{L}{1,3}|Крив\\p{L}{2,4} Р\\p{L}{1,3}|Стар\\p{L}{1,3} Загор\\p{L}|Біл\\p{L}{1,3} Церкв\\p{L}{1,3}";
const SEVERAL_WORDS = lazily(`(?<![\\p{L}\\p{N}_])(?:${SEVERAL})${EDGE}`, "gu");

/** Case endings of names of places, without accents. */
const CASE =
  /^(?:[aeiouys]|[ai]a|ie|ii|iu|io|ij[aeiou]|[aeiou]s|em|om|um|ou|ach|ech|ich|am|[ai]ma|b[ae]n?|b[o]l|r[oae]l?|n[ae]l|t[o]l|[oe]n|ss[a]|st[a]|ll[ae]|lt[a]|[aiu]a|iin|uun|aan|uje|oje|eje|yje|d[ae]n?|t[ae]n?|[аяиіїеєуюыој]|и[яиюе]|і[яїю]|ој|ою|ом|ем|ам|ах|ов[іі]?|та|ь|ью|[αοηι]ς?|ου|ος|ον|ια|ιας|ας|ης)$/u;
let known: ReadonlySet<string> | undefined;
const names = () => (known ??= new Set([...COUNTRIES, ...CITIES, ...OTHER_SCRIPTS].flatMap((line) => line.split(" "))));

/** Returns whether a word is a country or city of the lists, in any case. */
export function isKnown(word: string): boolean {
  const bare = plain(word).replace(/ł/g, "l").replace(/ø/g, "o");
  for (let length = bare.length; length >= Math.max(3, bare.length - 4); length--) {
    const stem = bare.slice(0, length);
    if (
      length === bare.length
        ? names().has(stem) || names().has(`${stem}$`)
        : names().has(stem) && CASE.test(bare.slice(length))
    )
      return true;
  }
  return false;
}
const ONE = lazily(
  `(?<![\\p{L}\\p{M}\\p{N}@._/\\\\'’-])\\p{Lu}[\\p{L}\\p{M}]{2,20}(?![\\p{L}\\p{M}\\p{N}@_]|\\.\\p{L}|-\\p{L})`,
  "gu",
);

/** Finds places before the date of a letter. */
export const placesOfLetters = dated;
/** Finds places after a preposition or with a case ending of place. */
export const placesByGrammar = (text: string): Match[] =>
  /\p{Lu}/u.test(text) ? [...prepositional(text), ...inflected(text)] : [];
/** Finds towns after their postcodes. */
export const towns = (text: string): Match[] =>
  matches(text, POSTCODE, "ADDRESS", (word) => !COUNTED.test(word.replace(/^[\p{Lu}\d -]*(?=\p{Lu})/u, "")));
/** The same word in a text without capitals. */
const ONE_SMALL = lazily(
  "(?<![\\p{L}\\p{M}\\p{N}@._/\\\\'’-])\\p{Ll}[\\p{L}\\p{M}]{4,20}(?![\\p{L}\\p{M}\\p{N}@_]|\\.\\p{L}|-\\p{L})",
  "gu",
);
/** Characters before and after a name in lower case that must hold no word with a capital. */
const NEAR = 80;

/** Finds large cities and countries by their names, in lower case only where no word near has a capital. */
export const knownPlaces = (text: string): Match[] => [
  ...matches(text, SEVERAL_WORDS, "LOCATION"),
  ...matches(text, ONE, "LOCATION", isKnown),
  ...matches(
    text,
    ONE_SMALL,
    "LOCATION",
    (word, { index, input = "" }) =>
      !isWord(word) &&
      !/^(?:lahti|lahte|bergen|essen|nancy|roman)/.test(word) &&
      !isGivenName(word) &&
      isKnown(word) &&
      !/\p{Lu}\p{Ll}/u.test(input.slice(Math.max(0, index! - NEAR), index! + NEAR)),
  ),
];

/** A line of a curriculum vitae, by a range of years. */
const CAREER = lazily(
  `^[^\\n]{0,40}(?:19|20)\\d\\d ?(?:[–—→]|[/-](?! ?\\d\\d?[-/])|to |bis |do |až )[^\\n]{3,160}$`,
  "gmu",
);
const PIECE = lazily(
  `(?<=^|, |; |: |\\t|\\(| [–—|·-] | {2}|[\\p{Script=Cyrillic}\\d]{4}\\. )(${NAME}|\\p{Lu}{3,7})(?=$|[,;:.)(\\t]| [–—|·(-]| {2})`,
  "gu",
);
/** Endings of words for jobs in languages that write them with a capital. */
const JOB =
  /(?:er|or|ist|ant|ent|eur|in|eut|age|ung|ing|ive|kraft|hilfe|leitung|leiter|lehre|zeit|yst|cian|man|chef|clerk|ship|cook|nurse)$/iu;

/** Finds employers and towns in lines of a curriculum vitae: parts of only words with a capital. */
export function careers(text: string): Match[] {
  const found: Match[] = [];
  const code = languageOf(text);
  const isOther = /[\p{Script=Cyrillic}\p{Script=Greek}]{4}/u.test(text);
  const hasNouns = !isOther && (code === "en" || code === "de" || code === undefined);
  for (const { 0: line, index } of text.matchAll(CAREER())) {
    const pieces = Array.from(line.matchAll(PIECE())).filter(({ 1: name }) => {
      const words = name!.split(" ");
      return (
        words.every((word) => !isRole(word) && !isMonth(word)) &&
        !isWord(words[0]!) &&
        !NO_PLACE().test(plain(words[0]!)) &&
        !(hasNouns ? JOB : /(?:engineer|manager|student|officer|worker|assistant)$/iu).test(words.at(-1)!) &&
        !(hasNouns && /^\p{Lu}+$/u.test(name!)) &&
        !/^(?:NULL|ISO|HACCP|SAP|SQL|CRM|ERP|PDF|CEO|CTO|HR|IT)$/.test(name!)
      );
    });
    const hasRole = /(?:[,|;·–—-]|\t| {2}) ?\p{Ll}{4}/u.test(line);
    for (const [n, { 1: name, index: at }] of pieces.entries()) {
      const isFirst = !/[,;|·]|\p{L} [–—-] /u.test(line.slice(0, at).replace(/^.*?\d{4}/u, ""));
      if (isFirst && (hasNouns || (!hasRole && n === pieces.length - 1))) continue;
      if (hasNouns && name!.includes(" ") && /\p{Ll}{3}$/u.test(name!) && n === 0 && pieces.length > 1 && isFirst)
        continue;
      const start = index + at;
      found.push({ start, end: start + name!.length, label: n > 0 ? "LOCATION" : "ORGANIZATION", score: 0.8 });
    }
  }
  return found;
}
