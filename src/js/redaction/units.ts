// Units that belong to a number: currencies, and words for years of age.

/** Codes of currencies. They are in capitals: "ALL" and "TRY" are words otherwise. */
export const CODES =
  "EUR|USD|GBP|CHF|SEK|NOK|DKK|ISK|CZK|PLN|HUF|RON|BGN|HRK|RSD|BAM|MKD|ALL|MDL|TRY|RUB|UAH|GEL|AMD|KZT|INR|PKR|BDT|LKR|NGN|KES|GHS|ZAR|EGP|MAD|AUD|CAD|NZD|JPY|CNY|HKD|SGD|TWD|KRW|THB|MYR|PHP|IDR|VND|BRL|MXN|ARS|COP|CLP|PEN|ILS|AED|SAR|TL|Rp";
/** Words for currencies, in the cases that follow a number. */
const WORDS =
  "eiro|evr[aioe]\\p{L}?|avro|евро|markkaa|escudos|bolivianos|piastres|pesetas|marcos|lek[ëeu]|shiling[ia]|eur[oóiuųaų]?\\p{L}{0,4}|dol+[aá]r\\p{L}{0,3}|dólar\\p{L}{0,2}|pounds?|quid|bucks?|pence|pennies|cents?|lakhs?|crores?|centów|libras?|funt\\p{L}{0,3}|fran[ckç]s?|frank\\p{L}{1,3}|kron\\p{L}{1,3}|kroon\\p{L}{0,2}|koron\\p{L}{0,2}|korun\\p{L}{0,2}|kr|kč|zł\\p{L}{0,6}|zloty\\p{L}{0,2}|forint\\p{L}{0,3}|ft|lei|leva|лв|лев\\p{L}{0,2}|kun[aeu]|dinar\\p{L}{0,2}|динар\\p{L}{0,2}|дин|lir[aey]\\p{L}?|rub(?:l\\p{L}{1,2}|li)|руб\\p{L}{0,4}|грн|гривен\\p{L}{0,3}|гривн\\p{L}{0,3}|rupees?|rs|naira|shillings?|ksh|rands?|pesos?|reais|soles|yuan|yen|won|rupaye|रुप\\p{M}?[\\p{L}\\p{M}]{1,3}|डॉलर|টাকা[\\p{L}\\p{M}]{0,2}|ரூபாய்?|రూపాయ\\p{M}?[\\p{L}\\p{M}]{0,3}|રૂપિયા|ਰੁਪਏ|ರೂಪಾಯಿ|രൂപ|ლარ\\p{L}{0,2}|դրամ\\p{L}{0,2}|ብር|теңге|shilingi|dongs?|đồng|đ|rupiah|baht|ringgit|ден|ευρώ|ευρω";
/** Words for thousands and millions before a currency. */
export const SCALES =
  "thousand|million|billion|lakh|crore|ribu|rb|juta|jt|tys\\.?|mln|mio|mil|nghìn|triệu|bin|milyon|тыс\\.?|млн\\.?|тис\\.?";
/** The source of an expression for a space and a currency after an amount. */
const CURRENCY = `(?:\\s?(?:${SCALES})(?![\\p{L}]))?\\s?(?:\\p{Sc}|(?:${CODES}|Ft|Kč|Kr|Rs|Euros?|Lei|${WORDS})(?![\\p{L}\\p{N}]))`;
/** The source of an expression for a space and a word for years of age, in the cases that follow a number. */
const YEARS =
  "\\s(?:years? old|jahre(?: alt)?|ans|años|anys|anni|anos|(?:de )?ani|jaar(?: oud)?|år|lata?|let|rok[ůyov]+|godin[ae]|metų|gad[ui]|aastat?|éves|vuotta|vuotias|yaşında|tahun|tuổi|лет|года?|рок(?:ів|и)|годин[аие]|ετών|χρονών|साल|वर्ष|बरस|বছর[\\p{L}\\p{M}]{0,3}|வயது|ఏళ్ల?|સાલ|વર્ષ[\\p{L}\\p{M}]{0,3}|ਸਾਲ|წლის|տարեկան|ዓመት)(?![\\p{L}\\p{N}])";

/** What follows a number and belongs to it: a currency after an amount, a unit after an age. */
export const UNITS: Record<string, RegExp> = {
  MONEY: new RegExp(`^${CURRENCY}`, "u"),
  AGE: new RegExp(`^${YEARS}`, "iu"),
};

/** An amount with its currency. */
export const AMOUNT = new RegExp(`(?<![\\p{L}\\d.,])\\d(?:[\\d., ]*\\d)?${CURRENCY}`, "gu");
/** A number with a word for years. */
export const YEARS_OF_AGE = new RegExp(`(?<!\\d)\\d{1,3}${YEARS}`, "giu");
/** A sign, code or word for a currency. */
export const CURRENCIES = {
  test: (text: string) => SIGN_OR_CODE.test(text) || WORD.test(text),
};
const SIGN_OR_CODE = new RegExp(`\\p{Sc}|(?<!\\p{L})(?:${CODES}|Ft)(?!\\p{L})`, "u");
const WORD = new RegExp(`(?<!\\p{L})(?:${WORDS}|grand|đ)(?!\\p{L})`, "iu");
