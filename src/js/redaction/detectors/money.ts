import { CODES, SCALES } from "../units.js";
import { inLanguages } from "./languages/languages.js";
import { before, type Detector, lazily, matches } from "./match.js";

/** A number, with thousands in groups, and ",-" for no cents. */
const NUMBER = "(?:\\d{1,3}(?:[ \\u00a0\\u202f.,'’٬]\\d{2,3}){1,4}|\\d+)(?:[.,](?:\\d{1,2}(?!\\d)|[-–—]{1,2}))?";
const SCALED = `${NUMBER}(?:\\s?(?:${SCALES}|Millione?n?|Mrd\\.?|k|milyar|milion\\p{L}{0,3}|milioni|tis[ií]c|tisoč|ezer|millió|tuhatta|хиляди|тысяч\\p{L}?|тисяч\\p{L}?|millones(?: de)?|mille|tusen|milljón\\p{L}{0,3}|hiljad[aeu]|tisuć[aeu]|tys\\.|mila|mije|к|χιλιάδες)(?!\\p{L}))?`;
/**
 * Words for currencies that are nothing else after a number, in the cases that follow one. units.ts has others as well
 * ("pounds", "won", "ft"): they count only in what a model takes for an amount.
 */
const WORDS = [
  "eur|euros?|euroa|euron|eurot|eurų|eurai|eurus|evr[aio]|evrov|euri|eura|eiro|euró\\p{L}{0,2}|avro|евро|евра|євро|ευρώ|dollars?|dollari|dólares|dolar(?:y|ów|ů|ja|a|i)?|долл\\p{L}{0,5}|долар\\p{L}{0,3}|bucks?|quid|pence|cents|centów|centimes|c[ée]ntimos|cêntimos|haléřů|groszy|öre|øre|francs?|franken|rupees?|rupaye|naira|shillings|shilingi|rands?|pesos?|reais|soles|yuan|dongs?|đồng|đ|guaran[ií](?:es)?|lempiras?|quetzales|bolívares|rupiah|baht|ringgit|fcfa|f cfa|escudos|meticais|dirhams?|dinara?|dinars|riyals?|cedis?|kwacha|taka|bob|dram|birr|tenge|lari|hryvnias?|lakhs?|lacs?|crores?|lpa|lek[eëu]|stutz|lucas|markkaa|marcos|pesetas|piastres|bolivianos|tisočak\\p{L}{0,2}|tk|m\\.kr\\.?",
  'kronor|kroner|kronen|krón(?:ur|u|a)|korun[aáyu]?|kč|kr|zł\\p{L}{0,5}|zlot\\p{L}{1,3}|forint\\p{L}{0,3}|lei|leva|лв|лева|kuna|kune|maraka|lir[ae]s?|tl|руб\\p{L}{0,4}|грн|гривень|гривн\\p{L}{1,3}|динар\\p{L}{0,2}|дин|spänn|balles|rubļ\\p{L}{1,3}|אירו|ريال[\\p{L}\\p{M}]*|ر\\.س|درهم[\\p{L}\\p{M}]*|دينار[\\p{L}\\p{M}]*|جنيه|ليرة|دولار|توما?ن|ریال|שקל\\p{L}*|ש["״]ח|रुपये|रुपए|টাকা|บาท|ብር|ლარ\\p{L}*|եվրո|теңге|бакс\\p{L}{0,3}',
];
const START = "(?<![\\p{L}\\d])(?<!\\d[.,/:-])";
const BEFORE = lazily(
  `(?<![\\p{L}\\p{N}])(?:[A-Z]{0,3}\\p{Sc}|(?:${CODES}|TZS|UGX|RWF|ETB|ZMW|QAR|KWD|BHD|OMR|JOD|NPR|XOF|XAF|KMF|AOA|BOB|GTQ|UYU|PYG|DOP|AZN|UZS|Bs\\.?|रु\\.?|ரூ\\.?|人民币|港幣|LBP|TND|DZD|Gs\\.|FCFA|Rs\\.?|K[Ss]hs?\\.?|TSh|[SU]sh\\.?|Sh\\.?|RM|Ph[Pp]|Fr\\.|kr\\.?|[Ee]uro)(?![\\p{L}]))[ \\u00a0]?${SCALED}(?:(?:[mM]|bn|mn| ?Mio\\.?)(?![\\p{L}\\d])|(?![\\p{L}\\d]))`,
  "gu",
);
const AFTER = WORDS.map((words) =>
  lazily(`${START}${SCALED}[ \\u00a0\\u202f]?(?:de )?(?:${words})(?![\\p{L}\\p{N}])`, "giu"),
);
const AFTER_CODE = lazily(
  `${START}${SCALED}[ \\u00a0\\u202f]?(?:\\p{Sc}|(?:${CODES}|usd|cad|aud|nzd|sgd|hkd|chf|zar|aed|inr|ngn|kes|ugx|ghs|kc|ron|gbp|pln|czk|zl|Kč|FCFA|CFA|XOF|XAF|KMF|din(?! A\\d)|DH|DT|Ft(?:-\\p{L}{1,3})?|د\\.\\p{L})(?![\\p{L}\\p{N}])|(?:руб\\.|р\\.|р(?![\\p{L}\\p{N}.]))(?:\\s?\\d{2}\\s?коп\\.?)?)`,
  "gu",
);
/**
 * Codes in lower case, and letters before amounts in Africa and Asia. Only these of CODES: "all 3", "try 2", "pen 5" and
 * others are words.
 */
const LOWER = lazily(
  `(?<![\\p{L}\\p{N}])(?:usd|eur|gbp|chf|cad|aud|nzd|zar|ngn|kes|ugx|ghs|php|inr|pkr|aed|myr|sgd|jpy|dkk|sek|nok|pln|huf|czk|brl|mxn|isk|[Tt]k\\.?|[Bb]irr|rp\\.?|rs\\.?|sfr\\.?|[sS]\\/\\.?|(?:nz|nt|hk|us|au|ca|sg|[acrs])\\$|[uU]\\$[sSdD]?|\\$[UbB]|ksh|tsh|K[Ss][Hh]|TSH|LEI)\\s?${SCALED}(?![\\p{L}\\d])|(?<![\\p{L}\\p{N}/.-])(?:[RNPK]|rm)(?:\\d{1,3}(?:[ ,]\\d{3}){1,3}(?:\\.\\d\\d)?|\\d{1,3}(?:\\.\\d\\d?)?(?:m|\\s?million|k)(?!\\p{L}))(?![\\p{L}\\d])`,
  "gu",
);
/** Letters before an amount with two decimals, and an amount with a sign for no cents: "R 8 410.00", "L 45,000.00", "14 990,-", "2 350:-". */
const DECIMALS =
  /(?<![\p{L}\p{N}./-])(?:[RLQ] ?\d{1,3}(?:[ ,]\d{3}){0,2}[.,]\d\d|Q\d{3,4}|rm \d{1,3}(?:(?:,\d{3})+(?:\.\d\d)?|\.\d\d))(?![\p{L}\d]|[.,]\d)|(?<![\p{L}\p{N}.,/-])\d{1,3}(?:[ .\u00a0]?\d{3}){0,2}(?:,-{1,2}|:-)(?![\p{L}\d])/gu;
/** Such letters before a number without thousands need a word for a payment: "R12 gas", "N95 mask". */
const PAID = lazily(
  `(?<=(?<!\\p{L})(?:paid|pay|charged?(?: me)?|subtotal|taxi is|fare|owes?|fees?|cost|price|total|short|deposit|balance|worth|refund|cash|send|recharge)(?: (?:of|is|for|you|was|twice|me|=))?[: ]{1,20})(?:[RNPK]\\d{2,4}|rm\\d{2,4})(?:\\.\\d\\d)?(?![\\p{L}\\d/-]|[.,]\\d)`,
  "giu",
);
/** Thousands with F for an African franc or Q for a quetzal, and with a Vietnamese or Indonesian word. */
const THOUSANDS =
  /(?<![\p{L}\p{N}.,/-])\d{1,3}(?:[ .\u00a0\u202f]\d{3}){1,3} ?[Ff](?![\p{L}\p{N}])|(?<![\p{L}\p{N}])Q\d{1,3}(?:,\d{3}){1,2}(?:\.\d\d)?(?![\p{L}\p{N}])|(?<![\p{L}\p{N}.,/-])\d{1,4}(?:[.,]\d{1,3})? ?(?:rb|ribu|jt|juta|nghìn|ngàn|triệu)(?![\p{L}\p{N}])/gu;
/** Colloquial words for banknotes, "#45,000" in Nigeria, "18k/mo", "215 us", and the sign "/-" or "/=" after an amount, as in India and East Africa. */
const BANKNOTE =
  /(?<!\p{L})(?:a |one )?(?:fiver|tenner)(?!\p{L})|(?<![\p{L}\p{N}#&])#\d{1,3}(?:,\d{3}){1,3}(?![\p{L}\p{N},-])|(?<![\p{L}\p{N}.,/-])\d{1,3}k(?=\/(?:mo|month|yr|year|wk|week)(?!\p{L})|,? (?:pcm|p\.?a\.?|an? (?:month|year))(?!\p{L}))|(?<![\p{L}\p{N}.,/-])\d{2,5} us(?=\s?(?:[.,!?]|\n|$))|(?<![\p{L}\p{N}.,/-])\d{1,3}(?:,\d{2,3}){0,3}(?:\.\d\d)?\/[-=](?![\p{L}\p{N}])/giu;
/** Numbers in English words. */
const ONE =
  "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\w{3,5}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)";
const IN_WORDS = lazily(
  `(?<![\\p{L}\\p{N}-])(?:(?:a|half a) (?=hundred|thousand|million))?${ONE}(?:[ -](?:and )?${ONE}){0,8}(?: and a half)? (?:dollars?|euros?|bucks|quid|pounds|pesos|rupees|naira|shillings|rand|bob|cedis|grand(?! (?:pianos?|prix|slams?|hotels?|total|old|jur|sons?|children)))(?:(?: and)? ${ONE}(?:[ -]${ONE})? (?:cents|pence|shillings)|(?<=pounds|dollars) ${ONE}(?:[ -]${ONE})?(?=\\s?(?:[.,;!?\\n]|$)))?(?![\\p{L}])`,
  "giu",
);
/** Words before and after pounds that are a weight. */
const WEIGHT = /(?:weigh\w*|los[et]\w*|gain\w*|heav\w*|lift\w*)\P{L}{1,2}(?:\p{L}+\P{L}){0,2}$/iu;
const isPrice = (word: string, { input, index }: RegExpMatchArray) =>
  !/pounds/i.test(word) ||
  (!WEIGHT.test(before(input!, index!, 30)) && !/^ (?:of|heav|overweight)/.test(input!.slice(index! + word.length)));
/**
 * Codes that mean other things as well ("COP 26", "INR 2,4" of the blood, "php 8.2", Norwegian "nok", seconds), spoonfuls
 * ("2 TL Salz"), and times a day ("2 р. в день").
 */
const CODE_OR_WORD =
  /^(?:ALL|TRY|PEN|MAD|COP|GEL|INR|php|inr|nok|sek|cad|isk|huf|myr|[sS]\/|[tT][sS][hH])|(?:ALL|TRY|PEN|MAD|COP|GEL|INR)$/u;
const UNIT = /(?:tl|р\.?|tk|d[ht])$/iu;
/** A name after a number. */
const NAME = /\d Bob$/u;
const isAmount = (word: string) =>
  !NAME.test(word) &&
  !/^RM ?00/.test(word) && // a medical record
  (CODE_OR_WORD.test(word) ? /\d{3}|[.,]\d{2}(?!\d)/.test(word) : !UNIT.test(word) || /\d\D?\d/.test(word));
/** The same in scripts without spaces between words. */
const UNSPACED =
  /(?:\d[\d,.]*(?:[万千百億亿만천]\d{0,4}){0,2}|[一二三四五六七八九十百千万萬两〇零]{2,12}|[一二三四五六七八九][百千万])\s?(?:円|元(?!素)|块|圓|원|만원|米ドル|ユーロ|유로|달러|欧元|美元)/gu;

/** Finnish: "e" for euro, which is the word for "and" in Romance languages. */
const FINNISH_EURO = /(?<![\p{L}\p{N}.,/-])\d{1,3}(?: ?\d{3})?(?:,\d\d)? ?e(?![\p{L}\p{N}]| \d)/gu;
const FINNISH = /(?<!\p{L})(?:ja|on|ei|mutta|että|hinta|oli|vielä|kun|alv|myydään|mulle|klo|ok)(?!\p{L})/iu;

/** Finds amounts with their currency: "$189.99", "CHF 87.35", "18 400 zł", "38 mil dólares". */
export const money: Detector = {
  labels: ["MONEY"],
  find: (text) => [
    ...[BEFORE, AFTER_CODE, ...AFTER, LOWER, DECIMALS, PAID, BANKNOTE, THOUSANDS, UNSPACED].flatMap((pattern) =>
      matches(text, pattern, "MONEY", isAmount),
    ),
    ...matches(text, IN_WORDS, "MONEY", isPrice),
    ...inLanguages("amounts", text),
    ...(/[äö]/.test(text) && FINNISH.test(text) ? matches(text, FINNISH_EURO, "MONEY") : []),
  ],
};
