import { inLanguages } from "./languages/languages.js";
import { type Detector, lazily, type Match, matches } from "./match.js";

/** Words for a secret, by language, and what may stand between them and the secret. */
const WORD =
  "pass ?words?|pass(?:wd|code|phrase)|pwd|pw|pin(?: ?(?:code|number))?|cvv2?|cvc2?|security code|one[- ]time (?:code|password)|otp|(?:wi-?fi|wlan)(?=\\s?(?:is|ist|[:=])\\s)|(?:verification|access|door|gate|alarm|safe|entry|login|unlock|confirmation|auth(?:entication)?|2fa|mfa|sms) ?code|secret(?: ?key| token)?|api ?key|access ?(?:key|token)|(?:auth|bearer|refresh|session|secret|reset)? ?token|passwort|kennwort|geheimzahl|mot de passe|code (?:secret|d'accès|pin)|contraseña|clave(?: de acceso)?|senha|palavra-passe|wachtwoord|pincode|hasło|lösenord|passord|adgangskode|kodeord|salasana|heslo|jelszó|pin-?kód|(?:digi|haustür|tür|tor|zugangs|port|dør|dörr|inngangs|ovi|ukse|sala)kod[ei]?|(?:haus)?türcode|torcode|zugangscode|ovikoodi|salakoodi|kod (?:do \\p{L}{3,12}|pin|otp|sms)|kód (?:od|ke|k|do) \\p{L}{3,12}|kode (?:otp|verifikasi)|code (?:d'entrée|porte|immeuble|de la porte|sms)|codice (?:di accesso|otp|cancello|portone)|código (?:de acceso|de acesso|portal|de verificación|otp)|cod (?:de acces|interfon|otp)|код (?:домофона|подъезда|от \\p{L}{3,12}|підтвердження)|шифр[аиуоы]?м?|parolă|parola|lozinka|zaporka|geslo|şifre(?:m|si)?|пароль|пин-?код|парола|κωδικός|סיסמה|הסיסמה|كلمة (?:المرور|السر)|पासवर्ड|パスワード|密码|비밀번호|รหัสผ่าน|mật khẩu";
const JOIN =
  "(?:\\s{0,2}(?:is|was|are|will be|ist|lautet|war|est|es|era|è|é|jest|to|är|er|on|je|az|este|-|–|это|=|:|：|は|是|\\(|->|→)\\s{0,2}|\\s{1,2}(?:(?:is|to|of)\\s)?)";
const VALUE = "[\"'`“„«]?(\\d{3} \\d{3}(?!\\d)|[^\\s\"'`”“„«»,;<>()]{2,128})[\"'`”“»]?";
const AFTER = lazily(
  `(?<![\\p{L}\\p{N}_])(?:${WORD})(?:\\s(?:for|of|to|on|von|für|de|per|do|till|til)\\s[\\p{L}\\p{N} .-]{1,30}?)?(?:\\s(?:anda|kamu|saya|вам|ваш|your))?${JOIN}${VALUE}`,
  "giu",
);
/** "the CVV 123", "PIN 4821": a number right after the word. */
const NEVER =
  /^(?:is|was|are|the|a|an|my|your|our|his|her|their|and|or|to|for|of|in|on|at|by|not|no|has|have|had|must|should|can|cannot|can't|will|would|please|reset|change[ds]?|expire[sd]?|again|manager|policy|field|box|protected|required|incorrect|wrong|invalid|correct|be|been|with|from|that|which|this|it|if|when|as|so|but|does|do|did|doesn't|isn't|wasn't|needs?|may|number|code|word|words|key|keys|token|tokens|und|oder|nicht|falsch|zurücksetzen|vergessen|oublié|et|ou|para|y|e|o|i|nie|och|og|ja|a|forgotten|via|sent|below|above|soon|now|today|tomorrow|stays?|expired|hash(?:ed|es)?|only|just|very|more)$/iu;

/** Words for a code of a door, a safe or a message, in the cases of many languages. */
const CODE_WORD =
  "key ?safe|lock ?box|\\p{L}{0,12}[ck]od(?:es?|en|et)|tan|tac|pin|schlüssel(?:safe|box|kasten|tresor)|digicode|bo[iî]te [àa] cl[eé]s?|codi|codice|código|cod|kodi|kood|koodin?|kodas|kods|kodem|kod|koda|\\p{L}{0,8}kód(?:em|om|ja|ot)?|код(?:ом|у|а)?|κωδικ\\p{L}{2,3}|gembok|mangga|sandi|पासवर्ड|ओटीपी|पिन|कोड|পাসওয়ার্ড|ওটিপি|পিন|รหัสผ่าน|รหัส|mã cửa|mật khẩu|kata laluan|nenosiri|neno la siri|nøgleboks|nøkkelboksen?|nyckelskåp\\p{L}{0,2}|kodlås|fonolukk|domofon\\p{L}{0,2}|interfon|citofono|sleutelkastje|skrzynka na klucz|şifre\\p{L}{0,3}|验证码|認証番号|暗証番号|인증번호|קוד(?: אימות)?|رمز";
/** What may stand between the word and the number: up to four short words. */
const CODE_GAP = '(?:[ ]\\p{L}[\\p{L}’\'-]{0,13}(?=[ :=(«„"])){0,4}[ ]?[:=(«„"]?[ ]?';
const CODE_NUMBER =
  "([#*]?\\d{4,8}[#*]?|[#*]\\d{3,8}|\\d{3}[ -]\\d{3}|\\d\\d(?:[ -]\\d\\d){1,2}|\\d(?:[ -]\\d){3,5}|[A-Z]\\d{4,6}|\\d{2,4}[A-Z]\\d{0,2})";
const NUMBERED = lazily(
  `(?<![\\p{L}\\p{N}_])(?:${CODE_WORD})${CODE_GAP}${CODE_NUMBER}(?![\\p{L}\\p{N}_/%°]|[.,:-]\\d| (?:W|kg|mm|cm|ml|EUR|€|\\d))`,
  "giu",
);
/** Words beside a code that is none of a person: of places, errors, goods and countries. */
const OTHER_CODE =
  /post|zip|pin ?code? ?\d{6}|fehler|error|erreur|errore?s?\b|chyb|hib[aá]|błęd|virhe|feil|fejl|\bfel|viga|klaid|kļūd|hata|ошиб|помил|грешк|σφάλμα|produ|artik|article|artículo|\bbar|strich|vouch|gutschein|rab[ai]t|promo|discount|descuento|sconto|slev|alenn|[ck]upon|fis[ck]al|pocztow|irányító|пошт|почт|индекс|colou?r|farb|status|exit|return|http|source|quell|qr|swift|bic|iban|\bsort|ban[ck]|model|icd|diagn|country|länder|area|vorwahl|dial|kreskow|čárov|šip?fr|tarif|\\btax|order|bestell|commande|pedid|customer|client|kund|tracking|booking|reserv|rezerw|buch|since|seit|depuis|desde|dal|od roku/iu;
const isCode = (value: string, { 0: whole, input, index }: RegExpMatchArray) => {
  const said = input!.slice(Math.max(0, index! - 16), index! + whole!.lastIndexOf(value));
  if (OTHER_CODE.test(said) || /^(?:tan|tac|cod)(?!\p{L})/u.test(whole!)) return false; // "tan solo 1500"; "TAN" is meant
  return !/^(?:19|20)\d\d$/.test(value) || whole!.slice(0, -value.length).trim().split(" ").length < 3;
};
/** A token of letters, a digit and a sign that passwords have: "Mango!Tree55". */
const SHAPED =
  /(?<![^\s"'(:«„=])(?=[^\s]{0,30}\d)(?=[^\s\d]{0,30}\p{L}{3})[\p{L}\d_.-]{2,24}[!#$&*^~][\p{L}\d][\p{L}\d!#$&*^~_.-]{0,24}(?=["')»“,;]?(?:[\s.]|$))/gu;
/** What only looks like one: a number after "#", an HTML reference, a list of parameters. */
const isShaped = (value: string) =>
  /\d/.test(value) &&
  /\p{L}{3}/u.test(value) &&
  !/^[\p{L}_.-]+#\d+$/u.test(value) &&
  !/&\p{L}+[;=]|^\$|=|[ぁ-ヺ]/u.test(value);

/** The name of a network before its password: "wifi is GreenHouse5 pw …". */
const NETWORK =
  /(?<=(?<!\p{L})(?:wi-?fi|wlan|ssid)(?: name| network)?(?: is|:)\s)[\p{L}\p{N}_.-]{4,32}(?=[,;/]?\s(?:pw|pwd|pass|password|passwort|key)(?!\p{L}))/giu;

/** Finds what follows a word for a password, PIN, security code, key or token, also in a sentence. */
export const secret: Detector = {
  labels: ["PASSWORD", "SECRET"],
  find(text) {
    const found: Match[] = [];
    for (const match of text.matchAll(AFTER())) {
      const [whole, given] = match as unknown as [string, string];
      const value = given.replace(/(?:&[\w.-]+=.*|[.!?:)\]]+)$/, ""); // without the next parameter of a URL
      if (!isSecret(value, whole.slice(0, whole.lastIndexOf(given)))) continue;
      const start = match.index + whole.lastIndexOf(given);
      const label = /key|token/i.test(whole.slice(0, whole.lastIndexOf(given))) ? "SECRET" : "PASSWORD";
      found.push({ start, end: start + value.length, label });
    }
    return [
      ...found,
      ...matches(text, NUMBERED, "PASSWORD", isCode, 1),
      ...matches(text, SHAPED, "PASSWORD", isShaped),
      ...matches(text, NETWORK, "SECRET"),
      ...inLanguages("passwords", text),
    ];
  },
};

/** A plain word counts only after "is", ":" or "=". */
function isSecret(value: string, said: string): boolean {
  if (value.length < 2 || NEVER.test(value) || !/[\p{L}\p{N}]/u.test(value) || /^\[[A-Z_]+_\d+\]?$/.test(value))
    return false;
  // "the wifi is GuestNet" names the network.
  if (/^(?:wi-?fi|wlan)\b/i.test(said)) return /\d/.test(value) && /[!#$%&*@?_+]/.test(value);
  if (/\d/.test(value) || /[!@#$%^&*_+]/.test(value)) return value.length >= 3;
  const isSaid =
    /(?:\bis|\bwas|\bist|lautet|\best|\bes|\bè|\bé|jest|\bär|\ber|\bje|este|[:：=(]|->|→|は|是|это)\s*["'`“„«]?$/iu.test(
      said,
    );
  return (
    isSaid &&
    value.length >= 4 &&
    (/\p{Lu}/u.test(value.slice(1)) ||
      /[:=：]\s*["'`“„«]?$|["'`“„«]$/.test(said) ||
      !/^\p{Ll}+(?:ed|ing|ly)?$/u.test(value))
  );
}
