// The server that the page is shown and tested with.

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, test } from "node:test";
import { serve } from "../scripts/serve.mjs";
import { blank, withPage } from "./browser.mjs";

const server = await serve();
after(() => server.close());

/** The answer to `path` exactly as it is written, which fetch() would tidy up. */
const get = (path, method = "GET", headers = {}) => new Promise((resolve, reject) => {
  const { hostname, port } = new URL(server.url);
  request({ hostname, port, path, method, headers }, (response) => {
    response.resume().on("end", () => resolve({ status: response.statusCode, headers: response.headers }));
  }).on("error", reject).end();
});

test("types and isolation", async () => {
  const wasm = await get("/dist/webert_simd128.wasm");
  assert.equal(wasm.status, 200);
  assert.equal(wasm.headers["content-type"], "application/wasm");
  assert.equal(wasm.headers["cross-origin-opener-policy"], "same-origin");
  assert.equal(wasm.headers["cross-origin-embedder-policy"], "require-corp");
  assert.match((await get("/dist/index.js")).headers["content-type"], /^text\/javascript/);
});

test("a copy that is fresh is not sent again", async () => {
  const path = "/models/minilm-mlm/config.json";
  const { headers: { etag, "last-modified": modified, "cache-control": control } } = await get(path);
  assert.equal(control, "no-cache");
  const before = new Date(Date.parse(modified) - 1000).toUTCString();
  for (const [status, headers] of [
    [304, { "If-None-Match": etag }],
    [304, { "If-None-Match": `"another", W/${etag}` }],
    [304, { "If-Modified-Since": modified }],
    [200, { "If-None-Match": '"another"', "If-Modified-Since": modified }],
    [200, { "If-Modified-Since": before }],
    [200, { "If-Modified-Since": "no date" }],
  ]) assert.equal((await get(path, "GET", headers)).status, status, JSON.stringify(headers));
  const { headers } = await get(path, "GET", { "If-None-Match": etag });
  assert.equal(headers.etag, etag);
  assert.equal(headers["cross-origin-embedder-policy"], "require-corp");
  assert.equal(headers["content-length"], undefined);
});

test("nothing outside the served folders", async () => {
  for (const path of ["/../package.json", "/dist/../package.json", "/dist/%2e%2e/package.json", "/dist/..%2fpackage.json",
    "/dist/..%5cpackage.json", "//etc/passwd", "/dist/%00", "/dist/%", "/dist", "/dist/", "/package.json"]) {
    assert.equal((await get(path)).status, 404, path);
  }
  assert.equal((await get("/dist/index.js", "POST")).status, 405);
});

test("pages are cross-origin isolated and have WebGPU", async () => {
  await withPage({ path: blank }, async (page) => {
    assert.equal(await page.evaluate(() => globalThis.crossOriginIsolated), true);
    assert.equal(await page.evaluate(async () => (await navigator.gpu.requestAdapter()) !== null), true);
  });
});
