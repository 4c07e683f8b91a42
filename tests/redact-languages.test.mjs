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
