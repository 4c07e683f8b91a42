import { isPronoun, isWord } from "../words.js";
import { IN_LANGUAGES } from "./languages/languages.js";
import { type Lazy, lazily, type Match, stepped } from "./match.js";
import { careers, knownPlaces, placesByGrammar, placesOfLetters, towns } from "./place-names.js";

/** Verbs of living, moving and being born in a language, the prepositions of place after them, and words that follow both. */
interface Language {
  verbs: string;
  prepositions: string;
  /** Words after a preposition that name no place, without accents. */
  others: string;
}

const LANGUAGES: readonly Language[] = [
  {
    verbs:
      "wohn(?:e|t|en|te|ten|haft)|leb(?:e|t|en|te|ten)|zieh(?:e|t|en)|zog|komm(?:e|t|en)|kam|stamm(?:e|t|en|te)|fahr(?:e|en|t)|fährt|fuhr|flieg(?:e|t|en)|reis(?:e|t|en)|ruf(?:e|t|en)|geboren|aufgewachsen|umgezogen|gemeldet|arbeit(?:e|et|en|ete)",
    prepositions: "in|nach|aus|bei",
    others:
      "hause haus ordnung kurze zukunft bedarf absprache ostern weihnachten feierabend ruhe frieden rente elternzeit urlaub kur reha holz angst liebe frage miete untermiete pension teilzeit vollzeit schichten wg scheidung trennung familie eigentum stadt arbeit schule betrieb kraft bewegung betracht gang schwung fahrt form deutschland anspruch stande not armut partnerschaft wohngemeinschaft panik feuer erfahrung versehen interesse prinzip spass stahl glas beton fleisch tagen wochen stunden minuten monaten jahren zehn zwei drei vier funf sechs sieben acht neun zwanzig etwa rund mittag",
  },
  {
    verbs:
      "woon|woont|wonen|woonde|verhuis|verhuist|verhuisd|verhuizen|kom|komt|geboren|opgegroeid|reis|reist|werk|werkt",
    prepositions: "in|naar|uit",
    others:
      "huis bed dienst orde nood elkaar school stad bad beeld contact aanmerking actie werk buiten binnen boven beneden",
  },
  {
    verbs:
      "habite|habites|habitons|habitez|habitent|habitait|vis|vit|vivons|vivent|déménage|déménagé|né|née|loge|retourne|rentre|arrive|retrouve|pars|travaille",
    prepositions: "à|a|vers",
    others:
      "pied pieds cheval velo moitie cote temps table midi minuit nouveau cause peine bord droite gauche domicile distance credit fond jamais deux trois plusieurs moi toi lui nous vous elle eux tous quelle partir present part propos bientot demain cinq six sept huit neuf dix onze plein crédit petit gros long terre mi",
  },
  {
    verbs:
      "vivo|vive|vives|vivimos|viven|vivía|nací|nació|nacido|nacida|soy|vengo|viene|mudo|mudé|mudó|mudado|mudamos|resido|reside|residente|trabajo|trabaja|natural",
    prepositions: "en|de|a|desde",
    others:
      "casa pareja paz coche tren familia contacto espera linea plan camino serio general vacaciones medio cama clase directo forma letras confianza aqui alli alla lunes martes negro equipo turno noche dia tarde lejos cerca nuevo verdad menos momento ayudar verte buscar parte",
  },
  {
    verbs:
      "abito|abita|abitiamo|abitano|vivo|vive|viviamo|vivono|nato|nata|vengo|viene|veniamo|trasferisco|trasferisce|trasferito|trasferita|chiamo|residente|lavoro|lavora",
    prepositions: "a|da|ad",
    others:
      "casa letto piedi scuola tavola posto mano breve domani presto cena pranzo parte sola solo me te noi voi lui lei loro meta tempo turni orari oggi ieri tanto poco molto anni mesi giorni dove qui li la sinistra destra ore prendere distanza un'ora lavoro ufficio",
  },
  {
    verbs:
      "moro|mora|moram|moramos|vivo|vive|vivem|nasci|nasceu|nascido|nascida|venho|vem|mudei|mudou|mudo|resido|reside|sou|trabalho|trabalha",
    prepositions: "em|de|para",
    others:
      "casa familia paz pe carro ferias breve aqui ali la longe manha noite tarde dia volta novo confianca perto cima baixo acordo contacto contato equipa equipe",
  },
  {
    verbs:
      "mieszkam|mieszka|mieszkamy|mieszkają|mieszkał|mieszkała|przeprowadzam się|przeprowadza się|przeprowadził się|przeprowadziła się|urodziłem się|urodziłam się|urodził się|urodziła się|urodzony|urodzona|pochodzę|pochodzi|zamieszkała|zamieszkały|jadę|jedzie|wracam|dzwonię|pracuję|pracuje",
    prepositions: "w|we|do|z|ze",
    others:
      "domu pracy szkole szkoly bloku mieszkaniu centrum sklepu lekarza miescie pokoju rodzicami mama tata mezem zona nim nia nimi toba nami wami powrotem tej tym ktorym jednym malym duzym nowym biurze firmie banku internecie poblizu okolicy godzinach urlopu",
  },
  {
    verbs:
      "bydlím|bydlí|bydlíme|bydlel|bydlela|žiju|žije|stěhuju se|stěhuji se|stěhuje se|přestěhoval se|přestěhovala se|narozen|narozena|pocházím|pochází|jedu|jede|jsem|volám|pracuju|pracuje",
    prepositions: "v|ve|do|z|ze",
    others:
      "praci poradku dome skole meste centru byte pohode kancelari prace skoly domu obchode nemocnici lekare hodin ni nem tom to te tech toho pondeli utery stredu ctvrtek patek sobotu nedeli dobe stavu pokoji budove firme auta",
  },
  {
    verbs: "bor|bodde|flyttar|flyttade|flyttat|flytter|flyttet|flyttede|född|født|fødd|kommer|åker|reser|rejser|reiser",
    prepositions: "i|till|til|från|fra",
    others:
      "hus huset lagenhet stan byen morgen morgon hemma kveld kvall aften dag gar sommer sommar vinter helgen naerheden narheten naerheten samma samme lejlighed leilighet tid tide nya nye ny",
  },
  {
    verbs:
      "живу|живёт|живет|живём|живем|живут|жил|жила|переезжаю|переезжает|переехал|переехала|родился|родилась|приехал|приехала|еду|едет|уехал|уехала",
    prepositions: "в|во|из",
    others:
      "доме городе городу город квартире деревне мире районе отпуск отпуске центре общежитии другом этом том одном новом россии гости командировку школу магазин больницу аэропорт",
  },
];

const WORD = "\\p{L}[\\p{L}\\p{M}’'-]{2,24}";
const NAME = `(${WORD}(?:[ -](?:(?:am|an der|im|sur|de la|de|del|of|nad|и) )?\\p{Lu}[\\p{L}\\p{M}’'-]{2,24}){0,2})`;
/** Verbs, with or without a capital. */
const cased = (verbs: string) => verbs.replace(/(?<=^|\|)\p{Ll}/gu, (letter) => `[${letter.toUpperCase()}${letter}]`);
/** Participles and adverbs that follow a place in German: "nach Graz geschickt". */
const AFTER =
  "gezogen|umgezogen|verzogen|geschickt|gesendet|gefahren|geflogen|gereist|versetzt|verlegt|unterwegs|zurück|wohnt|wohne|wohnen|lebt|lebe|leben|geboren|aufgewachsen|wohnhaft|gemeldet|zurückgekehrt";

const patterns = LANGUAGES.map(({ verbs, prepositions, others }): [Lazy, ReadonlySet<string>] => [
  lazily(
    `(?<!\\p{L})(?:${cased(verbs)})(?: \\p{Ll}[\\p{L}\\p{M}]*| \\p{Lu}\\p{Ll}+){0,3}? (?:${prepositions}) ${NAME}`,
    "gu",
  ),
  new Set(others.split(" ")),
]);
const GERMAN: [Lazy, ReadonlySet<string>] = [
  lazily(`(?<!\\p{L})(?:[Ii]n|[Nn]ach|[Aa]us) ${NAME}(?= (?:\\p{Ll}+ ){0,2}(?:${AFTER})(?!\\p{L}))`, "gu"),
  patterns[0]![1],
];

/** Articles, determiners, numbers, and words with the ending of a noun or infinitive. */
const NO_PLACE =
  /^(?:d(?:er|ie|as|en|em|es)|[kmds]?ein\p{L}{0,2}|unser\p{L}{0,2}|ihr\p{L}{0,2}|dies\p{L}{1,2}|jed\p{L}{1,2}|welch\p{L}{1,2}|alle\p{L}?|l['’].*|d['’].*|un['’].*)$|(?:ung|ungen|heit|keit|schaft|tion|tionen|ment|nis)$|(?:[^aeiou][aei]re|oir|[^aeiou]er)$/u;
/** Characters before and after a name in lower case that must hold no word with a capital. */
const NEAR = 100;

/** Finds places by the verbs and prepositions before them: with a capital, or in text without capitals. */
function places(text: string, [pattern, others]: [Lazy, ReadonlySet<string>]): Match[] {
  const found: Match[] = [];
  for (const match of text.matchAll(pattern())) {
    const name = match[1]!.replace(/['’-].{0,3}$/u, "");
    const end = match.index + match[0].length - match[1]!.length + name.length;
    const start = end - name.length;
    const first = name.split(/[ -]/, 1)[0]!;
    if (isPlace(text, first, start, end, others)) found.push({ start, end, label: "LOCATION", score: 0.9 });
  }
  return found;
}

function isPlace(text: string, word: string, start: number, end: number, others: ReadonlySet<string>): boolean {
  const bare = word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  if (isWord(word) || isPronoun(word) || others.has(bare) || others.has(word.toLowerCase())) return false;
  if (NO_PLACE.test(word.toLowerCase())) return false;
  if (/^\p{Lu}/u.test(word)) return /\p{Ll}/u.test(word);
  return !/\p{Lu}\p{Ll}/u.test(text.slice(Math.max(0, start - NEAR), end + NEAR));
}

/** A name in Turkish before its case ending, which an apostrophe separates: "izmir'e", "Ayşe'nin". */
const TURKISH = lazily(
  "(?<![\\p{L}\\p{M}\\p{N}'’])(\\p{L}{3,20})['’]((?:d|t)[ae]n?|y?[ae]|y?[ıiuü]|n[ıiuü]n|yl[ae]|l[ae])(?![\\p{L}\\p{M}'’])",
  "gu",
);

function turkish(text: string): Match[] {
  return Array.from(text.matchAll(TURKISH()), ({ 1: name, 2: ending, index }) => ({
    start: index,
    end: index + name!.length,
    label: /^[dt]/.test(ending!) ? "LOCATION" : "PERSON",
    score: 0.9,
  })).filter(({ start, end }) => !/qu$/i.test(text.slice(start, end)) && !isWord(text.slice(start, end)));
}

/** Finds places after verbs of living, moving and being born in ten languages, and Turkish names with a case ending. */
export const place = stepped(
  ["LOCATION", "PERSON", "ADDRESS", "ORGANIZATION"],
  [
    ...patterns.map((pattern) => (text: string) => places(text, pattern)),
    (text) => places(text, GERMAN),
    turkish,
    ...IN_LANGUAGES.places,
    placesOfLetters,
    placesByGrammar,
    towns,
    knownPlaces,
    careers,
  ],
);
