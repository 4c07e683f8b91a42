// The test runners: parsing of their output, and the order of files and binaries.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeCounts, summary, withExit } from "../scripts/lib/counts.mjs";
import { inTurns } from "../scripts/test-js.mjs";
import { jobs } from "../scripts/test-rust.mjs";

const OUTPUT = `✔ fine (1ms)
✖ slow, and (again) slow (1604.988325ms)
ℹ pass 572
ℹ fail 1
ℹ cancelled 1
ℹ skipped 0
ℹ todo 1

✖ failing tests:

test at tests/page.test.mjs:45:1
✖ slow, and (again) slow (1604.988325ms)
  AssertionError

test at tests/page.test.mjs:128:1
✖ another (2ms)
`;

test("reads node:test's counts; cancelled tests have failed", () => {
  assert.equal(summary(nodeCounts(OUTPUT)), "572 passed, 2 failed, 1 skipped");
});

test("counts a runner that dies without naming a test as failed", () => {
  assert.equal(withExit(nodeCounts("ℹ pass 3\n"), false).failed, 1);
  assert.equal(withExit(nodeCounts("ℹ pass 3\n"), true).failed, 0);
});

test("runs every file once: a browser at a time beside other files, then one per core", async () => {
  const files = Array.from({ length: 12 }, (_, n) => ({ file: String(n), usesBrowser: n % 2 === 0 }));
  const running = new Set();
  const waiting = [];
  const begun = [];
  /** By step, the files that run. */
  const seen = [];
  const all = inTurns(files, 2, (file, yields) => {
    assert.equal(yields, Number(file) % 2 === 1, "files without a browser yield");
    begun.push(file);
    running.add(file);
    return new Promise((done) => waiting.push(() => done(running.delete(file))));
  });
  while (waiting.length > 0) {
    seen.push([...running].filter((file) => Number(file) % 2 === 0).length);
    assert.ok(running.size <= 3);
    waiting.shift()();
    await new Promise((done) => setImmediate(done));
  }
  await all;
  assert.deepEqual(begun.slice(0, 3), ["0", "1", "3"]);
  assert.deepEqual(
    begun.map(Number).sort((a, b) => a - b),
    [...files.keys()],
  );
  assert.equal(Math.max(...seen.slice(0, 5)), 1);
  assert.equal(Math.max(...seen), 2);
});

test("runs jobs in lanes, low ranks first, and fails with the first error after all that began have ended", async () => {
  const begun = [];
  const ends = new Map();
  const job = (name) => () => {
    begun.push(name);
    return new Promise((resolve, reject) => ends.set(name, { resolve, reject }));
  };
  const settled = () => new Promise((done) => setImmediate(done));
  const list = jobs(2);
  for (const [name, rank] of [
    ["first", 9],
    ["second", 9],
    ["quick", 9],
    ["long", 0],
  ])
    list.push(job(name), rank);
  assert.deepEqual(begun, ["first", "second"]);
  ends.get("first").resolve();
  await settled();
  assert.deepEqual(begun, ["first", "second", "long"], "the long one before those that wait longer");
  let outcome;
  const end = list.end().catch((error) => (outcome = error));
  ends.get("second").reject(new Error("broken"));
  await settled();
  assert.deepEqual(begun, ["first", "second", "long"], "none begins after a failure");
  assert.equal(outcome, undefined);
  ends.get("long").resolve();
  await end;
  assert.equal(outcome.message, "broken");
});

test("begins no job before the promise resolves, and then the job of the lowest rank", async () => {
  const begun = [];
  let open;
  const list = jobs(1, new Promise((resolve) => (open = resolve)));
  for (const [name, rank] of [
    ["quick", 9],
    ["long", 0],
  ])
    list.push(async () => begun.push(name), rank);
  const end = list.end();
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(begun, []);
  open();
  await end;
  assert.deepEqual(begun, ["long", "quick"]);
});
