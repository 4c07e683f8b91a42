// Parsing of the test runners' output.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeCounts, summary, withExit } from "../scripts/lib/counts.mjs";

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
