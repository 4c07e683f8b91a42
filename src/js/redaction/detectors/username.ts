import { ENGLISH, isWord, plain } from "../words.js";
import { inLanguages } from "./languages/languages.js";
import { type Detector, type Match, matches } from "./match.js";

const HANDLE =
  /(?<![\p{L}\p{N}._%+/@-])@(?!media|import|param|return|override|types|here|channel|everyone|all\b)[A-Za-z_][\w.]{1,29}(?:-\w{1,20}){0,3}(?![\w@]|\.\w)(?<!\.)/gu;
const SAID =
  /\b(?:user ?names?|usernames?|log(?:ged|ging)? in as|sign(?:ed|ing)? in as|account name|benutzername|nom d'utilisateur|nombre de usuario|nome utente|gebruikersnaam|nazwa użytkownika|användarnamn)(?:\s(?:is|was|ist|est|es|è|are))?\s?[:=]?\s["'`]?([A-Za-z_][\w.-]{1,30}\w)(?![\w@])/giu;
/** A word for a user in other languages, in the cases that stand before a name, and a word after it. */
const OF_USER =
  /(?<!\p{L})(?:utilisateur|benutzers?|nutzer|usuario|utente|utilizador|gebruiker|użytkownik(?:a|owi|iem)?|uživatel(?:e|i|em)?|používateľ(?:a|ovi|om)?|felhasználó|utilizator(?:ul|ului)?|kullanıcı|användaren?|brukeren?|brugeren?|käyttäjän?|kasutajat?|vartotoj(?:as|o|ui|ą)|korisnik(?:a|u)?|uporabnik(?:a|u)?|пользовател(?:ь|я|ю)|користувач(?:а|у|ем)?|потребител(?:я|ят)?|χρήστη[ςν]?)\s?[:=]?\s["'`«„]?([A-Za-z_][\w.-]{2,31})(?![\p{L}@=(])/giu;
/** A word for a user, and a name in lower case up to a comma, a bracket or the end of a line. */
const LISTED =
  /(?<!\p{L})(?:user|login|benutzer|nutzer|utilisateur|usuario|utente|utilizador|utilizator|gebruiker|użytkownik|uživatel|felhasználó|kullanıcı|användare|bruker|bruger|käyttäjä|kasutaja|vartotojas|lietotājs|korisnik|uporabnik|usuari|налог|логін|логин|користувач|потребител|χρήστης|konto|compte|account)\s["'`«„]?([a-z][a-z0-9._-]{3,24})(?=["'`»“]?(?:[,;)\n]|\.(?:\s|$)|$))/giu;
/** A login in brackets after a full name that it is made of: "Imogen Blacksmith (iblacksmith)". */
const IN_BRACKETS =
  /(?<![\p{L}\p{M}])\p{Lu}[\p{L}\p{M}'’-]{1,24} (?:\p{Lu}[\p{L}\p{M}.'’-]{0,24} )?(\p{Lu}[\p{L}\p{M}'’-]{1,24}) \(([a-z][a-z0-9._-]{2,24})\)/gu;
/** The start of a line of a log. */
const LOG_LINE = /^[^\p{L}\n]*\d\d:\d\d|^[[(]?(?:INFO|WARN|ERROR|DEBUG|FATAL|TRACE|NOTICE)/u;
/** Returns whether a word after a word for a user names one: one with a digit or a sign, or, in a log, no function word. */
const isUser = (word: string, { input, index }: RegExpMatchArray) =>
  /[a-z][._-]?\d|[a-z][._-][a-z]|[a-z][A-Z]/.test(word) ||
  (/^[a-z]{5,}$/.test(word) && !isWord(word) && LOG_LINE.test(input!.slice(input!.lastIndexOf("\n", index) + 1)));
/** A word for a user or a login, in other languages than English up to two short words, and a name with a digit or a sign in it. */
const WITH_SIGN =
  /(?<![\p{L}\p{N}])(?:(?:user(?: ?(?:id|name))?|login|account|id)(?: (?:is|was|called|named|as|for))?|(?:benutzer(?:name|kennung)?|kennung|nutzername|identifiant|utilisateur|compte|usuario|usuári[oa]|utilizador|utente|usuari|inlog(?:naam)?|gebruiker(?:snaam)?|tunnus(?:ta)?|käyttäjä(?:tunnus)?|användar(?:e|namn)|bruker(?:navn)?|brukar|bruger(?:navn)?|korisni[cčk]\p{L}{1,4}|felhasználó(?:név|nevem|neve)?|kullanıcı(?: adı?m?)?|uživatel(?:ské jméno)?|účet|používateľ\p{L}*|konto|użytkownik\p{L}{0,3}|loguj\p{L}{1,3}|kasutaja(?:nimi)?|vartotoj\p{L}{1,3}|prisijungiu|lietotāj\p{L}{0,3}|логин\p{L}?|логін\p{L}?|юзер|пользовател\p{L}{1,2}|користувач\p{L}{0,2}|χρήστη\p{L}?|tài khoản|akun|账号|帳號|アカウント|아이디|משתמש|المستخدم)(?: \p{L}{1,10}){0,2})(?:\s?[:=]\s?|\s|(?<=[账帳]号|帳號))["'`«„]?([A-Za-z][A-Za-z]*(?:[._]|-?\d)[\w.-]{0,24}(?<=\w))(?![\p{L}\p{N}@=/(])/giu;
/** Lines of logs that name a user. */
const IN_LOG =
  /(?:(?:Failed|Accepted) \S{5,24} for (?:invalid user )?|session (?:opened|closed) for user |(?<!\p{L})sudo:\s{1,3}(?=\S{2,32} : )|^(?:\d{1,3}\.){3}\d{1,3} - |TODO\(|(?<!\p{L})curl [^\n]{0,40}?-u |-!- )([A-Za-z][\w.-]{1,31})(?![\w@=])/gmu;
/** The speakers of IRC. */
const IRC = /^(?:[[(]?\d\d:\d\d(?::\d\d)?[\])]?\s{1,2})?<[@+~&]?([A-Za-z_][\w.^-]{1,24})>(?=\s\S)/gmu;
/** A person's page. */
const PAGE = /(?:(?:linkedin|linked|xing)\.[\w.-]{2,24}\/(?:in|profile)\/|\/~)([A-Za-z][\w.-]{2,38})(?![\w])/giu;
/** Words that also name other things: "the handle is safe", "the login button". */
const MAYBE =
  /\b(?:user ?id|login(?: name)?|screen ?name|handle|nick(?:name)?|benutzer|identifiant)(?:\s(?:is|was|ist|est|es|è))?(\s?[:=])?\s["'`]?([A-Za-z_][\w.-]{1,30}\w)(?![\w@])/giu;
const SESSION = /\b(?:for user|user|su:|sudo:|by user|uid)[ =]'?((?=[a-z]*[\d._-])[a-z_][a-z0-9._-]{2,31})(?![\w@=(])/g;
const HOME = /(?:\/home\/|\/[Uu]sers\/|C:\\Users\\|\\Users\\)([A-Za-z][\w.-]{1,31})(?![\w])/g;
const SOCIAL =
  /\b(?:github|gitlab|linkedin|twitter|x|instagram|facebook|tiktok|t|bitbucket|keybase|medium)\.(?:com|org|me|io)\/(?:in\/|@|users\/|u\/)?([A-Za-z][\w.-]{2,38})(?![\w/])/g;
/** A file, a version, or the name of a host. */
const FILE = /\.(?:\p{L}{2,4}|\d+)$|^v\d/iu;
const NO_NAME =
  /^(?:and|or|is|are|was|the|for|not|has|name|names|password|email|must|can|will|with|from|public|shared|default|login|signup|home|required|invalid|incorrect|unknown|missing|optional|taken|about|support|agreement|interface|experience|account|accounts|data|guide|manual|error|failed|failure|page)$/i;

/** Returns whether a login has the beginning of a name. */
const resembles = (login: string, name: string) => login.includes(plain(name).slice(0, 4));

/** A given name, perhaps an initial, and a family name of one or two parts. */
const FULL_NAME =
  /(?<![\p{L}\p{M}])(\p{Lu}\p{Ll}{1,15}) (?=(?:\p{Lu}\.? )?(\p{Lu}\p{Ll}{3,15})(?:-(\p{Lu}\p{Ll}{3,15}))?)/gu;
const LOGIN = /(?<![\p{L}\p{N}@._/-])[a-z]{1,15}(?:[._][a-z]{3,15}|[a-z]{5,15})(?![\p{L}\p{N}@_/(-]|\.\p{L})/gu;
/** The most names and logins that are compared. */
const MOST = 500;

/** Finds logins made of a name of the text: "jmarlowe" and "j.marlowe" of "Jane Marlowe". */
function logins(text: string): Match[] {
  const known = new Set<string>();
  for (const [, first, ...last] of text.matchAll(FULL_NAME)) {
    if (known.size > MOST) break;
    const given = plain(first!);
    for (const family of last.flatMap((name) => (name ? plain(name) : [])))
      for (const login of [given[0] + family, given + family[0], given + family, family + given[0]])
        known.add(login).add(`.${family}`);
  }
  if (!known.size) return [];
  return matches(
    text,
    LOGIN,
    "USERNAME",
    (word) => word.length > 5 && (known.has(word) || known.has(word.replace(/^.*[._]/, "."))),
  );
}

/** Finds user names: handles, names after "user name" or "login", and names in paths and profiles. */
export const username: Detector = {
  labels: ["USERNAME"],
  find(text) {
    const is = (word: string) => !NO_NAME.test(word);
    return [
      ...matches(text, HANDLE, "USERNAME"),
      ...matches(text, SAID, "USERNAME", (word) => is(word) && /[\d_.-]|[a-z][A-Z]|^.{4,}$/.test(word), 1),
      ...matches(
        text,
        MAYBE,
        "USERNAME",
        (word, [, sign]) => is(word) && (!!sign || /[\d_]|\w[.-]\w|[a-z][A-Z]/.test(word)),
        2,
      ),
      ...matches(text, OF_USER, "USERNAME", (word, match) => is(word) && isUser(word, match), 1),
      ...matches(
        text,
        LISTED,
        "USERNAME",
        (word) => is(word) && !isWord(word) && !ENGLISH.has(word) && !/ed$/.test(word),
        1,
      ),
      ...matches(text, IN_BRACKETS, "USERNAME", (word, [, last]) => resembles(word, last!), 2),
      ...matches(text, WITH_SIGN, "USERNAME", (word) => is(word) && !FILE.test(word), 1),
      ...matches(text, IN_LOG, "USERNAME", is, 1),
      ...(text.includes("</") ? [] : matches(text, IRC, "USERNAME", is, 1)),
      ...matches(text, PAGE, "USERNAME", is, 1),
      ...matches(text, SESSION, "USERNAME", is, 1),
      ...matches(text, HOME, "USERNAME", is, 1),
      ...matches(text, SOCIAL, "USERNAME", is, 1),
      ...logins(text),
      ...inLanguages("usernames", text),
    ];
  },
};
