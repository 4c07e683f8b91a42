// `createRedactor`: one placeholder per person over several calls, saving, restoring streams; and the ways to replace.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor, redact } from "../dist/node.js";
import { fails } from "./fails.mjs";

const rules = { model: false };

test("a session keeps placeholders over calls and after it was saved", async () => {
  const session = createRedactor(rules);
  const first = await session.redact("Dear Anna Kovács, write to anna@example.org.");
  assert.equal(first.text, "Dear [PERSON_1], write to [EMAIL_1].");
  assert.equal(
    (await session.redact("Ms Kovács: ANNA@example.org, Mr Bo Li")).text,
    "Ms [PERSON_1]: [EMAIL_1], Mr [PERSON_2]",
  );
  const saved = createRedactor.from(JSON.parse(JSON.stringify(session)), rules);
  await saved.ready;
  assert.equal((await saved.redact("Dear Anna, Mr Al Fox is here.")).text, "Dear [PERSON_1], Mr [PERSON_3] is here.");
  assert.equal(saved.restore(first.text).text, "Dear Anna Kovács, write to anna@example.org.");
  assert.equal(saved.restore("[person_1]'s mail: EMAIL_1").text, "Anna Kovács's mail: anna@example.org");
  assert.throws(() => createRedactor({ labels: [] }), /labels: expected at least one label/);
  assert.throws(() => createRedactor.from({}), /createRedactor.from: expected the value of a session's toJSON/);
});

test("restore reports missing and unknown placeholders", async () => {
  const session = createRedactor(rules);
  await session.redact("Dear Bo Li, a@b.org");
  assert.deepEqual(session.restore("[EMAIL_1], [EMAIL_7] and [NOTE_1]"), {
    text: "a@b.org, [EMAIL_7] and [NOTE_1]",
    missing: ["[PERSON_1]"],
    unknown: ["[EMAIL_7]"],
  });
});

test("restores a stream in which placeholders are split at every place", async () => {
  const session = createRedactor(rules);
  await session.redact("Dear Bo Li, a@b.org");
  const text = "Hello [PERSON_1], \\[EMAIL\\_1\\] is PERSON 1's. [x] Done";
  for (let size = 1; size < 12; size++) {
    const chunks = text.match(new RegExp(`.{1,${size}}`, "gs"));
    const stream = new ReadableStream({ start: (to) => (chunks.forEach((chunk) => to.enqueue(chunk)), to.close()) });
    let whole = "";
    for await (const part of stream.pipeThrough(session.restoreStream())) whole += part;
    assert.equal(whole, "Hello Bo Li, a@b.org is Bo Li's. [x] Done", String(size));
  }
});

test("replaces in other ways", async () => {
  const text = "Dear Anna Kovács, card 4111 1111 1111 1111, born 3 May 1984, 03.05.1984";
  const run = async (options) => (await redact(text, { model: false, ...options })).text;
  assert.equal(
    await run({ replace: "mask" }),
    "Dear **** ******, card **** **** **** ****, born * *** ****, **.**.****",
  );
  assert.equal(
    await run({ replace: { ID: "last4" } }),
    "Dear [PERSON_1], card **** **** **** 1111, born [DATE_1], [DATE_2]",
  );
  const hashed = await run({ replace: "hash", salt: "s" });
  assert.match(hashed, /^Dear \[PERSON_[\da-f]{12}\], card \[ID_[\da-f]{12}\], born /);
  assert.equal(await run({ replace: "hash", salt: "s" }), hashed);
  assert.notEqual(await run({ replace: "hash", salt: "t" }), hashed);
  const [, name, card] = /^Dear (\S+ \S+), card (\d{4} \d{4} \d{4} \d{4}), /.exec(
    await run({ replace: "surrogate", salt: "s" }),
  );
  assert.notEqual(name, "Anna Kovács");
  assert.equal((await redact(card, { model: false })).text, "[ID_1]", "a surrogate of a card has a valid check digit");
  const shifted = /born (\d+ \p{L}+ \d{4}), (\d\d)\.(\d\d)\.(\d{4})$/u.exec(
    await run({ replace: "date-shift", salt: "s" }),
  );
  const days = (Date.UTC(+shifted[4], shifted[3] - 1, +shifted[2]) - Date.UTC(1984, 4, 3)) / 86_400_000;
  assert.ok(Number.isInteger(days) && days !== 0 && Math.abs(days) <= 365, String(days));
  assert.equal(Date.parse(`${shifted[1]} UTC`), Date.UTC(+shifted[4], shifted[3] - 1, +shifted[2]));
});

test("reports progress and stops at once", async () => {
  const events = [];
  await redact(["ab", "cdef"], { model: false, onProgress: (event) => events.push(event) });
  assert.deepEqual(events.at(-1), { status: "call", loaded: 6, total: 6, progress: 100 });
  const text = "Dear Bo Li, 4111 1111 1111 1111. ".repeat(60_000);
  /** The parts of the text that are looked at until the end, if the signal aborts by `later` during the first. */
  const partsUntil = async (later) => {
    const controller = new AbortController();
    let parts = 0;
    const pattern = () => {
      if (parts++ === 0) later(() => controller.abort());
      return [];
    };
    const patterns = [{ label: "NONE", pattern }];
    await fails(redact(text, { model: false, signal: controller.signal, patterns }), "aborted", /abort/);
    return parts;
  };
  assert.equal(await partsUntil((abort) => abort()), 1);
  const parts = await partsUntil(setImmediate); // of more than 130
  assert.ok(parts < 40, `${parts} parts`);
});
