// Words before a signature: "Liebe Grüße", "Med vänlig hälsning". They are no names, and a name follows them.
import { isWord, plain } from "../words.js";
import { lazily, type Match } from "./match.js";
import { ONE_LINE_NAME } from "./name-forms.js";

/** Closings that mean nothing else, in lower case; accents do not count. A line has the closings of one language or of related ones. */
const CLOSINGS = [
  "regards|kind regards|best regards|warm regards|warmest regards|kindest regards|many regards|with kind regards|with best regards|best wishes|with best wishes|all the best|yours sincerely|yours faithfully|yours truly|sincerely|sincerely yours|respectfully|cordially|warmly|take care|many thanks|thanks a lot|thanks so much|thanks again|thanks in advance|thank you in advance|lots of love|love you both|love you all|nga mihi|yrs|yours ever|hugs|cheers",
  "gruß|gruss|gruße|grusse|lieber gruß|liebe gruße|lieben gruß|viele gruße|viele liebe gruße|beste gruße|schone gruße|herzliche gruße|herzlichen gruß|herzlicher gruß|freundliche gruße|freundlichen gruß|freundlicher gruß|sonnige gruße|mit freundlichen gruße|mit freundlichen grußen|mit freundlichem gruß|mit besten grußen|mit herzlichen grußen|mit lieben grußen|mit vielen grußen|mit freundlichen grussen|herzlichst|herzlich|hochachtungsvoll|mfg|lg|vg|glg|alles gute|alles liebe|bis bald|bis dann|euer|eure|ihr|ihre|dein|deine",
  "cordialement|bien cordialement|tres cordialement|bien a vous|bien a toi|amicalement|amities|sincerement|salutations|salutations distinguees|sinceres salutations|meilleures salutations|respectueusement|bises|bisous|grosses bises|gros bisous|je t'embrasse|je vous embrasse|bonne journee|bonne soiree|bonne reception|a bientot|avec mes remerciements",
  "saludos|saludos cordiales|un saludo|un cordial saludo|un saludo cordial|muchos saludos|atentamente|muy atentamente|cordialmente|un abrazo|abrazos|un beso|besos|hasta pronto|quedo a la espera|afectuosamente",
  "saluti|cordiali saluti|distinti saluti|cari saluti|tanti saluti|un saluto|un caro saluto|un cordiale saluto|cordialita|un abbraccio|abbracci|un bacio|baci|a presto|in fede|con stima",
  "cumprimentos|os melhores cumprimentos|com os melhores cumprimentos|melhores cumprimentos|atenciosamente|att|abraco|abracos|um abraco|beijos|beijinhos|um beijo|bjs|ate breve|ate logo|saudacoes|respeitosamente",
  "groet|groeten|groetjes|met vriendelijke groet|met vriendelijke groeten|vriendelijke groet|vriendelijke groeten|hartelijke groet|hartelijke groeten|met hartelijke groet|lieve groet|lieve groetjes|veel groeten|mvg|liefs|hoogachtend|tot snel|tot gauw",
  "pozdrawiam|pozdrawiam serdecznie|serdecznie pozdrawiam|pozdrowienia|serdeczne pozdrowienia|z pozdrowieniami|z powazaniem|z wyrazami szacunku|sciskam|caluje|buziaki|pozdro|pzdr",
  "s pozdravem|s pozdravom|s uctou|s uctivym pozdravem|zdravi|zdravim|pozdravuji|pozdravujem|hezky den|pekny den|mejte se|mejte se hezky|s pratelskym pozdravem",
  "med vanlig halsning|med vanliga halsningar|vanlig halsning|vanliga halsningar|halsning|halsningar|halsar|basta halsningar|manga halsningar|kram|kramar|stor kram|mvh|med vennlig hilsen|vennlig hilsen|med venlig hilsen|venlig hilsen|hilsen|hilsner|mange hilsner|mange hilsener|beste hilsen|beste hilsener|de bedste hilsner|bedste hilsner|bedste hilsener|kærlig hilsen|kærlig hilsner|kjærlig hilsen|hilsen fra|knus|klem|dbh|vh",
  "terveisin|terveiset|terkuin|terkut|ystavallisin terveisin|parhain terveisin|yst terv|kunnioittavasti|halauksin",
  "udvozlettel|tisztelettel|szivelyes udvozlettel|baratsaggal|udv|udvozlet|puszi|oleles",
  "cu stima|cu respect|cu drag|cu prietenie|salutari|toate cele bune|o zi buna|va multumesc",
  "s postovanjem|lep pozdrav|lijep pozdrav|srdacan pozdrav|srdacno|puno pozdrava|pozdrav|lp|s spostovanjem|s štovanjem|pagarbiai|ar cienu|lugupidamisega",
  "saygılarımla|saygilarimla|saygılar|selamlar|sevgiler|sevgilerimle|iyi gunler|iyi calısmalar|kolay gelsin|gorusmek uzere",
  "с уважением|с наилучшими пожеланиями|с приветом|всего доброго|всего хорошего|обнимаю|целую|с любовью|ваш|ваша|з повагою|з найкращими побажаннями|с уважение|поздрави|с поштовањем|με εκτιμηση|φιλικα|χαιρετισμους|με φιλικους χαιρετισμους",
  "בברכה|בברכה רבה|בכבוד רב|مع التحية|تحياتي|مع خالص التحية|مع تحياتي|सादर|धन्यवाद|भवदीय|भवदीया|निवेदक|प्रार्थी|प्रार्थिनी|आपका|आपकी|तुम्हारा|तुम्हारी|आपला|आपली|प्यार|स्नेह|शुभकामनाओं सहित|सधन्यवाद|विनीत|শুভেচ্ছান্তে|শুভেচ্ছা|বিনীত|নিবেদক|ধন্যবাদ|ইতি|ধন্যবাদান্তে|அன்புடன்|நன்றி|இப்படிக்கு|ధన్యవాదాలు|ఇట్లు|આભાર|લિ|ਧੰਨਵਾਦ|ಧನ್ಯವಾದಗಳು|ഇതിനു നന്ദി|നന്ദി|സ്നേഹത്തോടെ|პატივისცემით|სიყვარულით|მადლობა|հարգանքով|սիրով|ከሰላምታ ጋር|ከአክብሮት ጋር|ขอแสดงความนับถือ|ด้วยความเคารพ|ด้วยรัก|ขอบคุณครับ|ขอบคุณค่ะ|tran trong|than ai|than men|than|kinh thu|cam on chi|cam on anh|em|con|hormat kami|yang benar|sekian|sekian terima kasih|wassalam|tq|tks|rgds|thx|terima kasih|mengetahui|wako|wako mtiifu|wako katika ujenzi wa taifa|wasalaam|dada yako|kaka yako|rafiki yako|salamat po|maraming salamat po|maraming salamat|lubos na gumagalang|gumagalang|nagmamahal|hormat saya|salam|salam hormat|salam hangat",
];
/** Closings that are also other words: they have a line of their own, or a comma behind them. */
const AMBIGUOUS = new Set(
  "best|love|your|yours|yrs|thanks|thank you|ta|xo|xx|xoxo|ihr|ihre|dein|deine|euer|eure|att|ваш|ваша|pozdrav|salam|herzlich|zdravi|vh|lp|kram|klem|knus|puszi|baci|besos|hugs|cheers|धन्यवाद|em|con|than|sekian|terima kasih|wako|आपका|आपकी|तुम्हारा|तुम्हारी|प्यार|स्नेह|ইতি|நன்றி|მადლობა|mengetahui".split(
    "|",
  ),
);
let known: Set<string> | undefined;
const isClosing = (phrase: string) =>
  (known ??= new Set(CLOSINGS.flatMap((line) => line.split("|").map(plain)).concat([...AMBIGUOUS].map(plain)))).has(
    phrase,
  );
const MOST_WORDS = 5;

/** Where a sentence or a line can begin. */
const BEGINNING = /(?:^|\n)[ \t>*_]{0,4}|[.!?,;…)][ \t]+/gu;
const WORD = /[\p{L}\p{M}'’]+/uy;
/** What follows a closing on its line. */
const REST = /[ \t]?[,.!–-]{0,2}[ \t]*(?=\n|$)/uy;
const COMMA = /,[ \t]+/uy;
const SPACE = /[ \t]+/uy;
/** Lines without words between a closing and a name. */
const BETWEEN = /\n[ \t>*_]{0,4}(?:[-–—]{1,2}[ \t]?)?(?:\n[ \t>*_]{0,4}(?:[-–—]{1,2}[ \t]?)?){0,2}/uy;

/** A name that ends its line, or has a comma, a bracket or a bar behind it. */
const SIGNED = lazily(`(${ONE_LINE_NAME})(?=[ \\t]*(?:[,.(|/*_]|\\n|$))`, "uy");
/** A name behind a closing of the same line. */
const SIGNED_BESIDE = lazily(`(${ONE_LINE_NAME})(?=[ \\t]*[.!)*_]?[ \\t]*(?:\\n|$))`, "uy");
/** A line of words in a script without capitals. */
const SIGNED_UNCASED =
  /((?:\p{Lo}\p{M}{0,2}\. ?){0,3}(?:[\p{Lo}\p{sc=Geor}][\p{Lo}\p{M}\p{sc=Geor}-]{1,24})(?: [\p{Lo}\p{sc=Geor}][\p{Lo}\p{M}\p{sc=Geor}]{1,24}){0,2})(?=[ \t]*(?:[,،]|\n|$))/uy;
/** A line of one or two words in lower case that ends its paragraph. */
const SIGNED_LOWER = /(\p{Ll}(?:\.|[\p{Ll}\p{M}]{1,24}(?: \p{Ll}[\p{Ll}\p{M}]{1,24})?))(?=[ \t]*(?:\n[ \t]*\n|\s*$))/uy;

/** A closing, and the name that follows it. */
interface Closing {
  start: number;
  end: number;
  name?: { start: number; end: number };
}

/** Returns the match of a sticky expression at a place. */
function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/** Returns where the longest closing that begins at `start` ends, and its words. */
function longest(text: string, start: number): { end: number; phrase: string } | undefined {
  let phrase = "";
  let found: { end: number; phrase: string } | undefined;
  for (let n = 0, from = start; n < MOST_WORDS; n++) {
    const word = matchAt(WORD, text, from);
    if (!word) break;
    phrase += `${n ? " " : ""}${plain(word[0]).replaceAll("’", "'")}`;
    const end = from + word[0].length;
    if (isClosing(phrase)) found = { end, phrase };
    if (text[end] !== " ") break;
    from = end + 1;
  }
  return found;
}

/** Returns the name on the line below `end`. */
function below(text: string, end: number, isLower: boolean): Closing["name"] {
  const between = matchAt(BETWEEN, text, end);
  if (!between) return undefined;
  const from = end + between[0].length;
  const cased = matchAt(SIGNED(), text, from) ?? matchAt(SIGNED_UNCASED, text, from);
  const signed = cased ?? (isLower ? matchAt(SIGNED_LOWER, text, from) : null);
  const name = signed?.[1];
  if (!name || (!cased && isWord(name))) return undefined;
  const last = from + signed[0].length;
  return { start: last - name.length, end: last };
}

/** Returns whether a line follows an empty one, and at most a postscript follows it. */
function isLast(text: string, start: number, end: number): boolean {
  if (!/\n[ \t]*\n[ \t]*$/.test(text.slice(Math.max(0, start - 6), start))) return false;
  const after = text.slice(end, end + 12).trim();
  return after === "" || /^p\.? ?s(?!\p{L})/iu.test(after);
}

/** Returns the closing that begins at a place. */
function closingAt(text: string, start: number): Closing | undefined {
  const found = longest(text, start);
  if (!found) return undefined;
  const { end, phrase } = found;
  const rest = matchAt(REST, text, end);
  if (rest) {
    const first = text.slice(start, start + 1);
    const name = below(text, end + rest[0].length, first === first.toLowerCase());
    return name ? { start, end, name } : { start, end };
  }
  const comma = matchAt(COMMA, text, end);
  const behind = comma ?? matchAt(SPACE, text, end);
  const signed = behind && matchAt(SIGNED_BESIDE(), text, end + behind[0].length);
  if (!signed) return undefined;
  if (!comma && AMBIGUOUS.has(phrase) && !isLast(text, start, end + behind[0].length + signed[0].length))
    return undefined;
  const last = end + behind[0].length + signed[0].length;
  return { start, end, name: { start: last - signed[1]!.length, end: last } };
}

/** Returns the closings of a text, in order, in time linear in its length. */
function closings(text: string): Closing[] {
  const found: Closing[] = [];
  for (const { 0: beginning, index } of text.matchAll(BEGINNING)) {
    const closing = closingAt(text, index + beginning.length);
    if (closing && closing.start >= (found.at(-1)?.end ?? 0)) found.push(closing);
  }
  return found;
}

/** Finds the names below and beside closings. */
export const signatures = (text: string): Match[] =>
  closings(text).flatMap(({ name }) => (name ? { ...name, label: "PERSON" } : []));

/** Returns spans without the closings that they contain: of "Grüße Henrike" only "Henrike" is a name. */
export function withoutClosings<S extends { start: number; end: number; label: string }>(
  text: string,
  spans: readonly S[],
): S[] {
  const all = closings(text);
  if (all.length === 0) return [...spans];
  return spans.flatMap((span) => {
    if (!/^(?:PERSON|LOCATION|ORGANIZATION)$/.test(span.label)) return span;
    const closing = all.find(({ start, end }) => start < span.end && span.start < end);
    if (!closing) return span;
    if (closing.name && closing.name.start < span.end && closing.name.end >= span.end)
      return { ...span, start: closing.name.start };
    return closing.start > span.start ? { ...span, end: closing.start } : [];
  });
}
