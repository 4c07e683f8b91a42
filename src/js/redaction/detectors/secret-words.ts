import { type Detector, lazily, type Match } from "./match.js";

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
    return found;
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
