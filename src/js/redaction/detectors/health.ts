import { CONDITION } from "./illness-english.js";
import { type Detector, lazily, matches } from "./match.js";

const DIAGNOSED = lazily(
  `\\b(?:diagnosed with|suffers? from|suffering from|history of|treated for|tested positive for|living with|known case of|diagnosis of|positive for|recovering from|managing|developed|known|PMH:?|Hx:?|Dx:?|(?:medication|tablets|pills|surgery|treatment) for|has|had|have|having|got|with|is|my|his|her)\\s(?:a |an |severe |mild |acute |chronic |early |suspected |moderate )*(${CONDITION})(?![\\p{L}])`,
  "giu",
);
/** Verbs of being ill in other languages, and the illness after them. */
const ILL = lazily(
  "(?<!\\p{L})(?:[Dd]iagnosticad[oa] (?:de|con|com)|[Ss]ouffre (?:de |d['’])|[Aa]tteinte? (?:de |d['’])|[Pp]adece|[Ee]nferm[oa] de|[Ss]ofre de|[Ss]offre di|[Aa]ffett[oa] da|[Ll]eidet (?:an|unter)|[Ee]rkrankt an|[Ll]ijdt aan|[Ll]ider a[vf]|[Cc]horuje na|[Cc]hor[ya] na|[Cc]ierpi na|[Tt]rpí|[Сс]традает|[Хх]воріє на|[Бб]олеет|[Ss]airastaa)[ ]?((?:(?:chronische[rmn]?|schwere[rmn]?|przewlekłą|chronickou) )?[\\p{L}-]{4,30}(?: (?:mellitus|tipo \\d|typ[eu]? \\d|crónica|cronica|chronique))?)",
  "gu",
);
/** Words after such verbs that are no illness. */
const NO_ILLNESS =
  /^(?:einer|einem|seiner|ihrer|starken?|dolor|dolores|douleurs?|bólu|bólach|deze|deres|hans|sitä|mucho|molto|muito)(?: |$)/u;
const ICD = /\b(?:ICD(?:-?1[01])?(?:-CM)?|code|diagnosis|dx)\b[^\n]{0,12}?\b([A-TV-Z]\d{2}(?:\.\d{1,4})?)(?![\w])/g;
const BLOOD =
  /(?<!\p{L})(?:blood (?:type|group|gp)|Blutgruppe|groupe sanguin|grupo sanguíneo|tipo sanguíneo|sangue|gruppo sanguigno|grup[aă] sanguin[aeă]?|gr\.? sanguin|bloedgroep|blodgrupp|blodtype|grupa krwi|krevní skupina|krvn[áa] (?:skupina|grupa)|vércsoport\p{L}{0,2}|veriryhmä|veregrupp|kraujo grupė|asins grupa|група крові|группа крови|крвна група|кръвна група|ομάδα αίματος|kan grubu|golongan darah|nhóm máu|grup sanguini)\s?(?:is|:)?\s((?:AB|A|B|O|0)(?:I{1,3}V?|IV)?(?:\s?(?:[+-](?:ve)?|positive?|negative?|pos|neg|Rh\s?\(?[+-]\)?|Rh\s?(?:pos|neg)\p{L}{0,5}))?)(?![\p{L}\p{N}])/giu;
const DOSE =
  /\b([A-Z]?[a-z]{4,}(?:in|ol|ine|ide|pril|artan|statin|zole|cillin|mab|pam|pine|one|ate|xaban|formin))(?=\s\d{1,4}(?:[.,]\d+)?\s?(?:mg|mcg|µg|ml|g|IU|units)\b)/g;

/** Finds diagnoses after the words that introduce them, ICD codes, blood groups, and medicines with a dose. */
export const health: Detector = {
  labels: ["HEALTH"],
  find: (text) => [
    ...matches(text, DIAGNOSED, "HEALTH", undefined, 1),
    ...matches(text, ILL, "HEALTH", (word) => !NO_ILLNESS.test(word), 1),
    ...matches(text, ICD, "HEALTH", undefined, 1),
    ...matches(text, BLOOD, "HEALTH", undefined, 1),
    ...matches(text, DOSE, "HEALTH", undefined, 1),
  ],
};
