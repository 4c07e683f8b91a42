import { lazily, type Match, matches } from "./match.js";

/** A word for blood, or a group that is no school grade. */
const IS_BLOOD =
  /(?<!\p{L})(?:blood|blut|bloed|blod|sang|grup[po]|krv|krw|krew|vér|veri|veregr|asins|krauj|tipagem|rh\b|gr\.|gs\b|KS|КГ|кров|крв|кръв|αίματος|ομάδα|kan gr|donor|spender|donneur)|(?<![\p{L}\p{N}+-])(?:O|0|AB) ?(?:[+-]|neg|pos)(?![\p{L}\p{N}])/iu;
/** A group alone in a cell, and one with a word for its Rhesus factor. */
const GROUP = lazily(
  "(?<![\\p{L}\\p{N}+./-])(?:(?:AB|A|B|O|0|АВ|А|В|О|ΑΒ|Α|Β|Ο)(?: ?\\((?:I{1,3}|IV)\\)|II?)?(?:[+-](?![+-])|[−–](?=\\s*(?:[|;,\\n'\"]|$))|(?: ?[Rr][Hh])?[ ]?(?:neg|pos|нег|отр|полож)(?![\\p{L}])\\.?| ?(?:RhD?|Rh ?D|рез\\p{L}*|ρέζους) ?(?:\\(?[+−–-]\\)?|neg\\p{L}*|pos\\p{L}*|poz\\p{L}*|отр\\p{L}*|пол\\p{L}*|αρν\\p{L}*|θετ\\p{L}*)| (?:negativ|positiv|pozitiv|negatív|pozitív|negativo|positivo|négatif|positif|αρνητικό|θετικό)\\p{L}?)|[Rr][Hh][ -]?(?:neg|pos|poz)\\p{L}{0,5})(?![\\p{L}\\p{N}])",
  "gu",
);
/** The name of a field for a blood group, and a group without its Rhesus factor. */
const AFTER_NAME =
  /(?<!\p{L})(?:blood(?: (?:type|group|gp))?|blutgr(?:uppe|\.)?|gol(?:\.|ongan)? darah|groupe(?: sanguin)?|gs|grupo(?: sangu[ií]neo)?|tipo de sangre|tipagem|gruppo(?: sanguigno)?|grup[aă]? (?:sanguin[aăeâ]?|krwi)|bloedgroep|blodtype|blodgrupp|krevní skupina|krvn[áaé] (?:skupina|grupa)|vércsop\p{L}{0,4}|veriryhmä|veregrupp|kraujo grupė|asins grupa|група крові|группа(?: крови)?|крвна група|кръвна група|ομάδα αίματος|kan gr[uü]bu|rh)\s?(?::|\.{3,}|\s)\s{0,9}((?:AB|A|B|O|0|Β|Α|ΑΒ|Ο)(?:\(?I{1,3}V?\)?)?(?:\s?[+-])?)(?![\p{L}\p{N}])/giu;

/** Finds blood groups in texts that speak of them. */
export const bloodGroups = (text: string): Match[] =>
  IS_BLOOD.test(text) ? [...matches(text, GROUP, "HEALTH"), ...matches(text, AFTER_NAME, "HEALTH", undefined, 1)] : [];
