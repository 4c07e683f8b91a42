// The page's figures in Chromium, each with a generous limit: paint, answers, tasks, shifts, memory, requests, offline use.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { launchChromium, privateMemory } from "../scripts/lib/chromium.mjs";
import { violations } from "./axe.mjs";
import { atRest, baseUrl, blank, longestTask, openView, withPage } from "./browser.mjs";
import { openAll, walkByTab } from "./keyboard.mjs";

const VIEWS = ["guess", "odd-word", "beat", "judge", "compare", "inside", "watch", "look", "teach", "find", "grow"];
const ready = (page) => page.locator(".model-chip", { hasText: /^The model: [CG]PU/ }).waitFor({ timeout: 60_000 });
const recorded = (page) => page.locator(".bar-name", { hasText: "coffee" }).first().waitFor();
const answered = (page) =>
  page
    .locator(".took", { hasText: /^Answered in/ })
    .first()
    .waitFor({ timeout: 60_000 });

/** Records when the first answers appear, and shifts, from the start of the page. */
const watch = (page) =>
  page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
    }).observe({ type: "layout-shift", buffered: true });
    new MutationObserver((_, observer) => {
      if (!window.played && document.querySelector(".bar")) window.played = performance.now();
      if (!/^Answered in/.test(document.querySelector(".took")?.textContent)) return;
      window.answered = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, characterData: true, subtree: true });
  });

test("a first visit shows a recorded answer before the model's own, within limits of shifts, requests and bytes, and contacts no other host", async () => {
  const fetched = new Map();
  let bytes = 0;
  const prepare = async (page) => {
    await watch(page);
    page.context().on("requestfinished", async (request) => {
      const { responseBodySize } = await request.sizes().catch(() => ({ responseBodySize: 0 }));
      bytes += responseBodySize;
    });
    page.context().on("request", (request) => fetched.set(request.url(), (fetched.get(request.url()) ?? 0) + 1));
  };
  await withPage({ prepare }, async (page, { url }) => {
    await answered(page);
    await page.waitForTimeout(500);
    const { paint, played, first, shift } = await page.evaluate(() => ({
      paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
      played: window.played,
      first: window.answered,
      shift: window.shift,
    }));
    console.log(
      `first paint ${Math.round(paint)} ms, first recorded answer ${Math.round(played)} ms, the model's ${Math.round(first)} ms, ` +
        `shift ${shift.toFixed(4)}, ${fetched.size} requests, ${(bytes / 1e6).toFixed(1)} MB`,
    );
    assert.ok(paint < first && played < first, "the page shows a recorded answer before the model's own");
    assert.ok(shift <= 0.02, `a shift of ${shift}`);
    for (const address of fetched.keys()) assert.ok(address.startsWith(url), address);
    assert.ok(fetched.size < 60 && bytes < 27e6);
    const weights = [...fetched].filter(([address]) => /safetensors$/.test(address));
    assert.equal(weights.length, 1, "one encoder");
  });
});

test("a link to a view moves nothing that was shown, at 360 pixels", async () => {
  const context = { viewport: { width: 360, height: 740 } };
  const prepare = async (page) => {
    await watch(page);
    await page.context().route("**/*.safetensors", () => {});
    // the frame is seen before the view
    await page.context().route("**/page-*.js", (route) => setTimeout(() => route.continue(), 300));
  };
  for (const id of ["judge", "compare", "inside", "find"])
    await withPage({ path: `#${id}`, context, prepare }, async (page) => {
      await page.locator(`.view-${id} .lead`).waitFor();
      await page.waitForTimeout(1000); // until nothing moves
      const shift = await page.evaluate(() => window.shift);
      console.log(`a link to ${id}: a shift of ${shift.toFixed(3)}`);
      assert.ok(shift <= 0.1, `${id}: a shift of ${shift}`);
    });
});

test("shows the first answer within 400 px on any screen without overflow; 100 kB of text block nothing", async () => {
  const shows = ([width, height]) =>
    withPage({ context: { viewport: { width, height } } }, async (page) => {
      await recorded(page);
      const top = await page.locator(".gap .answer").evaluate((answer) => answer.getBoundingClientRect().bottom);
      assert.ok(top <= 400, `${top} px at a width of ${width}`);
      for (const id of VIEWS) {
        await page.evaluate((id) => (location.hash = id), id);
        await page.locator(`.view-${id}`).waitFor();
        await page.waitForTimeout(300);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${id} sticks out by ${over} at a width of ${width}`);
      }
      if (width > 320) return;
      await ready(page);
      for (const id of ["guess", "odd-word"]) {
        await page.evaluate((id) => (location.hash = id), id);
        const { longest } = await longestTask(page, async () => {
          await page.locator("#text").fill("Donaudampfschifffahrtsgesellschaft".repeat(3000));
          await page.locator(`.${id} .more`, { hasText: "the rest of the text is not read" }).waitFor();
        });
        console.log(`100 kB of text in ${id}: the longest task takes ${Math.round(longest)} ms of processor time`);
        assert.ok(longest < 1000, `${id}: ${longest} ms`);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
      }
    });
  await Promise.all(
    [
      [1280, 900],
      [768, 1024],
      [390, 844],
    ].map(shows),
  );
  await shows([320, 640]); // alone: it has a time limit
});

test("at 400 % zoom nothing overflows, and the field covers no element with keyboard focus", async () => {
  const walk = (context) =>
    withPage({ context }, async (page) => {
      await ready(page);
      for (const id of VIEWS) {
        await openView(page, id);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${id} sticks out by ${over}`);
        await page.evaluate(() => {
          const stops = document.querySelectorAll(
            "#panel :is(button, input, textarea, summary, [tabindex='0']):not(:disabled)",
          );
          [...stops].findLast((stop) => stop.checkVisibility()).focus();
        });
        const seen = new Set();
        for (;;) {
          await page.keyboard.press("Shift+Tab");
          const { name, isField, covered, height } = await page.evaluate(() => {
            const field = document.querySelector(".field");
            const focused = document.activeElement;
            const { top, bottom } = focused.getBoundingClientRect();
            const is = field.getBoundingClientRect();
            return {
              name: focused.outerHTML.slice(0, 120),
              isField: field.contains(focused) || focused.closest(".top") !== null,
              covered: Math.min(bottom, is.bottom) - Math.max(top, is.top),
              height: bottom - top,
            };
          });
          if (isField || seen.has(name)) break;
          seen.add(name);
          assert.ok(covered < height / 2, `${id}: ${name} is ${covered} px behind the field`);
        }
        assert.ok(seen.size >= 2, `${id}: ${[...seen]}`); // Beat BERT begins with a field and its tab
      }
    });
  const contexts = [
    { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 },
    { viewport: { width: 390, height: 600 } },
  ];
  await Promise.all(contexts.map(walk));
});

for (const viewport of [
  { width: 320, height: 256 },
  { width: 256, height: 205 },
])
  test(`at ${viewport.width} px the Tab key reaches each control of each view and of all that opens, with a visible focus, and no part overflows`, async () => {
    await withPage({ context: { viewport, deviceScaleFactor: 4, reducedMotion: "reduce" } }, async (page) => {
      await ready(page);
      for (const id of [...VIEWS, "measure"]) {
        await openView(page, id);
        await openAll(page);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${id} sticks out by ${over}`);
        await walkByTab(page, id);
      }
    });
  });

test("typing causes no long task in any view", async () => {
  await withPage({}, async (page) => {
    await ready(page);
    for (const id of VIEWS.filter((id) => id !== "grow")) {
      const field = id === "beat" ? "#beat-word" : "#text";
      await page.evaluate((id) => (location.hash = id), id);
      await page.locator(`.view-${id}`).waitFor();
      if (id === "find")
        await page.locator(".find-progress").waitFor(); // typing while it reads
      else await atRest(page);
      const { longest } = await longestTask(page, async () => {
        await page.locator(field).press("End");
        await page.locator(field).pressSequentially(" It was late.", { delay: 60 });
        if (id === "find") await page.waitForTimeout(500);
        else await atRest(page);
      });
      console.log(`typing in ${id}: the longest task takes ${Math.round(longest)} ms of processor time`);
      assert.ok(longest < 200, `${id}: ${longest} ms`);
    }
  });
});

test("at 1.5 Mbit/s the page is usable after half a megabyte and estimates the model's load", async () => {
  let bytes = 0;
  const prepare = async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    session.on("Network.dataReceived", ({ encodedDataLength }) => (bytes += encodedDataLength));
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 40,
      downloadThroughput: 1.5e6 / 8,
      uploadThroughput: 1.5e6 / 8,
    });
  };
  await withPage({ prepare, allowErrors: true }, async (page) => {
    await recorded(page);
    await page.locator(".word", { hasText: "drink" }).click();
    await page.getByRole("heading", { name: "In place of “drink”" }).waitFor();
    console.log(`first interaction after ${bytes} bytes`);
    assert.ok(bytes < 500_000);
    await page.locator(".model-chip", { hasText: /\d+ of 2\d MB · .* left$/ }).waitFor();
  });
});

test("a second visit works without a network: page, model and views", async () => {
  await withPage({ context: { serviceWorkers: "allow" } }, async (page) => {
    const weights = [];
    page.context().on("requestfinished", (request) => /safetensors$/.test(request.url()) && weights.push(request));
    await answered(page);
    await page.locator(".model-chip").click();
    await page.getByText("it also works without a network").waitFor({ timeout: 60_000 });
    const fromNetwork = weights.filter((request) => request.serviceWorker());
    assert.equal(fromNetwork.length, 1, "the weights are fetched once");
    await page.context().setOffline(true);
    await page.reload();
    await ready(page);
    await answered(page);
    assert.equal(await page.evaluate(() => crossOriginIsolated), true);
    await page.getByRole("tab", { name: "Odd word out" }).click();
    await answered(page);
    assert.deepEqual(await page.locator(".word.odd").allTextContents(), ["cement"]);
  });
});

test("the page answers with a full disk and keeps nothing", async () => {
  await withPage({ path: blank, context: { serviceWorkers: "allow" } }, async (page, { url }) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(url).origin, quotaSize: 200_000 });
    await page.goto(url);
    await answered(page);
    await page.reload();
    await answered(page);
    const kept = await page.evaluate(async () =>
      (await (await caches.open("webert-page")).keys()).map(({ url }) => url),
    );
    assert.ok(!kept.some((address) => /safetensors$/.test(address)));
  });
});

/**
 * Private memory in MB of the process that shows the page, after a garbage collection in the page and its Workers; undefined if the system does
 * not report it. Garbage is collected when memory is short, so it would hide what the page holds.
 */
async function memoryOf(page) {
  const collect = () => {
    gc();
    gc();
  };
  // a thread of a pool waits in WebAssembly and does not answer
  const answers = page.workers().map((worker) => worker.evaluate(collect).catch(() => {}));
  await Promise.race([Promise.all(answers), page.waitForTimeout(1500)]);
  await page.evaluate(collect);
  const session = await page.context().browser().newBrowserCDPSession();
  const sizes = await privateMemory(session, ["renderer"], { written: true });
  return sizes.length ? Math.max(...sizes) / 1000 : undefined;
}

/** Maximum MB that the page holds with one view, while Inside is shown, when all views were used, and when Inside was left a while ago. */
const MOST = { guess: 90, inside: 120, all: 170, later: 110 };
/** Milliseconds until the page has freed Inside's binary, and the browser what was its memory: less than one minute, more on a busy machine. */
const FREED = 180_000;

test("limits what the page holds with one view, in Inside, and with all views used", async (t) => {
  const browser = await launchChromium(["--js-flags=--expose-gc"]);
  try {
    const page = await (await browser.newContext({ serviceWorkers: "block" })).newPage();
    await page.goto(await baseUrl());
    await ready(page);
    const held = {};
    for (const id of VIEWS) {
      await openView(page, id);
      const name = id === VIEWS.at(-1) ? "all" : id;
      if (!(name in MOST)) continue;
      held[name] = await memoryOf(page);
      if (held[name] === undefined) return t.skip("the system does not tell of memory");
    }
    const end = Date.now() + FREED;
    do {
      await page.waitForTimeout(FREED / 9);
      held.later = await memoryOf(page);
    } while (held.later > MOST.later && Date.now() < end);
    await openView(page, "judge");
    await page.locator("#text").fill("The staff were wonderful.");
    await page.locator(".judge-verdict", { hasText: "It says positive, 90 %" }).waitFor();
    console.log(
      `MB held: ${Object.entries(held)
        .map(([id, size]) => `${id} ${Math.round(size)}`)
        .join(", ")}`,
    );
    for (const [id, most] of Object.entries(MOST)) assert.ok(held[id] < most, `${id}: ${held[id]} MB`);
  } finally {
    await browser.close();
  }
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in any view in ${colorScheme} colours`, async () => {
    const context = {
      colorScheme,
      reducedMotion: "reduce",
      viewport: { width: colorScheme === "dark" ? 390 : 1280, height: 844 },
    };
    await withPage({ context }, async (page) => {
      await recorded(page);
      const check = async (state) => assert.deepEqual(await violations(page), [], state);
      await check("while the model loads");
      await ready(page);
      for (const id of VIEWS) {
        await openView(page, id);
        await check(id);
      }
      await page.locator(".model-chip").click();
      await check("the model's panel");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Copy link" }).click();
      await check("the consent");
      await page.evaluate(() => (location.hash = "guess"));
      await page.locator("#text").fill("");
      await page.waitForTimeout(300);
      await check("no text");
    });
  });
}

test("every view has its tab, or its link at the foot of the page", async () => {
  const folders = (await readdir(new URL("../www/src/views", import.meta.url), { withFileTypes: true })).filter(
    (entry) => entry.isDirectory(),
  );
  assert.deepEqual(folders.map(({ name }) => name).sort(), [...VIEWS, "measure"].sort());
});
