// The files that a browser keeps of a model, in Chromium: downloads that are slow, aborted, shared by two pages, or too large.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { blank, withPage } from "./browser.mjs";

const folder = new URL("../models/minilm-mlm/", import.meta.url);
/** Milliseconds that the weights take to arrive, in this many pieces. */
const SLOW = { milliseconds: 800, pieces: 16 };
let server, host;
let isDown = false;
const hits = [];

// Serves the package's model under every Hub name, the weights slowly. /stall/ never sends their last byte.
before(async () => {
  server = createServer(async ({ url, method }, response) => {
    if (isDown) return response.destroy();
    if (method === "GET") hits.push(url);
    const headers = { "access-control-allow-origin": "*", "content-type": "application/octet-stream", etag: '"1"' };
    const file = await readFile(new URL(url.split("/").pop(), folder)).catch(() => undefined);
    if (!file) return response.writeHead(404, headers).end();
    // Compressed, which a page of another origin cannot see; a small file grows by compression.
    const sent = url.endsWith(".json") ? gzipSync(file) : file;
    response.writeHead(200, {
      ...headers,
      "content-length": sent.length,
      ...(sent !== file && { "content-encoding": "gzip" }),
    });
    if (!url.endsWith(".safetensors")) return response.end(sent);
    const piece = Math.ceil(file.length / SLOW.pieces);
    for (let at = 0; at < file.length && !response.destroyed; at += piece) {
      response.write(file.subarray(at, at + piece));
      await new Promise((done) => setTimeout(done, SLOW.milliseconds / SLOW.pieces));
    }
    response.end();
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  host = `http://127.0.0.1:${server.address().port}/`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

/** Loads a model from the server in a page, disposes of it, and returns its answer to `text`. */
const answer = (page, name, text = "Paris is the [MASK] of France.", options = {}) =>
  page.evaluate(
    async ({ host, name, text, options }) => {
      const { pipeline, env } = await import("/dist/index.js");
      env.remoteHost = host;
      const pipe = await pipeline("fill-mask", name, { device: "wasm", threads: 1, ...options });
      const answers = text ? await pipe(text) : undefined;
      await pipe.dispose();
      return answers ? answers[0].token_str : "";
    },
    { host, name, text, options },
  );

test("keeps a slow download for a load without a network", { timeout: 120_000 }, async () => {
  await withPage({ path: blank, allowErrors: true }, async (page) => {
    const names = Array.from({ length: 6 }, (_, i) => `me/slow-${i}`);
    // disposed of right after the load
    for (const [i, name] of names.entries()) await answer(page, name, "", { worker: i % 3 !== 2, dtype: "fp32" });
    isDown = true;
    try {
      for (const name of names) assert.equal(await answer(page, name), "capital", name);
    } finally {
      isDown = false;
    }
  });
});

test("keeps the file of a load that is aborted after the last byte", { timeout: 120_000 }, async () => {
  await withPage({ path: blank }, async (page) => {
    for (const worker of [true, false]) {
      const name = `me/aborted-${worker}`;
      const code = await page.evaluate(
        async ({ host, name, worker }) => {
          const { pipeline, env } = await import("/dist/index.js");
          env.remoteHost = host;
          const stop = new AbortController();
          // the last piece has arrived, but may not be stored yet
          const progress_callback = ({ file, loaded, total }) => {
            if (file === "model.safetensors" && loaded && loaded === total) stop.abort();
          };
          return pipeline("fill-mask", name, { device: "wasm", worker, signal: stop.signal, progress_callback }).then(
            () => "loaded",
            ({ code }) => code,
          );
        },
        { host, name, worker },
      );
      assert.equal(code, "aborted");
      await page.waitForFunction(
        async (url) => (await caches.match(url)) !== undefined,
        `${host}${name}/resolve/main/model.safetensors`,
        { timeout: 60_000 },
      );
    }
  });
});

test("two pages that load a model at once share the download", { timeout: 120_000 }, async () => {
  await withPage({ path: blank }, async (page, { url }) => {
    const other = await page.context().newPage();
    await other.goto(new URL(blank, url).href);
    hits.length = 0;
    assert.deepEqual(await Promise.all([answer(page, "me/both"), answer(other, "me/both"), answer(page, "me/both")]), [
      "capital",
      "capital",
      "capital",
    ]);
    for (const file of ["model.safetensors", "config.json", "tokenizer.json"]) {
      assert.equal(hits.filter((path) => path === `/me/both/resolve/main/${file}`).length, 1, file);
    }
  });
});

test("warns if the browser has no room for a file, and the model works", { timeout: 120_000 }, async () => {
  await withPage({ path: blank }, async (page, { url }) => {
    const told = [];
    page.on("console", (message) => told.push(message.text()));
    const session = await page.context().newCDPSession(page);
    await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(url).origin, quotaSize: 3_000_000 });
    assert.equal(await answer(page, "me/full"), "capital");
    assert.ok(
      told.some((text) =>
        /me\/full\/resolve\/main\/model\.safetensors is used, but not kept: there is no room/.test(text),
      ),
      told.join("\n"),
    );
  });
});

test("uses a cache of the page's own", { timeout: 120_000 }, async () => {
  await withPage({ path: blank }, async (page) => {
    const urls = await page.evaluate(async (host) => {
      const { pipeline, env } = await import("/dist/index.js");
      const kept = new Map();
      env.remoteHost = host;
      env.useCustomCache = true;
      env.customCache = {
        match: async (url) => kept.get(url)?.clone(),
        put: async (url, response) => void kept.set(url, new Response(await response.blob(), response)),
      };
      await (await pipeline("fill-mask", "me/custom", { device: "wasm" })).dispose();
      return [...kept.keys()];
    }, host);
    assert.ok(urls.includes(`${host}me/custom/resolve/main/model.safetensors`), urls.join());
  });
});
