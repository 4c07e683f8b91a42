// Decides by capital letters which spans are names, for models that read all text in lower case, in languages other than
// English. In most of these, only names have a capital letter within a sentence.
import { MONTHS } from "./detectors/months.js";
import type { Span } from "./spans.js";

/** Function words of English. */
const ENGLISH = new Set(
  "a an the and or but nor so if as than then that this these those there here it its is are was were be been being am do does did has have had will would can could shall should may might must not no i you he she we they me him her us them my your his our their mine yours of in into on onto at by for from with without to up down out off over under about after before between through during since until while when where who whom which what why how very too more most much many some any all each every both one two just only also don t s m re ll ve".split(
    " ",
  ),
);
/** Frequent function words of other languages in Latin script, without accents. */
const OTHERS = new Set(
  [
    "der das und ist nicht ein eine einen sie ich wir mit auf fur den dem des zu wenn aber sich bei nach wird haben kein keine auch noch hat sind vom zum zur im am hat sind war vom zum zur im am aus nur er uns mir mich mein meine sein seine ihre ihr kann muss",
    "le la les et est une des du que qui dans pour avec sur pas je nous vous il elle sont mais ou au aux ne se ce cette plus chez ai ses leur leurs ont cette tout tous bonjour merci chez sans leur entre depuis",
    "el los las y es una que por con para del al se su sus pero como mas muy nos lo me te mi este esta hay fue sin sobre entre cuando donde todo hola",
    "il lo gli che e di un della del con non per sono si e al alla ma piu nel ho hai questo questa quando dove anche nella dal dalla ciao sul mi ti ci",
    "het een en van niet ik je wij zijn maar ook naar bij uit voor dat wordt als geen met haar hem heeft te op aan wel nog kan zich",
    "o os as um uma do da dos das em no na nao com por se mas seu sua ao e ele ela eu foi tem este esta muito pelo pela dona",
    "i w z na nie sie jest do ze jak ale po od za przed czy to lub oraz ma mam byl byla tego tym tak przez pan pani prosze ten jestem",
    "och att det ar inte en ett som pa med av jag vi ni men om eller efter har kan ska vill mig dig sig den de fran min mitt hej",
    "og ikke det er jeg til af som ved eller fra den har han hun kan skal mig min efter",
    "ja on ei se etta mutta kun tai ovat hanen niin ennen tehda oli olen olet nyt myos ole taa",
    "a az es nem hogy egy van de meg is ez vagy",
    "si nu este la pe cu sau din mai sunt care",
    "ve bir bu ile icin degil da mi ama cok gibi sonra kadar ben sen biz var yok olarak ki dun",
    "je se na ze a to do pro ale jako nebo jsou si ze ve si ke od neni byl byla jsem nekdo proc nebo",
    "dan yang di tidak ini itu untuk dengan saya ada ke",
  ]
    .join(" ")
    .split(" ")
    .filter((word) => !ENGLISH.has(word)),
);
/** Function words that English shares with other languages: they do not count. */
const SHARED = new Set("an in no as do me so us am on he at of to was re all men po ma non des al net".split(" "));
/** Least number of words of a text whose language is recognised. Fewer words may be names alone. */
const LEAST = 4;

const plain = (word: string) => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * Returns whether a text may be English: most letters are Latin, and function words of other languages are no more
 * frequent than those of English. Words with accents count as half a function word of another language, because names
 * have them as well. undefined for a text of a few words.
 */
export function isEnglish(text: string): boolean | undefined {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (2 * latin < letters.length) return false;
  const words = text.match(/[\p{L}\p{M}]{2,}/gu) ?? [];
  if (words.length < LEAST) return undefined;
  const bare = words.map(plain);
  const count = (set: ReadonlySet<string>) => bare.filter((word) => set.has(word) && !SHARED.has(word)).length;
  const accents = words.filter((word) => /\p{M}|[łøßıæœđ]/iu.test(word.normalize("NFD"))).length;
  const [own, other] = [count(ENGLISH), count(OTHERS) + accents / 2];
  const isProse = (text.match(/[\d:=_<>@{}|/]/g)?.length ?? 0) * 20 < text.length;
  return own >= other || other < (own === 0 && isProse ? 1 : 1.5);
}

/** Function words of German, which writes all nouns with a capital letter, and of languages which do not. */
const GERMAN =
  /(?<!\p{L})(?:der|die|das|und|ist|nicht|ein|eine|einen|mit|für|auf|den|dem|ich|wir|sie|bei|hat)(?!\p{L})/giu;
const NOT_GERMAN =
  /(?<!\p{L})(?:de|la|le|el|il|och|att|og|het|een|i|w|et|est|van|que|di|che|e|y|na|do|je|se|on|ja|bir|ve)(?!\p{L})/giu;
/** Matches the text before a German noun that is no name: it ends with an article or determiner, and perhaps an adjective. */
const DETERMINED =
  /(?<!\p{L})(?:d(?:er|ie|as|en|em|es)|[kmds]?ein(?:e[nmrs]?)?|ihre?[nmrs]?|unsere?[nmrs]?|eure?[nmrs]?|diese?[nmrs]?|jede?[nmrs]?|welche?[nmrs]?|alle[nmrs]?|viele[nr]?|im|am|zum|zur|vom|beim|ins|ans)\s+(?:\p{Ll}+\s+)?$/iu;
const NOUN = /(?:ung|heit|keit|schaft|tion|chen|nis|ment|tät)(?:en|s)?$/u;

const NAME =
  /\p{Lu}[\p{L}\p{M}\p{N}.'’&-]*(?:\s+(?:(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|ibn|y|e|zu|af|av|ter|ten)\s+){0,3}\p{Lu}[\p{L}\p{M}\p{N}.'’&-]*)*/gu;
/** The start of a text, line, sentence, quotation or item. */
const BEGINS = /(?:^|[.!?…:;\n|•*>]|["'“”„«»‹›(¿¡–—-])[\s"'“”„«»‹›(¿¡*–—-]*$/u;
/** Polite pronouns, greetings and adverbs of time: they may have a capital letter and are no names. Without accents. */
const POLITE = new Set(
  "sie ihr ihre ihren ihrem ihrer ihnen pan pani panu pania panstwo panstwa wasz wasza lei suo sua loro usted ustedes u uw vas vam vy вы вас вам ваш ваша ваше ваши ви bonjour bonsoir merci salut madame monsieur hola gracias senor senora ciao buongiorno grazie gentile ola obrigado obrigada hallo liebe lieber danke guten sehr hej hejsan hei hallo tack beste geachte dag czesc dzien dziekuje prosze szanowny dobry ahoj dekuji merhaba sayin lutfen moi hyva kiitos gestern heute morgen hier ayer hoy ieri oggi domani ontem hoje amanha gisteren vandaag wczoraj dzisiaj jutro igar idag vcera dnes zitra dun bugun eilen tanaan вчера сегодня завтра учора сьогодні χθες σημερα αυριο meine mein mi mijn mon ma min".split(
    " ",
  ),
);

/** Least score of a span in a script without capitals, where nothing else tells names from other words. */
const WITHOUT_CASE = 0.5;

/** Labels whose values are no names and need no capital letter. */
const NO_NAMES = /^(?:EMAIL|AGE|USERNAME|PASSWORD|SECRET|HEALTH)$/;

const isWord = (word: string) => OTHERS.has(plain(word)) || POLITE.has(plain(word)) || MONTHS.has(word.toLowerCase());

/** Returns whether a text of another language than English writes its nouns with a capital, as German does. */
const writesNouns = (text: string) => (text.match(GERMAN)?.length ?? 0) > (text.match(NOT_GERMAN)?.length ?? 0);

/** Returns the parts of a span to keep in a text which is not English: the words with a capital letter, if it has capitals. */
export function plausibleParts(text: string, span: Span, isNouns = writesNouns(text)): Span[] {
  const word = text.slice(span.start, span.end);
  const isCased = /[\p{Lu}\p{Ll}]/u.test(word) && /\p{Lu}/u.test(text) && /\p{Ll}/u.test(text);
  if (/\p{N}/u.test(word) || NO_NAMES.test(span.label)) return [span];
  if (!isCased) return /\p{Lo}/u.test(word) && span.score < WITHOUT_CASE ? [] : [span];
  return Array.from(word.matchAll(NAME), ({ 0: name, index }) => {
    const start = span.start + index;
    return { ...span, start, end: start + name.replace(/[.'’&-]+$/, "").length };
  }).filter((part) => canBeName(text, part, isNouns));
}

/** Returns whether a word or words with a capital can be a name: no greeting or pronoun, and no German noun after its article. */
function canBeName(text: string, { start, end }: Span, isNouns: boolean): boolean {
  const name = text.slice(start, end);
  if (/\s/.test(name)) return true;
  if (isWord(name)) return false;
  return !(isNouns && (DETERMINED.test(text.slice(Math.max(0, start - 40), start)) || NOUN.test(name)));
}

/** Words for numbers and currencies, digits and currency signs. */
const NUMBER =
  /\d|\p{Sc}|\b(?:hundred|thousand|million|billion|grand|quid|bucks?|dollars?|euros?|pounds?|pence|pennies|cents?|kron\w+|yen|rupees?|francs?|one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|\w+ty)\b/iu;
/** Tests of the values of these labels: the model takes "dm me" for an e-mail address. */
const FORMS: Record<string, (word: string) => boolean> = {
  MONEY: (word) => NUMBER.test(word),
  ADDRESS: (word) => /\d|\S\s+\S/.test(word),
  EMAIL: (word) => /@|%40|[([{<]\s*at\s*[)\]}>]|\bat\b.*\b(?:dot|com|org|net)\b/i.test(word),
  PHONE: (word) => (word.match(/\d/g)?.length ?? 0) >= 5 || (word.match(/\p{L}{2,}/gu)?.length ?? 0) >= 4,
  ID: (word) => /\d/.test(word) || word.length >= 6,
  AGE: (word) => NUMBER.test(word),
  USERNAME: (word) => word.length >= 3,
  PASSWORD: (word) => word.length >= 3,
  SECRET: (word) => word.length >= 8 && /\d/.test(word),
};
/** The rest of the name of a field of JSON, after a part of it. */
const OF_KEY = /^[\p{L}\p{N}_.-]*"\s{0,3}:/u;

/** A word with a capital letter, or in a script without capitals: it may be a name, whatever the label. */
const MAYBE_NAME = /^\p{Lu}\p{Ll}|\p{Lo}/u;

/** Returns whether a span of the model can be a value of its label. A part of a longer number can. */
export function isPossible(text: string, { label, start, end }: Span): boolean {
  const word = text.slice(start, end);
  const after = text.slice(end, end + 48);
  if (OF_KEY.test(after)) return false;
  const has = FORMS[label];
  return !has || has(word) || MAYBE_NAME.test(word) || (/\d$/.test(word) && /^[ .-]?\d/.test(after));
}

/** Words after which a name is a place's, by language. */
const IN =
  /(?<!\p{L})(?:à|in|en|i|w|we|em|a|nach|aus|do|z|ve|v|z|din|la|till|fra|från|til|в|из|у|στη|στην|στο|στον)\s$/iu;

/** The rest of a name at the start of a sentence, without its first word, which has a capital anyway. */
const REST = /^\S+\s+(?=\p{Lu})/u;

/**
 * Finds words with a capital within a sentence of a text which is neither English nor German: names that the model
 * does not know. Abbreviations in capitals are none.
 */
function capitals(text: string): Span[] {
  if (!/\p{Ll}/u.test(text) || writesNouns(text)) return [];
  return Array.from(text.matchAll(NAME), ({ 0: name, index }) => {
    const isFirst = BEGINS.test(text.slice(Math.max(0, index - 40), index));
    const start = isFirst ? index + (REST.exec(name)?.[0].length ?? name.length) : index;
    return { start, end: index + name.replace(/[.'’&-]+$/, "").length };
  })
    .filter(({ start, end }) => {
      const name = text.slice(start, end);
      const before = text.slice(Math.max(0, start - 40), start);
      return /\p{Ll}/u.test(name) && !/[\p{L}\p{N}@._/-]$/u.test(before) && !isWord(name);
    })
    .map(({ start, end }) => ({
      label: IN.test(text.slice(Math.max(0, start - 6), start)) ? "LOCATION" : "PERSON",
      score: 0.5,
      start,
      end,
    }));
}

/** Adds names by their capitals to the spans of a model. A part of such a name that the model found becomes the whole name. */
export function withCapitals(text: string, spans: readonly Span[]): Span[] {
  const names = capitals(text);
  const touches = (a: Span, b: Span) => a.start < b.end && b.start < a.end;
  const grown = spans.map((span) => {
    const name = names.find((other) => touches(span, other));
    return name ? { ...span, start: Math.min(span.start, name.start), end: Math.max(span.end, name.end) } : span;
  });
  return [...grown, ...names.filter((name) => !spans.some((span) => touches(span, name)))];
}
