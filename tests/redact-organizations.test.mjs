// Organisations and places that `redact` finds by rules alone, in the languages of Europe, and sentences that it leaves.
import { test } from "node:test";
import { exactly } from "./redact-marked.mjs";

/** Checks that texts lose nothing. */
const untouched = (texts) => exactly(texts);

test("a kind and the name after it are an organisation, in the cases of Slavic languages", () =>
  exactly([
    "Byla přijata ve [Fakultní nemocnici Jasenov] a čeká na výsledky.",
    "Córka chodzi do [przedszkola „Leśne Skrzaty”] i je lubi.",
    "Zajęcia prowadzi [stowarzyszenie Zielony Brzeg] i nie są płatne.",
    "Sina smo upisali, jer je [gimnazija Lucijan Vranjanin] bliže.",
    "Smo stranke, ki jih vodi [hranilnica Vrbovec] že več let.",
    "Práve otvorila [kaviareň Modrý Zvonček] a je tam plno.",
  ]));

test("a kind and the name after it are an organisation in Romance and Germanic languages", () =>
  exactly([
    "Les enfants mangent à la [crèche Petits Renards] tous les jours.",
    "El pago lo hizo la [ferretería Montalvo] la semana pasada.",
    "Ci vediamo davanti alla [pasticceria Bertolani] dopo cena.",
    "O evento é na [escola Lagoa Serena], com entrada livre.",
    "Die Rechnung kam von der [Gärtnerei Wiesengrund] und ist bezahlt.",
  ]));

test("a kind and the name after it are an organisation in Cyrillic and Greek", () =>
  exactly([
    "Он лежит, потому что [больница «Сосновый Бор»] рядом.",
    "Замовлення привезе [видавництво «Синій Птах»] завтра.",
    "Το πρόγραμμα το κάνει το [φαρμακείο Καραδήμα] κάθε μήνα.",
  ]));

test("a name and the kind or legal form after it are an organisation", () =>
  exactly([
    "She was seen by [Thornbury Infirmary] last week.",
    "Vi fick svar från [Granängens vårdcentral] idag.",
    "A gyerek a [Kőhalmi Gimnázium] diákja.",
    "Bu gönderi [Yıldıztepe Hastanesi] için hazırlandı.",
    "Fakturu poslal [Lanškov s. r. o.] minulý týden.",
    "Τιμολόγιο από [Καραδήμας ΙΚΕ] για τον μήνα.",
  ]));

test("a name after words for working or being treated is an organisation", () =>
  exactly([
    "My sister works at [Brackwell] and she likes it.",
    "Elle travaille chez [Dorvalis] depuis deux ans.",
    "Hon jobbar hos [Kvistbolaget] och trivs.",
  ]));

test("fields for an employer, school or supplier hold organisations", () =>
  exactly(["Pracodawca: [Wexmar]", "Zaměstnavatel: [Tandrex]", "Furnizor: [Celmara]", "Школа: [Светлячок]"]));

test("a town follows an organisation and a comma", () =>
  exactly(["Zboží je hotové.\nObjednal [hotel Jasmín], [Vrbice]\nZaplaceno."]));

test("a town before the date of a letter is a place", () =>
  exactly(["[Vrbovice], [12. 3. 2024]\nDobrý den,", "[Żelazków], dnia [3 maja 2023 r.]", "[Αράπολη], [30/10/2023]"]));

test("a name after a preposition of place is a place", () =>
  exactly([
    "I think they were stuck in [Dunmarrow] for two days.",
    "Wczoraj byliśmy w [Zalesinie] na rynku i było zimno.",
    "Jsem teď v [Hradovicích] a nemám auto.",
    "Vi var i [Lingsvik] hela veckan och det var kallt.",
    "Nous étions près de [Vaurelles] et il pleuvait, mais c'est la vie.",
    "Он вчера был в [Краснодольске] на рынке.",
    "Ήμασταν χθες στη [Λιθούσα] και έβρεχε.",
  ]));

test("a name with a case ending of place is a place", () =>
  exactly([
    "A csomag most van a raktárban, de holnap már [Kővárdon] lesz.",
    "Hän on ollut nyt viikon [Koivujärvessä] ja tulee huomenna.",
  ]));

test("large cities and countries are places in their local names and cases", () =>
  exactly([
    "Lecę jutro do [Wiednia] przez [Monachium].",
    "Balík přišel z [Německa] a druhý ze [Švýcarska].",
    "Поезд идёт из [Москвы] через [Казань].",
    "Livraison prévue pour [Bruxelles] demain.",
    "El vuelo sale para [Alemania] mañana.",
  ]));

test("a town belongs to its postcode", () => exactly(["ul. bez nazwy\n[98-310 Zalesinów]\n", "[664 42 Vrbovice]"]));

test("lines of a curriculum vitae hold employers and towns", () =>
  exactly(["To jest moje doświadczenie, bo nie mam go dużo.\n[2015]–[2018]: [Wexmar], [Zalesinów], operator wózka"]));

test("kinds of organisations alone, and before other words, stay", () =>
  untouched([
    "The bank is closed and the school is open.",
    "Die Schule beginnt um acht, und die Bank schließt um vier. Unsere Klinik ist neu.",
    "Vår skola är stängd. Denna kommun har ett sjukhus. A kórház zárva van.",
    "Szpital jest blisko, a szkoła daleko. Bank zamknięty.",
    "Nemocnice je za rohem a škola vedle ní.",
    "L'école est fermée et la banque aussi. La clinique ouvre demain.",
    "El banco cierra a las dos y la farmacia a las ocho.",
    "Больница рядом, школа далеко, банк закрыт.",
    "Το νοσοκομείο είναι κοντά και η τράπεζα κλειστή.",
    "Our Customer Finance team will reply. Please see Annual Credit Report.",
    "IF YOU ARE LATE CALL THE SCHOOL AT ONCE.",
  ]));

test("words with a capital that are no places stay after prepositions", () =>
  untouched([
    "The report is written in English and saved in Excel. See the table in Section 4.",
    "Der Bericht liegt in Ordnung, und in Zukunft machen wir das in Ruhe.",
    "Plik jest w Excelu, a umowa w Wordzie. Dziękujemy w Państwa imieniu.",
    "Zpráva je v Excelu a bude o Vánocích. Volejte v Pondělí.",
    "Le fichier est en Word et la réunion est à Noël.",
    "Документ в Excel, а встреча на Рождество.",
    "Version, neu",
    "12345 Stück\n50000 Stück",
    "Location: /v2/items/12",
  ]));
