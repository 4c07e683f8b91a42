// The browser build in Chromium, without the page: in a Worker and in the page's thread, and with a Hub model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blank, withPage } from "./browser.mjs";

/** Runs in the page: what a pipeline answers, how it fails, and how calls and loads are cancelled. */
async function answers(worker) {
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
      ({ status, file, loaded, total }) => status === "progress" && file === "model.safetensors" && loaded === total,
    ),
    ids: tokenizer.encode("paris"),
  };
}

test("in a Worker and in the page's thread: the same answers, errors and cancellation", async () => {
  await withPage({ path: blank }, async (page) => {
    for (const worker of [true, false]) {
      const found = await page.evaluate(answers, worker);
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
    // a file may be listed shortly before it can be read
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

test("calls that failed without a network succeed with one: in a Worker and in the page's thread", async () => {
  await withPage({ path: blank, allowErrors: true }, async (page) => {
    await page.evaluate(async () => (globalThis.webert = await import("/dist/index.js")));
    /** The answers of two calls whose code is in different scripts, or the codes of their errors. */
    const answers = (worker) =>
      page.evaluate(async (worker) => {
        const code = (error) => error.code;
        const unmasked = async () => {
          const unmask = await webert.pipeline("fill-mask", "/models/minilm-mlm", {
            device: "wasm",
            threads: 1,
            worker,
          });
          const [best] = await unmask("Paris is the [MASK] of France.");
          await unmask.dispose();
          return best.token_str;
        };
        const redacted = async () => (await webert.redact("Write to anna@example.org.", { model: false })).text;
        return [await unmasked().catch(code), await redacted().catch(code)];
      }, worker);
    const right = ["capital", "Write to [EMAIL_1]."];
    await page.context().setOffline(true);
    for (const worker of [true, false]) assert.deepEqual(await answers(worker), ["not_found", "not_found"]);
    await page.context().setOffline(false);
    for (const worker of [true, false]) assert.deepEqual(await answers(worker), right);
  });
});
