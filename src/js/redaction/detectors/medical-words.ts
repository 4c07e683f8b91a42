// Parts of the body and adjectives of illnesses, in lower case without accents, in many languages.
import { plain } from "../words.js";
import { lazily } from "./match.js";

/** Beginnings of words for parts of the body. */
const PARTS = [
  "card|kard|cor[oa]nar|koronar|wiencow|herz|serc[aeu]?|srdc|srdec|srcan|srca|sziv|sydam|sudame|sirds|sirdies|hjert|hjart|hart|corazon|cuore|coeur|coracao|inim[aiă]|kalp|miocard|miokard|myocard|myokard|atrial|atrij|auricul|przedsion|sinus|siniz|predsier|predsin|prieširdz|priesirdz|mitral|aort|valv|zastawk",
  "pulm|polm|pneum|plumon|lung|long|pluc|pluca|plic|pluc|keuhko|kopsu|plausu|plauci|tudo|akciger|bronch|bronh|bronk|oskrzel|prieduš|nier|nyre|njur|ren[aeo]|ren$|rin[io]|nerek|nerk|ledvin|oblick|bubre|vese|munuais|neeru|nieru|inkst|bobrek|hep|leber|watrob|jater|jatern|pecen|jetr|maksa|aknu|kepen|karaciger|foie|fegato|higado|figado",
  "knie|kna|knae|kne$|kolan|kolen|kolien|rodilla|genou|ginocch|joelh|genoll|genunch|polv|cela|kelio|terd|diz|huft|hoft|hofte|heup|biodr|kycl|kycel|kuk[aeu]?$|csipo|lonk|puusa|gurn|klubo|cadera|hanche|anca|anche|quadril|sold|kalca|schulter|skulder|schouder|bark|ramen|rame|hombro|epaule|spalla|ombro|olkap|vall|vall|omuz|umar|umer",
  "kosc|kosti|kostn|csont|luu|kauli|kaul|kemik|femor|femur|tibi|fibul|radi[iu]|hueso|oss[oe]|oase|humer|clavic|klavik|clavicul|clavicol|obojczyk|klicni|kljucn|kluc|schlussel|sleutel|raktik|koprucuk|handgelenk|pols[o]?$|polso|poignet|muneca|pulso|nadgarst|zapest|csuklo|rande|ranne|handled|handledd|bilek|zglob|glezn|gleznja|clenk|kotnik|boka|nilk|enkel|ankel|knochel|cheville|caviglia|tobillo|tornozel|glezna|gležn",
  "menis|acl$|wirbel|kregos|pater|patere|hrbten|kralj|gerinc|selka|selg|mugur|stubur|rygg|colum|colon[na]+|vertebr|disc|disk|disku|diskov|plotenk|ploteni|valilevy|lumb|cervic|cervik|krizov|bandscheib|gelenk|staw|zglob|nivel|liiges|locitav|sanar|articul|articol|kreuzband|ligament|vaz[ou]|szalag|achill|biodra",
  "darm|jelit|strev|crev|cryev|bel[eo]?$|suoli|suole|soole|zarn|bagirsak|intest|colon|colorect|kolorekt|rect|rekt|zolad|zalud|zeludec|zelud|gyomor|maha|mao$|kung|skrandzio|mide|estom|stomac|gast|estomac|magen|maag|pancrea|pankre|hasnyal|trzust|slinivk|slinavk|gušter|guster|bauchspeich|alvleesklier|bukspott|bugspyt|haima|kohunaarme|zult|tulzi|gall|zlucnik|zlcnik|zolciow|zuc[n]?|zolc|epe|sappi|sapp|vesic|vesicul|biliar|colecist|colecyst|safra|apend|appendi|wyrost|slep",
  "prostat|sterczu|eesnaarme|eturauha|priestat|blase|blaas|blare|blaere|pecherz|mocov|mokr|mecho|urin|hugy|virtsa|pole|poie|rakko|uter|macic|dela?ohy|deloz|matern|mehhe|kohdu|gimdo|dzemdes|emaka|mam[a]r|mamel|mama$|mammell|mammar|brust|borst|bryst|brost|piers|prsu|prsn|prs[aiu]?$|dojk|mell|rinna|rinta|kruts|kruties|meme|seno|sein|mama|ovari|jajnik|vajec|vajecn|petefesz|munasarj|testic|tiroid|thyroid|tirod|tarczyc|stitn|schild|sköld|skold|pajzs|kilpi|vairog|skydd|cervix|szyjk|cipk|collum|colli|col$|col[lo]",
  "hirn|hersen|hjerne|hjarn|mozg|mozk|mozgov|mozdan|agy|aivo|aju|galva|smadzen|galvos|beyin|cereb|cerveau|cervell|cerebr|kran|auge|oog|oka$|oko|ocn|oci|ocz|szem|silma|silm|acu$|acs|akies|akiu|goz|oculo|oeil|ocular|ojo|occhi|olho|ochi|retin|rohov|sehn|siatk|macul|makul|zoltej|ohren|ucho|usn|fül|korva|korv|auss|aus[iu]|ausu|kulak|oreille|orecch|ouvid|oido|ureche|krv|krw|ver[ue]|blut|bloed|blod|krvn|asins|krauj|sang|sange|knochenmark|skin|haut|huid|skora|skory|koz[ae]|koze|bor[ae]?$|iho|nahk|adas|odos|piel|pelle|peau|pele|zab|zub|zubn|tand|zahn|dent|denti|dient|hammas|hamba|dis$|dantu|wisdom|ruk[ae]|ruky|ruce|noh[ya]|nog[iae]|stop[ay]|stopal|foot|fuss|voet|pie$|pied|pe$",
  "sert?dc|сердеч|сердц|серц|сърц|срц|коронар|миокард|міокард|предсерд|предсърд|передсерд|леген|легк|лёгк|белод|плућ|почек|почеч|нирк|нирков|бъбре|бубре|печен|печін|черен|јетр|колен|колін|коляно|тазоб|кульш|бедр|стегн|плеч|плечев|кост|кіст|ключиц|китк|глезен|голен|лучев|промене|позвон|позвоноч|хребт|хребц|грыж|диск|суста|суглоб|кишеч|кишк|дебел|желуд|шлунк|стомах|подже|підшл|панкре|жёлчн|желчн|жовчн|жлъч|простат|мочев|сечов|мозг|мозк|мозък|мозоч|глаз|глаук|ока|очей|очи|око|груд|молочн|дојк|дојке|яичник|матк|щитов|щито|крови|крв|кожи|шкір|рук|ноги|нога|стоп|зуба|зуб|ребер|ребр|уха|вуха",
  "καρδ|νεφρ|πνευμ|ισχι|γονατ|χιαστ|μαστ|πνευμον|προστατ|θυρεο|εντερ|στομαχ|ηπατ|σπονδυλ|μηνισκ|οστ|οφθαλμ|ματι",
];
/** Beginnings of adjectives that say more of an illness, and words of types and stages. */
const ADJECTIVES = [
  "acut|akut|ostr[aeyi]|ostr|chron|kron[ioi]|hron|przewlek|letin|krooni|chroni|mellit|typ[ue]?$|tip[ou]?$|tipas|tyypin|tyyp[in]*|tuub|tipa|type|tuup|grad[eu]?$|stad[iu]+|stop(?:nia|ien)$|gest[aá]?t?i[co]|gestac|gestaz|gestas|ciaz|tehot|graviditat|schwer|leicht|mild|severe?$|sever[ao]|grave|lieve|leve$|leger|lekk|ciezk|lehk|tezk|tezka|sulyos|enyhe|moder|nasilen|mittelgrad",
  "arteri|essent|esenc|primar|pierwot|secund|sekund|pirmin|sistol|diastol|ischem|isch[a]em|ischam|isquem|iskem|isheem|ishem|isem|iszkem|hemorr|hamorr|reumat|rheum|reumatoid|rheumatoid|atop|bronchial|oskrzelowa|bronsial|bronh|allerg|alerg|ulcer|ulzer|vascul|vaskul|naczyn|cevni|senil|starc|major|maior|multipl|mnohop|multip|roztrous|rozsian|zanikow|bocz|lateral|amyotr|metast|invas|malign|benign|infant|juven|febril|goraczk|febr|degenerat|zwyrod|degener|autoim|obstruct|obstruk|obturac|opstruk|congest|kongest|zastojn|dekompens|decomp|riacut|iperten|hypert|nodul|guzowat|guzkow|toxi|viral|wirus|virus|bakter|bacter|mikrob|spast|polyp|poli",
  "bipol|unipol|afekt|affekt|affect|depress|depres|anxi|leko|uzkost|borderl|limfoc|lymfoc|lymphoc|mieloid|myeloid|mielobl|limfobl|hodgk|crohn|non$|leczo|paroks|parox|napadow|permanent|persist|perzist|utrwal|migotal|migoc|inguin|umbil|pacwin|trisel|pupoc|pupecn|leist|nabel|hiatal|brzusz|brusn|biezun|scomp|compos|fratt|otwart|zamkn|puerp|postpart|popor|postop|postnat|perinat|laparos|lap$|totaln|totale?$|complet|celkov|calkow|partial|links$|rechts$|re$|li$|dx$|sx$|dex$|bds$|vlevo|vpravo|lav[ae]|lew[aey]|praw[aey]|lev[aeoiy]|prav[aeoiy]|desn[aoe]|lijev|gauche|droite?|derech|izquier|direit|esquer|destr|sinistr|drept|stang|vas[ae]k|parem|venst|hojre|hoyre|hogre|vanst|bal$|jobb|sol$|sag$|ved$|bilat|obustr|obojst|unilat",
  "гестац|сахарн|цукров|захарен|остр|гостр|остър|хрони|хроніч|артериальн|артеріальн|ишем|ішем|исхем|ишемич|геморраг|гипертон|гіперт|ревмато|атопич|атопіч|бронхиал|бронхіал|аллерг|алерг|сахарный|типу?$|типа$|степ|ступ|ст$|миготлив|мерцател|атопичен|рассеян|розсіян|дисков|межпоз|язвенн|виразков|болезн|хвороб|болест|левог|лівог|лівої|правог|правої|левой|правой|ляв|дясн|старческ|сосуд|судин|тяж|легк|важк",
  "αρτηρι|χρονι|οξ[ευ]|σακχαρ|νεφρικ|καρδιακ|ολικ|τυπου|αριστερ|δεξι|ρευματ|εγκεφαλ|κολπικ",
];
const isPart = lazily(`^(?:${PARTS.join("|")})\\p{L}*$`, "u");
const isAdjective = lazily(`^(?:${ADJECTIVES.join("|")})\\p{L}*$`, "u");
/** Letters without a decomposition. */
const WHOLE: Record<string, string> = { ł: "l", ø: "o", æ: "ae", đ: "d", ı: "i", ß: "ss", œ: "oe" };
/** Returns a word in lower case without accents and strokes. */
export const folded = (word: string) => plain(word).replace(/[łøæđıßœ]/g, (sign) => WHOLE[sign]!);
/** Returns whether a word names a part of the body. */
export const isBodyPart = (word: string) => isPart().test(folded(word));
/** Returns whether a word says more of an illness: its kind, its place or its stage. */
export const isQualifier = (word: string) => {
  const bare = folded(word);
  return isPart().test(bare) || isAdjective().test(bare);
};
