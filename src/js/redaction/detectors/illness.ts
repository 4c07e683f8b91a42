// Illnesses, medicines and operations near other data of a person, which make them that person's.
import type { Tick } from "../../abort.js";
import { isEnglish, judgedPart } from "../english.js";
import type { Span } from "../span-types.js";
import { endingFrom, parts } from "../spans.js";
import { plain } from "../words.js";
import { CONDITION } from "./health.js";
import { ENDS, OTHER_SCRIPTS, PHRASES, STEMS } from "./illness-words.js";
import { type Lazy, lazily, type Match, matches } from "./match.js";
import { isMedicine } from "./medicine.js";

/** Beginnings of words for inflammations, fractures and tumours, before and after the part of the body. */
const BEFORE_PART =
  "fra[ck]tur|frattur|złaman|zlomenin|kar[cz]inom|zapalen|zanet|zapal(?:u|y|em|om)?$|upal[aeiuo]|запален|воспален|карцином|перелом";
const AFTER_PART = "uzdegim|gyullad|tulehd|poletik|iekaisum";
const ILLNESS = lazily(`^(?:(?:${STEMS.join("|")}|${BEFORE_PART}|${AFTER_PART})\\p{L}*|${ENDS.join("|")})$`, "u");
const [IS_BEFORE_PART, IS_AFTER_PART] = [BEFORE_PART, AFTER_PART].map((stems) => lazily(`^(?:${stems})`, "u")) as [
  Lazy,
  Lazy,
];
const PHRASE = PHRASES.map((source) => lazily(`(?<!\\p{L})(?:${source})(?!\\p{L})`, "gu"));
const IN_OTHER_SCRIPTS = lazily(OTHER_SCRIPTS.join("|"), "gu");
/** Abbreviations of illnesses and operations that mean nothing else. */
const ABBREVIATION =
  /(?<![\p{L}\p{N}./-])(?:T[12]DM|I?DDM|DM(?: ?[12]\.? ?typu?| typ[eu]? ?[12])?|COPD|CHOPN|BPCO|EPOC|HTA(?: gr\.? ?I{1,3})?|HTN|KHK|ICHS|DM ?(?:2|II)|DT[12]|POChP|KOAH|KOLS|KOL|СД ?(?:[12]|II?)(?: типа)?|ИБС|ХОБЛ|ХАП|ІХС|ХОЗЛ|PKOS|SOPK|ADHD|ADHS|TDAH|PTSD|PTBS|VIH|TVP|AVC|ACV|ACxFA|SAOS|VPPB|BPH|NSTEMI|STEMI|TIA|CVA|DVT|CHF|CKD|GERD|PCOS|UTI|HIV|TBC|CABG|TKR|THR|OSA|HLD|GAD|MDD|PVD|[AB]KA|SLE|AKI|ESR[DF]|MRSA|AMD|GORD|IHD|PTB|TURP|ORIF|DHS|TAH|BSO|[AM]VR|PCI|NASH|LSCS|IB[DS]|PMR|SAH|SDH|SVT|AAA|T[HK]A|ACL|MMF|HCQ|HRZE?|RHZ|TLD|CCF|DDKT|LTCS|GBS|PIVD|POAG|DKA|BTL|ESWL|IVIG|ARDS|CRPS|NAFLD|BPPV|CLL|AML|CML|DLBCL|NSCLC|HCC|BCC|SCC|DCIS|VTE|HF[rp]EF|CAD|T[12]D|GDM|HELLP|EUPD|ALS|MND|IUGR|TAVI|C\/S|MI|OA|(?<!(?:[%\d]|on|now) )RA|AF(?! ?\d))(?![\p{L}\p{N}/-])/gu;
/** A code of a diagnosis with a decimal, or in brackets, or after a word for one. */
const CODE =
  /(?:\((?=[^()\n]{3,6}\))|(?<!\p{L})(?:dg|dx|diagn\p{L}{0,8}|icd(?:-?10)?|ci[em]|mkb|мкб|мкх|bno|tlk)[.:]? )([A-TV-Z]\d{2}(?:\.\d{1,3})?)(?![\p{L}\p{N}])/giu;
const EXACT_CODE = /(?<![\p{L}\p{N}.,/-])[A-TV-Z]\d{2}\.\d{1,3}(?![\p{L}\p{N}%°-]|[.,]\d)/gu;
/** A blood group with its Rhesus factor. */
const BLOOD =
  /(?<![\p{L}\p{N}+-])(?:AB|A|B|O|0)(?: ?\((?:I{1,3}|IV)\))? ?Rh ?(?:\(?D\)? ?)?(?:\(?[+-]\)?|pos\p{L}*|neg\p{L}*)(?![\p{L}\p{N}])/gu;
/** A word of medical notes: abbreviations and codes stand only beside one. */
const IS_MEDICAL =
  /(?<![\p{L}])(?:pt|pat|pac\p{L}{0,6}|patient\p{L}{0,4}|px|dx|dg|diagn\p{L}{0,8}|rx|tx|hx|pmh|med|mg|mcg|bp|rr|ta|s\/p|meds|allerg\p{L}*|ward|theatre|surg\p{L}{0,4}|known|hospital|clinic|klini\p{L}{0,6}|doctor|dr|дз|діагн\p{L}{0,4}|диагн\p{L}{0,4})(?![\p{L}])/iu;
/** Operations in English words. */
const OPERATION =
  /(?<!\p{L})(?:(?:left|right|total|double) )?(?:(?:total |partial )?(?:hip|knee|shoulder|valve) replacement|(?:back|heart|knee|hip|brain|bypass|cataract|eye) (?:surgery|operation)|chemo(?:therapy)?|chicken ?pox|ear infections?|root canal|frozen shoulder|detached retina|cleft palate(?: repair)?|(?:emergency )?c-?section|carpal tunnel release|caesarean(?: section)?|(?:both )?(?:hips?|knees?) replaced|(?:gallbladder|knee|hip|hernia|cataract|prostate) op|pacemaker|tonsils out|sickle cell|mohs surgery|lap chole|hysterectomy|vasectomy|(?:meniscus|acl|rotator cuff) tear|kidney stones?|heart (?:attack|condition)|appendix (?:out|removed)|(?:ruptured|torn) (?:acl|meniscus|achilles|tendon|ligament)|(?:broken?|fractured|dislocated) (?:(?:her|his|my) )?(?:hip|ankle|arm|leg|wrist|pelvis|shoulder|collarbone))(?!\p{L})/giu;
/** Illnesses in English words, in notes. */
const IN_ENGLISH = lazily(`(?<![\\p{L}-])(?:${CONDITION})(?![\\p{L}-])`, "giu");
/** An adjective before an illness, and its type or its code in brackets after it. */
const BEFORE =
  /(?:(?:ziekte van|maladie de|morbo di|enfermedad de|doenca de|choroba|morbus)|chron|kron|przewle|akut|ostr|schwer|bron[a-z]*iala?)\p{L}*\s$/u;
const AFTER =
  /^(?:\s(?:mellitus|tip[oi]?|typu?|type|typ)(?:\s?(?:[12]|I{1,2}))?|\s(?:croni[ck]|chroni)\p{L}*|\s?\([a-z]\d{2}(?:\.\d{1,2})?\))/u;
/** The part of the body, after and before such a word. */
const PART_AFTER = /^\s(?:(?:de|del|di|du|do|da|de la|della) )?\p{Ll}{4,}/u;
const PART_BEFORE = /\p{Ll}{4,}\s$/u;
/** Words of at least four letters. */
const WORD = /\p{L}[\p{L}\p{M}]{3,}/gu;

/** Labels beside which an illness is a person's. */
const PERSONAL = /^(?:PERSON|PER|ID|AGE|PHONE|EMAIL|USERNAME)$/;
/** How far the other data may be, in UTF-16 code units. */
const NEAR = 400;
/** How many words to look up before yielding to the event loop. */
const SLICE = 500;

/**
 * Finds words for illnesses in a text which is not English, and medicines, operations and abbreviations in any, near
 * other data of a person: elsewhere they are a subject. `spans` are ordered.
 */
export async function illnesses(text: string, spans: readonly Span[], tick: Tick): Promise<Match[]> {
  const isForeign = isEnglish(judgedPart(text)) === false;
  const personal = spans.filter(({ label }) => PERSONAL.test(label));
  const found: Match[] = [];
  if (personal.length === 0) return found;
  let n = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (n++ % SLICE === 0) await tick();
    const bare = plain(word);
    const isIllness = isMedicine(bare) || (isForeign && ILLNESS().test(bare));
    if (isIllness) found.push(withType(text, index, index + word.length));
  }
  for (const { start, end, from, to } of parts(text)) {
    await tick();
    for (const match of inNotes(text.slice(start, end), isForeign))
      if (start + match.start >= from && start + match.start < to)
        found.push({ ...match, start: start + match.start, end: start + match.end });
  }
  return found.filter(beside(personal));
}

/** Returns a test whether a match is near any of `spans`, which are ordered. */
const beside = (spans: readonly Span[]) => (match: Match) => {
  const next = endingFrom(spans, match.start - NEAR);
  return next !== undefined && next.start < match.end + NEAR;
};

/** Finds abbreviations, codes of diagnoses, blood groups, operations, and names of several words. */
function inNotes(text: string, isForeign: boolean): Match[] {
  const found = [...matches(text, OPERATION, "HEALTH"), ...matches(text, IN_OTHER_SCRIPTS, "HEALTH")];
  if (isForeign) {
    const bare = plainly(text);
    found.push(...PHRASE.flatMap((pattern) => matches(bare, pattern, "HEALTH")));
  }
  if (IS_MEDICAL.test(text))
    found.push(
      ...matches(text, IN_ENGLISH, "HEALTH"),
      ...matches(text, ABBREVIATION, "HEALTH"),
      ...matches(text, CODE, "HEALTH", undefined, 1),
      ...matches(text, EXACT_CODE, "HEALTH"),
      ...matches(text, BLOOD, "HEALTH"),
    );
  return found;
}

/** Returns the match with an adjective before it and the type after it. */
function withType(text: string, start: number, end: number): Match {
  const word = plain(text.slice(start, end));
  const head = plainly(text.slice(Math.max(0, start - 24), start));
  const tail = plainly(text.slice(end, end + 24));
  const before = (BEFORE.exec(head) ?? (IS_AFTER_PART().test(word) ? PART_BEFORE.exec(head) : null))?.[0].length ?? 0;
  const part = IS_BEFORE_PART().test(word) ? (PART_AFTER.exec(tail)?.[0].length ?? 0) : 0;
  const after = part + (AFTER.exec(tail.slice(part))?.[0].length ?? 0);
  return { start: start - before, end: end + after, label: "HEALTH" };
}

/** A text in lower case of the same length. */
const plainly = (text: string) => Array.from(text, (sign) => plain(sign)[0] ?? sign).join("");
