// `redact` through the public API, over the built package: the replaced entities, their placeholders, and restoring.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { pipeline, redact, saved } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { fails } from "./fails.mjs";
import { processorTime, takesLinearTime } from "./linear-time.mjs";
import { nerModel } from "./ner-model.mjs";

const root = join(import.meta.dirname, "..");
const goldens = join(root, "tests/goldens");
const NAMES = {
  anna: "B-PER",
  kovacs: "I-PER",
  bob: "B-PER",
  paris: "B-LOC",
  acme: "B-ORG",
  ltd: "I-ORG",
  דוד: "B-PER",
};
const files = nerModel(NAMES);
const load = (task, source) => pipeline(task, source, { dtype: "fp32", threads: 1 });
const ner = await load("token-classification", { files });
after(() => ner.dispose());
const run = (text, options) => redact(text, { model: ner, ...options });

/** The modules of src/js/redaction alone. */
const internal = (name) => importTypeScript(`src/js/redaction/${name}.ts`);

test("replaces what the model finds and restores it wherever its placeholder went", async () => {
  const text = "Anna Kovacs met Bob in Paris. Later Bob wrote to Anna Kovacs of Acme Ltd.";
  const redaction = await run(text);
  assert.equal(redaction.text, "[PER_1] met [PER_2] in [LOC_1]. Later [PER_2] wrote to [PER_1] of [ORG_1].");
  assert.equal(redaction.restore(redaction.text), text);
  assert.deepEqual(
    redaction.entities.map(({ entity_group, word, placeholder }) => [entity_group, word, placeholder]),
    [
      ["PER", "Anna Kovacs", "[PER_1]"],
      ["PER", "Bob", "[PER_2]"],
      ["LOC", "Paris", "[LOC_1]"],
      ["PER", "Bob", "[PER_2]"],
      ["PER", "Anna Kovacs", "[PER_1]"],
      ["ORG", "Acme Ltd", "[ORG_1]"],
    ],
  );
  for (const { start, end, word, score } of redaction.entities) {
    assert.equal(text.slice(start, end), word);
    assert.ok(score > 0.9 && score <= 1);
  }
  const worked = "Dear [PER_2], dear [PER_2]: [LOC_1]![PER_1][PER_3] [PER_11]";
  const restored = redaction.restore(worked);
  const left = "Dear Bob, dear Bob: Paris!Anna Kovacs[PER_3] [PER_11]";
  assert.equal(String(restored), left);
  assert.deepEqual({ ...restored }, { text: left, unknown: ["[PER_3]", "[PER_11]"], missing: ["[ORG_1]"] });
  assert.throws(() => redaction.restore(3), /restore: expected a string, got number/);
});

test("spellings of one name have one placeholder, and each is restored as it was written", async () => {
  const text = "BOB or Bob or bob, not Anna Kovacs. Kovacs? ANNA! Anna's.";
  const redaction = await run(text);
  assert.equal(redaction.text, "[PER_1] or [PER_1] or [PER_1], not [PER_2]. [PER_2]? [PER_2]! [PER_2]'s.");
  assert.equal(redaction.restore(redaction.text), text);
  // The same placeholders in the same order: the text around them has changed.
  const edited = redaction.text.replaceAll(" or ", " und ");
  assert.equal(redaction.restore(edited), text.replaceAll(" or ", " und "));
  assert.equal(redaction.restore("[PER_2]!"), "Anna Kovacs!");
});

test("several texts share placeholders", async () => {
  const [first, second, none] = await run(["Bob and Anna", "Anna, without her friend in Paris", ""]);
  assert.deepEqual(
    [first.text, second.text, none.text],
    ["[PER_1] and [PER_2]", "[PER_2], without her friend in [LOC_1]", ""],
  );
  assert.equal(second.restore("[PER_1] [LOC_1]"), "Bob Paris");
  assert.deepEqual(await run([]), []);
  assert.deepEqual(none.entities, []);
});

test("keeps placeholders that a text already has", async () => {
  const text = "[PER_1] and [PER_3] know Bob, Anna and [LOC_1]; see [PER_";
  const redaction = await run(text);
  assert.equal(redaction.text, "[PER_1] and [PER_3] know [PER_2], [PER_4] and [LOC_1]; see [PER_");
  assert.equal(redaction.restore(redaction.text), text);
  const thousands = `${Array.from({ length: 5000 }, (_, n) => `[PER_${n}]`).join("")} Bob`;
  const among = await run(thousands);
  assert.ok(among.text.endsWith("[PER_5000]"));
  assert.equal(among.restore(among.text), thousands);
  const others = await run("[1] Bob [2]", { placeholder: (_, number) => `[${number}]` });
  assert.equal(others.text, "[1] [3] [2]");
});

test("restores the longest of placeholders with the same beginning", async () => {
  const text = Array.from({ length: 12 }, (_, n) => `a${n}@example.org`).join(" ");
  const { text: redacted, restore } = await run(text, { placeholder: (_, number) => `N${number}` });
  assert.equal(redacted, "N1 N2 N3 N4 N5 N6 N7 N8 N9 N10 N11 N12");
  assert.equal(restore(redacted), text);
});

test("restores random texts of brackets, names and numbers", async () => {
  const pieces = [
    "[",
    "]",
    "_",
    "1",
    "2",
    "PER",
    "[PER_1]",
    "Bob",
    "Anna",
    "Kovacs",
    " ",
    "Paris",
    "\n",
    "😀",
    "é",
    "[ORG",
    "\ud83d",
    "a@b.org",
  ];
  let seed = 1;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const texts = Array.from({ length: 300 }, () =>
    Array.from({ length: random(24) }, () => pieces[random(pieces.length)]).join(""),
  );
  let entities = 0;
  for (const options of [{}, { placeholder: (label, number) => `${label[0]}${number};` }]) {
    for (const [n, redaction] of (await run(texts, options)).entries()) {
      assert.equal(redaction.restore(redaction.text), texts[n]);
      entities += redaction.entities.length;
    }
  }
  assert.ok(entities > 500, String(entities));
});

test("returns offsets into the caller's string: emoji, letters beyond the BMP, right to left", async () => {
  const text = "👩‍👩‍👧 Anna 𝓍 Paris 🇫🇷 — שלום דוד, a👍b@exämple.org ﷽";
  const { text: redacted, entities, restore } = await run(text);
  assert.equal(redacted, "👩‍👩‍👧 [PER_1] 𝓍 [LOC_1] 🇫🇷 — שלום [PER_2], a👍[EMAIL_1] ﷽");
  assert.deepEqual(
    entities.map(({ start, end }) => text.slice(start, end)),
    ["Anna", "Paris", "דוד", "b@exämple.org"],
  );
  assert.equal(restore(redacted), text);
});

test("entities equal those of Hugging Face's pipeline", async () => {
  const cases = JSON.parse(await readFile(join(goldens, "pipelines/token-classification.json"), "utf8"));
  const models = new Map();
  let compared = 0;
  for (const { model, inputs, options, output, output_utf16 } of cases) {
    const { aggregation_strategy, ...rest } = options;
    if (aggregation_strategy === "none" || Object.keys(rest).length || typeof inputs !== "string") continue;
    if (!models.has(model)) models.set(model, await load("token-classification", join(goldens, "models", model)));
    const { entities, text, restore } = await redact(inputs, {
      model: models.get(model),
      aggregation_strategy,
      patterns: [],
    });
    const expected = output
      .map(({ entity_group, score }, n) => ({ entity_group, score, ...output_utf16[n] }))
      .filter(({ start_utf16, end_utf16 }) => /[\p{L}\p{N}]/u.test(inputs.slice(start_utf16, end_utf16)));
    // Entities are whole words, and two without anything between them are one. Apart from that they are the same.
    const overlaps = (entity, { start_utf16, end_utf16 }) => entity.start < end_utf16 && entity.end > start_utf16;
    for (const one of expected)
      assert.ok(entities.some((entity) => entity.start <= one.start_utf16 && entity.end >= one.end_utf16));
    for (const entity of entities) {
      const same = expected.filter((one) => overlaps(entity, one));
      assert.ok(
        same.some((one) => one.entity_group === entity.entity_group && Math.abs(one.score - entity.score) < 1e-3),
      );
    }
    assert.equal(restore(text), inputs);
    compared += entities.length;
  }
  for (const pipe of models.values()) await pipe.dispose();
  assert.ok(compared > 20, String(compared));
});

test("label_bias, of the call or of config.json by language, changes what the model finds", async () => {
  const english = "the book of anna was with you in the house";
  const other = "anna ist mit dem Buch bei uns im Haus gewesen und war dort";
  const found = async (fields, options) => {
    const model = await load("token-classification", { files: nerModel(NAMES, { sure: 0.5, fields }) });
    try {
      const redactions = await redact([english, other], { model, detectors: [], ...options });
      return redactions.map(({ entities }) => entities.map(({ word }) => word));
    } finally {
      await model.dispose();
    }
  };
  const none = { O: 9 };
  assert.deepEqual(await found({}), [["anna"], ["anna"]]);
  assert.deepEqual(await found({ redact_label_bias: { en: none } }), [[], ["anna"]]);
  assert.deepEqual(await found({ redact_label_bias: { other: none } }), [["anna"], []]);
  const both = { redact_label_bias: { en: none, other: none } };
  assert.deepEqual(await found(both), [[], []]);
  assert.deepEqual(await found(both, { label_bias: {} }), [["anna"], ["anna"]]);
  assert.deepEqual(await found({}, { label_bias: none }), [[], []]);
});

test("labels, threshold and patterns select what is replaced", async () => {
  const text = "Bob <bob@example.org> in Paris, DE89 3704 0044 0532 0130 00";
  const redacted = async (options) => (await run(text, options)).text;
  const iban = "DE89 3704 0044 0532 0130 00";
  assert.equal(await redacted({}), "[PER_1] <[EMAIL_1]> in [LOC_1], [ID_1]");
  assert.equal(await redacted({ labels: ["PER"] }), text.replace("Bob", "[PER_1]").replace("bob@", "[PER_1]@"));
  assert.equal(await redacted({ labels: ["EMAIL"] }), `Bob <[EMAIL_1]> in Paris, ${iban}`);
  assert.equal(await redacted({ patterns: ["iban"] }), "[PER_1] <[PER_1]@example.org> in [LOC_1], [ID_1]");
  assert.equal(await redacted({ threshold: 1, patterns: [] }), text);
  const unsure = await pipeline("token-classification", { files: nerModel(NAMES, { sure: 0.5 }) }, { dtype: "fp32" });
  const [{ score }] = (await redact("Bob", { model: unsure })).entities;
  assert.ok(score > 0.2 && score < 0.8, String(score));
  assert.equal((await redact("Bob", { model: unsure, threshold: score - 0.01 })).text, "[PER_1]");
  assert.equal((await redact("Bob", { model: unsure, threshold: score + 0.01 })).text, "Bob");
  await unsure.dispose();
});

test("the name of a column stays, whatever the model finds there", async () => {
  const model = await load("token-classification", { files: nerModel({ dob: "B-PER", anna: "B-PER" }) });
  const text = "anna,email,dob\nBob,b@example.org,1990-07-01\ndob is short for date of birth";
  const words = async (detectors) =>
    (await redact(text, { model, detectors })).entities.map(({ word, start }) => [word, start]);
  const last = text.lastIndexOf("dob");
  try {
    assert.deepEqual(await words([]), [
      ["anna", 0],
      ["dob", 11],
      ["dob", last],
    ]);
    assert.deepEqual(
      (await words(["table"])).filter(([word]) => /anna|dob/.test(word)),
      [
        ["anna", 0],
        ["dob", last],
      ],
    );
  } finally {
    await model.dispose();
  }
});

test("keeps a rule's entity within a model's entity whole, and replaces the rest", async () => {
  const { disjoint } = await internal("spans");
  const text = "Anna Kovacs <anna@example.org>, Acme";
  const model = (label, start, end, score = 0.9) => ({ label, start, end, score });
  const rule = { label: "EMAIL", start: 13, end: 29, score: 1, pattern: "email" };
  const cut = (spans) => disjoint(text, spans).map(({ label, start, end }) => [label, text.slice(start, end)]);
  assert.deepEqual(cut([model("PER", 0, 30), rule]), [
    ["PER", "Anna Kovacs"],
    ["EMAIL", "anna@example.org"],
  ]);
  assert.deepEqual(cut([model("ORG", 14, 36), rule, model("PER", 0, 11)]), [
    ["PER", "Anna Kovacs"],
    ["EMAIL", "anna@example.org"],
    ["ORG", "Acme"],
  ]);
  assert.deepEqual(cut([model("PER", 15, 20), rule]), [["EMAIL", "anna@example.org"]]);
  assert.deepEqual(cut([model("PER", 0, 6), model("ORG", 5, 13)]), [["ORG", "Anna Kovacs <".trimEnd()]]);
  assert.deepEqual(cut([model("PER", 4, 12), model("LOC", 4, 5)]), [["PER", "Kovacs"]]);
  const mail = "a@example.org. Anna Kovacs, Rome";
  const address = { label: "EMAIL", start: 0, end: 13, score: 1, pattern: "email" };
  const beside = (spans) =>
    disjoint(mail, [address, ...spans]).map(({ label, start, end }) => [label, mail.slice(start, end)]);
  const [found, name, place] = [["EMAIL", "a@example.org"], model("PER", 20, 26), model("LOC", 28, 32)];
  assert.deepEqual(beside([model("EMAIL", 0, 19), name]), [found, ["PER", "Anna Kovacs"]]);
  assert.deepEqual(beside([model("PHONE", 0, 19), name]), [found, ["PHONE", "Anna"], ["PER", "Kovacs"]]);
  assert.deepEqual(beside([model("EMAIL", 0, 26), place]), [found, ["EMAIL", "Anna Kovacs"], ["LOC", "Rome"]]);
});

test("divides a text at spaces into parts without gaps or broken characters", async () => {
  const { parts } = await internal("spans");
  const texts = ["", "a", "word ".repeat(300), "x".repeat(1000), "😀".repeat(500), `${"x".repeat(99)}😀`.repeat(20)];
  for (const text of texts) {
    const all = parts(text, 100, 20, 10);
    assert.equal(all[0].start, 0);
    assert.equal(all.at(-1).end, text.length);
    for (const [n, { start, end, from, to }] of all.entries()) {
      assert.equal(from, n ? all[n - 1].to : 0);
      assert.ok(start <= from && to <= end && end - start <= 100 && (end > start || !text));
      assert.ok(!/[\udc00-\udfff]/.test(text[start] ?? ""), "begins within a character");
      if (text.startsWith("word") && start) assert.equal(text[start - 1], " ");
      if (n) assert.ok(from - start >= 5 && all[n - 1].end - from >= 5, "context on both sides of the seam");
    }
    assert.equal(all.at(-1).to, text.length);
  }
});

test("loses nothing at the seams of long texts", { timeout: 120_000 }, async () => {
  let text = "";
  let count = 0;
  for (; text.length < 1_000_000; count++) text += `${"so ".repeat(count % 7)}Anna Kovacs, ${count}@example.org `;
  const { entities, restore, text: redacted } = await run(text);
  assert.equal(entities.length, 2 * count);
  assert.ok(!/anna|kovacs|example/i.test(redacted));
  assert.equal(restore(redacted), text);
});

/** Counts the turns of the event loop until `end`, which returns their number. */
function countTurns() {
  let count = 1;
  let goesOn = true;
  const turn = () => {
    count++;
    if (goesOn) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    end() {
      goesOn = false;
      return count;
    },
  };
}

/** A signal that never aborts and counts how often it is read. `redact` reads it between any two pieces of its work. */
class CountingSignal extends EventTarget {
  reads = 0;
  get aborted() {
    this.reads++;
    return false;
  }
}

test("divides its work into pieces, more of a longer text, and returns to the event loop between them", {
  timeout: 120_000,
}, async () => {
  let text = "";
  for (let n = 0; text.length < 800_000; n++)
    text += `Dear Anna Kovacs${n % 50}, write to ${n}@example.org\n${n % 100 ? "" : "name,city,phone\n"}Bo,Rome,0${n % 9}\n`;
  const piecesOf = async (length) => {
    const signal = new CountingSignal();
    await redact(text.slice(0, length), { model: false, signal });
    return signal.reads;
  };
  const few = await piecesOf(50_000);
  assert.equal(await piecesOf(50_000), few);
  const turns = countTurns();
  const begun = processorTime();
  const many = await piecesOf(800_000);
  const perTurn = (processorTime() - begun) / turns.end();
  assert.ok(many > 12 * few, `${few} pieces, ${many} of sixteen times the text`);
  // A turn lasts 8 ms and the piece of work in which these end. Other programs make turns more frequent.
  assert.ok(perTurn < 100, `${perTurn} ms of processor time per turn of the event loop`);
});

test("finds e-mail addresses, card numbers and IBANs by rule", async () => {
  const { DETECTORS } = await internal("detectors/detectors");
  const found = (name, text) => DETECTORS[name].find(text).map(({ start, end }) => text.slice(start, end));
  const cases = {
    email: [
      ["write to anna.k+news@mail.example.co.uk.", "anna.k+news@mail.example.co.uk"],
      ["see...x_1@a-b.io, 'o'neil@example.ie'", "x_1@a-b.io", "o'neil@example.ie"],
      ["https://example.org/?email=anna@example.org&x=1", "anna@example.org"],
      ["JOSÉ@EJEMPLO.ES почта@пример.рф a@b.xn--p1ai", "JOSÉ@EJEMPLO.ES", "почта@пример.рф", "a@b.xn--p1ai"],
      ["@anna a@b 3@ 5 @ home.com x@.com"],
      ["ssh user@localhost", "user@localhost"],
      ['"anna kovacs"@example.org root@[192.0.2.55]', "root@[192.0.2.55]", '"anna kovacs"@example.org'],
      [
        "anna dot kovac at gmail dot com, a.b [at] example [dot] org",
        "anna dot kovac at gmail dot com",
        "a.b [at] example [dot] org",
      ],
      ["look at example dot com"],
      [`${"a".repeat(80)}@example.org`, `${"a".repeat(64)}@example.org`],
    ],
    card: [
      ["card 4111 1111 1111 1111, please", "4111 1111 1111 1111"],
      [
        "4111111111111111 5555-5555-5555-4444 378282246310005",
        "4111111111111111",
        "5555-5555-5555-4444",
        "378282246310005",
      ],
      ["2 times 4111 1111 1111 1111 12/27 123", "4111 1111 1111 1111"],
      [
        "6011 1111 1111 1117 3530111333300000 30569309025904",
        "6011 1111 1111 1117",
        "3530111333300000",
        "30569309025904",
      ],
      ["of 19 digits: 4111111111111111110, 4111 1111 1111 1111 110", "4111111111111111110", "4111 1111 1111 1111 110"],
      ["4111 1111 1111 1112 1234567890123456 0000 0000 0000 0000 1699999999999"],
      ["x4111111111111111 4111111111111111x", "4111111111111111", "4111111111111111"],
      ["4111  1111 - 1111\t1111", "4111  1111 - 1111\t1111"],
    ],
    iban: [
      ["IBAN: DE89 3704 0044 0532 0130 00.", "DE89 3704 0044 0532 0130 00"],
      [
        "gb29nwbk60161331926819 and FR1420041010050500013M02606",
        "gb29nwbk60161331926819",
        "FR1420041010050500013M02606",
      ],
      ["NO93-8601-1117-947 MT84MALT011000012345MTLCAST001S", "NO93-8601-1117-947", "MT84MALT011000012345MTLCAST001S"],
      ["DE89 3704 0044 0532 0130 00 12 to AT611904300234573201", "DE89 3704 0044 0532 0130 00", "AT611904300234573201"],
      ["DE88 3704 0044 0532 0130 00 XX89 3704 0044 0532 0130 00 DE89 3704 0044 0532 0130 0"],
      ["DE89370400440532013000X NODE89370400440532013000"],
    ],
  };
  for (const [name, lines] of Object.entries(cases))
    for (const [text, ...expected] of lines) assert.deepEqual(found(name, text), expected, text);
});

test("finds an IBAN of every country of the registry", async () => {
  const { DETECTORS } = await internal("detectors/detectors");
  // The example of each country in SWIFT's IBAN registry.
  const examples = `
    AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741 AT611904300234573201
    AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034 BG80BNBG96611020345678 BH67BMAG00001299123456
    BI4210000100010000332045181 BR1800360305000010009795493C1 BY13NBRB3600900000002Z00AB00 CH9300762011623852957
    CR05015202001026284066 CY17002001280000001200527600 CZ6508000000192000145399 DE89370400440532013000
    DJ2100010000000154000100186 DK5000400440116243 DO28BAGR00000001212453611324 EE382200221020145685
    EG380019000500000000263180002 ES9121000418450200051332 FI2112345600000785 FK88SC123456789012 FO6264600001631634
    FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917 GI75NWBK000000007099453
    GL8964710001000206 GR1601101250000000012300695 GT82TRAJ01020000001210029690 HN88CABF00000000000250005469
    HR1210010051863000160 HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999
    IQ98NBIQ850123456789012 IS140159260076545510730339 IT60X0542811101000000123456 JO94CBJO0010000000000131000302
    KW81CBKU0000000000001234560101 KZ86125KZT5004100100 LB62099900000001001901229114
    LC55HEMM000100010012001200023015 LI21088100002324013AA LT121000011101001000 LU280019400644750000
    LV80BANK0000435195001 LY83002048000020100120361 MC5811222000010123456789030 MD24AG000225100013104168
    ME25505000012345678951 MK07250120000058984 MN121234123456789123 MR1300020001010000123456753
    MT84MALT011000012345MTLCAST001S MU17BOMM0101101030300200000MUR NI45BAPR00000013000003558124 NL91ABNA0417164300
    NO9386011117947 OM810180000001299123456 PK36SCBL0000001123456702 PL61109010140000071219812874
    PS92PALS000000000400123456702 PT50000201231234567890154 QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000
    RS35260005601001611379 RU0304452522540817810538091310419 SA0380000000608010167519
    SC18SSCB11010000000000001497USD SD2129010501234001 SE4550000000058398257466 SI56263300012039086
    SK3112000000198742637541 SM86U0322509800000000270100 SO211000001001000100141 ST23000100010051845310146
    SV62CENR00000000000000700025 TL380080012345678910157 TN5910006035183598478831 TR330006100519786457841326
    UA213223130000026007233566001 VA59001123000012345678 VG96VPVG0000012345678901 XK051212012345678906
    YE15CBYE0001018861234567891234`;
  for (const iban of examples.trim().split(/\s+/))
    assert.deepEqual(DETECTORS.iban.find(`${iban}, so`), [{ start: 0, end: iban.length, label: "ID" }], iban);
});

/** Pieces of which a text consists, for expressions that read it again from every place. */
const HOSTILE = [
  ...["a", "a.", "a@", "a@b.", "1", "1 ", "4111 ", "1 1x", "DE", "DE89", "DE89 ", "é", "'", "@", "\n", " ", "\t", ":"],
  ...[
    "A-",
    "Anna ",
    "A.",
    "one ",
    "a b ",
    "Dear ",
    "&a=b",
    "a=",
    "://a",
    "<a>",
    "12 Anna ",
    "東京都",
    "Иван ",
    "eyJ",
    "-----",
  ],
  ...["aB3", "0x", "ab:", "1.", "the first of ", "Name: x\n", "(0", "+4", "a at b dot ", '"a":', "password ", "is "],
];

test("the rules take linear time", async () => {
  console.log(`the longest step of a detector in 12,000 characters: ${(await takesLinearTime(HOSTILE)).toFixed(1)} ms`);
});

test("rejects invalid options and leaves the pipeline usable", async () => {
  const refused = async (options, pattern) => fails(run("Bob", options), "bad_input", pattern);
  await fails(redact(3, { model: ner }), "bad_input", /text 1: expected a string, got number/);
  await fails(redact(["Bob", null], { model: ner }), "bad_input", /text 2: expected a string, got null/);
  await refused({ label: ["PER"] }, /redact: unknown option `label`: did you mean `labels`/);
  await refused({ labels: ["PERSON"] }, /labels: expected some of PER, LOC, ORG, SECRET, .*got "PERSON"/);
  await refused({ labels: "PER" }, /labels: expected an array of strings, got string/);
  await refused({ labels: [1] }, /labels: expected an array of strings, got other values/);
  await refused({ labels: [] }, /labels: expected at least one label, got none/);
  await refused({ labels: ["O"] }, /labels: expected some of PER, LOC, ORG, .*got "O"/);
  await refused({ threshold: { PERS: 0.5 } }, /threshold: expected some of PER, .*got "PERS"/);
  await refused({ threshold: { PER: 3 } }, /threshold: expected a number from 0 to 1 for "PER", got 3/);
  await refused({ replace: "hash" }, /salt: expected a secret string for replace "hash", got none/);
  await refused({ replace: "hide" }, /replace: expected one of placeholder, mask, .*got "hide"/);
  await refused({ detectors: ["fone"] }, /detectors: expected one of pem, .*got "fone"/);
  await refused({ patterns: [{ label: "O", pattern: /x/ }] }, /patterns: expected .* with a label other than "O"/);
  await refused({ deny: [" "] }, /deny: expected words/);
  await refused({ threshold: 2 }, /threshold: expected a number from 0 to 1, got 2/);
  await refused({ label_bias: 1 }, /label_bias: expected an object of numbers by label, got 1/);
  await refused({ label_bias: { O: "1" } }, /label_bias: expected an object of numbers by label/);
  await refused({ label_bias: { PERS: 1 } }, /label_bias: expected .* labels of the model, .*"PERS"/);
  await refused({ threshold: Number.NaN }, /threshold/);
  await refused({ patterns: ["fone"] }, /patterns: expected one of pem, jwt, .*got "fone"/);
  await refused({ placeholder: "X" }, /placeholder: expected a function .*got string/);
  await refused({ placeholder: () => "" }, /placeholder: expected a non-empty string, got an empty string/);
  await refused({ placeholder: () => 3 }, /got number/);
  await refused({ placeholder: () => "Bob" }, /repeatedly got "Bob", which the text already contains/);
  await fails(
    run("Bob and Anna", { placeholder: () => "X" }),
    "bad_input",
    /repeatedly got "X", which another PER already has/,
  );
  const overlapping = (_, number) => ["中Y", "Y中"][number - 1];
  await fails(run("Anna 中Bob", { placeholder: overlapping }), "bad_input", /merge with the text around them/);
  await refused(
    {
      placeholder: () => {
        throw new Error("mine");
      },
    },
    /mine/,
  );
  await refused({ aggregation_strategy: "none" }, /aggregation_strategy/);
  await refused({ dtype: "q8" }, /unknown option "dtype"/);
  const aborted = AbortSignal.abort();
  await fails(run("Bob", { signal: aborted }), "aborted", /abort/);
  const other = await load("fill-mask", join(goldens, "models/bert-mlm"));
  await fails(redact("Bob", { model: other }), "bad_input", /got a pipeline for fill-mask/);
  await other.dispose();
  await fails(redact("Bob", { model: "./nowhere" }), "not_found", /nowhere/);
  await fails(
    redact("Bob", { model: join(goldens, "models/bert-mlm") }),
    "unsupported",
    /no head for token classification/,
  );
  assert.equal((await run("Bob")).text, "[PER_1]");
});

test("loads a source", async () => {
  const redaction = await redact("Bob in Paris", { model: { files }, dtype: "fp32", threads: 1 });
  assert.equal(redaction.text, "[PER_1] in [LOC_1]");
  assert.equal(redaction.restore("[LOC_1]"), "Paris");
});

test("loads a source once for calls with the same options, and again for others or after dispose", async () => {
  let loads = 0;
  const model = async () => {
    loads++;
    return { files };
  };
  const call = (options) => redact("Bob in Paris", { model, dtype: "fp32", threads: 1, ...options });
  for (const { text } of await Promise.all([call(), call({ threshold: 0.1 })]))
    assert.equal(text, "[PER_1] in [LOC_1]");
  await call({ patterns: [] });
  assert.equal(loads, 1);
  await call({ dtype: "q8" });
  assert.equal(loads, 2);
  await redact.dispose();
  await call({ dtype: "q8" });
  assert.equal(loads, 3);
  const inUse = call({ dtype: "q8" });
  await redact.dispose();
  assert.equal((await inUse).text, "[PER_1] in [LOC_1]");
  await redact.dispose();
});

test("loads a kept model or a URL once for calls that name it anew, and again after it was kept again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "webert-redact-"));
  const name = join(folder, "ner.safetensors");
  const blobs = Object.entries(files).map(([name, content]) => [name, new Blob([content])]);
  const file = await saved.export({ files: Object.fromEntries(blobs) });
  await saved.import(name, file);
  let loads = 0;
  const progress_callback = ({ status }) => {
    loads += status === "ready";
  };
  const call = (model) => redact("Bob in Paris", { model, dtype: "fp32", threads: 1, progress_callback });
  try {
    for (const [source, other, count] of [
      [() => ({ name }), () => saved.import(name, file), 2],
      [() => ({ file }), () => {}, 1],
    ]) {
      loads = 0;
      for (let n = 0; n < 2; n++) assert.equal((await call(source())).text, "[PER_1] in [LOC_1]");
      assert.equal(loads, 1);
      await other();
      await call(source());
      assert.equal(loads, count);
      await redact.dispose();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("an aborted load of a call fails that call alone", async () => {
  let [loads, go] = [0, () => {}];
  const model = () => {
    loads++;
    return new Promise((resolve) => {
      go = () => resolve({ files });
    });
  };
  const controller = new AbortController();
  const call = (signal) => redact("Bob", { model, dtype: "fp32", threads: 1, signal });
  const aborted = call(controller.signal);
  const other = call(new AbortController().signal);
  const loading = async (count) => {
    while (loads < count) await new Promise(setImmediate);
  };
  await loading(1);
  controller.abort();
  await fails(aborted, "aborted", /abort/);
  go();
  assert.equal((await other).text, "[PER_1]");
  assert.equal(loads, 1);
  await redact.dispose();
  const alone = new AbortController();
  const last = call(alone.signal);
  await loading(2);
  alone.abort();
  await fails(last, "aborted", /abort/);
  const again = call();
  await loading(3);
  go();
  assert.equal((await again).text, "[PER_1]");
  assert.equal(loads, 3);
  await redact.dispose();
});

test("without a model, applies only the rules", async () => {
  const text = "Bob in Foxdale: bob@example.org, 4111 1111 1111 1111";
  const redaction = await redact(text, { model: false });
  assert.equal(redaction.text, "Bob in Foxdale: [EMAIL_1], [ID_1]");
  assert.equal(redaction.restore(redaction.text), text);
  assert.equal((await redact(text, { model: false, labels: ["ID"] })).text, "Bob in Foxdale: bob@example.org, [ID_1]");
  await fails(
    redact(text, { model: false, labels: ["PER"] }),
    "bad_input",
    /labels: expected some of SECRET, .*EMAIL, .*got "PER"/,
  );
  await fails(redact(text, { model: false, dtype: "fp32" }), "bad_input", /unknown option "dtype" when model is false/);
});

test("redacts on the command line", async () => {
  const cli = join(root, "dist/cli.js");
  const model = join(goldens, "models/bert-tokencls-bio");
  const text = "alice walked to paris with bob . a@b.org";
  const command = (...args) => promisify(execFile)(process.execPath, [cli, "redact", ...args]);
  const one = JSON.parse((await command(model, text, "--patterns", "email", "--labels", "EMAIL")).stdout);
  assert.equal(one.text, text.replace("a@b.org", "[EMAIL_1]"));
  assert.equal(one.entities[0].pattern, "email");
  const child = spawn(process.execPath, [cli, "redact", model, "-", "a@b.org", "--labels", '["EMAIL"]']);
  child.stdin.end(text);
  const both = JSON.parse(await textOf(child.stdout));
  assert.deepEqual(
    both.map(({ text }) => text),
    [one.text, "[EMAIL_1]"],
  );
  await assert.rejects(command(model, text, "--label", "EMAIL"), ({ code, stderr }) => {
    return code === 2 && /unknown option --label of redact: .*; did you mean --labels\?/.test(stderr);
  });
  await assert.rejects(
    command(),
    ({ code, stderr }) => code === 2 && /redact: expected at least 1 word, got 0/.test(stderr),
  );
});
