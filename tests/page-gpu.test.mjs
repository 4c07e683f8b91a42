// The page on WebGPU: every view answers as on the CPU, and a lost device costs at most one answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pipeline } from "../dist/node.js";
import { withLavapipe, withPage } from "./browser.mjs";
import { everywhereInPage, hideSoftwareAdapter, makeDevicesLosable } from "./gpu-faults.mjs";

/** For a software GPU. */
const SLOW = { timeout: 60_000 };
const PRONOUN = "Anna was tired, so she went to bed early.";
const chip = (page, device) => page.locator(".model-chip", { hasText: `The model: ${device}` }).waitFor(SLOW);
const type = (page, text) => page.locator("#text").fill(text);
const open = (page, id) => page.locator(`#tab-${id}`).click();
const there = (page, selector, hasText) => page.locator(selector, { hasText }).first().waitFor(SLOW);
const alerts = (page) => page.locator("[role=alert]:not(:empty)");
async function chooseGpu(page) {
  await chip(page, "CPU");
  await page.locator(".model-chip").click();
  await page.getByRole("radio", { name: "GPU" }).click();
  await chip(page, "GPU");
  await page.keyboard.press("Escape");
}
/** The best words of Guess for `text`. */
async function words(page, text) {
  await type(page, text);
  await there(page, ".guess[aria-busy=false] .bar-name");
  return page.locator(".bar-name").allTextContents();
}

/** Find over a short text, with its map; afterwards no work is running. */
async function fewLetters(page) {
  await page.getByRole("button", { name: "Letters to a shop" }).click();
  await there(page, ".find-text .hint", "20 passages of");
  const isDrawn = () => document.querySelectorAll(".find-map circle").length === 20;
  await page.waitForFunction(isDrawn, undefined, SLOW);
}

test("every view answers on the GPU as on the CPU", { timeout: 600_000 }, async () => {
  const unmask = await pipeline("fill-mask");
  await withPage({}, async (page) => {
    await chooseGpu(page);
    const text = "A kitten is a young ___.";
    const want = await unmask(text.replace("___", "[MASK]"));
    assert.equal((await words(page, text))[0], want[0].token_str);
    await open(page, "odd-word");
    await type(page, "I drink a cup of cement every morning.");
    await there(page, ".word.odd", "cement");
    await open(page, "watch");
    await page.locator(".word", { hasText: "cement" }).click();
    await there(page, ".story", /becomes “tea”, with 5\d\.\d %/);
    await page.waitForFunction(() => !document.querySelector(".rung.ahead"));
    assert.equal(await page.locator(".rung:last-child .said-word").first().textContent(), "tea");
    await open(page, "look");
    await type(page, PRONOUN);
    await there(page, ".look-told", /^“she” looks at “Anna” \(\d+ %\)/);
    await open(page, "teach");
    await type(page, "When do you open on Sunday?");
    await there(page, ".teach-said", /^question$/);
    await there(page, ".teach-quality strong", /^1[1-5] of 15$/);
    await open(page, "find");
    await fewLetters(page);
    await type(page, "I want my money back");
    await there(page, ".find-hits li:first-child", "send the money back to DE89 3704 0044 0532 0130 00");
    await open(page, "grow");
    await page.getByRole("button", { name: "Grow a BERT" }).click();
    await there(page, ".grow-status", /^Step /);
    await page.getByRole("button", { name: "Stop" }).click();
    await chip(page, "GPU");
    assert.equal(await alerts(page).count(), 0);
  });
  await unmask.dispose();
});

/** Loses the Worker's device "now", or "later" with its next commands. */
const lose = (page, when) =>
  page.evaluate(async (when) => {
    const channel = new BroadcastChannel("lose-device");
    const told = new Promise((resolve) => (channel.onmessage = resolve));
    channel.postMessage(when);
    await told;
    channel.close();
  }, when);

test("reports a lost requested GPU and answers the next key, in every view", {
  timeout: 600_000,
}, async () => {
  await withLavapipe({ prepare: (page) => everywhereInPage(page, makeDevicesLosable) }, async (page) => {
    await chooseGpu(page);
    const before = await words(page, "A kitten is a young ___.");
    await lose(page, "now");
    await words(page, "Paris is the ___ of France.");
    assert.deepEqual(await words(page, "A kitten is a young ___."), before);
    for (const [id, text, there] of [
      ["guess", "Paris is the ___ of France.", ".bar-name"],
      ["odd-word", "The cat chased the piano up a tree.", ".verdict"],
      ["look", PRONOUN, ".look-told"],
      ["teach", "When do you open on Sunday?", ".teach-said"],
      ["find", "Something arrived damaged", ".find-hits li"],
    ]) {
      await open(page, id);
      if (id === "find") await fewLetters(page);
      await page.locator(there).first().waitFor(SLOW);
      await lose(page, "later");
      await type(page, text);
      await page.getByText(/The graphics card stopped/).waitFor(SLOW);
      await page.locator("#text").press("End");
      await page.locator("#text").pressSequentially(" ");
      await page.locator(there).first().waitFor(SLOW);
      assert.equal(await alerts(page).count(), 0, id);
    }
  });
});

test("the CPU answers after the loss of an automatic GPU, and the chip shows it", SLOW, async () => {
  await withPage(
    { prepare: (page) => everywhereInPage(page, makeDevicesLosable, hideSoftwareAdapter) },
    async (page) => {
      await chip(page, "GPU");
      const before = await words(page, "A kitten is a young ___.");
      await lose(page, "later");
      await words(page, "Paris is the ___ of France.");
      await chip(page, "CPU");
      assert.equal((await words(page, "A kitten is a young ___."))[0], before[0]);
      await page.locator(".model-chip").click();
      await there(page, ".model-panel", /until it failed/);
      assert.equal(await alerts(page).count(), 0);
    },
  );
});
