// What `redact` finds of people by rules alone in the European languages of the Latin script: names, ages, dates, amounts and illnesses.
import { test } from "node:test";
import { takesLinearTime } from "./linear-time.mjs";
import { exactly } from "./redact-marked.mjs";

/** Checks that texts lose nothing. */
const untouched = (texts) => exactly(texts);

test("frequent given names are found in lower case and at the start of a sentence", () =>
  exactly([
    "ce soir je passe chez [sylvain] avec le pain",
    "ik heb het al aan [wietske] gevraagd, ze komt niet",
    "kan du ikke spørge [jeppe] om han har nøglen?",
    "jutro jadę z [krzychu] na ryby, wracamy wieczorem",
    "Det regner ute. [Solfrid] kommer ikke i dag.",
  ]));

test("dates have the months of Albanian, Galician and Serbian, and the endings of Turkish and Estonian", () =>
  exactly([
    "Vijmë më [3 korrikut] në mbrëmje.",
    "Nisja është më [22 prill], në orën gjashtë.",
    "A reunión é o [5 de febreiro do 2025] pola tarde.",
    "Ponuda važi do [15. juna] i posle ne.",
    "Düğün [9 eylülde] yapılacak, hepiniz gelin.",
    "Koosolek on [30. novembril] ja siis enam mitte.",
    "Das ist am [Di., 17. September 2024] besprochen worden.",
    "Rapor [ocak ayında] bitiyor, haberin olsun.",
    "Betaling skal være inne: [5/1-26], ellers kommer det gebyr.",
    "A gyakorlat [2009 őszén] volt, azóta nem.",
    "Kommst du erst [7. jan] wieder zurück?",
  ]));

test("ages stand after a name and a verb, and in words of further languages", () =>
  exactly([
    "[Silvia] má [dva mesiace] a spí celú noc.",
    "[Robert] elmúlt [másfél éves], és már szalad.",
    "Djali im është [2 vjeç], pra duhet një krevat.",
    "Meni su [osamdeset dvije], ali još radim u vrtu.",
    "Žmona serga, jai jau [trisdešimt aštuonerių], bet dar dirba.",
    "Elle vient ici depuis ses [deux ans], toujours contente.",
    "Oğlum [6,5 yaşında], okula başladı.",
  ]));

test("amounts are found in words of Albanian, Dutch and Lithuanian", () =>
  exactly([
    "Ekskursioni kushton [tre mijë lekë] për fëmijë.",
    "Het dak kost [drie ton euro] en dat is te veel.",
    "Taksi kainavo [trisdešimt eurų] iki namų.",
    "Das Haus war damals [achtzigtausend Mark] wert.",
  ]));

test("spoken codes of three words follow a word for a code in its cases", () =>
  exactly(["povej jim kodo garaže [osem nič osem] in da naj zaprejo vrata"]));

test("illnesses have their degrees, types and codes, and operations the part of the body", () =>
  exactly(
    [
      "Min kone har [KOL] og hun er 71 år gammel nu.",
      "mw Terlinden, 37 jr: [pyelonefritis] (ICPC [U70]).",
      "er hat ja [diabetes typ zwei] und ist 71 jahre alt",
      "meine tochter, 9 jahre alt, hat die [knie-op] hinter sich",
    ],
    { label: "HEALTH" },
  ));

test("sentences without anybody's data stay as they are", () =>
  untouched([
    "on a mangé une tarte aux pommes et le chien dort devant la porte",
    "Det finns två sorters bröd, ett mörkt och ett ljust, och båda är goda.",
    "o gato subiu na mesa e comeu o peixe que era para o almoço",
    "zuerst die butter schmelzen, dann das mehl dazu und gut rühren. lg euch",
    "Il museo apre alle nove. Prenotazione obbligatoria.\n\nGrazie",
    "Mycket nöje med den nya maskinen.\n\nBruksanvisning",
    "Mujer sin otros datos, sola en la sala.",
    "Der Pastor. Die Predigt war lang und gut.",
    "kas tai yra, ar tu matei kur yra raktas nuo garažo",
    "szia, nem tudom hogy holnap lesz-e nyitva a bolt",
    "Kutia është e vjetër dhe nuk hapet më.",
    "ton six est plus fort que mon cinq",
    "Ingredienti: 2 uova, 250 g di farina, un pizzico di sale.",
    "Das Buch hat drei Teile und ein Register.",
  ]));

test("its expressions take linear time", async () => {
  const pieces = [
    "lg ayten ",
    "sig. ",
    "ses deux ",
    "M. A. B. ",
    "mandel-op ",
    "5/1-2 ",
    "ABC DEF ",
    "2009 ősz ",
    "kodo ",
  ];
  await takesLinearTime(pieces, "Moja žena, 64, ");
});
