// Facts in the documents that can go stale, compared with the source.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { referencePage } from "../scripts/reference-page.mjs";

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

test("docs/reference.md is what scripts/reference-page.mjs writes, and has every option of pipeline and setting of env", async () => {
  const page = read("docs/reference.md");
  assert.equal(page, referencePage(), "run node scripts/reference-page.mjs");
  const { namesOf } = await importTypeScript("src/js/options/option-names.ts");
  const { env } = await importTypeScript("src/js/env.ts");
  const names = [...namesOf("pipeline"), ...Object.keys(env)];
  assert.ok(names.length > 30);
  assert.deepEqual(
    names.filter((name) => !page.includes(`| \`${name}\` |`)),
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

const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).trim().split("\n");

/** Paths from the repository's root; words in capitals, stars and braces stand for names. */
const PATH = /(?<![\w./-])(?:src|kernels|shaders|tests|scripts|benches|fuzz|www|docs|examples|models)\/[\w./-]*\w/g;

test("documents name files and folders that exist", () => {
  const missing = [];
  let count = 0;
  for (const document of documents) {
    const code = [...read(document).matchAll(/`([^`\n]+)`/g)].map(([, text]) => text);
    for (const path of code.flatMap((text) => (/[*{…]/.test(text) ? [] : (text.match(PATH) ?? [])))) {
      if (/[A-Z]{3}/.test(path.replace(/README|CHANGELOG/, ""))) continue;
      count++;
      const places = [path, join(dirname(document), path)];
      if (!places.some((place) => existsSync(join(root, place)))) missing.push(`${document}: ${path}`);
    }
  }
  assert.ok(count > 100, String(count));
  assert.deepEqual(missing, []);
});

test("documents name scripts of package.json, and targets of cargo, that exist", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const missing = [];
  for (const document of documents) {
    const text = read(document);
    for (const [, name] of text.matchAll(/\bnpm run ([\w:-]+)/g))
      if (!(name in scripts)) missing.push(`${document}: npm run ${name}`);
    for (const [, kind, name] of text.matchAll(/cargo (test|bench)\b[^`\n]*? --(?:test|bench) (\w+)/g)) {
      const places =
        kind === "test"
          ? [`tests/${name}.rs`, `tests/${name}/main.rs`]
          : [`benches/${name}.rs`, `benches/${name}/main.rs`];
      if (!places.some((place) => existsSync(join(root, place)))) missing.push(`${document}: ${kind} ${name}`);
    }
  }
  assert.deepEqual(missing, []);
});

test("README.md lists every task, loading.md every family, install.md every command", () => {
  const readme = read("README.md");
  const tasks = Object.keys(JSON.parse(read("tests/interface.json")));
  assert.deepEqual(
    tasks.filter((task) => !readme.includes(task)),
    [],
  );
  const [, body] = /pub fn model_type\(self\)[^{]*\{([^}]*)\}/.exec(read("src/config/family.rs"));
  const families = [...body.matchAll(/=> "([\w-]+)"/g)].map(([, family]) => family);
  assert.ok(families.length > 20, String(families.length));
  const loading = read("docs/loading.md");
  assert.deepEqual(
    families.filter((family) => !loading.includes(`(\`${family}\`)`)),
    [],
  );
  const [, commands] = /type OtherCommand =\s+([^;]+);/.exec(read("src/js/cli/command-line.ts"));
  const install = read("docs/install.md");
  assert.deepEqual(
    [...commands.matchAll(/"(\w+)"/g)].filter(([, name]) => !install.includes(`\`${name}\``)),
    [],
  );
});
