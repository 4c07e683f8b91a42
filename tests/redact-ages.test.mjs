// Ages, amounts and dates of many languages that rules find, and what they leave, without a model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "../dist/node.js";
import { takesLinearTime } from "./linear-time.mjs";
import { exactly as check } from "./redact-marked.mjs";

const exactly = (label, texts) => check(texts, { label });

/** Checks that nothing of these labels is found. */
async function none(labels, texts) {
  for (const text of texts) {
    const { entities } = await redact(text, { model: false });
    const found = entities.filter((entity) => labels.includes(entity.entity_group)).map(({ word }) => word);
    assert.deepEqual(found, [], text);
  }
}

test("a number after a verb or pronoun of age is an age, in digits and in words", () =>
  exactly("AGE", [
    "Mein Nachbar zieht aus, er ist jetzt auch schon [siebzig].",
    "Hallo zusammen, bin [19] und suche eine Wohnung in der Nähe.",
    "Ze woont alleen en zij is nu [81] en moet verhuizen.",
    "Det går godt, hun er [67] og arbejder stadig.",
    "Hon bor kvar i huset och hon fyller [90] på lördag.",
    "Vi kjenner ham godt, han er bare [femten].",
    "Hän on jo eläkkeellä, hän on [73] ja asuu yksin.",
    "Tack för hjälpen! Jag är [åttiotre] och ser dåligt.",
    "No sé cuándo vuelve, pero tengo [veintitrés] y estudio aquí.",
    "Trabalhei sempre no mar e hoje tenho [oitenta e um].",
    "La meva tieta fa festa, dilluns en fa [81]!",
    "Viņa dzīvo viena un viņam jau [43].",
    "Він ще малий, йому ж тільки [чотири].",
    "Бабушка болеет, ей уже [семьдесят два].",
    "Děda je čilý, mu je [osmdesát].",
    "Тя още работи, а вече е на [шейсет и пет].",
    "Ta elab maal, ta on [77] ja sõidab ise.",
  ]));

test("the answer to the question for an age is an age", () =>
  exactly("AGE", [
    "Notruf: Wie alt ist Ihre Mutter?\nAnruferin: [Achtundsechzig].",
    "Doctora: ¿Cuántos años tiene?\nPaciente: [Cincuenta y nueve].",
    "Medic: câți ani aveți acum?\nPacient: [Cincizeci și opt].",
    "Диспетчер: сколько лет маме?\nЗвонящий: [шестьдесят четыре]",
  ]));

test("a number with an abbreviation of years is an age in a note", () =>
  exactly("AGE", [
    "Hausbesuch bei Pat. weiblich, [72 J.], mit Husten seit drei Tagen.",
    "Pacijent je hitno primljen, [37 god.], bez poznatih alergija.",
    "Otec leží doma a je slabý ([88 r.]), potrebuje pomoc.",
    "Ослушан и изпратен у дома, [34 г.], без оплаквания.",
    "Świadek obecny na rozprawie, [lat 57], zawód stolarz.",
    "Utente Belmira Quaresma, [79A], com febre e tosse.",
  ]));

test("compounds of an age are ages, but not of things that last years", async () => {
  await exactly("AGE", [
    "Na oddział trafiła [25-letnia] kobieta po wypadku.",
    "Vyšetrená [5-ročná] dievčina s horúčkou.",
    "Nukentėjo [16-metis] paauglys iš kaimo.",
    "È caduto un [19enne] dal motorino.",
    "Bila je [52-letna] učiteljica iz mesta.",
    "Η [79χρονη] μεταφέρθηκε στο νοσοκομείο.",
  ]);
  await none(
    ["AGE"],
    [
      "Na to urządzenie jest 10-letnia gwarancja producenta.",
      "Wir haben 30-jährige Erfahrung mit Dächern.",
      "Uz uređaj dolazi 2-godišnja garancija.",
      "Podpísali sme 5-ročná zmluva o nájme.",
      "Ponujamo 15-letna garancija na okna.",
      "La garantie (2 ans) couvre les pièces et elle est gratuite.",
      "Der Vertrag läuft mit 10-jährige Laufzeit.",
    ],
  );
});

test("numbers before words for a birthday, and fields for an age", () =>
  exactly("AGE", [
    "Wir feiern den [60.] Geburtstag im Garten.",
    "Zapraszam na [18.] urodziny w sobotę.",
    "Escola: Sant Pere\nEdat: [10]\nCurs: quart",
    "Usia: [63 thn]\nAlamat: desa",
    "Uzrast: [19 god.]\nVisina: 180",
    "Mosha: [29]\nQyteti: kryeqytet",
  ]));

test("months and weeks of babies are ages", () =>
  exactly("AGE", [
    "Vengo con mi bebe de [8 meses] porque tiene fiebre.",
    "La coppia ha una bimba e un bimbo di [5 mesi], tutti sani.",
    "Kontrolka: dítě [10 měsíců], váha v normě.",
  ]));

test("ages of English speech, notes and events", () =>
  exactly("AGE", [
    "my neighbour helps me because im [sixty eight] and i have a bad knee",
    "She lost her leg, and at [eighty-one], she still swims daily.",
    "You should come, you're [seventy-one] and you love the sea.",
    "Referral: child seen in clinic, [3y4m], speech delay.",
    "Her baby is [5 weeks] and sleeps well.",
  ]));

test("counts, times, rooms, floors, pages, percents and temperatures are no ages", () =>
  none(
    ["AGE"],
    [
      "Er ist 5 Meter hoch und sie ist 30 Minuten zu spät.",
      "Der Drucker im 3. Stock ist kaputt, er ist im 2. OG.",
      "Es ist zehn Uhr und der Zug hat 20 Minuten Verspätung.",
      "Tengo 3 hermanos y tiene 4 habitaciones.",
      "Il a 12 pages et elle a 30 photos de la ville.",
      "Ho 15 minuti e hai 20 euro per il taxi.",
      "Tenho 2 reuniões e fez 30 graus ontem.",
      "Mam 5 minut, a on ma 20 procent udziału.",
      "Má 3 pokoje a má 45 metrů čtverečních.",
      "Imam 10 komada i ima 20 stupnjeva vani.",
      "Hun er 20 minutter forsinket, og han er 3 km unna.",
      "Hon är på rum 12 och tåget är 40 minuter sent.",
      "Hän on huoneessa 12 ja lämpötila on 21 astetta.",
      "Ta on toas 14 ja temperatuur on 21 kraadi.",
      "Ему 5 раз звонили, а мне 20 процентов обещали.",
      "Йому 3 рази дзвонили, а мені 10 відсотків обіцяли.",
      "Είναι 5 χιλιόμετρα και κλείνει τις 9 το βράδυ.",
      "Farina 00, 500 g, zucchero 80 g, latte 2 l.",
      "Kabel, 25 m, farba, 10 l, cukor, 50 g.",
      "Pintura blanca, 25 l, y dos brochas.",
      "A los 5 minutos se apaga; a los dos les gusta.",
      "Muzyka lat 80. jest znowu modna.",
      "Depuis 3 ans nous livrons partout, et il y a 4 ans nous avons déménagé.",
      "Ik heb 12 stoelen en hij is 2 meter lang.",
      "We met at 17:30 and at 40 degrees the pump stops.",
      "The speed limit is fifty miles and it was ninety degrees.",
    ],
  ));

test("amounts with colloquial units, letters and signs", async () => {
  await exactly("MONEY", [
    "Totaal vir die verf is [R2 298,00] vandag.",
    "El recibo es de [S/ 388.40] y vence hoy.",
    "Recompensa por el perro: [Q500] en efectivo.",
    "J'ai envoyé [25 000 f] ce matin au gardien.",
    "Das chostet [60 Stutz] pro Nacht, gell.",
    "Ich habe ihm [dreißig euro] gegeben, und du nichts.",
    "Pošli jí [dva tisíce korun] složenkou, prosím.",
    "Lánið er [4,2 m.kr.] og vextir eru háir.",
    "Cena je [14 990,-] bez montáže a dopravy.",
    "Она перевела [7 000р] вчера вечером.",
    "j'ai payé [douze euros quatre-vingt-dix] quand même",
  ]);
  await none(
    ["MONEY"],
    [
      "TSH 3.1, the patient feels well; meet in rm 3 at noon.",
      "The migration to SAP S/4 is done and rated R 4.3 by users.",
      "Cinco minutos e dois cafés depois saímos.",
      "Es sind zwanzig Leute gekommen und drei gegangen.",
    ],
  );
});

test("years alone, days with months, and years in words", async () => {
  await exactly("DATE", [
    "Blinddarmoperation ([2016]), sonst gesund.",
    "Studium der Chemie, Note gut, [2009].",
    "Mieszka tu od [2014] i pracuje w szkole.",
    "Desde [2009] llevo la cocina del hotel.",
    "Zkouška je [22/05] v deset hodin.",
    "Next visit [22/5] with the nurse.",
    "Scadenza del certificato [09/2025] come da modulo.",
    "nací en [mil novecientos setenta] y crecí allí",
    "Abschluss im Jahr [2019].",
    "Договор подписан [2 июня 2025 года] в офисе.",
  ]);
  await none(
    ["DATE"],
    [
      "Wir haben AutoCAD 2022 und Excel 2019 installiert.",
      "The pump has 2000 W and weighs 2010 g.",
      "Der Code lautet 1987 und gilt heute.",
      "Take 1/2 tablet, ratio 3/4, aspect 16/9, open 24/7.",
      "Formular rev. 08/23, Charge 17/4, Sitzplätze 11/12.",
      "Wir brauchen 2000 Stück und bis 2000 Euro Kredit.",
    ],
  );
});

test("long near-matches take linear time", () =>
  takesLinearTime(["er ist ", "tengo ya ", "(12 ", "18/0 ", "veinte y ", "deux mille ", ", 70 J", "Anna, 45 "]));
