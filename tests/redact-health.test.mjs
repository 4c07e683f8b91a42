// What `redact` finds of a person's health by its rules, and which sentences about illnesses it leaves.
import { test } from "node:test";
import { takesLinearTime } from "./linear-time.mjs";
import { exactly as check } from "./redact-marked.mjs";

/** Checks that each text loses the words between "[" and "]" as HEALTH, and no others. */
const exactly = (texts) => check(texts, { labels: ["HEALTH"] });

test("an illness of a relative or of the writer is taken in many languages", () =>
  exactly([
    "Moja babcia ma [cukrzycę] i leży w szpitalu od soboty.",
    "Mein Vater hat seit dem Herbst eine [Schlafapnoe].",
    "Min mormor har [ledgångsreumatism] och kan inte gå i trappor.",
    "Mijn moeder heeft [galstenen] en mag niet tillen.",
    "Maminka má [žlučníkové kameny] a leží doma.",
    "Meu pai tem [hérnia de disco] e não pode dirigir.",
    "У моей мамы [микроинсульт], лежит в больнице.",
    "Моя дружина захворіла, у неї [гайморит].",
    "Η μητέρα μου έχει [υποθυρεοειδισμό] εδώ και χρόνια.",
    "Mulla on [poskiontelotulehdus], en pääse tulemaan.",
    "Mul on [migreen], jään täna koju.",
    "Mano sesuo serga [mononukleoze] ir guli namuose.",
  ]));

test("an illness in English beside words for a person is taken without a note", () =>
  exactly([
    "He's off work with a [herniated disc].",
    "My daughter has had her [wisdom teeth removed], so no party for us.",
    "She's got [tinnitus] and a [torn meniscus].",
  ]));

test("the lists of medical notes are taken without doses and years", () =>
  exactly([
    "Pacient m/67\nOA: [HLP], [ICHS], [st. p. CHCE] 2011\nFA: [Vasocardin] 50 1-0-1, [Godasal] 100",
    "Pat. 71 J.\nDiagnosen:\n1. [Sprunggelenksarthrose]\nMed.: [Exforge] 5/80, [Pantozol] 40",
    "64F\nPMHx: [RHD], [hypothyroid]\nMeds: [Coversyl], [pred] 5",
  ]));

test("allergies are taken with what causes them", () =>
  exactly([
    "Mój syn ma [alergię na orzechy], proszę o tym pamiętać.",
    "Mein Sohn ist allergisch gegen [Haselnüsse].",
    "Ma fille est allergique aux [arachides].",
    "Mi hija tiene [alergia al huevo].",
  ]));

test("blood groups are taken in texts that speak of blood", () =>
  exactly(["Donor list, blood group by patient\nJoan, 34F, [AB+]\nHarper, 41M, [O neg]"]));

test("medicines by their brands are taken with endings of cases", () =>
  exactly([
    "Mama bierze [kardegic] rano.",
    "Моя мама п'є [ксарелто] щодня.",
    "Babička bere [Detralex] a [Ibalgin], moje maminka taky.",
  ]));

test("sentences about illnesses in general stay", () =>
  exactly([
    "Diabetes is a disease of the metabolism that affects millions.",
    "Die Grippe breitet sich aus, und die Kliniken sind voll.",
    "Cukrzyca jest chorobą przewlekłą, na którą choruje wielu ludzi.",
    "La grippe saisonnière dure en moyenne une semaine.",
    "Сахарный диабет является хроническим заболеванием.",
    "Il diabete è una malattia cronica molto diffusa.",
    "Shingles is caused by the same virus as chickenpox.",
    "The charity funds research into dementia and stroke.",
    "Asthma inhaler technique (poster for the waiting room)",
  ]));

test("words of other fields stay", () =>
  exactly([
    "Meine Mutter arbeitet in der Rheumatologie. Sie leitet die Grippeimpfung.",
    "My brother runs the asthma clinic and the diabetes charity.",
    "He said it was an insult. She wants to abort the process.",
    "Moja mama powiedziała, że prąd wróci jutro, bo usuwają awarię.",
    "Mein Vater meldet einen Einbruch und eine Störung im Netz.",
    "Min far har et avbrudd i strømmen, og min mor har en plan.",
    "Table for my brother: Insert 80x200, pine, 4 pcs. Mattress 90x200.",
    "У меня вільний час. Он купил билет на два концерта.",
    "My daughter got an A+ in maths and a B- in art.",
    "Moja mama koupila dva kilogramy mouky, budeš mít radost. Teofil přijde také.",
    "My desktop is slow. She has had it for a year, and her printer is broken.",
    "Rx -31 dBm at the port. He says the cable is fine.",
  ]));

test("near matches take linear time", () =>
  takesLinearTime(
    ["Dx: ", "my left ", "allergic to ", "he has chronic ", "O neg ", "zapalenie ", "1) ", "a, "],
    "My mother, 64F, ",
  ));

test("what is operated or treated is taken after the words for it", () =>
  exactly([
    "Mi padre fue operado de [cataratas] en mayo.",
    "Mój tata leczy się na [łuszczycę] od lat.",
    "Моя мама лечится от [псориаза].",
    "Ma tante a été opérée du [ménisque] hier.",
  ]));

test("ordinary letters and news with names lose nothing", () =>
  exactly([
    "Liebe Frau Koslowski, mein Vater hat gestern angerufen. Er hat die Rechnung bezahlt und ist zufrieden. Als er kam, war die Zone gesperrt.",
    "Estimada Marta: mi madre tiene una reunión el lunes y quiere venir antes. La zona está tranquila y los precios son graves.",
    "Chère Odile, mon mari a pris le train. Il est sorti à midi, et les enfants sont sortis aussi. La pression monte au bureau.",
    "Dragi Ivane, moja mama je kupila dva kila jabuka. Koliko to košta? Kviz je u petak.",
    "Kära Elsa, min pappa har köpt en ny bil. Det blev avbrott i trafiken, och han har sin propp kvar.",
    "Milá Jano, moje maminka je na dovolené. Budeš tam taky? Počasí je krásné a dny jsou dlouhé.",
    "Дорогая Инна, моя мама купила два килограмма яблок. Она довольна, а сын вышел на улицу. У нас всё хорошо.",
    "Dear Rowan, my brother is running the lab. He has a new desk and a printer, and she was at the corner shop. Her heart is set on Rome.",
    "Cara Lia, mia madre ha comprato due chili di mele. Il nonno prende il treno alle otto.",
    "Szanowna Pani Anno, mama prosi o kontakt. Prąd wróci wieczorem, a rak i ryba są na obiad.",
  ]));
