// Personal data in languages of Arabic and Hebrew script, which have no capitals: Arabic, Persian, Urdu, Hebrew.
import type { Span } from "../../span-types.js";
import { before, type Lazy, lazily, type Match, matches } from "../match.js";
import {
  ARABIC_NUMBERS,
  FAMILY_NAMES,
  GIVEN_NAMES,
  HEBREW_NUMBERS,
  PERSIAN_NUMBERS,
  PLACES,
  PLACES_AS_WORDS,
  STOPS,
} from "./arabic-hebrew-words.js";

const SCRIPT = /[\u05d0-\u05ea\u0621-\u06d3]/;
const LETTER = "[\\u05d0-\\u05ea\\u0621-\\u065f\\u0670-\\u06d3\\u06d5]";
const FREE = "(?<![\\p{L}\\p{M}\\p{N}])";
const END = "(?![\\p{L}\\p{M}\\p{N}])";
const WORD = `${LETTER}(?:['׳]?${LETTER}){0,19}['׳]?(?:[-־]${LETTER}(?:['׳]?${LETTER}){0,14}['׳]?){0,2}${END}`;
const AT_WORD = lazily(`${LETTER}\\.(?= )|${WORD}`, "uy");
/** Where a clause, a cell or a line ends. */
const CLAUSE_END = '(?=[ \\t]{0,2}(?:[,،.;؛:!?؟)(<|/\\n\\t\\]}"»–-]|$)|[ ]{2})';
const ENDS_CLAUSE = lazily(CLAUSE_END, "uy");

/** Returns the detector that reads only texts in these scripts. */
const inScript =
  (find: (text: string) => Match[]) =>
  (text: string): Match[] =>
    SCRIPT.test(text) ? find(text) : [];

/** Returns a set of words that is made when it is first needed. */
function setOf(...lists: string[]): (word: string) => boolean {
  let made: Set<string> | undefined;
  return (word) => (made ??= new Set(lists.flatMap((list) => list.split(" ")))).has(word);
}
const isGiven = setOf(GIVEN_NAMES);
const isFamilyName = setOf(FAMILY_NAMES);
const MONTHS = [
  "يناير|فبراير|مارس|أبريل|ابريل|إبريل|مايو|يونيو|يونيه|يوليو|يوليوز|أغسطس|اغسطس|سبتمبر|أكتوبر|اكتوبر|نوفمبر|ديسمبر|كانون (?:الثاني|الأول)|شباط|آذار|نيسان|أيار|حزيران|تموز|آب|أيلول|تشرين (?:الثاني|الأول)|جانفي|فيفري|أفريل|ماي|جوان|جويلية|أوت|غشت|شتنبر|نونبر|دجنبر",
  "محرم|صفر|ربيع (?:الأول|الآخر|الثاني)|جماد[ىي] (?:الأولى|الآخرة|الثانية)|رجب|شعبان|رمضان|شوال|ذ[وي] (?:القعدة|الحجة)",
  "فروردین|اردیبهشت|خرداد|تیر|مرداد|شهریور|مهر|آبان|آذر|دی|بهمن|اسفند|ژانویه|فوریه|آوریل|ژوئن|ژوئیه|جولای|اوت|سپتامبر|اکتبر|نوامبر|دسامبر",
  "ינואר|פברואר|מרץ|מרס|אפריל|מאי|יוני|יולי|אוגוסט|ספטמבר|אוקטובר|נובמבר|דצמבר|תשרי|חשוון|חשון|כסלו|טבת|שבט|אדר(?: [אב]['׳])?|ניסן|אייר|סיוון|סיון|תמוז|אב|אלול",
];
const MONTH = `(?:${MONTHS.join("|")})(?:ماه)?${END}`;
const isNumber = setOf(ARABIC_NUMBERS, PERSIAN_NUMBERS, HEBREW_NUMBERS);
const isStopWord = setOf(STOPS);
const isPlaceName = setOf(PLACES.replaceAll("|", " "));
const isAmbiguousPlace = setOf(PLACES_AS_WORDS);
const IS_MONTH = lazily(`^(?:${MONTHS.join("|")})$`, "u");

/** Returns a word without vowel signs. */
const bare = (word: string) => word.replace(/\p{M}/gu, "");

/** Returns whether a word is part of no name, also after "and" and Hebrew prepositions. */
function isStop(word: string): boolean {
  const rest = /^(?:[وف](?=.{3})|[והבלמשכ](?=.{3}))(.+)$/u.exec(word)?.[1];
  return (
    isStopWord(word) || isNumber(word) || IS_MONTH().test(word) || (!!rest && (isStopWord(rest) || isNumber(rest)))
  );
}

/** Parts of names before another part. */
const PARTICLE =
  /^(?:بن|ابن|بنت|ولد|آل|أبو|ابو|أبي|أم|ام|إم|عبد|سيدي|مولاي|لالة|سید|سادات|אבו|בן|בת|בר|אל|אום|אבן|.\.)$/u;
const FAMILY =
  /^ال.{2,}(?:ي|ية)$|.{2}(?:زاده|پور|نژاد|فر|یان|وند|نیا|خواه|منش|لو)$|.{3}(?:اوي|اني|وني|وتي|جي)$|.{2}(?:סקי|ביץ['׳]?|שטיין|ברג|מן|זון|וב|שווילי|ייב)$/u;

/** Returns where a name of at most `most` words ends that begins at `start`; `start` if none does. `isOpen` takes each word for a part. */
function nameEnd(text: string, start: number, most: number, isOpen = false): number {
  let [end, at, isAfterParticle] = [start, start, false];
  for (let n = 0; n < most; n++) {
    const pattern = AT_WORD();
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (!found) break;
    const word = bare(found);
    const isParticle = PARTICLE.test(word);
    const next = at + found.length;
    if (!isParticle && (isStop(word) || word.length < 2)) break;
    if (n > 0 && !isOpen && !isParticle && !isAfterParticle && !continues(text, word, next)) break;
    if (!isParticle) end = next;
    isAfterParticle = isParticle;
    if (text[next] !== " ") break;
    at = next + 1;
  }
  return end;
}

/** Returns whether a word can be the next part of a name. */
function continues(text: string, word: string, end: number): boolean {
  if (isGiven(word) || isFamilyName(word) || FAMILY.test(word)) return !isPlaceName(word);
  if (isPlaceName(word.replace(/^[במלוب]/u, ""))) return false;
  if (/^ (?:هستم|هستن|هستند|هست|بود|فرزند|متولد|ساکن|اهل|مادر|پدر|از) /.test(text.slice(end, end + 9))) return true;
  const pattern = ENDS_CLAUSE();
  pattern.lastIndex = end;
  return pattern.test(text) && !/^(?:و|[بلكف]ال|لل|ו(?![וי]))|.ا$|\p{L}(?:ته|تها|ים|ות)$/u.test(word);
}

/** Returns a step that finds the names after the matches of `pattern`. */
const namesAfter =
  (
    pattern: Lazy,
    most: number,
    isOpen = false,
    isMeant: (text: string, end: number, name: string) => boolean = () => true,
  ) =>
  (text: string): Match[] =>
    Array.from(text.matchAll(pattern())).flatMap(({ 0: whole, index }) => {
      const start = index + whole.length;
      const end = nameEnd(text, start, most, isOpen);
      return end > start && isMeant(text, end, text.slice(start, end)) ? [{ start, end, label: "PERSON" }] : [];
    });

const TITLES = [
  "ال(?:سيدة?|أستاذة?|استاذة?|دكتورة?|مهندسة?|شيخة?|حاجة?|آنسة|طبيبة?|محامية?|معلمة?|كابتن|عقيد|نقيب|أخت?|عزيزة?|فاضلة?|أميرة?)|سيدة?|أستاذة?|استاذة?|دكتورة?|بروفيسورة?|مدام|عزيزي|عزيزتي|حضرة|الفنان|الفنانة",
  "آقای|اقای|خانم|جناب|سرکار|دکتر|حاجی|حاج|ننه|شهید|کربلایی|محترمہ",
  'מר|גב["\'׳]|גברת|הגברת|ד["״]ר|דוקטור|פרופ[\'׳]|פרופסור|עו["״]ד|רו["״]ח|הרב|משפחת|מגר[\'׳]|אדון|האדון',
].join("|");
const TITLE = `(?:${TITLES}) |(?:أ\\.)?[دأ]\\. ?`;
/** Titles of Persian that are other words in Arabic. */
const PERSIAN_TITLE = lazily(`${FREE}(?:مهندس|استاد|سید) (?:${TITLE}){0,2}`, "gu");
const PERSIAN = /[\u067e\u0686\u0698\u06a9\u06af\u06cc]/;
const AFTER_TITLE = lazily(`${FREE}[ולשמول]?(?:${TITLE})(?:${TITLE}){0,2}`, "gu");
const KUNYA = lazily(`${FREE}[ولב]?(?=(?:أبو|ابو|أبي|אבו) ${LETTER})`, "gu");
const BEFORE_MOTHER = /(?:جارتنا|جارتي|خالتي|عمتي|عند|مع|من|يا|الحاجة|السيدة|ست) $/u;
const MOTHER_OF = lazily(`${FREE}(?:(?=[أاإ]م ${LETTER})|(?:אמא|אבא|סבתא|סבא|אחות|אח) של (?!ה))`, "gu");

/** Relatives before a name. */
const KIN = lazily(
  `${FREE}[ول]?(?:(?:ابن |بنت )?(?:أختي|أخي)|ابني|ابنتي|بنتي|زوجي|زوجتي|والدي|والدتي|جدتي|صديقي|صديقتي|التلميذة?|الطفلة?|الابن|الابنة|الزوجة?|پدر[مش]?|مادر[مش]?|پسر[مش]?|دختر[مش]?|همسر[مش]|برادر[مش]|خواهر[مش]|نوهاش|نوهام|فرزندم?|دوستم|בעלי|אשתי|אחותי|אחי|בתי|בני|אמי|אבי|חברתי|ה?שכנה|ה?שכן|האבא|האמא|האב|האם|באב|באם|אבא|אמא)(?: שלו| שלה| שלי)?,? (?:سید )?`,
  "gu",
);
/** Roles before a name. */
const ROLE = lazily(
  `${FREE}[ولבשמ]?(?:القاضي|النائب|المدربة?|الممرضة?|المشرفة?|الكاتبة?|الصحفية?|الناطور|البواب|الجارة?|السباك|السائق|المندوب|همسایهمان|همسایه|همکارم|رئیسم|صاحبخانه|ה(?:אינסטלטור|מנהלת?|גננת|מורה|רופאה?|מחנכת|טכנאי|שליח|נהג|בוס|מזכירה|יועצת|רכזת|אחות|מטפלת|חבר|שותפה?|דודה?|קבלן|שמאי|סייעת)),? `,
  "gu",
);
const isKin = (text: string, end: number, name: string) =>
  isGiven(bare(name.split(" ")[0]!)) ||
  /^ ז["״]ל/.test(text.slice(end, end + 5)) ||
  (isClauseEnd(text, end) && !/^(?:ال|م[تس]|ה|ב|ש)/u.test(name) && !before(text, end - name.length, 2).startsWith(","));

/** Kinds of organisations before a name. */
const KINDS = [
  "شركة|مؤسسة|بنك|مصرف|مستشفى|مستوصف|مصحة|عيادة|مختبر|صيدلية|جامعة|كلية|معهد|مدرسة|روضة|ثانوية|مركز|فندق|مطعم|مقهى|مكتبة|وزارة|بلدية|جمعية|نقابة|ورشة|بقالة|سوبرماركت|وكالة|مجموعة|نادي|قناة|صحيفة|جريدة|دار|مكتب|أكاديمية|هيئة|ودادية|تعاونية|مخبز|مخابز|مصنع|مطبعة|حضانة|إعدادية|مجمع|مغسلة|صالون|حلويات|منظمة|اتحاد|رابطة|مديرية|محلات|أسواق",
  "شرکت|بانک|بیمارستان|درمانگاه|کلینیک|داروخانهٔ?|آزمایشگاه|دانشگاه|دبستان|دبیرستان|مدرسهٔ?|آموزشگاه|مهدکودک|موزهٔ?|مؤسسهٔ?|موسسهٔ?|بنیاد|فروشگاه|رستوران|کافهٔ?|هتل|آژانس|نشر|انتشارات|روزنامهٔ?|باشگاه|کارخانهٔ?|پالایشگاه|هنرستان|تعمیرگاه|مغازهٔ?|فولاد|بیمهٔ|سرای|ترابری|کارگاه|گروه|مجتمع|انجمن|سوپرمارکت|آرایشگاه|استودیو|کارگزاری|صرافی|هلدینگ|تعاونی|پژوهشگاه|سازمان|خیریهٔ?|ہسپتال|یونیورسٹی|اسکول|کمپنی",
  'חברת|בנק|בית חולים|בי["״]ח|מרפאת|קופת חולים|קופת|אוניברסיטת|מכללת|בית ספר|ביה["״]ס|תיכון|יסודי|גן ילדים|גן|מלון|מסעדת|עיריית|מועצת|מועצה אזורית|מועצה מקומית|נגריית|מוסך|הוצאת|עמותת|מכון|משרדי|קבוצת|רשת|מאפיית|בית קפה|סופר|ישיבת|קרן|סטודיו|ועד גן|מרכז רפואי|המרכז הרפואי|מרכז|בית אבות|צהרון|סוכנות|דפוס|מפעל|יקב|מחלבת|ארגון|אולפנת|בית הספר|בי["״]ס|סופרמרקט|בית מרקחת|תיאטרון|מועדון|קליניקת|מספרת|חנות|משרד עורכי דין|מוקד|יסודי',
].join("|");
/** Names of fields for a person, also within a line. */
const FIELDS = [
  "(?:ال)?[اإ]سم(?: (?:الكامل|بالكامل|المريضة?|العميلة?|الموظفة?|الطالبة?|الأب|الأم|الثلاثي|الرباعي|المستفيد|المرسل))?|المريضة?|العميلة?|الزبونة?|البائعة?|المشتري|المرسلة?|المستفيدة?|المستلمة?|مقدمة? (?:الطلب|البلاغ|الشكوى)|الكفيل|الموظفة?|الطالبة?|الطبيبة?(?: المعالجة?)?",
  "ولي الأمر|الوالدة?|السائقة?|المندوبة?|الزوجة?|رد الفنية?|الفنية?|التوقيع|المراجعة?|المحامية?|المعلمة?|المؤجر|المستأجر|صاحب الحساب|جهة الاتصال|من|إلى|الى|نسخة|المرجع",
  "نام(?: و نام خانوادگی| خانوادگی| بیمار| پدر| مادر| راننده| مشتری| متقاضی)?|بیمار|مشتری|خریدار|فروشنده|گیرنده|فرستنده|متقاضی|معرف|رانندهٔ?|کاربر|پزشک(?: معالج)?|دانش‌?آموز|تحویل‌?گیرنده|ضامن|مستاجر|موجر|وکیل|نویسنده|مترجم|امضا|از|به|مریض|مریضہ|والد",
  "שם(?: מלא| פרטי| משפחה| ה?מטופלת?| ה?לקוחה?| ה?תלמידה?| הילדה?| הפונה)?|מטופלת?|ה?לקוחה?|לכבוד|מאת|אל|ממליצה?|מבוטחת?(?:/ת)?|פונה|הפונה|נהגת?|שמאי|רופאה?(?: מטפלת?)?|מורה|תלמידה?|עובדת?|איש קשר|אשת קשר|עד/ה|חתימה|מוכרת?|קונה|שולחת?|נמענת?|המבקשת?|מגישה?|שוכרת?|משכירה?",
].join("|");
const FIELD = lazily(`${FREE}(?:${FIELDS})[ ]?[:：][ \\t]{0,6}(?:(?:${TITLE}){1,2})?`, "gu");
const INTRODUCTIONS = [
  "اسمي|إسمي|اسمو|اسمه|اسمها|واسمه|واسمها|المدعوة?|أنا الموقعة? (?:أدناه|أسفله)|(?<=أنا )الموقعة? (?:أدناه|أسفله)|اسمم|نامم|اینجانب|(?:به|بنام) (?:نام|اسم)|میرا نام|שמי|קוראים לי|השם שלי(?: הוא)?|ושמו|ושמה",
].join("|");
const INTRODUCTION = lazily(
  `${FREE}(?:${INTRODUCTIONS}|الاسم الكامل|اسم المريضة?)(?: هو| هي| پدرم| مادرم| همسرم)? (?:(?:${TITLE}){1,2})?`,
  "gu",
);
/** A question for a name, and the line of the answer. */
const ASKED = lazily(
  "(?:اسم حضرتك|اسم الكامل|الاسم الكامل|اسمك|اسمتون|השם שלה|השם שלו|השם שלך|מה השם|שם מלא)[^\\n]{0,20}\\n(?:[^\\n:]{1,20}: ?)?",
  "gu",
);
/** "I am" and "here is" before a name with a place or a comma behind it. */
const I_AM = lazily(`${FREE}(?:معا?ك|معا?كم|أنا|انا)(?: الأستاذة?)? `, "gu");

const GREETING = lazily(
  `(?:^|\\n|: )[ \\t>]{0,4}(?:שלום|היי|הי|אהלן|בוקר טוב|ערב טוב|مرحبا|مرحباً|أهلا|اهلا|أهلاً|سلام|درود|صباح الخير|مساء الخير|السلام عليكم|هلا|الأخ|الأخت|السلام علیکم),? (?:يا )?(?:(?:${TITLE}){1,2})?`,
  "gu",
);
const VOCATIVE = lazily(`${FREE}(?:يا|ای) (?:(?:${TITLE}){1,2})?`, "gu");
/** A name before "dear", "hello" or an age. */
const BEFORE_WORD = [
  `(?<=^|[\\n.!؟:،,] ?)(${WORD})(?= שלום(?:[,!\\n]|$))`,
  `(?<=^|[\\n.!؟:،,] ?)(${WORD}(?: ${WORD}){0,2})(?=[,]? (?:יקירתי|יקירי|היקרה?|عزيزي)[,!\\n])`,
  `${FREE}(?<=(?:^|[\\n.!؟،] ?|سلام |جناب ))(${WORD}) (?=(?:جان|جون|خانم|عزیز|گرامی)${END})`,
  `(?<=^|\\n|[•*-] )(${WORD}(?: ${WORD}){1,3})(?=[،,] (?:[^\\n،,:]{1,25}[،,] )?(?:\\d{1,3} (?:ساله|سنة|عام)|בן \\d|בת \\d|בן ה-|בת ה-))`,
  `(?<![\\p{L}\\p{M}])(${WORD}(?: ${WORD}){0,3})(?= <[^<>\\s@]{1,64}@)`,
  `(?<=\\d{3},? ?\\()(${WORD}(?: ${WORD})?)(?=\\))`,
  `(?<=${LETTER} \\()(${WORD})(?=\\):)`,
  `(?<=(?<![\\p{L}\\p{M}\\p{N}"״'])ל?)(${WORD}(?: ${WORD})?)(?=,? (?:\\+\\d{2,3}[ -]?|0(?=[1-9]))\\d{1,2}[ -]?\\d{3}[ -]?\\d{3,4}(?!\\d))`,
].map((source) => lazily(source, "gu"));
/** Words before a telephone number that name nobody. */
const NO_NAME =
  /טל|נייד|פלאפון|פקס|הודעה|ביט|פון|מספר|אליי|هاتف|جوال|موبايل|رقم|تواصل|اتص|توصيل|طوارئ|واتس|تلفن|تماس|همراه|شماره|فکس|على|فون|خط/u;
const USERNAMES = lazily(
  "(?<=\\()[a-z][a-z\\d]{0,15}_[a-z\\d_]{1,15}(?=\\))|(?<=(?:اسم المستخدم|نام کاربری|שם משתמש|שם המשתמש|المستخدم|משתמש)(?: هو| הוא)?:? )@?[A-Za-z][A-Za-z\\d._-]{2,24}(?![A-Za-z\\d@])",
  "gu",
);
const CLOSINGS = [
  "مع (?:فائق |خالص )?(?:التحية|تحياتي|التقدير|الشكر)(?: والتقدير)?|تحياتي|تحياتنا|و?تفضلوا بقبول[^\\n]{0,40}(?=\\n)|و?تقبلوا[^\\n]{0,40}(?=\\n)|أخوكم?|أختكم?|صديقكم?|صديقتك|ابنكم?|ابنتك|المخلصة?|محبكم?|دمتم|شكرا(?: جزيلا)?|شكراً(?: جزيلاً)?",
  "با (?:تشکر|احترام|سپاس|تقدیم احترام|آرزوی \\p{L}{3,10})(?: فراوان)?|ارادتمند|قربانت|دوستدارت|دوستدار تو|مخلص شما|فدات|בברכה(?: רבה)?|בתודה(?: רבה| מראש)?|בכבוד רב|תודה(?: רבה| מראש)?|שלך(?:,? באהבה)?|שלכם|באהבה(?: רבה)?|נשיקות|חיבוקים|בידידות|כל טוב|להתראות|بخیر|والسلام|آپ کا مخلص",
].join("|");
const CLOSING = lazily(
  `(?<=^|[\\n.!،,] ?)(?:${CLOSINGS})[,،.! ]{1,2}[ \\t]{0,3}(?:\\n[ \\t]{0,3}){0,3}|(?<=^|[\\n.!،,] ?)(?:${CLOSINGS})(?:[ \\t]{0,3}\\n){1,3}[ \\t]{0,3}`,
  "gu",
);
const BELOW_CV = lazily(
  "(?<=^|\\n)[ ]{0,3}(?:رزومهٔ?|السيرة الذاتية|سيرة ذاتية|קורות חיים)[^\\n:]{0,24}\\n{1,2}[ ]{0,3}",
  "gu",
);

/** Departments and groups of people in the place of a name. */
const GROUP = lazily(
  `^(?:${KINDS}|قسم|إدارة|فريق|جميع|كافة|خدمة|لجنة|شؤون|واحد|بخش|ادارهٔ?|تیم|امور|کارکنان|همهٔ?|כלל|מזכירות|שירות|דיירי|הורי|חברי|ציבור|מערכת)${END}`,
  "u",
);
/** The name of the next field of a line. */
const NEXT_FIELD = /^ (?:رقم|هاتف|تلفن|همراه|جوال|البطاقة|הטלפון|טלפון|נייד|ת\.ז|العمر|سن|عمر)/u;
const isClauseEnd = (text: string, end: number) => {
  const pattern = ENDS_CLAUSE();
  pattern.lastIndex = end;
  return pattern.test(text);
};
/** Returns whether a line ends at a place, or a comma or bracket stands there. */
const isLineEnd = (text: string, end: number) =>
  /^[ \t]{0,3}(?:[,،(]|[ \t]{0,3}(?:\n|$)| [–-])/.test(text.slice(end, end + 8));

/** Prefixes of one or two letters: "and", "for", "with", "from". */
const PREFIX = /^(?:ول|وب|لل|[وفلب]|[ולבמשה]|ול|ומ|של)(?=.{3})/u;
const ANY_WORD = lazily(`${FREE}${WORD}`, "gu");

/** Finds given names of a list, with the family name that follows. */
function listed(text: string): Match[] {
  const found: Match[] = [];
  let last = 0;
  for (const { 0: word, index } of text.matchAll(ANY_WORD())) {
    if (index < last) continue;
    const plain = bare(word).replace(/-.*$/, "");
    const prefix = isGiven(plain) ? "" : (PREFIX.exec(plain)?.[0] ?? "");
    const stem = plain.slice(prefix.length);
    if (!isGiven(stem) || (prefix && stem.length < 4 && prefix !== "و")) continue;
    const start = index + prefix.length;
    last = Math.max(nameEnd(text, start, 4), index + word.length);
    found.push({ start, end: last, label: "PERSON" });
  }
  return found;
}

/** Words before ":" of lines that several times begin so are speakers of a dialogue. */
function isDialogue(text: string, start: number): boolean {
  const line = text.lastIndexOf("\n", start - 1) + 1;
  const head = text.slice(line, text.indexOf(":", line) + 1);
  return head.length > 1 && head.length < 30 && text.split(`\n${head}`).length + (text.startsWith(head) ? 1 : 0) > 2;
}

/** Finds names in Arabic and Hebrew script by titles, fields, greetings, introductions and closings, and given names of a list. */
const NAME_STEPS: readonly ((text: string) => Match[])[] = [
  namesAfter(AFTER_TITLE, 4),
  (text) => (PERSIAN.test(text) ? namesAfter(PERSIAN_TITLE, 3)(text) : []),
  namesAfter(KUNYA, 3),
  namesAfter(
    MOTHER_OF,
    3,
    false,
    (text, end, name) =>
      !/^[أاإ]م /u.test(name) ||
      isGiven(bare(name.slice(3))) ||
      (isClauseEnd(text, end) && !name.includes(" ال")) ||
      BEFORE_MOTHER.test(before(text, end - name.length, 12)),
  ),
  (text) =>
    namesAfter(
      FIELD,
      5,
      true,
      (text, end, name) =>
        !GROUP().test(name) && (isClauseEnd(text, end) || NEXT_FIELD.test(text.slice(end, end + 12))),
    )(text).filter(
      ({ start, end }) => !isDialogue(text, start) || isGiven(bare(text.slice(start, end).split(" ")[0]!)),
    ),
  namesAfter(KIN, 2, false, isKin),
  namesAfter(ROLE, 2, false, isKin),
  namesAfter(ASKED, 4, true, isLineEnd),
  namesAfter(INTRODUCTION, 4),
  namesAfter(
    I_AM,
    3,
    true,
    (text, end, name) =>
      /^ (?:من|مع) /.test(text.slice(end, end + 5)) &&
      (isGiven(bare(name.split(" ")[0]!)) || (name.split(" ").length > 2 && !/(?:^| )ال|ا(?: |$)/u.test(name))),
  ),
  namesAfter(
    GREETING,
    3,
    false,
    (text, end, name) =>
      /^(?: جان)?[,،!\n]|^$/.test(text.slice(end, end + 5)) &&
      (isGiven(bare(name.split(" ")[0]!)) || !/(?:^| )(?:ال|ל|ה)|(?:ים|ות|ین|ان|ها)(?: |$)/u.test(name)),
  ),
  namesAfter(VOCATIVE, 2, false, (_, __, name) => isGiven(bare(name.split(" ")[0]!))),
  namesAfter(CLOSING, 4, true, isLineEnd),
  namesAfter(BELOW_CV, 4, true, isLineEnd),
  (text) =>
    BEFORE_WORD.flatMap((pattern) =>
      matches(
        text,
        pattern,
        "PERSON",
        (name) => !NO_NAME.test(name) && !name.split(" ").some((word) => isStop(bare(word))),
        1,
      ),
    ),
  listed,
  (text) => matches(text, USERNAMES, "USERNAME"),
];
export const namesInArabicHebrew = inScript((text) => NAME_STEPS.flatMap((step) => step(text)));

/** Finds further occurrences of the parts of names in these scripts. */
export function repeatedInArabicHebrew(text: string, spans: readonly Span[]): Match[] {
  if (!SCRIPT.test(text)) return [];
  const names = new Set<string>();
  for (const { label, start, end } of spans)
    if (/^PER(?:SON)?$/.test(label) && names.size < 2_000)
      for (const word of text.slice(start, end).match(ANY_WORD()) ?? []) {
        const part = bare(word);
        if (part.length >= 3 && !isStop(part) && !PARTICLE.test(part)) names.add(part);
      }
  if (names.size === 0) return [];
  return Array.from(text.matchAll(ANY_WORD())).flatMap(({ 0: word, index }) => {
    const part = bare(word);
    const prefix = names.has(part) ? "" : (PREFIX.exec(part)?.[0] ?? "-");
    return names.has(part.slice(prefix.length))
      ? [{ start: index + prefix.length, end: index + word.length, label: "PERSON", score: 0.9 }]
      : [];
  });
}

const KIND = lazily(`${FREE}([וש]?[במלכ]?|[وف]?[بلك]?)(${KINDS}) `, "gu");
/** Kinds before which a Hebrew noun with an article names nothing. */
const BEFORE_GENERAL = /^(?:קבוצת|רשת|מועצת|חברת|קרן|ועד|מרכז|ארגון|סוכנות|מועדון)$/u;
/** Kinds that are frequent in prose: their name ends a clause. */
const LOOSE =
  /^(?:مجموعة|مكتب|مركز|محلات|أسواق|دار|مجمع|اتحاد|منظمة|هيئة|گروه|مرکز|سازمان|انجمن|مجتمع|کارگاه|سرای|نشر|بنیاد|מרכז|קבוצת|רשת|ארגון|גן|חנות|מפעל|מוקד|יסודי|סופר|קרן)$/u;
/** Kinds that are no part of the name. */
const COMPANY = /^(?:شركة|شرکت|فروشگاه|مغازهٔ?|مكتب|חברת|کمپنی)$/u;
/** Words after a kind that name nothing. */
const isGeneral = setOf(
  "كبيرة كبير صغيرة صغير جديدة جديد خاصة خاص حكومية حكومي دولية دولي عالمية محلية محلي أخرى آخر واحدة خدمة الدم البيانات المعلومات الأعمال الطاقة المدينة الحي الدولة الشركة التأمين الكهرباء الاتصالات الطيران النقل الشحن السيارات التقنية الصحة الداخلية الخارجية التربية",
  "التعليم المالية العدل الدفاع الجمهورية الأسهم الموظفين العمل العملاء الاتصال الخدمة الزوار التدريب الأبحاث للأطفال للبنات للبنين ابتدائية ثانوية خیریه بزرگ کوچک جدید خصوصی دولتی بین‌المللی بینالمللی معتبر مرکزی ملی جهانی اطلاعات خون داده غذا لباس کتاب مرکز شهر کار بستری مراجعه مشغول منتقل استخدام عمل تحویل",
  "גדולה גדול קטנה קטן חדשה חדש פרטית פרטי ציבורי ציבורית ממשלתי ממשלתית מקומית מקומי אחרת אחר טובה טוב יסודי תיכון הביטוח החשמל התקשורת הילדים ילדים הורים עובדים חברתית أسنان سكنية נתונים ביטוח כושר קניות שיווק בנייה הייטק שנתון השקעות הסעות כללי העיר קניות מסחרי שירות לקוחות הדרכה מידע תמיכה המזון הסמוך דור",
);
/** Names in quotation marks, or before a legal form. */
const LEGAL = lazily(
  `${FREE}[ולבמה]?(${WORD}(?: ${WORD}){0,2}(?:,? בע["״]מ| ובניו| ושות['׳]| ש\\.מ\\.מ| ذ\\.م\\.م))`,
  "gu",
);

/** Public bodies, and "the university" with an adjective. */
const KNOWN = lazily(
  `(?<=${FREE}[ובלמو]?)(?:هلال احمر|الهلال الأحمر|تأمین اجتماعی|בי?טוח לאומי|הביטוח הלאומי|חיל האוויר|חיל הים|איכילוב|רמב["״]ם|שיבא|הדסה|סורוקה|בצלאל|סלקום|בזק|פלאפון|שופרסל|אגד|בילינסון|וולפסון|אסף הרופא|הלל יפה|רמי לוי|מכבי שירותי בריאות|שירותי בריאות כללית|בנק (?:הפועלים|לאומי|דיסקונט)|أرامكو|سابك|الراجحي|فودافون|موبايلي|أورنج|بنك مصر|الضمان الاجتماعي|همراه اول|ایرانسل|دیجیکالا|اسنپ|تپسی|آموزش و پرورش(?: منطقهٔ? [\\d۰-۹]+)?|ثبت احوال|شهرداری \\p{L}{3,10}|ה?טכניון|الجامعة ال${LETTER}{4,14}|האוניברסיטה ה${LETTER}{3,10})${END}`,
  "gu",
);
/** A name before "for trade", "for transport" and the like. */
const WITH_PURPOSE = lazily(
  `(?:^|[\\n:،(–|] ?|(?:شركة|لدى|مع|سائق|مكتب) )(${WORD}(?: ${WORD})? (?:لل?(?:تجارة|نقل|شحن|مقاولات|خدمات|استشارات|تقنية|برمجيات|طباعة|تأمين|سياحة|سفر|توريد|صيانة|أثاث|عقارات|تسويق|تصميم|إلكترونيات|تدريب|إنشاءات|هندسة|أغذية|طاقة|تنظيف|توزيع|استيراد|نشر|إنتاج|ألمنيوم)))${CLAUSE_END}`,
  "gu",
);
/** What follows "I work at". */
const EMPLOYER = lazily(
  `${FREE}(?:עבדתי ב|עובדת? ב|למדתי ב|תחת השם |(?:عملت?|يعمل|تعمل|أعمل|اشتغلت|أشتغل|موظفة?|متدربة?) (?:لدى|مع) |کارمند |کارشناس )-?(${WORD}(?: ${WORD})?)(?=[,،.)\\n]|$| בשנים)`,
  "gu",
);
const GRADE = /^(?:معدل|بمعدل|تقدير|بتقدير|درجة|ממוצע|בהצטיינות|ציון|בגרות)/u;
/** The employer in a line of a CV: years, what somebody did, and where. */
const IN_CV = lazily(
  `(?<=^|\\n)[ \\t•*-]{0,4}(?:13[3-9]\\d|140\\d|19[4-9]\\d|20[0-3]\\d)[^\\n،,:]{0,20}?(?::|  )[ ]?[^\\n،,:]{3,30}[،,] (?=\\D)(${WORD}(?: ${WORD}){0,3})(?=[،,\\n]|$)`,
  "gu",
);

/** The employer at the head of an item of a CV, before its years, or after "in" at the end of such a line. */
const IN_ITEM = [
  `(?<=(?:^|\\n)[ \\t]{0,3}[•*–-][ ]?)(${WORD}(?: ${WORD}){0,3})(?=،? \\([^()\\n]{0,20}(?:13[3-9]\\d|140\\d|19[4-9]\\d|20[0-3]\\d))`,
  `(?:13[3-9]\\d|140\\d|19[4-9]\\d|20[0-3]\\d|تاکنون|היום|الآن)[ ]?[:،,][^\\n:]{3,40} (?:در|لدى|אצל) (${WORD}(?: ${WORD}){0,2})(?=[،,]|[ ]?(?:\\n|$))`,
].map((source) => lazily(source, "gu"));
/** Whom a caller has reached. */
const REACHED = lazily(`הגעתם? ל-?(?:מוקד של )?(${WORD}(?: ${WORD}){0,3}?)(?= מדברת? )`, "gu");

/** Finds organisations by their kind: "bank", "hospital", "school". */
export const organizationsInArabicHebrew = inScript((text) => [
  ...Array.from(text.matchAll(KIND())).flatMap(({ 0: whole, 1: prefix, 2: kind, index }) => {
    const name = index + whole.length;
    if (BEFORE_GENERAL.test(kind!) && text[name] === "ה") return [];
    const end = organizationEnd(text, name);
    const start = COMPANY.test(kind!) ? name : index + prefix!.length;
    return end > name && (!LOOSE.test(kind!) || isClauseEnd(text, end)) ? [{ start, end, label: "ORGANIZATION" }] : [];
  }),
  ...matches(text, LEGAL, "ORGANIZATION", undefined, 1),
  ...matches(text, KNOWN, "ORGANIZATION"),
  ...matches(text, REACHED, "ORGANIZATION", undefined, 1),
  ...IN_ITEM.flatMap((pattern) =>
    matches(text, pattern, "ORGANIZATION", (name) => !isStop(bare(name.split(" ")[0]!)) && !isPlaceName(name), 1),
  ),
  ...matches(text, WITH_PURPOSE, "ORGANIZATION", undefined, 1),
  ...matches(
    text,
    EMPLOYER,
    "ORGANIZATION",
    (name) => !isStop(bare(name.split(" ")[0]!)) && !isGeneral(bare(name.split(" ")[0]!)),
    1,
  ),
  ...matches(text, IN_CV, "ORGANIZATION", (name) => !isStop(bare(name.split(" ")[0]!)) && !GRADE.test(name), 1),
]);

/** Returns whether the next word is part of no name. */
function stopsAt(text: string, at: number): boolean {
  const pattern = AT_WORD();
  pattern.lastIndex = at + 1;
  return isStop(bare(pattern.exec(text)?.[0] ?? ""));
}

/** Returns where the name of an organisation ends after its kind. */
function organizationEnd(text: string, start: number): number {
  let [end, at, isAfterParticle] = [start, start, false];
  for (let n = 0; n < 4; n++) {
    const pattern = AT_WORD();
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (!found) break;
    const word = bare(found);
    const isParticle = PARTICLE.test(word);
    const next = at + found.length;
    if (
      !isParticle &&
      (isStop(word) ||
        isGeneral(word) ||
        isGeneral(word.replace(/(?<=.{3})ی$/u, "")) ||
        word.length < 3 ||
        /^[بل](?:ال|لل|مدين)/u.test(word))
    )
      break;
    if (
      n > 0 &&
      !isAfterParticle &&
      !/^(?:ال|لل|ה)/u.test(word) &&
      !isParticle &&
      !isClauseEnd(text, next) &&
      !(/\p{Script=Arabic}/u.test(word) && stopsAt(text, next))
    )
      break;
    if (!isParticle) end = next;
    isAfterParticle = isParticle;
    if (text[next] !== " ") break;
    at = next + 1;
  }
  return end;
}

const PLACE_BEFORE = [
  '(?:^|[\\n\\t|،,–/(«":-] ?|(?<![\\p{L}\\p{M}])(?:في|من|إلى|الى|عن|نحو|عبر|مدينة|بمدينة|قرب|مواليد|ساكنة?|مقيمة?|وإلى|ومن|وفي|فرع|محطة|خط|انا في|نقلت|در|از|به|تا|شهر|ساکن|اهل|متولد|اصالتاً|تو|بلیت|سے|میں|گر ב|סניף|מושב|קיבוץ|העיר|עיר) |[–-])[وب]?',
  "(?<![\\p{L}\\p{M}\\p{N}])(?:[ושה]?[במל]-?|[وبل])",
];
const PLACE = lazily(`(?<=${PLACE_BEFORE.join("|")})(?:${PLACES})${END}`, "gu");
/** Places of the list anywhere. */
const ANY_PLACE = lazily(`(?<=${FREE}(?:[וש]?[במלה]-?|[وف]?[بل])?)(?:${PLACES})${END}`, "gu");
/** Words of living and being born, and kinds of places, before a name. */
const LIVING = [
  "(?:أسكن|اسكن|يسكن|تسكن|أقيم|يقيم|تقيم|أعيش|يعيش|تعيش|الساكنة?|ساكنة?|مقيمة?|ولدت|ولد) (?:في|ب) ?|(?:من )?مواليد |مدينة |بمدينة |قرية |ساکن |اهل |متولد (?=\\D)|شهر(?:ک|ستان) |روستای |محلهٔ? ",
  "(?:גר|גרה|גרים|מתגוררת?|נולד|נולדתי|נולדה) ב-?|מושב |מקיבוץ |קיבוץ |מהעיר |העיר |שכונת |קריית |קרית |רמת |גבעת |כפר |נמל התעופה |فرودگاه |مطار |محطة قطار |ميدان |بلوار ",
].join("|");
const AFTER_LIVING = lazily(`${FREE}[ובלמשو]?(?:${LIVING})`, "gu");

/** Finds places of a list after prepositions, and any place after words of living and kinds of places. */
export const placesInArabicHebrew = inScript((text) => [
  ...matches(text, PLACE, "LOCATION"),
  ...matches(text, ANY_PLACE, "LOCATION", (place) => place.length > 3 && !isAmbiguousPlace(place) && !isGiven(place)),
  ...Array.from(text.matchAll(AFTER_LIVING())).flatMap(({ 0: whole, index }) => {
    const start = index + whole.length;
    const end = nameEnd(text, start, 2);
    return end > start && end - start > 2 && !isGeneral(text.slice(start, end))
      ? [{ start, end, label: "LOCATION", score: 0.9 }]
      : [];
  }),
]);

const STREETS =
  "شارع|ش\\.|زنقة|نهج|حي|طريق|عمارة|إقامة|ص\\.ب\\.?|خیابان|خ\\.|کوچهٔ?|بلوار|میدان|بزرگراه|شهرک|گلی نمبر|רחוב|רח['׳]|שדרות|שד['׳]|סמטת|כיכר|ת\\.ד\\.";
/** The words of a list as alternatives, the longest first. */
const numberWords = (list: string) =>
  list
    .split(" ")
    .sort((a, b) => b.length - a.length)
    .join("|");
const NUMBER = `(?:${[ARABIC_NUMBERS, PERSIAN_NUMBERS, HEBREW_NUMBERS].map(numberWords).join("|")})${END}`;
const RUN = `${NUMBER}(?:[ ,،]{1,2}(?:و ?|ו)?${NUMBER}){0,24}`;
const HOUSE = `\\d{1,5}(?:[/-]\\d{1,4})?(?: ?${LETTER}${END})?(?!\\d)`;
const UNITS =
  "رقم|عمارة|العمارة|شقة|الشقة|الدور|الطابق|طابق|بناية|منزل|قطعة|مبنى|برج|پلاک|واحد|طبقهٔ?|زنگ|کوچهٔ?|بن ?بست|خیابان|שכונת|דירה|קומה|כניסה|ד\\.נ\\.";
const UNIT = `[،,]? (?:${UNITS}) (?:${HOUSE}|${NUMBER}(?: و ?${NUMBER})?|${WORD})`;
const TOWN = `[،,] (?:(?:${PLACES})${END}(?: \\d{5,7})?|${WORD}(?: ${WORD})? \\d{5,7}|\\d{5,7})`;
const ADDRESSES = [
  `(?<=${FREE}[ולבמو]?)(?:(?:\\d{1,4}|${NUMBER}(?: ?و ?${NUMBER})?) )?(?:${STREETS}) ?(?:${WORD}(?: (?!(?:${UNITS}) )${WORD}){0,3})?(?:[،,]? ${HOUSE})?(?:${UNIT}){0,4}(?:${TOWN}){0,2}`,
  `(?<=${FREE}[ובלמ]?)${WORD}(?: ${WORD})? \\d{1,3}(?:/\\d{1,3})?(?:${TOWN}){1,2}`,
].map((source) => lazily(source, "gu"));
const HAS_UNIT = lazily("\\d|(?:الدور|الطابق|پلاک|طبقه|واحد|شقة|דירה|קומה) \\p{L}", "u");

/** Finds addresses: a word for a street, a name, and numbers. */
export const addressesInArabicHebrew = inScript((text) =>
  ADDRESSES.flatMap((pattern) => matches(text, pattern, "ADDRESS", (address) => HAS_UNIT().test(address))),
);

const DAY_NAMES =
  "(?:ال(?:أحد|اثنين|إثنين|ثلاثاء|أربعاء|خميس|جمعة|سبت))،? |(?:(?:یک|دو|سه|چهار|پنج) ?)?شنبه،? |جمعه،? |(?:ראשון|שני|שלישי|רביעי|חמישי|שישי|שבת|[אבגדהוש]['׳]),? (?:ה-?)?";
const ORDINALS =
  "اول|دوم|سوم|چهارم|پنجم|ششم|هفتم|هشتم|نهم|دهم|یازدهم|دوازدهم|سیزدهم|چهاردهم|پانزدهم|شانزدهم|هفدهم|هجدهم|نوزدهم|بیستم|بیست و (?:یکم|دوم|سوم|چهارم|پنجم|ششم|هفتم|هشتم|نهم)|سی ?ام|سی و یکم|الأول من|الثاني من|الثالث من|الرابع من|الخامس من|السادس من|السابع من|الثامن من|التاسع من|العاشر من|العشرين من|الثلاثين من|أول";
const GEMATRIA = '(?:[א-יכל][\'׳]|[יכ]["״][א-ט]|ט["״][וז])';
const YEAR = "(?:1[3489]\\d\\d|20\\d\\d)";
const HEBREW_YEAR = "(?:ה['׳])?תש[א-ת]?[\"״][א-ת]";
const DAY = `(?:(?:0?[1-9]|[12]\\d|3[01])|${ORDINALS}|${GEMATRIA})`;
const DATES = [
  `(?:${FREE}|(?<=${FREE}[בל]))(?:${DAY_NAMES})?${DAY}[ -](?:من |ب|ב|ל|מ)?(?:شهر )?${MONTH}(?:(?:,|،)? (?:سنة |عام |سال )?(?:${YEAR}|${HEBREW_YEAR}))?(?!\\d)`,
  `(?:${FREE}|(?<=${FREE}[במל]))(?:${DAY_NAMES})?(?:${RUN}) (?:ב|من )?${MONTH}(?: (?:${YEAR}))?`,
  `(?:${FREE}|(?<=${FREE}[במלו]))${MONTH} (?:سنة |عام |سال )?(?:${YEAR}|${HEBREW_YEAR})(?!\\d)`,
  `(?<=(?<![\\p{L}\\p{M}])(?:في|منذ|حتى|شهر|خلال|فاتورة|از|تا|اول|اواخر|اوایل|عد|עד|מאז|בסוף|חודש|בחודש|סוף|תחילת) )(?:شهر |ماه )?${MONTH}`,
  `(?<=${FREE}(?:ב?שנת |سنة |عام |سال |متولد |مواليد |נולדת?י ב-?))(?:${NUMBER}(?: ?(?:و|ו) ?${NUMBER}){1,5}|${YEAR}|(?<=سال )\\d\\d)(?![\\d\\p{L}]|[.,/-]\\d)`,
  `(?<=(?:مواليد|متولد) ${LETTER}{2,15} )${YEAR}${END}`,
  `(?<=${LETTER}[،,] )(?:13[3-9]\\d|140\\d|19[4-9]\\d|20[0-3]\\d)(?=[،,.)]|\\s*(?:\\n|$))`,
  `(?<=${FREE}(?:[במל]-?|(?:עד|מאז|בשנים|من|إلى|حتى|منذ|از|تا|الى) ))(?:13[3-9]\\d|140\\d|19[4-9]\\d|20[0-3]\\d)(?![\\d\\p{L}%]|[.,:/]\\d| (?:متر|كم|שקל|₪|ريال|كيلو))`,
  `(?<=(?:^|\\n|[•*(|] ?)[ \\t]{0,3})(?:13[3-9]\\d|140\\d|19[4-9]\\d|20[0-3]\\d)(?= ?[–:]| ?-(?!\\d\\d-)|\\)| (?:تاکنون|حتى|עד|تا|إلى|الى) )`,
  `(?<=\\d{4} ?[–-] ?)(?:13[3-9]\\d|140\\d|19[4-9]\\d|20[0-3]\\d)(?![\\d-])|(?<!\\d)(?:13[3-9]\\d|140\\d)(?= ?[–-] ?1[34]\\d\\d(?!\\d))`,
  `(?<!\\d|\\d[/.-])(?:1[34]\\d\\d([/-])(?:0?[1-9]|1[0-2])\\1(?:0?[1-9]|[12]\\d|3[01])|(?:0?[1-9]|[12]\\d|3[01])([/-])(?:0?[1-9]|1[0-2])\\2(?:1[34]\\d\\d))(?![\\d/-])`,
  `(?<=(?:^|\\n)[ \\t]{0,3})(?:0?[1-9]|[12]\\d|3[01])[/.](?:0?[1-9]|1[0-2])(?=: ?${LETTER})`,
  `(?<=${FREE}(?:[במל]|עד ה|מה|ליום |ביום |(?:يوم|بتاريخ|تاريخ|حتى|تاریخ|روز|تا|از) |(?:ראשון|שני|שלישי|רביעי|חמישי|שישי|שבת|[אבגדהו]['׳]),? (?:ה-?)?)-?)(?:0?[1-9]|[12]\\d|3[01])[/.](?:0?[1-9]|1[0-2])(?![\\d%/]|\\.\\d| ?(?:ק["״]ג|מ["״]|%|שעות|ש["״]ח|₪))`,
  `(?<![\\d/.-])(?:0?[1-9]|1[0-2])[/.](?:19|20)\\d\\d(?![\\d/.-])|(?<![\\d/.-])(?:19|20)\\d\\d/(?:0?[1-9]|1[0-2])(?![\\d/.-])`,
  `(?<=${FREE}[בלמ]-?)(?:ינואר|פברואר|מרץ|אפריל|מאי|יוני|יולי|אוגוסט|ספטמבר|אוקטובר|נובמבר|דצמבר)${END}`,
  `(?<=${FREE}(?:سنة|عام|سال|שנת|صيف|شتاء) )\\d\\d(?![\\d\\p{L}%.,/:])(?! (?:سال|يوم|ماه))`,
  `(?:${FREE}|(?<=${FREE}[בו]))(?:پاییز|بهار|تابستان|زمستان|صيف|شتاء|ربيع|خريف|קיץ|חורף|אביב|סתיו) ${YEAR}${END}`,
  `${FREE}(?:هزار و (?:سیصد|چهارصد)(?: و ${NUMBER}){1,2}|ב?אלף תשע מאות(?: ו?${NUMBER}){1,2}|ב?אלפיים (?:ו${NUMBER}|עשרים ו${NUMBER})|ألف وتسعمئة(?: و${NUMBER}){1,2})`,
].map((source) => lazily(source, "gu"));
/** Months that are words as well: they need a year or a day in digits. */
const WORDLIKE = /^\D*(?<!\p{L})(?:دی|مهر|تیر|صفر|אב|آب|ماي|أوت|שבט|آذر)$/u;

/** Finds dates of the Gregorian, Islamic, Persian and Hebrew calendar, and years. */
export const datesInArabicHebrew = inScript((text) =>
  DATES.flatMap((pattern) =>
    matches(text, pattern, "DATE", (date) => !WORDLIKE.test(date) || date.includes(" ")),
  ).filter(({ end }) => !/^,? \d\d:\d\d:\d\d/.test(text.slice(end, end + 11))),
);

const SPAN_BEFORE =
  /(?:منذ|خلال|لمدة|مدة|قبل|بعد|خبرة|كل|طوال|منذ حوالي|بعمر المشروع|ضمان|كفالة|حدود|از|هر|طی|ظرف|برای|مدت|حدود|سابقه|بالای|زیر|לפני|במשך|תוך|מזה|כל|מעל|אחרי|בעוד|אחריות|ותק|ניסיון|של) (?:من |نحو |حوالي |أكثر من )?$/u;
const AGES = [
  `${FREE}(?:1[1-9]|[2-9]\\d|1[01]\\d) (?:سنة|سنه|عام[اًا\\p{M}]{0,2})${END}`,
  `${FREE}(?:\\d{1,3}|${RUN}) ?(?:سال[هگ][\\p{L}]{0,4}|سالم|سالشه|سالشونه|سال(?=ش|م)|سال سن)${END}`,
  `${FREE}(?:${numberWords(PERSIAN_NUMBERS)})سال[هگ]\\p{L}{0,2}${END}`,
  `${FREE}(?:${RUN}) (?:سنة|سنه|عاما|عامًا|عاماً)${END}`,
  `${FREE}في (?:ال(?:عشرين|ثلاثين|أربعين|خمسين|ستين|سبعين|ثمانين|تسعين)(?:ات)?) من (?:عمره[اا]?|عمري|العمر)${END}`,
  `(?<=${FREE}(?:عمره|عمرها|عمري|عمرو|بعمر|العمر|السن|سن|سنه|عن عمر|عمر|يبلغ|تبلغ|البالغة?)(?: من العمر)?:? )(?:\\d{1,3}|${RUN})(?: (?:سنة|سنوات|عاما|عامًا|عاماً|أعوام|شهرا|أشهر|شهور|سال))?${END}|(?<=${FREE}(?:عمره|عمرها) )(?:سنتان|سنتين|شهران|شهرين|سنة ونصف)${END}`,
  `(?<=${FREE}ו?(?:בן|בת|בגיל|גיל)(?: ה-?| כ-?)? ?)(?:\\d{1,3}(?: (?:חודשים|שבועות|ימים|שנים))?|(?:${RUN})(?: (?:חודשים|שבועות))?|שנה וחצי|שנתיים(?: וחצי)?|חצי שנה)(?![\\p{L}\\p{N}%]|[.,:/-]\\d| (?:כוכבים|קומות|חדרים|עמודים))`,
  `(?<=(?:چند سال|كم عمر|عمرك كم|כמה|בת כמה|בן כמה|גיל)[^\\n]{0,24}\\n(?:[^\\n:]{1,20}: ?)?)(?:\\d{1,3}|${RUN})(?=[.,،]|\\s*\\n|$| היא| הוא)`,
].map((source) => lazily(source, "gu"));

/** Finds ages in digits and words. */
export const agesInArabicHebrew = inScript((text) =>
  AGES.flatMap((pattern) =>
    matches(text, pattern, "AGE", (_, { input, index }) => !SPAN_BEFORE.test(before(input!, index!, 24))),
  ),
);

const CURRENCY = [
  "ريال[\\p{L}\\p{M}]{0,4}(?: (?:سعودي|عماني|قطري|يمني)[\\p{L}\\p{M}]{0,4})?|ر\\.س|دينار[\\p{L}\\p{M}]{0,3}|درهم[\\p{L}\\p{M}]{0,3}|دراهم|جنيه[\\p{L}\\p{M}]{0,3}|ليرة|ليرات|دولار[\\p{L}\\p{M}]{0,3}|يورو|شيكل|شيقل|دج|د\\.ج|د\\.م|د\\.ك|د\\.أ|د\\.ت|أوقية|فرنك|قرش|ألف",
  'توما?ن|ریال|دلار|یورو|درهم|افغانی|روپے|روپیہ|₪|שקל(?:ים)?|ש["״]ח|אירו|יורו|דולר(?:ים)?|לירות|אגורות|פאונד',
].join("|");
const SCALE = "(?:هزار|میلیون|میلیارد|ألف|الف|آلاف|مليون|ملايين|مليار|ہزار|لاکھ|אלף|מיליון|מיליארד)";
const AMOUNT = "\\d{1,3}(?:[.,٬'’ ]\\d{3}){1,4}(?:[.,٫]\\d{1,3})?|\\d+(?:[.٫]\\d{1,3}|,\\d\\d(?= ?[₪רש]))?";
const AMOUNTS = [
  `(?<![\\p{L}\\p{M}\\d]|\\d[.,٫٬])-?(?:${AMOUNT})(?: ?${SCALE}(?: و نیم)?){0,2} ?(?:${CURRENCY})(?![\\p{L}\\p{N}])`,
  `${FREE}(?:${RUN}) (?:${CURRENCY})(?![\\p{L}\\p{N}])`,
  `(?:₪|﷼) ?-?(?:${AMOUNT})(?!\\d)`,
  `${FREE}مليونين(?: و${NUMBER}){0,4} (?:${CURRENCY})${END}`,
].map((source) => lazily(source, "gu"));

/** Finds amounts with their currency, in digits and words. */
export const amountsInArabicHebrew = inScript((text) =>
  AMOUNTS.flatMap((pattern) => matches(text, pattern, "MONEY", (amount) => !/^(?:1 )?ألف$| ألف$/u.test(amount))),
);

/** Words before the number of a document, an account, an order. */
const ID_WORDS = [
  "رقم|الرقم|رقمها?|ملف|فاتورة|الفاتورة|بطاقة(?: التعريف| الهوية)?|البطاقة|ببطاقة|هوية|جواز|حساب|آيبان|الآيبان|تذكرة|بلاغ|المراجع|لوحة|سيارتي|العقد|طلب|كود|شماره[ٔ\\p{M}]{0,1}|شماره ملی|شمارهش|کد(?: ملی| رهگیری| بیمه)?|پلاک|سریال|کارت|شبا|سند|قرارداد|پرونده|تیکت|گواهینامه|شناسه|نمبر|شناختی کارڈ",
  'מס[\'׳]|מספר|ת\\.ז\\.?|ת["״]ז|תעודת זהות|ח\\.?פ\\.?|ח["״]פ|ע\\.?מ\\.?|עוסק מורשה|חשבון|ח-ן|מחשבון|פוליסה|הזמנה|פנייה|חשבונית|קבלה|רישיון(?: נהיגה)?|הלוואה|תיק|שטר מטען|דרכון|נכס|כרטיס|המסתיים ב-?|בחשבונך|רכב|לוחית|אסמכתא|מס קבלה',
].join("|");
const TOKEN =
  "(?:[A-Z]{1,5} )?[#A-Z]{0,3}(?=[^\\s]{0,12}\\d)[A-Z\\d](?:[A-Z\\d]|[/.-](?=[\\dA-Z]))*(?: [\\dA-Z][\\dA-Z-]*(?![\\p{L}\\p{M}])){0,7}";
const AFTER_ID = lazily(
  `(?<![\\p{L}\\p{M}])[ולבהשמوبل]?(?:${ID_WORDS})(?:[ /](?:${WORD})){0,3}[ ]?[:：#]?[ ]?(${TOKEN})(?:-[اأبجدهو]-\\d|-الف|-ألف)?${END}`,
  "gu",
);
const PLATES = lazily(
  `(?<!\\d)\\d\\d ?${LETTER}{1,3} ?\\d{3} ?ایران ?\\d\\d(?!\\d)|(?<![\\d-])\\d{2,3}-\\d{2,3}-\\d{2,3}(?![\\d-])|(?<![\\d-])\\d{3,5}-[أابجدهو]-\\d{1,2}(?![\\d-])|(?<![\\d-])\\d{1,3}-\\d{2,3}-\\d{5,7}(?![\\d-])|\\d{1,4}-(?:الف|ألف)(?!\\p{L})`,
  "gu",
);
const isId = (id: string, { 0: whole }: RegExpMatchArray) => {
  if (/کالا|منتج|موديل|مدل|דגם|מוצר|פריט|קופון|خطا|خطأ|תקלה/u.test(whole!)) return false;
  const digits = id.replace(/\D/g, "").length;
  return digits >= 4 || (digits >= 3 && /[A-Z/-]/.test(id));
};
const SAYS_PHONE =
  /هاتف|جوال|موبايل|الموبايل|تلفن|همراه|تماس|موبایل|فون|טלפון|נייד|טל['׳]|פלאפון|נימ|ואטסאפ|بيت|تليفون|للتواصل|رقمك|אליי|ל-$/u;
const SAYS_ID =
  /رقم|كود|ملف|هوية|شماره|کد|پلاک|بیمه|ایران|תעודת|זהות|מספר|חשבון|قديم|اشتراك|بلاغ|جواز|ملی|قرارداد|סוזוקי/u;
const LONG_RUN = lazily(`${FREE}${NUMBER}(?:[ ,،]{1,2}(?:و ?|ו)?${NUMBER}){3,24}`, "gu");
/** A line with a telephone number alone, as a chat has it. */
const PHONES = lazily(
  `(?<=(?:${LETTER}|:|-) ?-?)(?<!\\d[ ./-]?)0\\d{1,2}[ /-]?\\d{3}[ -]?\\d{3,4}(?!\\d)|(?<=: |ل-|ל-|מ-)(?<!\\d)0?\\d{1,2}[/-]\\d{3}[ -]?\\d{3,4}(?!\\d)`,
  "gu",
);

/** Finds numbers of documents, accounts and telephones, in digits after a word for them, and in words. */
export const numbersInArabicHebrew = inScript((text) => [
  ...matches(text, AFTER_ID, "ID", isId, 1),
  ...matches(text, PLATES, "ID"),
  ...matches(text, PHONES, "PHONE"),
  ...matches(text, LONG_RUN, "PHONE").flatMap((match) => {
    const said = before(text, match.start, 48);
    const words = text.slice(match.start, match.end).split(/[ ,،]+/).length;
    const isPhone = SAYS_PHONE.test(said.slice(-24));
    if (!isPhone && SAYS_ID.test(said)) return [{ ...match, label: "ID" }];
    return isPhone || words >= 6 ? [match] : [];
  }),
]);

const PASSWORD_WORDS =
  "كلمة (?:ال)?(?:سر|مرور)|كلمه السر|الباسورد|باسورد|الرقم السري|رمز|الرمز|رمز عبور|گذرواژه|پسورد|کلمه عبور|پاس ورڈ|סיסמה|הסיסמה|סיסמא|הקוד|קוד|כספת";
const AFTER_PASSWORD = lazily(
  `${FREE}[ובלהو]?(?:${PASSWORD_WORDS})(?=[^\\n]{0,40}\\n?[^\\n]{0,24}[A-Za-z0-9])[^\\nA-Za-z0-9]{0,40}(?:\\n[^\\nA-Za-z0-9]{0,20})?((?=[^\\s]{0,24}\\d)[A-Za-z0-9][A-Za-z0-9@#$%&*!._-]{2,24}(?: \\d\\d){0,3}[A-Za-z0-9!#*])${END}`,
  "gu",
);
const OTHER_CODE =
  /תקלה|שגיאה|קופון|הנחה|מוצר|מיקוד|פריט|אבחנה|خطأ|خصم|منتج|بريدي|البريدي|تخفیف|خطا|کالا|پستی|رهگیری|ملی|QR|OTP?-/u;

/** Finds passwords and codes after a word for them. */
export const secretsInArabicHebrew = inScript((text) =>
  matches(
    text,
    AFTER_PASSWORD,
    "PASSWORD",
    (value, { 0: whole }) =>
      !OTHER_CODE.test(whole!) && (/\d{4}|\d\d \d\d/.test(value) || (/[A-Za-z]/.test(value) && value.length >= 6)),
    1,
  ),
);

/** Illnesses and operations, in Arabic, Persian and Hebrew. */
const ILLNESSES = [
  "الصدفية|الأكزيما|أكزيما|القولون العصبي|قرحة(?: المعدة)?|ارتجاع(?: المريء)?|النقرس|هشاشة العظام|خشونة \\p{L}+|عرق النسا|الدوالي|الجلوكوما|الماء الأبيض|المياه البيضاء|ضعف (?:عضلة )?القلب|تضخم \\p{L}+|(?:ال)?فشل (?:ال)?كلوي|تليف \\p{L}+|ورم(?: \\p{L}+)?|لوكيميا|سكر الحمل|تسمم الحمل|حمى \\p{L}+|(?:ال)?تيفوئيد",
  "فيروس سي|الفصام|ثنائي القطب|الوسواس القهري|فرط الحركة|متلازمة \\p{L}+|ضمور(?: \\p{L}+)?|شلل \\p{L}+|التصلب المتعدد|ألزهايمر|صداع نصفي|قسطرة(?: \\p{L}+)?|(?:ال)?غدة (?:ال)?درقية|الكوليسترول|ذبحة(?: \\p{L}+)?|احتشاء(?: \\p{L}+)?|رجفان(?: \\p{L}+)?|(?:ال)?زائدة (?:ال)?دودية|(?:ال)?انسداد (?:ال)?رئوي|نقص (?:فيتامين|المناعة|G6PD)|حصوات? \\p{L}+|حصى \\p{L}+|عملية (?:فتق|ليزك|البواسير|اللوزتين|المرارة)",
  "واریس|نقرس|سنگ (?:کلیه|صفرا)|کبد چرب|چربی خون|کلسترول|فتق|بواسیر|آپاندیسیت|آپاندیس|سزارین|بارداری|حاملگی|دیالیز|پیوند (?:کلیه|کبد|قلب|مغز استخوان)|لوپوس|پسوریازیس|اگزما|سندرم \\p{L}+|اسکیزوفرنی|دوقطبی|وسواس|هموفیلی|سل ریوی|مالاریا|ایدز|سینوزیت|استنت|بایپس|تومور(?: \\p{L}+)?|کیست \\p{L}+|گلوکوم|آب مروارید|ناباروری|آنژین(?: صدری)?|آریتمی|روماتیسم|عفونت \\p{L}+|کم ?خونی|کم ?کاری تیروئید",
  "כולסטרול(?: גבוה)?|גלאוקומה|קטרקט|אוסטיאופורוזיס|פיברומיאלגיה|לופוס|קוליטיס|ריפלוקס|בקע(?: מפשעתי| דיסק)?|טחורים|אבני(?:ם ב\\p{L}+| כליה| מרה)|דום נשימה(?: בשינה)?|הפרעה דו[- ]קוטבית|סכיזופרניה|דיסלקציה|תסמונת \\p{L}+|שיתוק מוחין|תת[- ](?:פעילות|תריסיות)|הפטיטיס [ABC]|שחפת|שפעת|אבעבועות(?: רוח)?|חצבת|דמנציה|אירוע מוחי|צינתור|כימותרפיה|לויקמיה|הפלה|פוסט[- ]טראומה|אלכוהוליזם|סינוזיטיס|ברונכיטיס|אקזמה",
  "ניתוח (?:כתף|עיניים|שקדים|קיסרי|קיצור קיבה|שרוול|כליה|כיס מרה|תוספתן|פרוסטטה|מוח|רחם|לב פתוח)|אלרגיה ל\\p{L}+|רגישות ל\\p{L}+|אי סבילות ל\\p{L}+|מחלת \\p{L}+|גידול (?:שפיר|ממאיר|ב\\p{L}+)|סוכרתית?|תלסמיה|המופיליה|ניוון \\p{L}+|הידבקות ב\\p{L}+|פריצת דיסק(?: [A-Z]\\d-[A-Z]\\d)?|קרע ב\\p{L}+|נקע(?: ב\\p{L}+)?",
  "(?:داء )?السكري(?: من النوع (?:الأول|الثاني))?|ارتفاع (?:ضغط الدم|الضغط|الكوليسترول)|ضغط الدم|الضغط المرتفع|الربو|التهاب \\p{L}+(?: \\p{L}+)?|استئصال \\p{L}+|قصور (?:القلب|الكلى|الغدة الدرقية)(?: الاحتقاني)?|سرطان \\p{L}+|فقر (?:الدم|دم)|الصرع|صرع|أنيميا(?: \\p{L}+)?|الروماتيزم|ملاريا|حصبة|غسيل (?:الكلى|كلى)|جلطة(?: \\p{L}+)?",
  "(?:مرض )?(?:القلب|الكلى)(?: المزمن)|حساسية من \\p{L}+|الشقيقة|الاكتئاب|اكتئاب|التوحد|الزهايمر|باركنسون|انزلاق غضروفي|كسر في \\p{L}+|زراعة \\p{L}+|تليف الكبد|الثلاسيميا|كورونا|الإيدز|السل|ديسك|البواسير|الفتق|حصى الكلى|عملية (?:قلب|الزائدة|الزائدة الدودية|قيصرية|المرارة)|مريضة? (?:سكري|ضغط|كلى|قلب|ربو)",
  "دیابت(?: نوع (?:یک|دو|[12]))?|فشار ?خون(?: بالا)?|پوکی استخوان|سکته(?: (?:قلبی|مغزی))?|نارسایی \\p{L}+|سرطان \\p{L}+|آسم|صرع|میگرن|افسردگی|آلزایمر|پارکینسون|اماس|ام اس|تالاسمی(?: \\p{L}+)?|کمکاری تیروئید|پرکاری تیروئید|کمخونی|آبمروارید|آب سیاه|لوسمی|کرونا|آنفلوانزا|آلرژی|بیشفعالی|اوتیسم|فلج مغزی|دیسک (?:کمر|گردن)|(?:عمل|تعویض) (?:مفصل )?(?:قلب|زانو|دیسک کمر|آپاندیس|لگن)",
  "شکستگی \\p{L}+|هپاتیت|آرتروز|رماتیسم|سنگ کلیه|فیبریلاسیون(?: \\p{L}+)?|کولیت|زخم معده|تشنج",
  "דלקת \\p{L}+(?: \\p{L}+)?|סוכרת(?: סוג [12]| הריון| נעורים)?|יתר לחץ דם|לחץ דם גבוה|אסת?מה|אלרגי[הת] ל\\p{L}+|כריתת \\p{L}+(?: מרה)?|סרטן ה?\\p{L}+|אפילפסיה|בלט דיסק|פריצת דיסק|פרקינסון|אלצהיימר|דיכאון|חרדה|מיגרנ(?:ה|ות)|גאוט|מלנומה|טיפוס|אי ספיקת \\p{L}+|שבץ(?: מוחי)?|התקף לב|אוטם|פרפור(?: פרוזדורים)?|שלשול\\p{L}*|צליאק|קרוהן|פסוריאזיס|אוטיזם|הפרעת קשב",
  "החלפת (?:ברך|ירך|מפרק)|ניתוח (?:טחורים|לב|ברך|קיסרי|מעקפים|בקע|קטרקט|גב)|שבר ב\\p{L}+|קורונה|צהבת|אנמיה|אוסטאופורוזיס|טרשת נפוצה|תת פעילות בלוטת התריס|בלוטת התריס|לוקמיה|לימפומה|אבנים בכליות|דיאליזה|הריון בסיכון|פג שבוע \\d\\d",
];
/** Ends of international names of medicines, and other names. */
const MEDICINES = [
  "\\p{L}{3,8}(?:كستين|زابين|تابين|ريدون|زيبام|ديبين|فيناك|بروفين|سيكلين|كونازول|نيدازول|سيكلوفير|تيدين|رالين|زولون|ميثازون|اروكسابان|جريل|إكسبان|بارين|فورمين|غليفلوزين|جليبتين)|ترامادول|مورفين|ليثيوم|ديباكين|تجريتول|كيبرا|ليريكا|زاناكس|سيبرالكس|لازيكس|كلكسان|زاريلتو|بلافيكس|ليبيتور|كريستور",
  "نورفاسك|أملور|بانادول|جانوفيا|جالفس|أماريل|دياميكرون|لانتوس|أوزمبيك|سيريتايد|سيمبيكورت|زيرتك|نكسيوم|بلاكنيل|هيوميرا|تاموكسيفين|روأكيوتان|فيتامين [دبأ]\\d*|حمض الفوليك|كوارتم|ايبوبروفين",
  "\\p{L}{3,9}(?:زپام|زولام|ترالین|کستین|الوپرام|پریدون|زاپین|تیاپین|مازپین|راستام|پرازول|تیدین|پروفن|وکسن|فناک|کسیب|الکسین|کسیم|ساسین|دازول|دوگرل|پارین|کسابان|ولول|تیازید|لاکتون|کلامید|کلازید|گلیپتین|مازول|زولون|متازون|بوتامول|لوکاست|یریزین|اتادین|ترکسات|کلروکین|لاموتریژین)|لیتیوم|دپاکین|والپروات|ترامادول|پلاویکس|لازیکس|آسنترا|سرتاید|سمبیکورت|اسپری سالبوتامول|قرص آهن",
  "\\p{L}{2,9}(?:סרטן(?<!^סרטן|[ \\n]סרטן)|אופראם|לופרם|רטרלין|קסטין|זפין|טיאפין|קוקסיב|טריפטן|פרופן|קלופנק|זולון|תזון|ציקלין|נידזול|קונזול|קסבן|דוגרל|ליפטין|גליפלוזין)|אדוויל|דקסמול|ויואנס|אטנט|לוסטרל|פריזמה|סרוקסט|קסנקס|קלונקס|ואליום|לוריוון|בונדורמין|קונקור|טריטייס|קדקס|פוסיד|מיקרופירין|פלביקס|אליקוויס|קסרלטו|קלקסן|ליפיטור|קרסטור|גלוקומין|אוזמפיק|לנטוס|הומלוג",
  "אותירוקס|פרדניזון|סרטייד|סינגולייר|זירטק|נקסיום|לוסק|קונטרולוק|מטוטרקסט|יומירה|פלקווניל|רואקוטן|דפלפט|טגרטול|קפרה|למיקטל|ליריקה|טופמקס|אלופורינול|מורפיום|מתדון|ליתיום|ויטמין [BD]\\d*",
  "\\p{L}{2,8}(?:سارتان|ارتان|ستاتين|استاتین|بريل|پریل|ولول|يلول|برازول|پرازول|زيبام|سيلين|سیلین|مايسين|ميسين|مایسین|فلوكساسين|دیپین|ديبين|سيميد|زماید|تروكسين|تیروکسین|فارين|فارین|پنتین|جابالين|ديازول|برامات|دروناي?ت|درونات|ريكسات|تركسيت|بوفير|لولول|متفورمین)",
  "(?:ال)?[أا]?نسولين|انسولین|ميتفورمين|متفورمین|باراسيتامول|بنسلين|البنسلين|أسبرين|الأسبرين|آسپرین|كونكور|ليفوثيروكس|أوجمنتين|بروفين|فنتولين|جلوكوفاج|ریتالین|متورال|فنیتوئین|وارفارین|استامینوفن|ژلوفن|پردنیزولون|كورتيزون|کورتون",
  "\\p{L}{2,8}(?:סטטין|פריל|ולול|פרזול|צילין|מיצין|פלוקסצין|דיפין|פורינול|תירוקסין|זפאם|פורמין|סמיד)|אינסולין|גלוקופאג['׳]|ריטלין|נורופן|אקמול|אופטלגין|אטופן|מוקסיפן|קומדין|אלטרוקסין|ציפרלקס|קונצרטה|אוגמנטין|סימביקורט|ונטולין|קרדילוק|אספירין|קנאביס רפואי",
];
/** Illnesses that are other words as well, after "has" or before it; blood groups and codes of diagnoses. */
const STATES = [
  "(?<=(?:عندي|عنده|عندها|معها|معه|معي|لديه|لديها|لدي|مريضة?) )(?:ضغط|سكر|سكري|ربو|قلب|كلى|غدة)(?: و(?:ضغط|سكر|سكري))?",
  "(?:فشار|قند|چربی|تیروئید)(?= (?:هم )?دار[مهد])",
  `(?<=(?:يعاني|تعاني|أعاني|عانى|عانت)(?: بدوره[اا]?)? من )(?!ال?(?:ألم|آلام|مشكل|مشاكل|صعوب|ضيق|نقص ال|عدم))${WORD}(?: (?:ال)?${LETTER}{4,12}(?=[.،]))?`,
  `(?<=(?:مصابة? (?:ب|بـ)|مبتلا به |مبتلای |חול[הת] ב|סובלת? מ-?|אובחנ?[הת]? (?:עם|ב) ?|אובחן עם ))(?!כאב|בעי|קושי|חוסר)(?:${WORD}|[A-Z]{2,6})`,
  "(?<=(?:گروه خونی|فصيلة الدم|زمرة الدم|סוג דם):? )(?:AB|A|B|O) ?(?:[+-]|مثبت|منفی|موجب|سالب|חיובי|שלילי)?",
  "(?<![\\w.])[A-TV-Z]\\d\\d\\.\\d{1,2}(?![\\w.%])",
];
/** A word before a dose. */
const DOSED = `${WORD}(?= \\d{1,4}(?:[.,٫]\\d{1,2})? ?(?:ملغ|مجم|ملجم|مغ|مل|میلیگرم|میلی گرم|م["״]ג|מ["״]ג|מג|mg)${END})`;
const HEALTH = [...STATES, ...ILLNESSES, ...MEDICINES, DOSED].map((source) =>
  lazily(`(?<=${FREE}[وبلהובמש]?)(?:${source})${END}`, "gu"),
);
/** Fields of medical notes, whose values are lists. */
const HEALTH_FIELD = lazily(
  `(?<=^|[\\n،,.;] ?)[ \\t-]{0,3}(?:السوابق(?: المرضية)?|(?:ال)?أمراض (?:ال)?مزمنة|الحساسية|حساسية|الأدوية الحالية|العمليات(?: السابقة)?|التاريخ الطبي|سابقه پزشکی|سابقه بیماری|حساسیت|داروهای مصرفی|מחלות רקע|מחלות|רגישויות|רגישות|אלרגיות|תרופות קבועות|ניתוחים(?: קודמים)?|تاريخ مرضي|التاريخ المرضي|التشخيص|العلاج|الأدوية|الدواء|الوصفة|الأمراض|سابقه|تشخیص|داروها|دارو|سوابق بیماری|רקע(?: רפואי)?|אבחנה|אבחנות|תרופות|טיפול תרופתי)[ ]?: ?([^\\n]{2,160})`,
  "gu",
);
const ITEM = lazily(`(?:${WORD}|[A-Z][A-Z\\d]{1,5})(?: (?:${WORD}|[A-Z]\\d?(?:-[A-Z]\\d)?${END})){0,3}`, "uy");
/** Words that end an item of such a list, or are no illness. */
const NO_ITEM =
  /(?: (?:سنة|عام|عولج.*|في|منذ|در|از|מ|ב|מרץ|לפי.*|בגיל.*|قبل|يوميا|مرتين|صبح|شب|هفتگی|وریدی|نصف|ימין|שמאל|ليلا|صباحا|بعد|هر|روزی))+(?: .*)?$/u;
const NO_ILLNESS =
  /^(?:لا|لا يوجد|ندارد|אין|ללא|حمية|مراجعة|كنترل|کنترل.*|رژیم.*|راحة|منظم|שלילי|תקין|קוד|מחוסן|بدون|נדרש|מנוחה|پیاده.*)(?: |$)/u;

/** Finds illnesses, operations and medicines, and the items of lists in medical notes. */
export const illnessesInArabicHebrew = inScript((text) => [
  ...HEALTH.flatMap((pattern) => matches(text, pattern, "HEALTH", (word) => !isStop(bare(word)))).filter(
    ({ end }) => text[end] !== ":",
  ),
  ...Array.from(text.matchAll(HEALTH_FIELD())).flatMap(({ 0: whole, 1: list, index }) =>
    items(list!, index + whole.length - list!.length),
  ),
]);

/** Returns the items of a list, each up to its dose or year. */
function items(list: string, at: number): Match[] {
  return Array.from(list.matchAll(/(?:^|[,،;+]|[.] )\s?/gu)).flatMap(({ 0: gap, index }) => {
    const pattern = ITEM();
    pattern.lastIndex = index + gap.length;
    const whole = pattern.exec(list)?.[0];
    const item = whole?.replace(NO_ITEM, "");
    if (!item || item.length < 3 || NO_ILLNESS.test(item)) return [];
    if (item.length === whole!.length && !/^ ?(?:[,،;.+(]|$|\d)/.test(list.slice(pattern.lastIndex))) return [];
    const start = at + index + gap.length;
    return [{ start, end: start + item.length, label: "HEALTH" }];
  });
}
