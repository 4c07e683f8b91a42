// The view Teach in Chromium: taught at opening, corrected, changed by keys and files, retrained, saved.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { unzipSync } from "fflate";
import { pipeline } from "../dist/node.js";
import { violations } from "./axe.mjs";
import { longestTask, withPage } from "./browser.mjs";

const PATIENCE = { timeout: 60_000 };
const withTeach = (body, options = {}) => withPage({ path: "#teach", ...options }, body);
/** Waits until the head has learnt from `count` examples and each was held out. */
const learnt = async (page, examples) => {
  await page.locator(".teach-meters .took", { hasText: `Learnt from ${examples} examples` }).waitFor(PATIENCE);
  await page.locator(".teach-quality strong", { hasText: ` of ${examples}` }).waitFor(PATIENCE);
};
const said = (page) => page.locator(".teach-said").textContent();
const says = (page, label) => page.locator(".teach-said", { hasText: new RegExp(`^${label}$`) }).waitFor(PATIENCE);
const type = (page, text) => page.locator("#text").fill(text);

test("opens taught and answers at every key", async () => {
  await withTeach(async (page) => {
    await learnt(page, 15);
    assert.equal(await said(page), "complaint");
    await type(page, "When do you open on Sunday?");
    await says(page, "question");
    const shares = await page.locator(".teach-shares .bar-score").allTextContents();
    assert.equal(shares.length, 3);
    const sum = shares.reduce((sum, share) => sum + Number.parseFloat(share), 0);
    assert.ok(Math.abs(sum - 100) < 1, `${shares}`);
    assert.match(await page.textContent(".teach-quality"), /1[1-5] of 15 right when each is held out/);
    await type(page, "");
    await page.getByRole("heading", { name: "What is your sentence?" }).waitFor();
  });
});

test("a correction becomes an example and can be undone", async () => {
  await withTeach(async (page) => {
    await learnt(page, 15);
    const text = "The acting was dull, and I was glad when it ended.";
    await page.getByRole("button", { name: "Sentiment" }).click();
    await learnt(page, 12);
    await type(page, text);
    await says(page, "positive");
    await page.getByRole("button", { name: "it is negative" }).click();
    await says(page, "negative");
    await learnt(page, 13);
    assert.equal(await page.getByLabel("Examples of negative").getByText(text).count(), 1);
    await page.getByRole("button", { name: "Undo" }).click();
    await learnt(page, 12);
    await says(page, "positive");
  });
});

test("edits examples and labels by keyboard only", async () => {
  await withTeach(async (page) => {
    await learnt(page, 15);
    await page.getByLabel("A new example of praise").fill("I love it.");
    await page.keyboard.press("Enter");
    await learnt(page, 16);
    assert.equal(await page.inputValue("[aria-label='A new example of praise']"), "");
    const chips = page.getByLabel("Examples of praise").locator(".teach-chip-text");
    assert.equal(await page.locator(".teach-chip-text[tabindex='0']").count(), 3, "one stop for each column's chips");
    await chips.first().focus();
    await page.keyboard.press("End");
    await page.waitForFunction(() => document.activeElement.textContent === "I love it.");
    await page.keyboard.press("Enter");
    await page.getByLabel("The example's text").fill("I hate it.");
    await page.getByRole("combobox", { name: "Label" }).selectOption({ label: "complaint" });
    await page.getByRole("button", { name: "Keep" }).click();
    await page.getByLabel("Examples of complaint").getByText("I hate it.").waitFor();
    await learnt(page, 16);
    await page.getByLabel("Examples of complaint").getByText("I hate it.").focus();
    await page.keyboard.press("Delete");
    await learnt(page, 15);
    await page.getByRole("button", { name: "+ Add a label" }).click();
    const name = page.getByLabel("Name of the label new label");
    await name.fill("praise");
    await name.press("Enter");
    await page.getByLabel("Name of the label praise 2").waitFor();
    await page.getByRole("button", { name: "Remove the label question" }).click();
    await learnt(page, 10);
    await page.getByRole("button", { name: "Remove the label complaint" }).click();
    await page.locator(".teach-meters .took", { hasText: "It takes examples of two labels" }).waitFor();
  });
});

test("a CSV teaches its labels, and unusable rows are reported", async () => {
  await withTeach(async (page) => {
    await learnt(page, 15);
    const open = (name, content) =>
      page.setInputFiles(".teach input[type=file]", { name, mimeType: "text/csv", buffer: Buffer.from(content) });
    await open("bad.csv", "one line\nanother");
    await page.getByRole("alert").filter({ hasText: "There are no two columns in this file." }).waitFor();
    await learnt(page, 15);
    const animals = ["cat", "dog", "cow", "horse"].map((animal) => `The ${animal} sleeps in the barn.,animal`);
    const numbers = ["three", "seven", "nine", "two"].map((number) => `Two and ${number} make more.,number`);
    await open("rows.csv", ["text,label", ...animals, ...numbers].join("\n"));
    await page.getByText("8 examples of 2 labels from rows.csv.").first().waitFor();
    await learnt(page, 8);
    assert.equal(await page.getByRole("alert").filter({ hasText: /./ }).count(), 0);
    await type(page, "The pig sleeps in the barn.");
    await says(page, "animal");
  });
});

test("keeps the lesson after a reload and in the link", async () => {
  await withTeach(async (page) => {
    await learnt(page, 15);
    await page.getByLabel("A new example of praise").fill("Splendid.");
    await page.keyboard.press("Enter");
    await learnt(page, 16);
    await page.reload();
    await learnt(page, 16);
    await page.getByLabel("Examples of praise").getByText("Splendid.").waitFor();
  });
  const lesson = JSON.stringify([
    ["warm", "The sun shines.", "A hot summer."],
    ["cold", "Snow and ice.", "A winter night."],
  ]);
  const path = `#teach&${new URLSearchParams({ text: "Frost on the window.", "teach.lesson": lesson })}`;
  await withTeach(
    async (page) => {
      await learnt(page, 4);
      await says(page, "cold");
    },
    { path },
  );
});

test("swipes a card to a label on a phone", async () => {
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  await withTeach(
    async (page) => {
      await learnt(page, 15);
      const card = page.locator(".teach-card");
      const text = await card.locator("p").first().textContent();
      await card.scrollIntoViewIfNeeded();
      const { x, y, width, height } = await card.boundingBox();
      const session = await page.context().newCDPSession(page);
      const touch = (type, at) =>
        session.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: type === "touchEnd" ? [] : [{ x: at, y: y + height / 2 }],
        });
      await touch("touchStart", x + width / 2);
      for (let at = 10; at <= 120; at += 10) await touch("touchMove", x + width / 2 - at);
      await page.getByText("Let go: it is question").waitFor();
      await touch("touchEnd");
      await page.getByLabel("Examples of question").getByText(text).waitFor();
      await learnt(page, 16);
      assert.notEqual(await card.locator("p").first().textContent(), text);
      assert.equal(
        await page.evaluate(
          () => document.querySelector("#panel").scrollWidth - document.querySelector("#panel").clientWidth,
        ),
        0,
      );
    },
    { context },
  );
});

test("the saved model answers in Node as in the page", async () => {
  await withTeach(async (page) => {
    await learnt(page, 15);
    await type(page, "When do you open on Sunday?");
    await says(page, "question");
    const share = Number.parseFloat(await page.locator(".teach-shares .is-first .bar-score").textContent()) / 100;
    await page.getByText("Take it with you").click();
    assert.match(
      await page.textContent(".teach-code"),
      /pipeline\("text-classification", "\.\/my-classifier\/"\)[\s\S]*When do you open on Sunday\?/,
    );
    const [saved] = await Promise.all([
      page.waitForEvent("download", PATIENCE),
      page.getByRole("button", { name: "Save the model (zip)" }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), "my-classifier.zip");
    const entries = unzipSync(await readFile(await saved.path()));
    const files = Object.fromEntries(
      Object.entries(entries).map(([name, bytes]) => [name.replace("my-classifier/", ""), new Blob([bytes])]),
    );
    const classify = await pipeline("text-classification", { files });
    const [{ label, score }] = await classify("When do you open on Sunday?");
    assert.equal(label, "question");
    assert.ok(Math.abs(score - share) < 0.01, `${score}, in the page ${share}`);
    await classify.dispose();
  });
});

test("trains all weights: the loss falls, the run stops, its weights answer and are freed", async () => {
  await withTeach(async (page) => {
    await learnt(page, 15);
    await page.locator(".teach-retrain summary").click();
    await page.getByRole("button", { name: "Train all weights" }).click();
    await page.locator(".teach-retrain .took", { hasText: /Step (1[2-9]|[23]\d) of 40/ }).waitFor({ timeout: 240_000 });
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".teach-retrain .took", { hasText: /Stopped after \d+ steps in/ }).waitFor(PATIENCE);
    const curve = await page.locator(".teach-retrain svg").getAttribute("aria-label");
    const [, first, last] = curve.match(/from ([\d.]+) at step 1 to ([\d.]+) at step \d+/).map(Number);
    assert.ok(last < first, curve);
    await type(page, "Do you sell candles?");
    await page.locator(".teach-retrain .bars").waitFor(PATIENCE);
    assert.equal(await page.locator(".teach-retrain .bars li").count(), 3);
    await page.getByRole("button", { name: "Forget it" }).click();
    await page.locator(".teach-retrain .bars").waitFor({ state: "detached" });
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`accessible, in ${colorScheme}, with everything open, at 320 pixels too`, async () => {
    const context = { colorScheme, viewport: { width: 320, height: 700 }, reducedMotion: "reduce" };
    await withTeach(
      async (page) => {
        await learnt(page, 15);
        for (const summary of await page.locator(".teach summary").all()) await summary.click();
        await page.locator(".teach-chip-text").first().click();
        await page.getByLabel("The example's text").waitFor();
        assert.deepEqual(await violations(page, "#panel"), []);
        assert.equal(
          await page.evaluate(
            () => document.querySelector("#panel").scrollWidth - document.querySelector("#panel").clientWidth,
          ),
          0,
        );
      },
      { context },
    );
  });
}

test("pasting 100 kB and 400 examples blocks nothing", async () => {
  await withTeach(async (page) => {
    await learnt(page, 15);
    const rows = Array.from({ length: 400 }, (_, i) => `Message number ${i} of a long list.,${i % 2 ? "odd" : "even"}`);
    const { longest } = await longestTask(page, async () => {
      await page.setInputFiles(".teach input[type=file]", {
        name: "rows.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(`text,label\n${rows.join("\n")}`),
      });
      await learnt(page, 400);
      await type(page, "Buy my book. ".repeat(8000));
      await page.locator(".teach-said").waitFor(PATIENCE);
    });
    console.log(`# processor time of the longest task: ${Math.round(longest)} ms`);
    assert.ok(longest < 100, `a task of ${longest} ms`);
  });
});
