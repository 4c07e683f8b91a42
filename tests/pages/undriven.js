// Nothing drives this page: it does what ../undriven.mjs waits for, in order, and tells each outcome to the address after #.

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

/** Waits for `find` to give something. */
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
await tell("the demo", async () => {
  const frame = document.body.appendChild(document.createElement("iframe"));
  frame.src = "/";
  const find = (selector) => frame.contentDocument?.querySelector(selector);
  await until(() => find("#labels .bar"));
  const first = await until(() => find("#answers .sequence")?.textContent);
  [...frame.contentDocument.querySelectorAll("button")]
    .find((button) => button.textContent.startsWith("A kitten"))
    .click();
  const second = await until(() => /kitten/.exec(find("#answers .sequence")?.textContent)?.input);
  return {
    first,
    second,
    error: [...frame.contentDocument.querySelectorAll("[role=alert]")].map(({ textContent }) => textContent).join(""),
  };
});
