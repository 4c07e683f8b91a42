import { isPronoun, isSpeech, isWord } from "../words.js";
import { signatures, withoutClosings } from "./closing.js";
import { introduced, introducedUncased } from "./introduction.js";
import { labelOfKey } from "./keys.js";
import { afterTitles } from "./languages/asian-latin.js";
import { IN_LANGUAGES } from "./languages/languages.js";
import { afterIndicTitles } from "./languages/south-asian.js";
import { continued, type Lazy, lazily, type Match, matches, stepped } from "./match.js";
import { FULL_NAME, ONE_LINE_NAME, TITLE, WORD_CHAR } from "./name-forms.js";
import { isOffice, isRole } from "./roles.js";
import { maySpeak, speakers } from "./speaker.js";
import { isWeekday } from "./weekdays.js";

const BEFORE_NAME = lazily(`(?<!${WORD_CHAR})(?:${TITLE})\\.?[ ]`, "gu");
const nameAfterTitles = (most: number) => lazily(`(?:(?:${TITLE})\\.?[ ]){0,${most}}(${ONE_LINE_NAME})`, "uy");
const [AFTER_TITLE, AFTER_RELATIVE] = [nameAfterTitles(2), nameAfterTitles(3)];

const TITLES = lazily(`^(?:(?:${TITLE}|प्रिय|नमस्ते|שלום|לכבוד|مرحبا|عزيزي|عزيزتي)[.,]?\\s?)+$`, "iu");
/** Returns whether a text consists of titles and, in scripts without capitals, greetings, which name nobody. */
export const isTitle = (word: string) => TITLES().test(word);

const GREETING =
  "Dear|Hi|Hello|Hey|Hiya|Howdy|Salaam|Kia ora|Namaste|Good (?:morning|afternoon|evening)|Morning|Liebe[rs]?|Hallo|Sehr geehrte[rs]?|Guten (?:Tag|Morgen|Abend)|Servus|Moin|Chère?|Cher|Bonjour|Bonsoir|Salut|Querid[oa]|Estimad[oa]|Hola|Buenos días|Buenas tardes|Caro|Cara|Ciao|Gentile|Buongiorno|Salve|Egregio|Prezad[oa]|Car[oa]|Olá|Oi|Bom dia|Boa tarde|Beste|Geachte|Lieve|Hoi|(?<![:]\\s)Dag|Goedemorgen|Goedemiddag|Drog[ia]|Droga|Cześć|Szanown[ya]|Witaj|Hej|Hejsan|Kära?|Bästa|Kjære|Hei|Kære|Hyvä|Moi|Terve|Rakas|Dobrý den|Ahoj|Milý|Milá|Vážený|Vážená|Dobrý deň|Kedves|Szia|Tisztelt|Helló|Dragă?|Bună|Stimate|Stimată|Dragi|Draga|Poštovani|Bok|Zdravo|Živjo|Sayın|Merhaba|Sevgili|Selam|Уважаем(?:ый|ая)|Дорог(?:ой|ая)|Привет|Здравствуйте,?|Шановн(?:ий|а)|Привіт|Αγαπητ(?:έ|ή)|Γεια σου|Καλημέρα|שלום|היי|עزيزي|مرحبا|عزيزي|عزيزتي|प्रिय|नमस्ते|Xin chào|Chào|Halo|Yth\\.?";
const AFTER_GREETING = lazily(
  `(?:^|[\\n.!?:>"“„(-]\\s{0,3}|\\]\\s|\\*)(?:${GREETING}),?[ ](?:(?:${TITLE})\\.?[ ])?(${ONE_LINE_NAME})(?=[ ]?(?:[,!.:;)\\n…-]|$|[ ]\\p{Ll}|[?]))`,
  "gmu",
);
/** Words after a greeting that name nobody. */
const NOBODY =
  /^(?:All|Everyone|Everybody|Team|Sir|Madam|Sirs|Customer|Client|Support|Friends?|Folks|Guys|Colleagues?|Hiring|Manager|There|HR|Damen|Herren|Kolleg\p{L}*|Zusammen|Tous|Toutes|Madame|Monsieur|Señor\p{L}*|Equipo|Todos|Tutti|Signor\p{L}*|Senhor\p{L}*|Equipe|Team\p{L}*|I|We|It|The|This|That|Thanks?|Just|Can|Could|You|Your|My|What|When|How|Is|Are|Do|Did|Please|Not|No|Yes|So|To|From|Valued|Resident|Parent\p{L}*|Student\p{L}*|Neighbou?r\p{L}*|Members?|Residents|Admissions|Facilities|Mama|Medical|Hello|Landlord|Tenant|Doctor|Mum|Mom|Dad|Grandma|Grandpa|World|Welt|Monde|Mundo|Diary|Santa|Lord|God|Państwo|Cliente?s?|Kund\p{L}+|Hölgy\p{L}*|Uram|Ügyfél\p{L}*)$/u;

const INTRODUCED =
  "(?:[Mm]y name is|[Mm]y name's|I am called|[Tt]his is|name is|[Ii]ch heiße|[Mm]ein Name ist|[Jj]e m'appelle|[Mm]on nom est|[Mm]e llamo|[Mm]i nombre es|[Mm]i chiamo|[Ii]l mio nome è|[Mm]eu nome é|[Cc]hamo-me|[Mm]e chamo|[Mm]ijn naam is|[Ii]k heet|[Nn]azywam się|[Mm]am na imię|[Jj]ag heter|[Mm]itt namn är|[Jj]eg heter|[Jj]eg hedder|[Nn]imeni on|[Jj]menuji se|[Vv]olám sa|[Aa] nevem|[Mm]ă numesc|[Zz]ovem se|[Ii]me mi je|[Aa]dım|[Мм]еня зовут|[Мм]ене звати|[Κκ]αλούμαι|[Μμ]ε λένε|שמי|קוראים לי|اسمي|मेरा नाम|nama saya|tên tôi là|Tôi tên là)";
const AFTER_INTRODUCTION = lazily(`${INTRODUCED}[ ](?:(?:${TITLE})\\.?[ ])?(${ONE_LINE_NAME})`, "gu");
const RELATIVES =
  "brother|sister|wife|husband|son|daughter|mother|father|mum|mom|dad|aunt|uncle|cousin|niece|nephew|grand(?:son|daughter|mother|father|ma|pa)|gran|nan|neighbou?r|friend|colleague|boss|manager|landlord|landlady|partner|girlfriend|boyfriend|fiancée?|carer|flatmate|roommate|teacher|assistant|secretary|guy|driver|engineer|technician|plumber|electrician|builder|cleaner|nanny|lawyer|solicitor|accountant|supervisor";
const GERMAN_RELATIVES =
  "Bruder|Schwester|(?:Ehe)?[Mm]ann|(?:Ehe)?[Ff]rau|Sohn|Tochter|Mutter|Vater|Tante|Onkel|Oma|Opa|Cousine?|Vetter|Nichte|Neffe|Enkel(?:in)?|Schwager|Schwägerin|Nachbar(?:in)?|Freund(?:in)?|Kollege|Kollegin|Chef(?:in)?|Vermieter(?:in)?|Mieter(?:in)?|Partner(?:in)?|Lehrer(?:in)?";
/** "my sister Anna", "unser Nachbar Detlef". In German the nominative: "meiner Mutter Blumen" names nobody. */
const RELATIVE = lazily(
  `(?<!${WORD_CHAR})(?:(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Yy]our|[Tt]heir)[ ](?:(?:late|older|elder|younger|little|big|old|dear)[ ])?(?:${RELATIVES})|(?:[Mm]ein|[Uu]nser|[Dd]ein|[Ss]ein|[Ii]hr)e?[ ](?:${GERMAN_RELATIVES}))[ ]`,
  "gu",
);
/** "my wife, Sunday, and I": a name between commas. */
const RELATIVE_BY_COMMA = lazily(
  `(?<!${WORD_CHAR})(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Yy]our|[Tt]heir)[ ](?:${RELATIVES}),[ ](${ONE_LINE_NAME})(?=, )`,
  "gu",
);
/** Words in lower case that follow an introduction and are no names. */
const NO_NAME =
  "the|a|an|my|not|your|spelled|spelt|on|in|it|for|about|what|very|just|so|how|no|to|too|calling|regarding|because|really|why|where|great|good|fine|right|all|our|going|always|also|still|now|me|him|her|them|us|you|this|that|these|those|who|whoever|someone|somebody|anyone|anybody|everyone|everybody|another|others?|people|customers?|clients?|friends?|children|kids|family|management|managers?|support|sales|billing|staff|reception|service|humans?|agents?|doctors?|lawyers?|different|far|away|apart|back|news|straight|fresh|directly|only|never|more|less|much";
/** Words in lower case that end a name. */
const AFTER_NAME =
  "and|i|calling|from|here|speaking|how|with|about|the|my|is|i'm|on|at|thanks|okay|ok|yes|so|but|to|for|of|in|date|that|uh|um|can|may|what|was|it|a|an|we|you|please";
const LOWER_NAME = `((?!(?:${NO_NAME})\\b)[a-z]{2,15}(?:\\s(?!(?:${AFTER_NAME})\\b)[a-z]{2,15})?)(?![\\p{L}\\p{N}'])`;
/** Speech that was written down without capitals. "this is" and "speak to" need more around them: "this is important" names nobody. */
const LOWER_INTRODUCTIONS = [
  `\\b(?:my name is|my name's|name is|i'm called)\\s${LOWER_NAME}`,
  `\\bthis is\\s${LOWER_NAME}(?=\\s(?:calling|speaking|from|on the (?:line|phone))\\b)`,
  `\\b(?:(?:can|may|could) i|am i|you're|you are|i'm|i am|i was)\\s(?:please\\s)?(?:speak to|speak with|speaking to|speaking with)\\s${LOWER_NAME}(?=\\s?(?:[?.,!\\n]|$|please\\b))`,
].map((source) => lazily(source, "gu"));

/** Speakers of chats and transcripts, and lines of mail headers. */
const SPEAKER = lazily(
  `^[ \\t>]{0,4}(?:\\[[^\\]\\n]{1,30}\\]|\\(?\\d{1,2}:\\d{2}(?::\\d{2})?(?: ?[AaPp][Mm])?\\)?(?: ?-)?)[ ]{1,2}<?(?:(?:${TITLE})\\.?[ ])?(${ONE_LINE_NAME})>?(?=:[ ]|>[ ])`,
  "gmu",
);
const SPEAKING = lazily(`^[ \\t>]{0,4}(?:(?:${TITLE})\\.?[ ])?(${ONE_LINE_NAME})(?=:[ ]\\S)`, "gmu");
/** Lines of a chat with a name and a time, and nothing else. */
const STAMPED = lazily(`^(${ONE_LINE_NAME})[ ]{1,2}\\d{1,2}:\\d{2}(?: ?[AaPp][Mm])?[ ]*$`, "gmu");
const HEADER = lazily(
  `^[ \\t>]{0,4}(?:From|To|Cc|Bcc|Reply-To|Sender|Author|Von|An|De|À|Para|Da|A|Van|Aan|Od|Do|Från|Till|Fra|Til|От|Кому|Từ|Đến|Dari|Kepada|Kutoka|Kwa|Mula|Kay|Para kay)[ ]?:[ ]*"?(${ONE_LINE_NAME})"?(?=[ ]*[<(\\n,]|$)`,
  "gmu",
);
const BRACKETED = lazily(`(?<!${WORD_CHAR})"?(${FULL_NAME})"?(?=[ ]<[^<>\\s@]{1,64}@)`, "gu");
/** Words before ":" that are no speakers. */
const NO_SPEAKER =
  /^(?:Agent|Customer|Caller|Operator|Support|Note|Notes|Subject|Date|Time|Re|Fwd|Warning|Error|Info|Debug|Update|Summary|Question|Answer|Total|Action|Address|Phone|Email|Mobile|Status|Location|Name|Order|Invoice|Ticket|Description|Example|Hint|Tip|Important|Attention|Edit|Ps|PS|NB|FYI|Doctor|Patient|Nurse|Interviewer|Interviewee|Speaker|Host|Guest|System|Bot|User|Admin|Assistant|Moderator|Reason|Result|Results|Plan|Assessment|History|Diagnosis|Medication|Medications|Allergies|Experience|Education|Skills|Languages|References|Hobbies|Objective|Profile|Contact|Item|Amount|Price|Quantity|Due|Terms|Payment|Bank|Account|Sort|Reference|From|To|Cc|Bcc|Sender|Also|Then|Later|Yesterday|Today|Tomorrow|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|[A-Z]{2,5}|\p{L}+(?:ung|tion|ment|ness))$/u;

/** A full name after a word for a buyer, customer or patient. */
const BUYER = lazily(
  `(?<!${WORD_CHAR})(?:[Bb]ill(?:ed)? to|[Ss]old to|[Kk]und(?:e|in)|[Rr]echnung an|[Ff]acturée? à|[Cc]lient(?:e|a)?|[Ff]acturar a|[Ii]ntestat[ao] a|[Kk]lant|[Ff]actuur voor|[Nn]abywca|[Oo]dbiorca|[Ss]przedawca|[Oo]dběratel|[Zz]ákazník|[Oo]dberateľ|[Vv]evő|[Mm]üşteri|[Aa]siakas|[Kk]unden|[Kk]öpare|[Pp]acjent(?:ka)?|[Pp]acient(?:ka)?|[Pp]aziente|[Pp]atient(?:in)?)[ ](${FULL_NAME})(?![\\p{L}\\p{N}])`,
  "gu",
);
/** The name at the head of a CV: a full name in a line of its own, with an e-mail address or telephone number in one of the next three lines. */
const CV_NAME = lazily(
  `(?:^|\\n\\n)(${FULL_NAME})[ ]*\\n(?=(?:[^\\n]{0,80}\\n){0,2}[^\\n]{0,60}(?:@|\\d[\\d ()/-]{7}))`,
  "gu",
);
/** A full name in the line below the word for a CV. */
const BELOW_CV = lazily(
  `(?:^|\\n)[ ]*(?:CV|C\\.V\\.|[Cc]urriculum [Vv]itae|CURRICULUM VITAE|Lebenslauf|LEBENSLAUF|Résumé|Resume|RESUME|Hoja de vida|Currículum|Currículo|Życiorys|Životopis|Önéletrajz|Özgeçmiş|Ansioluettelo|Levensloop|Резюме|Βιογραφικό(?: σημείωμα)?|Gyvenimo aprašymas|Elulookirjeldus)[ ]*\\n{1,2}[ ]*(${FULL_NAME})(?=[ ]*(?:[,\\n]|$))`,
  "gu",
);
/** Words that the name at the head of a CV does not contain. */
const NO_CV_NAME =
  /(?<!\p{L})(?:Curriculum|Vitae|R[eé]sum[eé]|Lebenslauf|Contact|Personal|Details|Data|Information|Meeting|Notes|Order|Invoice|Customer|Delivery|Shipping|Billing|Address|Support|Team|Service|Office|Dear|Thank|Your|Our|The|New|From|To|Kontakt|Daten|Datos|Dati|Dane|Coordonnées)(?!\p{L})/u;

const is = (word: string) => !NOBODY.test(word.split(" ")[0]!) && !isOffice(word) && word.length >= 2;
const isSpeaker = (word: string) =>
  !isRole(word) &&
  labelOfKey(word) === undefined &&
  !NO_SPEAKER.test(word.split(" ")[0]!) &&
  !NO_SPEAKER.test(word) &&
  maySpeak(word) &&
  is(word);
const names = (pattern: RegExp | Lazy, isMeant?: (word: string) => boolean) => (text: string) =>
  matches(text, pattern, "PERSON", isMeant, 1).map((match) => untitled(text, shortened(text, match)));

/** Returns a step that finds names, the group of `name`, right after the matches of `pattern`. */
const namesAfter =
  (pattern: Lazy, name: Lazy, isMeant: (word: string) => boolean) =>
  (text: string): Match[] =>
    continued(text, pattern, name).flatMap(({ middle, more }) => {
      const word = more?.[1];
      if (!word || !isMeant(word)) return [];
      const end = middle + more[0].length;
      return [shortened(text, { start: end - word.length, end, label: "PERSON" })];
    });

/** Finds names by the words around them: titles, greetings, introductions, closings, speakers and mail headers. */
export const title = stepped(
  ["PERSON", "USERNAME"],
  [
    namesAfter(BEFORE_NAME, AFTER_TITLE, is),
    (text) => withoutClosings(text, names(AFTER_GREETING, is)(text)),
    names(AFTER_INTRODUCTION, is),
    namesAfter(RELATIVE, AFTER_RELATIVE, (word) => is(word) && /\p{Ll}/u.test(word) && !isWeekday(word)),
    names(RELATIVE_BY_COMMA, is),
    ...LOWER_INTRODUCTIONS.map((pattern) => names(pattern)),
    signers,
    names(SPEAKER, isSpeaker),
    (text) => turns(text, names(SPEAKING, isSpeaker)(text)),
    (text) => turns(text, names(STAMPED, isSpeaker)(text)),
    (text) => speakers(text).map((match) => untitled(text, match)),
    initials,
    inSpeech,
    names(HEADER, is),
    names(BUYER, is),
    names(CV_NAME, (word) => !NO_CV_NAME.test(word) && /\p{Ll}/u.test(word)),
    names(BELOW_CV, (word) => !NO_CV_NAME.test(word)),
    names(BRACKETED, is),
    introduced,
    introducedUncased,
    ...IN_LANGUAGES.names,
  ],
);

/** Finds the names after closings, without titles. */
function signers(text: string): Match[] {
  return signatures(text).flatMap((match) => {
    const bare = untitled(text, match);
    const name = text.slice(bare.start, bare.end);
    return is(name) && !isWord(name) ? shortened(text, bare) : [];
  });
}

/** Initials, or a name and an initial, in the last paragraph or at the end of its last sentence, and a name before kisses. */
const INITIALS = lazily(
  "(?:(?<=\\n[ \\t]{0,3}\\n[ \\t]{0,3})(?:\\p{Lu}\\.(?: ?\\p{Lu}\\.){0,3}|\\p{Lu}\\p{Ll}{1,14} \\p{Lu}\\.|(?![xX])\\p{L}\\.?)|(?<=\\p{L}[.!?] )\\p{Lu}\\.)(?=[ \\t]*(?:\\s{0,4}$|\\n{1,3}(?:--|>|[Pp]\\.? ?[Ss](?!\\p{L}))))|(?<=[,.!?] |\\n|[Yy]our )\\p{Lu}\\p{Ll}{1,14}(?= [xX]{1,4}\\s{0,4}$)|(?<=\\n[ \\t]{0,3}\\n)\\p{Lu}\\p{Ll}{1,14}(?=[ \\t]*\\n--[ \\t]*\\n)",
  "gu",
);
/** A letter in lower case that begins with a greeting, and its last paragraph of one word. */
const GREETED = /^\s*(?:hi|hiya|hey|hello|dear|morning)(?!\p{L})/iu;
const LAST_WORD = /\n[ \t]*\n[ \t]*([a-z]{2,12})\s*$/;
/** A family in the plural: "our neighbours, the Skeltons". */
const FAMILY = lazily(
  "(?<=(?:neighbou?rs|people|couple|family|friends|landlords|belongs? to|next door),? (?:to )?[Tt]he )\\p{Lu}[\\p{L}'’-]{2,20}s(?![\\p{L}'’])|(?<=(?<!\\p{L})[Tt]he )\\p{Lu}\\p{Ll}{2,15}s(?= (?:next door|upstairs|downstairs|across the (?:road|street)|at (?:no\\.? ?|number )\\d|\\(\\d\\)))",
  "gu",
);
function initials(text: string): Match[] {
  const found = [INITIALS, FAMILY].flatMap((pattern) => matches(text, pattern, "PERSON", (word) => is(`${word}.`)));
  const [whole, word] = GREETED.test(text) ? (LAST_WORD.exec(text.slice(-60)) ?? []) : [];
  if (!word || NO_LOWER_NAME.test(word) || isWord(word) || NO_SIGNER.test(word)) return found;
  const start = text.length - whole!.length + whole!.indexOf(word);
  return [...found, { start, end: start + word.length, label: "PERSON" }];
}
/** Words in lower case that end a letter and name nobody. */
const NO_SIGNER =
  /^(?:thanks?|thx|ta|cheers|bye|hugs|love|best|regards|sincerely|yours|kisses|xo+|xx+|pls|ciao|later|soon|luv|yes|amen|lol|ttyl|asap|end|fin)$/;

/** Words in lower case that follow "first name" and stand before "speaking", and name nobody. */
const NO_LOWER_NAME = new RegExp(
  `^(?:${NO_NAME}|${AFTER_NAME}|\\w+(?:ly|ing|ish|ese|ian)|please|first|again|or|if|then|sorry|sir|basis|field|box|only|there|when|as|by|with|has|will|would|same|begins|starts|changed|whos?|he|she|they|were|keep|kept|start|started|stop|stopped|public|french|dutch|after|before|while|are|am|be|been|have)$`,
);
/** Names in speech that was written down without capitals. */
const IN_SPEECH = [
  "(?<![\\p{L}'’])([a-z]{3,15}) speaking(?=\\s?(?:[.,?!\\n]|$)|\\s(?:yeah|yes|yep|hi|hello|good|how|may|can|what|is)(?!\\p{L}))",
  "(?<!\\p{L})(?:(?:first|last|middle|maiden|family) name|surname)(?:['’]?s| is)? ([a-z]{3,15})(?![\\p{L}'’])",
].map((source) => lazily(source, "gu"));
function inSpeech(text: string): Match[] {
  if (!isSpeech(text)) return [];
  return IN_SPEECH.flatMap((pattern) => matches(text, pattern, "PERSON", (word) => !NO_LOWER_NAME.test(word), 1));
}

/** Lines that begin with a word and ":" are a dialogue only if a word of them comes back. */
function turns(text: string, spoken: readonly Match[]): Match[] {
  const counts = new Map<string, number>();
  const nameOf = ({ start, end }: Match) => text.slice(start, end);
  for (const match of spoken) counts.set(nameOf(match), (counts.get(nameOf(match)) ?? 0) + 1);
  return [...counts.values()].some((count) => count > 1) && counts.size > 1
    ? spoken.filter((match) => counts.get(nameOf(match))! > 1 || counts.size <= 4)
    : [];
}

/** Returns the length of the titles and offices before a name. */
export function titlesOf(text: string, whole: string): number {
  let name = whole;
  for (;;) {
    const word = /^\S+(?= )/.exec(name)?.[0];
    if (!word || !(isTitle(word) || isOffice(word))) break;
    name = name.slice(word.length + 1);
  }
  return whole.length - name.length + (afterTitles(text, name) || afterIndicTitles(name));
}

/** Returns a name without the titles and offices before it. */
const untitled = (text: string, match: Match): Match => ({
  ...match,
  start: match.start + titlesOf(text, text.slice(match.start, match.end)),
});

/** A name ends before a word that begins the next sentence, e.g. after an initial or a title. */
function shortened(text: string, match: Match): Match {
  const word = text.slice(match.start, match.end);
  const cut =
    /[ ](?:I|We|It|The|This|That|You|He|She|They|And|But|Please|Thank|Thanks|Your|My|Our|In|On|At|As|If|For|To|From|Ich|Wir|Sie|Je|Nous|Yo|Io|Ik)(?![\p{L}\p{M}]).*$/u.exec(
      word,
    );
  const last = /[ ]([^ ]+)$/u.exec(cut ? "" : word); // "pan Kučera Vás": a polite pronoun has a capital as well
  const whole = match.start + (cut?.index ?? (last && isPronoun(last[1]!) ? last.index : word.length));
  const end = /['’]s$/.test(text.slice(match.start, whole)) ? whole - 2 : whole;
  return { ...match, end: /\p{Ll}\.$/u.test(text.slice(match.start, end)) ? end - 1 : end };
}
