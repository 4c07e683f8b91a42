// The views Watch it think and Look in Chromium: play once, scrub, save as an image, arcs by mouse and keyboard, narrow and wide.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { withPage } from "./browser.mjs";

const still = { reducedMotion: "reduce" };
const ANNA = "#look&text=Anna+was+tired%2C+so+she+went+to+bed+early.";

const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const ladder = (page) => page.waitForSelector(".ladder", { timeout: 60_000 });
const stage = (page) => page.waitForSelector(".stage", { timeout: 60_000 });
const texts = (page, selector) => page.locator(selector).allTextContents();
const type = (page, text) => page.locator("#text").fill(text);
/** Arcs of the drawing. */
const arcs = (page) => page.locator(".arcs > path").count();

test("plays the ladder once, then shows its last layer, and scrubs", async () => {
  await withPage({ path: "#watch" }, async (page) => {
    await ladder(page);
    await page.waitForSelector(".rung.ahead");
    await page.waitForFunction(() => !document.querySelector(".rung.ahead"));
    assert.deepEqual(await texts(page, ".rung:last-child .said-word"), ["tea", "coffee", "milk"]);
    assert.match(
      await page.textContent(".story"),
      /^It changes its mind at the last layer: “chocolate” becomes “tea”, with 5\d\.\d %\.$/,
    );
    assert.equal(await page.textContent(".hidden-word"), "tea");
    await page.getByRole("slider", { name: "Layer" }).focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.textContent(".hidden-word"), "chocolate");
    assert.equal(await page.getByRole("slider").getAttribute("aria-valuetext"), "Layer 5: chocolate");
    assert.equal(await page.locator(".rung.ahead").count(), 1);
    await type(page, "Paris is the capital of France.");
    await page.locator(".word", { hasText: "capital" }).click();
    await page.locator(".story", { hasText: /at layer 4|From layer 4/ }).waitFor();
    assert.equal(await page.locator(".rung.ahead").count(), 0, "not played again");
    await page.getByRole("button", { name: "Play again" }).click();
    await page.waitForSelector(".rung.ahead");
    await page.locator("[role=status]", { hasText: "layer 4" }).waitFor();
  });
});

test("hides another word by keyboard with one tab stop; without motion shows the last layer at once", async () => {
  await withPage({ path: "#watch", context: still }, async (page) => {
    await ladder(page);
    assert.equal(await page.locator(".rung.ahead").count(), 0);
    assert.equal(await page.getByRole("button", { name: "Play again" }).count(), 0);
    await page.locator(".word", { hasText: "drink" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".watch > .hint", { hasText: "does not see “drink”" }).waitFor();
    assert.equal(await page.locator(".watch .word[tabindex='0']").count(), 1);
    assert.equal(await page.locator(".watch .word[aria-pressed=true]").count(), 1);
    await type(page, "The ___ barked at the postman.");
    await page.locator(".word.hidden-word", { hasText: "dog" }).waitFor();
    await type(page, "");
    await page.locator(".hint", { hasText: "Write a sentence" }).waitFor();
  });
});

test("marks recorded ladders of the examples while the model loads", async () => {
  const prepare = (page) => page.route("**/model.safetensors", () => {});
  await withPage({ path: "#watch", context: still, prepare }, async (page) => {
    await page.locator(".took", { hasText: "A recorded answer: the model is still loading." }).waitFor();
    assert.deepEqual(await texts(page, ".rung:last-child .said-word"), ["tea", "coffee", "milk"]);
    await page.getByRole("button", { name: "The cat chased the piano up a tree." }).click();
    await page.locator(".watch > .hint", { hasText: "does not see “piano”" }).waitFor();
    assert.equal(await page.locator(".rung").count(), 7);
    await page.locator(".word", { hasText: "chased" }).click();
    await page.locator(".hint", { hasText: "once the model is loaded" }).waitFor();
    await page.getByRole("tab", { name: "Look" }).click();
    await page.locator(".hint", { hasText: "once the model is loaded" }).waitFor();
  });
});

test("saves the ladder as an image", async () => {
  await withPage({ path: "#watch", context: still }, async (page) => {
    await ladder(page);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as image" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "watch-it-think.png");
    const png = await readFile(await download.path());
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    assert.equal(png.readUInt32BE(16), 1200, "its width");
    assert.ok(png.readUInt32BE(20) > 700, "its height");
    assert.ok(png.length > 20_000, `${png.length} bytes`);
    await page.locator(".save-image [role=status]", { hasText: "It shows your sentence." }).waitFor();
  });
});

test("Look opens on a named head, whose pronoun attends to its person", async () => {
  await withPage({ path: ANNA }, async (page) => {
    await stage(page);
    assert.equal(await page.textContent(".look h2"), "Whom a pronoun means: layer 2, head 4");
    assert.match(await page.textContent(".look-told"), /^“she” looks at “Anna” \(\d+ %\)/);
    assert.equal(await arcs(page), 1);
    assert.match(await page.textContent(".look"), /Counted over 250 cases: it is right in 92(\.0)? %/);
    assert.match(await page.textContent(".look"), /where the head looks, not why the model decides/);
    await page.getByRole("radio", { name: "The word before" }).check();
    assert.equal(await arcs(page), 10);
    await page.locator(".look-word", { hasText: "went" }).hover();
    assert.ok((await arcs(page)) < 10);
    await page.locator(".look-word", { hasText: "tired" }).focus();
    for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "so");
    assert.match(await page.textContent(".look-told"), /^“so” looks at “,” \((9\d|100) %\)/);
    assert.match(
      await page.locator(".look-word", { hasText: "so" }).getAttribute("aria-label"),
      /^so looks at “,” \((9\d|100) %\)/,
    );
    assert.equal(await page.locator(".look-word[tabindex='0']").count(), 1);
    await page.getByText("As a table").click();
    const row = page.locator("tr", { has: page.locator("th", { hasText: /^was$/ }) });
    assert.match((await row.locator("td").allTextContents()).join(" "), /^Anna (9\d|100) %/);
  });
});

test("shows all heads behind a button without idle ones; offers an example if the sentence has no pronoun", async () => {
  await withPage({ path: "#look" }, async (page) => {
    await stage(page);
    assert.equal(await page.locator(".head").count(), 0);
    await page.getByRole("button", { name: "All 72 heads" }).click();
    const [shown, left] = [await page.locator(".head").count(), await page.locator(".no-head").count()];
    assert.equal(shown + left, 72);
    assert.ok(left > 1 && left < 30, `${left} left out`);
    await page.locator(".hint", { hasText: `${left} heads left out` }).waitFor();
    await page.getByRole("radio", { name: "Layer 2, head 9: The word after" }).check();
    assert.equal(await page.textContent(".look h2"), "The word after: layer 2, head 9");
    await page.getByRole("radio", { name: "Whom a pronoun means", exact: true }).check();
    await page.getByText("There is no he, she, his or her in this sentence.").waitFor();
    await page.getByRole("button", { name: "Anna was tired, so she went to bed early." }).click();
    await page.locator(".look-told", { hasText: "“she” looks at “Anna”" }).waitFor();
    await page.reload();
    await page.locator(".look-told", { hasText: "“she” looks at “Anna”" }).waitFor();
    assert.ok((await page.locator(".head").count()) > 0, "what was open stays open");
  });
});

test("attention uses the loaded encoder and fetches at most the beginning of its files to compare them", async () => {
  await withPage({ context: still }, async (page) => {
    await page.locator(".model-chip", { hasText: "MB" }).waitFor({ timeout: 60_000 });
    await page.waitForTimeout(1500);
    const asked = [];
    page.on("requestfinished", (request) => asked.push(new URL(request.url()).pathname));
    for (const view of ["Watch it think", "Look"]) await page.getByRole("tab", { name: view }).click();
    await stage(page);
    assert.deepEqual(
      asked.filter((path) => /\.(wasm|safetensors)$/.test(path)),
      [],
    );
  });
});

test("cuts long texts and marks the cut", async () => {
  await withPage({ path: "#look", context: still }, async (page) => {
    await stage(page);
    await type(page, "Once more the dog saw the other dog. ".repeat(3000));
    await page.locator(".hint", { hasText: "The first 40 words are read and shown." }).waitFor();
    assert.equal(await page.locator(".look-word").count(), 40);
    await page.getByRole("tab", { name: "Watch it think" }).click();
    await ladder(page);
    assert.ok((await page.locator(".watch .word").count()) < 250);
  });
});

test("draws the maps of all heads one layer per frame, so typing stays fast", async () => {
  const prepare = (page) =>
    page.addInitScript(() => {
      globalThis.drawn = [0]; // maps in each frame
      const draw = CanvasRenderingContext2D.prototype.putImageData;
      CanvasRenderingContext2D.prototype.putImageData = function (...args) {
        drawn[drawn.length - 1]++;
        draw.apply(this, args);
      };
      const frame = () => {
        drawn.push(0);
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
  await withPage({ path: "#look&look.all=1", context: still, prepare }, async (page) => {
    await stage(page);
    await type(page, "He said that his friend would see it, too.");
    await page.waitForTimeout(700);
    const shown = await page.locator(".head").count();
    await page.waitForFunction((shown) => drawn.reduce((a, b) => a + b) >= shown, shown);
    assert.ok(Math.max(...(await page.evaluate(() => drawn))) <= 12);
  });
});

/** The lowest contrast of the ladder's words and numbers with their backgrounds. Probabilities mix the colours, so axe-core cannot measure it. */
const leastContrast = (page) =>
  page.evaluate(() => {
    const channels = (color) => {
      const values = color.match(/[\d.]+/g).map(Number);
      return color.startsWith("color(srgb") ? values.slice(0, 3) : values.slice(0, 3).map((value) => value / 255);
    };
    const luminance = (color) => {
      const [r, g, b] = channels(color).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return Math.min(
      ...[...document.querySelectorAll(".said")].map((chip) => {
        const { color, backgroundColor } = getComputedStyle(chip);
        const [dark, light] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
      }),
    );
  });

for (const colorScheme of ["light", "dark"]) {
  test(`both views are accessible (${colorScheme}), and fit 320 pixels and letters four times as large`, async () => {
    const context = { ...still, colorScheme, viewport: { width: 320, height: 640 } };
    await withPage({ path: "#watch", context }, async (page) => {
      await ladder(page);
      await page.getByText("How this is computed").click();
      assert.deepEqual(await violations(page, "#panel"), []);
      await page.getByRole("button", { name: "Paris is the capital of France." }).click();
      await page.locator(".said.answer", { hasText: /9[89] %/ }).waitFor();
      const contrast = await leastContrast(page);
      assert.ok(contrast >= 4.5, `${contrast}`);
      await page.getByRole("slider").fill("2");
      assert.deepEqual(await violations(page, "#panel"), []);
      assert.equal(await overflow(page), 0);
      await type(page, "Anna was tired, so she went to bed early.");
      await page.getByRole("tab", { name: "Look" }).click();
      await stage(page);
      for (const text of ["As a table", "How the heads got their names", "All 72 heads"])
        await page.getByText(text, { exact: true }).click();
      await page.locator(".look-word", { hasText: "Anna" }).click();
      assert.deepEqual(await violations(page, "#panel"), []);
      assert.equal(await overflow(page), 0);
    });
  });
}
