// Ages of other languages than English: verbs and pronouns of age, answers, notes, compounds, birthdays and babies.
import { isEnglish, judgedPart } from "../language.js";
import { hasGivenName } from "./given-name.js";
import { before, lazily, type Match, matches } from "./match.js";
import { isNumberWord } from "./spoken-number.js";

const START = "(?<![\\p{L}\\p{M}\\p{N}@_-])";
const DIGITS = "(?:1[01]\\d|\\d{1,2})";

/** Pronouns, words for relatives and verbs after which a number alone is an age, as "er ist", "hun fyller", "ей". */
const BEING = [
  "(?:ich|du|er|sie|(?:mein|dein|sein|ihr|unser)e? \\p{L}{3,12}|[om]pa|[om]ma|papa|mama|mutter|vater) (?:bin|bist|ist|war(?:st)?|wird|werde|wirst|wurde)|(?:bin|war|werde|wurde|warst|wird|ist) (?:ich|du|er)|(?<=(?:^|[.,;:!?\\n]) ?)bin|(?:der|die) wurde|(?:ik|hij|zij|ze|je|u|ek|hy|sy) (?:ben|bent|is|was|wordt|word|werd)|(?:ben|was|word) ik|(?:is|was|wordt) (?:hij|ze)|(?<=(?:^|[.,;:!?\\n]) ?)(?:ben|ik)",
  "(?:jeg|eg|han|hun|hon|ho|jag|du|mor|far|[fm]ormor|[fm]arfar|morfar|farmor|hann|hún|ég) (?:er|är|blir|blev|var|verður|varð)|(?:er|är|blir|blev|var) (?:jeg|eg|han|hun|hon|ho|jag|du)|fyll(?:er|te|de)|fyld(?:er|te)|(?:hän|äiti|isä|mummo|ukki|poika|tyttö) on|(?:olen|oon|olin|täytän|täyttää|täytti|täyttänyt)|(?:ta|tema|ma|mina|ema|isa|vanaema|vanaisa) (?:on|olen|oli|saab|sai)",
  "(?:man|viņam|viņai|tev|mātei|tēvam|meitai|dēlam|mammai|vecmammai)(?: (?:ir|būs|bija|paliek|palika|apritēja|jau|tikai)){1,2}|(?:man|jam|jai|aš|tau|mamai|tėvui|dukrai|sūnui)(?: (?:yra|buvo|bus|sukako|sukanka|suėjo|jau|tik)){1,2}",
  "(?:mi|mu|jí|jej|ti|jemu|mně|tomu|ktor(?:ému|ej)|kter(?:ému|é)|mámě|tátovi|babi(?:čce|čke)|meni|njemu|njoj|njej|joj|tebi|babici|djedu)(?: (?:už|uz|su|sú|je|bylo|bude|bolo|bilo|teprve|bo|već|že|bit će|će biti)){1,3}|(?:je|bylo|bude|bolo|bilo|bo) (?:mi|mu|jí|jej|joj|ji|ti)|(?:navršil[ao]?|punim?|napuni(?:la|o)?|dopolni(?:la?)?|uskoro će|(?:star[ao]? (?:sam|sem|je|si)|(?:je|sam|sem) star[ao]?))",
  "(?:skończył[ao]?m?|kończ[yę]|skończ[yę])|cumpl(?:e|o|ió|irá|ía)|complet(?:a|ou|o)|compi(?:e|o|rà|uto)|en (?:fa|fas|faig|farà)|ne (?:ha|ho|compie|fa|faccio|avevo)|împlineș?s?(?:te|c)|împlinit|elmúlt|betölt(?:i|ötte)|mbush(?:i|a|n)?",
  "(?:мне|тебе|ему|ей|маме|папе|сыну|дочери|дочке|мужу|жене|бабушке|дедушке|внуку|внучке|брату|сестре|деду)(?: (?:уже|было|будет|исполнил(?:ось|ся)|исполнится))?",
  "(?:мені|тобі|йому|їй|мамі|татові|сину|доньці|бабусі|дідусю|чоловікові|дружині|онуку|онучці)(?: (?:вже|уже|було|буде|виповнилося|виповниться))?|(?:съм|е|стана|става|станах|ставам|ще стане|навърши|навършва) на|(?:навърши|напуни|пуним?|(?:мени|њему|њој) је|(?:стар|стара) (?:сам|је))",
  "(?:κλείν(?:ω|ει|εις)|έκλεισ(?:α|ε|ες)|πάτησ(?:α|ε)|πατάω|μπήκα στα|μπήκε στα|είμαι|γίνομαι|έγινα|έγινε|γίνεται)(?: και)?(?: τα)?|είναι τώρα",
];
/** Verbs for "to have" and "to make", which count things as well: a number below ten needs a person before them. */
const HAVING = [
  "tengo|tienes|tiene|tenía|tendrá|teño|ten|tenho|tem|tens|tinha|terá|fa[zç]o?|fez|fará|tinc|té|tenia|tenen|j['’]ai|t['’]as|(?:il|elle|on) (?:a|avait)|y a|ho|hai|ha|avevo|aveva|are|avea[mi]?|mam|masz|ma|miał[ao]?m?|mám|máš|má|měl[ao]?|mal[ao]?|imam|imaš|ima|ima[ol]a?|imel[ao]?|имам|имаш|има",
  "(?:murió|falleció|se murió|se operó|se jubiló|se casó|enviudó|morreu|faleceu|casou|va morir) (?:[^\\n.,;!?\\d]{1,24} )?(?:con|com|aos|a los|amb|als),?|a (?:los|mis|sus|tus)|con (?:mis|sus|tus)|aos|als",
];
/** Adverbs between the verb and the number. */
const ADVERB =
  "ya|já|jo|già|ora|agora|ara|snart|nu|nå|nú|al|nog|pas|maar|net|ook|jetzt|erst|schon|auch|ja|nur|noch|halt|eben|bald|übrigens|knapp|fast|gerade|grad|genau|kun|bare|bara|först|allerede|redan|også|jo|orðinn|orðin|blevet|blitt|fyllt|fylt|kanske|kanskje|rundt|kring|omkring|jo|vasta|jo|kohta|nyt|juba|alles|ainult|varsti|jau|tikai|tik|dar|tagad|dabar|już|teraz|dopiero|tylko|prawie|ponad|około|už|teď|teraz|teprv[ae]?|len|jen|skoro|asi|sad|već|tek|samo|zdaj|že|cerca de|casi|quase|quasi|gairebé|apenas|solo|sólo|só|déjà|bientôt|maintenant|presque|seulement|acum|deja|aproape|vreo|doar|уже|же|ж|ли|всего|только|скоро|сейчас|почти|тогда|завтра|вже|тільки|лише|ледь|майже|зараз|вече|само|още|τώρα|ήδη|μόνο|σχεδόν|volgende week|nächste woche|nästa vecka|la semana que viene|i[nm] \\p{L}{3,9}|kolem|kolom|unos|unas|uns|umas|sui|circa";
/** Words that may follow an age at once: the clause goes on. */
const NEXT =
  "und|et|y|e|i|og|och|ja|és|și|si|en|a|ir|un|in|dhe|и|і|та|και|aber|mais|pero|ma|mas|maar|ale|men|mutta|de când|dar|ali|no|ale|но|але|αλλά|mutta|aga|bet|nich|nicht|geworden|gewesen|geword|oud|alt|lol|jaja|ahora|já|am|im|beim|als|wenn|da|und|seit|op|på|til|i|le|el|il|em|este|w|we|ve|v|vo|на|в|у|през|το|τον|την|στις|en|juni|mei|is|és|que|así|años?|est[ea]|es[ea]|hoy|dies|el|la|samo|jen|len|ne|vero|oder|eller|of|или|або|all[ao]?|gone|jos|kun|kas|ens|ensi|viikolla|raz|by|skończył\\p{L}?|fets?|сега|сейчас|только|всего|само|лет|има";
const YEARS =
  "jahre?n?(?: alt)?|jahr|ani(?: și jumătate)?|ans|anys?|anni|anos?|añ(?:os?|itos)|aninhos|jaar(?: oud)?|jr|år(?: gam\\p{L}{1,3})?|ára(?: gam\\p{L}{1,4})?|vjeç(?:e|ar\\p{L}{0,3})?|lat(?:ka|ek)?|let[aáiy]?|rok[ůyov]{0,2}|rôčk\\p{L}{1,2}|rôčky|godin[aeu]|god\\.?|metų|metai|gad[iu]|gadus|aastat?|aastane|aastase[ln]?t?|éves|vuotta|vuotias|v|yaş(?:ında\\p{L}{0,3})?|yaşındayım|лет|год[аи]?|годин[аие]|рок(?:ів|и)|рочк\\p{L}{1,2}|рік|годинки|ετών|χρον\\p{L}{1,2}|жаста|vjeç";
export const MONTHS =
  "mnd|maand(?:en)?|mdr|måned(?:er)?|mån(?:ader)?|mánaða|monate?n?|mt|kk|kuukau\\p{L}{1,5}|kuu|kuud|meses|mesi|mesos|mois|luni|miesi[ąę]c\\p{L}{0,2}|mies\\.?|měsíc\\p{L}{0,2}|mesiac\\p{L}{0,2}|m[j]?esec[ai]?|mjesec\\p{L}{0,2}|mesece[mv]?|mėn(?:esi\\p{L}{1,2})?|mēn(?:eš\\p{L}{1,2})?|hó(?:napos)?|месяц\\p{L}{0,2}|мес|міс(?:яц\\p{L}{1,2})?|месец\\p{L}{0,2}|μηνών|aylık|günlük|wochen|weken|uger|uker|veckor|viikkoa|semanas|semaines|settimane|setmanes|săptămâni|tygodni\\p{L}?|týdn\\p{L}{1,2}|týždňov|tjedana|тижн\\p{L}{1,2}|недел\\p{L}{1,2}";
const HALF =
  "(?: (?:and a half|y medio|e mezzo|e meio|i mig|et demi|ja puoli|rokku|rok[uů]?|i pół|a půl|a pol|i po|in pol|și jumătate|si jumate|и половина|rưỡi))?";
const UNIT = lazily(`^${HALF}[ -]?(?:${YEARS}|${MONTHS})\\.?(?![\\p{L}\\p{M}\\p{N}])`, "iu");
/** Where a clause ends after an age. */
const CLAUSE_END = lazily(
  `^${HALF}(?:["'”“»]?\\s?(?:[.,;!?)…]+(?!\\d)|$|\\n|\\p{Extended_Pictographic})|\\s[–—(-](?!\\d)|\\s(?:${NEXT})(?![\\p{L}\\p{M}\\p{N}]))`,
  "iu",
);
/** Verbs for "to be" after a name or a word for a relative. */
const COPULA = "ist|wird|wurde|war|is|wordt|was|van|von|er|är|blir|blev|on|oli|saab|ir|bija|yra|buvo|je|е|є";
const TRIGGERS = lazily(
  `${START}(?:(${BEING.join("|")})|(?:${HAVING.join("|")})|(${COPULA}))(?: (?:${ADVERB})(?!\\p{L})){0,3} (?=[\\p{L}\\d])`,
  "giu",
);
const NUMBER_WORD = /[ -]?([\p{L}\p{M}'’]+)/uy;
/** Words for one and articles: alone they are no age. */
const ARTICLE =
  /^(?:niet|to|et|en|un[aoe]?|eine?[nrsm]?|eins|e[eé]n|ett|sei|du|hat|ni|ti|hát|jeden|jedn[aou]|один|одна|едн[ао]|един|одно|ena|bir|egy|viens|vienas|yksi|üks|o|um|uma|ένα|μία|ja|og|och|y|i|e|a|és|и|і|și|und|and|six pour|on|dos|es)$/iu;
const AND = /^(?:und|et|y|e|i|og|och|ja|és|si|și|in|и|і|en|a)$/iu;

/** Words for one and a half, and for two or more and a half. */
const HALVES =
  /^(?:(?:ein|zwei|drei|vier)einhalb|anderthalb|anderhalf|poolteist|puolitoista|halvannet|halvandet|másfél|półtora|poldruha|pusantrų|pusotra)$/u;

/** Returns where the number in words that begins at a place ends, and its first word; undefined if none begins there. */
export function numberAt(text: string, at: number): { end: number; word: string; count: number } | undefined {
  let [end, count, word] = [at, 0, ""];
  NUMBER_WORD.lastIndex = at;
  for (let n = 0; n < 9; n++) {
    const next = NUMBER_WORD.exec(text);
    if (!next) break;
    const lower = next[1]!.toLowerCase();
    if (AND.test(lower) && count > 0) continue;
    if (!isNumberWord(lower) && !HALVES.test(lower) && !(count > 0 && /^(?:uma?|unu|un)$/.test(lower))) break;
    word ||= lower;
    end = NUMBER_WORD.lastIndex;
    count++;
  }
  return count > 0 && !(count === 1 && ARTICLE.test(word)) ? { end, word, count } : undefined;
}

const NUMERAL = lazily(`${DIGITS}(?![\\p{L}\\p{N}%°/]|[.,:]\\d|['’]\\d)`, "uy");
/** Things that are counted after a number in words, and units. */
export const COUNTED =
  /^[ -](?:\p{L}{0,6}(?:minut|sekund|stund|met[er]|mét|kilo|gram|pro[zcs]|grad|stup|stop|euro?|kron|krun|kor|złot|lei|tag|dag|dn|dzi|jour|d[ií]a|giorn|zil|den|p[äa]iv|nap|woch|week|vik|uk[ae]|uger|tyd|tyg|mon|m[åa]n|mies|měs|mes|stück|leut|mensch|person|people|liter|hod|godz|uur|uhr|tim|час|хвил|мин|кило|метр|процент|рубл|лева|гривен|λεπτ|μέτρ|κιλ|ευρώ)|km|kg|cm|mm|m|l|h|kr|st|x|mal|keer|ganger|raz)/iu;
/** A word for a relative, and "he" or "she", before a verb. */
const RELATIVE =
  /(?<!\p{L})(?:hij[oa]s?|nen[ae]|niñ[oa]|él|ella|mi|abuel[oa]|madre|padre|mamá|papá|filh[oa]|ele|ela|avó|avô|net[oa]|mãe|pai|fill[ae]?|nét|àvia|avi|figli[oa]|lui|lei|nonn[oa]|nipote|mamma|papà|fils|fille|el|ea|mama|tata|copilul|fiul|fiica|syn|syna|córka|córeczka|babcia|dziadek|dcera|dcéra|máma|táta|babka|babička|dedo|sin|kći|kćer|ćerka|hči|hčerka|dete|dijete|otrok|otec|otac|oče|brat|sestra|sin|син|дъщеря|дете|внук|tochter|sohn|mutter|vater|[om]ma|[om]pa|mama|papa|schwester|bruder|frau|mann|kind|baby|enkel|enkelin|neffe|nichte|kleiner?|moeder|vader|zoon|dochter|zus|broer|vrouw|man|mor|far|datter|dotter|sønn|søn|son|mamma|pappa|bestemor|bestefar|mormor|farfar|farmor|morfar|äiti|isä|poika|tytär|ema|isa|poeg|tütar|laps|māte|tēvs|dēls|meita|tėvas|sūnus|dukra|которому|которой|que|který|která|ktorý|ktorá)$/iu;

/** Finds numbers after verbs and pronouns of age: "er ist jetzt auch siebzig", "tengo veintitrés", "йому тільки чотири". */
function byVerb(text: string): Match[] {
  const found: Match[] = [];
  const pattern = TRIGGERS();
  for (const match of text.matchAll(pattern)) {
    const start = match.index + match[0].length;
    const numeral = NUMERAL();
    numeral.lastIndex = start;
    const digits = numeral.exec(text)?.[0];
    const words = digits ? undefined : numberAt(text, start);
    if (!digits && !words) continue;
    const end = digits ? start + digits.length : words!.end;
    const rest = text.slice(end, end + 40);
    const unit = UNIT().exec(rest);
    const isSpoken = match[1] && words && words.word.length > 5 && !COUNTED.test(rest);
    if (!unit && !isSpoken && !CLAUSE_END().test(rest)) continue;
    const isLow = digits ? Number(digits) < 10 : words!.count === 1 && words!.word.length < 6;
    if (!match[1] && (isLow || match[2]) && !isPerson(before(text, match.index, 24))) continue;
    found.push({ start, end: end + (unit ? unit[0].trimEnd().length : 0), label: "AGE" });
  }
  return found;
}

/** Returns where an age that begins at a place ends: a number with a word for years or months, or one of two words. */
export function numberWithUnit(text: string, start: number): number | undefined {
  const numeral = NUMERAL();
  numeral.lastIndex = start;
  const digits = numeral.exec(text)?.[0];
  const words = digits ? undefined : numberAt(text, start);
  if (!digits && !words) return undefined;
  const end = digits ? start + digits.length : words!.end;
  const rest = text.slice(end, end + 40);
  const unit = UNIT().exec(rest);
  if (!CLAUSE_END().test(rest.slice(unit?.[0].length ?? 0))) return undefined;
  if (unit) return end + unit[0].trimEnd().length;
  return words && words.count > 1 && !COUNTED.test(rest) ? end : undefined;
}

/** Returns whether the text before a verb ends with a name or a word for a relative. */
function isPerson(context: string): boolean {
  const word = /([\p{L}\p{M}]+),? (?:(?:se|me|te|me) )?$/u.exec(context)?.[1];
  return word !== undefined && (RELATIVE.test(word) || (/^\p{Lu}/u.test(word) && hasGivenName(word)));
}

/** Questions for an age, and the answer in the next line. */
const QUESTION = lazily(
  `(?<!\\p{L})(?:wie alt|hoe oud|hur gammal|hv[eo]r gam\\p{L}{2,4}|kui vana|kuinka vanha|milyen idős|hány éves|quel âge|quanti anni|cu[aá]ntos años|quantos anos|quants anys|quants en (?:té|tens|fa)|c[âa][tț]i ani|ile (?:\\p{L}+ ){0,3}lat|kolik (?:\\p{L}+ ){0,3}(?:let|roků)|koľko (?:\\p{L}+ ){0,3}rokov|koliko (?:\\p{L}+ ){0,4}(?:godina|let|star\\p{L}{0,2})|сколько (?:\\p{L}+ ){0,3}лет|скільки (?:\\p{L}+ ){0,3}років|на колко (?:\\p{L}+ ){0,3}години|колико (?:\\p{L}+ ){0,3}година|πόσ(?:ων|ο) (?:\\p{L}+ )?χρον\\p{L}{1,2}|kaç yaş\\p{L}{0,8}|cik (?:\\p{L}+ ){0,2}gad[ui]|kiek (?:\\p{L}+ ){0,3}metų|v[âa]rst[aă]|edad|edat|età|âge|idade|alter|wiek|věk|vek)(?:[ ,][^\\n–]{0,40})?\\??(?:\\s{0,2}\\n\\s?|\\s–\\s)(?:[^\\n:]{1,24} ?: ?)?(?:[–—-] ?)?(?:(?:äh|ähm|eh|ehm|uh|ja|no|sí|si|pa|už|já|na|euh|olen|on|tengo|imam|tenho|ho|am|faço|j['’]ai|mam|mám|je|je suis|ich bin|er ist|sie ist|skoro|he|ha|tiene|tem|has|jeste|sunt),? ){0,3}(?=[\\p{L}\\d])`,
  "giu",
);

/** Finds answers to the question for an age. */
function answers(text: string): Match[] {
  return Array.from(text.matchAll(QUESTION())).flatMap(({ 0: whole, index }) => {
    const start = index + whole.length;
    const numeral = NUMERAL();
    numeral.lastIndex = start;
    const digits = numeral.exec(text)?.[0];
    const end = digits ? start + digits.length : numberAt(text, start)?.end;
    if (end === undefined) return [];
    const unit = UNIT().exec(text.slice(end, end + 40));
    return [
      {
        start,
        end: end + (unit?.[0].length ?? /^ (?:si jumate|i po|y pico)/u.exec(text.slice(end))?.[0].length ?? 0),
        label: "AGE",
      },
    ];
  });
}

/** A word for a patient, suspect or witness before an age in a note, with at most three words of a name between them. */
const PERSONS =
  "pac(?:jent|ient|iente|jentka|ienta)?\\p{L}{0,2}|patien\\p{L}{1,4}|pat|pt[ae]?|pz|px|bn|utente|var[oó]n|mujer|hombre|sig(?:\\.?ra)?|signora|uomo|donna|frau|herr|mw|dhr|mevr(?:ouw)?|heer|pan[ií]?|świad\\p{L}{1,3}|wit?ness|cliente?|homme|femme|gđa|gosp(?:a|od)?|potilas|patsient|pacients?|pacient[aeėų]|hasta|пациент\\p{L}{0,2}|пацієнт\\p{L}{0,2}|ασθενής";
/** Abbreviations of years. Those of one letter are units of measure as well: they need a comma or bracket after them. */
const ABBREVIATION =
  "J\\.?|Jahre|jr\\.?|jaar|lat|let|god\\.?|aa\\.?|añ?os|anos|anni|ani|thn|metų|metai|vuotta|vuotias|gadi|gadus|års?|éves|rok(?:ov|ů|y)|let[aáiy]?|лет|год[аи]?|років|роки|рік|рочк\\p{L}{1,2}|ετών|χρ\\.|жаста|yaş(?:ında)?|[EK](?=,)|g\\. v\\.";
const LETTER = "[glmrvatghjyрглA]";
const NOTE = lazily(
  `(?=\\d)(?:(?<=[,;|(:]\\s?|\\p{L}\\. )(?<!\\d[,;|(])((?!\\d J)${DIGITS}[ \u00a0]?(?:${ABBREVIATION}))(?=\\s?(?:[,;|)\\n]|$|[–-]\\s|\\.(?:\\s|$)))|(?<=[,(] ?)(?<!\\d,)(\\d\\d ?${LETTER}\\.)(?=[,)]|\\s?[–;])|(?<=${START}\\p{Lu}[\\p{L}.]*(?: (?:d[aeiou]s?|v[ao]n|\\p{Lu}[\\p{L}.'’-]*)){0,3},? ?|${START}(?:${PERSONS})[.:]? ?(?:[\\p{L}.'’-]+ ){0,2})(\\d\\d(?: ?[avj]|aa|[AlLtTE]))(?=[,).;:]|\\s?\\n|$))`,
  "gu",
);
/** "lat 66", "aa 72", "F 47", "м. 62", "B/70 ani", "W, 31 J." */
const SEX_OR_YEARS = lazily(
  `(?=\\d|lat )(?:(?<=[,;] |(?:${PERSONS})[.:]? )lat ${DIGITS}(?![\\p{L}\\p{N}.,]\\d|[\\p{L}\\p{N}]|-)|(?<=[,;] (?:aa|a\\.|л\\.) )\\d\\d(?![\\p{L}\\p{N}]|[.,]\\d)|(?<=${START}(?:[MFBWKHžжмчЖМЧ](?:\\/|, ?| )|[fmж](?:\\/|\\. |, )))\\d\\d ?(?:ani|J\\.?|A|a|ans|lat|let|л|г|р)\\.?(?![\\p{L}\\p{N}])|(?<=${START}(?:f|m|m\\.|F|M|м\\.|ж\\.|М\\.) )\\d\\d(?=\\s?(?:,|\\n|$))(?<=(?:\\p{Lu}\\p{Ll}+|\\n) (?:f|m|m\\.|F|M|м\\.|ж\\.|М\\.) \\d\\d))`,
  "gu",
);
/** Endings of compounds of an age, in the cases of their languages: "25-letnia", "5-ročná", "16-metis", "79χρονη". */
const COMPOUND = lazily(
  `${START}${DIGITS}(?:(?:-| )?(?:letn\\p{L}{1,4}|latk\\p{L}{1,3}|latek|ročn\\p{L}{1,3}|godišnj\\p{L}{1,3}|gadīg\\p{L}{1,4}|met(?:is|ė|ę|io|ės)|aasta(?:ne|se(?:lt)?|ste)|vuotia\\p{L}{1,5}|årig\\p{L}?|åring\\p{L}{0,2}|ára gam\\p{L}{1,4}|jährig\\p{L}{0,2}|jarige?|летн\\p{L}{2,3}|річн\\p{L}{1,3}|годишњ\\p{L}{1,3}|годишн\\p{L}{1,3})|enn[ei]|χρον\\p{L}{1,3}|-?éves)(?![\\p{L}\\p{N}])`,
  "giu",
);
/** Beginnings of words for things that last years, after a compound. */
export const LASTING =
  /^,? (?:(?:\p{L}{1,3}|\p{L}{4,14}(?:e[nrsm]?|[aiyýáéío]|ой|ый|ая|ий|на|а)) )?(?:g[aw]\p{L}{0,2}r[aá]n|záru|zárú|jamst|доsв|гаранц|гарант|erfahr|erfaren|experi|ervaring|doświad|prax|praks|praktik|iskust|izkuš|zkušen|skúsen|kogemu|kokemu|takuu|umow|smlouv|zmluv|ugovor|pogodb|договор|szerződ|kontra|contra|avtal|vertrag|laufzeit|løpe|kredi|kredyt|úvěr|úver|kredi|hypot|pożycz|lån|lening|laen|lain|okres|obdob|razdob|period|plan|program|projek|proyec|progra|umow|związ|manžel|brak|brač|małżeń|ehe|ægtesk|jubil|výro|wyro|rocznic|jahrest|kariér|karjer|carri|carrera|kadenc|mandat|mandát|amtszeit|studi|štúd|škol|ausbild|opleid|utbild|utdann|uddann|koulutus|obligac|dluhopis|anleihe|staż|vechime|stáž|служ|стаж|опыт|практик|досвід|период|кредит|угод|програм|план|испит|εμπειρ|εγγύ|σύμβ|δάν|πρόγρ|\p{L}*(?:erfahrung|garantie|vertrag|garanti|avtal|takuu))/iu;
/** Ordinals before words for a birthday. */
const BIRTHDAY = lazily(
  `${START}\\d{1,3}(?:\\.|[:-]?(?:e|a|s|st[ae]|de|er|ème|ies|asis|ąjį|as|ą|и|й|ия|й|то|ті|ти|års))?(?= ?(?:geburtstag|geburi|verjaardag|fødselsdag|bursdag|födelsedag|afmæli|syntymäpäiv|synttär|sünnipäev|urodzin|narozenin|narodenin|rođendan|rojstni dan|születésnap|szülinap|gimtadien|jubiliej|dzimšanas dien|cumpleaños|compleanno|doğum ?günü|yaş günü|день рожден|день народж|рожден ден|рођендан))`,
  "giu",
);
/** "fêter ses 40 ans", "je 40e", "den 50-ies". */
const ROUND = lazily(
  `(?=\\d)(?:(?<=(?<!\\p{L})(?:je|jouw|haar|zijn|mijn|m['’]n|opa['’]s|oma['’]s) )\\d\\d(?:e|ste)(?=[,.!?\\n]|$| (?:op|in|viert|vieren|met)(?!\\p{L}))|(?<=(?<!\\p{L})den )\\d\\d-ies(?!\\p{L}))`,
  "giu",
);
/** Words for a baby before a number of months or weeks. */
const BABY = lazily(
  `(?<!\\p{L})(?:baby'?[en]?|bebè?s?|bebé|bb|bébé|beb[ae]|bimb[oa]|neonato|niemowl\\p{L}{1,2}|vauva|dítě|dieťa|miminko|mimi|dzieck\\p{L}|lapsi|lapse[ln]?|kind|nyfødte?|hij[oa]|fill[ae]?|filh[oa]|nipote|niet[oa]|RN|sin|si?na|kćer|kći|дитина|дитинк\\p{L}|реб[её]нок|реб[её]нк\\p{L}|малыш\\p{L}{0,2}|бебе(?:то)?|μωρό|bebek|bebeğ\\p{L}{1,2}|mazul\\p{L}{1,2}|kūdik\\p{L}{1,3}|beeb\\p{L})(?:[ ,(]{1,2}(?!de |di |von |van |på |of )[\\p{L}.-]{1,14}){0,2}[ ,(]{1,2}(?:(?:de|di|von|van|på|of|er|ist|is|on|är|má|ima|ma|ir|yra|tiene|tem|ha|a|è|є|е на) )?((?:\\d{1,2}|\\p{L}{3,12}) (?:${MONTHS}))(?![\\p{L}\\p{N}])`,
  "giu",
);
/** "(2 leti)", "(8 kk)" after a name. */
const IN_BRACKETS = lazily(
  `(?=\\d)(?<=\\p{Lu}\\p{Ll}+ \\()(?:(${DIGITS} ?(?:${YEARS})(?: (?:și|si|und|en|og|och|ja|e|y|i|et) \\d{1,2} (?:${MONTHS}))?\\.?)|(\\d{1,2} ?(?:${MONTHS})\\.?))(?=[,)])`,
  "gu",
);
/** Names of fields for an age, and a number with an abbreviation. */
const FIELD = lazily(
  `(?<!\\p{L})(?:usia|umur|wiek|věk|vek|uzrast|starost|leeftijd|alter|ålder|alder|ikä|kor|edad|edat|età|idade|v[âa]rst[aă]|yaş|возраст|вік|узраст|старост|ηλικία|vanus|vecums|amžius|aldur|mosha|godine|âge|age)"?(?:\\s?:\\s{0,3}"?|\\s?\\.{3,60}:?\\s?|\\s(?=\\d\\d)|\\s\\()(${DIGITS}(?: ?(?:${YEARS}|god|thn|th|jr|g|a|m|r|v|J|t|л|г|р)(?!\\p{L})\\.?)?)(?![\\p{L}\\p{N}%/]|[.,:-]\\d|\\s?[-–]\\s?\\d)`,
  "giu",
);
const MIAKA = lazily(
  `(?<!\\p{L})(?:umri(?: wa| wangu| wake)?|amefikisha|ana|mwenye|nina|,) (miaka ${DIGITS})(?![\\p{L}\\p{N}]|[.,]\\d)`,
  "giu",
);
/** "(5 kk,": months of a baby in a note, after a word with a capital. */
const NOTE_OF_BABY = lazily(
  `(?=\\d)(?<=\\p{Lu}[\\p{L}’'.-]+, )\\d{1,2} (?:kk|mån|mt|mnd|mdr|mēn|mėn|mies|мес|міс|mj|mes)\\.?(?=,)`,
  "gu",
);
/** Adjectives for an age: Estonian "kolmene", Icelandic "áttræður". */
const ADJECTIVE =
  /(?<!\p{L})(?:(?:kahe|kolme|nelja|viie|kuue|seitsme|kaheksa|üheksa|kümne)ne|(?:(?:tví|þrí|fer|fimm|sex|sjö)tug|(?:átt|ní|tí)ræð)(?:ur)?|(?:dvidešimt |trisdešimt |\p{L}{4,8}asdešimt )?(?:dvej|trej|ketver|penker|šešer|septyner|aštuoner|devyner)(?:ių|ų|ius|us)(?: metų)?)(?!\p{L})/giu;
/** Words before "de" and a span of years. */
const OF_YEARS =
  /(?<!(?:más|menos|mais|plus|più|més|moins|antes|partir|después|desde|cabo|per[ií]odo|plazo|prazo|contrat[oa]?|garant[ií]a|interval[oe]|experiencia|condena|pena|prisión) )(?<!\p{L})(?:de|d[ei]) (?:(?:unos|unas|casi|uns|quasi) )?(?=\p{L})/giu;

/** Words for "one's" before an age: "depuis ses deux ans", "a mis quince años". */
const OWN_YEARS = /(?<!\p{L})(?:ses|mes|tes|sus|mis|tus|els seus|i suoi|i miei|seus|meus) (?=\p{L})/giu;

/** Finds an age in words after "de": "Rolando, de veintiséis años". */
function ofYears(text: string): Match[] {
  return [OF_YEARS, OWN_YEARS]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .flatMap(({ 0: word, index }) => {
      const start = index + word.length;
      const number = numberAt(text, start);
      const unit =
        number &&
        /^ (?:años|añitos|anos|aninhos|anys|anni|ans)(?!\p{L})/u.exec(text.slice(number.end, number.end + 10));
      if (unit?.[0] === " ans" && !/^.es /i.test(word)) return [];
      if (!unit || LASTING.test(text.slice(number.end + unit[0].length).slice(0, 40))) return [];
      return [{ start, end: number.end + unit[0].length, label: "AGE" }];
    });
}
/** Days of notes: "37 a, 38 a" are floors and rooms if a word for them stands before. */
const PLACES =
  /(?<!\p{L})(?:klasse|class|class[ei]|room|zi|zimmer|kamer|sobe?|sala|aula|stanza|rum|palat\p{L}?|floor|etage|nr|no|br|č|straße|str|ul|utca|u|via|rue|calle|rua|carrer|gata|vägen|gatan)(?!\p{L})\.?:? ?(?:[\p{L}'’-]+,? ){0,2}$/iu;

/** Returns a step that reads texts with digits. */
const withDigits = (find: (text: string) => Match[]) => (text: string) => (/\d/.test(text) ? find(text) : []);
/** Returns a step that reads texts of other languages than English. */
const notInEnglish = (find: (text: string) => Match[]) => (text: string) =>
  isEnglish(judgedPart(text)) === true ? [] : find(text);

/** Steps that find ages in other languages than English. */
export const agesOfOtherLanguages: readonly ((text: string) => Match[])[] = [
  withDigits((text) =>
    matches(
      text,
      COMPOUND,
      "AGE",
      ({ length }, { index }) => !LASTING.test(text.slice(index! + length, index! + length + 40)),
    ),
  ),
  withDigits((text) => matches(text, BIRTHDAY, "AGE")),
  ...[byVerb, answers, ofYears].map(notInEnglish),
  notInEnglish((text) => matches(text, ADJECTIVE, "AGE")),
  ...[
    (text: string) =>
      [1, 2, 3]
        .flatMap((group) => matches(text, NOTE, "AGE", undefined, group))
        .filter(({ start }) => !PLACES.test(before(text, start, 40))),
    (text: string) => matches(text, SEX_OR_YEARS, "AGE"),
    (text: string) => [ROUND, NOTE_OF_BABY].flatMap((pattern) => matches(text, pattern, "AGE")),
    (text: string) => [FIELD, MIAKA].flatMap((pattern) => matches(text, pattern, "AGE", undefined, 1)),
    (text: string) =>
      matches(text, IN_BRACKETS, "AGE", (_, { index, 1: years }) => !!years || isPerson(before(text, index! - 1))),
  ].map((find) => notInEnglish(withDigits(find))),
  notInEnglish((text) =>
    matches(text, BABY, "AGE", (word) => /\d/.test(word) || isNumberWord(word.split(" ", 1)[0]!.toLowerCase()), 1),
  ),
];
