import { ENGLISH, OTHERS, plain } from "../words.js";
import { labelOfKey } from "./keys.js";
import { chineseFields, labelOfChineseKey } from "./languages/chinese-fields.js";
import { koreanName, koreanUnit } from "./languages/korean.js";
import type { Detector, Match } from "./match.js";
import { isRole } from "./roles.js";
import { titlesOf } from "./title.js";

const LABELS = [
  ...["PERSON", "EMAIL", "PHONE", "DATE", "ADDRESS", "LOCATION", "ORGANIZATION", "ID", "AGE", "IP", "USERNAME"],
  ...["PASSWORD", "SECRET", "MONEY", "HEALTH"],
];

/** A field of JSON or of a program: a quoted name, a sign, a quoted or plain value. */
const JSON_FIELD =
  /["']([\p{L}][\p{L}\p{M}\p{N}_ .-]{0,40})["']\s{0,3}(?::|=>?)\s{0,3}(?:"((?:[^"\\\n]|\\.){1,2000})"|'((?:[^'\\\n]|\\.){1,2000})'|(-?\d[\d.]{0,30}))/gu;
/** A field of a log, a shell or a URL: a name, "=", and a quoted value or one without spaces. */
const LOG_FIELD =
  /(?<![\p{L}\p{N}_.-])([\p{L}_][\p{L}\p{N}_.-]{0,40})=(?:"([^"\n]{1,2000})"|'([^'\n]{1,2000})'|([^\s"'&;,<>)\]}|]{1,2000}))/gu;
/** A field of a form: a name at the start of a line or after a separator, ":", a value up to the end of the line. */
const FORM_FIELD =
  /(?:^|[\n\t|;•·、，；。]|[,;](?=\p{Lo})|[,.(]\s|\s-\s| {2})[ \t]{0,8}(?:[-*•>]\s{0,2})?\**([\p{L}][\p{L}\p{M}\p{N}_ .'/()-]{0,40}?)\**[ \t]{0,8}(?:[:：՝፡]|\t| \.\.\.)\**[ \t]{0,8}([^\n\t|;•·]{1,200})/gu;
/** An element of XML or HTML. */
const XML_FIELD = /<([\p{L}_][\p{L}\p{N}_:.-]{0,40})(?:\s[^<>\n]{0,200})?>([^<>\n]{1,300})<\/\1>/gu;

/** Finds the values of fields by the names of the fields, in forms, JSON, XML, logs and URLs. */
export const field: Detector = {
  labels: LABELS,
  find: (text) => [
    ...values(text, JSON_FIELD, false),
    ...values(text, LOG_FIELD, false),
    ...values(text, XML_FIELD, false),
    ...forms(text),
    ...chineseFields(text),
  ],
};

function values(text: string, form: RegExp, isProse: boolean): Match[] {
  const found: Match[] = [];
  for (const match of text.matchAll(form)) {
    const [whole, name, ...all] = match;
    const value = all.find((one) => one !== undefined);
    const label = value && labelOfKey(name!.replace(/^.*[.:]/, ""));
    if (!label || !fits(label, value, isProse)) continue;
    const start = match.index + whole.lastIndexOf(value);
    found.push({ start, end: start + value.length, label });
  }
  return found;
}

/** A value in quotation marks, up to the end of the field. */
const QUOTED = /^["'`“„«]([^"'`“”„«»]{1,200})["'`“”»](?=\s*(?:[,;)\]}]|$))/u;

/** Returns whether what a speaker says could be read as a value of this label. */
const isSpoken = (label: string) => label === "PERSON" || label === "USERNAME" || label === "ORGANIZATION";
/** Up to three words before ":" at the start of a line, as a speaker or the name of a field. */
const HEAD = /^[ \t>]*([\p{L}\p{M}]+(?:\.? [\p{L}\p{M}\p{N}'’-]{1,20}){0,2})[ \u00a0]?:[ \t]+\S/gmu;
/** A name of at least two words. */
const TWO_WORDS = /^\p{Lu}(?:[^\s?!.]*|\p{L}?\.)\s\p{Lu}/u;

/**
 * Returns the names of fields that are speakers of a dialogue: "CLIENT :" and "AGENT :" begin several lines each, and at
 * least one is no field that is known.
 */
function speakers(text: string): Set<string> {
  const counts = new Map<string, number>();
  for (const [, head] of text.matchAll(HEAD)) counts.set(head!, (counts.get(head!) ?? 0) + 1);
  const several = [...counts].filter(([, count]) => count > 1).map(([head]) => head);
  const isDialogue = several.length > 1 && several.some((head) => labelOfKey(head) === undefined || isRole(head));
  return new Set(isDialogue ? several : []);
}

function forms(text: string): Match[] {
  const found: Match[] = [];
  const speaking = speakers(text);
  const pattern = new RegExp(FORM_FIELD);
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [whole, name, rest] = match as unknown as [string, string, string];
    const start = match.index + whole.length - rest.length;
    pattern.lastIndex = Math.max(match.index + 1, start); // the value may contain further fields
    // A name that begins with the line may begin with sentences before it.
    const label = labelOfKey(name) ?? labelOfKey(name.replace(/^.*[.,]\s+/s, ""));
    if (!label || labelOfChineseKey(name) || (whole.at(-rest.length - 1) === "\t" && isHeader(text, start))) continue;
    const quoted = QUOTED.exec(rest)?.[1];
    const value = quoted ?? shortened(label, rest);
    // "CLIENT : Attendez, euh" is no name; "CLIENT : Ana Silva, bonjour" is one.
    if (isSpoken(label) && speaking.has(name) && value.length < rest.trimEnd().length && !TWO_WORDS.test(value))
      continue;
    const from = quoted === undefined ? start : start + 1;
    const titles = label === "PERSON" ? titlesOf(text, value) || koreanUnit(value) : 0;
    if (value && fits(label, value, true)) found.push({ start: from + titles, end: from + value.length, label });
  }
  return found;
}

/**
 * Returns whether a line is the header of a table, by its rest after the first tab: it and the next line have three
 * cells, and the next begins with no name of a field.
 */
function isHeader(text: string, at: number): boolean {
  const [line = "", next = ""] = text.slice(at, at + 600).split("\n", 2);
  const cells = next.split("\t");
  return line.includes("\t") && cells.length > 2 && !labelOfKey(cells[0]!);
}

/** A token, with groups of digits and capitals after it: "AB 12 34 56 C". It does not include the end of a sentence. */
const TOKENS = /^\S*[^\s.,;:!?](?:[ -][\dA-Z][\dA-Z-]*(?![\p{L}\p{M}]))*/u;

/** Returns the name at the start of a value, without what follows it and the honorifics of Japanese and Korean. */
function nameOf(value: string): string {
  const name = /^(?:[^,،;(\d<"?!\s]|\s(?!\s)){1,60}/.exec(value)?.[0] ?? "";
  return koreanName(name.split(/\s[–—/-]\s|(?<=\p{Ll}{4})\.\s/u)[0]!.trimEnd()).replace(
    / ?(?:様|さん|さま|殿|御中)$/u,
    "",
  );
}

/** Cuts the rest of a line where the value of this label ends. */
function shortened(label: string, rest: string): string {
  const next =
    /(?:[,;]|\s{2,}|\s-|\.)\s+[\p{L}][\p{L}\p{N} _.-]{0,30}:(?=\s)|[,;、，；。]\s{0,3}\p{Lo}[\p{L}\p{N}]{0,30}[:：]| (?=\p{sc=Han}[\p{sc=Han}ぁ-ヺー]{0,8} ?:)/u.exec(
      rest,
    );
  let value = (next ? rest.slice(0, next.index) : rest).trimEnd();
  if (/^(?:ID|IP|USERNAME|SECRET|EMAIL)$/.test(label)) value = TOKENS.exec(value)?.[0] ?? "";
  if (label === "PASSWORD") value = value.split(/ {3,}|, | - | \(/)[0]!;
  if (label === "PERSON") value = nameOf(value);
  if (label === "MONEY") value = value.split("،")[0]!;
  if (/^(?:PHONE|ID|EMAIL|DATE)$/.test(label)) value = value.split(/[、，；。]|[,;](?=\s?\p{Lo})/u)[0]!;
  if (label === "AGE") value = /^\d{1,3}(?:\s?\p{L}+)?/u.exec(value)?.[0] ?? "";
  if (label === "DATE") value = value.split(/\s*[(,;]\s*(?=\D)/)[0]!;
  if (label === "HEALTH")
    value = value.split(/(?<=\p{L}{3})\.\s|[।]|(?<=[\p{sc=Han}ァ-ヺー])[^\p{sc=Han}ァ-ヺー・A-Za-z\d]/u)[0]!;
  return value.replace(label === "PASSWORD" ? /[\s.,;:)\]"'*]+$/ : /[^\p{L}\p{M}\p{N}+%]+$/u, "");
}

const EMPTY =
  /^(?:n\/?a|none|null|nil|undefined|unknown|true|false|yes|no|-+|\?+|\.+|x+|\*+|tbd|tbc|required|optional|redacted|string|text|number|keine|aucun|ninguno|nessuno|brak|ja|nein|oui|non|here|below|attached|empty|missing|invalid|tiada|tidak ada|wala|hakuna|không|नहीं|कोई नहीं|特に?なし|なし|無し?|同上|不明|未定|本人)$/i;

/** Returns whether a value begins with a function word and goes on without a capital: "My cataract". */
const isSentence = (value: string) =>
  /^\p{L}[\p{Ll}\p{M}]* \p{Ll}/u.test(value) &&
  (/^\p{Lu}/u.test(value) || !/\p{Lu}/u.test(value)) &&
  [ENGLISH, OTHERS].some((words) => words.has(plain(value.split(" ")[0]!)));

/** Returns whether a value can be of this label. */
function fits(label: string, value: string, isProse: boolean): boolean {
  const word = value.trim();
  if (
    !word ||
    EMPTY.test(word) ||
    !/[\p{L}\p{N}]/u.test(word) ||
    /^[[<{]|^\$\{|^%s?$|^process\.env|^\[[A-Z_]+_\d+\]/.test(word)
  )
    return false;
  const count = word.split(/\s+/).length;
  if (label === "PERSON")
    return (
      /\p{L}{2}|^\p{Script=Han}$/u.test(word) &&
      !/^(?:[男女无無]|合[计計]|[总總][计計]|小[计計])$/.test(word) &&
      !/\p{Script=Han}.*\d|\d.*\p{Script=Han}/u.test(word) &&
      count <= 6 &&
      !/[@:/\\=]/.test(word) &&
      (!isProse || (!(/^\p{Ll}/u.test(word) && count > 3) && !isSentence(word)))
    );
  if (label === "PHONE") return (word.match(/\d/g)?.length ?? 0) >= 5 || /\b(?:oh|double|zero|one|two)\b/i.test(word);
  if (label === "MONEY" && /^\d{1,2}$/.test(word)) return false; // a count
  if (label === "DATE" || label === "MONEY") return /\d/.test(word) && count <= 6;
  if (label === "AGE") return /^\d{1,3}(?!\d)/.test(word);
  if (label === "IP") return /\d/.test(word);
  if (label === "ID") return /\d/.test(word) && !/^\d{1,2}$/.test(word); // a row's number is nobody's
  if (label === "EMAIL") return /@|\bat\b|%40/.test(word);
  if (label === "SECRET")
    return (
      word.length >= 6 &&
      !/^[a-z]+(?:[._:/-][a-z]+)*$/.test(word) &&
      (!isProse || /\d|[A-Z].*[a-z].*[A-Z]|[_-]/.test(word))
    );
  if (label === "LOCATION" && /^[/\\]/.test(word)) return false; // the path of a URL or file
  if (label === "ADDRESS") return count <= 20;
  if (label === "USERNAME") return word.length >= 2 && count <= 2;
  return count <= (label === "HEALTH" ? 20 : 8);
}

/** Returns whether a table's cell can have this label. */
export const fitsCell = (label: string, value: string) => fits(label, value, false);
