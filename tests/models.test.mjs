// docs/models.md is written from docs/models.json, and a part that runs names its golden.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lacks, modelsData, modelsPage } from "../scripts/models-page.mjs";

const root = join(import.meta.dirname, "..");
const data = modelsData();

test("docs/models.md is what scripts/models-page.mjs writes", () => {
  assert.equal(readFileSync(join(root, "docs/models.md"), "utf8"), modelsPage(data));
});

test("every part has a golden, or says why it does not run, and some row needs it", () => {
  for (const [part, { golden, why }] of Object.entries(data.parts)) {
    assert.ok(
      data.rows.some(({ needs }) => needs.includes(part)),
      `no row needs ${part}`,
    );
    if (golden)
      assert.ok(existsSync(join(root, "tests/goldens", golden)), `${part}: there is no tests/goldens/${golden}`);
    else assert.ok(why, `${part}: expected a golden or a reason`);
  }
});

test("every row names known parts, at least one of them with a golden if it runs", () => {
  assert.ok(data.rows.length > 200);
  for (const row of data.rows) {
    assert.deepEqual(
      row.needs.filter((part) => !Object.hasOwn(data.parts, part)),
      [],
      row.models,
    );
    assert.ok(lacks(data, row).length || row.needs.length, row.models);
  }
  const names = data.rows.map(({ models }) => models);
  assert.equal(new Set(names).size, names.length);
});

test("the models of a task are rows of the table that run", () => {
  for (const { models } of data.picks)
    for (const { name, row = name } of models) {
      const found = data.rows.find((other) => other.models === row);
      assert.ok(found, name);
      assert.deepEqual(lacks(data, found), [], name);
    }
});
