// A first load in a browser: the bytes of JavaScript and wasm, with brotli, that the network transfers before the first answer.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, sep } from "node:path";
import { after, test } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";
import { launchChromium } from "../scripts/lib/chromium.mjs";
import { root } from "../scripts/lib/run.mjs";

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const compressed = new Map();

/** A file's bytes with brotli, compressed once. */
async function brotliOf(path) {
  if (!compressed.has(path)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    compressed.set(path, brotliCompressSync(await readFile(join(root, path)), { params }));
  }
  return compressed.get(path);
}

/** Serves dist/ and models/, with code compressed; `fetched` collects the bytes of each code file that was sent. */
async function serving(isIsolated) {
  const fetched = new Map();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://host").pathname.slice(1);
    const isCode = /\.(js|wasm)$/.test(path);
    const isolation = {
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    };
    const headers = {
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "cache-control": "max-age=600",
      ...(isIsolated && isolation),
    };
    try {
      if (path === "")
        return response.writeHead(200, { ...headers, "content-type": "text/html" }).end("<!doctype html>");
      assert.ok(/^(dist|models)\//.test(path) && !path.split(sep).includes(".."), path);
      const body = isCode ? await brotliOf(path) : await readFile(join(root, path));
      if (isCode) fetched.set(path, (fetched.get(path) ?? 0) + body.length);
      response.writeHead(200, { ...headers, ...(isCode && { "content-encoding": "br" }) }).end(body);
    } catch {
      response.writeHead(404, headers).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, fetched, url: `http://127.0.0.1:${server.address().port}/` };
}

const browser = await launchChromium();
after(() => browser.close());

/** Maximum bytes by entry. If everything is inside the entry, the wasm is text, which takes a quarter more. */
const LIMITS = { index: 290_000, slim: 290_000, inline: 345_000, "service-worker": 285_000 };

for (const entry of Object.keys(LIMITS)) {
  for (const [how, device, isIsolated] of [
    ["one thread", "wasm", false],
    ["threads", "wasm", true],
    ["WebGPU", "webgpu", false],
  ]) {
    test(`a first answer with ${entry}.js, ${how}`, async (t) => {
      const { server, fetched, url } = await serving(isIsolated);
      const profile = await browser.newContext();
      try {
        const page = await profile.newPage();
        await page.goto(url);
        const hasGpu = () => page.evaluate(async () => !!(await navigator.gpu?.requestAdapter()));
        if (device === "webgpu" && !(await hasGpu())) return t.skip("no WebGPU adapter");
        const found = await page.evaluate(
          async ([entry, device]) => {
            const { pipeline } = await import(`/dist/${entry}.js`);
            const pipe = await pipeline("fill-mask", "/models/minilm-mlm", { device });
            const [best] = await pipe("Paris is the [MASK] of France.");
            return best.token_str;
          },
          [entry, device],
        );
        assert.equal(found, "capital");
        const bytes = [...fetched.values()].reduce((sum, size) => sum + size, 0);
        console.log(`first answer, ${entry}.js, ${how}: ${bytes.toLocaleString("en")} bytes brotli`);
        assert.ok(bytes < LIMITS[entry], `${bytes} bytes: ${JSON.stringify([...fetched])}`);
      } finally {
        await profile.close();
        server.closeAllConnections();
        server.close();
      }
    });
  }
}

test("errors of lazily loaded code are instances of the entry's WebertError", async () => {
  const { server, url } = await serving(false);
  const profile = await browser.newContext();
  try {
    const page = await profile.newPage();
    await page.goto(url);
    for (const entry of ["index", "slim", "inline"]) {
      const found = await page.evaluate(async (entry) => {
        const { redact, WebertError } = await import(`/dist/${entry}.js`);
        const error = await redact("a text", { threshold: 7 }).catch((error) => error);
        return [error.name, error instanceof WebertError];
      }, entry);
      assert.deepEqual(found, ["WebertError", true], entry);
    }
  } finally {
    await profile.close();
    server.closeAllConnections();
    server.close();
  }
});
