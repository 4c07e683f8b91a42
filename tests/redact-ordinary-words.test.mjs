// Words that name nobody and stay: titles and offices before names, speakers by role, what speakers say, names of fields,
// quantities of goods, products with a number, and the first word after an abbreviation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "../dist/node.js";
import { takesLinearTime } from "./linear-time.mjs";
import { exactly } from "./redact-marked.mjs";

/** Checks that the package's model and the rules together find exactly the words between "[" and "]". */
const withModel = async (texts) => {
  for (const marked of texts) {
    const wanted = Array.from(marked.matchAll(/\[([^\]]+)\]/g), ([, word]) => word);
    const { entities } = await redact(marked.replace(/[[\]]/g, ""));
    assert.deepEqual(
      entities.map(({ word }) => word),
      wanted,
      marked,
    );
  }
};

test("a title or an office before the name of a speaker stays", () =>
  exactly([
    "Judge [Marlowe]: We will go on after lunch.\nMs [Tarrant]: We are ready for that, thanks.\nJudge [Marlowe]: Then please call the first witness.",
    "Nonna [Pina]: hai mangiato qualcosa oggi\n[Gaia]: sì, una bella pasta al forno\nNonna [Pina]: allora sono contenta per te",
    "Frau [Wiesinger]: Der Kurs hält hier nicht mehr.\n[Ahrens]: Das ist leider so, ja.\nFrau [Wiesinger]: Dann schreibe ich eine Beschwerde.",
  ]));

test("a word for a role before what is said is no speaker's name", () =>
  exactly([
    "Dispatcher: What is going on there?\nCaller: The cellar is full of water.\nDispatcher: Please stay on the line.",
    "Journaliste : Et que faites-vous ?\nInvité : Je suis cordonnier ici.\nJournaliste : Depuis longtemps déjà ?",
    "moderátor: a co bylo potom\nhost: šla jsem do práce\nmoderátor: a jak dlouho to bylo",
    "The court: Sustained, go on please.\nWitness: I did not see that car.\nThe court: Thank you, that is enough.",
  ]));

test("names of fields and headers are no speakers", () =>
  exactly([
    "Dates: from spring until summer\nDesired employment: work in a small laboratory\nDates: from winter until spring\nMain activities: cleaning and some cooking",
  ]));

test("a title or an office before the name in a greeting or a field stays", () =>
  exactly([
    "Dear Auntie [Bernadette],\n\nthank you for the parcel.",
    "Dear Warden [Ruddick],\n\nmy visit was refused.",
    "Dear Principal,\n\nthe roof of the hall leaks.",
    "Dear Residents,\n\nthe lift is out of order.",
    "Owner: Ms [Perpetua Yarrowby], small grey cat",
    "Kunde: Dr. [Annemarie Rufach], neues Schloss",
  ]));

test("what a speaker says is no value of a field", () =>
  exactly(["Patient: My left knee, it clicks.", "Patient: pour moi aussi", "Customer: My parcel is wet, look."]));

test("oxygen and the name of a channel are no organisations", () =>
  exactly([
    "Pacient ventilat, O2 la 140 bar.",
    "Give O2, 2 litres by mask.",
    "WhatsApp: see below",
    "She pays by [PayPal] now.",
  ]));

test("goods, products with a number and names of fields stay in texts of other languages", () =>
  withModel([
    "Rezept: Linsen über Nacht einweichen, 2 Möhren, 1 Stange Lauch. 40 Minuten köcheln, 2 EL Essig.",
    "Material: 3 torneiras cromadas, 12 Parafusos galvanizados, tudo para a obra.",
    "Anketa: 1) Koliko često koristite uslugu? 2) Ocena od jedan do pet. 3) Predlog za kraj.",
    "Program se zavře, když otevřu Prohlížeč 121. Stejná chyba jako předtím.",
    "Na displeji svítí chyba OK. Potom se zase vypne sama.",
    "Saat kemarin layar padam setelah cetak OK. Sudah dicoba lagi tadi.",
  ]));

test("names in such texts are found", () =>
  withModel([
    "Včera mi volala [Bohumila Trnková] a chtěla přijít dřív.",
    "Ontem falei com a [Filomena Sardinha] sobre a obra.",
  ]));

test("long near-matches take linear time", () =>
  takesLinearTime(["Judge Judge ", "Dear Auntie ", "Patient: My x\n", "2 Na ", "Aa Bb. ", "Desired employment: a\n"]));
