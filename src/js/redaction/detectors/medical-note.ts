// Finds what the fields of medical notes list: illnesses, operations, allergies and medicines.
import { ENGLISH, OTHERS, plain } from "../words.js";
import { lazily, type Match } from "./match.js";

/** Names of such fields, in lower case without accents. */
const FIELDS = [
  "dx|idx|ddx|dg|dgn|diag|imp|impression|assessment|a/p|hd|jc|jd|bno|(?:main |principal |working |haupt|neben|bi|differential)?diagnos[a-z]*|(?:primary |secondary )?diagnoz[a-z]*|d?ijagnoz[a-z]*|diagnoos|rozpoznani[ea]|tani|zaver|verdacht|verdenking|conclusie|podejrz|vermutung|bedomning|vurdering",
  "pmhx?|pmx|phx|psh|hx|med hx|med h/o|past (?:medical |surgical )?history|past hx|medical history|bg|background|fhx?|fh|mh|problems?|comorbidities|(?:known|health|medical|chronic|existing|pre-existing|child's|any|chronische) conditions?|any illness|health|injury|injuries|procedures?|surgery|indication|operations?|special needs|disability|(?:first aid|medical) notes?",
  "oa|osobni anamneza|ra|ch\\.? ?wspol[a-z]*\\.?|ch\\. wsp\\.?|choroby(?: przewlekle| wspolistniejace)?|schorzeni[ae]|przebyte choroby|zabieg|vykon|operacia|operacija|bolesti|osn\\. bolest|onemocneni|ligos|gretutines(?: ligos)?|slimibas|haigus|kaasuvad haigused|sairaudet|aiemmat(?: sairaudet)?|perussairaudet|terveydentila|ozpn|oyku|ozgecmis|hastaliklar|elozmeny(?:ek)?|anamnezis|betegsegek|mutet|anamn?e[sz][eiao]?|sveikata?|sveikatos bukle|tervis|veseliba",
  "ap|antecedent(?:s|es|e)?|atcd|apr|app|aps|hpp|hp|ahp|anamnesi(?: patologica)?|comorbilita|patologi[ea]|malattie|enfermedades|problemas de saude|doencas|comorbidades|maladies|pathologies|boli(?: cronice)?|padecimientos|condicao medica|vg|voorgesch[a-z]*\\.?|voorgeschiedenis|reden|ziektes|letsel|terrain|terren|blessure|saude|sante|salud|salute",
  "tidl(?:\\.|igere)?(?: sykd\\.?| sygd\\.?)?|tid\\.|tidigare sjukdomar|arsak|sykdommer|sygdomme|helse|halsa|vorerkrankungen|erkrankungen|vorgeschichte|bekannte? erkrankungen|verletzung|vorbestehend|meidsli|vigastus|trauma|traumatismes?|lesion(?:es)?|povreda|ozljeda|uraz|uraz[y]?|historia|anamneza",
  "meds?|medn?\\.|rx|rp|r/|tx|tto|ttt|trt|th|dop|doporuceni|home meds|ttos?|(?:current |regular |home |usual )?medic(?:ation|ations|ines)|takes|taking|treatment|dauermed\\.?|medikation|medikamente|dauermedikation|therapie|arzneimittel|medicatie|thuismedicatie|medicin(?:er|y)?|laakitys|laakkeet|ravi|ravimid|leki|leczenie|lek[iy]|fa|leky|lieky|lecba|terapi[aeij]*|terapija|skirta|gydymas|vaistai|ordinets|lieto|zales|medikamenti|gyogyszerei?|terapia|ilac(?:lar)?|tedavi|tratament(?:o|ul)?|farmaci|medicac(?:ion|ao)|medicament(?:os|s|e)?|medicinas|medicacio|remedios|traitements?|ordonnance|utskrivna lakemedel|lakemedel|medisiner|dano|uziva",
  "all|aa|allergy|allergies|known allergies|allergic to|allerg(?:i[ae]s?|i|ien|ie|ier|iat|ieen|ene)|alergi(?:a|as|e|i|je|ja|jos|jas|es|ar)|alerxias|al\\.?lergi(?:a|es)|ofnaemi|ofnami|uczulenia|cave|intolerances?|intoleranze|alahan|allergie/intolleranze|allergie/unvertraglichkeiten|alerji(?:ler)?|allergiak",
  "диагноз|основен диагноз|осн\\. диагноза?|діагноз|дз|дг|диагноза|придружаващи|сопут\\p{L}*|супутні|анамнез|анамн\\.?|в анамн\\.?|хронични|хронические|перенесенные (?:операции|болезни)|заболявания|заболевания|болезни|операции|операція|лечение|лікування|терапия|терапія|терапија|получает|приимає|принимает|аллерги[яи]|алерг[иі][яиі]|назначено|рекомендовано",
  "διαγνωση|ατομικο(?: αναμνηστικο)?|παθησεις|αγωγη|φαρμακα|θεραπεια|αλλεργιες|ιστορικο|αλλεργιες/παθησεις",
];
const NAME = lazily(
  `(?<![\\p{L}\\p{N}])(?:${FIELDS.join("|")})(?:/\\p{L}{3,15}| ?\\([^()\\n]{1,16}\\)| today| utama| przewlekle| odieeis)?[.]? ?(?::|->|→|>|⇥|\\.{3,}|\\?(?= ?\\())[ _]{0,3}`,
  "gu",
);
/** Abbreviations before an illness or an operation without a sign between them: "Dx HIV", "s/p CABG". */
const HEAD =
  /(?<![\p{L}\p{N}])(?:Dx|Hx|PMHx?|Dg\.?|Dgn\.?|FHx|V\.a\.|Z\. ?n\.|[sS]\/[pP]|[Ss]t\.? ?p\.|[Ss]t\. post|[Tt]idl\.|[Ss]tatus post|[Ss]tan po|[Ss]tav po|[Ss]tanje po|[Вв] анамн\p{L}{0,4}\.?)[ ](?=\S)/gu;

/** Where the list ends: at a sentence's end, and before the name of a further field. */
const END =
  /[\n\t|⇥<>"}\]]|(?<=\p{L}{4}|\d|\)|%)\.(?=\s|$)|;?\s(?=[\p{L}/]{1,14}:)|\s(?=[A-Z]{2,4} \d{2,3}\/\d{2})|\s[–—-]\s|\s?(?:->|→|⏎)/u;
/** What separates its items. */
const BETWEEN =
  /[;+•]|,(?!\d)|\s(?:and|und|et|y|e|og|och|en|ja|és|ve|oraz|un|ir|και|и|і|та|w\/|with|mit|vs|ec|sub|u\.|unter|sous|on|na|under|pod)\s(?=\p{L}{3})|(?<=\p{L}{4}|\d|\))\.\s(?=\p{Lu})/u;
/** Where an item ends: before a dose, a year, a note in brackets or a word for a time. */
const TAIL =
  /\s*(?:[([{!=]|\s(?:\d{2,}|\d+[.,/×x-]\d|\d+\s?(?:mg|mcg|µg|g|ml|x|×|tab|kap|puffs?|mies|wk|mo|yrs?|let|lat|j|ед|мг|мл|amp)(?!\p{L})|\d-\d|'\d\d|(?:19|20)\d\d|since|seit|from|depuis|desde|dal|sinds|sedan|siden|vuodesta|od r\.|od|bd|bid|tds|qid|prn|qd|nocte|mane|stat|pro|für|for|per|stable|controlled|uncontrolled|neg(?:ativ\p{L}*)?$|x\d|wg|w\/o|w trakcie|opererad|operert|oper)(?![\p{L}])).*$/u;
/** What an item may begin with: a number, a form of a medicine, a verb of taking or the kind of a diagnosis. */
const NUMBERED =
  /^(?:[\s_*?~>.]|\d{1,2}[.)]\s|[-–•#]\s?(?=\p{L})|\p{L}{4,12}: |(?:tab|cap|inj|syr|iv|im|po|atb|dx|hx|known|bek|nimmt|gebruikt|bruker|takes?|edasi|sedan|insatt|dano|дано|принимает|stop|start(?:ed)?|continue|uzima|tar|add|on|onder|daily|i|e|a|y|и|і|in|vir|prezumtiv)\.?\s)+/iu;
/** What it may end with. */
const TRAILER =
  /(?:\s(?:i|in|v|w|в|em|en|a|at|at age|to|as|iv|ev|i\.v|p\.n|given|stopped|held|unchanged|vajadusel|oprit|op|opererad|opereret|operert|prej|no|do|z|od|na|de|con|amb)|(?<!typ[eu]?|tip[ou]?|diabetes|DM|CKD|NYHA|stad\p{L}{0,4}|st\.?|gr\.?|stage|grade|class|G)\s\d)$/iu;
/** An item that says that there is nothing. */
const NOTHING =
  /^(?:nil|none|no|not|nkda|nka|n\/a|unknown|yes|keine?|nein|ja|nie|nej|ne|nu|nessuna?|aucune?|sin|sans|sem|non|brak|neguje|neguj|bez|negat\p{L}*|ei|nincs|yok|geen|ingen|sense|nav|puudub|puuduvad|немає|нет|няма|нема|όχι|hayır|evet|oui|si|sim|sí|tak|ano|da|igen|i\.v|o\.b|oB|ob|see|siehe|cf|below|above|welche|as|same|normal|fit|healthy|vaccinated|zdrav\p{L}*|zdrow\p{L}*|pt|pat\p{L}{0,5}|chart|physio\p{L}*|kontrol\p{L}*|control\p{L}*|repeat|review|plan|glasses)(?!\p{L})/iu;
/** Values that are measured. */
const MEASURED =
  /^(?:bp|ta|tk|rr|pa|hr|tt|temp\p{L}*|sat\p{L}*|spo2|crp|hb\p{L}*|krea\p{L}*|wbc|ef|bmi|inr|mrt|mri|ct|rtg|xr|cxr|ekg|ecg|eeg|usg|uzi|echo|eko|vs|gcs|age|dob|wt|ht|bed|ward|soba|sala|room|dr|prof|mr|mrs|ms)(?![\p{L}])/iu;
/** Function words within names of illnesses. */
const WITHIN = new Set(
  "of de del della di da do dos du des la le les l a i na in w of to the with post prin con e et y al der no po za od st vi von van s z u v va pe i il un une 'c aux au by left right on and or at non is m t co".split(
    " ",
  ),
);

/** Returns whether an item may be the name of an illness, an operation or a medicine. */
function isName(item: string): boolean {
  if (!/\p{L}{2}/u.test(item) || item.length > 60 || NOTHING.test(item) || MEASURED.test(item)) return false;
  const words = plain(item).match(/[\p{L}\p{M}]+/gu) ?? [];
  const isOther = /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(item);
  if (
    isOther &&
    (words.length > 4 ||
      /(?<!\p{L})(?:не|что|это|как|для|после|был[аои]?|є|що|як|и[дз]|δεν|και|για|στ[οηα]|από|ειναι|να|του|της|που|θα)(?!\p{L})/u.test(
        plain(item),
      ))
  )
    return false;
  return words.length <= 6 && words.every((word) => WITHIN.has(word) || !(ENGLISH.has(word) || OTHERS.has(word)));
}

/** Least length of a text in which such fields are looked for. */
const LONGEST = 260;

/** Finds the items that the fields of a medical note list. `bare` is the text in lower case without accents, of the same length. */
export function noted(text: string, bare: string): Match[] {
  const found: Match[] = [];
  for (const match of bare.matchAll(NAME())) {
    let at = match.index + match[0].length;
    if (!/\S/.test(text.slice(at).split("\n", 1)[0] ?? "")) {
      for (let line = 0; line < 12; line++) {
        const rest = /^[ \r]*\n?[ \t]*(?=(?:\d{1,2}[.)]|[-•*–])\s?\p{L})/u.exec(text.slice(at, at + 40));
        if (!rest) break;
        at += rest[0].length;
        found.push(...items(text, at));
        at += text.slice(at, at + 400).split("\n", 1)[0]!.length;
      }
    } else found.push(...items(text, at));
  }
  for (const { 0: name, index } of text.matchAll(HEAD)) found.push(...items(text, index + name.length));
  return found;
}

function items(text: string, at: number): Match[] {
  const rest = text.slice(at, at + LONGEST);
  const end = END.exec(rest)?.index ?? rest.length;
  const found: Match[] = [];
  let from = 0;
  for (const part of rest.slice(0, end).split(BETWEEN)) {
    const start = rest.indexOf(part, from);
    from = start + part.length;
    const skipped = NUMBERED.exec(part)?.[0].length ?? 0;
    const item = part
      .slice(skipped)
      .replace(TAIL, "")
      .replace(/[^\p{L}\p{N}#]+$/u, "")
      .replace(TRAILER, "");
    if (isName(item))
      found.push({ start: at + start + skipped, end: at + start + skipped + item.length, label: "HEALTH" });
  }
  return found;
}
