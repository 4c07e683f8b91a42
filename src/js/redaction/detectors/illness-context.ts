// Words that show whose illness it is, and words after which one is named.
import { lazily } from "./match.js";

/** A patient of a note: an age and sex, words for earlier illnesses, and values that are measured. */
export const OF_CASE =
  /(?<![\p{L}\p{N}])(?:\d{1,3} ?(?:y\/?o|yo|yrs?|y[MF]|M|F)\b|[MFmfžkК]\/ ?\d{1,3}\b|\d{1,3}\/[MF]\b|PMHx?|[Ss]\/[Pp]\b|[Ss]t\.? ?p\.|Z\. ?n\.|(?:BP|RR|TA|TK|PA|BT|АД|АТ|RR) \d{2,3}\/\d|(?:СpO2|SpO2|GCS|HbA1c|CRP|INR) ?\d|[Pp]atient(?:in|e|en)?\b|(?:[Pp]at|[Pp]ac|[Pp]t|[Pp]az)\.?(?= \S)|\d{1,3} ?(?:J\.|jr\b|ans\b|años\b|anni\b|lat\b|let\b|år\b|ani\b|л\.|р\.|r\.,?)|(?:[Cc]ama|[Bb]ett|[Bb]ed|[Rr]um|[Zz]immer|[Ss]ala|[Cc]h|[Bb]ox|[Ll]etto|[Ll]\.|pal\.|voodi|rum|sala) \d{1,3}\b|[Pp]acjentk?a?|[Pp]acient\p{L}{0,3}|[Pp]aziente|[Pp]otilas|[Pp]atsient|[Pp]acjent\p{L}{0,3}|[Пп]ациент\p{L}{0,3}|[Пп]ацієнт\p{L}{0,3}|[Bb]lood group|[Aa]nam\p{L}{3,7}:)/gu;

/** Words for relatives with a pronoun, and for speaking of oneself, in lower case without accents. */
export const RELATIVE = lazily(
  `(?<![\\p{L}\\p{N}])(?:${[
    "(?:(?:s?he|who)(?:'s| is| was| has| had| got| takes?| took)|i(?:'m| am| have| had|'ve| got| take| was)|im|ive|(?:my|his|her|our|their|your|the) (?:late |own |poor |little )?(?:mother|father|mum|mom|dad|nan|gran|son|daughter|wife|husband|partner|brother|sister|aunt|uncle|boy|girl|baby|kid|knee|hip|heart|back)|mum|mom|dad|daddy|mama|nan|nana|gran(?:ny|dma|dpa|dad)?|grandma|grandpa|auntie|my|his|her|mums|moms|dads)",
    "(?:meine?[nmrs]?|seine?[nmrs]?|ihre?[nmrs]?|unsere?[nmrs]?|mein|ich (?:habe?|hatte|bin|war|leide|nehme)|hab|(?:er|sie) (?:hat|ist|nimmt|war)|mutter|vater|oma|opa|tante|onkel|mutti|papa|mama)",
    "(?:mon|ma|mes|son|sa|notre) (?:mari|femme|mere|pere|fils|fille|frere|s(?:œ|oe)ur|medecin|genou|cancer|c(?:œ|oe)ur)|j'ai|je (?:suis|prends|souffre)|(?:il|elle) (?:a|est|prend|avait|fait|souffre)|maman|papa|mamie|papi|papy|tonton|tata",
    "(?:mi|su|tu) (?:madre|padre|mama|papa|hijo|hija|marido|mujer|esposa|esposo|abuel[ao]|hermano|hermana|suegr[ao]|ti[ao])|tengo|tuve|tiene|tenia|soy|tomo|(?:minha|meu|sua|seu|a minha|o meu) (?:mae|pai|filh[ao]|marido|esposa|irma|irmao|avo|tia|tio|sogra)|tenho|tive|minha|meu|mia|mio|(?:mio|mia|suo|sua|mi[ao]) (?:padre|madre|marito|moglie|figli[ao]|nonn[ao]|suocer[ao])|nonn[ao]|prendo|prende|soffro|el meu|la meva|tinc|avia",
    "mijn|zijn (?:vrouw|moeder|vader)|haar|ik (?:heb|had|ben)|(?:hij|ze|zij) (?:heeft|had|is|ligt)|m'n|moeder|vader|min(?:a|e|)? (?:mand|kone|mamma|pappa|fru|son|sønn|datter|dotter|bror|soster|syster|morfar|farmor|mormor|farfar)|jeg har|jag har|(?:han|hun|hon) (?:har|er|ar|tar|tager|fick|fikk)|mamma|mormor|morfar|farmor|farfar|bestefar|bestemor|bedstefar|hann er|konan|pabbi",
    "moj[aeiu]?|mam(?:a|y|ie|e)|tacie|corka|babcia|babci|dziadek|dziadka|wujek|ciocia|siostra|mial[ae]m|biore|bierze|choruj[ea]|leczy|manzel(?:ka)?|maminka|otec|tchan|babicka|dedecek|dcera|beru|moje|svekar|otac|majka|imam|pijem|uzima|uzimam|mamka|otecko|manzelke|stary mama|starka",
    "aidi(?:n|lla|lle)|aiti|isa(?:n|lla)|vaimo(?:ni|n|lla)?|mummo|ukki|pappa|minulla|mulla|mul|minul|hanella|poika|tytar|abikaasa|temal|vanaema|vanaisa|poeg|tutar|any(?:am|ukam|ja|ukam)|apam|apja|ferjem|felesegem|fiam|lanyom|nagyma\\p{L}*|nagypap\\p{L}*|edesany\\p{L}*|szedek|mamm[aei]i?|tet[ie]s?|vecm\\p{L}*|vectev\\p{L}*|vinam|vinai|sieva|mam[aio]i?|tevas|tevui|tetis|senel\\p{L}*|mociut\\p{L}*|zmon\\p{L}*|vyr\\p{L}{1,2}|sunus|dukra|jam|jai|sergu|serga",
    "mama|sotul|sotia|fiul|fiica|bunic\\p{L}*|fratele|annem|babam|esim|oglum|kizim|dedem|nenem|kardesim|kullaniyor|gruaja|burri|djali|vajza|eshte",
    "мо[йяиеюії]|мо[йяеи]\\p{L}{0,2}|у (?:меня|мене|него|нее|неи|нього|неї|мамы|папы|мужа|жены|сына|дочки|дочери|бабушки|дедушки|мами|тата|чоловіка|сина)|мам[аиыеу]|пап[аеыу]|тат[аоку]{1,2}|муж|жена|сын|дочь|дочка|бабушк\\p{L}|дедушк\\p{L}|баба|дядо|маика|маики|баща|татко|леля|чичо|свекър|брат|сестра|чоловік|дружина|син|бабус\\p{L}|дідус\\p{L}|пью|пье|пьет|п'ю|п'є|она|він|вона|имам|има|болује|маю|має|детето|сина ми|дъщеря",
    "μου|η μανα|μητερα|πατερας|συζυγος|συζυγο|γιος|κορη|εχει|εχω|παιρνει|παιρνω|πασχει|γιαγια|παππου\\p{L}?|αδερφ\\p{L}+",
  ].join("|")})(?![\\p{L}\\p{N}])`,
  "gu",
);

const OBJECT = "([\\p{L}][\\p{L}-]{3,30}(?: [\\p{Ll}-]{3,20}(?=[,.;!?)\\n]|$))?)";
/** Words for being allergic, operated, treated or dead of something, and what is named after them. */
export const SUFFERED = [
  "[Aa]llergisch (?:gegen|auf|voor)|[Aa]llergisk (?:mot|overfor|for|mod)|[Aa]llergic to|[Aa]llergique (?:à la |à l['’]|à|au|aux)|[Aa]l[eé]rgic[oa]s? (?:a la|a los|a las|al|a|à|às|aos?)|[Aa]llergic[oa] (?:alla|alle|agli|al|ai|a)|[Uu]czulon[aye] na|[Aa]lergick[áýée] na|[Aa]lergič(?:an|na|en|ne) na|[Aa]lergic[ăa]? la|[Аа]ллергик на|[Аа]лергичн?(?:а|ен|ий) (?:на|към)|[Aa]lergišk\\p{L}{1,2}|[Oo]verfølsom (?:overfor|for)",
  "[Oo]perad[oa]s? (?:de la|de los|de las|del|de|da|do|dos|das|à|ao|a la)|[Oo]pérée? (?:de la|de l['’]|du|des|de|d['’]une?|au|à la)|[Oo]perat[oa] (?:di|al|alla|allo|all['’])|[Oo]perat[ăa]? (?:de|la|pe)|[Oo]periert an(?: der| dem| den)?|[Gg]eopereerd (?:aan|van)(?: een| het| de)?|[Oo]perert for|[Oo]pererade?s? för|[Oo]pereret for|[Oo]perowan[aye] na|[Oo]perovan[ýáaí] s|[Oo]periran[ao]? (?:na|zbog|od|zaradi)|[Oo]peruot[ai]s? dėl|[Пп]рооперировал\\p{L}* (?:по поводу|от)?|[Оо]перир\\p{L}{2,6} (?:от|за|на|по поводу)",
  "[Ll]eczy(?:ł|ła)? się na|[Ll]eczon[aye] na|[Ll]éč[ií] se s|[Ll]ečen[aý]? (?:od|zbog|s)|[Ll]iječi se (?:od|zbog)|[Ll]ieči sa na|[Bb]ehandlad? för|[Bb]ehandle[ts] for|[Bb]ehandelt wegen|[Ss]oignée? pour|[Ll]ечи\\p{L}{2,4} от|[Лл]ечи\\p{L}{2,4} от|[Лл]ікується від|[Лл]екува се от|[Bb]olován[ií] na|[Bb]oluj[eu] od|[Bb]olova\\p{L}{1,3} od|[Бб]олуј[еу] од|[Cc]horuj[eę] na|[Cc]horowała? na|[Ss]irgo|[Ss]erg[au]|[Hh]aigestus|[Zz]achorowała? na|[Бб]оле(?:ет|ю|ла?) |[Сс]трада(?:ет|ла?|є|м)? (?:от |на )?|[Πα-ω]ά?σχει από",
  "(?:umarła?|zmarła?) na|zemřela? na|umrla? (?:za|zaradi|na)|umro? od|umrla od|(?:starb|gestorben) an|died (?:of|from)|mor(?:t|te) (?:d['’]une?|du|de la|de)|muri[óo] de(?: un| una)?|mort[oa] (?:di|per)(?: un)?|morreu (?:de|com)|mirė nuo|nomira no|умерл?а? от|помер(?:ла)? від|почина от|suri \\p{Lu}?(?=\\p{Ll}+ki)",
].map((source) => lazily(`(?<!\\p{L})(?:${source}) (\\p{L}[\\p{L}-]{3,30})`, "gu"));
/** A noun for an allergy with what causes it. */
export const ALLERGY = lazily(
  `(?<!\\p{L})(?:[Aa]l·?l?[eèéë]r[gģģ][iíìyj](?!sch|s[kc]|qu|c|č|k|š)\\p{L}{0,5}|[Аа]лл?ерг[иі]\\p{L}{0,3}|[Αα]λλεργ\\p{L}{1,4}) (?:gegen|auf|voor|aan|mot|mod|for|overfor|na|ndaj|la|a la|a los|a las|à la|à l['’]|al|als|ai|agli|alle|alla|allo|all['’]|aos?|à|às|aux?|a l['’]|a|to|pret|riešutams|dėl|jaoks|vastu|на|до|към|к|σε|στ\\p{L}{1,3}) ?${OBJECT}`,
  "gu",
);
