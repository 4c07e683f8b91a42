// Function words, greetings and pronouns, which are no names.
import { FUNCTION_WORDS, isCommonNoun } from "./detectors/languages/cyrillic-greek-words.js";
import { MONTHS } from "./detectors/months.js";

/** Function words of English. */
export const ENGLISH = new Set(
  "a an the and or but nor so if as than then that this these those there here it its is are was were be been being am do does did has have had will would can could shall should may might must not no i you he she we they me him her us them my your his our their mine yours of in into on onto at by for from with without to up down out off over under about after before between through during since until while when where who whom which what why how very too more most much many some any all each every both one two just only also don t s m re ll ve".split(
    " ",
  ),
);
/** Frequent function words of other languages, one language a line, without accents: first those in Latin script. */
export const LISTS: readonly string[] = [
  "der das und ist nicht ein eine einen sie ich wir mit auf fur den dem des zu wenn aber sich bei nach wird haben kein keine auch noch hat sind vom zum zur im am war aus nur er uns mir mich mein meine sein seine ihre ihr kann muss du bin bist wie seit wegen",
  "le la les et est une des du que qui dans pour avec sur pas je nous vous il elle sont mais ou au aux ne se ce cette plus chez ai ses leur leurs ont cette tout tous bonjour merci chez sans leur entre depuis tu suis mes nos notre votre cet ces quel quelle",
  "el los las y es una que por con para del al se su sus pero como mas muy nos lo me te mi este esta hay fue sin sobre entre cuando donde todo hola yo tu ya eso ese desde",
  "il lo gli che e di un della del con non per sono si e al alla ma piu nel ho hai questo questa quando dove anche nella dal dalla ciao sul mi ti ci io tu gia sono dopo dei degli delle",
  "het een en van niet ik je wij zijn maar ook naar bij uit voor dat wordt als geen met haar hem heeft te op aan wel nog kan zich jij ben hier deze onze",
  "o os as um uma do da dos das em no na nao com por se mas seu sua ao e ele ela eu foi tem este esta muito pelo pela dona aos ate antes depois ontem hoje amanha ja voce voces pode podes posso pelos pelas meu minha meus minhas isso isto esse essa sao estao sou estou ser ter vou vai quando onde porque sem agora aqui ainda tambem lhe me te nos ha",
  "i w z na nie sie jest do ze jak ale po od za przed czy to lub oraz ma mam byl byla tego tym tak przez pan pani prosze ten jestem tu ja ty mnie juz dla bardzo jutro wczoraj dzisiaj dzis teraz tylko gdzie kiedy dlaczego moze musi moja moj jego jej ich nam wam nas jeszcze bedzie byc przy bez pod nad we go mu",
  "och att det ar inte en ett som pa med av jag vi ni men om eller efter har kan ska vill mig dig sig den de fran min mitt hej imorgon igar idag hur nar dar vad vem kunna skulle maste hade blir blev var vara sin sitt deras hans hennes ocksa bara utan mot under mellan",
  "og ikke det er jeg til af som ved eller fra den har han hun kan skal mig min efter morgen dag nar hvor hvad hvem hvordan kunne skulle maske have havde bliver blev var vaere sin sit deres hans hendes ogsa bare uden mod mellem",
  "ja on ei se etta mutta kun tai ovat hanen niin ennen tehda oli olen olet nyt myos ole taa onko olenko huomenna eilen tanaan kiitos mina sina meidan teidan heidan ollut tulee voi voiko miksi missa milloin sitten vain jos joka jossa kanssa ilman jalkeen",
  "a az es nem hogy egy van de meg is ez vagy holnap tegnap ma most igen nekem neki volt lesz lehet miert hol mikor csak mar kell ezt azt egyik miatt utan elott nelkul szerint hanem ha mert",
  "si nu este la pe cu sau din mai sunt care maine ieri azi acum lui ei lor fost unde cand cum poate trebuie pentru despre dupa inainte fara intre foarte doar daca sa il am ai are avem au",
  "ve bir bu ile icin degil da mi ama cok gibi sonra kadar ben sen biz var yok olarak ki dun yarin bugun simdi misin mu iyi evet hayir lutfen onun bana sana bunu sunu nasil nerede zaman once diye ise hem ya en",
  "je se na ze a to do pro ale jako nebo jsou si ze ve si ke od neni byl byla jsem nekdo proc nebo zitra vcera dnes ted jen kde kdy muze musi jeste uz byt mam mas mame bude budu jeho jeji jejich nam vam nas bez pod nad pri mezi",
  "je se na da u za su sam ali ili kao samo sutra jucer danas sada nije nisam bilo kako gdje kada zasto treba moze moj moja njegov njezin nas vas bez pod nad prema zbog iz od do s ga mu joj ih",
  "dan yang di tidak ini itu untuk dengan saya ada ke",
  ...FUNCTION_WORDS,
];
/** All of them that are no function words of English. */
export const OTHERS = new Set(
  LISTS.join(" ")
    .split(" ")
    .filter((word) => !ENGLISH.has(word)),
);
/** Function words that English shares with other languages: they do not count. */
export const SHARED = new Set(
  "an in no as do me so us am on he at of to was re all men po ma non des al net".split(" "),
);
/** A word in lower case without accents. */
export const plain = (word: string) => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Polite pronouns, greetings, adverbs of time, and English weekdays and languages: they may have a capital letter and are no names. Without accents. */
const POLITE = new Set(
  "sie ihr ihre ihren ihrem ihrer ihnen pan pani panu pania panstwo panstwa wasz wasza lei suo sua loro usted ustedes u uw vas vam vy вы вас вам ваш ваша ваше ваши ви bonjour bonsoir merci salut madame monsieur hola gracias senor senora ciao buongiorno grazie gentile ola obrigado obrigada hallo liebe lieber danke guten sehr hej hejsan hei hallo tack beste geachte dag czesc dzien dziekuje prosze szanowny dobry ahoj dekuji merhaba sayin lutfen moi hyva kiitos gestern heute morgen hier ayer hoy ieri oggi domani ontem hoje amanha gisteren vandaag wczoraj dzisiaj jutro igar idag vcera dnes zitra dun bugun eilen tanaan вчера сегодня завтра учора сьогодні χθες σημερα αυριο meine mein mi mijn mon ma min twoj twoja twoje twojej twojego anda monday tuesday wednesday thursday friday saturday sunday english german french spanish italian dutch polish portuguese swedish danish norwegian finnish hungarian romanian czech slovak croatian serbian greek turkish russian ukrainian arabic chinese japanese korean hindi british american irish scottish welsh".split(
    " ",
  ),
);

/** Returns whether a word is a polite pronoun, which has a capital in many languages. */
export const isPronoun = (word: string) =>
  /^(?:vas|vam|vami|vas\p{L}{1,3}|wasz\p{L}{0,3}|panstw\p{L}{0,3}|ваш\p{L}{0,3}|вы|вас|вам|вами|sie|ihnen|lei|usted|ustedes|vous|onnek|onok|onoknek)$/u.test(
    plain(word),
  );

/** Returns whether a word of another language than English is no name. */
export const isWord = (word: string) =>
  OTHERS.has(plain(word)) ||
  POLITE.has(plain(word)) ||
  MONTHS.has(word.toLowerCase()) ||
  isPronoun(word) ||
  isCommonNoun(plain(word));

/** Least length of speech that is recognised, and how many UTF-16 code units there are at least for each sign and line. */
const [SPEECH, FOR_A_SIGN, FOR_A_LINE] = [120, 40, 50];

/** Returns whether a text is speech as software writes it down: long, without capitals and nearly without signs. */
export function isSpeech(text: string): boolean {
  if (text.length < SPEECH || /\p{Lu}/u.test(text)) return false;
  const [signs, lines] = [/[.,!?;]/g, /\n/g].map((pattern) => text.match(pattern)?.length ?? 0) as [number, number];
  return signs * FOR_A_SIGN < text.length && lines * FOR_A_LINE < text.length;
}
