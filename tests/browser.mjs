// A real browser for tests: Chromium and the project's server, both started once per test file.

import { after } from "node:test";
import { launchChromium } from "../scripts/lib/chromium.mjs";
import { serve } from "../scripts/serve.mjs";

/** An empty page, served with the headers of the real one. */
export const blank = "tests/pages/blank.html";

let started;

async function start() {
  const server = await serve({ more: { "/tests/": "tests" } });
  const browser = await launchChromium();
  return { server, browser };
}

after(async () => {
  if (started === undefined) return;
  const { server, browser } = await started;
  await browser.close();
  await server.close();
});

/** The server's address, with a slash at the end. */
export async function baseUrl() {
  started ??= start();
  return (await started).server.url;
}

/** If THROTTLE is set, pages run slower by this factor. It shows what a test reads too early. */
async function throttle(page) {
  const rate = Number(process.env.THROTTLE ?? 1);
  if (rate <= 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
}

/**
 * Opens `path` in a fresh profile and calls `body(page, { url, errors })`. Errors that the page throws or logs fail the test, unless
 * `allowErrors` is set; they are also in the array `errors`. `prepare(page)` runs before the page loads. `context` is passed to Playwright
 * (viewport, colorScheme). Service workers are blocked, because routes do not see their requests; `serviceWorkers: "allow"` permits
 * them.
 */
export async function withPage({ path = "", allowErrors = false, prepare, context = {} } = {}, body) {
  const url = await baseUrl();
  const { browser } = await started;
  const profile = await browser.newContext({ serviceWorkers: "block", ...context });
  try {
    const page = await profile.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
    });
    await throttle(page);
    await prepare?.(page);
    await page.goto(new URL(path, url).href);
    const result = await body(page, { url, errors });
    if (!allowErrors && errors.length > 0) throw new Error(`the page reported:\n${errors.join("\n")}`);
    return result;
  } finally {
    await profile.close();
  }
}

/**
 * Calls `body` and returns `{ result, longest }`: its result, and the processor time in ms of the longest task of the page's thread meanwhile.
 * The duration of a task also counts other programs, for which it had to wait.
 */
export async function longestTask(page, body) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  let events;
  let result;
  try {
    result = await body();
  } finally {
    events = JSON.parse((await browser.stopTracing()).toString()).traceEvents;
  }
  const thread = ({ pid, tid }) => `${pid} ${tid}`;
  const isMain = ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain";
  const main = new Set(events.filter(isMain).map(thread));
  const tasks = events.filter((event) => event.name === "RunTask" && event.tdur && main.has(thread(event)));
  if (tasks.length === 0) throw new Error("the trace has no tasks of the page's thread");
  return { result, longest: Math.max(...tasks.map(({ tdur }) => tdur)) / 1000 };
}
