import { chineseEmails } from "./languages/chinese-numbers.js";
import { lazily, type Match, matches, stepped } from "./match.js";

// RFC 5321 allows at most 64 characters before the @ (here slightly more, because dots are extra) and 63 in each part
// of a domain. RFC 6531 allows letters of any script. RFC 5322 allows more signs before the @ than real addresses
// have. Only common signs are accepted here: with "=" or "/", a URL before an address would become part of it.
const LOCAL = "[\\p{L}\\p{M}\\p{N}_%+'~&-]";
const PART = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const DOMAIN = `(?:${PART}\\.){1,8}(?:xn--[a-z\\d-]{2,59}|\\p{L}{2,24})`;
const IP = "\\[(?:IPv6:[\\da-fA-F:.]{2,45}|\\d{1,3}(?:\\.\\d{1,3}){3})\\]";
const AFTER = lazily(`@(?:${DOMAIN}|${IP})`, "gu");
const SIGN_OF_LOCAL = lazily(LOCAL, "u");
const QUOTED = lazily(`"[^"\\n]{1,64}"@(?:${DOMAIN}|${IP})`, "gu");
/** A user at a machine, as in a shell: no dot in the name of the machine. */
const SHELL = /(?<![\p{L}\p{N}._%+@-])[a-z_][a-z0-9_.-]{0,31}@[a-z][a-z0-9-]{1,62}(?![\p{L}\p{N}@-]|\.\p{L})/giu;

/** "at", "dot" and other signs as words, by language. */
const AT =
  "at|arroba|arobase|chiocciola|klammeraffe|apenstaartje|apestaartje|snabel[- ]?a|arobas|małpa|malpa|zavináč|zavinac|kukac|ät|alfakrøll?|krøllalfa|miukumauku|coada de maimuță|et işareti|a keong|a còng|eta|afna|manki|majmun|собака|собачка|равлик|маймунско а|мајмун|παπάκι";
const DOT =
  "dot|point|punkt|punto|ponto|punt|punktum|kropka|tečka|bodka|pont|piste|nokta|punct|punkts|taškas|titik|chấm|tačka|točka|pika|тачка|точка|крапка|τελεία";
const SIGN =
  "underscore|dash|hyphen|minus|plus|unterstrich|bindestrich|tiret|guion(?: bajo)?|guión(?: bajo)?|barra baja|trattino(?: basso)?|podkreślnik|podkreślenie|podtržítko|podčiarkovník|pomlčka|alulvonás|kötőjel|understreck|understrek|understregning|bindestreck|alaviiva|väliviiva|hífen|sublinhado|liniuță|crtica|alt çizgi|tire|alttire|streepje|дефис|тире|(?:нижнее )?подч[её]ркивание|підкреслення|παύλα|gạch dưới|garis bawah|moins";
const word = (of: string) => `(?:\\s*[\\[({<]\\s*(?:${of})\\s*[\\])}>]\\s*|\\s+(?:${of})\\s+)`;
const ATOM = "[\\p{L}\\p{N}_-]{1,40}";
const STEP = `(?:${word(`${DOT}|${SIGN}`)}|\\.|\\s*[\\[({]\\.[\\])}]\\s*)`;
const SPOKEN = lazily(
  `(?<![\\p{L}\\p{N}])(${ATOM}(?:${STEP}${ATOM}){0,5})(${word(AT)}|\\s*[\\[({]@[\\])}]\\s*|@)(${ATOM}(?:${STEP}${ATOM}){1,4})`,
  "giu",
);
/** Words before "at" that are no name: "look at example dot com". */
const NO_NAME =
  /^(?:look|me|us|be|is|are|it|was|were|arrive|arrived|work|works|buy|sold|meet|visit|order|found|find|available|online|here|him|her|them|you|day|time|shop)$/i;
const TOP =
  /(?:com|org|net|edu|gov|io|info|biz|eu|de|uk|fr|es|it|nl|pl|se|no|dk|fi|cz|sk|hu|ro|pt|br|mx|ar|ru|ua|ch|at|be|ie|gr|tr|in|jp|cn|kr|au|nz|ca|us|za|ee|lv|lt|hr|rs|bg|si|vn|id|cat|kz|example|test|dev|app|me|co)$/iu;

/** Finds written addresses. */
function written(text: string): Match[] {
  if (!text.includes("@")) return [];
  const found: Match[] = [];
  // skip opening quotation marks
  for (const { 0: rest, index } of text.matchAll(AFTER())) {
    const local = localBefore(text, index);
    if (local && !isInUrl(text, index - local))
      found.push({ start: index - local, end: index + rest.length, label: "EMAIL" });
  }
  return found;
}

/** Finds addresses with a quoted name, and users at machines. */
const quoted = (text: string): Match[] =>
  text.includes("@") ? [...matches(text, QUOTED, "EMAIL"), ...matches(text, SHELL, "USERNAME")] : [];

/** Finds e-mail addresses: written, with a quoted name, at a machine, and in words ("anna dot k at example dot org"). */
export const email = stepped(["EMAIL", "USERNAME"], [spoken, written, quoted, chineseEmails]);

/** Returns whether a place follows "://" in a URL: what stands before the "@" there is a user of the machine. */
const isInUrl = (text: string, at: number) => /:\/\/[^\s/@]*$/.test(text.slice(Math.max(0, at - 200), at));

/** Returns the length of the local part before an "@": at most 64 signs, dots between them not counted. */
function localBefore(text: string, at: number): number {
  let [length, signs, dots] = [0, 0, 0];
  for (const sign of Array.from(text.slice(Math.max(0, at - 194), at)).reverse()) {
    if (sign === "." ? signs === 0 || dots === 2 : signs === 64 || !SIGN_OF_LOCAL().test(sign)) break;
    length += sign.length;
    if (sign === ".") dots++;
    else [signs, dots] = [signs + 1, 0];
  }
  // Chinese text, dots and opening quotation marks at the beginning are no part of it
  return length - /^(?:.*\p{Script=Han}(?=\w))?[.']*/u.exec(text.slice(at - length, at))![0].length;
}

function spoken(text: string): Match[] {
  return Array.from(text.matchAll(SPOKEN()), (match) => ({
    match,
    start: match.index,
    end: match.index + match[0].length,
  }))
    .filter(({ match: [whole, local, , domain] }) => {
      const isPlain = !/\s|[[({<]/.test(whole); // the written form
      const isName = !NO_NAME.test(local!.trim());
      return !isPlain && isName && TOP.test(domain!);
    })
    .map(({ start, end }) => ({ start, end, label: "EMAIL" }));
}
