// Names of months by language.

const NAMES: Record<string, string> = {
  en: "january february march april may june july august september october november december",
  "en short": "jan feb mar apr may jun jul aug sep oct nov dec",
  "en 4": "- - - - - - - - sept - - -",
  de: "januar februar märz april mai juni juli august september oktober november dezember",
  "de at": "jänner feber - - - - - - - - - -",
  "de short": "- - mär - - - - - - okt - dez",
  fr: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
  "fr short": "janv févr - avr - - juil - - - - déc",
  es: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
  "es short": "ene - - abr - - - ago - - - dic",
  it: "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
  pt: "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
  nl: "januari februari maart april mei juni juli augustus september oktober november december",
  pl: "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
  sv: "januari februari mars april maj juni juli augusti september oktober november december",
  da: "januar februar marts april maj juni juli august september oktober november december",
  no: "januar februar mars april mai juni juli august september oktober november desember",
  fi: "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
  cs: "ledna února března dubna května června července srpna září října listopadu prosince",
  sk: "januára februára - apríla mája júna júla augusta septembra októbra novembra decembra",
  hu: "január február március április május június július augusztus szeptember október november december",
  ro: "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
  hr: "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
  sl: "- - - aprila maja junija julija avgusta septembra oktobra novembra decembra",
  tr: "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
  ru: "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
  uk: "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
  bg: "януари февруари март април май юни юли август септември октомври ноември декември",
  el: "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου",
  he: "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר",
  ar: "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
  hi: "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
  et: "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
  "et case": "jaanuari veebruari märtsi aprilli - - - augusti septembri oktoobri novembri detsembri",
  lv: "janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris",
  "lv date": "janvārī februārī martā aprīlī maijā jūnijā jūlijā augustā septembrī oktobrī novembrī decembrī",
  "lv until":
    "janvārim februārim martam aprīlim maijam jūnijam jūlijam augustam septembrim oktobrim novembrim decembrim",
  lt: "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
  sq: "janar shkurt - prill - qershor korrik gusht shtator tetor nëntor dhjetor",
  "sq definite":
    "janarit shkurtit marsit prillit majit qershorit korrikut gushtit shtatorit tetorit nëntorit dhjetorit",
  "sr latin": "januara februara marta - - juna jula avgusta - - - -",
  "sl date": "januarja februarja - - - - - - - - - -",
  gl: "xaneiro febreiro - - maio xuño xullo - - outubro - decembro",
  ca: "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
  sr: "јануара фебруара марта априла маја јуна јула августа септембра октобра новембра децембра",
  id: "- - maret - - - - agustus - - - desember",
  ms: "- - - - - - julai ogos - - - disember",
  sw: "- - machi aprili - - - agosti septemba oktoba novemba desemba",
  tl: "- pebrero marso - - hunyo hulyo - setyembre oktubre nobyembre disyembre",
  is: "janúar febrúar - apríl maí júní júlí ágúst - október nóvember desember",
  "ar east": "- شباط آذار نيسان أيار حزيران تموز - أيلول - - -",
  fa: "فروردین اردیبهشت خرداد - مرداد شهریور - آبان آذر - بهمن اسفند",
};

/** The number of each month, from 1, and its language, by the name in lower case. The first language counts. */
export const MONTHS: ReadonlyMap<string, [number, string]> = (() => {
  const months = new Map<string, [number, string]>();
  for (const [language, names] of Object.entries(NAMES))
    for (const [n, name] of names.split(" ").entries())
      if (name !== "-" && !months.has(name)) months.set(name, [n + 1, language]);
  return months;
})();

/** Other forms of the names of months: nominative and locative. */
const FORMS =
  /^(?:(?:tammi|helmi|maalis|huhti|touko|kesä|heinä|elo|syys|loka|marras|joulu)kuu\p{L}{0,4}|(?:január|február|március|április|május|június|július|augusztus|szeptember|október|november|december)(?:ban|ben|tól|től|ig)|stycz(?:eń|niu)|lutym|marcu|kwiec(?:ień|niu)|kwietniu|maju|czerw(?:iec|cu)|lip(?:iec|cu)|sierp(?:ień|niu)|wrze(?:sień|śniu)|październiku?|listopad(?:zie|u)?|grud(?:zień|niu)|led(?:en|nu)|únoru?|březnu?|březen|dub(?:en|nu)|květ(?:en|nu)|červ(?:en|nu|enec|enci)|srp(?:en|nu)|říj(?:en|nu)|prosin(?:ec|ci)|(?:январ|феврал|апрел|июн|июл|сентябр|октябр|ноябр|декабр)[ьею]|март[еу]?|мае|август[еу]?|(?:січ|берез|квіт|трав|черв|серп|верес|жовт|груд)(?:ень|ні|нем)|лип(?:ень|ні)|листопаді?|siječ(?:anj|nju)|veljač[ai]|ožuj(?:ak|ku)|trav(?:anj|nju)|svib(?:anj|nju)|lip(?:anj|nju)|srp(?:anj|nju)|kolovozu?|ruj(?:an|nu)|prosin(?:ac|cu)|(?:ιανουάρι|φεβρουάρι|μάρτι|απρίλι|ιούνι|ιούλι|σεπτέμβρι|οκτώβρι|νοέμβρι|δεκέμβρι)ος?|(?:şubat|temmuz|ağustos)['’]?ta|(?:saus|vasar|baland|birž?el|rugpjūt|rugsėj|spal|lapkrit|gruod)(?:is|į|yje|iui)|(?:jaanuar|veebruar|märts|aprill|juuni|juuli|august|septemb|oktoob|novemb|detsemb)r?i(?:s|st|ni|ks|l)?)$/u;
/** Names of months that are also words or names: they need a preposition before them. */
const WORDLIKE = new Set(
  "may march april june august mai mars mart mei maj maja mayo abril avril marca lipca lipcu lipiec maju marcu května srpna srpen srpnu září ledna led ledu července červen ocak ekim kasım nisan eylül mayıs марта марте марту март мая мае май августа август travnja lipnja srpnja kolovoza augusti augusta márciusban listopad листопад листопада лютого липня dubna dubnu duben lutego lutym agosto juni juli july juin marzo maggio luglio giugno".split(
    " ",
  ),
);
/** Returns "always" for a word that is the name of a month, "after a preposition" for one that may be, or undefined. */
export function monthForm(word: string): "always" | "after a preposition" | undefined {
  const name = word.toLowerCase();
  if (WORDLIKE.has(name)) return "after a preposition";
  return name.length > 4 && (FORMS.test(name) || MONTHS.has(name)) ? "always" : undefined;
}
