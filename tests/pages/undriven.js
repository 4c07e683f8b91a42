// No tool drives this page. It does the steps that ../undriven.mjs waits for, in order, and reports each outcome to the address after #.

import { pipeline } from "/dist/index.js";
import { answer, calls } from "./calls.js";

const texts = ["One thread or many, the numbers are the same.", "short"];

const post = (told) => fetch(location.hash.slice(1), { method: "POST", body: JSON.stringify(told) });

async function tell(name, body) {
  try {
    await post({ name, result: await body() });
  } catch (error) {
    await post({ name, error: `${error.code ?? ""} ${error.message}\n${error.stack}` });
  }
}

async function embed(threads, worker) {
  const run = await pipeline("feature-extraction", undefined, { device: "wasm", threads, worker });
  const numbers = [...(await run(texts, { pooling: "mean" })).data];
  const found = run.info.threads;
  await run.dispose();
  return { threads: found, numbers };
}

/** Seconds that the page has for a step before the report says what it waited for. */
const PATIENCE = 30;

/**
 * Waits until `find` returns something.
 * @throws {Error} after `PATIENCE` seconds: the name of the wait and what `frame` shows
 */
async function until(what, find, frame) {
  const end = performance.now() + PATIENCE * 1000;
  while (performance.now() < end) {
    const found = find();
    if (found) return found;
    await new Promise((later) => setTimeout(later, 50));
  }
  const { body, visibilityState } = frame.contentDocument;
  const shown = body.innerText.replace(/\s+/g, " ").slice(0, 2000);
  throw new Error(`waited ${PATIENCE} s for ${what}; the page (${visibilityState}) shows: ${shown}`);
}

for (const worker of [true, false]) {
  for (const call of calls) {
    await tell(`${call[0]}, worker: ${worker}`, () => answer(pipeline, call, "/tests/goldens/models/", { worker }));
  }
  await tell(`threads, worker: ${worker}`, async () => [await embed(1, worker), await embed(2, worker)]);
}
await tell("an error", async () => {
  const run = await pipeline("fill-mask");
  const { code, message } = await run("no gap").catch((error) => error);
  const [{ token_str }] = await run("Paris is the [MASK] of France.");
  await run.dispose();
  return { code, message, token_str };
});
/** The page in a frame: reads it, types, presses, and waits. */
function openPage() {
  const frame = document.body.appendChild(document.createElement("iframe"));
  frame.src = "/";
  const find = (selector) => frame.contentDocument?.querySelector(selector);
  const all = (selector) => [...(frame.contentDocument?.querySelectorAll(selector) ?? [])];
  return {
    find,
    text: (selector) => find(selector)?.textContent,
    button: (name) => all("button").find(({ textContent }) => textContent === name),
    open: (id) => find(`#tab-${id}`).click(),
    type: (text) => {
      const field = find("#text");
      field.value = text;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    },
    errors: () =>
      all("[role=alert]")
        .map(({ textContent }) => textContent)
        .join(""),
    until: (what, found) => until(what, found, frame),
  };
}

const page = openPage();
const { find, text, button, open, type } = page;

await tell("the page", async () => {
  await page.until("a device", () => /[CG]PU/.test(text(".model-chip")));
  const answer = () => !/recorded/.test(text(".took")) && text(".bar-name");
  const first = await page.until("the model's first answer", answer);
  type("A kitten is a young ___.");
  const second = await page.until(
    "the answer for a typed gap",
    () => /kitten/.test(text(".words")) && text(".answers h2") === "Gap 1" && answer(),
  );
  open("odd-word");
  type("I drink a cup of cement every morning.");
  const odd = await page.until("the odd word", () => /^Answered/.test(text(".odd-word .took")) && text(".word.odd"));
  return { first, second, odd, error: page.errors() };
});
await tell("all views", async () => {
  open("judge");
  type("I would not call this a bad film.");
  const judge = await page.until(
    "the model's verdict",
    () => /^Answered/.test(text(".judge .took")) && text(".judge-said"),
  );
  open("compare");
  (await page.until("the pairs", () => button("In Texas / New York they like to buy ___."))).click();
  const compare = await page.until(
    "the words of two sentences",
    () => /^Answered/.test(text(".compare .took")) && /oil/.test(text(".compare-story")) && text(".compare-story"),
  );
  open("watch");
  type("Paris is the ___ of France.");
  const watch = await page.until(
    "the last layer's word",
    () => text(".hidden-word") === "capital" && !find(".rung.ahead") && text(".rung:last-child .said-word"),
  );
  open("look");
  type("Anna was tired, so she went to bed early.");
  const look = await page.until(
    "a head over the typed sentence",
    () => /Anna/.test(text(".look-told")) && [text(".look h2"), text(".look-told")],
  );
  open("teach");
  type("When do you open on Sunday?");
  const right = await page.until("the examples held out", () => text(".teach-quality strong"));
  const teach = await page.until("the label", () => text(".teach-said") === "question" && text(".teach-said"));
  open("find");
  (await page.until("the collections", () => button("Letters to a shop"))).click();
  await page.until("the index of letters", () => /^20 passages of/.test(text(".find-text .hint")));
  type("I want my money back");
  const found = await page.until("passages", () => /money back/.test(text(".find-hits li")) && text(".find-hits li p"));
  open("grow");
  (await page.until("the start of a run", () => button("Grow a BERT"))).click();
  const grow = await page.until("a step of the run", () => /^Step \d+/.exec(text(".grow-status"))?.[0]);
  (await page.until("the end of a run", () => button("Stop"))).click();
  return { judge, compare, watch, look, right, teach, found, grow, error: page.errors() };
});
