// The fixture of tests of src/js over fake-wasm.mjs: a server of model files, and the package built over the fake. Importing it starts both before
// the importing file's tests and ends them afterwards.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test as plainTest } from "node:test";
import { buildOverFake } from "./over-fake.mjs";

/** Set before the first test: see buildOverFake for `dir`, `webert`, `internal` and `wasm`; `origin` is the server's. */
export let dir, origin, webert, internal, wasm;
let server;

/** Time limit: a promise that never settles is one of the tested failures and must not hang the run. */
export const test = (name, body) => plainTest(name, { timeout: 60_000 }, body);

/** URL path, or folder with a star → [status, content type, body] or a function (request, response). */
export const routes = new Map();
/** The URLs of all requests. */
export const hits = [];

before(async () => {
  let fetching;
  ({ dir, webert, internal, wasm, fetching } = await buildOverFake());
  fetching.limits.delay = 1;
  server = createServer((request, response) => {
    hits.push(request.url);
    const route = routes.get(request.url) ??
      routes.get(request.url.replace(/[^/]*$/, "*")) ?? [404, "text/html", "<!doctype html>not here"];
    if (typeof route === "function") return route(request, response);
    const [status, type, body] = route;
    response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  origin = `http://127.0.0.1:${server.address().port}`;
  webert.env.cacheDir = join(dir, "cache");
  webert.env.remoteHost = `${origin}/hub/`;
  model("/m", { "config.json": "{}", "tokenizer.json": "{}", "model.safetensors": "w".repeat(300_000) });
});

after(async () => {
  wasm.state.terminated = true;
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true });
});

/** Serves `files`, by name, in the folder `path`. `/m` is a model that loads. */
export function model(path, files) {
  for (const [name, body] of Object.entries(files)) {
    const type = name.endsWith(".json") ? "application/json" : "application/octet-stream";
    routes.set(`${path}/${name}`, [200, type, body]);
  }
}

/** Asserts that `promise` rejects with a WebertError of this code. */
export const fails = (promise, code, pattern = /./) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.name, "WebertError");
    assert.ok(error instanceof webert.WebertError);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });

export const fill = (source, options) => webert.pipeline("fill-mask", source, options);
