// The check of a release, and its workflow: it must refuse what is not ready, and publish with pinned actions only.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filledCrate, filledPackage, notesOf, problems, wrongFields } from "../scripts/release.mjs";

const root = join(import.meta.dirname, "..");
const read = (path) => readFileSync(join(root, path), "utf8");

const FIELDS = {
  repository: "https://github.com/someone/webert",
  homepage: "https://someone.github.io/webert/",
  bugs: "https://github.com/someone/webert/issues",
  author: "Someone <someone@mail.net>",
};
const version = JSON.parse(read("package.json")).version;
const paths = ["Cargo.toml", "kernels/Cargo.toml"];
/** A state that can be released: this one with the fields filled in. */
const ready = () => ({
  fields: FIELDS,
  manifest: filledPackage(read("package.json"), FIELDS),
  crates: Object.fromEntries(paths.map((path) => [path, filledCrate(read(path), FIELDS)])),
  changelog: read("CHANGELOG.md"),
  tag: `v${version}`,
});

test("a filled release is ready, also after filling twice", () => {
  const state = ready();
  assert.deepEqual(problems(state), []);
  assert.equal(filledPackage(state.manifest, FIELDS), state.manifest);
  for (const text of Object.values(state.crates)) assert.equal(filledCrate(text, FIELDS), text);
  const { repository, author, bugs, homepage, ...manifest } = JSON.parse(state.manifest);
  assert.deepEqual(repository, { type: "git", url: "git+https://github.com/someone/webert.git" });
  assert.deepEqual([author, bugs, homepage], [FIELDS.author, FIELDS.bugs, FIELDS.homepage]);
  const { repository: _, author: __, bugs: ___, homepage: ____, ...before } = JSON.parse(read("package.json"));
  assert.deepEqual(manifest, before);
  assert.match(state.crates["Cargo.toml"], /^repository = "https:\/\/github.com\/someone\/webert"$/m);
  assert.match(state.crates["Cargo.toml"], /^authors = \["Someone <someone@mail.net>"\]$/m);
});

test("names everything that keeps a release from being made", () => {
  const wrong = (change, pattern) => {
    const found = problems({ ...ready(), ...change });
    assert.ok(found.length > 0 && found.some((text) => pattern.test(text)), found.join("\n"));
  };
  wrong({ fields: { ...FIELDS, author: "OWNER" } }, /author: .*placeholder OWNER/);
  wrong({ fields: { ...FIELDS, bugs: undefined } }, /bugs: expected/);
  wrong({ manifest: read("package.json") }, /package.json: expected the fields/);
  wrong({ crates: { "Cargo.toml": read("Cargo.toml") } }, /Cargo.toml: expected the fields/);
  wrong({ crates: { x: ready().crates["Cargo.toml"].replace(version, "9.9.9") } }, /x: expected version .* got 9.9.9/);
  wrong({ changelog: "## [Unreleased]\n\n- a\n" }, /expected a section/);
  wrong({ changelog: `## [${version}]\n\n- a\n` }, /expected the date/);
  wrong({ tag: "v9.9.9" }, /expected the tag v/);
  assert.equal(wrongFields(FIELDS).length, 0);
});

test("release.json holds values, or placeholders that the check refuses", () => {
  const fields = JSON.parse(read("release.json"));
  assert.deepEqual(Object.keys(fields), Object.keys(FIELDS));
  for (const text of wrongFields(fields)) assert.match(text, /placeholder/);
});

test("notesOf returns one version's section", () => {
  const text =
    "# C\n\n## [Unreleased]\n\n- new\n\n## [0.2.0] - 2026-01-02\n\n### Added\n\n- b\n\n## [0.1.0] - 2026-01-01\n\n- a\n";
  assert.equal(notesOf(text, "0.2.0"), "### Added\n\n- b");
  assert.equal(notesOf(text, "0.3.0"), undefined);
});

test("workflows pin every action by its commit", () => {
  const folder = ".github/workflows";
  let count = 0;
  for (const name of readdirSync(join(root, folder)))
    for (const [line, action] of read(`${folder}/${name}`).matchAll(/^.*uses: *(.*)$/gm)) {
      count++;
      assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/, `${name}: ${line}`);
    }
  assert.ok(count > 10);
});
