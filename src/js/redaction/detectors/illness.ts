// Words for illnesses in other languages than English. Their stems are Latin and Greek, or those of each language.
import type { Tick } from "../../abort.js";
import { isEnglish, judgedPart } from "../english.js";
import type { Span } from "../span-types.js";
import { endingFrom, parts } from "../spans.js";
import { plain } from "../words.js";
import { type Lazy, lazily, type Match, matches } from "./match.js";

/** Beginnings of words, in lower case without accents. */
const STEMS = [
  "diabet|diyabet|cukrzyc|cukrovk|cukorbet|sukkersy|zuckerkrank|suikerziekt|sokerita|astm[aeiuy]|asthm|asztm|astım|epilep|padaczk",
  "hyperton|hypertens|hiperton|hipertens|ipertens|bluthochdr|nadcisn|depressi?on|depress[aei]o|depresi|depresj|depressz|masennu",
  "kar[cz]inom|carcinom|kanker|kræft|kreft|cancer|syopa|nowotw|nador|rakovin|tumor|leukemi|leukami|leukaemi|leucemi|lymphom|lymfom|linfom|melanom",
  "migren|migran[ea]|migraine|emicran|enxaquec|jaquec|bronchit|bronkit|bronhit|bronchiol|hepatit|zołtac|zloutenk|arthrit|arthros|artrit|artroz|artros|gastrit|nephrit|nefrit|cystit|cistit|dermatit|pan[ck]reatit|pneumoni|pnevmoni|polmonit|neumoni|lungenentz|meningit|tonsillit|ap+endici",
  "(?:nieren|herz|leber)insuff|insuffizi|infarkt|infarto|infarct|zawał|schlaganf|beroerte|hjerneslag|hjernebl[øo]d|slagtilf|vorhofflimm|fibrill|fibrilac|fibryl|aritmi|arritmi|arrhythm|rytmi?haeir|katarakt|cataract|catarat|glaukom|glaucom",
  "demenz|demens|demenc|alzheimer|parkinson|scleros|sklero[sz]|osteopor|schizo(?:ph|f)ren|tuberkul|tubercul|gruzlic|anami[ea]|anemi|niedokrw|endometrio|zoliak|coeliak|celiak|celiaqu|celiachi|rheuma|reumat|crohn",
  "schwangersch|schwanger|enceinte|embaraz|gravidez|gravidita|ciaz|tehotn|terhes|raskaana|zwanger|hamile|gebelik|fraktur|fractur|frattur|złaman|zlomenin|skolios|scolios|psorias|ekzem|eczem|egzam|neurodermit|anorexi|anoressi|bulimi|thrombos|trombo[sz]|tromboembol|zirrhos|cirro[sz]|cirrhos|hypothyr|hipotir|ipotiroid|hypotyre|endokardit|sarkoido|borelio|borrelio",
  "ветрянк|гриж|камн[иі] в|фибромиал|фіброміал|аут[иі]зм|сифил|варфарин|мениск|аллерг|алерг|ангин|ангін|язв[аеоу]|виразк|тиф|диабет|діабет|астм|эпилеп|епілеп|епилеп|гипертон|гіпертон|хипертон|депресс|депрес|лейкем|лейкоз|мигрен|мігрен|бронхит|бронхіт|гепатит|артрит|артроз|гастрит|пневмон|инфаркт|інфаркт|инсульт|інсульт|инсулт",
  "аритми|аритмі|катаракт|глауком|деменц|склероз|остеопор|шизофрен|туберкул|анеми|анемі|псориаз|псоріаз|экзем|екзем|перелом|тромбоз|беремен|вагітн|бремен|онколог",
  "keliak|ameliyat|varicel|waterpok|windpock|vattkopp|skoldkopp|vannkopp|vesirokk|baranyhiml|nestovic|ospa|staaroper|favism|fawizm|hernia|fitik|przepuklin|bandscheib|leistenbr|hemor+oid|hamorrhoid|nierenstein|gallenst|fibrom[iy]al|auti[sz]m|bipolar|syphil|syfil|sifil|varfarin|warfarin",
  "menis[ck]|allerg|alerg|angin[aeuyi]|ulcer|ulkus|ulcus|wrzod|vred|typhus|tifus|tyfus|tipes|typhoid|malari|dengue|covid|influenz|gripp?e?|hypertenz|iperten|cholesterol|kolesterol|colesterol|viem",
  "αλλεργ|διαβητ|ασθμα|επιληψ|υπερτασ|καταθλιψ|καρκιν|ημικραν|βρογχιτ|ηπατιτ|αρθριτ|πνευμον|εμφραγμ|αρρυθμ|καταρρακτ|γλαυκωμ|ανοια|σκληρυνσ|οστεοπορ|αναιμι|καταγμα|θρομβωσ|εγκυο",
];
/** Ends of compounds for an illness, and of the names of medicines, with endings of cases. */
const ENDS = [
  "\\p{L}{3,}(?:krankheit|erkrankung|insuffizienz|entzundung|infarkt|infarct|krebs|kanker|kræft|kreft|syop[ai]|syovan|ziekte|sjukdom|sykdom|sygdom|betegseg|tobi|tove|tauti|taudin|itis|itida|itidy)\\p{L}{0,4}",
  "\\p{L}{3,}(?:formin|olol|sartan|statin|cillin|[ms]ycin|prazol|butamol|xaban)\\p{L}{0,4}",
  "\\p{L}{2,}(?:allergi|alergi)\\p{L}{0,3}",
  "\\p{L}{2,}(?:прил|олол|[сз]артан|статин|цилл?[иі]н|м[иі]цин|празол|форм[иі]н|ксабан|азепам|оксацин|тироксин|ектоми|эктоми|ектомі)\\p{L}{0,3}",
];
/** Beginnings of words for inflammations, fractures and tumours, before and after the part of the body. */
const BEFORE_PART =
  "fra[ck]tur|frattur|złaman|zlomenin|kar[cz]inom|zapalen|zanet|zapal|upal[aeiuo]|запален|воспален|карцином|перелом";
const AFTER_PART = "uzdegim|gyullad|tulehd|poletik|iekaisum";
const ILLNESS = lazily(`^(?:(?:${STEMS.join("|")}|${BEFORE_PART}|${AFTER_PART})\\p{L}*|${ENDS.join("|")})$`, "u");
const [IS_BEFORE_PART, IS_AFTER_PART] = [BEFORE_PART, AFTER_PART].map((stems) => lazily(`^(?:${stems})`, "u")) as [
  Lazy,
  Lazy,
];
/** Medicines and operations by the ends of their international names; also in English. */
const INTERNATIONAL =
  /^\p{L}{3,}(?:formin|olol|sartan|statin|cillin|cilin|[ms]ycin|micin|prazole?|butamol|xaban|dronate|azepam|oxacin|oxetine?|tidine|thyroxin|tiroxin|predniso\p{L}{1,3}|ectom(?:y|ie|ia|i)|ektomi[ae]?|ektomij[aeu])(?:e|a|u|y|as|i|em|om)?$/u;
/** Abbreviations of illnesses and operations that mean nothing else. */
const ABBREVIATION =
  /(?<![\p{L}\p{N}./-])(?:T[12]DM|I?DDM|DM(?: ?[12]\.? ?typu?| typ[eu]? ?[12])?|COPD|CHOPN|BPCO|EPOC|HTA(?: gr\.? ?I{1,3})?|HTN|KHK|ICHS|NSTEMI|STEMI|TIA|CVA|DVT|CHF|CKD|GERD|PCOS|UTI|HIV|TBC|CABG|TKR|THR|AF(?! ?\d))(?![\p{L}\p{N}/-])/gu;
/** A code of a diagnosis in brackets, or after a word for one. */
const CODE =
  /(?:\((?=[^()\n]{3,6}\))|(?<!\p{L})(?:dg|dx|diagn\p{L}{0,8})[.:]? )([A-TV-Z]\d{2}(?:\.\d{1,2})?)(?![\p{L}\p{N}])/giu;
/** A word of medical notes: abbreviations and codes stand only beside one. */
const IS_MEDICAL =
  /(?<![\p{L}])(?:pt|pat|pac\p{L}{0,6}|patient\p{L}{0,4}|px|dx|dg|diagn\p{L}{0,8}|rx|tx|hx|pmh|med|mg|mcg|bp|rr|ta|known|hospital|clinic|klini\p{L}{0,6}|doctor|dr|дз|діагн\p{L}{0,4}|диагн\p{L}{0,4})(?![\p{L}])/iu;
/** Operations in English words. */
const OPERATION =
  /(?<!\p{L})(?:(?:left|right|total|double) )?(?:(?:total |partial )?(?:hip|knee|shoulder|valve) replacement|(?:back|heart|knee|hip|brain|bypass|cataract) surgery|chicken ?pox|appendix (?:out|removed)|(?:ruptured|torn) (?:acl|meniscus|achilles|tendon|ligament))(?!\p{L})/giu;
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
    const isIllness = INTERNATIONAL.test(bare) || (isForeign && ILLNESS().test(bare));
    if (isIllness) found.push(withType(text, index, index + word.length));
  }
  for (const { start, end, from, to } of parts(text)) {
    await tick();
    for (const match of inNotes(text.slice(start, end)))
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

/** Finds abbreviations, codes of diagnoses, and operations. */
function inNotes(text: string): Match[] {
  const found = matches(text, OPERATION, "HEALTH");
  if (IS_MEDICAL.test(text))
    found.push(...matches(text, ABBREVIATION, "HEALTH"), ...matches(text, CODE, "HEALTH", undefined, 1));
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
