// A real browser for tests: Chromium and the project's server, started once per test file. A file with both software GPUs starts two browsers.

import { after } from "node:test";
import { launchChromium } from "../scripts/lib/chromium.mjs";
import { serve } from "../scripts/serve.mjs";

/** An empty page, served with the headers of the real one. */
export const blank = "tests/pages/blank.html";

let server;
/** The browsers by the driver of their software GPU. */
const browsers = new Map();

/** The project's server. */
const started = () => (server ??= serve({ more: { "/tests/": "tests" } }));

/** The browser whose GPU has this driver. */
function browserWith(driver) {
  if (!browsers.has(driver)) browsers.set(driver, launchChromium([], driver));
  return browsers.get(driver);
}

after(async () => {
  for (const browser of browsers.values()) await (await browser).close();
  await (await server)?.close();
});

/** The server's address, with a slash at the end. */
export const baseUrl = async () => (await started()).url;

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
 * them. `driver` computes WebGPU: "swiftshader", what Chromium has without a GPU, or "lavapipe".
 */
export async function withPage(
  { path = "", allowErrors = false, prepare, context = {}, driver = "swiftshader" } = {},
  body,
) {
  const url = await baseUrl();
  const browser = await browserWith(driver);
  const profile = await browser.newContext({ serviceWorkers: "block", ...context });
  try {
    const page = await profile.newPage();
    page.setDefaultTimeout(120_000); // a busy machine is slow, and no test depends on the time
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
    });
    await throttle(page);
    await prepare?.(page);
    const response = await page.goto(new URL(path, url).href);
    if (response?.ok() === false)
      throw new Error(`the server answers ${response.status()} for ${response.url()}: is the page built?`);
    const result = await body(page, { url, errors });
    if (!allowErrors && errors.length > 0) throw new Error(`the page reported:\n${errors.join("\n")}`);
    return result;
  } finally {
    await profile.close();
  }
}

/**
 * As `withPage`, with WebGPU on Mesa's driver: tests compute on it as on SwiftShader, at a fraction of the cost, because it keeps compiled shaders
 * from load to load. It has 16-bit floats, which SwiftShader lacks.
 */
export const withLavapipe = (options, body) => withPage({ driver: "lavapipe", ...options }, body);

/** Milliseconds without a change after which a view is at rest: longer than the page's pauses before it asks the model. */
const QUIET = 200;

/**
 * Waits until the page's view is at rest: it is loaded and neither it nor a part of it is busy, its own progress lines are gone, no animation
 * with an end runs, and the panel has not changed for a moment.
 */
export const atRest = (page, timeout = 60_000) =>
  page.evaluate(
    async ([quiet, timeout]) => {
      const panel = document.getElementById("panel");
      let changed = performance.now();
      const observer = new MutationObserver(() => (changed = performance.now()));
      observer.observe(panel, { subtree: true, childList: true, characterData: true, attributes: true });
      const isBusy = () =>
        panel.childElementCount === 0 ||
        panel.matches(":has(> .hint:only-child)") ||
        panel.querySelector('[aria-busy="true"], progress') !== null ||
        panel.getAnimations({ subtree: true }).some(({ effect }) => effect.getComputedTiming().endTime < Infinity);
      const end = performance.now() + timeout;
      for (; isBusy() || performance.now() - changed < quiet; ) {
        if (performance.now() > end) throw new Error(`not at rest: ${panel.innerHTML.slice(0, 300)}`);
        await new Promise((done) => setTimeout(done, 20));
      }
      observer.disconnect();
    },
    [QUIET, timeout],
  );

/** Opens a view by its id and waits until it is at rest. */
export async function openView(page, id) {
  await page.evaluate((id) => (location.hash = id), id);
  await page.locator(`.view-${id}`).waitFor();
  await atRest(page);
}

/**
 * Calls `body` and returns `{ result, longest, total }`: its result, and the processor time in ms of the longest task of
 * the page's thread meanwhile and of all its tasks.
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
  const times = tasks.map(({ tdur }) => tdur / 1000);
  return { result, longest: Math.max(...times), total: times.reduce((sum, time) => sum + time, 0) };
}
