// Runs each application of examples/ as its README describes, over this checkout.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { root } from "../scripts/lib/run.mjs";
import { ensureBrowser } from "../scripts/setup.mjs";
import { serveFolder } from "./everywhere/server.mjs";

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: ensureBrowser("chromium"),
    args: ["--headless=new", "--no-sandbox"],
  });
});
after(() => browser?.close());

/** A copy of an example with its dependencies installed; it is kept between runs. */
function installed(name) {
  const folder = join(root, "target/examples", name);
  const wanted = readFileSync(join(root, "examples", name, "package.json"), "utf8").replace(
    "file:../..",
    `file:${root}`,
  );
  const stamp = join(folder, "package.json");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "examples", name), folder, { recursive: true, filter: (path) => !path.includes("node_modules") });
  writeFileSync(stamp, wanted);
  if (!existsSync(join(folder, "node_modules/webert"))) {
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: folder, stdio: "pipe" });
  }
  return folder;
}

/** Serves a folder and calls `body` with a page that shows it; what the page logs as an error fails the test. */
async function show(folder, body) {
  const server = await serveFolder(folder);
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  try {
    await page.goto(server.url);
    await body(page);
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
    server.close();
  }
}

test("page: the answer follows what is typed", { timeout: 120_000 }, async () => {
  await show(installed("page"), async (page) => {
    const answer = page.locator("#answer");
    await answer.filter({ hasText: "%" }).waitFor();
    await page.fill("#text", "I love this film, it is wonderful.");
    await answer.filter({ hasText: /^positive, 9\d %$/ }).waitFor();
    await page.fill("#text", "A dreadful, boring film.");
    await answer.filter({ hasText: /^negative, 9\d %$/ }).waitFor();
    assert.ok((await page.locator("#meter").evaluate((meter) => meter.value)) < 0.1);
  });
});

test("vite: builds, and fills the blank", { timeout: 300_000 }, async () => {
  const folder = installed("vite");
  execFileSync("npx", ["vite", "build"], { cwd: folder, stdio: "pipe" });
  await show(join(folder, "dist"), async (page) => {
    await page.locator("#answers li").nth(4).waitFor();
    await page.fill("#sentence", "Paris is the ___ of France.");
    await page.click("button");
    await page.locator("#answers li").first().filter({ hasText: "capital" }).waitFor();
    await page.fill("#sentence", "There is no blank here.");
    await page.click("button");
    await page.locator("#answers li").filter({ hasText: "there is no [MASK]" }).waitFor();
  });
});

test("node: ranks lines by meaning", { timeout: 120_000 }, () => {
  const folder = installed("node");
  const lines = ["Interest rates rose again.", "A dog slept on the sofa.", "How to cook rice"];
  writeFileSync(join(folder, "lines.txt"), lines.join("\n"));
  const run = (...words) => execFileSync(process.execPath, ["search.mjs", ...words], { cwd: folder, encoding: "utf8" });
  const ranked = run("lines.txt", "an animal resting", "2").trim().split("\n");
  assert.equal(ranked.length, 2);
  assert.match(ranked[0], /^0\.\d{3} {2}A dog slept on the sofa\.$/);
  assert.throws(() => execFileSync(process.execPath, ["search.mjs"], { cwd: folder, stdio: "pipe" }), { status: 2 });
});

test("teach: learns the lines that are written, and again when they change", { timeout: 180_000 }, async () => {
  await show(installed("teach"), async (page) => {
    const answer = page.locator("#answer");
    const learnt = () => answer.filter({ hasText: /^Learnt/ }).waitFor();
    assert.ok(await page.locator("#text").isDisabled());
    await page.click("#learn");
    await learnt();
    await page.fill("#text", "My password is not accepted.");
    await answer.filter({ hasText: /^login, \d+ %$/ }).waitFor();
    await page.fill("#text", "");
    await page.fill(
      "#rows",
      "animal: A dog barks.\nanimal: The cat sleeps.\nplant: A rose blooms.\nplant: The oak is green.",
    );
    await page.click("#learn");
    await learnt();
    await page.fill("#text", "The horse and the cow run.");
    await answer.filter({ hasText: /^animal, \d+ %$/ }).waitFor();
    for (const [rows, said] of [
      ["plant: A rose blooms.", "It takes at least two labels."],
      ["animal: A dog barks.\nplant:", "row 1: text is empty"],
    ]) {
      await page.fill("#rows", rows);
      await page.click("#learn");
      await answer.filter({ hasText: said }).waitFor();
    }
  });
});

test("docs/training.md: its first program learns, saves and answers", { timeout: 180_000 }, () => {
  const [, program] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs/training.md"), "utf8"));
  const folder = installed("node");
  writeFileSync(join(folder, "learn.mjs"), program);
  const printed = execFileSync(process.execPath, ["learn.mjs"], { cwd: folder, encoding: "utf8" }).trim().split("\n");
  assert.match(printed[0], /^1\/20 \d\.\d{3}$/);
  assert.match(printed.at(-2), /accuracy: 1,/);
  assert.match(printed.at(-1), /label: 'refund', score: 0\.[89]/);
  assert.ok(existsSync(join(folder, "tickets/model.safetensors")));
});

test("docs/explain.md: its first program explains", { timeout: 180_000 }, () => {
  const [, program] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs/explain.md"), "utf8"));
  const folder = installed("node");
  writeFileSync(join(folder, "explain.mjs"), program);
  const printed = execFileSync(process.execPath, ["explain.mjs"], { cwd: folder, encoding: "utf8" }).trim().split("\n");
  assert.match(printed[0], /^\w+ -?\d+\.\d+ -?\d+\.\d+$/);
  assert.match(printed[1], /^\[CLS\] +0\.000$/);
  assert.ok(Number(printed.at(-1)) < 0.01, printed.at(-1));
});
