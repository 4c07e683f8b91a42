// The view Inside in Chromium: six stations with a question before each, numbers of the visitor's sentence, links, narrow and wide.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { violations } from "./axe.mjs";
import { openView, withPage } from "./browser.mjs";

const { draw } = await importTypeScript("www/src/views/inside/masking.ts");
const ready = (page) => page.locator(".model-chip", { hasText: /^The model: [CG]PU/ }).waitFor({ timeout: 60_000 });
const button = (page, name) => page.getByRole("button", { name, exact: true });
const station = (page, name) => page.getByRole("radio", { name: new RegExp(name) }).check();
const reveal = (page) => button(page, "Just show me").click();
const numbers = async (page, selector) => (await page.locator(selector).allTextContents()).map(Number.parseFloat);

test("chooses 15 % of whole words; of these 80 % are hidden, 10 % exchanged, 10 % kept", () => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const words = Array.from({ length: 100 }, (_, at) => `word${at}`);
  const counts = { stays: 0, masked: 0, exchanged: 0, kept: 0 };
  for (let n = 0; n < 200; n++) {
    const drawn = draw(words, ["table"], random);
    assert.equal(drawn.filter(({ fate }) => fate !== "stays").length, 15);
    for (const { fate, seen, word } of drawn) {
      counts[fate]++;
      assert.equal(seen, { stays: word, kept: word, masked: "[MASK]", exchanged: "table" }[fate]);
    }
  }
  for (const [fate, share] of Object.entries({ masked: 0.8, exchanged: 0.1, kept: 0.1 }))
    assert.ok(Math.abs(counts[fate] / 3000 - share) < 0.03, `${fate}: ${counts[fate]}`);
  assert.equal(draw(["one"], [], () => 0.1)[0].seen, "[MASK]", "at least one word is chosen");
});

test("asks before each station, then shows the sentence's pieces, numbers, attention and units", async () => {
  await withPage({ path: "#inside" }, async (page) => {
    await ready(page);
    await page.getByText("How many pieces does BERT read in your sentence?").waitFor();
    assert.equal(await page.locator(".piece").count(), 0, "the truth comes after the guess");
    await button(page, "11").click();
    await page.locator(".inside-truth", { hasText: "The answer: 13." }).waitFor();
    assert.equal(await page.locator(".piece").count(), 13);
    await page.getByText("pieces of a vocabulary of 29,528").waitFor();

    await button(page, "Next: Numbers →").click();
    await button(page, "384").click();
    await page.locator(".inside-truth", { hasText: "Right." }).waitFor();
    await page.locator(".inside-strips dt", { hasText: "+ segment 1" }).waitFor();
    const [word, place, segment, sum] = await numbers(page, ".inside-strips code");
    assert.ok(Math.abs(word + place + segment - sum) < 0.016, `${word} + ${place} + ${segment} = ${sum}`);
    assert.notEqual(sum, 0);

    await station(page, "Looking");
    await page.getByText("Which word does layer 2, head 4 look at most from “she”?").waitFor();
    await button(page, "Anna").click();
    await page.locator(".inside-truth", { hasText: "Right." }).waitFor();
    const cells = await page
      .locator(".inside-table tbody tr")
      .evaluateAll((rows) => rows.map((row) => [...row.cells].map(({ textContent }) => textContent)));
    assert.equal(cells[0][0], "anna");
    const [first, second] = cells.map(([, score, share]) => [Number(score), Number.parseInt(share, 10)]);
    assert.ok(Math.abs(Math.exp(first[0] - second[0]) / (first[1] / second[1]) - 1) < 0.1, "the softmax of the scores");
    const mix = /^0\.\d\d · v\(anna\) \+ 0\.\d\d · v\(tired\) \+ /;
    assert.match(await page.locator(".inside-mix").textContent(), mix);
    assert.equal(Number.parseFloat(await page.locator(".inside-mix").textContent()), first[1] / 100);
    await page.getByText("begin alike, with a cosine of 1.00, and end at 0.").waitFor();

    await station(page, "Thinking");
    await reveal(page);
    await page.getByText(/In layer 1, \d+ of 1,536 units fire for “early”/).waitFor();
    await page.getByRole("slider", { name: "Layer" }).fill("6");
    await page.getByText(/In layer 6, \d+ of 1,536 units fire/).waitFor();
    await page.locator(".inside-word", { hasText: "tired" }).click();
    await page.getByText(/units fire for “tired”/).waitFor();
    await page.getByText("33 % are attention’s".replace("’", "'")).waitFor();
    await page.getByText("has 52 % of all 22 M").waitFor();
  });
});

test("answers with four heads, learns from nothing, and links to a station with its sentence", async () => {
  const settings = { text: "The staff in Berlin were wonderful.", "inside.station": "answering" };
  await withPage({ path: `#inside&${new URLSearchParams(settings)}` }, async (page) => {
    await ready(page);
    await button(page, "1").click();
    await page.locator(".inside-heads li", { hasText: "Berlin" }).waitFor();
    assert.equal(await page.locator(".inside-heads section").count(), 4);
    assert.equal(
      await page.locator(".inside-heads section").nth(1).locator(".bar-name").first().textContent(),
      "positive",
    );
    const said = (at) => page.locator(".inside-heads section").nth(at).locator("p").textContent();
    assert.equal(await said(1), "It says positive, 90 %.", "no number that the card does not support");
    assert.match(await said(2), /^It (is unsure|says \w+, (clearly|probably))\.$/);
    assert.equal(await page.locator(".inside-heads section:nth-child(n + 2) .bar-score").count(), 0);
    await station(page, "Learning");
    await button(page, "“April”, with doubt").click();
    await page.locator(".inside-truth", { hasText: "anything, all as likely" }).waitFor();
    await button(page, "Draw for my sentence").click();
    assert.equal(await page.locator(".inside-drawn small").count(), 1);
    await button(page, "Begin at random").click();
    await page.locator(".inside-guesses h4", { hasText: "Step 0" }).waitFor({ timeout: 60_000 });
    const [best] = await numbers(page, ".inside-guesses li span");
    assert.ok(best < 10, `${best} %: nothing is likely at first`);
    await button(page, "Grow: a model of your own, from any text").click();
    await page.getByText("A BERT of two layers that knows nothing").waitFor();
  });
});

test("while the model loads, the first station asks and answers, and the next one says how long it takes", async () => {
  const prepare = (page) => page.context().route("**/*.safetensors", () => {});
  await withPage({ path: "#inside", prepare }, async (page) => {
    await button(page, "13").click();
    await page.locator(".inside-truth", { hasText: "Right." }).waitFor();
    assert.equal(await page.locator(".piece").count(), 13);
    await button(page, "Next: Numbers →").click();
    await page.getByText(/^The model is loading.*It shows your sentence's numbers then\.$/).waitFor();
    await page.locator("#text").fill("...");
    await station(page, "Pieces");
    await page.getByText("How many pieces").or(page.getByText("There is no word in this text.")).waitFor();
  });
});

test("its encoder replaces the page's, so that the weights are there once; Find opens its index again", async () => {
  await withPage({ path: "#find&text=Who+is+afraid+at+night%3F" }, async (page) => {
    const workers = () => page.workers().length;
    await page.locator(".find-hits li").first().waitFor({ timeout: 120_000 });
    const before = workers();
    const hits = await page.locator(".find-hits li > p:first-of-type").allTextContents();
    await openView(page, "inside");
    await page.getByText("How many pieces does BERT read in your sentence?").waitFor();
    for (let tries = 0; workers() > before && tries < 100; tries++) await page.waitForTimeout(50);
    assert.equal(workers(), before);
    await page.evaluate(() => {
      window.read = 0;
      new MutationObserver(() => (read += document.querySelectorAll("#panel progress").length)).observe(document, {
        childList: true,
        subtree: true,
      });
    });
    await openView(page, "find");
    await page.locator(".find-hits li").first().waitFor();
    assert.deepEqual(await page.locator(".find-hits li > p:first-of-type").allTextContents(), hits);
    assert.equal(await page.evaluate(() => read), 0, "no passage is read again");
    await page.evaluate(() => (location.hash = "guess"));
    await page.locator(".guess .bar-name").first().waitFor();
    await openView(page, "inside");
    assert.equal(workers(), before);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`is accessible (${colorScheme}) and fits 320 pixels`, async () => {
    const viewport = { width: colorScheme === "dark" ? 320 : 1280, height: 740 };
    await withPage({ path: "#inside", context: { reducedMotion: "reduce", colorScheme, viewport } }, async (page) => {
      await ready(page);
      for (const name of ["Pieces", "Numbers", "Looking", "Thinking", "Answering", "Learning"]) {
        await station(page, name);
        await reveal(page);
        await page.waitForTimeout(500);
        assert.deepEqual(await violations(page, "#panel"), [], name);
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.ok(over <= 0, `${name}: ${over}`);
      }
    });
  });
}
