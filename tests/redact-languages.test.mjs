// What `redact` finds, and what it leaves, in languages other than English, with the package's model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pipeline, redact } from "../dist/node.js";

let model;
before(async () => {
  model = await pipeline("token-classification", null, { threads: 1 });
});
after(() => model.dispose());

/** Checks that each text, with its personal data between "[" and "]", loses exactly these. */
async function exactly(texts) {
  for (const marked of texts) {
    const wanted = Array.from(marked.matchAll(/\[([^\]]+)\]/g), ([, word]) => word);
    const { entities } = await redact(marked.replace(/[[\]]/g, ""), { model });
    const found = entities.map(({ word }) => word);
    assert.deepEqual(found, wanted, marked);
  }
}

test("a name ends with its sentence and its line", () =>
  exactly([
    "Ahoj, předej to prosím [Janovi], až se vrátí z [Olomouce]. Ať mi zavolá.",
    "Factuur voor [Joost van der Heijden], klantnummer [KL44821]. Levering binnen veertien dagen.",
    "Imię: [Wacław]\nNazwisko: [Ziółkowski]\nZawód: stolarz",
  ]));

test("a line of words with a capital is a name, also its first word", () =>
  exactly(["[Marzena Kolasa]\nmieszkam w [Gdyni] i szukam pracy jako grafik"]));

test("the first word of a sentence belongs to the name after it, unless it is a word for people or documents", () =>
  exactly([
    "Korjattu osoite puhelimessa. [Taimi Hyttiselle] soitettu eilen.",
    "[Dorival Sacramento] pagou ontem a fatura da luz.",
    "[Aune Pirttilahti] maksoi laskun eilen.",
    "Sousedka [Zdeňka Horáková] zalévá květiny, když jsme v [Olomouci].",
    "Számla [Illyés Borbála] részére.",
  ]));

test("an amount ends with its currency, and an age with its unit", () =>
  exactly([
    "Pacjentka [Halina Wójtowicz], [72 lata], zamieszkała w [Rzeszowie].",
    "Sayın [Hülya Tekin], [1.250 TL] tutarındaki ödemeniz alınmıştır.",
    "Sayın [Şükufe Alagöz], hesabınıza [3.400 TL] EFT gelmiştir.",
  ]));

test("goods and work with their quantities are no addresses", () =>
  exactly([
    "Számla [Illyés Borbála] részére. Tétel: kerti csap 2 db, öntözőcső 1 db",
    "Factura para [Leandro Zubeldia]. Concepto: reparación de persiana, mano de obra 1,5 h.",
  ]));

test("German nouns without an article are no names", () =>
  exactly(["Sie kommt wegen Schwindel. Blutdruck 145 zu 85, Puls regelmäßig. Kontrolle in zwei Wochen."]));

test("function words beside a name in lower case stay", () => exactly(["hej tu [bartek], miała oddać mi ładowarkę"]));

test("polite pronouns after a name stay", () =>
  exactly(["Vážená paní, pan [Kučera] Vás bude kontaktovat. Děkujeme za Vaši žádost."]));

test("a text without function words is not English if its words end in vowels", () =>
  exactly(["Fattura intestata a [Saverio Bonfanti], pagamento a trenta giorni."]));

test("all columns of a table's header stay", () =>
  exactly(["Élève,Classe,Ville\n[Maëlys Fontanel],CE,[Annecy]\n[Ilyès Benkacem],CM,[Cluses]"]));

test("adverbs after a place and words before an amount stay", () =>
  exactly(["caller: i'm from [sunderland] originally", "Przelew na kwotę [150 zł] przyjęty do realizacji."]));

test("a field with two names is read by either, and places of birth and residence are fields", () =>
  exactly([
    "Town/City: [Leominster]\nSkills: rowing",
    "Doğum yeri: [Eskişehir]\nMeslek: öğretmen",
    "Lakóhely: [Debrecen]\nSzületési hely: [Eger]",
  ]));

test("a name of the text is found in its other cases, in English and German with an s", () =>
  exactly([
    "Kedves [Katalin]! [Katalinnak] elküldtük a csomagot. Üdvözlettel, [Gergő]",
    "Herr [Dieter Wollny] ist verreist. [Dieters] Wagen steht noch vor dem Haus.",
  ]));

test("given names of Polish and Czech are found in their other cases in lower case", () =>
  exactly([
    "hej, widziałeś się z [tomkiem]? nie odbiera telefonu",
    "idziemy do sklepu po chleb i mleko, a potem do kina",
    "čau, tady [honza], přijdu až večer, tak na mě nečekejte",
  ]));

test("a full name after a word for a buyer is found, and at the head of a CV", () =>
  exactly([
    "Rechnung an [Ulrike Dankert], zahlbar ohne Abzug.",
    "Faktura korygująca, nabywca [Grzegorz Bielak], zwrot na konto.",
    "[Solveig Amundsen]\nSykepleier\n[solveig.amundsen@postkassen.example]\nFørerkort",
  ]));

/** For each language: closings, a name, and what is written before. */
const LETTERS = [
  ["Danke für die Rückmeldung.", "Gruß|Grüße|Liebe Grüße|Lieber Gruß|Mit freundlichen Grüßen|Herzlichst|LG", "Henrike"],
  ["Merci pour votre réponse.", "Cordialement|Bien à vous|Bises|Bisous|Amitiés|Bonne journée", "Solène"],
  ["Gracias por la respuesta.", "Saludos|Un saludo|Abrazos|Un abrazo|Atentamente", "Nerea"],
  ["Grazie della risposta.", "Saluti|Distinti saluti|Un abbraccio|A presto", "Ginevra"],
  ["Obrigado pela resposta.", "Cumprimentos|Abraço|Beijos|Atenciosamente", "Iara"],
  ["Dank voor je antwoord.", "Groet|Groetjes|Met vriendelijke groet|Liefs", "Fenna"],
  ["Dziękuję za odpowiedź.", "Pozdrawiam|Z poważaniem|Ściskam|Buziaki", "Bogna"],
  ["Děkuji za odpověď.", "Zdravím|S pozdravem|S úctou", "Radka"],
  ["Tack för svaret.", "Hälsar|Med vänlig hälsning|Mvh", "Tove"],
  ["Tak for svaret.", "Mange hilsner|De bedste hilsner|Venlig hilsen", "Signe"],
  ["Kiitos vastauksesta.", "Terveisin|Terveiset|Terkuin", "Aino"],
  ["Köszönöm a választ.", "Üdvözlettel|Üdv|Tisztelettel", "Réka"],
  ["Mulțumesc pentru răspuns.", "Cu stimă|Salutări|Cu drag", "Ilinca"],
  ["Cevabınız için teşekkürler.", "Saygılarımla|Selamlar|Sevgiler|İyi günler", "Defne"],
  ["Спасибо за ответ.", "С уважением|Всего доброго|Обнимаю", "Ульяна"],
  ["Thanks for the reply.", "Regards|Warmly|Kindest regards|Take care", "Imogen"],
];

test("a closing is no name, and the name after it is found", () =>
  exactly(
    LETTERS.flatMap(([before, closings, name]) =>
      closings
        .split("|")
        .flatMap((closing) => [
          `${before}\n${closing}\n[${name}]`,
          `${before}\n\n${closing},\n[${name}]`,
          `${before} ${closing}, [${name}]`,
          `${before} ${closing} [${name}]`,
        ]),
    ),
  ));

test("a closing that is also another word has a line of its own or a comma", () =>
  exactly([
    "Kom gerust langs.\n\nKram,\n[Tove]",
    "Vi ses på lørdag.\nKnus\n[Signe]",
    "See you soon. Love, [Imogen]",
    "They showed us round the studio. Love Letters was off.",
    "cheers\n[imogen]",
    "תודה על התשובה.\nבברכה,\n[נועה]",
    "شكرا على الرد.\nمع التحية\n[سلمى]",
  ]));

test("what follows a closing and is no name stays", () =>
  exactly([
    "See you at the office.\nThanks\nMonday",
    "Viele Grüße aus dem Büro, bis bald.",
    "Best regards\nCustomer Service",
    "Kind regards\n\nDr [Imogen Ashworth], Head of Sales",
  ]));

test("a greeting is no part of a name", () =>
  exactly([
    "Kochana [Bogna],\ndziękuję za odpowiedź.",
    "Droga [Bogna], dziękuję za odpowiedź.",
    "Milá [Radka],\nděkuji za odpověď.",
    "Drága [Réka]! Köszönöm a választ.",
    "Gentile [Ginevra],\n\ngrazie della risposta.",
    "Guten Tag, [Henrike], danke für die Rückmeldung.",
    "Servus [Henrike],\ndanke für die Rückmeldung.",
    "Милая [Ульяна],\nспасибо за ответ.",
    "Kära, [Tove], tack för svaret.",
  ]));

test("a given name that is also a greeting stays a name", () =>
  exactly(["[Mila Ashworth] called about the invoice.", "I met [Cara Ashworth] in town."]));

test("one function word or one word with an accent tells that a short text is not English", () =>
  exactly([
    "Podes ligar a [Iara] antes do meio-dia?",
    "Podes ligar a [Benedita] antes do meio-dia?",
    "Onko [Tuulikki] maksanut laskun?",
    "Wczoraj dzwoniła [Jagoda] w sprawie umowy.",
    "Tegnap [Zsombor] telefonált a szerződés miatt.",
    "A plătit [Horia] factura?",
  ]));

/** Checks of each text that the words between "[" and "]" are replaced, each as one, and the words between "{" and "}" stay. */
async function partly(texts, options = { model }) {
  for (const marked of texts) {
    const text = marked.replace(/[[\]{}]/g, "");
    const { entities } = await redact(text, options);
    const found = entities.map(({ word }) => word);
    for (const [, word] of marked.matchAll(/\[([^\]]+)\]/g)) assert.ok(found.includes(word), `${word}: ${found}`);
    const at = (index) => marked.slice(0, index).replace(/[[\]{}]/g, "").length;
    for (const { 1: word, index } of marked.matchAll(/\{([^}]+)\}/g)) {
      const start = at(index);
      const over = entities.filter((span) => span.start < start + word.length && span.end > start);
      assert.deepEqual(over, [], `${word} in: ${text}`);
    }
  }
}

test("an illness near a person's data is found in other languages, with its adjective, type and code", () =>
  partly([
    "Herr [Lorenz Mausolf] leidet seit Jahren, bekannt ist eine [chronische Niereninsuffizienz (N18.3)].",
    "Mw. [Terpstra] belde over haar uitslag: de biopt wijst op [borstkanker].",
    "Pacjent [Jan Nowak], choruje od lat, ma [nadciśnienie] i przebył [zawał].",
    "Potilas [Aino Virtanen] on tullut uudestaan, ja hänellä on [sydäninfarkti].",
    "La paciente [Rocío Zapiola] tiene [diabetes tipo 2] desde hace años.",
    "Пациентка [Анна Петрова] поступила вчера, у неё [бронхит].",
    "Pacientka [Zdeňka Horáková] bere [metformin] a má [cukrovku].",
  ]));

test("an illness without a person is a subject, and words like an illness are none", async () => {
  await partly(
    [
      "Der Verein informiert über {Diabetes} und {Asthma}, auch für die Angehörigen.",
      "Le {cancer} est une maladie que l'on soigne de mieux en mieux.",
    ],
    { model: false },
  );
  await partly([
    "[Dorival Sacramento] foi {depressa} para casa, com toda a {gravidade}.",
    "[Anna Nowak] pisze o {migrantach} i o wystawie, która {zaciąży} na wyniku.",
  ]);
});

test("names of fields that no list has stay, and names of people before a colon do not", () =>
  partly([
    "Ime in priimek: [Blaženka Humar]\n{Kraj rojstva}: [Tolmin]\n{Davčna številka}: [50223054]\nOpomba: brez",
    "[Ebiere] schreibt: ich komme gleich\nOsaretin schreibt: ich warte hier\n[Ebiere] schreibt: gut, bis dann",
    "[Anna] schreibt: bin gleich da\n[Thomas] schreibt: ok\n[Laura] schreibt: bis dann",
  ]));

test("a header without known columns stays above a row with numbers", () =>
  partly([
    "{Mokinys}, {Gimimo data}, {Klasė}\n[Gintvilė Stonkutė], 2011-06-03, 6b",
    "{Br. | Vozač | Registracija | Relacija}\n1 | [Srećko Perković] | GS 418-KD | Gospić\n2 | [Jasminka Lončar] | SK 702-AF | slobodna",
    "{Lp.; Dawca; Punkty}\n1; [Bożydar Trzaska]; 17",
  ]));

test("speakers by their role stay, and what they say is no name", () =>
  partly([
    "{Operador}: Bom dia, em que posso ajudar?\n{Utente}: {Pois}, olhe, é para o meu marido, [Horácio Vilhena].\n{Operador}: O número?\n{Utente}: É o 312.",
    "{PRÉPOSÉE} : Pis, euh, votre adresse?\n{CLIENT} : {Ben non}, là, on a déménagé.\n{PRÉPOSÉE} : OK, c'est beau.\n{CLIENT} : Maintenant, c'est le rang.",
    "CLIENT : [Ana Silva], bonjour\nPRÉPOSÉE : Bonjour.\nCLIENT : [Ana Silva], encore\nPRÉPOSÉE : Merci.",
    "{Chair}: The boiler is old.\n{Member}: How old is it?\n{Chair}: Ten years.\n{Member}: Then a new one.",
    "{Voorzitter}: Het plan ligt er.\n{Leitung}: Danke dafür.\n{Voorzitter}: Vragen?\n{Leitung}: Keine mehr.",
    "{Klientka} [Ebiere Dokubo]: dobrý den, mám dotaz\n{Operátor}: prosím",
    "[Kundera]: přijdu zítra večer\n[Laura]: dobře, počkám na tebe\n[Kundera]: tak ahoj",
    "{Informant}: Ja, eh, formannen het [Oddbjørn], det var vel den gangen, da.",
  ]));

test("a name after the first word and its particle is found", () =>
  partly(["Contabilă la [Agromec Nera] de mulți ani.", "Gerente da [Conservas Barreiros], sem horário."]));

test("a name below the word for a CV is found", () =>
  partly([
    "Lebenslauf\n[Reto Zgraggen], ledig, wohnt bei den Eltern",
    "Önéletrajz\n\n[Zsolnai Kincső]\nszakács, öt év gyakorlat",
  ]));

test("a counted thing is no address, and an amount beside it is money", () =>
  partly([
    "Factura seria BVT nr. 00731, client [Anghel Costăchescu]\n1 anvelopă iarnă 195/65 R15 – [310 lei]\n1 montaj – [40 lei]",
    "Ich wohne jetzt in der [lindenstraße 12], Klingel links.",
    "09:22:41 AVERT sauvegarde : accès refusé à /home/[mdurocher]/photos/vacances.zip ; dossier de [Maëlys Durocher] ignoré, {3 fichiers sur 40}",
    "Vevő: [Pásztorné Illyés Borbála]\nTétel: kerti csap 2 db\nVégösszeg: [11 980 Ft]\nFizetési határidő: [2023. 07. 14.]",
  ]));

test("user names after the word for a user, in paths, and a password after the word for a network", () =>
  partly([
    "INFO 14:31 sesja użytkownika [jprzybysz] wygasła",
    "Sesja użytkownika {wygasła} wczoraj i nie działa",
    "2024-01-19 21:07:33 gagal unggah: /srv/users/[dlestari]/dokumen/skripsi.docx",
    "anyway the new wifi is [tacoNight!88], ok?",
    "ok so the wifi is GuestNet5 and the wifi password is [Marzipan77]",
  ]));

test("a number without the form of a date, an amount, an age or an address stays", () =>
  partly([
    "Kérjük, {3. oldal} és {15. sor}: {12 csavar}, {24 kanül}, {4.2.1} verzió, aláírás [Nagy Piroska].",
    "Sąskaita: {26 vnt.} lentų, {8 dėžės}, kaina [312,00 €].",
    "Pac. [Vesna Perić] žali se na umor. {RR 130/80}, {FC 72}, kontrola [5. rujna 2024] ujutro.",
    "Vi møttes i rom {12}, varte {10 sekunder}, og [Frøydis Lunde] betalte [3 870 kr].",
  ]));

test("what surrounds a number or an amount stays", () =>
  partly([
    "{Zgłoszenie} [SD-20871] od [Rafała Drozda] w sprawie faktury [FV/88/03/2024].",
    "Kedves [Szarvas Vendel], számlája [125 000 Ft]. Üdvözlettel, a bank",
    "Danas je [Ivana Perić] platila račun {od} [26,50 EUR].",
  ]));

test("a date has its weekday, and the year before the month", () =>
  partly([
    "Die Sitzung mit [Siegbert Herbst] ist am [Montag, 14. Oktober 2024].",
    "Rendez-vous le [mardi 16 avril 2024] avec [Apolline Le Goff].",
    "Rēķinu lūdzu apmaksāt līdz [2024. gada 31. maijam], raksta [Kārlis Vanags].",
    "No puc entrar al correu des del [dilluns 13 de maig de 2024].",
  ]));

test("number plates and identity cards are found after their words", () =>
  partly([
    "Doneste prosím občiansky preukaz [EH 482 713] na pobočku.",
    "Za vozilo [LJ 48-RKT] čakamo na potrdilo.",
    "Mobil itu parkir di depan rumah, plat [AA 4471 KD].",
  ]));

test("speakers of a chat are found in lower case, and with user names", () =>
  partly([
    "[bex]: anyone seen the van today?\n[tunde]: its at the garage i think\n[bex]: ok will ring them later",
    "[kasiulek]: gadałeś z nim wczoraj?\n[bartas_07]: no jest jeszcze w domu\n[kasiulek]: o rany, a kiedy wraca",
    "[Φώτης]: παιδιά ποιος έβγαλε εισιτήρια;\n[gatoula_92]: εγώ για όλους χθες\n[Φώτης]: τέλεια, πόσα χρωστάω;",
  ]));

test("names before a colon that are settings or levels of a log are no speakers", () =>
  partly([
    "{colour}: a very dark red\n{finish}: matt and smooth\n{weight}: about two kilos",
    "{warning}: the disk is almost full\n{info}: the job has ended\n{warning}: the disk is full now",
    "{A}: is the standup still on?\n{B}: moved to room four today\n{A}: ok see you all there",
  ]));

test("a name of a chat is found again in lower case and in its other cases", () =>
  partly([
    "Pyry: moi, missä [Lumi] on?\nelli: lähti jo, [lumilla] on uus numero\nPyry: ok, moikkaa häntä",
    "лёха: народ, [Вера] едет завтра\nснежана: супер, позвони [вере] вечером\nлёха: ок, позвоню",
  ]));

test("numbers in words of other languages are found with their currency, month or years", () =>
  partly([
    "ja hallo hier spricht [notburga zwiesel] ich habe [einhundertneunundzwanzig euro] überwiesen am [dritten februar]",
    "no dzień dobry mój numer to [sześćset jeden dwieście trzydzieści cztery zero siedemdziesiąt siedem] proszę oddzwonić",
    "алло меня зовут [любава горностаева] я заплатила [сто сорок тысяч рублей] [двадцать третьего января] и жду",
    "bueno sí mire le debo [dos mil trescientos pesos] desde el [veintidós de abril] y mi hijo ya lo sabe",
    "buongiorno la mia mail è [marta punto corsi chiocciola posta punto example] grazie mille a tutti",
  ]));

test("a letter that is spelled belongs to the number beside it", () =>
  partly(["hiya my customer number is [b c seven seven one oh nine four] and the boiler is still off"]));

test("medicines, operations, abbreviations and codes are found near a person's data", () =>
  partly([
    "Пацієнт [Любомир Вишневецький], призначено [омепразол] і [кларитроміцин].",
    "Mme [Apolline Le Goff], [hystérectomie] en [2016], suivie depuis.",
    "Pt [Clementine Achebe] with [T2DM] and early heart failure ([I50.9]), started [bisoprolol] 2.5 mg, {AF 22}.",
    "Dad ([Reginald Shaw]) is back from the [hip replacement] and doing well.",
    "Pt [Gordon Pettifer], known [OSA], [ESRF] on dialysis, [MRSA] cleared, s/p [ORIF], takes [Aricept].",
    "[Hattie Brannigan] [broke her ankle] in May and had [chemo] before the [eye operation]; her {chemistry} teacher has a {broken window}.",
    "Pacjent [Jan Nowak], wykryto [zapalenie płuc]. Grupa krwi [A Rh+].",
  ]));

test("organisations are found by their kind in other languages", () =>
  partly([
    "Operace proběhla v [Nemocnici Pod Strání] minulý týden.",
    "Hun begynte på [Tiller videregående skole] i høst.",
    "Миналата седмица отседнахме в [Хотел „Морска звезда“] до плажа.",
    "Treballa a l'[Ajuntament de Vilanera] des de fa anys.",
    "{The Bank Holiday} was quiet this year, said [Anna Kovács].",
  ]));

test("user names are found after their word and in brackets after a name", () =>
  partly([
    "Ticket by [Imogen Blacksmith] ([iblacksmith]): the build bot stopped after the upgrade.",
    "Nach dem Umzug kommt Herr [Zeisig] nicht ins VPN. Benutzer [zeisigw], Laptop im Büro.",
    "Корисник: [Небојша Гавран], налог [ngavran], не ради",
  ]));

test("cells of a table for things stay, and names of fields of a form", () =>
  partly([
    "Artikel;Modell;Preis;Kunde\n{Kaffeemühle Emma};{KE-210};{49};[Leonie Brandhuber]\n{Messer Falke};{MF-21};{19};[Hubertus Zangerl]",
    "{Adı Soyadı}: [Umut Karabulut]\n{Yaş}: [26]\n{Doğum Yeri}: [Sivas]\n{Telefon}: [0532 417 20 93]\n{Son İş Yeri}: Kebapçı",
  ]));

test("words for people before a name stay", () =>
  partly([
    "Sunat la urgență, {Fiica} [Luminița] anunțată la [0745 118 093].",
    "Виклик прийняла {Дружина} [Мрія], тел. [067 004 82 15].",
    "[Pat Ashworth] called about the invoice, and {the patient} waits.",
  ]));

test("in speech without capitals a family name follows a given name or a title, and an organisation its kind", () =>
  partly([
    "dzień dobry dzwonię w sprawie wizyty mojej córki czyli [ewa dobrowolska] ma być u lekarza w czwartek o dziesiątej ale niestety nie możemy przyjść bo jest chora",
    "guten tag hier spricht die nachbarin also die [frau zwiesel] hat mich gebeten bei ihnen anzurufen weil sie selbst leider gerade nicht telefonieren kann".replace(
      "[frau zwiesel]",
      "frau [zwiesel]",
    ),
    "alors bonjour je vous appelle parce que j'ai rendez-vous à la [clinique des ormes] pour mon genou et je voudrais savoir si je peux venir un peu plus tard",
    "min epost er [tuva punkt ek snabel a posten punkt example] og jeg er hjemme hele uken så bare skriv til meg når dere vet noe mer om saken",
  ]));

test("illnesses of a person are found in English after have, got and in notes, without a model", () =>
  partly(
    [
      "She has got [shingles] and cannot come.",
      "PMH: [gout], Hx: [peptic ulcer disease], stable.",
      "He is recovering from a [broken wrist].",
    ],
    { model: false },
  ));

test("medicines, codes, blood groups and illnesses of several words are found near a person's data", () =>
  partly([
    "Patientin [Gundula Pfeiffer], Dg.: [E03.9], [Blutgruppe AB Rh pos], nimmt [Dapagliflozin] 10 mg und [Xarelto].",
    "Pacjentka [Eulalia Zając], rozp.: [niewydolność serca], [I50.0], przyjmuje [furosemid] 40 mg i [apiksaban] 5 mg, CRP {12.5}.",
    "Nguyễn Thị Hoa, 54 tuổi, bệnh nhân bị [tăng huyết áp] và [loãng xương], thuốc [amlodipin] 5 mg, điện thoại [0912 345 678].",
    "Paziente [Tosca Ravelli]: [intolleranza al lattosio], terapia con [enoxaparina]; riposo e {partita} a carte.",
    "患者：[田中花子]さん、電話 [078-882-4461]、[高血圧]と[糖尿病]で通院中。",
  ]));

test("illnesses and operations in English are found in notes, and abbreviations of notes", async () => {
  await partly(
    [
      "Pt: Ms [Boateng], 41. Hx [haemophilia A], [cystic fibrosis]; [s/p LTCS] and [lap chole], [meds Biktarvy], SpO2 94% {RA}.",
      "Mr [Ansari] has had [both knees replaced] and takes [Prograf].",
    ],
    { model: false },
  );
  await partly(["Ms [Boateng] wrote about {leukaemia} and the {stroke} of luck, {GBS} and {CAD} files."], {
    model: false,
  });
});

test("words that only begin or end like an illness stay", () =>
  partly([
    "Pani [Halina Mróz] zdała {egzamin} w czerwcu, tel. [22 555 04 18].",
    "Pán [Karel Dvořák] objednal nový {produktový} katalog a {přelom} roku, tel. [+420 731 555 026].",
    "Пан [Любомир Вишневецький] отримав {екземпляр} договору, тел. [067 004 82 15].",
    "Dona [Inês Falcão] viu a fatura {emitida} e {transmitida} ontem, tel. [+351 912 345 678].",
  ]));

test("a number of years after a name is an age, without a model", () =>
  partly(
    [
      "Ms [Birdie Applewhite], [91], refused to leave. Mr [Ansari], [26 yrs], called {26} times.",
      "Herr [Dirk Grabowski], [58 J.], wohnt allein. Frau [Lind] ({Zimmer 12}) auch.",
      "Mr [Weber] ordered {12} chairs.",
    ],
    { model: false },
  ));

test("years of a career and dates at the start of rows are dates", () =>
  partly([
    "Erfahrung\n[2019]–[2021] Bäckerei Stolz\n[2021]–heute Café am Markt",
    "[02/10] Danko {-128,40}\n[04/10] MobilePay {-75,00}\n[11/10] DSB {-199,00}",
    "{09.00} Begrüßung\n{10.05} Vortrag\n{11.30} Pause",
  ]));

test("dates of Asian and African languages without a year are found", () =>
  partly([
    "関税の件、[4月22日]頃に田中さんへ届きます。次回は[5月9日(金)]です。",
    "접수일 [5월 16일], 담당 최하늘, 방문은 9시.",
    "Hẹn chị Thắm ngày [19 tháng 11], sinh [03 tháng 12 năm 1977], phòng 12.",
    "Barua kwa Amani Mushi ya tarehe [14 Agosti 2024], ukurasa 3.",
    "Surat kepada Encik Farid, tarikh [11 Ogos 2025], muka 4.",
  ]));
