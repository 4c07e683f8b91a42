// The documents for coding agents: their links lead to files, they name every error code, and their program runs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const read = (name) => readFileSync(join(root, name), "utf8");

test("links lead to files", () => {
  for (const name of ["llms.txt", "AGENTS.md", "skills/webert/SKILL.md"])
    for (const [, path] of read(name).matchAll(/\]\(([^)#]+)/g))
      assert.ok(existsSync(join(root, dirname(name), path)) || existsSync(join(root, path)), `${name}: ${path}`);
});

test("the skill names every error code", () => {
  const [, codes] = /type ErrorCode =([^;]+);/.exec(read("src/js/errors.ts"));
  for (const [, code] of codes.matchAll(/"(\w+)"/g))
    assert.ok(read("skills/webert/SKILL.md").includes(`\`${code}\``), code);
});

test("the skill's program runs", () => {
  const [, program] = /```js\n([\s\S]+?)```/.exec(read("skills/webert/SKILL.md"));
  const dir = mkdtempSync(join(tmpdir(), "webert-skill-"));
  try {
    const entry = JSON.stringify(new URL("../dist/node.js", import.meta.url).href);
    writeFileSync(join(dir, "program.mjs"), `${program.replace('"webert"', entry)}\nconsole.log(label, text);`);
    const out = execFileSync(process.execPath, [join(dir, "program.mjs")], { encoding: "utf8" });
    assert.deepEqual(out.trim().split("\n"), ["positive", "negative", "negative [PERSON_1] wrote from [EMAIL_1]."]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
