// The view Judge in Chromium: verdicts by four classifiers, reasons, struck and other words, traps, recorded answers, pictures, links.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pipeline } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { violations } from "./axe.mjs";
import { openView, withPage } from "./browser.mjs";

const { ENTITY_NAMES } = await importTypeScript("www/src/text/entity-names.ts");
const still = { reducedMotion: "reduce" };
const answered = (page) => page.locator(".judge .took", { hasText: /^Answered in/ }).waitFor({ timeout: 60_000 });
const type = (page, text) => page.locator("#text").fill(text);
const verdict = (page) => page.textContent(".judge-verdict");
const says = (page, text) => page.locator(".judge-verdict", { hasText: text }).waitFor();
const word = (page, name) => page.locator(".judge .word", { hasText: new RegExp(`^${name}$`) });
const button = (page, name) => page.getByRole("button", { name });
const link = (settings) => `#judge&${new URLSearchParams(settings)}`;

test("opens with the pipeline's verdict on a double negative, and both words as its reasons", async () => {
  const classify = await pipeline("text-classification");
  const [{ label, score }] = await classify("I would not call this a bad film.");
  await classify.dispose();
  await withPage({ path: "#judge" }, async (page) => {
    await answered(page);
    assert.equal(await page.inputValue("#text"), "I would not call this a bad film.");
    assert.equal(await verdict(page), `It says ${label}, ${Math.round(100 * score)} %`);
    assert.equal(await page.textContent(".judge-story"), "It would be negative without “not”, and also without “bad”.");
    const strong = await page
      .locator(".judge .word")
      .evaluateAll((words) =>
        words.filter((one) => one.style.getPropertyValue("--weight") > 0.5).map(({ textContent }) => textContent),
      );
    assert.deepEqual(strong, ["not", "bad"]);
    assert.equal(await word(page, "bad").getAttribute("aria-label"), "bad, the verdict depends on it");
    await page.getByRole("img", { name: "positive, 90 %, on a scale from negative to positive" }).waitFor();
  });
});

test("feeling, topic, names and numbers of a sentence are the pipelines'", async () => {
  const text = "Anna Kovács praised the surgeons of a hospital in Oslo.";
  const answers = {};
  for (const [task, model] of [
    ["text-classification", "sentiment"],
    ["text-classification", "topic"],
    ["token-classification", "entities"],
  ]) {
    const ask = await pipeline(task, fileURLToPath(new URL(`../models/minilm-${model}`, import.meta.url)));
    answers[model] = await ask(text, model === "entities" ? { aggregation_strategy: "first" } : {});
    await ask.dispose();
  }
  const { sentiment, topic, entities } = answers;
  assert.equal(entities.length, 2);
  await withPage({ path: link({ text }) }, async (page) => {
    await answered(page);
    const [{ label, score }] = sentiment;
    assert.equal(await verdict(page), `It says ${label}, ${Math.min(90, Math.round(100 * score))} %`);
    await page.getByRole("radio", { name: "Topic" }).check();
    await says(page, `It says ${topic[0].label}, ${topic[0].score >= 0.9 ? "clearly" : "probably"}`);
    await page.getByRole("radio", { name: "Names and numbers" }).check();
    await page.locator(".judge-names mark").first().waitFor();
    assert.deepEqual(
      await page.locator(".judge-names mark").allTextContents(),
      entities.map(({ start, end, entity_group }) => `${text.slice(start, end)}${ENTITY_NAMES[entity_group][0]}`),
    );
  });
});

test("answers every key; prints no number beyond 90 %, none while it is unsure, and nothing without text", async () => {
  await withPage({ path: "#judge" }, async (page) => {
    await answered(page);
    for (const [text, said] of [
      ["The room was cold and dirty.", "It says negative, 90 %"],
      ["It rains.", "It is unsure."],
      ["The staff were wonderful.", "It says positive, 90 %"],
    ]) {
      await type(page, text);
      await page.waitForFunction((said) => document.querySelector(".judge-verdict")?.textContent === said, said);
    }
    await type(page, " ");
    await page.getByText("Type a sentence.", { exact: true }).waitFor();
    assert.equal(await page.locator(".judge-verdict").count(), 0);
    assert.equal(await page.locator("[role=alert]:not(:empty)").count(), 0);
  });
});

test("strikes words out by mouse and keyboard, and restores them", async () => {
  await withPage({ path: "#judge" }, async (page) => {
    await answered(page);
    await word(page, "not").click();
    await says(page, "negative");
    assert.equal(await word(page, "not").getAttribute("aria-pressed"), "true");
    assert.equal(await page.inputValue("#text"), "I would not call this a bad film.", "the text stays");
    await word(page, "bad").focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".struck").length === 2);
    assert.equal(await page.locator(".judge .word[tabindex='0']").count(), 1);
    await page.reload();
    await page.locator(".struck").first().waitFor();
    assert.deepEqual(await page.locator(".struck").allTextContents(), ["not", "bad"], "kept on reload");
    await page.locator("#text").press("Control+Home");
    await page.locator("#text").pressSequentially("Well, ");
    assert.deepEqual(await page.locator(".struck").allTextContents(), ["not", "bad"], "kept while typing");
    await button(page, "Restore all words").click();
    await says(page, "positive");
    assert.equal(await page.locator(".struck").count(), 0);
    for (const name of await page.locator(".judge .word").allTextContents()) await word(page, name).first().click();
    await page.getByText("No word is left to judge.").waitFor();
  });
});

test("a held word, or the down arrow, shows other words coloured by their verdicts; one is written and taken back", async () => {
  await withPage({ path: "#judge" }, async (page) => {
    await answered(page);
    await word(page, "bad").hover();
    await page.mouse.down();
    await page.getByRole("heading", { name: "In place of “bad”" }).waitFor();
    await page.mouse.up();
    assert.equal(await page.locator(".struck").count(), 0, "holding strikes nothing out");
    const good = page.locator(".swap", { hasText: /good negative$/ });
    await good.waitFor();
    assert.ok((await page.locator(".swap").count()) > 5);
    await good.click();
    assert.equal(await page.inputValue("#text"), "I would not call this a good film.");
    await says(page, "negative");
    await button(page, "Take back").click();
    await says(page, "positive");
    assert.equal(await page.inputValue("#text"), "I would not call this a bad film.");
    await word(page, "film").focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "In place of “film”" }).waitFor();
  });
});

test("finds single words that turn the verdict", async () => {
  await withPage({ path: "#judge" }, async (page) => {
    await answered(page);
    await button(page, "One word turns it").click();
    const good = page.locator(".swap", { hasText: /^bad good negative$/ });
    await good.waitFor();
    for (const said of await page.locator(".swap small").allTextContents()) assert.equal(said, "negative");
    await good.click();
    await says(page, "negative");
    assert.equal(await page.locator(".swap").count(), 0, "they belong to the text of before");
  });
});

test("draws exact reasons as second lines, and frees their model when they are put away", async () => {
  await withPage({ path: "#judge" }, async (page) => {
    await answered(page);
    const workers = () => page.workers().length;
    const before = workers();
    await button(page, "Exact reasons").click();
    await page.locator(".word.exact").first().waitFor({ timeout: 60_000 });
    assert.equal(await page.locator(".word.exact").count(), 8);
    await page.getByText("The lower line is by integrated gradients").waitFor();
    assert.ok(workers() > before);
    await button(page, "Exact reasons").click();
    await page.waitForFunction(() => !document.querySelector(".word.exact"));
    for (let tries = 0; workers() > before && tries < 100; tries++) await page.waitForTimeout(50);
    assert.equal(workers(), before);
  });
});

test("judges again after Inside has replaced the encoder", async () => {
  await withPage({ path: "#judge" }, async (page) => {
    await answered(page);
    await openView(page, "inside");
    await openView(page, "judge");
    await type(page, "The staff were wonderful.");
    await says(page, "positive");
    assert.equal(await page.locator("[role=alert]:not(:empty)").count(), 0);
  });
});

test("judges by topic without numbers, by own labels, and hands these to Teach", async () => {
  await withPage({ path: link({ text: "The striker missed two penalties.", "judge.as": "topic" }) }, async (page) => {
    await answered(page);
    assert.equal(await verdict(page), "It says sports, clearly");
    assert.equal(await page.locator(".shares li").count(), 8);
    assert.doesNotMatch(await page.textContent(".judge-said"), /%/);
    await page.getByRole("radio", { name: "Your own labels" }).check();
    await says(page, "unsure");
    await page.getByLabel("Labels, with commas between them").fill("football, gardening, football");
    await says(page, "football");
    assert.equal(await page.locator(".shares li").count(), 2, "a label counts once");
    assert.doesNotMatch(await page.textContent(".judge-said"), /%/);
    await page.getByLabel("Labels, with commas between them").fill("football");
    await page.getByText("It takes two labels.").waitFor();
    await page.getByLabel("Labels, with commas between them").fill("football, gardening");
    await button(page, "Teach it").click();
    await page.locator(".teach-column").first().waitFor();
    const names = await page.locator(".teach-rename").evaluateAll((all) => all.map(({ value }) => value));
    assert.deepEqual(names, ["football", "gardening"]);
  });
});

test("marks names and numbers in place", async () => {
  const text = "Ring Tunde on 01632 960 983, or write to tunde@example.org.";
  await withPage({ path: link({ text, "judge.as": "names" }) }, async (page) => {
    await answered(page);
    assert.deepEqual(await page.locator(".judge-names mark").allTextContents(), [
      "Tundename",
      "01632 960 983telephone number",
      "tunde@example.orge-mail address",
    ]);
    assert.equal(await page.textContent(".judge-story"), "It finds 1 name, 1 telephone number, 1 e-mail address.");
    assert.doesNotMatch(await page.textContent(".judge-story"), /%/);
    await type(page, "It rains.");
    await page.getByText("It finds no name and no number here.").waitFor();
  });
});

test("marks traps that catch the model, and judges them when they are pressed", async () => {
  await withPage({ path: "#judge" }, async (page) => {
    await answered(page);
    const traps = page.locator(".trap");
    const fooled = page.locator(".trap.is-fooled");
    const right = (await traps.count()) - (await fooled.count());
    await page.getByText(`${right} of these ${await traps.count()} sentences it judges as a person would.`).waitFor();
    await fooled.filter({ hasText: "I just love it when my train is late." }).click();
    await says(page, "positive");
    assert.equal(await page.locator(".trap[aria-pressed=true]").count(), 1);
    await traps.filter({ hasText: "What a wonderful way to ruin a holiday." }).click();
    await says(page, "negative");
  });
});

test("while the model loads, examples of each kind show recorded answers, marked as such", async () => {
  const prepare = (page) => page.context().route("**/*.safetensors", () => {});
  await withPage({ path: "#judge", prepare }, async (page) => {
    const recorded = page.locator(".took", { hasText: "A recorded answer: the model is still loading." });
    await recorded.waitFor();
    assert.equal(await verdict(page), "It says positive, 90 %");
    assert.ok(await button(page, "One word turns it").isDisabled());
    for (const [kind, said] of [
      ["Topic", "It says entertainment, probably"],
      ["Your own labels", "It says films"],
    ]) {
      await page.getByRole("radio", { name: kind }).check();
      await recorded.waitFor();
      assert.equal(await verdict(page), said, "the first sentence has a recorded verdict of each kind");
    }
    await page.getByRole("radio", { name: "Names and numbers" }).check();
    await recorded.waitFor();
    await page.getByText("It finds no name and no number here.").waitFor();
    await page.getByRole("radio", { name: "Feeling" }).check();
    await page.locator(".trap", { hasText: "Great, another hour in the queue." }).click();
    await says(page, "negative");
    await type(page, "Nobody recorded this.");
    await page.getByText("The model is loading").waitFor();
    for (const [kind, example, said] of [
      ["Topic", "Fry the onions in butter.", "It says food, probably"],
      ["Your own labels", "Fry the onions in butter.", "It says cooking"],
    ]) {
      await page.getByRole("radio", { name: kind }).check();
      await button(page, example).click();
      await recorded.waitFor();
      assert.equal(await verdict(page), said);
    }
    await page.getByRole("radio", { name: "Names and numbers" }).check();
    await button(page, "Siemens paid 400 euros to Maria Rossi in Milan.").click();
    await recorded.waitFor();
    assert.equal(await page.locator(".judge-names mark").count(), 4);
  });
});

test("saves the verdict as an image; a link opens the same verdict", async () => {
  await withPage({ path: link({ text: "The soup was cold.", "judge.struck": "4-8" }) }, async (page) => {
    await answered(page);
    assert.deepEqual(await page.locator(".struck").allTextContents(), ["soup"]);
    for (const kind of ["Feeling", "Topic", "Your own labels"]) {
      await page.getByRole("radio", { name: kind }).check();
      await answered(page);
      const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Save as image").click()]);
      assert.equal(download.suggestedFilename(), "judge.png");
      const png = await readFile(await download.path());
      assert.equal(png.subarray(1, 4).toString(), "PNG");
      assert.equal(png.readUInt32BE(16), 1200, "its width");
      assert.ok(png.length > 10_000, `${png.length} bytes`);
    }
  });
});

test("fetches no second encoder for feeling and topic, and nothing of the classifiers before the view opens", async () => {
  await withPage({}, async (page) => {
    const fetched = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await page.locator(".guess .took", { hasText: /^Answered in/ }).waitFor({ timeout: 60_000 });
    const of = (pattern) => fetched.filter((path) => pattern.test(path));
    assert.deepEqual(of(/page-judge|sentiment|topic|entities/), []);
    await page.getByRole("tab", { name: "Judge" }).click();
    await answered(page);
    await page.getByRole("radio", { name: "Topic" }).check();
    await page.locator(".shares").waitFor();
    await answered(page);
    assert.equal(of(/minilm-mlm\/model\.safetensors$/).filter((path, at, all) => all.indexOf(path) === at).length, 1);
    assert.deepEqual(
      of(/adapter\.safetensors|webert_.*\.wasm$/).filter((path) => /adapter|full/.test(path)),
      [],
    );
  });
});

const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const colorScheme of ["light", "dark"]) {
  test(`each kind is accessible (${colorScheme}) and fits 320 pixels, with all that opens`, async () => {
    const context = { ...still, colorScheme, viewport: { width: colorScheme === "dark" ? 320 : 1280, height: 740 } };
    await withPage({ path: "#judge", context }, async (page) => {
      await answered(page);
      const check = async (state) => {
        assert.deepEqual(await violations(page, "#panel"), [], state);
        assert.ok((await overflow(page)) <= 0, state);
      };
      await page.getByText("How this is computed, and how good it is").click();
      await button(page, /^Other words for/).click();
      await page.locator(".swap").first().waitFor();
      await word(page, "call").click();
      await answered(page);
      await check("feeling");
      for (const kind of ["Topic", "Your own labels", "Names and numbers"]) {
        await page.getByRole("radio", { name: kind }).check();
        await page.locator(".chip", { hasText: /^(Fry|Siemens)/ }).click();
        await answered(page);
        await page.waitForTimeout(300);
        await check(kind);
      }
      await type(page, "Donaudampfschifffahrtsgesellschaft".repeat(40));
      await check("a long word");
    });
  });
}

test("judges two sentences only if a visitor's model has the head; other kinds work beside it", async () => {
  const folder = (name) => fileURLToPath(new URL(`goldens/models/${name}`, import.meta.url));
  const follows = await pipeline("next-sentence-prediction", folder("bert-pretraining"));
  const [first, second] = ["the man reads", "a man is reading a letter"];
  const { is_next } = await follows(first, second);
  await follows.dispose();
  await withPage({ path: link({ text: first, "judge.second": second, "judge.as": "pairs" }) }, async (page) => {
    await answered(page);
    const choice = page.getByRole("radio", { name: "Two sentences" });
    assert.equal(await choice.count(), 0);
    assert.ok(await page.getByRole("radio", { name: "Feeling" }).isChecked());
    await page.locator(".model-chip").click();
    await page.locator("#own-files").setInputFiles(folder("bert-pretraining"));
    await choice.waitFor({ timeout: 60_000 });
    await page.keyboard.press("Escape");
    await answered(page);
    assert.ok(await choice.isChecked(), "the link asked for it");
    const said = is_next >= 0.65 ? "follows" : is_next > 0.35 ? "unsure" : "does not follow";
    await says(page, said);
    assert.doesNotMatch(await page.textContent(".judge-said"), /%/);
    const place = await page.locator(".scale-needle").evaluate((needle) => needle.style.transform);
    assert.ok(Math.abs(Number(/[\d.]+/.exec(place)[0]) / 100 - is_next) < 0.01, `${place}: ${is_next}`);
    assert.deepEqual(await violations(page, "#panel"), []);
    await page.getByRole("radio", { name: "Your own labels" }).check();
    await page.locator(".shares").waitFor();
    await answered(page);
    assert.equal(await page.locator("[role=alert]:not(:empty)").count(), 0);
    await page.locator(".model-chip").click();
    await page.locator("#own-files").setInputFiles(folder("bert-mlm"));
    await page.locator(".facts", { hasText: /bert-mlm/ }).waitFor();
    await choice.waitFor({ state: "detached" });
  });
});
