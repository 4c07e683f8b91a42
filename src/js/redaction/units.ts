// Units that belong to a number: currencies, and words for years of age.

/** The source of an expression for a space and a currency. */
const CURRENCY =
  "\\s?(?:TL|TRY|₺|lei|RON|Ft|HUF|forint|kr\\.?|kroner|kronor|SEK|NOK|DKK|Kč|CZK|korun|zł|PLN|złotych|лв\\.?|лева|грн|руб(?:\\.|лей)?|₽|€|EUR|eurot?|euros?|eura|eurų|£|\\$|CHF|đồng|VND|đ|rupiah|rupees|naira|pesos|reais|₦|₹)(?![\\p{L}\\p{N}])";
/** The source of an expression for a space and a word for years of age, in the cases that follow a number. */
const YEARS =
  "\\s(?:years? old|Jahre(?: alt)?|ans|años|anys|anni|anos|(?:de )?ani|jaar(?: oud)?|år|lat[a]?|let|rok[ůyov]+|godin[ae]|metų|éves|vuotta|vuotias|yaşında|tahun|tuổi|лет|года?|рок(?:ів|и)|годин[аи]|ετών)(?![\\p{L}\\p{N}])";

/** What follows a number and belongs to it: a currency after an amount, a unit after an age. */
export const UNITS: Record<string, RegExp> = {
  MONEY: new RegExp(`^${CURRENCY}`, "u"),
  AGE: new RegExp(`^${YEARS}`, "u"),
};

/** An amount with its currency. */
export const AMOUNT = new RegExp(`\\d(?:[\\d., ]*\\d)?${CURRENCY}`, "gu");
