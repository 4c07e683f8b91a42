// The view Beat BERT: ten gaps a day, the visitor's word before the model's, points, a result without words, narrow and wide.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { violations } from "./axe.mjs";
import { withPage } from "./browser.mjs";

const { accepts, dayOf, gapsOf, points, resultOf, standing } = await importTypeScript("www/src/text/beat.ts");
const table = await readFile(new URL("../models/eval/cloze.tsv", import.meta.url), "utf8");
const ready = (page) => page.locator(".model-chip", { hasText: /^The model: [CG]PU/ }).waitFor({ timeout: 60_000 });
const button = (page, name) => page.getByRole("button", { name });

/** The words of today's gaps that the list accepts. */
const today = async (page) => gapsOf(table, await page.evaluate(() => new Date().toLocaleDateString("sv")));

test("a day has ten gaps, one of each category, and none returns within twenty days", () => {
  const seen = new Set();
  for (let day = 1; day <= 20; day++) {
    const gaps = gapsOf(table, dayOf(new Date(2026, 10, day)));
    assert.equal(gaps.length, 10);
    for (const { text } of gaps) seen.add(text);
  }
  assert.equal(seen.size, 200);
  assert.deepEqual(gapsOf(table, "2026-11-21"), gapsOf(table, "2026-12-11"), "then they begin again");
  assert.notDeepEqual(gapsOf(table, "2026-11-21"), gapsOf(table, "2026-11-22"));
});

test("counts points by probability, and right words by the list; the result names no word", () => {
  assert.equal(points({ score: 0.84, isRight: true }), 8);
  assert.equal(points({ score: 0.001, isRight: true }), 1);
  assert.equal(points({ score: 0.001, isRight: false }), 0);
  assert.ok(accepts({ accepted: ["café"] }, " CAFE "));
  const round = (isRight, isBertRight) => ({
    word: "toast",
    words: [{ token_str: "bread" }],
    score: 0.5,
    isRight,
    isBertRight,
  });
  const rounds = [round(true, true), round(true, false), round(false, true), round(false, false)];
  assert.deepEqual(standing(rounds), [2, 2]);
  const text = resultOf("2026-11-26", rounds, "https://example.org/#beat");
  assert.equal(text, "Beat BERT 2026-11-26\n2 : 2 · 20/40\n🟨🟩🟥⬜\nhttps://example.org/#beat");
});

test("plays ten gaps by keyboard, shows both words after each, and keeps the game on reload", async () => {
  const context = { permissions: ["clipboard-read", "clipboard-write"] };
  await withPage({ path: "#beat", context }, async (page) => {
    await ready(page);
    const gaps = await today(page);
    for (const [at, gap] of gaps.entries()) {
      await page.getByText(`Gap ${at + 1} of 10`).waitFor();
      assert.equal(await page.locator(".beat .bar").count(), 0, "BERT's words come after the visitor's");
      await page.locator("#beat-word").fill(at === 3 ? "zebra" : gap.accepted[0]);
      await page.keyboard.press("Enter");
      await page.locator(".beat-verdict", { hasText: at === 3 ? "zebra" : gap.accepted[0] }).waitFor();
      assert.match(await page.locator(".beat-verdict").textContent(), at === 3 ? /not|Neither/ : /right/);
      assert.ok((await page.locator(".beat .bar").count()) >= 5);
      if (at === 4) {
        await page.reload();
        await page.getByText("Gap 6 of 10").waitFor();
        await ready(page);
      } else await page.keyboard.press("Enter");
    }
    await page.getByText(/^9 : \d+$/).waitFor();
    const shown = await page.locator(".beat-copy pre").textContent();
    await button(page, "Copy the result").click();
    await page.getByText("Copied. It names no word.").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown);
    for (const { accepted } of gaps) assert.ok(!new RegExp(`\\b${accepted[0]}\\b`, "i").test(shown));
    assert.equal(await page.locator(".beat-list li").count(), 10);
    assert.deepEqual(await violations(page, "#panel"), []);
    await button(page, "Copy link").click();
    await button(page, "Copy it").click();
    assert.doesNotMatch(await page.evaluate(() => navigator.clipboard.readText()), /zebra/);
  });
});

test("a word that is given while the model loads is played once it is there", async () => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const prepare = (page) =>
    page.context().route("**/*.safetensors", async (route) => {
      await held;
      await route.continue();
    });
  await withPage({ path: "#beat", prepare }, async (page) => {
    await page.locator("#beat-word").fill("zebra");
    await page.keyboard.press("Enter");
    await page.getByText(/^The model is loading/).waitFor();
    assert.ok(await button(page, "That is my word").isDisabled());
    assert.equal(await page.locator(".beat-verdict").count(), 0);
    release();
    await page.locator(".beat-verdict", { hasText: "zebra" }).waitFor();
    assert.equal(await page.getByText("Gap 1 of 10").count(), 1);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`is accessible (${colorScheme}) and fits 320 pixels`, async () => {
    const viewport = { width: colorScheme === "dark" ? 320 : 1280, height: 740 };
    await withPage({ path: "#beat", context: { reducedMotion: "reduce", colorScheme, viewport } }, async (page) => {
      await ready(page);
      await page.getByText("How this is counted").click();
      assert.deepEqual(await violations(page, "#panel"), []);
      await page.locator("#beat-word").fill("house");
      await button(page, "That is my word").click();
      await page.locator(".beat-verdict").waitFor();
      assert.deepEqual(await violations(page, "#panel"), []);
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.ok(over <= 0, `${over}`);
    });
  });
}
