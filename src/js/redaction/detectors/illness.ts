// Illnesses, medicines and operations near other data of a person, which make them that person's.
import type { Tick } from "../../abort.js";
import { isEnglish, judgedPart } from "../language.js";
import type { Range, Span } from "../span-types.js";
import { endingFrom, parts } from "../spans.js";
import { isWord, plain } from "../words.js";
import { bloodGroups } from "./blood-group.js";
import { ALLERGY, OF_CASE, RELATIVE, SUFFERED } from "./illness-context.js";
import { CONDITION } from "./illness-english.js";
import { ENDS, NEEDS_PART, OTHER_SCRIPTS, PHRASES, STEMS } from "./illness-words.js";
import { inLanguages } from "./languages/languages.js";
import { before, type Lazy, lazily, type Match, matches } from "./match.js";
import { noted } from "./medical-note.js";
import { folded, isBodyPart, isQualifier } from "./medical-words.js";
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
/** A letter of a script without capitals. */
const UNCASED = /\p{Lo}/u;
const IN_OTHER_SCRIPTS = lazily(OTHER_SCRIPTS.join("|"), "gu");
/** Abbreviations of illnesses and operations that mean nothing else. */
const ABBREVIATION =
  /(?<![\p{L}\p{N}./-])(?:T[12]DM|I?DDM|DM(?: ?[12]\.? ?typu?| typ[eu]? ?[12])?|COPD|CHOPN|BPCO|EPOC|HTA(?: gr\.? ?I{1,3})?|HTN|KHK|ICHS|DM ?(?:2|II)|DT[12]|POChP|KOAH|KOLS|KOL|KOPB|KOPN|HOPN|LOPL|ITU|IMA|IAM|DPOC|DRGE|ERGE|RGO|TEP|FA(?! ?\d)|СД ?(?:[12]|II?)(?: типа)?|ИБС|ХОБЛ|ХАП|ІХС|ХОЗЛ|PKOS|SOPK|ADHD|ADHS|TDAH|PTSD|PTBS|VIH|TVP|AVC|ACV|ACxFA|SAOS|VPPB|BPH|NSTEMI|STEMI|TIA|CVA|DVT|CHF|CKD|GERD|PCOS|UTI|HIV|TBC|CABG|TKR|THR|OSA|HLD|GAD|MDD|PVD|[AB]KA|SLE|AKI|ESR[DF]|MRSA|AMD|GORD|IHD|PTB|TURP|ORIF|DHS|TAH|BSO|[AM]VR|PCI|NASH|LSCS|IB[DS]|PMR|SAH|SDH|SVT|AAA|T[HK]A|ACL|MMF|HCQ|HRZE?|RHZ|TLD|CCF|DDKT|LTCS|GBS|PIVD|POAG|DKA|BTL|ESWL|IVIG|ARDS|CRPS|NAFLD|BPPV|CLL|AML|CML|DLBCL|NSCLC|HCC|BCC|SCC|DCIS|VTE|HF[rp]EF|CAD|T[12]D|GDM|HELLP|EUPD|ALS|MND|IUGR|TAVI|C\/S|MI|OA|(?<!(?:[%\d]|on|now) )RA|AF(?! ?\d))(?![\p{L}\p{N}/-])/gu;
/** A code of a diagnosis with a decimal, or in brackets, or after a word for one. */
const CODE =
  /(?:\((?=[^()\n]{3,6}\))|(?<!\p{L})(?:dg|dx|diagn\p{L}{0,8}|icd(?:-?10)?|ci[em]|mkb|мкб|мкх|bno|tlk|icpc(?:-?2)?)[.:]? )([A-Z]\d{2}(?:\.\d{1,3})?)(?![\p{L}\p{N}])/giu;
const EXACT_CODE = /(?<![\p{L}\p{N}.,/-])[A-TV-Z]\d{2}\.\d{1,3}(?![\p{L}\p{N}%°-]|[.,]\d)/gu;
/** A blood group with its Rhesus factor. */
const BLOOD =
  /(?<![\p{L}\p{N}+-])(?:AB|A|B|O|0)(?: ?\((?:I{1,3}|IV)\))? ?Rh ?(?:\(?D\)? ?)?(?:\(?[+-]\)?|pos\p{L}*|neg\p{L}*)(?![\p{L}\p{N}])/gu;
/** A word before a dose. */
const DOSED =
  /(?<![\p{L}\p{N}])(\p{L}[\p{L}-]{4,}(?: (?:[A-Z]{2}|[Ff]orte|[Rr]etard|[Pp]lus|[Nn]eo))?)(?=,? \d{1,4}(?:[.,]\d+)?(?: ?(?:mg|mcg|µg|мг|мкг|IU|IE|NE|tbl)(?!\p{L})| ?x ?[1-4](?![\d.x])| (?:1-0-[01]|0-[01]-[01]|[1-4] ?[x×] ?(?:[1-4](?!\d)|tägl|dag|dn|dz|d)|bd|bid|tds|od|daily)(?!\p{L})))/gu;
/** A word of medical notes: abbreviations and codes stand only beside one. */
const IS_MEDICAL =
  /(?<![\p{L}])(?:pt|pat|pac\p{L}{0,6}|patient\p{L}{0,4}|px|dx|dg|diagn\p{L}{0,8}|rx|tx|hx|pmh|med|mg|mcg|bp|rr|ta|s\/p|meds|allerg\p{L}*|ward|theatre|surg\p{L}{0,4}|known|hospital|hôpital|ospedal\p{L}|hospitalet|sjukhus\p{L}*|sykehus\p{L}*|sygehus\p{L}*|inskriven|nemocnic\p{L}*|szpital\p{L}*|bolni[cčš]\p{L}*|kórház\p{L}*|haigla\p{L}*|sairaala\p{L}*|ziekenhuis|krankenhaus|spital\p{L}*|ligonin\p{L}*|slimnīc\p{L}*|clinic|klini\p{L}{0,6}|doctor|dr|дз|діагн\p{L}{0,4}|диагн\p{L}{0,4})(?![\p{L}])/iu;
/** Operations in English words. */
const OPERATION =
  /(?<!\p{L})(?:(?:left|right|total|double) )?(?:(?:total |partial )?(?:hip|knee|shoulder|valve) replacement|(?:back|heart|knee|hip|brain|bypass|cataract|eye) (?:surgery|operation)|chemo(?:therapy)?|chicken ?pox|ear infections?|root canal|frozen shoulder|detached retina|cleft palate(?: repair)?|(?:emergency )?c-?section|carpal tunnel release|caesarean(?: section)?|(?:both )?(?:hips?|knees?) replaced|(?:gallbladder|knee|hip|hernia|cataract|prostate) op|pacemaker|tonsils out|sickle cell|mohs surgery|lap chole|hysterectomy|vasectomy|(?:meniscus|acl|rotator cuff) tear|kidney stones?|heart (?:attack|condition)|appendix (?:out|removed)|(?:ruptured|torn) (?:acl|meniscus|achilles|tendon|ligament)|(?:broken?|fractured|dislocated) (?:(?:her|his|my) )?(?:hip|ankle|arm|leg|wrist|pelvis|shoulder|collarbone))(?!\p{L})/giu;
/** Illnesses in English words, in notes. */
const IN_ENGLISH = lazily(`(?<![\\p{L}-])(?:${CONDITION})(?![\\p{L}\\p{N}-])`, "giu");
/** An adjective before an illness, and its type or its code in brackets after it. */
const BEFORE =
  /(?:(?:ziekte van|maladie de|morbo di|enfermedad de|doenca de|choroba|morbus|(?<!\p{L})m\.)|chron|kron|przewle|akut|ostr|schwer|bron[a-z]*iala?)\p{L}*\s$/u;
const AFTER =
  /^(?:\s(?:mellitus|tip[oi]?|typu?|type|typ|classe|clase)(?:\s?(?:[12]|I{1,3}))?|\s(?:croni[ck]|chroni)\p{L}*|\s?\([a-z]\d{2}(?:\.\d{1,2})?\))/u;
/** The number of a type in words. */
const TYPE = /^ (?:eins|zwei|un|deux|uno|due|dos|um|dois|one|two)(?!\p{L})/iu;
/** An operation of a part of the body, as compounds of Germanic languages. */
const OPERATED = /(?<!\p{L})(\p{L}{4,16})-op(?!\p{L})/giu;
/** A verb for "to have" before an abbreviation. */
const HAVING = /(?<!\p{L})(?:har|hat|hatte|heeft|tiene|tem|ha|má|ma|ima|has|have|a|on|är|er|avait|tenho|tengo) $/iu;
/** Words of at least four letters. */
const WORD = /\p{L}[\p{L}\p{M}]{3,}/gu;

/** Labels beside which an illness is a person's. */
const PERSONAL = /^(?:PERSON|PER|ID|AGE|PHONE|EMAIL|USERNAME)$/;
/** How far the other data may be, in UTF-16 code units. */
const NEAR = 1000;
/** How far a word for a relative may be, and in English any data. */
const CLOSE = 240;
/** How many words to look up before yielding to the event loop. */
const SLICE = 500;

/** Words for a topic before an illness, and for a thing or a statement after it. */
const TOPIC_BEFORE =
  /(?<!al+ergi\p{L}{1,5}\s)(?<!\p{L})(?:about|against|of all|fight(?:ing)?|research(?:es)?|stud(?:y|ies|ied)|causes? of|prevent(?:s|ing|ion)?|risk of|cases of|types? of|people with|patients with|children with|for people|anyone has|if you have|gegen|über|contra|contre|contro|przeciw(?:ko)?|proti|против|проти|o|sobre|sur|su)\s(?:the\s)?$/iu;
const THING_AFTER =
  /^[ -](?:awareness|research|charity|foundation|association|society|day|week|month|clinic|nurse|ward|team|vaccin\p{L}*|jabs?|shots?|test(?:s|ing)?|screening|card|season|outbreak|prevention|patients|unit|centre|center|in pregnancy|is (?:an?|the|one|caused|common|more|most|often|usually|treatable|spread|linked|contagious)|are (?:common|caused|often|more)|(?:ist|est|es|è|é|jest|je|är|er|este|on|is)\s(?:eine?|une?|una|uma|um|een|en|o|ett?|jedn\p{L}+|chorob\p{L}+|nemoc\p{L}*|bolest|sairaus)(?!\p{L}))/iu;
/** The name of a field after it, and a box that is not ticked. */
const NAME_AFTER = /^["”]?(?:\s?\/\s?\p{L}+)?(?:\s?[:：?]|\s?\.{3}|"?\s?☐|\? ?no(?!\p{L}))|^\s?\/\s?\p{L}+:/u;
/** Words for illnesses that mean something else in English. */
const OTHERWISE_IN_ENGLISH = /^(?:insult|abort|commotion|grip(?:e|es|ed|ing|pe[dr]?)$)/;
/** A preposition after a word for being allergic. */
const PREPOSITION =
  /^\s(?:to|on|only|à|a|al|la|ao|aos|au|aux|gegen|auf|mot|mod|for|voor|na|la|on|на|към|i|list|card)(?!\p{L})/u;
/** Ends of words for a science, a place or a thing about an illness. */
const NO_ILLNESS =
  /(?:olog(?!os)\p{L}*|impfung\p{L}*|patient\p{L}*|forschung|hilfe|beratung|station|ambulan[zt]|zentrum|klini[kc]\p{L}*|va[ck][cks]in\p{L}*|rokot\p{L}*|kurs|schule|spezialist\p{L}*|verein|stiftung)$/u;

/**
 * Finds words for illnesses, medicines, operations and abbreviations near other data of a person, or words for one:
 * elsewhere they are a subject. `spans` are ordered.
 */
export async function illnesses(text: string, spans: readonly Span[], tick: Tick): Promise<Match[]> {
  const isForeign = isEnglish(judgedPart(text)) === false;
  const personal = merged(
    spans.filter(({ label }) => PERSONAL.test(label)),
    matches(text, OF_CASE, ""),
  );
  const found: Match[] = [];
  const inEnglish: Match[] = [];
  let n = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (n++ % SLICE === 0) await tick();
    const bare = plain(word);
    if (NO_ILLNESS.test(bare)) continue;
    const isDrug = isMedicine(bare);
    const needsPart = !isDrug && !ILLNESS().test(bare);
    if (!isDrug && !isForeign && OTHERWISE_IN_ENGLISH.test(bare)) continue;
    if (needsPart && !NEEDS_PART().test(folded(bare))) continue;
    const end = index + word.length;
    const match = isDrug ? { start: index, end, label: "HEALTH" } : withType(text, index, end, needsPart);
    if (match)
      match.start -= /(?<![\p{L}\p{N}-])[\p{L}\p{N}]{2,16}-$/u.exec(before(text, match.start, 18))?.[0].length ?? 0;
    if (match) (isDrug || isForeign ? found : inEnglish).push(match);
  }
  const relatives: Match[] = [];
  for (const { start, end, from, to } of parts(text)) {
    await tick();
    const part = text.slice(start, end);
    const bare = plainly(part).replace(/[łøı]/g, (sign) => folded(sign));
    /** Adds what `find` finds. In the first call V8 compiles its expressions, which takes tens of milliseconds. */
    const add = async (into: Match[], find: () => readonly Match[]) => {
      await tick();
      for (const match of find())
        if (start + match.start >= from && start + match.start < to)
          into.push({ ...match, start: start + match.start, end: start + match.end });
    };
    await add(relatives, () => matches(bare, RELATIVE, ""));
    const isNote = IS_MEDICAL.test(part) || part.search(OF_CASE) >= 0;
    await add(found, () => inNotes(part, bare, isForeign, isNote));
    await add(found, () => noted(part, bare));
    await add(found, () => suffered(part));
    await add(isNote ? found : inEnglish, () => matches(part, IN_ENGLISH, "HEALTH"));
  }
  const isNear = beside(personal, NEAR);
  const isClose = beside(personal, CLOSE);
  const isRelatives = beside(relatives, CLOSE);
  const isMedical = IS_MEDICAL.test(judgedPart(text));
  return [
    ...found.filter((match) => isNear(match) || isRelatives(match)),
    ...inEnglish.filter((match) => isRelatives(match) || isClose(match) || (isMedical && isNear(match))),
  ].filter(isOfPerson(text));
}

/** Returns ranges in their order. */
const merged = (...lists: readonly Range[][]) => lists.flat().sort((a, b) => a.start - b.start);

/** Returns a test whether a match is no field's name and no subject. */
const isOfPerson =
  (text: string) =>
  ({ start, end }: Match) => {
    const after = text.slice(end, end + 30);
    if (/^al.?l?[eèéëe]rg/iu.test(text.slice(start, end)) && PREPOSITION.test(after)) return false;
    return (
      !NAME_AFTER.test(after) &&
      !THING_AFTER.test(after) &&
      !TOPIC_BEFORE.test(text.slice(Math.max(0, start - 24), start))
    );
  };

/** Returns a test whether a match is at most `distance` from any of `ranges`, which are ordered. */
const beside = (ranges: readonly Range[], distance: number) => (match: Match) => {
  const next = endingFrom(ranges, match.start - distance);
  return next !== undefined && next.start < match.end + distance;
};

/** Finds abbreviations, codes of diagnoses, blood groups, operations, and names of several words. */
function inNotes(text: string, bare: string, isForeign: boolean, isNote: boolean): Match[] {
  const found = [
    ...matches(text, OPERATION, "HEALTH"),
    ...(UNCASED.test(text) ? matches(text, IN_OTHER_SCRIPTS, "HEALTH") : []),
    ...bloodGroups(text),
    ...inLanguages("illnesses", text),
  ];
  if (isForeign)
    found.push(
      ...PHRASE.flatMap((pattern) => matches(bare, pattern, "HEALTH")),
      ...matches(text, OPERATED, "HEALTH", (_, [, part]) => isBodyPart(part!)),
    );
  found.push(
    ...matches(text, ABBREVIATION, "HEALTH", (_, { index }) => isNote || HAVING.test(before(text, index!, 8))),
  );
  if (isNote)
    found.push(
      ...matches(text, CODE, "HEALTH", undefined, 1),
      ...matches(text, EXACT_CODE, "HEALTH"),
      ...matches(text, BLOOD, "HEALTH"),
      ...matches(text, DOSED, "HEALTH", (word) => !isWord(word), 1),
    );
  return found;
}

/** Finds allergies, and the objects of verbs and adjectives for being allergic, operated or treated. */
const suffered = (text: string): Match[] => [
  ...matches(text, ALLERGY, "HEALTH"),
  ...SUFFERED.flatMap((pattern) => matches(text, pattern, "HEALTH", (word) => !isWord(word.split(" ")[0]!), 1)).map(
    ({ start, end }) => withType(text, start, end)!,
  ),
];

/** A word before an illness, and a word after it, perhaps after a preposition. */
const WORD_BEFORE = /(?<![\p{L}\p{N}])([\p{L}\p{M}-]+|M\.|[12](?:-es|-go)?\.?)[ -]$/u;
const WORD_AFTER =
  /^[ -](?:(?:de l['’]|dell['’]|(?:de|del|della|dello|des|di|du|do|da|dos|das|of|the|van|der|na|w|v|u|în|in|al|alla|la|lo|le|les|a|с|на|в|во)\s)\s?){0,2}([\p{L}\p{M}]+|[12]\.?(?! ?\d)|[IVX]{2,3}|L\d(?:[/-][LS]?\d)?)(?![\p{L}\p{N}])/u;

/** Returns the match with its adjectives, the part of the body and the type around it; undefined if it needs a part and has none. */
function withType(text: string, from: number, to: number, needsPart = false): Match | undefined {
  const bare = plain(text.slice(from, to));
  const [isBefore, isAfter] = [IS_BEFORE_PART().test(bare), IS_AFTER_PART().test(bare)];
  let [start, end, hasPart] = [from, to, !needsPart];
  for (let n = 0; n < 3; n++) {
    const word = WORD_BEFORE.exec(text.slice(Math.max(0, start - 24), start));
    if (!word || !(isQualifier(word[1]!) || BEFORE.test(plain(`${word[1]} `)) || (isAfter && n === 0))) break;
    hasPart ||= isBodyPart(word[1]!);
    start -= word[0].length;
  }
  for (let n = 0; n < 4; n++) {
    const word = WORD_AFTER.exec(text.slice(end, end + 40));
    if (
      !word ||
      !(
        /^(?:[\dIVX]+\.?|L\d.*)$/.test(word[1]!) ||
        isQualifier(word[1]!) ||
        (isBefore && n === 0 && /^\p{Ll}{4}/u.test(word[1]!))
      )
    )
      break;
    hasPart ||= isBodyPart(word[1]!);
    end += word[0].length;
  }
  end += AFTER.exec(plainly(text.slice(end, end + 24)))?.[0].length ?? 0;
  if (/ (?:typ|tipo|type)$/iu.test(text.slice(start, end))) end += TYPE.exec(text.slice(end, end + 9))?.[0].length ?? 0;
  return hasPart ? { start, end, label: "HEALTH" } : undefined;
}

/** A text in lower case of the same length. */
const plainly = (text: string) =>
  Array.from(text, (sign) => (sign.length > 1 ? sign : (plain(sign)[0] ?? sign))).join("");
