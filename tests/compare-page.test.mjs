// The view Compare in Chromium: both sentences by either field, the gap, dots and lists, recorded answers, picture, link, narrow and wide.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { withPage } from "./browser.mjs";

const answered = (page) => page.locator(".compare .took", { hasText: /^Answered in/ }).waitFor({ timeout: 60_000 });
const story = (page, text) => page.locator(".compare-story", { hasText: text }).waitFor();
const side = (page, name) => page.locator(`.compare-side.is-${name} b`).allTextContents();
const button = (page, name) => page.getByRole("button", { name });
const other = (page) => page.locator("#compare-other");

test("opens with two sentences, the words that are likelier in each, and dots of both probabilities", async () => {
  await withPage({ path: "#compare" }, async (page) => {
    await answered(page);
    await story(
      page,
      /^“oil” is \d+ times likelier with “Texas”, “newspaper” is \d+ times likelier with “New York”\.$/,
    );
    assert.deepEqual((await side(page, "first")).slice(0, 2), ["oil", "petrol"]);
    assert.equal((await side(page, "second"))[0], "newspaper");
    assert.deepEqual(await page.locator(".compare-pair .is-first").allTextContents(), ["Texas"]);
    assert.deepEqual(await page.locator(".compare-pair .is-second").allTextContents(), ["New", "York"]);
    assert.ok((await page.locator(".compare-square circle").count()) >= 10);
    assert.match(await page.locator(".compare-square svg").getAttribute("aria-label"), /^“oil” is/);
    await page.getByRole("heading", { name: "What it read, not what it thinks" }).waitFor();
    await page.getByText("They describe the everyday life of a household in a wealthy country").waitFor();
  });
});

test("each field changes what both share; what differs stays", async () => {
  await withPage({ path: "#compare" }, async (page) => {
    await answered(page);
    await page.locator("#text").fill("In Texas people like to eat ___.");
    assert.equal(await other(page).inputValue(), "In New York people like to eat ___.");
    await other(page).fill("In New York people like to read ___.");
    assert.equal(await page.inputValue("#text"), "In Texas people like to read ___.");
    await other(page).fill("In Paris people like to read ___.");
    assert.equal(await page.inputValue("#text"), "In Texas people like to read ___.");
    await story(page, "with “Paris”");
    await button(page, "Exchange").click();
    assert.equal(await page.inputValue("#text"), "In Paris people like to read ___.");
    await page.locator(".compare-side.is-first h2", { hasText: "Paris" }).waitFor();
    await page.locator("#text").fill("It rains.");
    await page.getByText("Both sentences are the same.").waitFor();
    await other(page).fill("It snows.");
    assert.equal(await page.inputValue("#text"), "It rains.", "equal sentences begin to differ");
    await page.locator("#text").fill(" ");
    await page.locator(".compare-lack", { hasText: "Type a sentence." }).waitFor();
    assert.equal(await page.locator("[role=alert]:not(:empty)").count(), 0);
  });
});

test("a visitor's own sentence comes with words for the second one; a pressed one is compared", async () => {
  await withPage({ path: "#guess" }, async (page) => {
    await page.locator("#text").fill("My sister lives near the sea.");
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.getByText("Both sentences are the same.").waitFor();
    const chips = page.locator(".compare-exchanges button");
    await chips.first().waitFor();
    assert.match(await chips.first().textContent(), /^sister → [a-z]+$/);
    const [, word] = (await chips.first().textContent()).split(" → ");
    await chips.first().click();
    assert.equal(await other(page).inputValue(), `My ${word} lives near the sea.`);
    assert.equal(await page.inputValue("#text"), "My sister lives near the sea.");
    await story(page, `with “${word}”`);
    assert.deepEqual(await violations(page, "#panel"), []);
  });
});

test("a pressed word becomes the gap of both, in either sentence and by keyboard", async () => {
  await withPage({ path: "#compare" }, async (page) => {
    await answered(page);
    await button(page, "The farmer / teacher bought a ___.").click();
    await story(page, "with “farmer”");
    const gaps = () => page.locator(".compare-gap").count();
    await page.locator(".compare-pair .words").nth(1).locator(".word", { hasText: "bought" }).click();
    await page.waitForFunction(() => !/bought/.test(document.querySelector(".compare-pair").textContent));
    assert.equal(await gaps(), 2);
    await page.locator(".compare-pair .words").first().locator(".word").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /bought/.test(document.querySelector(".compare-pair").textContent));
    assert.equal(await gaps(), 2);
    assert.equal(await page.inputValue("#text"), "The farmer bought a ___.", "the text stays");
  });
});

test("while the model loads, the examples show recorded answers, marked as such", async () => {
  const prepare = (page) => page.context().route("**/*.safetensors", () => {});
  await withPage({ path: "#compare", prepare }, async (page) => {
    await page.locator(".took", { hasText: "A recorded answer: the model is still loading." }).waitFor();
    assert.deepEqual((await side(page, "first")).slice(0, 2), ["oil", "petrol"]);
    await button(page, "The hotel / school was full of ___.").click();
    await story(page, "with “school”");
    await other(page).fill("The church was full of ___.");
    await page.getByText("The model is loading").waitFor();
  });
});

test("saves a picture; a link opens the same sentences", async () => {
  const settings = { text: "My aunt likes ___.", "compare.other": "My dog likes ___." };
  await withPage({ path: `#compare&${new URLSearchParams(settings)}` }, async (page) => {
    await answered(page);
    await page.locator(".compare-side.is-second h2", { hasText: "dog" }).waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Save as image").click()]);
    assert.equal(download.suggestedFilename(), "compare.png");
    const png = await readFile(await download.path());
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    assert.equal(png.readUInt32BE(16), 1200, "its width");
    assert.ok(png.length > 20_000, `${png.length} bytes`);
  });
});

test("a slider moves one sentence through the years", async () => {
  await withPage({ path: "#compare" }, async (page) => {
    await answered(page);
    await page.getByText("Through the years").click();
    assert.equal(await page.inputValue("#compare-sentence"), "In 1860 they watched the ___.");
    await page.locator(".compare-years .took", { hasText: /^Answered in/ }).waitFor();
    const films = async () =>
      Number.parseInt(
        await page
          .locator(".compare-words li", { hasText: /^films/ })
          .locator("span")
          .textContent(),
        10,
      );
    const late = await films();
    await page.getByRole("slider", { name: "Year" }).fill("0");
    await page.locator(".compare-year output", { hasText: "1860" }).waitFor();
    const early = Number((await films()) || 0);
    assert.ok(late > early, `films: ${early} % in 1860, ${late} % in 2015`);
    assert.deepEqual(await page.locator(".compare-decades span").allTextContents(), ["1860", "1910", "1960", "2010"]);
    const shares = await page.locator(".compare-shares span").allTextContents();
    assert.deepEqual([shares[0], new Set(shares).size], ["0 %", shares.length]);
    assert.ok(shares.length >= 3, shares.join());
    await button(page, "In 1860 he bought a ___.").click();
    await page.locator(".compare-words b", { hasText: "umbrella" }).waitFor();
    await page.locator("#compare-sentence").fill("In 1860 he bought a new ___.");
    await page.waitForFunction(() => !/umbrella/.test(document.querySelector(".compare-words")?.textContent));
    assert.deepEqual(await violations(page, ".compare-years"), []);
  });
});

test("at 390 pixels a full stop stays in the line of the gap before it", async () => {
  await withPage({ path: "#compare", context: { viewport: { width: 390, height: 844 } } }, async (page) => {
    await answered(page);
    const lines = await page.locator(".compare-pair .word-end").evaluateAll((ends) =>
      ends.map((end) => {
        const range = document.createRange();
        range.selectNodeContents(end.lastChild);
        const [gap, stop] = [end.querySelector("button").getBoundingClientRect(), range.getBoundingClientRect()];
        return [end.textContent.trim(), stop.left >= gap.right - 2 && stop.top < gap.bottom && stop.bottom > gap.top];
      }),
    );
    assert.deepEqual(lines, [
      [".", true],
      [".", true],
    ]);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`is accessible (${colorScheme}) and fits 320 pixels`, async () => {
    const context = {
      reducedMotion: "reduce",
      colorScheme,
      viewport: { width: colorScheme === "dark" ? 320 : 1280, height: 740 },
    };
    await withPage({ path: "#compare", context }, async (page) => {
      await answered(page);
      await page.getByText("How this is computed").click();
      for (const name of ["The farmer / teacher bought a ___.", "The child / scientist is afraid of the ___."]) {
        await button(page, name).click();
        await story(page, /farmer|scientist/);
        await page.waitForTimeout(300);
        assert.deepEqual(await violations(page, "#panel"), []);
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.ok(over <= 0, `${over}`);
      }
    });
  });
}

test("opens with its own pair after the page put another sentence in the field, and keeps a sentence that was typed", async () => {
  await withPage({ path: "#judge" }, async (page) => {
    await page.waitForFunction(() => document.querySelector("#text").value === "I would not call this a bad film.");
    await page.getByRole("tab", { name: "Compare" }).click();
    await story(page, "with “Texas”");
    await page.getByRole("tab", { name: "Judge" }).click();
    await page.waitForFunction(() => document.querySelector("#text").value === "I would not call this a bad film.");
    await page.getByRole("tab", { name: "Compare" }).click();
    await story(page, "with “Texas”");
    await page.locator("#text").fill("In Rome they like to buy ___.");
    await other(page).fill("In Oslo they like to buy ___.");
    await page.getByRole("tab", { name: "Judge" }).click();
    await page.getByRole("tab", { name: "Compare" }).click();
    assert.equal(await page.inputValue("#text"), "In Rome they like to buy ___.");
    assert.equal(await other(page).inputValue(), "In Oslo they like to buy ___.");
  });
});

test("in German the axes and the numbers of Inside have German signs", async () => {
  await withPage({ path: "#compare", context: { locale: "de-DE" } }, async (page) => {
    await page
      .locator(".square-tick text", { hasText: /^0,01 %$/ })
      .first()
      .waitFor();
    await page.evaluate(() => (location.hash = "inside"));
    await page.getByRole("radio", { name: "2 Zahlen" }).check({ force: true });
    await page.getByRole("button", { name: "30.522", exact: true }).waitFor();
  });
});
