// The page and the browser build, in Chromium: the model in its Worker, answers, errors, keys, sizes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { blank, withPage } from "./browser.mjs";

const goldens = (name) => fileURLToPath(new URL(`goldens/models/${name}`, import.meta.url));
const ready = (page) => page.waitForSelector("#labels .bar", { timeout: 60_000 });
const best = (page) => page.locator("#answers .bar .name").first().textContent();

test("the page answers with the embedded model", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    assert.equal(await best(page), "capital");
    assert.equal(await page.locator("#answers .bar").count(), 5);
    assert.match(await page.locator("#answers .bar .score").first().textContent(), /^\d+\.\d %$/);
    assert.equal(await page.locator("#answers .sequence").textContent(), "Paris is the capital of France.");
    assert.match(await page.textContent("#answers .took"), /\d ms$/);
    assert.match(await page.textContent("#status"), /wasm.*simd128|wasm.*relaxed/is);
    await page.getByRole("button", { name: "A kitten is a young" }).click();
    await page.waitForFunction(() => /kitten/.test(document.querySelector("#answers .sequence").textContent));
    assert.match(await page.textContent("#announce"), /%.*Answered in .* ms/);
  });
});

test("what a screen reader is told: the top answer after a pause, pieces by their letters, each field by its own name", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.evaluate(() => {
      window.told = [];
      for (const live of document.querySelectorAll("[aria-live], [role=status], [role=alert]")) {
        new MutationObserver(() => told.push(live.textContent)).observe(live, {
          childList: true,
          characterData: true,
          subtree: true,
        });
      }
    });
    await page.locator("#fill-text").fill("");
    await page.locator("#fill-text").pressSequentially("Unaffable kittens drink [MASK].");
    await page.waitForFunction(() => document.querySelectorAll("#answers .bar").length === 5 && window.told.length > 0);
    const top = await best(page);
    assert.match(
      (await page.evaluate(() => window.told)).join("\n"),
      new RegExp(`^${top}, [\\d.]+ %\\. Answered in [\\d.]+ ms\\.$`),
    );
    const piece = page.locator("#pieces button").nth(2);
    assert.equal(await piece.getAttribute("aria-label"), (await piece.textContent()).replace("##", "…"));
    assert.equal(await page.getByLabel("Text to sort").getAttribute("id"), "sort-text");
    assert.equal(await page.getByLabel("Text to judge").getAttribute("id"), "judge-text");
  });
});

test("of many gaps the first ten are answered", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.fill("#fill-text", `${"A [MASK]. ".repeat(30)}`);
    await page.click("#fill-form [type=submit]");
    await page.locator("#answers", { hasText: "Gap 10" }).waitFor();
    assert.equal(await page.locator("#answers .bars").count(), 10);
    await page.locator("#answers", { hasText: "… and 20 more" }).waitFor();
    assert.match(await page.textContent("#announce"), /; and 20 more\. Answered in/);
  });
});

test("words are offered that make sense: no pieces, no neighbour again; pieces where the gap is glued to a word", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const offered = async (text) => {
      await page.fill("#fill-text", text);
      await page.click("#fill-form [type=submit]");
      await page.waitForSelector("#answers:not(.stale) .bar");
      return page.locator("#answers .bar .name").allTextContents();
    };
    const greeting = await offered("Happy [MASK] to you");
    assert.equal(greeting.length, 5);
    assert.deepEqual(
      greeting.filter((word) => /^(happy|to|you|##.*)$/.test(word)),
      [],
    );
    assert.match((await offered("The cat [MASK]")).join(" "), /^[a-z ]+$/);
    const pieces = await offered("He was un[MASK].");
    assert.equal(pieces.length, 5);
    assert.deepEqual(
      pieces.filter((piece) => /^[a-z]/.test(piece)),
      [],
    );
    const [piece] = pieces;
    assert.equal(await page.textContent("#answers .sequence"), `He was un${piece.replace("##", "")}.`);
    await offered("I [MASK] [MASK] you.");
    assert.equal(await page.locator("#answers .bar").count(), 10);
    assert.deepEqual(
      (await page.locator("#answers .bar .name").allTextContents()).filter((word) => word.startsWith("##")),
      [],
    );
  });
});

test("where the model has no word for a gap, the page says so; of a long text it shows what is around the gap", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const show = (text, ...masks) =>
      page.evaluate(
        async ([text, masks]) => {
          const { showAnswers } = await import("./answers.js");
          return showAnswers(document.querySelector("#answers"), text, masks, "answered in 1 ms");
        },
        [text, masks],
      );
    const word = { token_str: "cats", score: 0.5 };
    assert.equal(await show("A [MASK] [MASK].", [], [word]), "no word for this gap; cats, 50.0 %. Answered in 1 ms.");
    assert.equal(await page.textContent("#answers .hint"), "no word for this gap");
    await show(`${"a".repeat(50_000)} [MASK] ${"z".repeat(50_000)}`, [word]);
    assert.match(await page.textContent("#answers .sequence"), /^… a{299} cats z{299} …$/);
  });
});

test("progress is shown while the model is on its way", async () => {
  await withPage(
    {
      prepare: (page) =>
        page.addInitScript(() => {
          window.seen = [];
          addEventListener("DOMContentLoaded", () => {
            const watch = new MutationObserver(() =>
              seen.push([
                document.querySelector("#progress").value,
                document.querySelector("#loading-text").textContent,
              ]),
            );
            watch.observe(document.querySelector("#loading"), { attributes: true, childList: true, subtree: true });
          });
        }),
    },
    async (page) => {
      await ready(page);
      const seen = await page.evaluate(() => window.seen);
      assert.ok(
        seen.some(([value]) => value > 0 && value < 1),
        "the bar was seen half way",
      );
      assert.ok(
        seen.some(([, text]) => /MB of [\d.]+ MB/.test(text)),
        "bytes were told",
      );
      const values = seen.map(([value]) => value).filter((value) => value > 0);
      assert.deepEqual(
        values,
        values.toSorted((a, b) => a - b),
        "the bar never goes back",
      );
      assert.equal(await page.isVisible("#loading"), false);
    },
  );
});

test("errors are sentences, and the page goes on", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.fill("#fill-text", "No gap at all.");
    await page.click("#fill-form [type=submit]");
    await page.waitForFunction(() => document.querySelector("#fill-error").textContent !== "");
    assert.match(await page.textContent("#fill-error"), /^There is no gap in this text\. Put \[MASK\]/);
    assert.equal(
      await page.evaluate(() => {
        document.querySelector("#insert-mask").click();
        return document.querySelector("#fill-error").textContent;
      }),
      "",
      "the error goes with the text that it is about",
    );
    await page.fill("#sort-labels", "one");
    await page.click("#sort-form [type=submit]");
    await page.waitForFunction(() => /two labels/.test(document.querySelector("#sort-error").textContent));
    await page.fill("#fill-text", "The capital of France is .");
    await page.locator("#fill-text").press("End");
    await page.locator("#fill-text").press("ArrowLeft");
    await page.click("#insert-mask");
    assert.equal(await page.inputValue("#fill-text"), "The capital of France is [MASK].");
    await page.click("#fill-form [type=submit]");
    await page.waitForSelector("#answers .bar");
    assert.equal(await page.textContent("#fill-error"), "");
  });
});

test("an error stands under its own button, without the answers of before, and its field is marked", async () => {
  await withPage({ context: { viewport: { width: 800, height: 600 } } }, async (page) => {
    await ready(page);
    const field = page.locator("#sort-labels");
    await field.fill("one");
    await page.click("#sort-form [type=submit]");
    const alert = page.getByRole("alert").filter({ hasText: "two labels" });
    await alert.waitFor();
    const { y, height } = await alert.boundingBox();
    assert.ok(y >= 0 && y + height <= 600, `the message is at ${y}`);
    assert.equal(await page.locator("#labels .bar").count(), 0);
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.equal(await field.getAttribute("aria-describedby"), await alert.getAttribute("id"));
    assert.equal(await page.locator("[aria-invalid]").count(), 1);
    await field.fill("one, two");
    await page.click("#sort-form [type=submit]");
    await page.waitForSelector("#labels .bar");
    assert.equal(
      await page.locator("[aria-invalid], #sort-labels[aria-describedby], [role=alert]:not(:empty)").count(),
      0,
    );
    await page.fill("#fill-text", "No gap");
    await page.click("#fill-form [type=submit]");
    await page.waitForSelector("#fill-text[aria-invalid=true][aria-describedby='fill-error fill-help']");
    await page.fill("#fill-text", "A [MASK].");
    await page.waitForSelector("#fill-text:not([aria-invalid])[aria-describedby='fill-help']");
    await page.locator("#own-files").setInputFiles(fileURLToPath(new URL("pages", import.meta.url)));
    await page
      .locator("#drop")
      .getByRole("alert")
      .filter({ hasText: "There is no config.json in this folder." })
      .waitFor();
    assert.equal(await page.textContent("#error"), "");
  });
});

test("answers are those to what is typed, or dimmed", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.fill("#fill-text", "A kitten is a young [MASK].");
    await page.click("#sort-form [type=submit]");
    await page.waitForFunction(() => /kitten/.test(document.querySelector("#answers .sequence").textContent));
    const stale = (id) => page.locator(`#${id}.stale`);
    await page.fill("#sort-labels", "music, sport");
    await stale("labels").waitFor();
    await page.click("#sort-form [type=submit]");
    await page.waitForFunction(() => document.querySelectorAll("#labels .bar").length === 2);
    assert.equal(await stale("labels").count(), 0);
    await page.fill("#sort-text", "Something else.");
    await stale("labels").waitFor();
    await page.click("#judge-form [type=submit]");
    await page.waitForSelector("#judgement .took");
    assert.equal(await stale("judgement").count(), 0);
    await page.fill("#judge-text", "Something else.");
    await stale("judgement").waitFor();
    await page.fill("#judge-text", "The film was far too long, but the music was wonderful.");
    assert.equal(await stale("judgement").count(), 0);
  });
});

test("another device: what is typed is not called a mistake, and answers of before go", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.fill("#sort-labels", "one");
    await page.fill("#fill-text", "No gap");
    await page.getByRole("radio", { name: "CPU" }).check();
    await page.waitForFunction(() => /Asked for by name\./.test(document.querySelector("#reason").textContent));
    await page.waitForFunction(() => document.querySelectorAll("#labels .bar").length === 0);
    await page.getByText("Put [MASK] where a word is missing.").waitFor();
    assert.equal(await page.locator("[role=alert]:not(:empty)").count(), 0);
  });
});

test("a text of which the end is not read: the page says so", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const long = "The band played a song. ".repeat(200);
    for (const [field, form, box, text] of [
      ["fill-text", "fill-form", "answers", `A [MASK]. ${long}`],
      ["sort-text", "sort-form", "labels", long],
      ["judge-text", "judge-form", "judgement", long],
    ]) {
      assert.equal(await page.getByText("Only the first 512 tokens were read").count(), 0);
      await page.fill(`#${field}`, text);
      await page.click(`#${form} [type=submit]`);
      await page
        .locator(`#${box} .took`, { hasText: /^answered in [\d.]+ ms\. Only the first 512 tokens were read\.$/ })
        .waitFor();
      await page.fill(`#${field}`, "A [MASK].");
      await page.click(`#${form} [type=submit]`);
      await page.locator(`#${box} .took`, { hasText: /^answered in [\d.]+ ms$/ }).waitFor();
    }
    await page.fill("#fill-text", `A [MASK]. ${long}`);
    assert.match(await page.textContent("#piece"), /^\d+ pieces in the first 4,000 characters$/);
    await page.fill("#fill-text", "A [MASK].");
    assert.match(await page.textContent("#piece"), /^\d+ pieces$/);
  });
});

test("no text, no answer", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const advice = [
      ["fill", "answers", "Write a sentence first, with [MASK] where"],
      ["sort", "labels", "Write a text first."],
      ["judge", "judgement", "Write a text first."],
    ];
    for (const [form, box, what] of advice) {
      await page.fill(`#${form}-text`, " ");
      await page.click(`#${form}-form [type=submit]`);
      await page.locator(`#${form}-error`, { hasText: what }).waitFor();
      assert.equal(await page.getAttribute(`#${form}-text`, "aria-invalid"), "true");
      assert.equal(await page.locator(`#${box} .bar`).count(), 0);
    }
  });
});

test("a model of the visitor's: its name, and the way back", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const status = (text) => page.locator("#status", { hasText: text }).waitFor();
    await status(/Model ?built-in/);
    const back = page.getByRole("button", { name: "Back to the built-in model" });
    assert.equal(await back.isVisible(), false);
    await page.locator("#own-files").setInputFiles(goldens("bert-mlm"));
    await status(/Model ?bert-mlm/);
    await page.locator("#drop").getByText("bert-mlm is loaded.").waitFor();
    await page.getByText("Two classifiers over the built-in encoder").waitFor();
    await page.fill("#fill-text", `A [MASK]. ${"a b c ".repeat(40)}`);
    await page.locator("#answers .took", { hasText: "Only the first 64 tokens were read." }).waitFor();
    await back.click();
    await status(/Model ?built-in/);
    await page.getByText("Two classifiers over the same encoder").waitFor();
    assert.equal(await back.isVisible(), false);
  });
});

test("the classifiers compute where the model does, on the device that was chosen", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.getByRole("radio", { name: "GPU" }).check();
    await page.waitForFunction(() => /webgpu/.test(document.querySelector("#status").textContent));
    await page.waitForSelector("#labels .bar");
    const started = [];
    page.on("request", (request) => /wasm$/.test(request.url()) && started.push(new URL(request.url()).pathname));
    page.on("worker", (worker) => started.push(worker.url()));
    await page.click("#judge-form [type=submit]");
    await page.waitForSelector("#judgement .took");
    assert.deepEqual(started, [], "no other binary, and no other Worker");
  });
});

test("a file that is dropped beside the box does not leave the page; one in it that cannot be read is told", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const drop = (selector, type, file) =>
      page.evaluate(
        ([selector, type, file]) => {
          const dataTransfer = new DataTransfer();
          if (file) dataTransfer.items.add(new File(["{}"], "config.json"));
          else dataTransfer.setData("text/plain", "a text");
          const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
          return !document.querySelector(selector).dispatchEvent(event);
        },
        [selector, type, file],
      );
    for (const type of ["dragover", "drop"]) {
      assert.equal(await drop("h1", type, true), true, `a file: ${type}`);
      assert.equal(await drop("#fill-text", type, false), false, `a text: ${type}`);
    }
    await drop("#drop p", "dragover", true);
    await page.waitForSelector("#drop.over");
    await drop("#drop p", "drop", true);
    await page.waitForSelector("#drop:not(.over)");
    await page.locator("#own-error", { hasText: "There are no files in what was dropped." }).waitFor();
    const chooser = page.waitForEvent("filechooser");
    await page.getByText("Choose a folder", { exact: true }).click();
    assert.equal(await (await chooser).element().getAttribute("id"), "own-files");
    assert.equal(await page.getByLabel("Choose a folder").count(), 1);
  });
});

test("the classifiers are being fetched: the page says so", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    let go;
    const held = new Promise((resolve) => (go = resolve));
    await page.context().route("**/classifier.safetensors", async (route) => {
      await held;
      await route.continue();
    });
    await page.click("#judge-form [type=submit]");
    await page
      .locator("#judgement[aria-busy=true]:not(.stale)", { hasText: "Fetching the two classifiers …" })
      .waitFor();
    assert.equal(await page.textContent("#announce"), "Fetching the two classifiers …");
    go();
    await page.waitForSelector("#judgement:not([aria-busy]) .bar");
    assert.equal(await page.getByText("Fetching the two").count(), 0);
  });
});

test("a page that cannot start says so", async () => {
  for (const missing of ["app.js", "dist/index.js"]) {
    const prepare = (page) => page.route(`**/${missing}`, (route) => route.fulfill({ status: 404, body: "" }));
    await withPage({ allowErrors: true, prepare }, async (page) => {
      await page
        .getByRole("alert")
        .filter({ hasText: "The page's program could not be loaded. Load the page again" })
        .waitFor();
      assert.equal(await page.isVisible("#loading"), false);
      assert.equal(await page.locator("[type=submit]:disabled").count(), 3);
    });
  }
  await withPage({ context: { javaScriptEnabled: false } }, async (page) => {
    const { y } = await page.locator(".noscript").boundingBox();
    assert.ok(y < (await page.locator("main").boundingBox()).y, "above the fields");
    assert.equal(await page.getByText("Starting").isVisible(), false);
    assert.equal(await page.locator("[type=submit]:disabled").count(), 3);
  });
});

test("offline: what has to be fetched is not called broken", async () => {
  await withPage({ allowErrors: true }, async (page) => {
    await ready(page);
    await page.context().setOffline(true);
    await page.click("#judge-form [type=submit]");
    await page
      .locator("#judge-error", {
        hasText: /^The two classifiers could not be fetched: you seem to be offline\. Try again/,
      })
      .waitFor();
    const original = page.locator("#judge-error + details");
    assert.equal(await original.evaluate(({ open }) => open), false);
    assert.match(await original.locator("code").textContent(), /could not be loaded.*\((network|not_found)\)$/);
    await page.getByRole("radio", { name: "CPU" }).click(); // check() would find it unchecked again
    await page.locator("#error", { hasText: /^The model could not be fetched: you seem to be offline/ }).waitFor();
    await page.context().setOffline(false);
    await page.click("#judge-form [type=submit]");
    await page.waitForSelector("#judgement .bar");
    assert.equal(await page.textContent("#judge-error"), "");
    assert.equal(await page.locator("#judge-error + details").count(), 0);
  });
});

test("what was typed is there again for those who come back", async () => {
  await withPage({}, async (page, { url }) => {
    await ready(page);
    const typed = {
      "#fill-text": "A kitten is a young [MASK].",
      "#sort-text": "A song.",
      "#sort-labels": "music, sport",
      "#judge-text": "Good.",
    };
    for (const [field, text] of Object.entries(typed)) await page.fill(field, text);
    await page.goto(new URL(blank, url).href);
    await page.goBack();
    await ready(page);
    for (const [field, text] of Object.entries(typed)) assert.equal(await page.inputValue(field), text);
    assert.match(await page.textContent("#answers .sequence"), /kitten/);
  });
});

test("keys are not told of where there are none", async () => {
  for (const [isMobile, visible] of [
    [true, false],
    [false, true],
  ]) {
    await withPage({ context: { isMobile, hasTouch: isMobile } }, async (page) => {
      assert.equal(await page.getByText("Ctrl + Enter").isVisible(), visible);
    });
  }
});

test("a missing model is said to be missing", async () => {
  await withPage(
    {
      allowErrors: true,
      prepare: (page) => page.route("**/models/**", (route) => route.fulfill({ status: 404, body: "" })),
    },
    async (page) => {
      await page.waitForFunction(() => document.querySelector("#error").textContent !== "");
      assert.match(await page.textContent("#error"), /^The model could not be found where this page comes from\./);
      assert.match(
        await page.textContent("#error + details code"),
        /there is no model\.safetensors.*models\/minilm-mlm/,
      );
      assert.equal(await page.isDisabled("#fill-form [type=submit]"), true);
    },
  );
});

test("WordPieces: one hue a word, ids and offsets, by keyboard too", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.fill("#fill-text", "Unaffable caf\u00e9");
    const pieces = page.locator("#pieces button");
    const texts = await pieces.allTextContents();
    assert.equal(texts[0], "[CLS]");
    assert.deepEqual(texts.slice(-2), ["cafe", "[SEP]"]);
    assert.ok(texts[2].startsWith("##"));
    const hues = await pieces.evaluateAll((all) => all.map((piece) => piece.style.getPropertyValue("--hue")));
    assert.equal(hues[1], hues[2]);
    const cut = await pieces.evaluateAll(
      (all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
    );
    assert.equal(cut, 0, "pieces are shown whole");
    assert.notEqual(hues[1], hues.at(-2));
    await pieces.first().focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    assert.match(await page.textContent("#piece"), /^cafe · id \d+ · \[10, 14\)$/);
    assert.equal(await page.locator("#pieces button[tabindex='0']").count(), 1);
  });
});

test("labels of the visitor's", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.fill("#sort-labels", "food, war");
    await page.fill("#sort-text", "She baked fresh bread and made a hot soup for dinner.");
    await page.click("#sort-form [type=submit]");
    await page.waitForFunction(() => document.querySelectorAll("#labels .bar").length === 2);
    assert.equal(await page.locator("#labels .bar .name").first().textContent(), "food");
  });
});

test("sentiment and topic, from classifiers that share the encoder", async () => {
  await withPage({}, async (page) => {
    const [weights, failed] = [new Set(), []];
    page.on("response", (response) => response.status() >= 400 && failed.push(response.url()));
    page.on(
      "response",
      (response) =>
        response.ok() && /safetensors$/.test(response.url()) && weights.add(new URL(response.url()).pathname),
    );
    await ready(page);
    await page.fill("#judge-text", "The band played my favourite song, and it was wonderful.");
    await page.click("#judge-form [type=submit]");
    await page.waitForSelector("#judgement .took", { timeout: 60_000 });
    const names = await page.locator("#judgement .bar .name").allTextContents();
    assert.deepEqual([names[0], names[2], names.length], ["positive", "entertainment", 5]);
    assert.match(await page.textContent("#announce"), /positive, .*%; entertainment, .*%/);
    assert.deepEqual(
      [...weights].sort(),
      ["mlm/model", "sentiment/classifier", "topic/classifier"].map((name) => `/models/minilm-${name}.safetensors`),
    );
    assert.deepEqual(
      failed.filter((url) => /safetensors/.test(url)),
      [],
    );
  });
});

for (const context of [
  { viewport: { width: 360, height: 700 } },
  { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
]) {
  test(`nothing sticks out at ${JSON.stringify(context)}`, async () => {
    await withPage({ context }, async (page) => {
      await ready(page);
      await page.fill("#fill-text", `${"Donaudampfschifffahrtsgesellschaft".repeat(8)} [MASK]`);
      await page.waitForTimeout(800);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    });
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`what has the focus is seen in ${colorScheme} colours`, async () => {
    await withPage({ context: { colorScheme } }, async (page) => {
      await ready(page);
      const rings = await page.evaluate(() => {
        const light = (colour) => {
          const [r, g, b] = colour
            .match(/[\d.]+/g)
            .slice(0, 3)
            .map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
        };
        const contrast = (a, b) => Math.max(light(a) / light(b), light(b) / light(a));
        const colour = (element, property) => getComputedStyle(element)[property];
        return ["#fill-text", "#insert-mask", "#answers .bar"].map((selector) => {
          const element = document.querySelector(selector);
          element.focus({ focusVisible: true });
          const behind = [
            colour(document.documentElement, "backgroundColor"),
            colour(document.querySelector("#fill-text"), "backgroundColor"),
          ];
          if (element.matches(".bar")) behind.push(colour(element.querySelector(".fill"), "backgroundColor"));
          return {
            offset: colour(element, "outlineOffset"),
            least: Math.min(...behind.map((other) => contrast(colour(element, "outlineColor"), other))),
          };
        });
      });
      for (const { least } of rings) assert.ok(least >= 3, `a contrast of ${least}`);
      assert.equal(rings.at(-1).offset, "-3px");
    });
  });
}

test("in a Worker and in the page's thread: the same answers, errors and cancellation", async () => {
  await withPage({ path: blank }, async (page) => {
    for (const worker of [true, false]) {
      const found = await page.evaluate(async (worker) => {
        const { pipeline, AutoTokenizer, env, WebertError } = await import("/dist/index.js");
        const events = [];
        const unmask = await pipeline("fill-mask", "/models/minilm-mlm", {
          worker,
          progress_callback: (event) => events.push(event),
        });
        const [best] = await unmask("Paris is the [MASK] of France.");
        const error = await unmask("no gap").catch((error) => error);
        const stop = new AbortController();
        const run = unmask(Array(300).fill("Paris is the [MASK] of France."), { signal: stop.signal }).catch(
          ({ code }) => code,
        );
        setTimeout(() => stop.abort(), 30);
        const aborted = await run;
        const [again] = await unmask("Paris is the [MASK] of France.");
        await unmask.dispose();
        const disposed = await unmask("[MASK]").catch(({ code }) => code);
        const loadStop = new AbortController();
        const load = pipeline("fill-mask", "/models/minilm-mlm", { worker, signal: loadStop.signal }).catch(
          ({ code }) => code,
        );
        setTimeout(() => loadStop.abort(), 20);
        const tokenizer = await AutoTokenizer.from_pretrained(env.defaultModels["fill-mask"]);
        const blobs = Object.fromEntries(
          await Promise.all(
            ["config.json", "tokenizer.json", "model.safetensors"].map(async (name) => [
              name,
              await fetch(`/models/minilm-mlm/${name}`),
            ]),
          ),
        );
        const own = await pipeline("fill-mask", { files: blobs }, { worker });
        const [ownBest] = await own("Paris is the [MASK] of France.");
        await own.dispose();
        return {
          best: best.token_str,
          again: again.token_str,
          own: ownBest.token_str,
          aborted,
          disposed,
          load: await load,
          error: [error instanceof WebertError, error.code],
          last: events.at(-1).status,
          progress: events.some(
            ({ status, file, loaded, total }) =>
              status === "progress" && file === "model.safetensors" && loaded === total,
          ),
          ids: tokenizer.encode("paris"),
        };
      }, worker);
      assert.deepEqual(
        found,
        {
          best: "capital",
          again: "capital",
          own: "capital",
          aborted: "aborted",
          disposed: "disposed",
          load: "aborted",
          error: [true, "bad_input"],
          last: "ready",
          progress: true,
          ids: [101, 3000, 102],
        },
        `worker: ${worker}`,
      );
    }
  });
});

test("a Hub model is fetched once, then comes from the cache", async () => {
  await withPage({ path: blank }, async (page) => {
    const requests = [];
    await page.route("**/hub/**", async (route) => {
      const url = new URL(route.request().url());
      requests.push(url.pathname);
      await route.continue({
        url: new URL(url.pathname.replace("/hub/me/tiny/resolve/main", "/models/minilm-mlm"), url).href,
      });
    });
    const names = () =>
      page.evaluate(async () => {
        const { AutoTokenizer, env } = await import("/dist/index.js");
        env.remoteHost = new URL("/hub/", location.href).href;
        return (await AutoTokenizer.from_pretrained("me/tiny")).encode("paris");
      });
    assert.deepEqual(await names(), [101, 3000, 102]);
    assert.ok(requests.includes("/hub/me/tiny/resolve/main/tokenizer.json"));
    // a file may be listed some moments before it is found
    await page.waitForFunction(
      async (paths) => {
        const cache = await caches.open("webert");
        const files = await Promise.all(paths.map((path) => cache.match(path)));
        return files.length === 3 && files.every(Boolean);
      },
      [...requests],
    );
    requests.length = 0;
    assert.deepEqual(await names(), [101, 3000, 102]);
    assert.deepEqual(requests, []);
  });
});

test("the device: chosen by keyboard, told with its reason; one that is not there leaves the page as it was", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    assert.match(await page.textContent("#reason"), /^Auto chose the CPU: the adapter .* is a software renderer\.$/);
    await page.getByRole("radio", { name: "Auto" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => /webgpu/.test(document.querySelector("#status").textContent));
    assert.match(await page.textContent("#reason"), /^Asked for by name \(.+\)\.$/);
    assert.doesNotMatch(await page.textContent("#status"), /SIMD|Threads/);
    await page.waitForFunction(() => !document.querySelector("#fill-form [type=submit]").disabled);
    assert.equal(await best(page), "capital");
    await page.getByRole("radio", { name: "CPU" }).check();
    await page.waitForFunction(() => /Asked for by name\./.test(document.querySelector("#reason").textContent));
    assert.match(await page.textContent("#status"), /wasm.*SIMD.*Threads/);
  });
  const prepare = (page) =>
    page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, "gpu", { value: undefined });
    });
  await withPage({ prepare }, async (page) => {
    await page.context().route("**/worker.js", async (route) => {
      const response = await route.fetch();
      const text = `Object.defineProperty(WorkerNavigator.prototype, "gpu", { value: undefined });${await response.text()}`;
      await route.fulfill({ response, body: text });
    });
    await page.reload();
    await ready(page);
    await page.getByRole("radio", { name: "GPU" }).check();
    await page
      .locator("#error", { hasText: "The page cannot use the graphics card here. Choose Auto or CPU." })
      .waitFor();
    assert.match(await page.textContent("#error + details code"), /no WebGPU here/);
    assert.ok(await page.getByRole("radio", { name: "Auto" }).isChecked());
    await page.getByRole("button", { name: "A kitten is a young" }).click();
    await page.waitForFunction(() => /kitten/.test(document.querySelector("#answers .sequence").textContent));
  });
});
