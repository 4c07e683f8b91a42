// Words for people: speakers, customers, relatives; and verbs of saying.
import { plain } from "../words.js";
import { isPersonWord } from "./languages/cyrillic-greek-words.js";
import { isKoreanRole } from "./languages/korean.js";

/** Words for a speaker by role, in lower case: whole words where a longer one may be a family name. */
const ROLES =
  /^(?:(?:agent|asesor|atendent|anruf|asiak|befrag|client|consej|conseill|dotaz|entrevist|enquêt|enfermeir|enfermer|görevli|haastat|hoitaj|informant|intervi[eu]w|intervist|intervju|invité|kérdező|klient|läkar|medarbejder|medewerker|mitarbeiter|moderat|moderad|műsorvezető|müşteri|operat|operad|operatör|pacient|pacjent|patient|pazient|pielęgniar|presentador|présentat|préposé|prowadząc|respondent|rozmówc|journalist|dziennikar|novinár|újságír|gazeteci|recep[cçtț]|dispatch|dispe[čc]|sprecher|tazat|téléconseil|usuári|usuari|utente|ügyfél|ügyintéz|vendég|verpleeg|ведущ|ведуч|кліє?нт|клиент|оператор|пациент|пацієнт|абонент|журналист|журналіст|δημοσιογρ|ασθεν|πελάτ)\p{L}{0,5}|advis[eo]r|beller|berater(?:in)?|call?er|consultant|doctora?|doktor(?:in|ka)?|gast|gäst|gość|gost|host|klant|konuk|kund(?:e|in|en)?|lekarz|lekarka|lékařk?a?|læge|locut(?:eur|or|ora|rice)|infirmi(?:er|ère)|sunucu|visitor|chair(?:man|woman)?|member|seller|buyer|captain|driver|editor|judge|clerk|nurse|officer|presenter|pupil|student|teacher|trainer|witness|(?:the )?court|warden|therapist|tutor|reporter|central|voice(?: from (?:the )?floor)?|pt|facilities|admissions|küsija|mom|mum|leitung|betriebsrat|voorzitter|ordförande|ordstyrer|ledamot|진행자|강사|người dẫn|khách mời|dẫn chương trình|khách|bác sĩ|bệnh nhân|petugas|pasien|pesakit|pelanggan|narasumber|penyiar|pembawa acara|anak|ibu|mwandishi|mkulima|mtangazaji|mgeni|shangazi|mama|baba|daktari|mgonjwa|baji|ग्राहक|एजेंट|डॉक्टर|मरीज|मरीज़|पत्रकार|अतिथि|মা|ডাক্তার|রোগী|แพทย์|หมอ|พยาบาล|ลูกค้า|เจ้าหน้าที่|ผู้สัมภาษณ์|врач|гість|гость|гост|лікар|γιατρός)$/u;

/** The same in Arabic, Persian and Hebrew. */
const UNCASED_ROLES =
  /^(?:(?:ال)?(?:طبيبة?|مريضة?|عميلة?|موظفة?|مذيعة?|ضيفة?|محاورة?|محققة?|زبونة?|متصلة?|محامية?|معلمة?|ممرضة?|سائقة?|راكبة?|زوجة?|أم|أب|ابن|بائعة?|مشتري|شاهدة?|قاضي|متهمة?|مراسلة?|مقدمة?|مديرة?|سكرتيرة?|صيدلية?|دكتورة?|مشتركة?|دعم|مستشارة?)|راننده|مسافر|فروشنده|شاهد|منشی|مادر|پدر|استاد|دانشجو|گزارشگر|کارشناس|پاسخ|سوال|سؤال|جواب|مجری|وکیل|موکل|دکتر|پزشک|بیمار|پرستار|مهمان|مشتری|پشتیبان|اپراتور|قاضی|متهم|خبرنگار|مصاحبهگر|ה?(?:רופאה?|מטופלת?|נציגה?|לקוחה?|מנהלת?|יועצת?|מחנכת?|מראיינת?|מרואיינת?|שופטת?|מזכירה|אחות|מוקדנית?|עורך דין|אמא|אבא|מוכרת?|קונה|נהגת?|נוסעת?|סניגור|תובעת?|שוטרת?|חוקרת?|חשודה?|כתבת?|גננת|מורה|תלמידה?|הורה|מטפלת?|סוכנת?|דיירת?|שאלה|תשובה|תמיכה|פקידה?))$/u;

/** Returns whether a text is one word for the role of a speaker, in place of a name. */
export const isRole = (word: string) =>
  ROLES.test(word.toLowerCase()) ||
  ROLES.test(plain(word)) ||
  UNCASED_ROLES.test(word) ||
  isKoreanRole(word) ||
  isPersonWord(plain(word));

/** Offices, ranks and words for relatives before a name, in lower case without accents. Those with a dot are also names or words. */
const OFFICES = new Set(
  "adv baroness dep dep. brother deputy sheikh mummy aunt auntie aunty great-aunt great-uncle uncle nonna nonno granny grandma grandpa tante onkel oma opa deda tia tio fr rn pc councilor councillor cllr warden principal governor inspector constable officer cpl pvt senator mayor advocate attorney atty engr mdm madam smt rektor rektorin direktor direktorin dra pastor bishop imam rabbi coach detective superintendent ambassador eng. lic. gov. gen. hon. arq. ga. mudr. mgr. bc. ir. sig.ra dott.ssa prof.ssa rev sgt ozv. pak bapak encik puan cik dato' datuk tatay nanay kuya mzee".split(
    " ",
  ),
);

/** Returns whether a word is an office or a word for a relative that stands before a name and is no part of it. */
export const isOffice = (word: string) => OFFICES.has(plain(word)) || OFFICES.has(plain(word.replace(/\.$/, "")));

/** Beginnings of words for people that stand before a name at the start of a sentence: customers, patients, teachers, neighbours, relatives; and invoices. */
const PERSON =
  /^(?:számla|fa[ck]tur|fattur|rechnung|račun|client|klient|patient|pac[ij]en|pazient|pasient|potila|kund|køber|kjøper|köpare|asiak|nabyw|sprzed|vevő|eladó|ügyf|beteg|müşter|hasta|zákazn|kup[ae]c|učit|nauczyc|profes|maestr|direct|dyrekt|ředit|lekar|lékař|lekár|doktor|operator|soused|sused|komş|naapur|sąsiad|szomsz|vizinh|vecin|koleg|colleg|compañer|amig|přítel|priateľ|barát|arkada|ystäv|kardeş|sestra|siostra|sorell|hermano|hermana|fratel|soeur|irmã|brat$|bratr|клиент|друг|подруг|сосед|коллег|сестра|брат|тёт|бабушк|дедушк|пациент|покупат|учител|клієнт|пацієнт|πελάτ|ασθεν)/iu;

/** Returns whether the first word of a sentence is one for a person, or for an invoice. */
export const isWordForPerson = (word: string) => PERSON.test(word);

/** Words for people before a name in other languages than English, in lower case. */
const BEFORE_NAME = new Set(
  "puan encik en cik kak kakak bang abang tn ny nn sdr sdri eyang pakcik makcik cikgu datuk kapten ustad ustadz haji hajah mzee bibi bwana bw ndugu koplo fundi mwalimu padri padre tatay nanay manang manong kuya lolo lola mang gng frau herr herrn fru hr tante pac pacient pacienta patientin patient kundin kunde ehefrau ehemann gattin witwe fam familie kollege kollegin nachbar nachbarin bearbeiter bearbeiterin gospod gospa gosp gđa shri smt pak bu bapak ibu mas mbak anh chị em ông bà fiica fiul soția soțul doamna domnul дружина чоловік син дочка донька менеджер жена муж сын клиент клієнт пациент пацієнт господин госпожа г-н г-жа sinjoro manžel manželka syn dcera hustru hustrun maken sønn datter mari femme fils fille épouse époux moglie marito figlio figlia esposa esposo hijo hija marido mulher filho filha vrouw man zoon dochter żona mąż synowa pánovi panu paní pani pan férje felesége fia lánya vaimo mies poika tytär eşi oğlu kızı žena muž sin kći supruga suprug".split(
    " ",
  ),
);

/** Returns whether a word stands before a name and is no part of it: "Ehefrau Irmtraud". */
export const isBeforeName = (word: string) => BEFORE_NAME.has(word.toLowerCase());

/** A verb at the end of what stands before a colon: "Anna schreibt:". */
export const SAYING =
  /\s(?:writes?|wrote|says?|said|asks?|asked|repl(?:y|ies|ied)|answers?|answered|added|schreibt|schrieb|sagte?|fragte?|meinte?|antwortete?|ergänzt|écrit|dit|demande|répond|répondit|ajoute|escrib(?:e|ió)|dice|dijo|pregunt(?:a|ó)|respond(?:e|ió|eu)|scriv(?:e|eva)|scritto|disse|chiede|rispo(?:nde|se)|escrev(?:e|eu)|diz|pergunt(?:a|ou)|schrijft|schreef|zegt|zei|vraagt|vroeg|antwoordt|pisze|pisał[ao]?|napisał[ao]?|mówi|pyta|odpowiada|powiedział[ao]?|skriver|skrev|säger|sade|sier|siger|sa|sagde|spørger|svarer|svarar|píše|napsala?|napísala?|říká|řekla?|hovorí|ptá|írja|írta|mondja|mondta|kérdezi|scrie|scris|spune|întreabă|piše|napisala?|napisao|kaže|vpraša|pita|yazdı|yazıyor|dedi|diyor|sordu|kirjoitt(?:i|aa)|sano[oi]|kysyy|пишет|писала?|написала?|говорит|сказала?|спрашивает|отвечает|пише|написав|каже|сказав|питає|γράφει|έγραψε|λέει|είπε|ρωτά)$/iu;
