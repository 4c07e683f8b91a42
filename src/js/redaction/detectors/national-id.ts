import { isDate, luhn, mod11to10, verhoeff, weighted } from "./checksums.js";
import { IN_LANGUAGES } from "./languages/languages.js";
import { before, lazily, type Match, stepped } from "./match.js";

/** A national identifier. */
interface NumberFormat {
  /** Country and name. */
  name: string;
  form: string;
  /** Whether the check digits are correct; `id` has letters and digits only, in upper case. */
  isValid: (id: string) => boolean;
  /** Words, one of which must stand before the number, because the form and check digit alone say too little. */
  says?: string;
}

const n = (text: string, from: number, to?: number) => Number(text.slice(from, to));
const yymmdd = (id: string) => isDate(n(id, 0, 2), n(id, 2, 4), n(id, 4, 6));
const ddmmyy = (id: string) => isDate(n(id, 4, 6), n(id, 2, 4), n(id, 0, 2));
const letter = (of: string, at: number) => of[at];
const by11 = (sum: number) => ((11 - (sum % 11)) % 11).toString();
const S = "[ .-]?";

const KINDS: NumberFormat[] = [
  { name: "us-ssn", form: "\\d{3}-\\d{2}-\\d{4}", isValid: (id) => !/^(?:000|666|9)|^...00|0000$/.test(id) },
  { name: "us-itin", form: "9\\d{2}-[5-9]\\d-\\d{4}", isValid: () => true },
  {
    name: "us-ssn-plain",
    form: "\\d{3} ?\\d{2} ?\\d{4}",
    isValid: (id) => !/^(?:000|666)|^...00|0000$/.test(id),
    says: "ssn|social security|soc sec|itin|ein|tax id",
  },
  { name: "gb-nino", form: "[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\\d{2} ?\\d{2} ?\\d{2} ?[A-D]", isValid: () => true },
  {
    name: "gb-nhs",
    form: "\\d{3}[ -]?\\d{3}[ -]?\\d{4}",
    isValid: (id) => by11(weighted(id, [10, 9, 8, 7, 6, 5, 4, 3, 2])) === id[9],
    says: "nhs|patient|hospital|health",
  },
  {
    name: "fr-nir",
    form: `[12]${S}\\d{2}${S}[01]\\d${S}(?:\\d{2}|2[AB])${S}\\d{3}${S}\\d{3}${S}\\d{2}`,
    isValid: (id) => 97 - Number(BigInt(id.slice(0, 13).replace("2A", "19").replace("2B", "18")) % 97n) === n(id, 13),
  },
  {
    name: "es-dni",
    form: "\\d{2}\\.?\\d{3}\\.?\\d{3}[ -]?[A-HJ-NP-TV-Z]",
    isValid: (id) => letter("TRWAGMYFPDXBNJZSQVHLCKE", n(id, 0, 8) % 23) === id[8],
  },
  {
    name: "es-nie",
    form: "[XYZ]-?\\d{7}-?[A-HJ-NP-TV-Z]",
    isValid: (id) => letter("TRWAGMYFPDXBNJZSQVHLCKE", Number("XYZ".indexOf(id[0]!) + id.slice(1, 8)) % 23) === id[8],
  },
  {
    name: "it-codice-fiscale",
    form: "[A-Z]{6} ?\\d{2}[A-EHLMPRST]\\d{2} ?[A-Z]\\d{3}[A-Z]",
    isValid: codiceFiscale,
  },
  {
    name: "de-steuer-id",
    form: "[1-9]\\d ?\\d{3} ?\\d{3} ?\\d{3}",
    isValid: mod11to10,
    says: "steuer|identifikationsnummer|idnr|tin|tax",
  },
  {
    name: "de-rvnr",
    form: "\\d{2} ?[0-3]\\d[01]\\d\\d{2} ?[A-Z] ?\\d{3}",
    isValid: (id) => {
      const digits = id.replace(/[A-Z]/, (sign) => String(sign.charCodeAt(0) - 64).padStart(2, "0"));
      const sums = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].map((weight, at) => weight * Number(digits[at]));
      return sums.reduce((sum, value) => sum + Math.floor(value / 10) + (value % 10), 0) % 10 === Number(digits[12]);
    },
  },
  {
    name: "nl-bsn",
    form: "\\d{3}[ .]?\\d{3}[ .]?\\d{3}|\\d{4}\\.?\\d{2}\\.?\\d{3}",
    isValid: (id) => weighted(id, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    says: "bsn|burgerservice|sofi",
  },
  {
    name: "be-rijksregister",
    form: "\\d{2}[.]?[0-5]\\d[.]?[0-3]\\d[- ]?\\d{3}[. ]?\\d{2}",
    isValid: (id) => [id.slice(0, 9), `2${id.slice(0, 9)}`].some((part) => 97 - (Number(part) % 97) === n(id, 9)),
  },
  {
    name: "pl-pesel",
    form: "\\d{11}",
    isValid: (id) =>
      isDate(n(id, 0, 2), n(id, 2, 4) % 20, n(id, 4, 6)) &&
      (10 - (weighted(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10 === n(id, 10),
  },
  {
    name: "pl-nip",
    form: "\\d{3}-?\\d{3}-?\\d{2}-?\\d{2}|\\d{3}-\\d{2}-\\d{2}-\\d{3}",
    isValid: (id) => weighted(id, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === n(id, 9),
    says: "nip",
  },
  {
    name: "pt-nif",
    form: "[1-9]\\d{2} ?\\d{3} ?\\d{3}",
    isValid: (id) => Number(by11(weighted(id, [9, 8, 7, 6, 5, 4, 3, 2]))) % 10 === n(id, 8),
    says: "nif|contribuinte|fiscal",
  },
  {
    name: "se-personnummer",
    form: "(?:19|20)?\\d{2}[01]\\d[0-9]\\d[-+]\\d{4}|(?:19|20)\\d{2}[01]\\d[0-9]\\d{5}",
    isValid: (id) => {
      const ten = id.slice(-10);
      return isDate(n(ten, 0, 2), n(ten, 2, 4), n(ten, 4, 6) % 60) && luhn(ten);
    },
  },
  {
    name: "no-fodselsnummer",
    form: "\\d{6} ?\\d{5}",
    isValid: (id) =>
      isDate(n(id, 4, 6), n(id, 2, 4) % 40, n(id, 0, 2) % 40) &&
      by11(weighted(id, [3, 7, 6, 1, 8, 9, 4, 5, 2])) === id[9] &&
      by11(weighted(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2])) === id[10],
  },
  { name: "dk-cpr", form: "[0-3]\\d[01]\\d{3}-\\d{4}", isValid: ddmmyy },
  { name: "dk-cpr-plain", form: "[0-3]\\d[01]\\d{7}", isValid: ddmmyy, says: "cpr|personnummer" },
  {
    name: "fi-hetu",
    form: "[0-3]\\d[01]\\d{3}[-+ABCDEFYXWVU]\\d{3}[0-9A-FHJ-NPR-Y]",
    isValid: (id) => {
      const digits = id.replace(/^(.{6})[A-Y]/, "$1");
      return ddmmyy(digits) && letter("0123456789ABCDEFHJKLMNPRSTUVWXY", n(digits, 0, 9) % 31) === digits[9];
    },
  },
  {
    name: "cz-sk-rodne-cislo",
    form: "\\d{2}[0-8]\\d[0-3]\\d/\\d{3,4}",
    isValid: (id) =>
      isDate(n(id, 0, 2), (n(id, 2, 4) % 50) % 20, n(id, 4, 6)) &&
      (id.length === 9 || (Number(id) % 11) % 10 === 0 || n(id, 0, 9) % 11 === 10),
  },
  {
    name: "hu-taj",
    form: "\\d{3}[ -]?\\d{3}[ -]?\\d{3}",
    isValid: (id) => weighted(id, [3, 7, 3, 7, 3, 7, 3, 7]) % 10 === n(id, 8),
    says: "taj",
  },
  {
    name: "hu-adoazonosito",
    form: "8\\d{9}",
    isValid: (id) => weighted(id, [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 === n(id, 9),
  },
  {
    name: "ro-cnp",
    form: "[1-9]\\d{2}[01]\\d[0-3]\\d{7}",
    isValid: (id) => {
      const rest = weighted(id, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
      return yymmdd(id.slice(1)) && (rest === 10 ? 1 : rest) === n(id, 12);
    },
  },
  {
    name: "bg-egn",
    form: "\\d{10}",
    isValid: (id) =>
      isDate(n(id, 0, 2), n(id, 2, 4) % 20, n(id, 4, 6)) &&
      (weighted(id, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === n(id, 9),
    says: "егн|egn|личен",
  },
  { name: "hr-oib", form: "\\d{11}", isValid: mod11to10, says: "oib" },
  {
    name: "jmbg",
    form: "[0-3]\\d[01]\\d[09]\\d{8}",
    isValid: (id) =>
      isDate(n(id, 5, 7), n(id, 2, 4), n(id, 0, 2)) &&
      Number(by11(weighted(id, [7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]))) % 10 === n(id, 12),
  },
  {
    name: "ee-lt-isikukood",
    form: "[1-6]\\d{2}[01]\\d[0-3]\\d{5}",
    isValid: (id) => {
      const first = weighted(id, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
      const second = first === 10 ? weighted(id, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11 : first;
      return yymmdd(id.slice(1)) && second % 10 === n(id, 10);
    },
  },
  { name: "lv-personas-kods", form: "[0-3]\\d[01]\\d{3}-[012]\\d{4}", isValid: ddmmyy },
  { name: "gr-amka", form: "[0-3]\\d[01]\\d{8}", isValid: (id) => ddmmyy(id) && luhn(id) },
  {
    name: "gr-afm",
    form: "\\d{9}",
    isValid: (id) => (weighted(id, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === n(id, 8),
    says: "αφμ|α\\.φ\\.μ|afm|vat",
  },
  {
    name: "ie-pps",
    form: "\\d{7}[A-W][A-IW]?",
    isValid: (id) => {
      const extra = id[8] && id[8] !== "W" ? 9 * (id.charCodeAt(8) - 64) : 0;
      return letter("WABCDEFGHIJKLMNOPQRSTUV", (weighted(id, [8, 7, 6, 5, 4, 3, 2]) + extra) % 23) === id[7];
    },
  },
  {
    name: "ch-ahv",
    form: "756[. ]?\\d{4}[. ]?\\d{4}[. ]?\\d{2}",
    isValid: (id) => (10 - (weighted(id, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === n(id, 12),
  },
  {
    name: "at-svnr",
    form: "\\d{4} ?[0-3]\\d[01]\\d{3}",
    isValid: (id) => weighted(id, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === n(id, 3) && ddmmyy(id.slice(4)),
  },
  {
    name: "tr-kimlik",
    form: "[1-9]\\d{10}",
    isValid: (id) => {
      const [odd, even] = [weighted(id, [1, 0, 1, 0, 1, 0, 1, 0, 1]), weighted(id, [0, 1, 0, 1, 0, 1, 0, 1])];
      return (((odd * 7 - even) % 10) + 10) % 10 === n(id, 9, 10) && (odd + even + n(id, 9, 10)) % 10 === n(id, 10);
    },
  },
  { name: "il-teudat-zehut", form: "\\d{9}", isValid: luhn, says: 'ת"ז|ת\\.ז|תעודת זהות|teudat|zehut|israeli id' },
  { name: "in-aadhaar", form: "[2-9]\\d{3}[ -]\\d{4}[ -]\\d{4}|[2-9]\\d{11}", isValid: verhoeff },
  { name: "in-pan", form: "[A-Z]{3}[ABCFGHLJPT][A-Z]\\d{4}[A-Z]", isValid: () => true },
  {
    name: "cn-resident",
    form: "[1-9]\\d{5}(?:19|20)\\d{2}[01]\\d[0-3]\\d\\d{3}[\\dX]",
    isValid: (id) =>
      letter("10X98765432", weighted(id, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11) === id[17],
  },
  { name: "kr-rrn", form: "\\d{2}[01]\\d[0-3]\\d-[1-8]\\d{6}", isValid: yymmdd },
  {
    name: "jp-my-number",
    form: "\\d{4}[ -]?\\d{4}[ -]?\\d{4}",
    isValid: (id) => {
      const rest = weighted(id, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
      return (rest <= 1 ? 0 : 11 - rest) === n(id, 11);
    },
    says: "マイナンバー|個人番号|my number",
  },
  {
    name: "tw-id",
    form: "[A-Z][12]\\d{8}",
    isValid: (id) => {
      const area = "ABCDEFGHJKLMNPQRSTUVXYWZIO".indexOf(id[0]!) + 10;
      return (Math.floor(area / 10) + (area % 10) * 9 + weighted(id.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1])) % 10 === 0;
    },
  },
  {
    name: "hk-hkid",
    form: "[A-Z]\\d{6} ?\\([\\dA]\\)",
    isValid: (id) =>
      (324 +
        (id.charCodeAt(0) - 55) * 8 +
        weighted(id.slice(1), [7, 6, 5, 4, 3, 2]) +
        (id[7] === "A" ? 10 : n(id, 7))) %
        11 ===
      0,
  },
  {
    name: "sg-nric",
    form: "[STFG]\\d{7}[A-Z]",
    isValid: (id) => {
      const sum = weighted(id.slice(1), [2, 7, 6, 5, 4, 3, 2]) + (/[TG]/.test(id) ? 4 : 0);
      return letter(/[ST]/.test(id[0]!) ? "JZIHGFEDCBA" : "XWUTRQPNMLK", sum % 11) === id[8];
    },
  },
  { name: "my-nric", form: "\\d{2}[01]\\d[0-3]\\d-\\d{2}-\\d{4}", isValid: yymmdd },
  {
    name: "th-id",
    form: "[1-8]-?\\d{4}-?\\d{5}-?\\d{2}-?\\d",
    isValid: (id) => (11 - (weighted(id, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === n(id, 12),
  },
  {
    name: "id-nik",
    form: "[1-9]\\d{5}[0-7]\\d[01]\\d{3}\\d{4}",
    isValid: (id) => isDate(n(id, 10, 12), n(id, 8, 10), n(id, 6, 8) % 40),
  },
  {
    name: "br-cpf",
    form: "\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}|\\d{11}",
    isValid: (id) =>
      !/^(\d)\1+$/.test(id) &&
      Number(by11(weighted(id, [10, 9, 8, 7, 6, 5, 4, 3, 2]))) % 10 === n(id, 9, 10) &&
      Number(by11(weighted(id, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]))) % 10 === n(id, 10),
  },
  {
    name: "br-cnpj",
    form: "\\d{2}\\.?\\d{3}\\.?\\d{3}/?\\d{4}-?\\d{2}",
    isValid: (id) =>
      Number(by11(weighted(id, [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]))) % 10 === n(id, 12, 13) &&
      Number(by11(weighted(id, [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]))) % 10 === n(id, 13),
  },
  {
    name: "ar-cuit",
    form: "(?:20|2[3-7]|3[034])-?\\d{8}-?\\d",
    isValid: (id) => Number(by11(weighted(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]))) % 10 === n(id, 10),
  },
  {
    name: "cl-rut",
    form: "\\d{1,2}\\.?\\d{3}\\.?\\d{3}-[\\dkK]",
    isValid: (id) => {
      const digits = id.slice(0, -1).padStart(8, "0");
      const check = 11 - (weighted(digits, [3, 2, 7, 6, 5, 4, 3, 2]) % 11);
      return (check === 11 ? "0" : check === 10 ? "K" : String(check)) === id.at(-1);
    },
  },
  { name: "mx-curp", form: "[A-Z][AEIOUX][A-Z]{2}\\d{2}[01]\\d[0-3]\\d[HMX][A-Z]{5}[A-Z\\d]\\d", isValid: () => true },
  { name: "mx-rfc", form: "[A-ZÑ&]{4}\\d{2}[01]\\d[0-3]\\d[A-Z\\d]{3}", isValid: () => true },
  {
    name: "ca-sin",
    form: "\\d{3}[ -]\\d{3}[ -]\\d{3}|\\d{9}",
    isValid: luhn,
    says: "\\bsin\\b|social insurance|nas\\b",
  },
  {
    name: "au-tfn",
    form: "\\d{3} ?\\d{3} ?\\d{3}",
    isValid: (id) => weighted(id, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    says: "tfn|tax file",
  },
  {
    name: "au-medicare",
    form: "[2-6]\\d{3} ?\\d{5} ?\\d",
    isValid: () => true,
    says: "medicare",
  },
  { name: "nz-ird", form: "\\d{2,3}-?\\d{3}-?\\d{3}", isValid: () => true, says: "\\bird\\b" },
  { name: "za-id", form: "\\d{2}[01]\\d[0-3]\\d ?\\d{4} ?[012]\\d{2}", isValid: (id) => yymmdd(id) && luhn(id) },
  { name: "ru-snils", form: "\\d{3}-\\d{3}-\\d{3} \\d{2}", isValid: () => true },
  {
    name: "ru-inn",
    form: "\\d{12}|\\d{10}",
    isValid: (id) =>
      id.length === 10
        ? (weighted(id, [2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === n(id, 9)
        : (weighted(id, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === n(id, 11),
    says: "инн|inn",
  },
  {
    name: "vat",
    form: "(?:AT ?U|BE ?0?|DE ?|DK ?|FI ?|FR ?|GB ?|HU ?|IE ?|IT ?|LU ?|PL ?|PT ?|SE ?|ES ?)\\d{8,12}[A-Z]{0,2}",
    isValid: () => true,
    says: "vat|ust|mwst|tva|iva|btw|moms|uid",
  },
  {
    name: "passport",
    form: "[A-Z]{1,3}\\d{6,8}[A-Z]?|\\d{9}|[CFGHJKLMNPRTVWXYZ\\d]{9}",
    isValid: (id) => /\d{3}/.test(id),
    says: "passport|reisepass|passeport|pasaporte|passaporto|paspoort|paszport|útlevél|passnummer|ausweis|id card|identity card|carte d'identité|carta d'identità|dni|cédula|паспорт",
  },
  {
    name: "identity-card",
    form: "\\p{Lu}{1,3}[ -]?\\d{2,4}(?:[ -]?\\d{2,4}){1,3}\\p{Lu}{0,2}|\\d{3}(?: \\d{3}){1,3}|\\d{6,12}\\p{Lu}{0,2}",
    isValid: (id) => (id.match(/\d/g)?.length ?? 0) >= 5,
    says: "(?<!\\p{L})(?:občiansk\\p{L}{1,3} preukaz|občansk\\p{L}{1,4} průkaz|dow[oó]d\\p{L}{0,2}(?: osobist\\p{L}{1,4})?|személyi(?:gazolvány\\p{L}{0,3})?|osebn\\p{L}{1,2} izkaznic|osobn\\p{L}{1,2} iskaznic|lič?n\\p{L}{1,2} kart|лична карта|лична карта|buletin|\\bci seria|tapatybės kortel|isikutunnistus|henkilökort|personas apliec|κάρτα ταυτότητας|ταυτότητα|legitimation|ktp|паспорт\\p{L}{0,3}|document(?:o|s)? d['’ ]identi|documento)",
  },
  {
    name: "number-plate",
    form: "\\p{Lu}{1,3}[ -]?\\d{1,4}[ -]?[\\p{Lu}\\d]{0,4}|\\d{1,4}[ -]?\\p{Lu}{1,4}[ -]?\\d{0,4}\\p{Lu}{0,2}",
    isValid: (id) => /\d/.test(id) && /\p{Lu}/u.test(id) && id.length >= 4,
    says: "(?<!\\p{L})(?:reg\\.? ?n[ro]\\.?|rego(?!\\p{L})|number ?plate|licen[cs]e plate|kennzeichen|immatriculation|plaque|matrícula|matricula|targa(?!\\p{L})|placas?|plaka(?:sı)?|rejestracyjn\\p{L}{1,3}|spz|š?pz|ečv|rendszám\\p{L}{0,2}|înmatriculare|рег\\. ?№|регистрационен|госномер|номер машины|номер авто|номерний знак|kenteken|nummerplade|skilt|rekisteri\\p{L}{0,6}|numbrimärk|valst\\. ?nr|biển số(?: xe)?|plat(?: nomor)?(?!\\p{L})|vozilo|registracija|tablice|αρ\\.? κυκλοφορίας|πινακίδα)",
  },
  // A parcel (UPU S10), a container (ISO 6346), a British driving licence, an American alien's number.
  { name: "parcel", form: "[A-Z]{2} ?\\d{3} ?\\d{3} ?\\d{3} ?[A-Z]{2}", isValid: () => true },
  { name: "container", form: "[A-Z]{3}[UJZ] ?\\d{6}[ -]?\\d", isValid: () => true },
  { name: "gb-licence", form: "[A-Z]{2}[A-Z9]{3} ?\\d{6} ?[A-Z][A-Z9]\\d ?[A-Z]{2}", isValid: () => true },
  { name: "us-alien", form: "A[ #-]?\\d{3}[ -]\\d{3}[ -]\\d{3}", isValid: () => true },
  {
    name: "file", // "ND/CS/23/0417"
    form: "\\p{Lu}{1,6}(?:/[\\p{Lu}\\d]{1,8}){2,5}",
    isValid: (id) => (id.match(/\d/g)?.length ?? 0) >= 3 && !/^(?:ISO|IEC|EN|DIN|BS)/.test(id),
  },
  {
    name: "card-end",
    form: "(?<=(?:Visa|Master[Cc]ard|Amex|Maestro)(?: ending(?: in)?)? )\\d{4}",
    isValid: (id) => !/^(?:19|20)/.test(id),
  },
  {
    name: "short", // "ck# 3318", "plot 17B", and the last of "nos. 1182 and 1197"
    form: "(?<=(?<!\\p{L})(?:[Cc](?:k|heck|heque|hq)\\.? ?(?:#|no\\.?|number) ?|(?:[Pp]lot|[Bb]adge|[Ll]ocker)(?: no\\.?| number)? ?#?|nos?\\.? \\d{3,8}(?:, \\d{3,8}){0,4},? (?:and|&) ))\\d{2,8}[A-Z]?",
    isValid: () => true,
  },
  {
    name: "driving-licence",
    form: "[A-Z\\d]{1,5}[- ]?[A-Z\\d]{4,8}[- ]?[A-Z\\d]{2,6}",
    isValid: (id) => (id.match(/\d/g)?.length ?? 0) >= 4,
    says: "driv(?:er'?s?|ing) licen[cs]e(?: (?:no|number|nr))?\\.?|führerschein(?:nummer)?|permis de conduire|licencia de conducir|patente",
  },
];

function codiceFiscale(id: string): boolean {
  const odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
  const value = (sign: string) => (/\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 65);
  const sum = [...id.slice(0, 15)].reduce((all, sign, at) => all + (at % 2 ? value(sign) : odd[value(sign)]!), 0);
  return String.fromCharCode(65 + (sum % 26)) === id[15];
}

const COMPILED = KINDS.map((kind) => ({
  ...kind,
  pattern: lazily(`(?<![\\p{L}\\p{N}_]|\\d[.-])(?:${kind.form})(?![\\p{L}\\p{N}_]|[.-]?\\d)`, "gu"),
  context: kind.says ? lazily(`(?:${kind.says})[^\\n]{0,30}$`, "iu") : undefined,
}));

/** Finds national identifiers of 48 countries by their form and check digits. */
export const nationalId = stepped(
  ["ID"],
  [
    ...IN_LANGUAGES.identifiers,
    ...COMPILED.map(({ pattern, isValid, context }) => (text: string) => {
      const found: Match[] = [];
      for (const { 0: word, index } of text.matchAll(pattern())) {
        if (context && !context().test(before(text, index, 60))) continue;
        if (!isValid(word.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase())) continue;
        found.push({ start: index, end: index + word.length, label: "ID" });
      }
      return found;
    }),
  ],
);
