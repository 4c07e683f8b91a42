// The view Grow in Chromium: a model grows from nothing, pauses, is looked back at, saved and used.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { unzipSync } from "fflate";
import { pipeline } from "../dist/node.js";
import { violations } from "./axe.mjs";
import { withPage } from "./browser.mjs";

const PATIENCE = { timeout: 120_000 };
const withGrow = (body, options = {}) => withPage({ path: "#grow", ...options }, body);
const status = (page) => page.locator(".grow-status");
const grow = async (page) => {
  await page.getByRole("button", { name: "Grow a BERT" }).click(PATIENCE);
  await status(page)
    .filter({ hasText: /^Step / })
    .waitFor(PATIENCE);
};
/** The current step. */
const stepOf = async (page) =>
  Number((await status(page).textContent()).replace(/,/g, "").match(/(?:Step|after) (\d+)/)[1]);
const past = (page, step) =>
  page.waitForFunction(
    (step) =>
      Number(
        document
          .querySelector(".grow-status")
          .textContent.replace(/,/g, "")
          .match(/(?:Step|after) (\d+)/)?.[1],
      ) > step,
    step,
    PATIENCE,
  );
const best = (page) => page.locator(".grow-sentence mark").textContent();

test("grows: the loss falls and the gap changes from noise to a word of the text; steps back in time and on", async () => {
  await withGrow(async (page) => {
    await page.getByLabel(/a look/).check();
    await grow(page);
    await status(page).filter({ hasText: "Done after 300 steps." }).waitFor({ timeout: 400_000 });
    const spoken = await page.locator(".grow svg").getAttribute("aria-label");
    const [, first, last] = spoken.match(/from ([\d.]+) at step 1 to ([\d.]+) at step/).map(Number);
    assert.ok(first > 5 && last < first / 2, spoken);
    assert.match(await page.textContent(".grow"), /\d+ k numbers that began at random, \d+ pieces of words/);
    const now = await best(page);
    const slider = page.locator("#grow-at");
    await slider.fill("0");
    await page.getByText("Back at step 0").waitFor();
    const early = Number.parseFloat(await page.locator(".grow .bar-score").first().textContent());
    assert.ok(early < 5, `at random no word is likelier than another: ${early} %`);
    assert.equal(await page.locator(".curve-mark").count(), 1);
    assert.ok((await page.locator(".grow-changes li").count()) > 1);
    await page.getByRole("button", { name: "Now" }).click();
    assert.equal(await best(page), now);
    await page.getByRole("button", { name: "After spring comes ___." }).click();
    await page.locator(".grow-sentence", { hasText: /^After spring comes \S+\.$/ }).waitFor(PATIENCE);
    const tables = ["days", "months", "seasons"].map((name) =>
      readFile(new URL(`../models/train/text/relations/${name}.tsv`, import.meta.url), "utf8"),
    );
    const text = (await Promise.all(tables)).join("\n");
    const words = await page.locator(".grow .bar-name").allTextContents();
    assert.ok(
      words.some((word) => new RegExp(`\\b${word}\\b`, "i").test(text) && word.length > 2),
      `${words}`,
    );
    const [saved] = await Promise.all([
      page.waitForEvent("download", PATIENCE),
      page.getByRole("button", { name: "Save it (zip)" }).click(),
    ]);
    const files = Object.fromEntries(
      Object.entries(unzipSync(await readFile(await saved.path()))).map(([name, bytes]) => [
        name.replace("grown-bert/", ""),
        new Blob([bytes]),
      ]),
    );
    const unmask = await pipeline("fill-mask", { files }, { dtype: "fp32" });
    const found = await unmask("After spring comes [MASK].");
    assert.deepEqual(
      found.map(({ token_str }) => token_str),
      words,
    );
    await unmask.dispose();
    await page.getByRole("button", { name: "Use it in Guess" }).click();
    await page.locator("#tab-guess[aria-selected=true]").waitFor(PATIENCE);
    await page.waitForFunction(() => /grown from/i.test(document.body.textContent), undefined, PATIENCE);
    assert.equal(await page.inputValue("#text"), "After spring comes [MASK].");
  });
});

test("pauses on request and in a hidden tab, stops, and grows another model", async () => {
  await withGrow(async (page) => {
    await grow(page);
    await page.getByRole("button", { name: "Pause" }).click();
    await status(page).filter({ hasText: "Paused." }).waitFor(PATIENCE);
    const frozen = () => page.locator(".curve-raw").getAttribute("d");
    await page.waitForTimeout(500); // a step may be running
    const before = await frozen();
    await page.waitForTimeout(1500);
    assert.equal(await frozen(), before);
    await page.locator(".grow-gap input").fill("June comes after ___.");
    await page.locator(".grow-sentence", { hasText: /^June comes after/ }).waitFor(PATIENCE);
    await page.locator(".grow-gap input").fill("nothing hidden");
    await page.getByText("The sentence has no gap").waitFor();
    await page.getByRole("button", { name: "Go on" }).click();
    await status(page).filter({ hasText: /^Step/ }).waitFor(PATIENCE);
    await past(page, await stepOf(page));
    const hide = (hidden) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event("visibilitychange"));
      }, hidden);
    await hide(true);
    await status(page).filter({ hasText: "Paused while you were away." }).waitFor(PATIENCE);
    await hide(false);
    await status(page).filter({ hasText: /^Step/ }).waitFor(PATIENCE);
    await page.locator("#tab-teach").click();
    await page.locator("#tab-grow").click();
    await past(page, await stepOf(page));
    await page.getByRole("button", { name: "Stop" }).click();
    await status(page)
      .filter({ hasText: /^Stopped after \d+ steps\.$/ })
      .waitFor(PATIENCE);
    await page.getByRole("button", { name: "Grow another one" }).click();
    await page.getByRole("button", { name: "Grow a BERT" }).waitFor();
  });
});

test("reports too short a text of the visitor, and grows from a long one with its own gap", async () => {
  await withGrow(async (page) => {
    await page.getByLabel(/Your own text/).check();
    await page.getByRole("textbox", { name: "Your own text" }).fill("Too short.");
    await page.getByRole("button", { name: "Grow a BERT" }).click();
    await page.getByRole("alert").filter({ hasText: "Learning needs some pages of text" }).waitFor();
    await page
      .getByRole("textbox", { name: "Your own text" })
      .fill("Der Hund schläft im kleinen Garten. Die Katze jagt eine Maus. ".repeat(40));
    await grow(page);
    assert.match(await page.inputValue(".grow-gap input"), /^Der Hund schläft im kleinen ___\.$/);
    await page.getByRole("button", { name: "Stop" }).click();
    await status(page)
      .filter({ hasText: /^Stopped/ })
      .waitFor(PATIENCE);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`accessible, in ${colorScheme}, before and while it grows, at 320 pixels too`, async () => {
    const context = { colorScheme, viewport: { width: 320, height: 700 }, reducedMotion: "reduce" };
    await withGrow(
      async (page) => {
        await page.getByRole("button", { name: "Grow a BERT" }).waitFor(PATIENCE);
        const isFine = async () => {
          assert.deepEqual(await violations(page, "#panel"), []);
          assert.equal(
            await page.evaluate(
              () => document.querySelector("#panel").scrollWidth - document.querySelector("#panel").clientWidth,
            ),
            0,
          );
        };
        await isFine();
        await grow(page);
        await page.getByRole("button", { name: "Pause" }).click();
        await status(page).filter({ hasText: "Paused." }).waitFor(PATIENCE);
        await isFine();
      },
      { context },
    );
  });
}
