// Rules for texts in Cyrillic and Greek script, with capitals and as speech without them.
import { isSpeech, isWord } from "../../words.js";
import { isGivenName } from "../given-name-known.js";
import { type Lazy, lazily, type Match, matches } from "../match.js";
import { MONTHS, monthForm } from "../months.js";
import { isKnown } from "../place-names.js";
import { isNumberWord } from "../spoken-number.js";

const SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;
const START = "(?<![\\p{L}\\p{M}\\p{N}@._/-])";
const END = "(?![\\p{L}\\p{M}\\p{N}])";
const PART = "\\p{Lu}[\\p{L}\\p{M}'’-]{0,24}";
const NAME = `${PART}(?:[ ](?:и |й |та |του |της )?${PART}){0,3}`;
const SMALL = "\\p{Ll}[\\p{L}\\p{M}'’-]{2,24}";
const QUOTED = '[«„“"][^»”“"„\\n]{2,45}[»”“"]';

/** Returns a function that reads only texts with a letter of these scripts. */
const inScript =
  (...finds: ((text: string) => Match[])[]) =>
  (text: string): Match[] =>
    SCRIPT.test(text) ? finds.flatMap((find) => find(text)) : [];
/** Returns a function that finds a group of an expression. */
const group =
  (label: string, pattern: Lazy, isMeant?: (word: string, groups: RegExpMatchArray) => boolean, at = 0) =>
  (text: string): Match[] =>
    matches(text, pattern, label, isMeant, at);

/** Verb forms and participles, by their endings. */
const VERB =
  /(?:[аеиіоуыюяї]л[аиоі]?|[аеиіыуюя]ть?ся|[аеиуіюяы]ть|[аиіу]ти|[аеєиуіюяї]т|[аеіиїєо]мо?|шься?|ши|вши|йте|ете|ите|ава|ява|εις|ει|ουμε|ουν|ετε|ηκε|ησε|ωσε)$/u;
/** Returns whether a word in lower case can be a name: no word, verb or number. */
const mayName = (word: string) => !isWord(word) && !isNumberWord(word) && !VERB.test(word);

/** Abbreviations of authorities, insurers, schools and large companies. */
const ABBREVIATION = lazily(
  `${START}(?:\\p{sc=Cyrl}{1,5}(?:ГУ|НУ|ГТУ|НТУ|ГПУ|ГМУ|ГАУ|НМУ|НПУ)|НАП|НОИ|НЗОК|ФНС|МВД|МВС|МВР|ФСБ|СБУ|МЧС|ДСНС|МФЦ|ЦНАП|ЗАГС|ПФР|ПФУ|СФР|ФСС|ФСИН|УФМС|ФМС|ДМС|УМВД|ГИБДД|ГАИ|ГУВД|РУВД|ЖЭК|ЖЕК|РЖД|РЖДМ|ВТБ|МТС|АТБ|БДЖ|БНБ|ДСК|УБД|РАН|НАН|БАН|БНТ|МГИМО|ВШЭ|МИФИ|МФТИ|КПІ|УКУ|УНСС|РФЗО|ПИО|МУП|РЗСО|ДЕЗ|ΔΕΗ|ΟΤΕ|ΕΥΔΑΠ|ΕΥΑΘ|ΕΦΚΑ|ΙΚΑ|ΑΑΔΕ|ΟΑΕΔ|ΔΥΠΑ|ΕΟΠΥΥ|ΑΠΘ|ΕΚΠΑ|ΕΜΠ|ΔΠΘ|ΑΣΟΕΕ|ΟΠΑ|ΔΙΠΑΕ|ΠΑΔΑ|ΤΕΙ|ΚΤΕΛ|ΕΛΤΑ|ΟΣΕ|ΕΡΤ|ΕΛΑΣ|ΕΛΓΟ|ΟΠΕΚΕΠΕ)(?: (?:им|ім)\\. ?(?:\\p{Lu}\\. ?){0,2}${PART})?${END}(?![»“-])`,
  "gu",
);
/** An abbreviation or a kind in lower case before a name in quotation marks. */
const BEFORE_QUOTE = lazily(
  `${START}(?<!\\p{Lu}{2} )(?:\\p{Lu}{2,6}|\\p{Lu}\\p{L}{1,6}\\p{Lu}{2,4})[ ]${QUOTED}`,
  "gu",
);
/** Units of authorities before the place they are for. */
const AUTHORITY = lazily(
  `${START}(?:(?:[ОРГ]?У?ВД|ОУФМС|УМВД|ОМВД|УВД|РОВД|МРЕО|ОВД|ЗАГС|РАГС|РВ|МВ|ТП)(?: \\p{Lu}{2,4})?(?: (?:России|України))?(?: по| в| у)?|(?:[Лл]іце|[Гг]імназі|[Гг]имнази|[Шш]кол|[Лл]ице|ЗОШ|СОШ|ДНЗ|[Дд]етск\\p{L}{2,3} сад|[Сс]ад)\\p{L}{0,3} № ?\\d{1,4}) (?:[гмс]\\.|гор\\.|міста|города|района|району) ?${NAME}`,
  "gu",
);
/** Names of two or more words of which the last says what they are. */
const LAST_WORD = lazily(
  `${START}${PART}(?:[ ]\\p{L}[\\p{L}’'-]{2,20})?[ ](?:Банк|Такси|Таксі|Сервис|Сервіс|Трейд|Трейдинг|Груп|Групп|Строй|Буд|Маркет|Авто|Логистик|Логістик|Логистика|Транс|Телеком|Мебель|Меблі|Плюс|Холдинг|Консалт|Фарма?|Мед|Агро|Софт|Тур|Турс|Пром|Енерго|Энерго|Гаранти?я?|Комерц|Банка)${END}`,
  "gu",
);
/** What stands before the name of a company at the beginning of a call, and after it. */
const OPENING = lazily(
  `(?:^|\\n|: )[ ]?(?:(?:алл?о|да|так|слушаю|здравствуйте|добр\\p{L}{2} д\\p{L}{2,3}|добрий день|доброго дня|добър ден|здравейте|вас приветствует|это|це|καλημέρα|καλησπέρα|σας|ναι|παρακαλώ|εδώ)[ ]){1,4}(${SMALL}(?: ${SMALL}){0,2})[ ](?=(?:слуша[юе]|слуха[юєа]|оператор|на л[иі]н|меня зовут|мене звати|чим могу|чим можу|ονομάζομαι|λέγομαι|παρακαλώ|πώς μπορώ|в какво))`,
  "gu",
);
/** Stems of words for organisations. */
const KINDS =
  "больниц|роддом|школ|садик|поликлиник|клиник|клінік|лікарн|поліклінік|аптек|фабрик|завод|гимнази|гімназі|лице|болниц|университет|університет|институт|інститут|академи|академі|колледж|коледж|техникум|комбинат|комбінат|фирм|фірм|компани|компані|агентств|агенці|агенція|ресторан|гостиниц|отел|готел|хотел|магазин|крамниц|кафе|кав['’]ярн|санатори|фонд|театр|музе|суд|министерств|міністерств|філармоні|консерватори|библиотек|бібліотек|φαρμακείο|νοσοκομείο|ταβέρνα|εταιρεία|εταιρία|μεταφορική|σχολείο|γυμνάσιο|λύκειο|ξενοδοχείο";
const ADJECTIVE = "(?:ая|ий|ый|ой|ое|ого|ої|ою|а|е|и|і|ій|у|ο|η|το|ι|ου|ης)";
const KIND_IN_SPEECH = lazily(
  `(?<![\\p{L}\\p{M}])(?:${KINDS})\\p{L}{0,4}[ ](?:(?:им\\p{L}{2,3}|імені)[ ])?((?:\\p{Ll}{2,16}${ADJECTIVE}[ ])?${SMALL})`,
  "gu",
);
const NUMBERED = lazily(`(?<![\\p{L}\\p{M}])(?:${KINDS})\\p{L}{0,4}[ ]номер[ ](?=(\\p{L}+))`, "gu");
/** A kind before a name of an adjective and a noun: "фонд Добрый свет". */
const BEFORE_ADJECTIVE = lazily(
  `${START}(?:[Кк]омпани|[Фф]онд|[Мм]агазин|[Кк]афе|[Аа]птек|[Кк]рамниц|[Сс]алон|[Рр]есторан|[Сс]туди|[Кк]луб)\\p{L}{0,3}[ ]\\p{Lu}\\p{Ll}{2,16}(?:ий|ый|ая|ое|ые|ого|ой|ій|ої)[ ](${SMALL})${END}`,
  "gu",
);
/** An adjective of a place before a kind, and what the kind is for. */
const OF_PLACE = lazily(
  `${START}\\p{Lu}\\p{L}{2,24}(?:[сц]ь?к|восточн|западн|северн|южн|центральн)(?:\\p{L}{1,3})[ ](?:\\p{Ll}{4,18}(?:[ыио]й|ого|ому|ом|а|о[їйею]|у|ую|ая|а|ій)[ ]){0,2}(?:(?:${KINDS})\\p{L}{0,3}(?:[ ]\\p{Ll}{4,20}(?:ия|ии|ів|ов|ства|ики|іки))?|(?:обласн|міськ|районн|дитяч|клінічн|областн|городск|детск|клиническ)(?:ої|ій|у|а|ой|ую|ая))${END}`,
  "gu",
);
/** A name with a letter after a hyphen, as companies have it. */
const WITH_LETTER = lazily(`${START}\\p{Lu}\\p{Ll}{2,16}-\\p{Lu}${END}(?!-)`, "gu");
/** A name in quotation marks before a kind or legal form in Kazakh. */
const BEFORE_KAZAKH = lazily(`${QUOTED}[ ](?:ЖШС|АҚ|ЖК|\\p{L}{3,20}(?:сы|сі|ы|і)${END})`, "gu");

/** Returns whether two words after a kind in speech are a name: none of them is a word or a case form. */
const isNameInSpeech = (name: string) =>
  name.includes(" ") && name.split(" ").every((word) => mayName(word) && !/(?:ому|ами|ях|ах)$/u.test(word));

/** What a bank writes before the name of a shop: a payment and its amount. */
const PAYEE = lazily(
  `(?<!\\p{L})(?:[Пп]окупка|[Оо]плат[аы]|[Сс]писан(?:о|ие|ня)|[Кк]упівля|[Пп]лащане|[Пп]латежа?|[Уу]плата|[Αα]γορά|[Χχ]ρέωση|[Пп]лаћање)[^\\n]{0,24}?(?:[₽₴€₸]|грн|руб|р|RUB|UAH|BGN|EUR|RSD|KZT|лв|дин|тг)[.,:]{0,2} (?:в |у |при |на |от |σε )?(\\p{Lu}[\\p{L}\\p{M}\\p{N}'’&.-]{2,20}(?: \\p{Lu}[\\p{L}\\p{M}\\p{N}'’&-]{0,20}){0,3})(?=$|[\\n,;]|\\.(?:\\s|$)| \\d)`,
  "gmu",
);
/** A trader by the family name and initials. */
const TRADER = lazily(`${START}(?:ИП|ФОП|ЧП|ЕТ)[ ]${PART}(?: \\p{Lu}\\. ?\\p{Lu}\\.?| ${PART}){1,2}`, "gu");

/** Finds organisations with a number in words. */
const numbered = (text: string): Match[] =>
  Array.from(text.matchAll(NUMBERED())).flatMap(({ 0: kind, 1: number, index }) =>
    isNumberWord(number!)
      ? [{ start: index, end: endOfNumbers(text, index + kind.length), label: "ORGANIZATION" }]
      : [],
  );

/** Finds organisations by abbreviations, by words beside a name, and in speech. */
export const cyrillicGreekOrganizations = inScript(
  group("ORGANIZATION", ABBREVIATION),
  group("ORGANIZATION", BEFORE_QUOTE, (word) => !/^(?:ГОСТ|ТУ|ПДВ|НДС|ДДС|ФПА|ΦΠΑ|УПД|СНиП|ДСТУ)/u.test(word)),
  group("ORGANIZATION", AUTHORITY),
  group("ORGANIZATION", LAST_WORD, (word) => !isWord(word.split(" ")[0]!)),
  group("ORGANIZATION", BEFORE_ADJECTIVE, (_, [, noun]) => !isWord(noun!)),
  group("ORGANIZATION", OF_PLACE),
  group("ORGANIZATION", WITH_LETTER, (word) => !isWord(word.slice(0, -2))),
  (text) => (/[әғқңөұүһ]/.test(text) ? matches(text, BEFORE_KAZAKH, "ORGANIZATION") : []),
  group("ORGANIZATION", PAYEE, (name) => !isWord(name.split(" ")[0]!), 1),
  group("ORGANIZATION", TRADER),
  numbered,
  (text) =>
    /\p{Lu}\p{Ll}/u.test(text)
      ? []
      : [
          ...matches(
            text,
            OPENING,
            "ORGANIZATION",
            (name) => !name.split(" ").some((one) => isWord(one) || isNumberWord(one) || isGivenName(one)),
            1,
          ),
          ...matches(text, KIND_IN_SPEECH, "ORGANIZATION", isNameInSpeech, 1),
        ],
);

/** A word in lower case after a preposition of place. */
const AFTER_PREPOSITION = lazily(
  `(?<=(?<!\\p{L})(?:в|во|из|до|от|через|под|з|із|зі|у|від|на|през|за|към|край|од|кон|из|код|από|στη|στην|στο|στα|για|προς|την|τη)[ ])${SMALL}${END}`,
  "gu",
);
const SETTLEMENT = lazily(
  `(?<!\\p{L})(?:село|деревня|пос[её]лок|станица|хутор|селище|смт|χωριό)[ ]((?:\\p{Ll}{2,16}(?:ие|ые|ое|ая|ий|ый|е|і|а|о)[ ])?${SMALL})${END}`,
  "gu",
);
/** Words that stand between a settlement and its street. */
const NO_PLACE = /^(?:ул|вул|дом|буд|квартир|числ|райо|област|к[ао]нец|все|наш|мое|моє|сво)|^\p{L}+(?:ое|ая|ый)$/u;

/** Finds places in lower case: known ones after a preposition, and the names of settlements. */
export const cyrillicGreekPlaces = inScript(
  group(
    "LOCATION",
    AFTER_PREPOSITION,
    (word) => word.length > 3 && !isWord(word) && !isGivenName(word) && isKnown(word),
  ),
  (text) =>
    /\p{Lu}\p{Ll}/u.test(text)
      ? []
      : matches(text, SETTLEMENT, "LOCATION", (name) => mayName(name) && !NO_PLACE.test(name), 1),
);

const KIND_OF_STREET =
  "(?:[Уу]л|[Вв]ул|[Пп]росп|[Пп]р|[Пп]р-т|[Пп]р-кт|[Пп]ер|[Пп]ров|[Бб]ул|[Бб]ульв|[Бб]-р|[Нн]аб|[Пп]л|[Шш]|[Пп]р-д|[Мм]кр|[Жж]к|[Кк]в-л|[Λλ]εωφ|Λ)\\.? ?|(?:[Уу]лиц[аеуы]|[Вв]улиц[яіюи]|[Пп]роспект\\p{L}?|[Пп]ереул\\p{L}{2}|[Пп]ровул\\p{L}{2,3}|[Бб]ульвар\\p{L}?|[Бб]улевар|[Нн]абережн\\p{L}{2}|[Пп]лощад\\p{L}|[Пп]лоща|[Шш]оссе|[Пп]роезд\\p{L}?|[Οο]δός|οδού?|[Λλ]εωφόρο[ςυ]?|πλατεία|Πλατεία|[Жж]илой комплекс|[Жж]\\.к\\.)[ ]";
const UNIT =
  "(?:,? ?(?:д|дом|буд|будинок|№|бл|блок|к|корп|корпус|стр|оф|офис|кв|квартира|ап|вх|вход|ет|эт|п|под|подъезд|під['’]їзд|пов|апт|стан|όροφος|διαμ)\\.? ?№? ?\\d{1,4}[\\p{L}]?)";
const HOUSE = `(?:,? ?\\d{1,4}(?: ?\\p{Lu}(?![\\p{L}])|\\p{Ll}(?!\\p{L}))?(?:[/-]\\d{1,4}\\p{L}?)?(?!\\p{L})|${UNIT})${UNIT}{0,4}`;
const TOWN = `(?:(?:\\d{4,6},? )?(?:${PART} (?:обл|р-н|край|район|область)\\.?,? )?(?:(?:г|гр|м|с|гор|смт|пос|п|пгт|дер|ст)\\. ?${NAME},? |(?<=\\d{4,6},? )${NAME}, ))`;
const STREET = lazily(
  `${START}${TOWN}?(?:(?:${KIND_OF_STREET})(?:[«„"]${NAME}[»“"]|(?:\\d{1,3}(?:-\\p{Ll}{1,2})? )?${NAME}|\\d{1,3}[ -]\\p{L}{2,12}(?: \\p{L}{3,16})?)|${NAME} (?:ул|вул|пр-т|пер|просп|бул)\\.?)${HOUSE}(?:, (?:\\d{4,6} )?${PART}(?=$|[\\n,;.)]))?`,
  "gmu",
);
/** A street of Greece with a postcode. */
const GREEK_STREET = lazily(
  `${START}(?:[Οο]δός )?\\p{Lu}[\\p{sc=Grek}.]{1,24}(?: \\p{Lu}[\\p{sc=Grek}.]{1,24}){0,2} \\d{1,3}\\p{Lu}?,? (?:ΤΚ |Τ\\.Κ\\. )?\\d{3} ?\\d{2}(?:,? ${NAME})?`,
  "gu",
);
/** A street in speech, up to its number, and what comes before a street without a word for one. */
const STREET_IN_SPEECH = lazily(
  `(?<!\\p{L})(?:улиц[аеуы]|вулиц[яіюи]|проспект\\p{L}?|переул\\p{L}{2}|провул\\p{L}{2,3}|бульвар\\p{L}?|булевард?|набережн\\p{L}{2}|площад\\p{L}|шоссе|ул|вул|οδός|οδό|λεωφόρος?|(?<=адрес\\p{L}{0,2}[ \\n]{1,3})(?!\\p{L}{0,3}л\\p{L}{0,3} )|(?<=(?:διεύθυνση|είστε|адресу|находитесь)(?: είναι)?[ \\n]{1,3}))[ ]?(?:${SMALL}[ ]){1,3}?(?=(\\p{L}+))`,
  "gu",
);
const UNITS_IN_SPEECH =
  /^[ ,]{1,2}(?:дом\p{L}?|корпус\p{L}?|квартир\p{L}|подъезд\p{L}?|під['’]їзд|этаж\p{L}?|поверх|строение|будинок|офис|вход|етаж|апартамент|блок|όροφος|διαμέρισμα|дробь|дріб)(?= (\p{L}+))/u;
const NEXT_WORD = /^[ ](\p{L}[\p{L}'’]*)/u;

/** Returns the end of a number in words, and of the numbers of a flat or floor after it. */
function endOfNumbers(text: string, at: number): number {
  let end = at;
  for (let n = 0; n < 12; n++) {
    const rest = text.slice(end, end + 40);
    const next = NEXT_WORD.exec(n === 0 ? ` ${rest}` : rest);
    const unit = UNITS_IN_SPEECH.exec(rest);
    if (next && isNumberWord(next[1]!)) end += next[0].length - (n === 0 ? 1 : 0);
    else if (n > 0 && unit && isNumberWord(unit[1]!)) end += unit[0].length;
    else break;
  }
  return end;
}

function streetsInSpeech(text: string): Match[] {
  if (!isSpeech(text) && /\p{Lu}\p{Ll}/u.test(text)) return [];
  return Array.from(text.matchAll(STREET_IN_SPEECH())).flatMap(({ 0: street, 1: number, index }) => {
    if (!isNumberWord(number!) || street.trim() === "") return [];
    const start = index + /^\s*/.exec(street)![0].length;
    return [{ start, end: endOfNumbers(text, index + street.length), label: "ADDRESS" }];
  });
}

/** Finds streets with their town, house and flat. */
export const cyrillicGreekAddresses = inScript(
  group("ADDRESS", STREET),
  group("ADDRESS", GREEK_STREET),
  streetsInSpeech,
);

/** Stems of the given names of which patronymics are made. */
const PATRONYMIC =
  "(?:\\p{L}{2,12}(?:ович|евич|йович|ьич)(?:[аеуі]|ем|ові|еві)?|(?:ив|іва|пет|пав|ник|мик|мых|серг|андр|дми|ал|ол|мих|вас|гри|юр|вл|вік|вик|ан|бор|ст|фе|фё|гео|кон|евг|євг|лео|ль|як|ил|іл|иг|ол|ром|рус|макс|арт|ден|ви|вал|вя|геннад|эд|ед|марк|тим|тар|богд|яр|зин|зен|остап|сав|ефим|юх|моис|сам|абр|гавр|мат|прох|тих|трох|устин|карл|куз|никит|фом|герм|рад|рин|рен|ибраг|али|ис)\\p{L}{0,9}(?:овн|евн|івн|ївн|йовн|ичн)(?:а|ы|и|і|е|у|ой|ою|о))";
const PATRONYMIC_IN_SPEECH = lazily(
  `(?<![\\p{L}\\p{M}])(?:(\\p{Ll}{3,20})[ ])?(\\p{Ll}{2,16})[ ]${PATRONYMIC}(?![\\p{L}])(?:[ ](\\p{Ll}{3,20})(?![\\p{L}]))?`,
  "gu",
);
/** Endings of family names. */
const FAMILY =
  /(?:[оеёє]в[аауиіыомой]{0,2}|[иі]н[ауыоійм]{0,2}|ськ\p{L}{1,3}|[сц]к(?:ий|ая|ого|ому|ой|ую|ом)|енк[оуае]|ук[ауо]?|юк[ау]?|чак|[кш]ин\p{L}{0,2}|ець|ян|дзе|швили|иди|ых|их|ко|ак|як|ык|ик|ба|уля|о?вич)$/u;

/** Finds names with a patronymic in speech, with the family name before or after them. */
function patronymics(text: string): Match[] {
  return Array.from(text.matchAll(PATRONYMIC_IN_SPEECH())).flatMap(
    ({ 0: whole, 1: first, 2: given, 3: last, index }) => {
      if (isWord(given!) || isNumberWord(given!)) return [];
      const isFirst =
        first &&
        mayName(first) &&
        (FAMILY.test(first) || /(?:^|\n)\s*$/.test(text.slice(Math.max(0, index - 3), index)));
      const isLast =
        last &&
        mayName(last) &&
        (FAMILY.test(last) || /^\s*(?:\n|$)/.test(text.slice(index + whole.length, index + whole.length + 4)));
      const start = index + (first && !isFirst ? first.length + 1 : 0);
      return [{ start, end: index + whole.length - (last && !isLast ? last.length + 1 : 0), label: "PERSON" }];
    },
  );
}

/** A question for a name at the end of a line, and the answer in the next, in lower case. */
const ANSWER = lazily(
  `(?<=(?:фамили[яюи]|ваше имя|вас зовут|обращаться|прізвище|як вас звати|ваше ім['’]я|фамилията|името|казвате|презиме|име|όνομά(?: σας)?|ονοματεπώνυμο|λένε|επώνυμο|επίθετο|адресат|кого)\\p{P}?[^\\p{L}\\n]{0,3}\\n[ ]?(?:\\p{L}{4,14}: )?(?:(?:да|так|ναι|эм|ну|меня|я|аз съм|це|это|είμαι|запишите|пишіть|запишіть) ){0,2})${SMALL}(?:[ ]${SMALL}){0,2}(?=[ ]?(?:$|\\n|,| (?:из|от|з|із|од|από|это|а|і|и|я|село|адрес)(?!\\p{L})))`,
  "gmu",
);
/** Words before a name in lower case. */
const CALLED = lazily(
  `(?<=(?<!\\p{L})(?:на имя|на ім['’]я|на име|στο όνομα|зовут|звати|звали|казва се|казвам се|викат|обажда се|вика се|спросить|ονομάζομαι|λέγομαι|με λένε|τον λένε|τη λένε|доктор|доктора|доктору|докторка|д-р|лікар|лікарка|пане|пану|пані|пан|кум[еа]?|тёт[яию]|дяд[яию]|тітк[аои]|дядьк[оау]|чичо|леля|бате|кака|баба|дядо|κύριε|κυρία|κύριος|κυρίας|κυρίου)[ ])${SMALL}${END}`,
  "gu",
);
/** A speaker's name before the place or company that the call is from. */
const FROM = lazily(
  `(?<=(?<!\\p{L})(?:это|це|аз съм|тук е|я|είμαι (?:ο|η))[ ])(${SMALL})[ ](?:из|от|з|із|од|από(?: το| τη| την)?)[ ](${SMALL})${END}`,
  "gu",
);
function fromPlaces(text: string): Match[] {
  return Array.from(text.matchAll(FROM())).flatMap(({ 0: whole, 1: name, 2: place, index }) => {
    if (!isGivenName(name!)) return [];
    const end = index + whole.length;
    return [
      { start: index, end: index + name!.length, label: "PERSON" },
      ...(mayName(place!)
        ? [{ start: end - place!.length, end, label: isKnown(place!) ? "LOCATION" : "ORGANIZATION" }]
        : []),
    ];
  });
}

const allNames = (words: string) => words.split(" ").every((one) => mayName(one) || isGivenName(one));
/** Finds names in speech: with patronymics, after questions, and after words for people and calls. */
export const cyrillicGreekNames = inScript((text) =>
  /\p{Lu}\p{Ll}/u.test(text) && !isSpeech(text.toLowerCase())
    ? patronymics(text)
    : [
        ...patronymics(text),
        ...(/\p{Lu}/u.test(text)
          ? []
          : [
              ...matches(text, ANSWER, "PERSON", allNames),
              ...matches(text, CALLED, "PERSON", (name) => mayName(name) || isGivenName(name)),
              ...fromPlaces(text),
            ]),
      ],
);

/** Telephone numbers of Greece: ten digits, in groups or not. */
const GREEK_PHONE = lazily("(?<![\\d+.,/-])(?:69\\d|2[1-8]\\d)\\d?(?:[ -]?\\d){6,7}(?![\\d/-]|[.,]\\d)", "gu");
/** A telephone number with its extension. */
const WITH_EXTENSION = lazily(
  "(?:\\+|\\(?\\d)[\\d ()-]{6,18}\\d(?:,| )? ?\\(?(?:доб|вн|внутр|вътр|εσωτ|лок)\\.? ?№? ?\\d{1,6}",
  "gu",
);

/** Finds telephone numbers with an extension, and those of Greece. */
export const cyrillicGreekPhones = inScript(
  (text) => (/(?:доб|вн|внутр|вътр|εσωτ|лок)\.? ?№? ?\d/u.test(text) ? matches(text, WITH_EXTENSION, "PHONE") : []),
  (text) =>
    /\p{Script=Greek}/u.test(text)
      ? matches(text, GREEK_PHONE, "PHONE", (word) => word.replace(/\D/g, "").length === 10)
      : [],
);

const LATIN_TOO = "[АВЕІКМНОРСТУХABEIKMHOPCTYX]";
/** Number plates, and the number of a document after its series. */
const PLATES = [
  `${START}${LATIN_TOO}{2} ?\\d{4} ?${LATIN_TOO}{2}${END}|${START}${LATIN_TOO} ?\\d{3} ?${LATIN_TOO}{2}[ /]?\\d{2,3}${END}|${START}[ВСАЕХРТКМНОУ]{1,2} ?\\d{4} ?${LATIN_TOO}{2}${END}`,
  `${START}[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]{3}[ -]\\d{4}${END}`,
  `(?<=(?<!\\p{L})(?:[Дд]иплом\\p{L}?|[Аа]тестат|[Аа]ттестат|[Пп]аспорт\\p{L}?|[Пп]освідченн\\p{L}|[Уу]достоверени\\p{L}|[Сс]в[іи]доцтв\\p{L}|[Сс]видетельств\\p{L}|[Сс]ертификат|[Пп]оліс|[Пп]олис|[Сс]ер(?:ия|ії|ія|\\.))[ ]{1,2})\\p{Lu}{1,4}\\d{0,2}(?: ?№| ?No)? ?\\d{5,8}${END}`,
  "(?<!\\p{L})(?:[Пп]аспорт\\p{L}?(?: серии)?|[Сс]ерия) (\\d{2} ?\\d{2} ?№? ?\\d{6})(?!\\d)",
  "(?<!\\p{L})[Пп]ол[иі]с[^\\d\\n]{1,10}(\\d{4}(?: ?\\d{4}){3})(?!\\d)",
  "(?<!(?:[Зз]акон|[Уу]каз|[Пп]останов|[Пп]риказ|[Пп]равил|[Фф]орм)\\p{L}{0,6} )№ ?(\\d{1,6}[-/]\\d{2,6}(?:[-/]\\p{L}{1,2})?|\\d{2,6}-\\p{Lu}{1,2}(?<!ФЗ))(?![\\p{L}\\d/-])",
  `${START}[IVX]{1,4}-\\p{sc=Cyrl}{2} ?№? ?\\d{6}${END}`,
  `(?<=(?<!\\p{L})(?:ЈМБГ|ЕМБГ|ЛБО|ЕГН|ЕИК|ЛК|ИНН|ОГРН|СНИЛС|БИК|РНОКПП|ІПН|ЄДРПОУ|БИН|ИИН|ЖСН|ПИБ|ПИН|ΑΦΜ|ΑΜΚΑ|ΑΔΤ|ΑΜΑ)[ :№]{1,3})\\d[\\d -]{5,16}\\d${END}`,
].map((source) => lazily(source, "gu"));
/** Finds number plates and numbers of documents. */
export const cyrillicGreekIdentifiers = inScript((text) =>
  PLATES.flatMap((pattern) =>
    Array.from(text.matchAll(pattern()), ({ 0: whole, 1: number, index }) => {
      const end = index + whole.length;
      return { start: end - (number ?? whole).length, end, label: "ID" };
    }),
  ),
);

const SEASON = lazily(
  `(?<![\\p{L}])(?:[Вв]есн|[Лл]ет|[Лл]іт|[Оо]сен|[Оо]сін|[Зз]им|[Пп]ролет|[Лл]ят|[Ее]сен|[Јј]есен|[Κκ]αλοκαίρι|[Άά]νοιξη|[Φφ]θινόπωρο|[Χχ]ειμώνα)\\p{L}{0,4}(?: на| του)? (?:19|20)\\d\\d(?: ?(?:года|году|год|г\\.|р\\.|року|році))?`,
  "gu",
);
const RANGE = lazily(
  "(?<![\\p{L}\\d.,/-])\\d{1,2} ?(?:по|до|и|і|та|—|–|-|και|έως|ως|μέχρι) ?\\d{1,2} (\\p{L}{3,12})(?: (?:19|20)\\d\\d(?: ?(?:года|г\\.|р\\.|року))?)?",
  "gu",
);
const RELATIVE =
  "(?:[Сс]ыну|[Сс]ын|[Дд]оч(?:ь|к[аеи])|[Вв]нук\\p{L}?|[Вв]нучк[аеи]|[Сс]инові|[Сс]ин|[Дд]оньц[ій]|[Дд]очц[іи]|[Оо]нук[уа]?|[Сс]инът|[Дд]ъщеря(?:та)?|[Ћћ]ерка|[Кк]ћ(?:и|ерка)|[Жж]ен[ае]|[Мм]уж[у]?|[Мм]ам[аеі]|[Пп]ап[аеі]|[Сс]естр[аеі]|[Бб]рат[уі]?|πατέρας|μητέρα|μαμά|μπαμπάς|γιος|κόρη|γιαγιά|παππούς|μικρός|μικρή|γυναίκα μου|άντρας μου)";
const AGES = [
  `${RELATIVE}(?: мой| моя| мій| ми| му| μου| ѝ)?(?: е на| на| има| је| имат| είναι| έγινε| κλείνει τα| уже| вже)?[ ](\\d{1,2}|\\p{Ll}{3,14})(?=[ ]?(?:$|[\\n.,;!?)]|(?:и|та|і|και|а) ))`,
  "(?:[Мм]ужчин[аы]|[Жж]енщин[аы]|[Жж]ен\\.|[Мм]уж\\.|[Пп]ац[иі]є?е?нт\\p{L}{0,3}|[Жж]ін\\.|[Чч]ол\\.|[Мм]альчик|[Дд]евочка|[Хх]лопчик|[Дд]івчинка|[Άά]νδρας|[Γγ]υναίκα|[Αα]σθενής),? (?:на )?(\\d{1,3} ?(?:л|р|г|χρ|ετ)\\.?)(?![\\p{L}\\d])",
  "(?<!\\p{L})(?:[Ее]й|[Ее]му|[Мм]не|[Її]й|[Йй]ому|[Мм]ені)(?: уже| вже)? (?:под|за|около|почти|далеко за|під|понад|майже) (\\p{Ll}{4,14}|\\d0)(?=[ ]?(?:$|[\\n.,;!?)]))",
  "(?<!\\p{L})(?:[Нн]авърши(?:х|ла?|хме|ха)|[Дд]ожил[аи]? до|[Жж]асым|[Сс]тар[аи]?) (\\d{1,3}(?: год(?:\\.|ин[аеи]))?)(?![\\d%,.]\\d|\\d)",
  "(?<![\\d.,])(\\d{1,3} жас(?:та|ында|тағы|қа)?)(?!\\p{L})",
  "(?<![\\d.,])(\\d{1,2}[- ]?годиш(?:ен|н\\p{L}{1,3}))(?!\\p{L})",
  "(?<!\\p{L})(?:[Жж]ена|[Мм]ъж|[Мм]омче|[Мм]омиче|[Дд]ете) на (\\d{1,3} г\\.?)(?!\\p{L})",
  "[Ττ]α (\\d{2}) τα (?:κλείν|έκλεισ|πάτησ)",
  "(?<![\\d.,])(\\d{1,2} (?:год(?:а|ик\\p{L}{1,2})?|роки?|годин[аие]|лет),? (?:и |і |та )?\\d{1,2} м[еі]с(?:яц\\p{L}{0,3}|\\.)?)",
  "(?:[Рр]еб[её]н\\p{L}{1,3}|[Дд]итин\\p{L}|[Дд]евочк\\p{L}|[Мм]альчик\\p{L}?|[Дд]етето?|[Бб]ебе(?:то)?|μωρό|μικρ(?:ός|ή)|[Дд]очк\\p{L}|[Сс]ын\\p{L}?|[Сс]ин\\p{L}?)(?: \\p{L}{2,7})?,? (\\d{1,2}(?:[.,]5)? (?:года?|м[еі]с(?:яц\\p{L}{0,3}|\\.)?|рок[уи]|годин\\p{L}|μην(?:ών|ες)))(?!\\p{L})",
  "(?<=(?<!\\p{L})(?:[Ее]му|[Ее]й|[Йй]ому|[Її]й|[Дд]итині|[Рр]еб[её]нку|[Сс]ыну|сынок|дочке|внуку|внучке|доньці|сину|малышу)(?: (?:уже|всего|вже|только))? )(полтора год(?:а|ика)|полгода|півтора рок[уи]|пів року|півроку)(?!\\p{L})",
].map((source) => lazily(source, "gmu"));
/** Finds ages after words for relatives and patients, and those of children. */
export const cyrillicGreekAges = inScript(
  ...AGES.map((pattern) => group("AGE", pattern, (age) => /[\d ]|пол|пів/.test(age) || isNumberWord(age), 1)),
);

/** A day with the ending of its ordinal, and a short month after a preposition. */
const DAY = lazily(
  "(?<![\\p{L}\\d.,-])\\d{1,2}[- ]?(?:ри|ти|ви|ми|ма|го|ого|е|й|а) (\\p{L}{3,12})(?: (?:19|20)\\d\\d(?: ?г\\.)?)?",
  "gu",
);
const MONTH = lazily(
  "(?<=(?<!\\p{L})(?:за|в|во|с|до|от|на|през|у|по|от|од|з|τον|του|μέχρι|από)[ ])(?:июн[ьяе]|июл[ьяе]|мае|мая|марте|юни|юли|јун[уа]|јул[уа]|мај[уа]|травн[іюя]|липн[іюя]|[Μμ]άιο|[Μμ]αΐου)(?![\\p{L}]|[ ]\\d)",
  "gu",
);
/** A year in words. */
const YEAR = lazily(
  "(?<!\\p{L})(?:дв[іе] тысячи|дві тисячі|тысяча девятьсот|тисяча дев['’]ятсот)(?: \\p{Ll}{4,14}){1,2}? (?:год[ау]?|году|року|році)(?!\\p{L})",
  "gu",
);
const isMonth = (word: string) => monthForm(word) !== undefined || MONTHS.has(word.toLowerCase());
/** Finds seasons of a year, two days of one month, and short months. */
export const cyrillicGreekDates = inScript(
  group("DATE", SEASON),
  group("DATE", MONTH),
  group("DATE", YEAR),
  group("DATE", DAY, (_, [, month]) => isMonth(month!)),
  group("DATE", RANGE, (_, [, month]) => isMonth(month!)),
);
