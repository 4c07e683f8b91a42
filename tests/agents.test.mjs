// The documents for coding agents: their links lead to files, they name every error code, and their program runs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** Functions over tensors, which have the names of transformers.js. */
const OF_TENSORS =
  /^(bankers_round|cat|cos_sim|dot|full|full_like|layer_norm|log_softmax|magnitude|matmul|max|mean|mean_pooling|medianFilter|min|ones|ones_like|permute|quantize_embeddings|round|slice|softmax|stack|std_mean|topk|zeros|zeros_like)$/;
/** Classes that have a function or a base class in the skill. */
const CLASSES =
  /Pipeline$|^(?!Auto)\w+(Model|Tokenizer|Config|For[A-Z]\w+)$|^Auto(Model|Processor).|^LogLevel$|^Interrupt/;

test("the skill names every export and entry of the package, and llms.txt every guide", async () => {
  const skill = read("skills/webert/SKILL.md");
  const names = Object.keys(await import("../dist/node.js"));
  const missing = names.filter((name) => !OF_TENSORS.test(name) && !CLASSES.test(name) && !skill.includes(name));
  assert.deepEqual(missing, []);
  const entries = Object.keys(JSON.parse(read("package.json")).exports).filter((name) => /^\.\/[\w-]+$/.test(name));
  assert.ok(entries.length > 5);
  assert.deepEqual(
    entries.filter((name) => !skill.includes(`webert${name.slice(1)}\``)),
    [],
  );
  const guides = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  assert.deepEqual(
    guides.filter((name) => !read("llms.txt").includes(`docs/${name}`)),
    [],
  );
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
