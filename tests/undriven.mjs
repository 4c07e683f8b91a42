// The package and the page in a browser without a driver. The browser runs pages/undriven.js alone and reports the outcome: every pipeline as
// in Node, in a Worker and in the page's own thread, threads, an error, the page.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test as plainTest } from "node:test";
import { fileURLToPath } from "node:url";
import { pipeline } from "../dist/node.js";
import { serve } from "../scripts/serve.mjs";
import { alike } from "./alike.mjs";
import { answer, calls } from "./pages/calls.js";

const folder = fileURLToPath(new URL("goldens/models/", import.meta.url));

/** Starts a browser. Returns a function that waits for the outcome reported under a name. */
async function listen(browserName, start) {
  /** Outcomes by name, and a promise for each. */
  const told = new Map();
  const news = new EventEmitter();
  const site = await serve({ more: { "/tests/": "tests" } });
  const ear = createServer(async (request, response) => {
    const { name, ...outcome } = JSON.parse(await text(request));
    told.set(name, outcome);
    news.emit("told");
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end();
  }).listen(0, "127.0.0.1");
  await once(ear, "listening");

  const profile = await mkdtemp(join(tmpdir(), "webert-browser-"));
  const browser = await start(`${site.url}tests/pages/undriven.html#http://127.0.0.1:${ear.address().port}/`, profile);
  const ended = once(browser, "exit").then(() => news.emit("told"));

  after(async () => {
    browser.kill("SIGKILL");
    await ended;
    ear.closeAllConnections();
    ear.close();
    await site.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  return async (name, signal) => {
    while (!told.has(name)) {
      if (browser.exitCode !== null || browser.signalCode !== null)
        throw new Error(`${browserName} ended before it told of ${name}`);
      await once(news, "told", { signal });
    }
    const { result, error } = told.get(name);
    assert.equal(error, undefined);
    return result;
  };
}

/** Tests the browser `name`. `start(url, profile)` opens the page at `url` with a new profile folder and returns its process. */
export async function testBrowser(name, start) {
  const outcome = await listen(name, start);
  /** Time limit: a page that never answers is one of the tested failures. */
  const test = (what, body) =>
    plainTest(`${name}: ${what}`, { timeout: 120_000 }, ({ signal }) => body((of) => outcome(of, signal)));

  for (const worker of [true, false]) {
    for (const call of calls) {
      const what = `${call[0]}, worker: ${worker}`;
      test(what, async (tells) => {
        const want = await answer(pipeline, call, folder);
        const got = await tells(what);
        assert.equal(got.device, "wasm");
        alike(JSON.parse(got.text), JSON.parse(want.text), what);
      });
    }
    test(`two threads give the same bits as one, worker: ${worker}`, async (tells) => {
      const [one, two] = await tells(`threads, worker: ${worker}`);
      assert.deepEqual([one.threads, two.threads], [1, 2]);
      assert.deepEqual(two.numbers, one.numbers);
    });
  }

  test("an error is a sentence, and the pipeline goes on", async (tells) => {
    const { code, message, token_str } = await tells("an error");
    assert.equal(code, "bad_input");
    assert.match(message, /\[MASK\].*no gap/);
    assert.equal(token_str, "capital");
  });

  test("the page answers with its embedded model, and finds the odd word", async (tells) => {
    const unmask = await pipeline("fill-mask");
    const best = async (text) => (await unmask(text))[0].token_str;
    const { first, second, odd, error } = await tells("the page");
    assert.equal(first, await best("I drink a cup of [MASK] every morning."));
    assert.equal(second, await best("A kitten is a young [MASK]."));
    assert.equal(odd, "cement");
    assert.equal(error, "");
    await unmask.dispose();
  });

  test("every other view answers as in Chromium", async (tells) => {
    const { judge, compare, watch, look, right, teach, found, grow, error } = await tells("all views");
    assert.match(
      compare,
      /^“oil” is \d+ times likelier with “Texas”, “newspaper” is \d+ times likelier with “New York”\.$/,
    );
    assert.match(judge, /^It says positive, 90 %/);
    assert.match(judge, /It would be negative without “not”, and also without “bad”\.$/);
    assert.equal(watch, "capital");
    assert.equal(look[0], "Whom a pronoun means: layer 2, head 4");
    assert.match(look[1], /^“she” looks at “Anna” \(\d+ %\)/);
    assert.match(right, /^1[1-5] of 15$/);
    assert.equal(teach, "question");
    assert.match(found, /send the money back to DE89 3704 0044 0532 0130 00/);
    assert.match(grow, /^Step [1-9]/);
    assert.equal(error, "");
  });
}
