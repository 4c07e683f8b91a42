// The page in Chromium: its frame, the views Guess and Odd word out, and the messages that a visitor sees after a failure.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { blank, withPage } from "./browser.mjs";

const goldens = (name) => fileURLToPath(new URL(`goldens/models/${name}`, import.meta.url));
const ready = (page) => page.locator(".model-chip", { hasText: /^The model: [CG]PU/ }).waitFor({ timeout: 60_000 });
/** Waits for the model's answers to the current text; recorded answers do not count. */
const answered = (page) => page.locator(".took", { hasText: /^Answered in/ }).waitFor();
/** For a software GPU. */
const SLOW = { timeout: 120_000 };
const best = (page) => page.locator(".bar-name").first().textContent();
const names = (page) =>
  page.locator(".bar-name").evaluateAll((all) =>
    all.map((one) =>
      [...one.childNodes]
        .filter(({ nodeName, className }) => nodeName !== "SMALL" && className !== "visually-hidden")
        .map(({ textContent }) => textContent)
        .join("")
        .trim(),
    ),
  );
const type = (page, text) => page.locator("#text").fill(text);
/** Types a text and waits for its answers, which have this heading. */
async function ask(page, text, heading = "Gap 1") {
  await type(page, text);
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  await page.locator(".guess[aria-busy=false]").waitFor();
}
const word = (page, name) => page.locator(".word", { hasText: new RegExp(`^${name}`) });

test("opens with a hidden word and the model's answers for it", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await answered(page);
    assert.deepEqual(await names(page), ["tea", "coffee", "milk", "chocolate", "sugar", "cement"]);
    assert.match(await page.locator(".bar-score").first().textContent(), /^5\d\.\d %$/);
    assert.equal(await page.locator(".bar", { hasText: "your word" }).locator(".bar-score").textContent(), "< 0.001 %");
    assert.equal(await page.locator(".gap .answer").textContent(), "tea");
    assert.deepEqual(await page.locator(".gap .floating > span").allTextContents(), ["coffee", "milk", "chocolate"]);
    assert.match(await page.locator(".model-chip").textContent(), /CPU · [\d.]+ ms · 23 MB$/);
  });
});

test("hides and shows words by mouse and keyboard, fills several together, and rewrites the sentence", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await type(page, "Paris is the capital of France.");
    await word(page, "capital").click();
    await page.getByRole("heading", { name: "In place of “capital”" }).waitFor();
    await page.waitForFunction(() => document.querySelector(".gap .answer")?.textContent === "capital");
    assert.equal(
      await page.locator(".bar", { hasText: "your word" }).locator(".bar-name").textContent(),
      "capital your word",
    );
    await word(page, "Paris").focus();
    for (const key of ["End", "Enter"]) await page.keyboard.press(key);
    await page.getByRole("heading", { name: "In place of “France”" }).waitFor();
    assert.equal(await page.locator(".gap[aria-pressed=true]").count(), 2);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".gap").length === 1);
    await page.getByRole("button", { name: "Show all words" }).click();
    await page.getByRole("heading", { name: "What comes next" }).waitFor();
    await ask(page, "The ___ drank some [mask].", "Gap 2");
    const filled = await page.locator(".gap .answer").allTextContents();
    await page.getByRole("button", { name: "Rewrite the sentence" }).click();
    assert.equal(await page.inputValue("#text"), `The ${filled[0]} drank some ${filled[1]}.`);
  });
});

test("updates the field and the busy state before the next frame", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await answered(page);
    /** The text after the turn of the page's event, and the busy state that it announces. */
    const turn = (act) =>
      page.evaluate(async (act) => {
        const field = document.querySelector("#text");
        if (act === "press")
          [...document.querySelectorAll("button")].find((one) => /^Rewrite/.test(one.textContent)).click();
        else {
          field.value = act;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }
        for (let i = 0; i < 10; i += 1) await null;
        return { text: field.value, busy: document.querySelector(".guess").ariaBusy };
      }, act);
    assert.equal((await turn("press")).text, "I drink a cup of tea every morning.");
    assert.deepEqual(await turn("A kitten is a young ___."), { text: "A kitten is a young ___.", busy: "true" });
  });
});

test("shows a chosen word in the sentence, and the other gaps adapt", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await ask(page, "A kitten is a young ___.");
    const second = (await names(page))[1];
    await page.locator(".bar").nth(1).click();
    await page.waitForFunction((second) => document.querySelector(".gap .answer").textContent === second, second);
    assert.equal(await page.locator(".bar").nth(1).getAttribute("aria-pressed"), "true");
    assert.equal((await names(page))[1], second, "the list stays as it was");
  });
});

test("keeps words hidden while the text around them is typed, and answers every key", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await answered(page);
    await page.locator("#text").press("Control+Home");
    await page.locator("#text").pressSequentially("Sometimes ");
    await page.waitForFunction(() => document.querySelector(".words").textContent.startsWith("Sometimes I drink"));
    await page.getByRole("heading", { name: "In place of “cement”" }).waitFor();
    assert.equal(await page.locator(".gap .was").textContent(), "cement");
  });
});

test("offers sensible words: no pieces, no repeated neighbour; pieces for a gap glued to a word", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    const offered = async (text) => (await ask(page, text), names(page));
    const greeting = await offered("Happy ___ to you");
    assert.equal(greeting.length, 5);
    assert.deepEqual(
      greeting.filter((word) => /^(happy|to|you|##.*)$/.test(word)),
      [],
    );
    const pieces = await offered("He was un[MASK].");
    assert.equal(pieces.length, 5);
    assert.deepEqual(
      pieces.filter((piece) => /^[a-z]/.test(piece)),
      [],
    );
    await page
      .getByRole("button", { name: /^… ?\w+ [\d.]+ %$/ })
      .first()
      .waitFor();
    assert.equal(await page.locator(".gap .answer").textContent(), pieces[0].replace("##", ""));
  });
});

test("answers the first ten of many gaps", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await ask(page, "A ___. ".repeat(13), "Gap 10");
    assert.equal(await page.locator(".bars").count(), 10);
    await page.getByText("… and 3 gaps more").waitFor();
  });
});

test("Odd word out: the unexpected word glows, shows the expected ones, and can be replaced", async () => {
  await withPage({ path: "#odd-word" }, async (page) => {
    await ready(page);
    await answered(page);
    assert.deepEqual(await page.locator(".word.odd").allTextContents(), ["cement"]);
    assert.equal(await page.locator(".verdict").textContent(), "What surprises it is “cement”. It expected “tea”.");
    assert.match(await page.locator(".word.odd").getAttribute("aria-label"), /^cement, not expected: < 0\.001 %$/);
    await word(page, "cup").click();
    await page.getByRole("heading", { name: "in place of “cup”" }).waitFor();
    await word(page, "cement").click();
    await page.locator("button.bar", { hasText: "tea" }).click();
    assert.equal(await page.inputValue("#text"), "I drink a cup of tea every morning.");
    await page.locator(".verdict", { hasText: "Nothing here surprises it." }).waitFor();
    assert.equal(await page.locator(".word.odd").count(), 0);
  });
});

test("while the model loads, the examples show recorded answers, marked as such, and pieces", async () => {
  let go;
  const held = new Promise((resolve) => (go = resolve));
  const prepare = (page) =>
    page.context().route("**/model.safetensors", async (route) => {
      await held;
      await route.continue();
    });
  await withPage({ prepare }, async (page) => {
    await page.locator(".took", { hasText: "A recorded answer: the model is still loading." }).waitFor();
    assert.equal(await best(page), "tea");
    await word(page, "drink").click();
    await page.getByRole("heading", { name: "In place of “drink”" }).waitFor();
    assert.equal(await page.locator(".gap").count(), 1, "one word at a time was recorded");
    await type(page, "Nobody recorded ___.");
    await page.getByText("The model is loading").waitFor();
    await page.getByRole("button", { name: "The cat chased the piano up a tree." }).click();
    await page.locator(".gap .was", { hasText: "piano" }).waitFor({ state: "attached" });
    await page.locator(".piece", { hasText: "piano" }).waitFor();
    await page.getByRole("tab", { name: "Odd word out" }).click();
    await page.locator(".word.odd").waitFor();
    assert.deepEqual(await page.locator(".word.odd").allTextContents(), ["piano"]);
    go();
    await ready(page);
    await answered(page);
    assert.deepEqual(await page.locator(".word.odd").allTextContents(), ["piano"]);
  });
});

test("reports progress while the model loads, and never goes back", async () => {
  const prepare = (page) =>
    page.addInitScript(() => {
      window.seen = [];
      new MutationObserver(() => {
        const text = document.querySelector(".model-chip")?.textContent;
        if (text && seen.at(-1) !== text) seen.push(text);
      }).observe(document, { childList: true, characterData: true, subtree: true });
    });
  await withPage({ prepare }, async (page) => {
    await ready(page);
    const seen = await page.evaluate(() => window.seen);
    const values = seen.flatMap((text) => /(\d+) of 2\d MB/.exec(text)?.slice(1).map(Number) ?? []);
    assert.ok(
      values.some((value) => value > 0 && value < 23),
      `half way: ${seen.join(" | ")}`,
    );
    assert.deepEqual(
      values,
      values.toSorted((a, b) => a - b),
    );
  });
});

test("announces the best answer after a pause, pieces by their letters, words by their state", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await answered(page);
    await page.waitForTimeout(800);
    await page.evaluate(() => {
      window.told = [];
      const live = document.querySelector(".visually-hidden[role=status]");
      new MutationObserver(() => told.push(live.textContent)).observe(live, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    await type(page, "");
    await page.locator("#text").pressSequentially("Unaffable kittens drink ___.");
    await page.waitForFunction(() => told.length > 0);
    const told = await page.evaluate(() => window.told);
    assert.match(told.at(-1), new RegExp(`^${await best(page)}, [\\d.]+ %\\.$`));
    assert.ok(told.length <= 2, `not with every key: ${told.join(" | ")}`);
    await page.getByRole("button", { name: /^… ?ffa$/ }).waitFor();
    await page.getByRole("button", { name: /^Gap, the model expects ?\w+ ?, [\d.]+ %$/ }).waitFor();
    assert.equal(await page.getByLabel("Type a sentence").getAttribute("id"), "text");
  });
});

test("WordPieces show one hue per word, ids and places, also by keyboard", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await type(page, "Unaffable caf\u00e9");
    const pieces = page.locator(".piece");
    await page.locator(".piece", { hasText: "cafe" }).waitFor();
    const texts = await pieces.allTextContents();
    assert.equal(texts[0], "[CLS]");
    assert.ok(texts[2].startsWith("##"));
    const hues = await pieces.evaluateAll((all) => all.map((piece) => piece.style.getPropertyValue("--hue")));
    assert.equal(hues[1], hues[2]);
    assert.notEqual(hues[1], hues.at(-2));
    await pieces.first().focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    assert.match(
      await page.textContent(".pieces-box .took"),
      /^cafe · number \d+ of the vocabulary · letters 10 to 14$/,
    );
    assert.equal(await page.locator(".piece[tabindex='0']").count(), 1);
  });
});

test("switches tabs by keyboard and address, and fetches each view when it opens", async () => {
  await withPage({}, async (page) => {
    const fetched = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await ready(page);
    assert.equal(fetched.filter((path) => /page-odd-word/.test(path)).length, 0);
    await page.getByRole("tab", { name: "Guess" }).focus();
    for (const view of [".judge", ".compare", ".odd-word"]) {
      await page.keyboard.press("ArrowRight");
      await page.locator(view).waitFor();
    }
    assert.equal(new URL(page.url()).hash, "#odd-word");
    assert.equal(await page.locator("[role=tab][tabindex='0']").count(), 1);
    assert.equal(await page.locator("[role=tabpanel]").getAttribute("aria-labelledby"), "tab-odd-word");
    for (const view of [".compare", ".judge", ".guess"]) {
      await page.goBack();
      await page.locator(view).waitFor();
    }
    await page.evaluate(() => (location.hash = "#nonsense"));
    await page.locator(".guess").waitFor();
  });
});

test("tabs read as an order, and both tasks of the card come first on a narrow screen", async () => {
  await withPage({ context: { viewport: { width: 360, height: 740 } } }, async (page) => {
    const tabs = page.getByRole("tab");
    await tabs.first().waitFor();
    assert.equal(
      (await tabs.allTextContents()).join(", "),
      "Guess, Judge, Compare, Odd word out, Beat BERT, Inside, Watch it think, Look, Teach, Find, Grow",
    );
    for (const name of ["Guess", "Judge", "Compare"]) {
      const { x, width } = await page.getByRole("tab", { name }).boundingBox();
      assert.ok(x + width <= 360, `${name} ends at ${x + width}`);
    }
  });
});

test("a view that does not use the sentence takes no input in its field, and the next one that does takes it again", async () => {
  await withPage({ path: "#beat" }, async (page) => {
    await page.locator(".beat").waitFor();
    assert.ok(await page.locator("#text").isDisabled());
    await page.getByText("(not used in this view)").waitFor();
    await page.getByRole("tab", { name: "Guess" }).click();
    await page.locator(".guess").waitFor();
    await page.locator("#text").fill("The dog barks.");
  });
});

test("restores typed text on reload; only a link made with consent contains it", async () => {
  await withPage({ context: { permissions: ["clipboard-read", "clipboard-write"] } }, async (page, { url }) => {
    await ready(page);
    await type(page, "A kitten is a small cat.");
    await word(page, "cat").click();
    await page.reload();
    assert.equal(await page.inputValue("#text"), "A kitten is a small cat.");
    assert.equal(await page.locator(".gap .was").textContent(), "cat");
    await page.goto(new URL(blank, url).href);
    await page.goBack();
    assert.equal(await page.inputValue("#text"), "A kitten is a small cat.");
    assert.doesNotMatch(page.url(), /kitten/);
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("The link contains your text.").waitFor();
    await page.getByRole("button", { name: "Copy it" }).click();
    await page.getByRole("button", { name: "Copy link" }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(link, /#guess&.*text=A\+kitten/);
    const other = await page.context().newPage();
    await other.goto(link);
    assert.equal(await other.inputValue("#text"), "A kitten is a small cat.");
    assert.equal(await other.locator(".gap .was").textContent(), "cat");
    assert.equal(new URL(other.url()).hash, "#guess", "a text does not stay in the address");
  });
});

test("shows neither an answer nor an error without text", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await type(page, " ");
    await page.getByText("Type a sentence: at every key").waitFor();
    await page.getByRole("tab", { name: "Odd word out" }).click();
    await page.getByText("Type a sentence.", { exact: true }).waitFor();
    assert.equal(await page.locator("[role=alert]:not(:empty)").count(), 0);
  });
});

test("uses a visitor's model: shows its name, cuts long texts, and returns to the built-in one", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.locator(".model-chip").click();
    const facts = (text) => page.locator(".facts", { hasText: text }).waitFor();
    await facts(/Model ?built-in/);
    const back = page.getByRole("button", { name: "Back to the built-in model" });
    assert.equal(await back.isVisible(), false);
    await page.locator("#own-files").setInputFiles(fileURLToPath(new URL("pages", import.meta.url)));
    await page.getByRole("alert").filter({ hasText: "There is no config.json in this folder." }).waitFor();
    await page.locator("#own-files").setInputFiles(goldens("bert-mlm"));
    await facts(/Model ?bert-mlm/);
    assert.equal(await page.locator("[role=alert]:not(:empty)").count(), 0);
    await type(page, `A ___. ${"a b c ".repeat(40)}`);
    await page.locator(".took", { hasText: "Only the first 64 tokens were read." }).waitFor();
    await back.click();
    await facts(/Model ?built-in/);
    assert.equal(await back.isVisible(), false);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".model-panel").isVisible(), false);
    assert.equal(await page.evaluate(() => document.activeElement.className), "model-chip");
  });
});

test("a file dropped beside the box does not navigate away; an unreadable file in it is reported", async () => {
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
      assert.equal(await drop("#text", type, false), false, `a text: ${type}`);
    }
    await page.locator(".model-chip").click();
    await drop(".drop p", "dragover", true);
    await page.waitForSelector(".drop.over");
    await drop(".drop p", "drop", true);
    await page.waitForSelector(".drop:not(.over)");
    await page.locator(".drop .error", { hasText: "The drop contains no files." }).waitFor();
    const chooser = page.waitForEvent("filechooser");
    await page.getByText("Choose a folder", { exact: true }).click();
    assert.equal(await (await chooser).element().getAttribute("id"), "own-files");
  });
});

test("reports a page that cannot start", async () => {
  for (const [missing, locale, text] of [
    ["main.js", "en-US", "The page's program could not be loaded. Load the page again"],
    ["dist/index.js", "de-AT", "Das Programm der Seite konnte nicht geladen werden. Laden Sie die Seite neu"],
    ["main.js", "fr-CA", "Le programme de la page n’a pas pu être chargé. Rechargez la page"],
    ["main.js", "es-MX", "No se pudo cargar el programa de la página. Vuelva a cargar la página"],
  ]) {
    const prepare = (page) => page.route(`**/${missing}`, (route) => route.fulfill({ status: 404, body: "" }));
    await withPage({ allowErrors: true, prepare, context: { locale } }, async (page) => {
      await page.getByRole("alert").filter({ hasText: text }).waitFor();
      assert.equal(await page.getAttribute("html", "lang"), locale.slice(0, 2));
    });
  }
  await withPage({ context: { javaScriptEnabled: false } }, async (page) => {
    await page.locator(".noscript").waitFor();
    const shown = await page.locator(".noscript p").evaluateAll((all) => all.map(({ lang }) => lang || "en"));
    assert.deepEqual(shown, ["en", "de", "fr", "es"]);
  });
});

test("reports a missing model and retries it", async () => {
  let missing = true;
  const prepare = (page) =>
    page
      .context()
      .route("**/models/**", (route) => (missing ? route.fulfill({ status: 404, body: "" }) : route.continue()));
  await withPage({ allowErrors: true, prepare }, async (page) => {
    await page
      .locator(".load-error .error", { hasText: /^The model could not be found where this page comes from\./ })
      .waitFor();
    assert.match(await page.textContent(".load-error code"), /there is no model\.safetensors.*models\/minilm-mlm/);
    assert.equal(await best(page), "tea", "recorded answers stay");
    missing = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await ready(page);
    assert.equal(await page.locator("[role=alert]:not(:empty)").count(), 0);
  });
});

test("offline, does not call files broken that must be fetched", async () => {
  await withPage({ allowErrors: true }, async (page) => {
    await ready(page);
    await page.context().setOffline(true);
    await page.getByRole("tab", { name: "Odd word out" }).click();
    await page
      .getByRole("alert")
      .filter({ hasText: /^This view could not be fetched: you seem to be offline\. Try again/ })
      .waitFor();
    await page.locator(".model-chip").click();
    await page.getByRole("radio", { name: "CPU" }).click(); // check() would expect it to stay checked
    await page
      .locator(".load-error .error", { hasText: /^The model could not be fetched: you seem to be offline/ })
      .waitFor();
    assert.ok(await page.getByRole("radio", { name: "Auto" }).isChecked());
    await page.context().setOffline(false);
    await page.getByRole("tab", { name: "Guess" }).click();
    await page.locator(".guess").waitFor();
    await page.getByRole("tab", { name: "Odd word out" }).click();
    await page.locator(".odd-word .bar").first().waitFor();
  });
});

test("chooses the device by keyboard and shows its reason; a missing device changes nothing", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    await page.locator(".model-chip").click();
    const panel = page.locator(".model-panel");
    await panel.getByText(/^Auto chose the CPU: the adapter .* is a software renderer\.$/).waitFor();
    await page.getByRole("radio", { name: "Auto" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".model-chip", { hasText: "GPU" }).waitFor(SLOW);
    await panel.getByText(/^Asked for by name \(.+\)\.$/).waitFor();
    assert.doesNotMatch(await page.textContent(".facts"), /SIMD|Threads/);
    await ask(page, "Paris is the ___ of France.");
    assert.equal(await best(page), "capital");
    await page.getByRole("tab", { name: "Odd word out" }).click();
    await page.locator(".took", { hasText: /^Answered in/ }).waitFor(SLOW);
    await page.locator(".model-chip").click();
    await page.getByRole("radio", { name: "CPU" }).check();
    await page.locator(".facts", { hasText: /SIMD.*Threads/ }).waitFor(SLOW);
  });
  const prepare = async (page) => {
    await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "gpu", { value: undefined }));
    await page.context().route("**/worker.js", async (route) => {
      const response = await route.fetch();
      const text = `Object.defineProperty(WorkerNavigator.prototype, "gpu", { value: undefined });${await response.text()}`;
      await route.fulfill({ response, body: text });
    });
  };
  await withPage({ prepare }, async (page) => {
    await ready(page);
    await page.locator(".model-chip").click();
    await page.getByRole("radio", { name: "GPU" }).click();
    await page
      .locator(".load-error .error", { hasText: "The page cannot use the graphics card here. Choose Auto or CPU." })
      .waitFor();
    assert.match(await page.textContent(".load-error code"), /no WebGPU here/);
    assert.ok(await page.getByRole("radio", { name: "Auto" }).isChecked());
    await ask(page, "A kitten is a young ___.");
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`what has the focus is seen in ${colorScheme} colours, and bars on their track`, async () => {
    await withPage({ context: { colorScheme } }, async (page) => {
      await ready(page);
      await answered(page);
      const { rings, bars } = await page.evaluate(() => {
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
        const find = (selector) => document.querySelector(selector);
        const behind = ["html", "#text"].map((selector) => colour(find(selector), "backgroundColor"));
        const rings = ["#text", ".model-chip", ".bar", ".word", ".chip"].map((selector) => {
          find(selector).focus({ focusVisible: true });
          return Math.min(...behind.map((other) => contrast(colour(find(selector), "outlineColor"), other)));
        });
        const track = colour(find(".bar-track"), "backgroundColor");
        const bars = [...document.querySelectorAll(".bar-fill")].map((bar) =>
          contrast(colour(bar, "backgroundColor"), track),
        );
        return { rings, bars };
      });
      for (const contrast of [...rings, ...bars]) assert.ok(contrast >= 3, `contrasts ${rings} and ${bars}`);
    });
  });
}
