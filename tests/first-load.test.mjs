// A first load in a browser: the bytes of JavaScript and wasm, with brotli, that the network transfers before the first answer.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, sep } from "node:path";
import { after, test } from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
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

/** A file's bytes with gzip, compressed once. */
async function gzipOf(path) {
  const name = `${path}.gz`;
  if (!compressed.has(name)) compressed.set(name, gzipSync(await readFile(join(root, path)), { level: 1 }));
  return compressed.get(name);
}

/**
 * Serves dist/ and models/, with code compressed; `fetched` collects the bytes of each code file that was sent.
 * `compressesModels`: files of models are compressed, too.
 */
async function serving(isIsolated, compressesModels = false) {
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
      const read = isCode ? brotliOf : compressesModels ? gzipOf : (path) => readFile(join(root, path));
      const encoding = isCode ? "br" : compressesModels ? "gzip" : undefined;
      const body = await read(path);
      if (isCode) fetched.set(path, (fetched.get(path) ?? 0) + body.length);
      response
        .writeHead(200, {
          ...headers,
          "content-length": body.length,
          ...(encoding && { "content-encoding": encoding }),
        })
        .end(request.method === "HEAD" ? undefined : body);
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
const LIMITS = { index: 240_000, slim: 240_000, inline: 286_000, "service-worker": 261_000 };
/** The same on WebGPU, whose binary measures and tests the variants of its kernels. */
const GPU_LIMITS = { index: 283_200, slim: 283_200, inline: 336_700, "service-worker": 303_500 };
/** The promise for a page on the CPU: 229 KiB with one thread, 233 KiB with threads, whose binary is larger. */
const PROMISES = { "one thread": 234_496, threads: 238_592 };

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
        const promised = /^(index|slim)$/.test(entry) && PROMISES[how];
        const limit = device === "webgpu" ? GPU_LIMITS[entry] : promised || LIMITS[entry];
        assert.ok(bytes < limit, `${bytes} bytes: ${JSON.stringify([...fetched])}`);
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

/** One file, an index of files of two folders, the same with an adapter, and the package's own models. */
const LOADS = [
  ["fill-mask", "/models/minilm-mlm"],
  ["text-classification", "/models/minilm-sentiment"],
  ["feature-extraction", "/models/minilm-embeddings"],
  ["token-classification", undefined],
];

for (const compressesModels of [false, true]) {
  test(`progress only rises over a host that ${compressesModels ? "compresses" : "does not compress"}`, async () => {
    const { server, url } = await serving(false, compressesModels);
    const profile = await browser.newContext();
    try {
      const page = await profile.newPage();
      await page.goto(url);
      for (const [task, model] of LOADS) {
        const events = await page.evaluate(
          async ([task, model]) => {
            const { pipeline } = await import("/dist/index.js");
            const events = [];
            const progress_callback = (event) => /progress/.test(event.status) && events.push(structuredClone(event));
            const pipe = await pipeline(task, model, { device: "wasm", threads: 1, progress_callback });
            await pipe.dispose();
            return events;
          },
          [task, model],
        );
        const name = `${task} of ${model}`;
        const totals = events.filter(({ status }) => status === "progress_total");
        assert.ok(totals.length > 1, `${name}: ${totals.length} events of progress_total`);
        assert.equal(totals.at(-1).progress, 100, name);
        assert.equal(totals.at(-1).loaded, totals.at(-1).total, name);
        const last = new Map();
        for (const { status, file, progress, loaded } of events) {
          const key = file ?? status;
          const before = last.get(key) ?? { progress: 0, loaded: 0 };
          assert.ok(loaded >= before.loaded, `${name}: ${key} has ${before.loaded}, then ${loaded} bytes`);
          assert.ok(progress >= before.progress, `${name}: ${key} is at ${before.progress}, then ${progress} %`);
          last.set(key, { progress, loaded });
        }
        const encoder = totals.at(-1).files[Object.keys(totals.at(-1).files).find((file) => /model\.safe/.test(file))];
        assert.ok(totals[0].total >= encoder.total * 0.9, `${name}: the first event has ${totals[0].total} bytes`);
      }
    } finally {
      await profile.close();
      server.closeAllConnections();
      server.close();
    }
  });
}
