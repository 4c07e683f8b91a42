// The page's own words: each message in each language, nothing visible outside of messages, and the choice of a language.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { transform } from "esbuild";
import { root } from "../scripts/lib/run.mjs";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { violations } from "./axe.mjs";
import { atRest, openView, withPage } from "./browser.mjs";

const FOLDER = join(root, "www/src");
const LANGUAGES = ["de", "fr", "es"];
/** Attributes and properties that are shown or spoken. */
const VISIBLE = ["children", "aria-label", "aria-valuetext", "title", "label", "placeholder", "alt", "more", "legend"];
/** Names that are the same in each language. */
const NAMES = ["we", "bert", "API", "Auto", "GPU", "CPU"];

/** A file's name. */
const FILE = /^\w+\.(json|safetensors|txt)$/;

const read = (name) => readFile(join(FOLDER, name), "utf8");
const names = (await readdir(FOLDER, { recursive: true })).filter((name) => /\.tsx?$/.test(name));

/** The end of a template's expression that begins at `at`, after its `${`. */
function endOfExpression(text, at) {
  const open = ["{"];
  for (; open.length > 0; at++) {
    const char = text[at];
    if (open.at(-1) === "`") {
      if (char === "\\") at++;
      else if (char === "`") open.pop();
      else if (char === "$" && text[at + 1] === "{") open.push(text[++at]);
    } else if (char === "{" || char === "`") open.push(char);
    else if (char === "}") open.pop();
    else if (char === '"') while (text[++at] !== '"') if (text[at] === "\\") at++;
  }
  return at;
}

/** The key of the template that begins at `at`: its expressions are {0}, {1} … */
function keyOf(text, at) {
  let [key, count] = ["", 0];
  while (text[at] !== "`") {
    if (text[at] === "$" && text[at + 1] === "{") {
      key += `{${count++}}`;
      at = endOfExpression(text, at + 2);
    } else {
      if (text[at] === "\\") at++;
      key += text[at++];
    }
  }
  return key;
}

/** The keys of a module's messages: those with letters or quotation marks. */
function keysOf(text) {
  const templates = [...text.matchAll(/\btx?`/g)].map(({ index, 0: start }) => keyOf(text, index + start.length));
  const marked = [...text.matchAll(/\blater\(\s*("(?:[^"\\]|\\.)*"),?\s*\)/g)].map(([, literal]) =>
    JSON.parse(literal),
  );
  return [...templates, ...marked].filter((key) => /[\p{L}“]/u.test(key.replace(/\{\d\}/g, "")));
}

/** The places of a message: "{0}", "{1}" … */
const places = (text) => (text.match(/\{\d\}/g) ?? []).sort().join();

test("each message is in each language with the same places, and no catalogue has others", async () => {
  const keys = new Set();
  for (const name of names) if (name !== "language.ts") for (const key of keysOf(await read(name))) keys.add(key);
  assert.ok(keys.size > 600, `${keys.size} messages`);
  for (const language of LANGUAGES) {
    const catalogue = JSON.parse(await read(`languages/${language}.json`));
    assert.deepEqual(
      [...keys].filter((key) => !catalogue[key]),
      [],
      `${language}: missing`,
    );
    assert.deepEqual(
      Object.keys(catalogue).filter((key) => !keys.has(key)),
      [],
      `${language}: of no message`,
    );
    for (const [key, text] of Object.entries(catalogue)) assert.equal(places(text), places(key), `${language}: ${key}`);
  }
});

/** Texts of a component that are shown or spoken and are no messages, in the code that esbuild makes of it. */
function hardCoded(code) {
  const found = [];
  const keys = VISIBLE.map((key) => `"?${key}"?`).join("|");
  // the value of a visible property, and the texts among several children
  for (const { index, 0: all, 1: text } of code.matchAll(
    new RegExp(`(?:[{,]\\s*)(?:${keys}): (?:"((?:[^"\\\\]|\\\\.)*)"|\`)`, "g"),
  ))
    found.push(text ?? keyOf(code, index + all.length).replace(/\{\d\}/g, ""));
  for (const { index, 0: start } of code.matchAll(/children: \[/g)) {
    let depth = 1;
    for (let at = index + start.length; depth > 0; at++) {
      if (code[at] === "`") at += code.slice(at + 1).search(/(?<!\\)`/) + 1;
      else if (code[at] === '"') {
        const [literal] = /^"(?:[^"\\]|\\.)*"/.exec(code.slice(at));
        if (depth === 1 && /[[,]\s*$/.test(code.slice(0, at))) found.push(literal.slice(1, -1));
        at += literal.length - 1;
      } else if ("[({".includes(code[at])) depth++;
      else if ("])}".includes(code[at])) depth--;
    }
  }
  return found.filter((text) => /\p{L}{2}/u.test(text) && !NAMES.includes(text) && !FILE.test(text));
}

test("nothing visible is hard-coded", async () => {
  const options = { loader: "tsx", jsx: "automatic", jsxImportSource: "preact", target: "es2022", charset: "utf8" };
  const seen = (await transform('const a = <p title="One two">Three four <b>{x}</b></p>', options)).code;
  assert.deepEqual(hardCoded(seen), ["One two", "Three four "]);
  const found = {};
  for (const name of names.filter((name) => name.endsWith(".tsx"))) {
    const texts = hardCoded((await transform(await read(name), options)).code);
    if (texts.length > 0) found[name] = texts;
  }
  assert.deepEqual(found, {});
});

test("the visitor's choice comes first, then the browser's languages, then English", async () => {
  const { preferred } = await importTypeScript("www/src/language.ts");
  assert.equal(preferred(["pt-BR", "de-AT", "en"], null), "de");
  assert.equal(preferred(["de"], "fr"), "fr");
  assert.equal(preferred(["ja", "zh-Hans"], "xx"), "en");
  assert.equal(preferred(["constructor"], null), "en");
});

test("the language that was asked for last stays, whichever catalogue arrives first", async () => {
  const { language, speak } = await importTypeScript("www/src/language.ts");
  globalThis.document = { documentElement: {} };
  try {
    await Promise.all([speak("de"), speak("en")]);
    assert.equal(language.value, "en");
    await speak("de");
    assert.equal(language.value, "de");
  } finally {
    delete globalThis.document;
  }
});

test("opens in the browser's language, says that the model reads English, and keeps another choice", async () => {
  await withPage({ context: { locale: "de-DE", reducedMotion: "reduce" } }, async (page) => {
    await page.getByText("Tippen Sie auf ein Wort, um es zu verbergen.").waitFor();
    assert.equal(await page.getAttribute("html", "lang"), "de");
    await page.getByText("(das Modell liest Englisch)").waitFor();
    await page.locator(".took", { hasText: /^Beantwortet in/ }).waitFor({ timeout: 60_000 });
    assert.equal(await page.locator(".bar-name").first().textContent(), "tea");
    assert.deepEqual(await violations(page), []);
    await page.getByRole("combobox", { name: "Sprache der Seite" }).selectOption("fr");
    await page.getByRole("tab", { name: "Deviner" }).waitFor();
    await page.reload();
    await page.getByRole("tab", { name: "À l’intérieur" }).click();
    await page.getByText("Combien de morceaux BERT lit-il dans votre phrase").waitFor({ timeout: 60_000 });
    await page.getByRole("combobox").selectOption("en");
    await page.getByText("How many pieces does BERT read in your sentence?").waitFor();
    assert.equal(await page.getAttribute("html", "lang"), "en");
  });
});

test("an English visitor fetches no catalogue", async () => {
  await withPage({}, async (page) => {
    const fetched = await page.evaluate(async () => {
      await new Promise((done) => setTimeout(done, 500));
      return performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
    });
    assert.ok(fetched.some((path) => /main\.js/.test(path)));
    assert.deepEqual(
      fetched.filter((path) => /page-(de|fr|es)-/.test(path)),
      [],
    );
  });
});

const VIEWS = (await readdir(join(FOLDER, "views"), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** What a visitor does in a view before its words are looked at again. */
const walk = {
  beat: async (page, look) => {
    await page.locator(".beat input").fill("nurses");
    await page.keyboard.press("Enter");
    await atRest(page);
    await look();
  },
  inside: async (page, look) => {
    for (let station = 0; station < 6; station++) {
      await page.locator(".inside .choice input").nth(station).check();
      await atRest(page);
      const show = page.locator(".inside-quiz .quiet");
      if (await show.count()) await show.first().click();
      await atRest(page);
      await look();
    }
  },
  judge: async (page, look) => {
    for (let kind = 0; kind < 4; kind++) {
      await page.locator(".judge .choice input").nth(kind).check();
      await atRest(page);
      await look();
    }
  },
  find: async (page, look) => {
    await page.locator(".find-hits li").first().waitFor({ timeout: 120_000 });
    await page.locator(".find input[type=checkbox]").check();
    await atRest(page);
    await look();
  },
};

/** Words that are no message: names, units, and the marks of the tokenizer. */
const SAME = new Set(
  "we bert webert auto gpu cpu simd ms mb cls sep mask unk csv english deutsch français español".split(" "),
);

/** Texts and spoken attributes of the page with a word that is neither in `SAME` nor in the texts that are marked as English. */
const leftInEnglish = (page) =>
  page.evaluate(
    (same) => {
      const wordsOf = (text) => (text ?? "").toLowerCase().match(/[a-z]{2,}/g) ?? [];
      const languageOf = (one) => one.closest("[lang]").getAttribute("lang");
      const ownText = (one) => [...one.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data);
      const elements = [...document.querySelectorAll("#app, #app *")];
      window.english ??= new Set(same);
      const data = window.english;
      for (const one of elements) {
        if (languageOf(one) === "en") for (const word of wordsOf(ownText(one).join(" "))) data.add(word);
        if (one.matches("textarea, input")) for (const word of wordsOf(one.value)) data.add(word);
      }
      const found = new Set();
      const check = (text, one, name = "") => {
        const { tagName, classList } = one;
        // An announcement for screen readers may be about an answer that is no longer in sight; it quotes the model's words.
        const own = classList.contains("visually-hidden") ? text.replace(/“[^”]*”/g, "") : text;
        const left = wordsOf(own).filter((word) => !data.has(word));
        if (left.length > 0)
          found.add(`${[tagName, ...classList].join(".")} ${name}: ${text.trim().slice(0, 80)} [${left.slice(0, 5)}]`);
      };
      for (const one of elements) {
        for (const name of ["aria-label", "aria-valuetext", "title", "placeholder", "alt"])
          if (one.hasAttribute(name)) check(one.getAttribute(name), one, name);
        if (languageOf(one) === document.documentElement.lang && one.tagName !== "CODE")
          for (const text of ownText(one)) check(text, one);
      }
      return [...found];
    },
    [...SAME],
  );

test("no English of the page is left in another language, in any view", async () => {
  const catalogue = JSON.parse(await read("languages/de.json"));
  const masked = (key) => key.replace(/\{\d\}|\p{L}/gu, (part) => (part.length > 1 ? part : "ж"));
  const body = `export default ${JSON.stringify(Object.fromEntries(Object.keys(catalogue).map((key) => [key, masked(key)])))}`;
  const prepare = (page) =>
    page.route("**/page-de-*.js", (route) => route.fulfill({ contentType: "text/javascript", body }));
  await withPage({ prepare, context: { locale: "de-DE", reducedMotion: "reduce" } }, async (page) => {
    await page.locator(".took", { hasText: /^ж/ }).waitFor({ timeout: 60_000 });
    await page.locator(".model-chip").click();
    const left = { panel: await leftInEnglish(page) };
    await page.keyboard.press("Escape");
    for (const id of VIEWS) {
      await openView(page, id);
      await page.locator(`.${id}`).waitFor();
      left[id] = await leftInEnglish(page);
      await walk[id]?.(page, async () => left[id].push(...(await leftInEnglish(page))));
    }
    const some = Object.entries(left).filter(([, texts]) => texts.length > 0);
    assert.deepEqual(some, [], some.map(([id, texts]) => `${id}:\n  ${[...new Set(texts)].join("\n  ")}`).join("\n"));
  });
});
