// The view Find in Chromium: a text is read, questions find its passages; own texts and files; unreadable files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { withPage } from "./browser.mjs";

const PATIENCE = { timeout: 120_000 };
const withFind = (body, options = {}) => withPage({ path: "#find", ...options }, body);
const ready = (page, passages) =>
  page.locator(".find-text .hint", { hasText: `${passages} passages of` }).waitFor(PATIENCE);
const first = (page, text) => page.locator(".find-hits li:first-child", { hasText: text }).waitFor(PATIENCE);
const map = (page) =>
  page
    .locator(".find-map circle.is-hit")
    .first()
    .waitFor({ ...PATIENCE, state: "attached" });

test("opens with a text read and finds at every key; marks passages without a common word; shows them on the map", async () => {
  await withFind(async (page) => {
    await page.locator(".find-progress").waitFor(PATIENCE);
    await ready(page, 266);
    await first(page, "afraid");
    assert.equal(await page.locator(".find-hits li").count(), 8);
    assert.ok((await page.locator(".find-hits mark").count()) > 8, "close words are tinted");
    const badges = page.locator(".find-badge");
    assert.ok((await badges.count()) > 0);
    const question = await page.inputValue("#text");
    for (const hit of await page.locator(".find-hits li", { has: page.locator(".find-badge") }).all()) {
      const text = (await hit.locator("p").first().textContent()).toLowerCase();
      assert.ok(!/afraid|night/.test(text), `${question}: ${text}`);
    }
    await map(page);
    assert.equal(await page.locator(".find-map circle").count(), 266);
    assert.equal(await page.locator(".find-map .find-question").count(), 1);
    await page.locator(".find-hits li").nth(1).hover();
    assert.equal(await page.locator(".find-map circle.is-chosen").count(), 1);
    const text = await page.locator(".find-hits li").nth(1).locator("p").first().textContent();
    assert.equal(await page.locator(".find-map figcaption").textContent(), text);
    await page.locator("#text").fill("The thirsty crow");
    await first(page, "A thirsty crow found a jug");
    await page.locator("#text").fill("");
    await page.getByRole("heading", { name: "Ask something" }).waitFor();
  });
});

/** Makes the page keep, in `before`, the last places of its parts while passages are there and the map is not. */
const keepPlaces = (page) =>
  page.addInitScript(() => {
    window.places = () => {
      const box = (name) => document.querySelector(name).getBoundingClientRect();
      return [box("#find-text-title").top, box(".find-hits").width];
    };
    new MutationObserver(() => {
      const hasMap = document.querySelector(".find-map circle") !== null;
      if (!hasMap && document.querySelectorAll(".find-hits li").length === 8) window.before = window.places();
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });

for (const width of [390, 1280])
  test(`at ${width} pixels the map appears without moving what is beside and below it`, async () => {
    const context = { viewport: { width, height: 844 } };
    await withFind(
      async (page) => {
        await map(page);
        const { before, after } = await page.evaluate(() => ({ before: window.before, after: window.places() }));
        assert.ok(before, "the map takes longer than the first answer");
        assert.deepEqual(after, before);
      },
      { context, prepare: keepPlaces },
    );
  });

test("keeps the text that was chosen last, in whatever order texts arrive", async () => {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  let finished;
  const prepare = async (page) => {
    finished = page.waitForResponse(/short_stories.*\.js$/).then((response) => response.finished());
    await page.route(/short_stories.*\.js$/, (route) => released.then(() => route.continue()));
  };
  await withFind(
    async (page) => {
      await page.getByRole("button", { name: "Letters to a shop" }).click();
      await ready(page, 20);
      release();
      await finished;
      await page.waitForTimeout(300);
      assert.match(await page.textContent(".find-text .hint"), /^20 passages of Letters/);
    },
    { prepare },
  );
});

test("reads the visitor's text and files, names each passage's file, and reports files that are not text", async () => {
  await withFind(async (page) => {
    await ready(page, 266);
    await page.getByRole("button", { name: "Paste a text …" }).click();
    await page.getByRole("textbox", { name: "A text to look in" }).fill("  ");
    await page.getByRole("button", { name: "Read it" }).click();
    await page.getByRole("alert").filter({ hasText: "It contains no text." }).waitFor();
    await page
      .getByRole("textbox", { name: "A text to look in" })
      .fill("The boiler is in the cellar.\nCall Anna to repair the roof.\nThe key lies under the mat.");
    await page.getByRole("button", { name: "Read it" }).click();
    await ready(page, 3);
    await page.locator("#text").fill("Where is the key?");
    await first(page, "under the mat");
    const file = (name, content) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
    await page.setInputFiles(".find-files input", [file("picture.png", "\0\0PNG")]);
    await page.getByRole("alert").filter({ hasText: "picture.png is not text." }).waitFor();
    await page.setInputFiles(".find-files input", [
      file("garden.txt", "Water the roses twice a week."),
      file("house.html", "<h1>House</h1><script>var roses = 1</script><p>The spare key hangs in the kitchen.</p>"),
    ]);
    await ready(page, 3);
    await first(page, "The spare key hangs in the kitchen.");
    assert.match(await page.locator(".find-hits li:first-child").textContent(), /house\.html/);
    assert.doesNotMatch(await page.textContent(".find-hits"), /var roses/);
    assert.match(await page.textContent(".find-text .hint"), /3 passages of 2 files/);
  });
});

test("a new text replaces one being read; indexing and the map pause while other views are shown", async () => {
  await withFind(async (page) => {
    await page.locator(".find-progress").waitFor(PATIENCE);
    await page.getByRole("button", { name: "Body and health" }).click();
    const read = async () => Number(/Reading (\d+) of 310/.exec(await page.textContent(".find-text"))?.[1]);
    await page.waitForFunction(
      () => Number(/Reading (\d+) of 310/.exec(document.querySelector(".find-text").textContent)?.[1]) >= 64,
    );
    await page.locator("#tab-guess").click();
    await page.locator(".guess .bar-name").first().waitFor();
    await page.waitForTimeout(1500);
    await page.locator("#tab-find").click();
    const loaded = await read();
    assert.ok(loaded >= 64 && loaded < 310, `${loaded} are read, neither none again nor all`);
    await ready(page, 310);
    await page.locator("#tab-guess").click();
    await page.locator(".guess .bar-name").first().waitFor();
    await page.locator("#tab-find").click();
    await page.waitForFunction(() => document.querySelectorAll(".find-map circle").length === 310, undefined, PATIENCE);
    await page.locator("#text").fill("She had a toothache and saw a dentist");
    await first(page, "She had a toothache and went to the dentist.");
  });
});

/** Opens the letters to a shop, searches for personal data, and hides it. `model`, called in the page, returns a model for names that replaces the package's. */
async function hide(page, model) {
  await ready(page, 266);
  if (model)
    await page.evaluate(`(async () => {
    const { env } = await import("/dist/index.js");
    env.defaultModels["token-classification"] = await (${model})();
  })()`);
  await page.getByRole("button", { name: "Letters to a shop" }).click();
  await ready(page, 20);
  await page.locator("#text").fill("I want my money back");
  await first(page, "send the money back to DE89 3704 0044 0532 0130 00");
  await page.getByRole("checkbox", { name: "Hide personal data" }).check();
}
const told = (page, text) => page.locator(".find-hide .hint", { hasText: text }).first().waitFor(PATIENCE);
const personal = /@|DE89|WEST|4111/;

test("hides personal data by rule without a model for names, also on the map; restores it in a text; shows it again", async () => {
  await withFind(async (page) => {
    await hide(page, () => undefined);
    await told(page, "No model looked for other names.");
    await told(page, /^Hidden: 3 card, account or other numbers, 9 names, 5 places, 6 e-mail addresses, 1 date, 1 org/);
    await first(page, "send the money back to [ID_1]. [PERSON_1]");
    assert.doesNotMatch(await page.textContent("#panel"), personal);
    await map(page);
    for (const circle of await page.locator(".find-map circle.is-hit").all()) {
      await circle.dispatchEvent("pointerenter");
      assert.doesNotMatch(await page.textContent(".find-map figcaption"), personal);
    }
    await page.getByText("Put it back into a text").click();
    await page.getByRole("textbox", { name: "A text with placeholders" }).fill("Paid to [ID_1], and [ID_1]. [ID_9]");
    const whole = "Paid to DE89 3704 0044 0532 0130 00, and DE89 3704 0044 0532 0130 00. [ID_9]";
    await page.locator(".find-restored", { hasText: whole }).waitFor();
    assert.deepEqual(await violations(page, "#panel"), []);
    await page.getByRole("checkbox", { name: "Hide personal data" }).uncheck();
    await first(page, "send the money back to DE89 3704 0044 0532 0130 00");
    assert.equal(await page.locator(".find-placeholder").count(), 0);
    await page.getByRole("button", { name: "Little stories" }).click();
    await ready(page, 266);
    await page.getByRole("checkbox", { name: "Hide personal data" }).check();
    await told(page, /^Hidden: 5 names, 1 place\./);
    await page.reload();
    await page.getByRole("checkbox", { name: "Hide personal data", checked: true }).waitFor();
    await told(page, /^(Hidden|Nothing)/);
  });
});

test("the package's own model also hides names and places", async () => {
  await withFind(async (page) => {
    await hide(page);
    await told(page, "A model looked for names, places, numbers and dates, too: it misses some.");
    await first(page, "send the money back to [ID_1]. [PERSON_1]");
    await page.locator("#text").fill("The parcel came back, where shall we send it?");
    await page.locator(".find-hits li", { hasText: "came back to us from [LOCATION_1];" }).waitFor();
    assert.doesNotMatch(await page.textContent("#panel"), personal);
  });
});

test("reports a missing model for names and still hides by rule", async () => {
  await withFind(
    async (page) => {
      await hide(page, () => ({
        files: Object.fromEntries(
          ["config.json", "vocab.txt", "model.safetensors"].map((name) => [
            name,
            new URL(`/models/none/${name}`, location.href),
          ]),
        ),
      }));
      await page
        .locator(".find-hide .error", { hasText: /^The model that finds names could not be found/ })
        .waitFor(PATIENCE);
      await first(page, "send the money back to [ID_1]. [PERSON_1]");
    },
    { allowErrors: true },
  );
});

for (const colorScheme of ["light", "dark"]) {
  test(`accessible, in ${colorScheme}, with its map, at 320 pixels too`, async () => {
    const context = { colorScheme, viewport: { width: 320, height: 700 }, reducedMotion: "reduce" };
    await withFind(
      async (page) => {
        await ready(page, 266);
        await map(page);
        await page.getByRole("button", { name: "Paste a text …" }).click();
        assert.deepEqual(await violations(page, "#panel"), []);
        const panel = page.locator("#panel");
        assert.equal(await panel.evaluate((panel) => panel.scrollWidth - panel.clientWidth), 0);
      },
      { context },
    );
  });
}
