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
  id: "- - maret - - - - agustus - - - desember",
};

/** The number of each month, from 1, and its language, by the name in lower case. The first language counts. */
export const MONTHS: ReadonlyMap<string, [number, string]> = (() => {
  const months = new Map<string, [number, string]>();
  for (const [language, names] of Object.entries(NAMES))
    for (const [n, name] of names.split(" ").entries())
      if (name !== "-" && !months.has(name)) months.set(name, [n + 1, language]);
  return months;
})();
