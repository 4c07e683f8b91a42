import { inLanguages } from "./languages/languages.js";
import { before, type Detector, lazily, type Match } from "./match.js";

/**
 * Calling codes with the numbers of national digits, for numbers that begin with "+" or "00" (ITU-T E.164 and the
 * national numbering plans).
 */
const PLANS: Record<string, [number, number]> = {
  ...{ 1: [10, 10], 7: [10, 10], 20: [8, 10], 27: [9, 9], 30: [10, 10], 31: [9, 9], 32: [8, 9], 33: [9, 9] },
  ...{ 34: [9, 9], 36: [8, 9], 39: [6, 11], 40: [9, 9], 41: [9, 9], 43: [6, 13], 44: [9, 10], 45: [8, 8] },
  ...{ 46: [7, 10], 47: [8, 8], 48: [9, 9], 49: [6, 12], 51: [8, 9], 52: [10, 11], 53: [8, 8], 54: [10, 11] },
  ...{ 55: [10, 11], 56: [9, 9], 57: [8, 10], 58: [10, 10], 60: [8, 10], 61: [9, 9], 62: [8, 12], 63: [8, 10] },
  ...{ 64: [8, 10], 65: [8, 8], 66: [8, 9], 81: [9, 10], 82: [8, 10], 84: [9, 10], 86: [10, 11], 90: [10, 10] },
  ...{ 91: [10, 10], 92: [9, 10], 93: [9, 9], 94: [9, 9], 95: [7, 10], 98: [10, 10], 212: [9, 9], 213: [8, 9] },
  ...{ 216: [8, 8], 218: [9, 9], 220: [7, 7], 221: [9, 9], 225: [10, 10], 233: [9, 9], 234: [8, 10], 237: [9, 9] },
  ...{ 243: [9, 9], 250: [9, 9], 251: [9, 9], 254: [9, 9], 255: [9, 9], 256: [9, 9], 260: [9, 9], 263: [9, 9] },
  ...{ 350: [8, 8], 351: [9, 9], 352: [6, 9], 353: [7, 9], 354: [7, 7], 355: [8, 9], 356: [8, 8], 357: [8, 8] },
  ...{ 358: [6, 11], 359: [7, 9], 370: [8, 8], 371: [8, 8], 372: [7, 8], 373: [8, 8], 374: [8, 8], 375: [9, 9] },
  ...{ 376: [6, 6], 377: [8, 9], 380: [9, 9], 381: [8, 9], 382: [8, 8], 383: [8, 9], 385: [8, 9], 386: [8, 8] },
  ...{ 387: [8, 8], 389: [8, 8], 420: [9, 9], 421: [9, 9], 423: [7, 9], 502: [8, 8], 503: [8, 8], 504: [8, 8] },
  ...{ 505: [8, 8], 506: [8, 8], 507: [7, 8], 591: [8, 8], 593: [8, 9], 595: [8, 9], 598: [8, 8], 852: [8, 8] },
  ...{ 853: [8, 8], 855: [8, 9], 880: [8, 10], 886: [8, 9], 961: [7, 8], 962: [8, 9], 963: [9, 9], 964: [10, 10] },
  ...{ 965: [8, 8], 966: [9, 9], 967: [9, 9], 968: [8, 8], 970: [9, 9], 971: [8, 9], 972: [8, 9], 973: [8, 8] },
  ...{ 974: [8, 8], 977: [8, 10], 992: [9, 9], 994: [9, 9], 995: [9, 9], 996: [9, 9], 998: [9, 9] },
};

const SEPARATOR = "[ .\\-/]{0,2}";
const INTERNATIONAL = lazily(
  `(?<![\\w+])(?:\\+|00)${SEPARATOR}\\(?\\d(?:${SEPARATOR}[()]?${SEPARATOR}\\d){6,16}(?![\\w])`,
  "g",
);

/** Numbers as they are written within a country. Each form has signs that other numbers rarely have. */
const NATIONAL = [
  // North America: 555 area and exchange codes begin with 2 to 9
  "(?:1[ .-])?\\([2-9]\\d{2}\\)[ .-]?[2-9]\\d{2}[ .-]?\\d{4}|(?:1[ .-])?[2-9]\\d{2}([ .-])[2-9]\\d{2}\\1\\d{4}|[2-9]\\d{2}[ -][2-9]\\d{2}-\\d{4}",
  // Trunk prefix 0 with an area code and groups: most of Europe, Australia, South Africa, Japan, Israel, India
  "\\(0\\d{1,5}\\)[ .\\-/]?\\d{2,5}(?:[ .\\-/]?\\d{2,5}){0,3}",
  "0[1-9]\\d{0,4}[ .\\-/]{1,3}\\d{2,8}(?:[ .-]\\d{2,6}){0,4}",
  "0[1-9](?:[ .-]\\d{2}){4}",
  "0[1-9]\\d{7,10}",
  // Russia and neighbours
  "8[ -]?\\(?[3-9]\\d{2}\\)?[ -]?\\d{3}[ -]?\\d{2}[ -]?\\d{2}",
  // Brazil
  "\\(?[1-9]\\d\\)?[ ]?9?\\d{4}-\\d{4}",
  // Spain, Portugal, Poland, Czechia, Slovakia: nine digits in threes, and Spanish 2-2-2 groups
  "(?<!\\d[ .-])[2-9]\\d{2}([ .-])\\d{3}\\2\\d{3}(?![ .-]?\\d)|[6789]\\d{2} \\d{2} \\d{2} \\d{2}",
  // Italy: mobile
  "3[2-9]\\d[ .-]?\\d{3}[ .-]?\\d{3,4}",
  // Nordic: eight digits in pairs, or 3-2-3
  "(?<!\\d[ .-])[2-9]\\d(?: \\d{2}){3}(?![ .-]?\\d)|(?<!\\d )[4-9]\\d{2} \\d{2} \\d{3}(?! ?\\d)",
  // Mexico, France without 0
  "(?<!\\d[ .-])\\d{2} \\d{4} \\d{4}(?! ?\\d)",
  // India and China: mobiles without groups
  "[6-9]\\d{4}[ -]?\\d{5}|1[3-9]\\d[ -]?\\d{4}[ -]?\\d{4}",
  // Hungary
  "06[ /-]?(?:1|\\d{2})[ /-]?\\d{3}[ -]?\\d{3,4}",
  // Greece, Turkey: ten digits, mobiles
  "69\\d{8}|5[0-5]\\d[ ]\\d{3}[ ]\\d{2}[ ]\\d{2}",
  // Singapore, Hong Kong, Denmark
  "(?<!\\d[ .-])[3-9]\\d{3}[ -]\\d{4}(?![ .-]?\\d)",
].map((form) => form.replace(/\\([12])(?!\d)/g, "\\k<sep>"));

/** Compiles the national forms one by one, because their groups have numbers of their own. */
const FORMS = NATIONAL.map((form) => {
  const named = form.includes("\\k<sep>") ? form.replace(/\(\[ \.-\]\)/, "(?<sep>[ .-])") : form;
  return lazily(`(?<![\\w@#./+-]|\\d[,])(?:${named})(?![\\w@]|[.,/-]\\d)`, "g");
});

/** Words before a number that say it is a telephone number, by language. */
const SAYS =
  /(?:\b(?:t(?:el|él|lf)?|ph(?:one)?|mob(?:ile|il)?|cell(?:ulare|phone)?|fax|call(?:s|ed|ing)?|ring|text|sms|whatsapp|viber|signal|telegram|handy(?:nummer)?|telefon(?:o|e|nummer|szám)?|telefono|téléphone|teléfono|telefoon(?:nummer)?|telefono|móvil|movil|celular|portable|komórka|puhelin(?:numero)?|puh|gsm|mobiel|mobiltelefon|mobilnummer|rufnummer|durchwahl|dial|reach me (?:on|at)|contact(?: number)?|phone number|hotline|extension|hubungi|talian|telp|simu|sđt|đt)\b|тел(?:ефон)?|моб|телефону|τηλ(?:έφωνο)?|κινητό|טלפון|נייד|هاتف|جوال|تلفن|موبایل|फ़ोन|फोन|मोबाइल|電話|携帯|手机|电话|전화|휴대폰|โทร|điện thoại)[^\d+\n]{0,18}$/iu;
const LOOSE = /(?<![\w.,+]|\b[A-Z]-)[(]?\d(?:[ .\-/()]{0,2}\d){4,14}(?![\w]|[.,]\d)/g;
/** Dates, amounts, years and versions that have the form of a telephone number. */
const OTHER =
  /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?: \d{1,2})?|\d{4}[./-]\d{1,2}[./-]\d{1,2}|(?:19|20)\d{2}[ -](?:19|20)\d{2})$/;
/** Words before a number that say it is something else. */
const SAYS_OTHER =
  /(?:\b(?:order|invoice|ticket|case|ref(?:erence)?|no|nr|number|rechnung|bestellung|account|acct|id|iban|isbn|sku|part|serial|vat|ust|tax|policy|claim|booking|tracking)\b\.?\s*(?:no|nr|number|id|#)?\.?\s*[:#]?\s*|[#№$€£]\s?)$/iu;

/** Finds telephone numbers: international ones, the written forms of some 30 countries, and any after "tel" or "call". */
export const phone: Detector = {
  labels: ["PHONE"],
  find(text) {
    const found = inLanguages("phones", text);
    if (!/\d/.test(text)) return found;
    for (const { 0: word, index } of text.matchAll(INTERNATIONAL()))
      if (isInternational(word)) found.push(of(text, word, index));
    for (const form of FORMS)
      for (const { 0: word, index } of text.matchAll(form())) {
        const digits = word.replace(/\D/g, "");
        const isPhone = digits.length >= 8 && digits.length <= 12 && !OTHER.test(word) && !/^(\d)\1+$/.test(digits);
        if (isPhone && !SAYS_OTHER.test(before(text, index, 30))) found.push(of(text, word, index));
      }
    for (const { 0: word, index } of text.matchAll(LOOSE)) {
      const digits = word.replace(/\D/g, "");
      if (digits.length < 6 || digits.length > 15 || OTHER.test(word) || !SAYS.test(before(text, index, 48))) continue;
      found.push(of(text, word, index));
    }
    return found;
  },
};

/** What follows a number of an office: "x2217", "ext. 33". */
const EXTENSION = /^,? ?(?:x ?|ext(?:\.|ension)? ?)\d{1,6}(?![\p{L}\p{N}])/iu;

/** A number with its extension; with an opening bracket before it only if a closing one follows. */
function of(text: string, word: string, index: number): Match {
  const from = word.startsWith("(") && !word.includes(")") ? 1 : 0;
  const back = text[index - 1] === "(" && word.includes(")") && !word.includes("(") ? 1 : 0;
  const end = index + word.length;
  return {
    start: index + from - back,
    end: end + (EXTENSION.exec(text.slice(end, end + 20))?.[0].length ?? 0),
    label: "PHONE",
  };
}

function isInternational(word: string): boolean {
  const digits = word.replace(/\(0\)/, "").replace(/\D/g, "").replace(/^00/, "");
  return [1, 2, 3].some((length) => {
    const [least, most] = PLANS[digits.slice(0, length)] ?? [99, 0];
    const national = digits.length - length;
    return national >= least - 1 && national <= most + 1;
  });
}
