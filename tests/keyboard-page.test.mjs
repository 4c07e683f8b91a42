// The Tab key in the states of the views that open by a press: panels, answers, forms and results.
import { test } from "node:test";
import { atRest, openView, withPage } from "./browser.mjs";
import { openAll, walkByTab } from "./keyboard.mjs";

const ready = (page) => page.locator(".model-chip", { hasText: /^The model: [CG]PU/ }).waitFor({ timeout: 60_000 });
const press = (page, name) => page.locator("#panel").getByRole("button", { name }).first().click();
const choose = (page, name) => page.locator("#panel").getByRole("radio", { name }).check({ force: true });

/** View → states: a name and what leads to it from the state before. */
const STATES = {
  guess: [
    ["the model's panel", (page) => page.locator(".model-chip").click()],
    [
      "the consent to a link",
      async (page) => {
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Copy link" }).click();
      },
    ],
    [
      "two gaps",
      async (page) => {
        await page.getByRole("button", { name: "Cancel" }).click();
        await page.locator(".guess .word", { hasText: "morning" }).click();
      },
    ],
  ],
  "odd-word": [["another word", (page) => page.locator(".odd-word .word", { hasText: "morning" }).click()]],
  beat: [
    [
      "a round",
      async (page) => {
        await page.locator("#beat-word").fill("table");
        await press(page, "That is my word");
        await page.locator(".beat-next").waitFor();
      },
    ],
    [
      "the result",
      async (page) => {
        for (let gap = 1; gap < 10; gap++) {
          await page.locator(".beat-next").click();
          await page.locator("#beat-word").fill("table");
          await press(page, "That is my word");
          await page.locator(".beat-next").waitFor();
        }
        await page.locator(".beat-next").click();
      },
    ],
  ],
  judge: [
    ["a word struck out", (page) => page.locator(".judge .word", { hasText: "not" }).click()],
    ["other words", (page) => press(page, "Other words for")],
    ["words that turn it", (page) => press(page, "One word turns it")],
    ["topics", (page) => choose(page, "Topic")],
    ["own labels", (page) => choose(page, "Your own labels")],
    ["names", (page) => choose(page, "Names and numbers")],
  ],
  compare: [["another sentence", (page) => page.locator("#panel .chips button").nth(1).click()]],
  inside: ["Pieces", "Numbers", "Looking", "Thinking", "Answering", "Learning"].map((station) => [
    station,
    async (page) => {
      await choose(page, station);
      await press(page, "Just show me");
      await atRest(page);
      if (station === "Learning") await press(page, "Draw for my sentence");
    },
  ]),
  look: [["all heads", (page) => press(page, "All 72 heads")]],
  teach: [
    [
      "an example in its form",
      async (page) => {
        await page.locator("#panel [aria-haspopup]").first().click();
        await page.locator("#panel textarea").first().waitFor();
      },
    ],
    [
      "no examples",
      async (page) => {
        await press(page, "Cancel");
        await press(page, "Nothing");
      },
    ],
  ],
  find: [
    ["a text to paste", (page) => press(page, "Paste a text")],
    ["personal data hidden", (page) => page.getByLabel("Hide personal data").check()],
  ],
  grow: [
    ["an own text", (page) => choose(page, "Your own text")],
    [
      "a grown model",
      async (page) => {
        await choose(page, "The calendar");
        await choose(page, "a look");
        await press(page, "Grow a BERT");
        await page.locator(".grow-status", { hasText: "Step" }).waitFor({ timeout: 60_000 });
        await press(page, "Stop");
        await page.locator(".grow-status", { hasText: "Stopped" }).waitFor({ timeout: 60_000 });
      },
    ],
  ],
};

for (const [id, states] of Object.entries(STATES))
  test(`Tab reaches each control of ${id} in ${states.length === 1 ? "the state" : "the states"} that a press opens`, async () => {
    const context = { viewport: { width: 320, height: 400 }, reducedMotion: "reduce" };
    await withPage({ context }, async (page) => {
      await ready(page);
      await openView(page, id);
      for (const [name, open] of states) {
        await open(page);
        await atRest(page);
        await openAll(page);
        await walkByTab(page, `${id}, ${name}`);
      }
    });
  });
