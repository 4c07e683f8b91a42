// Words for illnesses in other languages than English. Their stems are Latin and Greek, or those of each language.
import type { Tick } from "../../abort.js";
import { isEnglish, judgedPart } from "../english.js";
import type { Span } from "../span-types.js";
import { plain } from "../words.js";
import { lazily, type Match } from "./match.js";

/** Beginnings of words, in lower case without accents. */
const STEMS = [
  "diabet|diyabet|cukrzyc|cukrovk|cukorbet|sukkersy|zuckerkrank|suikerziekt|sokerita|astm[aeiuy]|asthm|asztm|astım|epilep|padaczk",
  "hyperton|hypertens|hiperton|hipertens|ipertens|bluthochdr|nadcisn|depressi?on|depress[aei]o|depresi|depresj|depressz|masennu",
  "kar[cz]inom|carcinom|kanker|kræft|kreft|cancer|syopa|nowotw|nador|rakovin|tumor|leukemi|leukami|leukaemi|leucemi|lymphom|lymfom|linfom|melanom",
  "migren|migran[ea]|migraine|emicran|enxaquec|jaquec|bronchit|bronkit|bronhit|bronchiol|hepatit|zołtac|zloutenk|arthrit|arthros|artrit|artroz|artros|gastrit|nephrit|nefrit|cystit|cistit|dermatit|pan[ck]reatit|pneumoni|pnevmoni|polmonit|neumoni|lungenentz|meningit|tonsillit|ap+endici",
  "(?:nieren|herz|leber)insuff|insuffizi|infarkt|infarto|infarct|zawał|schlaganf|beroerte|hjerneslag|hjernebl[øo]d|slagtilf|vorhofflimm|fibrill|fibrilac|fibryl|aritmi|arritmi|arrhythm|rytmi?haeir|katarakt|cataract|catarat|glaukom|glaucom",
  "demenz|demens|demenc|alzheimer|parkinson|scleros|sklero[sz]|osteopor|schizo(?:ph|f)ren|tuberkul|tubercul|gruzlic|anami[ea]|anemi|niedokrw|endometrio|zoliak|coeliak|celiak|celiaqu|celiachi|rheuma|reumat|crohn",
  "schwangersch|schwanger|enceinte|embaraz|gravidez|gravidita|ciaz|tehotn|terhes|raskaana|zwanger|hamile|gebelik|fraktur|fractur|frattur|złaman|zlomenin|skolios|scolios|psorias|ekzem|eczem|egzam|neurodermit|anorexi|anoressi|bulimi|thrombos|trombo[sz]|tromboembol|zirrhos|cirro[sz]|cirrhos|hypothyr|hipotir|ipotiroid|hypotyre|endokardit|sarkoido|borelio|borrelio",
  "диабет|діабет|астм|эпилеп|епілеп|епилеп|гипертон|гіпертон|хипертон|депресс|депрес|лейкем|лейкоз|мигрен|мігрен|бронхит|бронхіт|гепатит|артрит|артроз|гастрит|пневмон|инфаркт|інфаркт|инсульт|інсульт|инсулт|аритми|аритмі|катаракт|глауком|деменц|склероз|остеопор|шизофрен|туберкул|анеми|анемі|псориаз|псоріаз|экзем|екзем|перелом|тромбоз|беремен|вагітн|бремен|онколог",
  "διαβητ|ασθμα|επιληψ|υπερτασ|καταθλιψ|καρκιν|ημικραν|βρογχιτ|ηπατιτ|αρθριτ|πνευμον|εμφραγμ|αρρυθμ|καταρρακτ|γλαυκωμ|ανοια|σκληρυνσ|οστεοπορ|αναιμι|καταγμα|θρομβωσ|εγκυο",
];
/** Ends of compounds for an illness, and of the names of medicines, with endings of cases. */
const ENDS = [
  "\\p{L}{3,}(?:krankheit|erkrankung|insuffizienz|entzundung|infarkt|infarct|krebs|kanker|kræft|kreft|syop[ai]|syovan|ziekte|sjukdom|sykdom|sygdom|betegseg|tobi|tove|tauti|taudin|itis|itida|itidy)\\p{L}{0,4}",
  "\\p{L}{3,}(?:formin|olol|sartan|statin|cillin|[ms]ycin|prazol|butamol|xaban)\\p{L}{0,4}",
];
const ILLNESS = lazily(`^(?:(?:${STEMS.join("|")})\\p{L}*|${ENDS.join("|")})$`, "u");
/** An adjective before an illness, and its type or its code in brackets after it. */
const BEFORE = /(?:chron|kron|przewle|akut|ostr|schwer|bron[a-z]*iala?)\p{L}*\s$/u;
const AFTER =
  /^(?:\s(?:mellitus|tip[oi]?|typu?|type|typ)(?:\s?(?:[12]|I{1,2}))?|\s(?:croni[ck]|chroni)\p{L}*|\s?\([a-z]\d{2}(?:\.\d{1,2})?\))/u;
/** Words of at least four letters. */
const WORD = /\p{L}[\p{L}\p{M}]{3,}/gu;

/** Labels beside which an illness is a person's. */
const PERSONAL = /^(?:PERSON|PER|ID|AGE|PHONE|EMAIL|USERNAME)$/;
/** How far the other data may be, in UTF-16 code units. */
const NEAR = 400;
/** How many words to look up before yielding to the event loop. */
const SLICE = 500;

/**
 * Finds words for illnesses in a text which is not English, near other data of a person: elsewhere they are a subject.
 * `spans` are ordered.
 */
export async function illnesses(text: string, spans: readonly Span[], tick: Tick): Promise<Match[]> {
  if (isEnglish(judgedPart(text)) !== false) return [];
  const personal = spans.filter(({ label }) => PERSONAL.test(label));
  const found: Match[] = [];
  let next = 0;
  let n = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (n++ % SLICE === 0) await tick();
    while (next < personal.length && personal[next]!.end < index - NEAR) next++;
    const isNear = next < personal.length && personal[next]!.start < index + NEAR;
    if (isNear && ILLNESS().test(plain(word))) found.push(withType(text, index, index + word.length));
  }
  return found;
}

/** Returns the match with an adjective before it and the type after it. */
function withType(text: string, start: number, end: number): Match {
  const before = BEFORE.exec(plainly(text.slice(Math.max(0, start - 24), start)))?.[0].length ?? 0;
  const after = AFTER.exec(plainly(text.slice(end, end + 24)))?.[0].length ?? 0;
  return { start: start - before, end: end + after, label: "HEALTH" };
}

/** A text in lower case of the same length. */
const plainly = (text: string) => Array.from(text, (sign) => plain(sign)[0] ?? sign).join("");
