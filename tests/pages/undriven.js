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

/** Waits until `find` returns something. */
async function until(find) {
  for (;;) {
    const found = find();
    if (found) return found;
    await new Promise((later) => setTimeout(later, 50));
  }
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
await tell("the page", async () => {
  const frame = document.body.appendChild(document.createElement("iframe"));
  frame.src = "/";
  const find = (selector) => frame.contentDocument?.querySelector(selector);
  await until(() => /[CG]PU/.test(find(".model-chip")?.textContent));
  const sentence = () => find(".words")?.textContent;
  const answer = () => !/recorded/.test(find(".took")?.textContent) && find(".bar-name")?.textContent;
  const first = await until(answer);
  const field = find("#text");
  field.value = "A kitten is a young ___.";
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  const second = await until(
    () => /kitten/.test(sentence()) && find(".answers h2")?.textContent === "Gap 1" && answer(),
  );
  find("#tab-odd-word").click();
  field.value = "I drink a cup of cement every morning.";
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  const odd = await until(
    () => find(".odd-word .took") && /^Answered/.test(find(".took").textContent) && find(".word.odd")?.textContent,
  );
  const errors = [...frame.contentDocument.querySelectorAll("[role=alert]")];
  return { first, second, odd, error: errors.map(({ textContent }) => textContent).join("") };
});
await tell("all views", async () => {
  const frame = document.querySelector("iframe");
  const find = (selector) => frame.contentDocument.querySelector(selector);
  const text = (selector) => find(selector)?.textContent;
  const button = (name) =>
    [...frame.contentDocument.querySelectorAll("button")].find((one) => one.textContent === name);
  const field = find("#text");
  const type = (text) => {
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };
  const open = (id) => find(`#tab-${id}`).click();

  open("watch");
  type("Paris is the ___ of France.");
  const watch = await until(
    () => text(".hidden-word") === "capital" && !find(".rung.ahead") && text(".rung:last-child .said-word"),
  );
  open("look");
  type("Anna was tired, so she went to bed early.");
  const look = await until(() => /Anna/.test(text(".look-told")) && [text(".look h2"), text(".look-told")]);
  open("teach");
  type("When do you open on Sunday?");
  const right = await until(() => text(".teach-quality strong"));
  const teach = await until(() => text(".teach-said") === "question" && text(".teach-said"));
  open("find");
  (await until(() => button("Letters to a shop"))).click();
  await until(() => /^20 passages of/.test(text(".find-text .hint")));
  type("I want my money back");
  const found = await until(() => /money back/.test(text(".find-hits li")) && text(".find-hits li p"));
  open("grow");
  (await until(() => button("Grow a BERT"))).click();
  const grow = await until(() => /^Step \d+/.exec(text(".grow-status"))?.[0]);
  (await until(() => button("Stop"))).click();
  const alerts = [...frame.contentDocument.querySelectorAll("[role=alert]")];
  return { watch, look, right, teach, found, grow, error: alerts.map(({ textContent }) => textContent).join("") };
});
