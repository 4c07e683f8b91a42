// Every fenced block of README and docs runs as it is pasted, in the document's order. A comment `<!-- block: … -->` before a block says
// otherwise: tests/blocks.mjs lists the words.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { blocksOf, PROGRAMS } from "./blocks.mjs";
import { blank, withPage } from "./browser.mjs";

const root = join(import.meta.dirname, "..");
const scratch = join(root, "target/blocks");

/** Small models in the place of the Hub models that documents name. */
const MODELS = {
  "sentence-transformers/all-MiniLM-L6-v2": "tests/goldens/sentence-transformers/mean-sqrt-len",
  "google-bert/bert-base-uncased": "models/minilm-mlm",
};

/** The user's files that commands in documents name. */
const FILES = {
  "reviews.csv": "text\nWhat a lovely evening!\nThe soup was cold.\n",
  "letter.txt": "Anna Kovács lives in Oslo.\n",
  "letters/rain.txt": "It rained all day on Monday.\n",
};

/** Documents that users read to use the package; the others are for work on it. */
const INSIDE = ["adding", "architecture", "testing", "performance", "reliability", "quantization", "benchmarks"];
const documents = [
  "README.md",
  ...["docs", "docs/recipes"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md") && !INSIDE.includes(name.slice(0, -3)))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Makes the folder in which a document's blocks run, with webert installed. */
function folderOf(document) {
  const folder = join(scratch, document.replaceAll("/", "_"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/webert"));
  for (const [name, path] of Object.entries(MODELS)) {
    const link = join(folder, "hub", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, path), link);
  }
  mkdirSync(join(folder, "letters"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  symlinkSync(join(root, "tests/goldens/models/distilbert-seqcls"), join(folder, "my-model"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const prelude = `import { env } from "webert";\nenv.localModelPath = ${JSON.stringify(join(folder, "hub/"))};\nenv.remoteHost = "http://127.0.0.1:9/";\n`;
  writeFileSync(join(folder, "prelude.mjs"), prelude);
  mkdirSync(join(folder, "bin"));
  // `npx webert` runs this checkout's command line.
  writeFileSync(join(folder, "bin/npx"), `#!/bin/sh\nshift\nexec node "${root}/dist/cli.js" "$@"\n`);
  chmodSync(join(folder, "bin/npx"), 0o755);
  return folder;
}

async function run(folder, command, args) {
  const env = {
    ...process.env,
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    NODE_OPTIONS: `--import=file://${join(folder, "prelude.mjs")}`,
    NODE_TEST_CONTEXT: undefined,
  };
  await promisify(execFile)(command, args, { cwd: folder, env, timeout: 300_000 });
}

/** Runs a module, or a whole page, in Chromium. */
const inPage = (code, isPage) =>
  withPage({ path: blank }, async (page, { url }) => {
    const here = `${url}dist/index.js`;
    if (isPage) {
      const lines = [];
      page.on("console", (message) => lines.push(message.text()));
      await page.setContent(code.replace(/https:\/\/cdn[^"]+/, here));
      // A page shows its answer, or logs it.
      for (const end = Date.now() + 60_000; !lines.length; await page.waitForTimeout(100)) {
        if (await page.evaluate(() => document.querySelector("output")?.value)) break;
        assert.ok(Date.now() < end, "the page shows no answer");
      }
    } else {
      await page.evaluate(
        (code) => import(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))),
        code.replaceAll('"webert"', `"${here}"`),
      );
    }
  });

async function runBlock(folder, { language, code, how, n }) {
  if (language === "html") return inPage(code, true);
  if (how === "page") return inPage(code, false);
  if (language === "sh") return run(folder, "sh", ["-ec", code]);
  const file = join(folder, `block-${n}.${language}`);
  writeFileSync(file, code);
  if (language === "js") return run(folder, process.execPath, [file]);
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--lib",
    "es2023,dom",
    "--types",
    "",
  ];
  const module = ["--module", "esnext", "--moduleResolution", "bundler"];
  return run(folder, process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options, ...module, file]);
}

let count = 0;
for (const document of documents) {
  const blocks = blocksOf(readFileSync(join(root, document), "utf8")).filter(({ language }) =>
    PROGRAMS.includes(language),
  );
  count += blocks.length;
  if (!blocks.some(({ how }) => how !== "not" && how !== "file")) continue;
  test(`the blocks of ${document} run in order`, { concurrency: 2 }, async () => {
    const folder = folderOf(document);
    let before = "";
    for (const [n, block] of blocks.entries()) {
      if (block.how === "not" || block.how === "file") continue;
      const code = block.how === "continues" ? `${before}\n${block.code}` : block.code;
      before = code;
      await runBlock(folder, { ...block, code, n }).catch((error) => {
        throw new Error(`${document}:${block.line}: ${error.stderr || error.stdout || error.message}`);
      });
    }
  });
}

test("documents have blocks, and a block that does not run names its reason", () => {
  assert.ok(count > 40, `${count} blocks`);
  assert.throws(() => blocksOf("<!-- block: not run: -->\n```js\n1\n```\n"), /unknown marker/);
  assert.throws(() => blocksOf("<!-- block: skipped -->\n```js\n1\n```\n"), /unknown marker/);
  const text = "a\n<!-- block: page -->\n```js\n1\n```\n\n```sh\nls\n```\n";
  assert.deepEqual(
    blocksOf(text).map(({ language, code, line, how }) => [language, code, line, how]),
    [
      ["js", "1\n", 2, "page"],
      ["sh", "ls\n", 7, "run"],
    ],
  );
});
