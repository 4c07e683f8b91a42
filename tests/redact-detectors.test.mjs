// The detectors of `redact`, one by one: what each finds and what it leaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pipeline, redact } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";

const { DETECTORS } = await importTypeScript("src/js/redaction/detectors/detectors.ts");
const { DETECTOR_NAMES } = await importTypeScript("src/js/redaction/detectors/names.ts");
const found = (name, text) => DETECTORS[name].find(text).map(({ start, end }) => text.slice(start, end));

/** For each detector, texts with what it finds in them; a text alone contains nothing to find. */
const CASES = {
  place: [
    ["Er wohnt in Linz und zieht im September nach Graz.", "Linz", "Graz"],
    ["die Unterlagen nach Graz geschickt", "Graz"],
    ["rufe aus erfurt an; su primo vive en murcia; j'habite à brest", "erfurt", "murcia", "brest"],
    ["mieszkam w poznaniu; ik woon in leeuwarden; jsem zrovna v plzni", "poznaniu", "leeuwarden", "plzni"],
    ["yarın izmir'e gidiyorum, ankara'da", "izmir", "ankara"],
    ["Er kommt nach Hause und wohnt in einem Haus. Sie lebt in Scheidung und kommt aus Versehen nach Absprache."],
    ["vivo en pareja; je rentre à pied; arriva a casa; ik kom in actie; jusqu'a la gare"],
    ["wohnt in linz, sagt Anna"],
  ],
  pem: [
    [
      "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ],
    ["the BEGIN and the END"],
  ],
  jwt: [
    ["a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x1y2 b", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x1y2"],
    ["eyJ alone. eyJhbGci"],
  ],
  "api-key": [
    ["use ghp_16C7e42F292c6912E7710c838347Ae178B4a now", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"],
    [
      "AKIAIOSFODNN7EXAMPLE, AIzaSyA1234567890abcdefghijklmnopqrstuv",
      "AKIAIOSFODNN7EXAMPLE",
      "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    ],
    ["Authorization: Bearer abc.def-123", "abc.def-123"],
    ["a bearer of news, risk-averse, task-force"],
  ],
  "url-credentials": [
    ["https://david:pw1@git.example.org/a.git", "david:pw1"],
    ["/find?name=Anna%20K&page=2&token=abc123", "Anna%20K", "abc123"],
    ["https://example.org/?page=2&sort=asc"],
  ],
  uuid: [
    ["id 7847a8db-0719-4589-8cdf-08dcd8375971.", "7847a8db-0719-4589-8cdf-08dcd8375971"],
    ["7847a8db-0719-4589-8cdf"],
  ],
  mac: [["54:61:f0:09:1e:73 and 5461.f009.1e73", "54:61:f0:09:1e:73", "5461.f009.1e73"], ["12:30:45 and 1:2:3:4:5:6"]],
  ip: [
    ["from 192.168.1.7:80, ::1 and 2001:db8::8a2e:370:7334", "192.168.1.7", "::1", "2001:db8::8a2e:370:7334"],
    ["version 1.2.3.4, 256.1.1.1, 12:30, std::vector, 1.2.3"],
  ],
  coordinates: [
    ["at 51.5007, -0.1246 or 48°51'29\"N 2°17'40\"E", "51.5007, -0.1246", "48°51'29\"N 2°17'40\"E"],
    ["it cost 51.50, then 12.10"],
  ],
  money: [
    [
      "$189.99 or CHF 87.35, US$ 25, 18 400 zł, R$ 1.750,00, 38 mil dólares, 1 450,00 €, 9,800円, 3 417 руб. 08 коп., 11.500 de lei",
      "$189.99",
      "CHF 87.35",
      "US$ 25",
      "18 400 zł",
      "R$ 1.750,00",
      "38 mil dólares",
      "1 450,00 €",
      "9,800円",
      "3 417 руб. 08 коп.",
      "11.500 de lei",
    ],
    ["he paid eight hundred and fifty dollars and forty pounds", "eight hundred and fifty dollars", "forty pounds"],
    [
      "paid R950 cash, a fine of R1 850, N78,500 a bag, for R43 million, claim usd 430, fee Tk 92.50, total rm380, nz$60, rp 2.450.000",
      "R950",
      "R1 850",
      "N78,500",
      "R43 million",
      "usd 430",
      "Tk 92.50",
      "rm380",
      "nz$60",
      "rp 2.450.000",
    ],
    ["950٬000 تومان, 9만2천 원, 三百美元, 四千三百円", "950٬000 تومان", "9만2천 원", "三百美元", "四千三百円"],
    [
      "TZS 64,000; 120 rubļus; 230 000 guaraníes; 2,4 milljónir króna",
      "TZS 64,000",
      "120 rubļus",
      "230 000 guaraníes",
      "2,4 milljónir króna",
    ],
    ["一块, 十元素, 원 3"],
    [
      "a fiver, a tenner for stamps, BHD 165, tk 210, 1500 bob, 1,200 cedis, 400/- only, 8,400/=, Kshs. 150,000, Sh. 70,000, 1.6 lakhs, 18.4 LPA",
      "a fiver",
      "a tenner",
      "BHD 165",
      "tk 210",
      "1500 bob",
      "1,200 cedis",
      "400/-",
      "8,400/=",
      "Kshs. 150,000",
      "Sh. 70,000",
      "1.6 lakhs",
      "18.4 LPA",
    ],
    [
      "187 500 F, Q6,500, 150rb, 22 triệu, Bs 1.200, 28.500 lekë, 184.500 XOF, 217 ر.س, 45 دينارًا, रु. 950, 840 টাকা, 680 บาท",
      "187 500 F",
      "Q6,500",
      "150rb",
      "22 triệu",
      "Bs 1.200",
      "28.500 lekë",
      "184.500 XOF",
      "217 ر.س",
      "45 دينارًا",
      "रु. 950",
      "840 টাকা",
      "680 บาท",
    ],
    [
      "two and a half grand, three hundred bob; the balance is sixty three pounds eleven.",
      "two and a half grand",
      "three hundred bob",
      "sixty three pounds eleven",
    ],
    ["he charged me R650, total R504.00", "R650", "R504.00"],
    ["a grand piano, two grand pianos, he met 3 Bob fans, Bob 15, 3 000 F1, Q3, 24/7, R18 road, he paid the N95 way"],
    ["php 3,350, inr 450", "php 3,350", "inr 450"],
    [
      "upgraded to php 8.2, inr 2.4 stable, det er nok 3 dager, sek 30, known cad 2 vessels, sed 's/5/6/', for R410 gas, P100 filters",
    ],
    ["form P45 of the N95 mask for P60, R2D2 on the R61, R12 gas, K9 unit, room rm12, rs and 3 tk"],
    [
      "INR 2,4 today, TRY 2 of these, ALL 5 items, COP 26, 2 TL Salz, пить 2 р. в день, lost twenty pounds, 6 ft, 3 won, DIN 4102",
    ],
  ],
  phone: [
    [
      "+44 7700 900 123, 0049 30 23125 123, +1 (415) 555-2671",
      "+44 7700 900 123",
      "0049 30 23125 123",
      "+1 (415) 555-2671",
    ],
    ["(415) 555-2671, 030 23125123, 06 12 34 56 78", "(415) 555-2671", "030 23125123", "06 12 34 56 78"],
    ["tel. 481 516", "481 516"],
    ["on 03.05.2024 order 100200300, 1999-2004, 3.14159265, +5"],
  ],
  date: [
    ["3 May 1984, 1984-05-03, 03/05/84, May 3rd, 1984", "3 May 1984", "1984-05-03", "03/05/84", "May 3rd, 1984"],
    [
      "am 3. Mai 1984, le 1er août 2020, 3 de mayo de 1984, 1984年5月3日",
      "3. Mai 1984",
      "1er août 2020",
      "3 de mayo de 1984",
      "1984年5月3日",
    ],
    [
      "im September, en mars, w lutym 2019, в апреле, syyskuussa",
      "September",
      "mars",
      "lutym 2019",
      "апреле",
      "syyskuussa",
    ],
    ["| giugno | Mese: agosto", "giugno", "agosto"],
    ["life on mars, a march, mai nie, april showers"],
    ["the third of May nineteen eighty-four", "the third of May nineteen eighty-four"],
    [
      "Home on the 30th. She came on the 9th and again on the 11th, down from the 6th to the 17th; ready by the twelfth.",
      "the 30th",
      "the 9th",
      "the 11th",
      "the 6th",
      "the 17th",
      "the twelfth",
    ],
    ["14 آذر 1402, 12 رجب 1446, 5 Zulkaedah 1445", "14 آذر 1402", "12 رجب 1446", "5 Zulkaedah 1445"],
    [
      "2016年到2020年, 2006 metų, 2016. gada, laugardaginn 6. desember",
      "2016年",
      "2020年",
      "2006 metų",
      "2016. gada",
      "laugardaginn 6. desember",
    ],
    [
      "okay thursday the seventeenth, tuesday the second of june, monday january twelfth, Tues 18 Feb, this 9th day of March, 2025, march twelfth fifty six",
      "thursday the seventeenth",
      "tuesday the second of june",
      "monday january twelfth",
      "Tues 18 Feb",
      "9th day of March, 2025",
      "march twelfth fifty six",
    ],
    ["the fifth of sunday school, sunday second service, in march twelve fifty"],
    [
      "Memorial Day 2025, Boxing Day 1941, St Swithin's Day, 2023, new year's eve twenty sixteen, summer of 2024, zomer 2019, kesästä 2022, fin 2024",
      "Memorial Day 2025",
      "Boxing Day 1941",
      "St Swithin's Day, 2023",
      "new year's eve twenty sixteen",
      "summer of 2024",
      "zomer 2019",
      "kesästä 2022",
      "fin 2024",
    ],
    ["Easter eggs 2024, Memorial Day, summer 2 go, the fall of 19 trees, Christmas tree 2000 lights"],
    ["BA Oxford '01, MBA '12. Tutor 2021-23, then 2013–15.", "'01", "'12", "2021-23", "2013–15"],
    ["rock of the '60s, '12 monkeys', {'10'}, RFC 2119-22-1, 6'2, 1999-3 of 4, 2023-17 b"],
    [
      "Approved thru 6/30. exp. 4/28, due 3/3 w/ Sorcha, exp 10/26, 12/1-12/31, van 11/2 tot 15/2",
      "6/30",
      "4/28",
      "3/3",
      "10/26",
      "12/1-12/31",
      "11/2",
      "15/2",
    ],
    [
      "open 24/7, pain from 6/10 to 3/10, on 3/4 of the day, from 1/2 to 2/3, by 5/6, till 3/4, room 12/1, 1/2-3/4, BP on 120/80",
    ],
    ["2.iii.25, 12 IV 2024, 2.3.iv", "2.iii.25", "12 IV 2024"],
    ["3 x 2000, 4 V 2000, I 2024"],
    [
      "09/2014 – 03/2019 Kiel, 08.2022 – dato, mar/2015 a dez/2023",
      "09/2014",
      "03/2019",
      "08.2022",
      "mar/2015",
      "dez/2023",
    ],
    ["directive 12/2014, ratio 8.2022"],
    [
      "jueves 14 a las 7, sábado 3. domingo, 9, tinha; dia 20/05 manda, dijous 13",
      "jueves 14",
      "sábado 3",
      "domingo, 9",
      "dia 20/05",
      "dijous 13",
    ],
    [
      "lunes 10 personas, giovedì 20:30, 3 veces al día 2 pastillas, sábado 9h, jueves 10-12, venerdì 15 ore, martes 2 de cada",
    ],
    ["lähtee ti 18.3. klo 6, gilt ab 1.11. und (7.6.)", "18.3", "1.11", "7.6"],
    ["Kapitel 2.1. und Abschnitt 3.2. (siehe Punkt 4.5.), in 2.1. The rest, version 1.2. is out"],
    ["I led a team, I set up, I out"],
    ["2019年度, 2000年代, 2000년대, bėgo 2000 metrų, 2000 m., 14 تیری"],
    [
      "on the 2nd floor, on the third attempt, since the 19th century, by the fifth lap, on the first, from the 3rd row",
    ],
    ["you may 3 times, 10.15.7, 1/2, 45/67/89"],
  ],
  age: [
    [
      "a 43-year-old, aged 9, 43 ans, 43 Jahre alt, forty-three years old",
      "43-year-old",
      "9",
      "43 ans",
      "43 Jahre alt",
      "forty-three years old",
    ],
    ["at 43 km, 43 %, page 43"],
    ["M/19 and 61/M, later 37y/F; father: MI at 58, died at ninety-one.", "M/19", "61/M", "37y/F", "58", "ninety-one"],
    [
      "When he was six, she'll be eighty-two on Monday. I am 68 years and cannot stand.",
      "six",
      "eighty-two",
      "68 years",
    ],
    [
      "בן 19 ובת 61; té 81 anys; 91 árs; 88 taong gulang; 78 ساله; umri miaka 38; vanus: 39",
      "19",
      "61",
      "81 anys",
      "91 árs",
      "88 taong gulang",
      "78 ساله",
      "38",
      "39",
    ],
    [
      "shes 3 and loud; He's 22 months, wt 12; who is seven today; who is two and a half. I was eleven. he is only thirty-nine and",
      "3",
      "22 months",
      "seven",
      "two and a half",
      "eleven",
      "thirty-nine",
    ],
    ["a child of about five. (kids 3 and 5), two boys (4, 6 and 9).", "five", "3", "5", "4", "6", "9"],
    ["how old are the children\nuh seven and\nHow old were you?\nMs A: ten, i sang", "seven", "ten"],
    ["happy 50th, dear; happy 6th birthday", "50th", "6th"],
    ["tengo 44, peor; hun fyller 80 på søndag; compie settant'anni", "44", "80", "settant'anni"],
    ["ž/36, Brezno; Ж/41, w/44, Bibliothekarin", "ž/36", "Ж/41", "w/44"],
    [
      "She's 3 days late, he is 10 minutes away, she's one of them, he's two down, She is 6 foot tall, I was ten minutes late, he was fourth, she's 22 weeks pregnant, a man of about 100 words, Happy 4th of July, girls 10 and 12 metres, kids 3 and up, how old is it?\nseven: no, w/10 people, set to 69 F, temp 72 F, 42\nM, tengo 44 euros, tiene 12 de ellos, vent'anni fa",
    ],
    ["alla ba 5, kwa miaka 5, בן דוד 4"],
    ["I AM 36 YEARS OF AGE.", "36 YEARS OF AGE"],
    ["m/30 s, 12/m, when he was 6 months away, he will be 30 minutes late, stroke at 9, died at 20:15, sales at 58"],
  ],
  address: [
    ["14 Larkspur Lane, Bristol BS6 5QT", "14 Larkspur Lane, Bristol BS6 5QT"],
    [
      "Hauptstraße 12, 10115 Berlin; 12 rue de la Paix, 75002 Paris; ul. Długa 5",
      "Hauptstraße 12, 10115 Berlin",
      "12 rue de la Paix, 75002 Paris",
      "ul. Długa 5",
    ],
    ["3 Days Later, the Road to Rome"],
  ],
  field: [
    ["Name: Olive Green\nDOB: 3/2/1999", "Olive Green", "3/2/1999"],
    ['{"email": "a@b.org", "page": 3}', "a@b.org"],
    ["user=anna12 level=info", "anna12"],
    ["Name: N/A\nNotes: none\npage: 3"],
  ],
  spoken: [
    ["ring oh seven seven double oh nine hundred thanks", "oh seven seven double oh nine hundred"],
    ["my name is spelled k o v a c s", "k o v a c s"],
    ["one or two of them, a b testing"],
  ],
  secret: [
    ["wifi is GreenHouse5 pw tomato-soup", "GreenHouse5"],
    ["the wifi is GuestNet today"],
    ["the password is hunter2, my PIN is 4821 and the CVV 123", "hunter2", "4821", "123"],
    ["Passwort: Geheim99", "Geheim99"],
    [
      "Din engangskode er 482 905. Impasse 3, digicode B2714, Alarmcode 580316, the code for the key safe is 4490",
      "482 905",
      "B2714",
      "580316",
      "4490",
    ],
    ["try Mango!Tree55 or Nussbaum#41-Kogel", "Mango!Tree55", "Nussbaum#41-Kogel"],
    ["error code 1603, product code 48213, Code postal 75011, kod błędu 4031, the code was changed in 2019"],
    [
      "the alarm went off at 1530, access to 5000 files, the garage cost 12000, gate 4471, entry is 1500, tan solo 1500",
    ],
    ["see issue#1234, R&D 2 and a&amp;b1, the wifi is GuestNet5 here"],
    ["the password is wrong, reset your password, a PIN is required"],
  ],
  title: [
    ["Dear Will,\nMs Kovács and Dr. van der Berg", "Will", "Kovács"],
    ["Kind regards,\nOlive Green", "Olive Green"],
    ["Mein Name ist Jürgen Weiß.", "Jürgen Weiß"],
    [
      "Unser Nachbar Detlef ist hier, my late brother Tom Hale, Herr Prof. Dr. Otto Kern",
      "Detlef",
      "Tom Hale",
      "Otto Kern",
    ],
    ["Ich gab meiner Mutter Blumen, my manager HR, our neighbour I know"],
    ["Dear customer, Dear Sir or Madam, Best regards"],
  ],
  username: [
    ["thanks @anna_k, /home/bob/x", "anna_k".replace(/^/, "@"), "bob"],
    [
      "Accepted publickey for oluwaseyi from 10.0.0.1\nApr 3 sudo: fenwick : TTY=pts/0\n21:04 <veera_k> hey\nMein Login ist h.vojtisek, tunnus traiha2",
      "oluwaseyi",
      "fenwick",
      "veera_k",
      "h.vojtisek",
      "traiha2",
    ],
    ["@media (x), a@b, user name is required"],
    ["the user is on v2.1, account opened, <b> bold</b>, open login.html, see the user guide chapter2"],
  ],
  health: [["diagnosed with type 2 diabetes, ICD-10 E11.9", "type 2 diabetes", "E11.9"], ["diabetes research"]],
  organization: [
    [
      "invoice of Merrow & Finch Ltd, then Braunfels Antriebe GmbH & Co. KG, Dumas et Fils SARL, Talleres Ortega S.L. and ООО «Ромашка»",
      "Merrow & Finch Ltd",
      "Braunfels Antriebe GmbH & Co. KG",
      "Dumas et Fils SARL",
      "Talleres Ortega S.L.",
      "ООО «Ромашка»",
    ],
    ["Write to Acme Inc. at once. I left Acme Inc.", "Acme Inc.", "Acme Inc"],
    [
      "the Hotel Adriana, the Lund University, University of Turku, Contact Nordvik Shipping AS",
      "Hotel Adriana",
      "Lund University",
      "University of Turku",
      "Nordvik Shipping AS",
    ],
    ["by PayPal and from Amazon, my ebay account", "PayPal", "Amazon", "ebay"],
    [
      "The Bank Holiday. My Primary School. An apple from the Amazon river. SUCH AS THIS. Zebra, AB-12. Our hotel has a bank nearby.",
    ],
  ],
  "high-entropy": [
    ["sha 2e96772232487fb3a058d58f2c310023 x9Kd8Q2mZ7pL4vR1", "2e96772232487fb3a058d58f2c310023", "x9Kd8Q2mZ7pL4vR1"],
    ["internationalization, release-notes-2024-05-03, user_profile_2, src/js/redaction/find.ts"],
  ],
};

test("each detector finds what it is for and leaves what resembles it", () => {
  for (const [name, texts] of Object.entries(CASES))
    for (const [text, ...expected] of texts) {
      const words = found(name, text);
      if (!expected.length) assert.deepEqual(words, [], `${name}: ${text}`);
      for (const word of expected) assert.ok(words.includes(word), `${name}: ${text}: ${JSON.stringify(words)}`);
    }
  const elsewhere = ["email", "iban", "card", "national-id", "table", "given-name", "repeated-name"];
  assert.deepEqual(
    DETECTOR_NAMES.filter((name) => !(name in CASES) && !elsewhere.includes(name)),
    [],
  );
});

test("finds national identifiers by their check digits", () => {
  const right = `536-22-1234 AB123456C 12345678Z X1234567L RSSMRA85T10A562S 85073003328 44051401359 19811218-9876
    131052-308T 736028/5163 1800101221144 010190-1234 756.9217.0769.85 111.444.777-35 11.222.333/0001-81 20-12345678-6
    12.345.678-5 11010519491231002X 8001015009087 A123456789 S1234567D 10000000146`
    .trim()
    .split(/\s+/);
  for (const id of right) assert.deepEqual(found("national-id", `id ${id}.`)[0], id, id);
  const wrong =
    "12345678A X1234567A RSSMRA85T10A562A 44051401358 131052-308A 756.9217.0769.84 111.444.777-34 8001015009088 S1234567A".split(
      " ",
    );
  for (const id of wrong) assert.deepEqual(found("national-id", `id ${id}.`), [], id);
  assert.deepEqual(found("national-id", "BSN 111222333"), ["111222333"]);
  assert.deepEqual(found("national-id", "the total 111222333"), []);
});

const rules = async (text, options) => (await redact(text, { model: false, ...options })).text;

test("reads tables and replaces cells whole, headers never", async () => {
  const csv = 'name,city,visits\nSunny Day,Oslo,3\n"Price, Mark",Rome,4\n';
  assert.equal(
    await rules(csv, { detectors: ["table"] }),
    'name,city,visits\n[PERSON_1],[LOCATION_1],3\n"[PERSON_2]",[LOCATION_2],4\n',
  );
  const tsv = "customer\tname\tlast_ip\nC-51\tOlive Green\t212.4.5.6";
  assert.equal(
    await rules(tsv, { detectors: ["table"] }),
    "customer\tname\tlast_ip\n[PERSON_1]\t[PERSON_2]\t[IP_1]".replace("[PERSON_1]\t[PERSON_2]", "C-51\t[PERSON_1]"),
  );
  const wards = "patient\tWard\tConsultant\nEdna Trelawney\t7B\tyes";
  assert.equal(await rules(wards), "patient\tWard\tConsultant\n[PERSON_1]\t7B\tyes");
  const pairs = "Name\tEdna Trelawney\tAge\t43";
  assert.equal(await rules(pairs, { detectors: ["field"] }), "Name\t[PERSON_1]\tAge\t[AGE_1]");
  const markdown = "| Name | Phone |\n|---|---|\n| Bo Li | 030 23125 |\n";
  assert.equal(
    await rules(markdown, { detectors: ["table"] }),
    "| Name | Phone |\n|---|---|\n| [PERSON_1] | [PHONE_1] |\n",
  );
  assert.equal(await rules("red, green, blue\none, two, three"), "red, green, blue\none, two, three");
});

test("finds names in speech without capitals, and leaves ordinary sentences whole", async () => {
  const spoken = [
    "hello this is anna kovacs calling from leeds",
    "my name is john smith",
    "am i speaking with maria lopez?",
    "can i speak to maria please",
    "my handle is zebra_9",
  ];
  assert.deepEqual(await Promise.all(spoken.map((text) => rules(text))), [
    "hello this is [PERSON_1] calling from [LOCATION_1]",
    "my name is [PERSON_1]",
    "am i speaking with [PERSON_1]?",
    "can i speak to [PERSON_1] please",
    "my handle is [USERNAME_1]",
  ]);
  const ordinary = [
    "this is important",
    "this is different from before",
    "he never dared to speak to her",
    "I love speaking with customers.",
    "can i speak to someone",
    "The handle broke, so the login button is grey.",
  ];
  for (const text of ordinary) assert.equal(await rules(text), text);
});

test("finds a name again where it stands alone", async () => {
  const text = "Dear Will, will you come? Yours, Will. Will comes, said Will.";
  assert.equal(await rules(text), "Dear [PERSON_1], will you come? Yours, [PERSON_1]. Will comes, said [PERSON_1].");
});

test("reads digits of other scripts, invisible characters and HTML", async () => {
  for (const card of [
    "４１１１１１１１１１１１１１１１",
    "٤١١١١١١١١١١١١١١١",
    "4111\u200b1111\u00ad1111\u20601111",
    "𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏",
  ])
    assert.equal(await rules(`Card ${card} ok`), "Card [ID_1] ok", card);
  assert.equal(await rules("mail anna&#64;example&period;org!"), "mail [EMAIL_1]!");
  assert.equal(await rules("to anna%40example.org"), "to [EMAIL_1]");
});

test("every detector can be switched off, and own patterns, allow and deny apply", async () => {
  const text = "a@b.org, 192.168.1.7, project Zebra, AB-12";
  assert.equal(await rules(text, { detectors: [] }), text);
  assert.equal(await rules(text, { detectors: ["ip"] }), "a@b.org, [IP_1], project Zebra, AB-12");
  const own = [{ label: "PART", pattern: /[A-Z]{2}-\d{2}/ }];
  assert.equal(
    await rules(text, { patterns: own, deny: ["zebra"] }),
    "[EMAIL_1], [IP_1], project [CUSTOM_1], [PART_1]",
  );
  assert.equal(await rules(text, { allow: ["A@B.org", /192\..*/] }), "a@b.org, 192.168.1.7, project Zebra, AB-12");
  const source = {
    name: "words",
    labels: ["ANIMAL"],
    find: (part) => [{ label: "ANIMAL", score: 1, start: part.indexOf("Zebra"), end: part.indexOf("Zebra") + 5 }],
  };
  assert.equal(await rules(text, { detectors: [], sources: [source] }), text.replace("Zebra", "[ANIMAL_1]"));
});

test("restores any text, and entities are slices of it", async () => {
  const pieces = [
    "anna@b.org",
    "Dear Bo,",
    "\n",
    "\t",
    " ",
    "4111 1111 1111 1111",
    "+44 7700 900 123",
    "Name: Ann Lee",
    "é",
    "e\u0301",
    "👩‍👩‍👧",
    "[PERSON_1]",
    "[EMAIL_2",
    "\u200b",
    "４",
    "&amp;",
    "aZ3kQ9xT7vB2mL5".repeat(9),
    "43 years old",
    "x",
    ",",
    "שלום",
    "東京",
    "PIN 4821",
    "1.2.3.4",
    "PERSON 1",
    "\ud83d",
  ];
  let seed = 7;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const texts = Array.from({ length: 400 }, () =>
    Array.from({ length: random(20) }, () => pieces[random(pieces.length)]).join(""),
  );
  for (const options of [{}, { replace: "mask" }, { replace: "surrogate", salt: "s" }])
    for (const [n, { text, entities, restore }] of (await redact(texts, { model: false, ...options })).entries()) {
      assert.equal(restore(text), texts[n]);
      let end = 0;
      for (const entity of entities) {
        assert.equal(texts[n].slice(entity.start, entity.end), entity.word);
        assert.ok(entity.start >= end && /[\p{L}\p{N}]/u.test(entity.word) && !/[\n\t]/.test(entity.word), entity.word);
        end = entity.end;
      }
    }
});

test("few words of other languages are lost, and names within a sentence are found", async () => {
  const model = await pipeline("token-classification", null, { threads: 1 });
  const hidden = async (text) => (await redact(text, { model })).entities.map(({ word }) => word);
  try {
    for (const [text, ...names] of [
      ["Gestern hat Thorsten die Schlüssel zum Nachbarn gebracht und nichts gesagt.", "Thorsten"],
      ["Hier soir, le dossier est resté chez Bertrand avec les clés de la cave.", "Bertrand"],
      ["La máquina del sótano hace ruido y la vecina, Itziar, no puede dormir.", "Itziar"],
      ["Вчера на вокзале я видел, как Людмила потеряла билет и зонт.", "Людмила"],
      ["Skrivaren på andra våningen är trasig och ingen har ringt efter hjälp."],
      ["Drukarka na drugim piętrze znowu nie działa, a papier jest w szafie."],
    ])
      assert.deepEqual(await hidden(text), names, text);
    // The first word of a sentence beside a name is none; a part that the model finds becomes the whole name.
    for (const [text, name] of [
      ["Ieri Ludovico Sgarbi ha chiuso il cancello con la catena nuova.", "Ludovico Sgarbi"],
      ["Soused Vojtěch Hruška včera opravil plot, ale brána zůstala otevřená.", "Vojtěch Hruška"],
      ["Naapuri Veikko Hakala korjasi aidan, mutta portti jäi auki.", "Veikko Hakala"],
    ])
      assert.ok(
        (await hidden(text)).some((word) => word.endsWith(name)),
        `${text}: ${await hidden(text)}`,
      );
    const [small] = (await redact("hier soir, grimoald est resté chez Thorsten avec les clés", { model })).entities;
    assert.equal(small.word, "Thorsten"); // In a text with capitals, a name that is in no list needs a capital.
    // The switch: without capitals, what the model finds is replaced and nothing else.
    const text = "Skrivaren på andra våningen hos Ylva är trasig och ingen har ringt.";
    const alone = await model(text, { aggregation_strategy: "first" });
    const { entities } = await redact(text, { model, detectors: [], capitals: false, label_bias: {} });
    assert.deepEqual(
      entities.map(({ word }) => word),
      alone.map(({ start, end }) => text.slice(start, end)),
    );
    await assert.rejects(redact("a", { model: false, capitals: "no" }), {
      code: "bad_input",
      message: "capitals: expected true or false, got string",
    });
    // English is read as before: names in lower case, and words that no value of the label can be.
    assert.deepEqual(await hidden("hey its tunde, meet at nine and bring the tent"), ["tunde"]);
    const record = '{"full_name": "Ngozi Eze", "active": true}';
    assert.equal((await redact(record, { model })).text, '{"full_name": "[PERSON_1]", "active": true}');
  } finally {
    await model.dispose();
  }
});

test("a field ends at a full-width comma before the next field", async () => {
  for (const [text, ...words] of [
    ["电话：13800138000，姓名：王小明", "13800138000", "王小明"],
    ["氏名：佐藤花子、電話：03-1234-5678、生年月日：1984年5月3日", "佐藤花子", "03-1234-5678", "1984年5月3日"],
  ]) {
    const { entities } = await redact(text, { model: false, detectors: ["field"] });
    assert.deepEqual(
      entities.map(({ word }) => word),
      words,
      text,
    );
  }
});

test("lines of logs and fields of forms lose only what is personal", async () => {
  const model = await pipeline("token-classification", null, { threads: 1 });
  try {
    for (const [text, ...expected] of [
      // a time stamp to the second is a program's; midnight is how programs write a birthday
      ["2025-06-30T23:59:58.001Z ERROR payment failed for user=mgrabowska reason=timeout", "mgrabowska"],
      ['127.9.1.1 - - [12/Mar/2025:10:05:03 +0000] "GET /main.css HTTP/1.1" 200 5120', "127.9.1.1"],
      ["Born 1984-05-03T00:00:00Z, seen on 2024-02-01.", "1984-05-03T00:00:00Z", "2024-02-01"],
      // the name of a variable, the machine and its port, the next parameter
      ["export SECRET_KEY=d8Fk29sLqPz71MxB3vQe", "d8Fk29sLqPz71MxB3vQe"],
      ["redis://:hunter-pelican-9@cache.example.net:6379/0", ":hunter-pelican-9"],
      ["GET https://api.example.com/v2/orders?token=q9wEr7tYu3iOp1as&limit=20", "q9wEr7tYu3iOp1as"],
      ["INFO cache miss key=session:config ttl=300, port 8443"],
      // names of fields, and the first word of the next one
      ["Employer: Copperfield Dairy\nAnnual income: £31,200", "Copperfield Dairy", "£31,200"],
      ["姓名：李小龙，电话：13912345678，请尽快联系。", "李小龙", "13912345678"],
      ["id,colour,owner\n1,red,Petra Halloway", "Petra Halloway"],
      // titles alone, case endings, "the"
      ["Chère Madame Lemoine, nous avons bien reçu votre dossier et vous remercions.", "Lemoine"],
      // the end of a sentence, quotation marks
      ["Lost card. Ref: FT21156XK9. Sort code unchanged.", "FT21156XK9"],
      ["I replied to your letter of 3 February. We then moved.", "3 February"],
      ['connect({ user: "svc_billing", password: "hT7$kk9!p" })', "svc_billing", "hT7$kk9!p"],
      [
        "Herr Jürgen Böhmer, wohnhaft Lindenstraße 4b, 10969 Berlin. Versichertennummer: A123456780.",
        ...["Jürgen Böhmer", "Lindenstraße 4b, 10969 Berlin", "A123456780"],
      ],
      ["5 rue J.F.Kennedy, 75015 Paris. Il habite là.", "5 rue J.F.Kennedy, 75015 Paris"],
      ["wifi is GreenHouse5 pw tomato-soup-88", "GreenHouse5", "tomato-soup-88"],
    ]) {
      const { entities } = await redact(text, { model });
      assert.deepEqual(
        entities.map(({ word }) => word),
        expected,
        text,
      );
    }
  } finally {
    await model.dispose();
  }
});

test("finds given names of the list in English with a capital", async () => {
  const names = async (text) =>
    (await redact(text, { model: false, labels: ["PERSON"] })).entities.map(({ word }) => word);
  for (const [text, ...expected] of [
    ["Retry 3 of 5; the job notified Anselm Broadbent about it.", "Anselm Broadbent"],
    ["After that we asked Chinedu and Nomvula to come to the office.", "Chinedu", "Nomvula"],
    ["I think it was Agnė who left the keys at the desk.", "Agnė"],
    ["we asked chinedu and nomvula to come to the office", "chinedu", "nomvula"],
    ["Ask Alexa to play the Blue Danube, then turn off the lights in the kitchen."],
    ["Arsenal beat Chelsea on Saturday, and the train to Brooklyn was late."],
    ["The Apple store opens in May, and Will the Summer sale begins in June."],
  ])
    assert.deepEqual(await names(text), expected, text);
});

test("finds names after words for people who come to a house, and names between commas after a relative", async () => {
  const names = async (text) => (await redact(text, { model: false })).entities.map(({ word }) => word);
  for (const [text, ...expected] of [
    ["We paid their guy Rowdy, and our engineer Dev comes at nine.", "Rowdy", "Dev"],
    ["This is notice that my wife, Sunday, and I will leave the flat.", "Sunday"],
    ["My boss, however, was late. Ask our engineer Monday morning, or my friend."],
    ["Their driver has a licence, and our lawyer The Hague knows is dear."],
  ])
    assert.deepEqual(await names(text), expected, text);
});

test("finds given names without capitals in other languages, and names after introductions of any script", async () => {
  const names = async (text) => (await redact(text, { model: false })).entities.map(({ word }) => word);
  for (const [text, ...expected] of [
    ["wir fahren mit heike nach hause und bleiben zwei tage", "heike"],
    ["ieri ho incontrato tommaso al mercato con il cane", "tommaso"],
    ["вчера мы видели настю и катя не пришла на урок", "катя"],
    ["Unser Kollege hat gestern Wolfgang Amthor und die Unterlagen gesehen.", "Wolfgang Amthor"],
    ["el partido empieza a las cinco y no tengo entradas"],
    ["on se voit demain devant la rose blanche et la pierre"],
    ["we met heike and tommaso at the station yesterday", "heike", "tommaso"],
    ["mijn naam is maartje de wit en ik heb een klacht", "maartje de wit"],
    ["me llamo iker zabala y no puedo entrar en mi cuenta", "iker zabala"],
    ["שמי נועם והטלפון שלי לא עובד", "נועם"],
    ["اسمي فاطمة ورقم هاتفي لا يعمل", "فاطمة"],
    ["मेरा नाम रोहन शर्मा है और मुझे मदद चाहिए।", "रोहन शर्मा"],
    ["私の名前は佐藤健一です。よろしくお願いします。", "佐藤健一"],
    ["你好，我叫李小龙，来自北京。王先生在吗？", "李小龙", "北京", "王"],
    ["제 이름은 김민수입니다.", "김민수"],
    ["皆様、お客様へ"],
  ])
    assert.deepEqual(await names(text), expected, text);
});
