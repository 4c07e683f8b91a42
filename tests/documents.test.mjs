// Facts in the documents that can go stale, compared with the source.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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

test("errors.md lists every code of WebertError", () => {
  const [union] = /export type ErrorCode =[^;]*/.exec(read("src/js/errors.ts"));
  const codes = [...union.matchAll(/"(\w+)"/g)].map(([, code]) => code);
  assert.ok(codes.length > 5);
  const listed = [...read("docs/errors.md").matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
  assert.deepEqual(listed.slice(1), codes); // the first row is the header
});

test("the index of docs/ lists every document", () => {
  const index = read("docs/README.md");
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  assert.deepEqual(
    names.filter((name) => !index.includes(`](${name})`)),
    [],
  );
});

/** The rows of CONTRIBUTING.md's path of a sentence: a file and the names to read in it. */
function steps() {
  const section = read("CONTRIBUTING.md").split("## Follow a sentence")[1].split("\n## ")[0];
  const rows = [...section.matchAll(/^\| \d+ \| `([^`]+)` \| ([^|]+) \|/gm)];
  return rows.map(([, path, names]) => ({ path, names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name) }));
}

test("CONTRIBUTING.md follows a sentence through files that define the functions it names", () => {
  assert.ok(steps().length > 20);
  for (const { path, names } of steps()) {
    const source = read(path);
    assert.ok(names.length > 0, path);
    for (const name of names) {
      const definition = new RegExp(
        `(fn|trait|struct|function|class|const) ${name}\\b|^ {2,4}(async )?#?${name}\\(`,
        "m",
      );
      assert.match(source, definition, `${path}: ${name}`);
    }
  }
});

test("CONTRIBUTING.md, adding.md and architecture.md name files and folders that exist", () => {
  for (const document of ["CONTRIBUTING.md", "docs/adding.md", "docs/architecture.md"]) {
    const named = [...read(document).matchAll(/`((?:src|kernels|shaders|tests|scripts|benches|www|docs)\/[\w./-]+)`/g)];
    assert.ok(named.length > 2, document);
    for (const [, path] of named) assert.ok(existsSync(join(root, path)), `${document}: ${path}`);
  }
});
