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
    "[Solveig Amundsen]\nSnekker\n[solveig.amundsen@postkassen.example]\nFørerkort",
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
    "They showed us round the studio. Love Island was off.",
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
