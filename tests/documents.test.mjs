// Facts in the documents that can go stale, compared with the source.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const read = (path) => readFileSync(join(root, path), "utf8");

test("architecture.md names every method of trait Backend", () => {
  const body = read("src/backend/mod.rs").split("pub trait Backend {")[1].split("\n}\n")[0];
  const methods = [...body.matchAll(/^ {4}(?:async )?fn (\w+)/gm)].map(([, name]) => name);
  assert.ok(methods.length > 10);
  const text = read("docs/architecture.md");
  assert.deepEqual(
    methods.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});

test("the index of docs/ lists every document", () => {
  const index = read("docs/README.md");
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  assert.deepEqual(
    names.filter((name) => !index.includes(`](${name})`)),
    [],
  );
});
