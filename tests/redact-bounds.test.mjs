// How far `redact` extends names, numbers and terms of which only a part was found, and where spans of a model end.
import { test } from "node:test";
import { exactly } from "./redact-marked.mjs";

/** A source that finds words, as a model does that finds only a part of a value. */
const finding = (label, words) => ({
  name: "parts",
  labels: [label],
  find: (text) =>
    words.flatMap((word) => {
      const start = text.indexOf(word);
      return start < 0 ? [] : [{ label, score: 1, start, end: start + word.length }];
    }),
});

/** Checks texts of which a source finds some words. */
const partly = (label, words, texts) => exactly(texts, { label, sources: [finding(label, words)] });

test("a name goes on with the words with a capital beside it", () =>
  partly(
    "PERSON",
    ["Vince", "Sekyiwaa", "Ganesh"],
    [
      "ask [Vince Halloran] in the village, he did my timing belt",
      "I write on behalf of my ward, [Adwoa Sekyiwaa], who was ill.",
      "The list has 1. [Ganesh Kayastha]  2. nobody else so far",
    ],
  ));

test("words before and after a name that are none of it stay", () =>
  partly(
    "PERSON",
    ["Halloran", "Vince", "Ottilie"],
    [
      "Please ask. Remind [Halloran] to bring the keys.",
      "We met [Vince] Monday at noon and he was fine.",
      "Contact: [Vince] Phone: none",
      "Say hello to Aunt [Ottilie] when you see her.",
      "Yesterday the Senior Engineer [Vince] left early.",
      "I told [Vince] The meeting is off.",
    ],
  ));

test("initials belong to a name", () =>
  partly(
    "PERSON",
    ["Mroczek", "Abernethy", "MIKEY", "olaf"],
    [
      "Daj znać, czy jest ok.\n[G. Mroczek]",
      "rm 3: [Abernethy, D.], lap hyst",
      "[MIKEY P] - 2 tickets",
      "[olaf m], nr 4 und 11 fehlen",
      "It lacks vitamin C. [Mroczek] said so.",
      "At 25 °C. [Mroczek] stopped it.",
    ],
  ));

test("a name in capitals that fills a line is whole", () =>
  partly(
    "PERSON",
    ["JUBAL", "CHIOMA"],
    ["NOTICE\n[JUBAL E HARGROVE]\nRT 1 BOX 90", "DEAR [CHIOMA], YOUR TOKEN IS READY"],
  ));

test("a particle or a nickname joins two parts of a name", () =>
  partly(
    "PERSON",
    ["Anna", "Kooten", "Kovács", "Bertil"],
    [
      "We saw [Anna van Kooten] at the station.",
      'It is [Bertil "Buster" Kovács] again.',
      "We saw [Anna] and [Kooten] at the station.",
    ],
  ));

test("a particle after a title belongs to a name", () =>
  partly(
    "PERSON",
    ["khattabi"],
    ["toen vroeg meneer [el khattabi] wat dat ging kosten", "dat zag el [khattabi] niet"],
  ));

test("an answer in lower case to the question for a name is whole", () =>
  partly(
    "PERSON",
    ["львовна", "llull"],
    [
      "как к вам обращаться\n[агриппина львовна ступак]\nлицевой счёт назовите",
      "i el seu nom\n[ragenfrid llull]\nd'on ens truca",
      "què fem avui\nho diu [llull]\nd'on ens truca",
    ],
  ));

test("names of organisations in other languages go on in lower case to the end of their cell or quotation", () =>
  partly(
    "ORGANIZATION",
    ["Detská", "Alsiškių", "Бежанијска", "Zvolta"],
    [
      "[Detská fakultná nemocnica], Banská\nPrepúšťacia správa",
      "2015–2021  laborantė, [Alsiškių grūdai]\n2014 m. stažuotė",
      "ОТПУСНА ЛИСТА „[Бежанијска коса]“ и остало",
      "Včera jsme viděli, že [Zvolta] dnes hraje doma.",
    ],
  ));

test("a particle joins two parts of the name of an organisation", () =>
  partly(
    "ORGANIZATION",
    ["École", "Haut-Rivage", "Lorrimer", "Brackwell"],
    [
      "génie logiciel, [École de technologie du Haut-Rivage], 2016",
      "They left [Lorrimer] and joined [Brackwell] in spring.",
    ],
  ));

test("letters around a number, its groups and an extension belong to it", () =>
  partly(
    "PHONE",
    ["(503) 555-0148", "6987 330"],
    [
      "can be reached at [(503) 555-0148 x2217]. I need it fixed",
      "tel. [(503) 555-0148 wew. 3]\nWarszawa",
      "κιν. [6987 330 415] – για όλα",
      "TEL [440 917 285] IN the evening",
    ],
  ));

test("a state belongs to a town, and a flat to an address", async () => {
  await partly(
    "LOCATION",
    ["TULSA", "Tracy"],
    [
      "AT ELECTRO BARN, [TULSA OK]? Reply YES",
      "Finnegan\n[Tracy, CA] | 2 offices",
      "went to [Tracy] OR somewhere else",
    ],
  );
  await partly(
    "ADDRESS",
    ["19 Hoe Lane"],
    ["address [flat 2, 19 Hoe Lane] since May", "[19 Hoe Lane, apt 4B] since May"],
  );
});

test("a season belongs to its year and a weekday to its day", () =>
  partly(
    "DATE",
    ["2009", "2008", "2006"],
    [
      "Szeged\n[2009 őszén] szakmai gyakorlat",
      "Τήνος\n[Καλοκαίρι 2008]: πρακτική",
      "Силистра, [зимата на 2006]",
      "We were there in [2006] without rain.",
    ],
  ));

test("a grade belongs to an illness, and what was done to a part of the body", () =>
  partly(
    "HEALTH",
    ["Gleason", "knee", "Konkor"],
    ["(prostatectomy, [Gleason 4+3], pT3a)", "She's had her [knee done] now", "tabl. [Konkor] 5 mg rano"],
  ));

test("the parts of a word with hyphens and the rest of an amount belong together", async () => {
  await partly("HEALTH", ["TCH"], ["Rec: neoadj [TCH-P] if funded"]);
  await partly("MONEY", ["CHF 1.9"], ["An agent values it at [CHF 1.9 Mio.]; we would sell"]);
  await partly("USERNAME", ["@yanaki"], ["GitLab [@yanaki-t]\n"]);
});

test("an own pattern keeps its bounds, and an allowed name stays", async () => {
  const patterns = [{ label: "PERSON", pattern: /Vince/ }];
  await exactly(["ask [Vince] Halloran in the village"], { patterns });
  await exactly(["ask Vince Halloran in the village"], {
    sources: [finding("PERSON", ["Vince"])],
    allow: ["Vince Halloran"],
  });
});
