// Every request, read, write and cache operation of a load fails once, the n-th one for each n. The load works
// nevertheless, no incomplete file is kept, the next load keeps the missing ones, and a load without a network works then.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { after, before, test as plainTest } from "node:test";
import { buildOverFake } from "./over-fake.mjs";

/** Time limit: a hanging load is one of the tested failures. */
const test = (name, body) => plainTest(name, { timeout: 120_000 }, body);

const WEIGHTS = Buffer.from(Array.from({ length: 150_000 }, (_, i) => (i * i + (i >> 8)) % 251));
const FILES = { "config.json": "{}", "tokenizer.json": '{ "a": 1 }', "model.safetensors": WEIGHTS };

let dir, webert, wasm, fetching, server;

before(async () => {
  ({ dir, webert, wasm, fetching } = await buildOverFake());
  server = createServer(({ url }, response) => {
    const body = FILES[url.split("/").pop()];
    if (body === undefined) return response.writeHead(404).end();
    response.writeHead(200, { "content-length": Buffer.byteLength(body), etag: '"1"' }).end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  Object.assign(fetching.limits, { delay: 1 });
  webert.env.remoteHost = `http://127.0.0.1:${server.address().port}/`;
  console.warn = () => {}; // each failed write warns, hundreds of times here
});

after(async () => {
  server.closeAllConnections();
  server.close();
  await fs.promises.rm(dir, { recursive: true });
});

/** Counts operations and makes operation `at` fail; 0: none. */
const faults = { at: 0, count: 0, name: "" };
function operation(name) {
  if (++faults.count !== faults.at) return;
  faults.name = name;
  throw Object.assign(new Error(`${name} fails, as asked to`), { code: "EIO" });
}

const load = async (name, options) => {
  await (await webert.pipeline("fill-mask", name, options)).dispose();
  assert.equal(wasm.state.loaded.at(-1).files[0].bytes, WEIGHTS.length);
};

/**
 * Repeats the load of a model, each time with the next operation failing, until a load has fewer operations. A load must survive each
 * failure: a file that cannot be read or stored is fetched, if necessary again. Returns the number of operations.
 */
async function everyFault(name, kept) {
  for (let at = 1; ; at++) {
    const model = `${name}-${at}`;
    Object.assign(faults, { at, count: 0, name: "" });
    await load(model).catch((error) => assert.fail(`operation ${at}, ${faults.name}: ${error.code} ${error.message}`));
    faults.at = 0;
    if (faults.name === "") return at - 1;
    checkKept(await kept(model), `operation ${at}, ${faults.name}`);
    await load(model);
    const all = await kept(model);
    checkKept(all, `the load after operation ${at}, ${faults.name}`);
    assert.deepEqual(Object.keys(all).sort(), Object.keys(FILES).sort(), `operation ${at}, ${faults.name}`);
    await load(model, { local_files_only: true });
  }
}

/** Checks that all kept files are complete. */
function checkKept(files, when) {
  for (const [name, bytes] of Object.entries(files)) {
    assert.ok(Buffer.from(FILES[name]).equals(bytes), `${name} is kept half after ${when}`);
  }
}

/** A cache in memory that reads its input in pieces, and the files that it keeps. Each step calls `operation`. */
function memoryCache(operation) {
  const store = new Map();
  const customCache = {
    async match(url) {
      operation("match");
      return store.get(url)?.clone();
    },
    async put(url, response) {
      operation("put");
      const parts = [];
      for await (const part of response.body ?? []) {
        operation("read in put");
        parts.push(part);
      }
      operation("end of put");
      store.set(url, new Response(Buffer.concat(parts), response));
    },
    async delete(url) {
      operation("delete");
      return store.delete(url);
    },
  };
  const kept = async (model) => {
    const files = {};
    for (const [url, response] of store) {
      if (!url.includes(`/${model}/`)) continue;
      files[url.split("/").pop()] = Buffer.from(await response.clone().arrayBuffer());
    }
    return files;
  };
  return { customCache, kept };
}

test("survives one failure of each cache operation", async () => {
  const { customCache, kept } = memoryCache(operation);
  Object.assign(webert.env, { useCustomCache: true, customCache });
  const operations = await everyFault("me/cache", kept);
  assert.ok(operations >= 12, `${operations} operations`);
  Object.assign(webert.env, { useCustomCache: false, customCache: null });
});

test("survives one failure of each request and of each piece of an answer", async () => {
  const { fetch } = webert.env;
  const { customCache, kept } = memoryCache(() => {});
  Object.assign(webert.env, { useCustomCache: true, customCache });
  webert.env.fetch = async (url, options) => {
    operation("fetch");
    const response = await fetch(url, options);
    if (!response.body) return response;
    const pieces = response.body.pipeThrough(
      new TransformStream({
        transform(piece, controller) {
          operation("piece");
          controller.enqueue(piece);
        },
      }),
    );
    return new Response(pieces, response);
  };
  try {
    const operations = await everyFault("me/fetch", kept);
    assert.ok(operations >= 8, `${operations} operations`);
  } finally {
    Object.assign(webert.env, { fetch, useCustomCache: false, customCache: null });
  }
});

test("survives one failure of each disk cache operation", async () => {
  const cacheDir = join(dir, "faulty");
  Object.assign(webert.env, { cacheDir });
  const real = { ...fs.promises };
  for (const name of ["mkdir", "open", "readFile", "rename", "rm", "stat", "writeFile"]) {
    fs.promises[name] = async (path, ...rest) => {
      if (!String(path).startsWith(cacheDir)) return real[name](path, ...rest);
      operation(name);
      const result = await real[name](path, ...rest);
      if (name !== "open") return result;
      for (const method of ["write", "close"]) {
        const own = result[method].bind(result);
        result[method] = async (...args) => {
          // a descriptor is released even if closing it fails
          if (method === "close") await own();
          operation(method);
          return method === "close" ? undefined : own(...args);
        };
      }
      return result;
    };
  }
  syncBuiltinESMExports();
  try {
    const kept = async (model) => {
      const files = {};
      for (const entry of Object.keys(FILES)) {
        const url = `${webert.env.remoteHost}${model}/resolve/main/${entry}`;
        const hash = createHash("sha256").update(url).digest("hex").slice(0, 32);
        const names = await real.readdir(join(cacheDir, hash)).catch(() => []);
        // a part that could not be removed stays
        if (faults.name !== "rm") assert.ok(!names.some((name) => name.endsWith(".part")), names.join());
        if (names.includes(entry)) files[entry] = await real.readFile(join(cacheDir, hash, entry));
      }
      return files;
    };
    const operations = await everyFault("me/disk", kept);
    assert.ok(operations >= 20, `${operations} operations`);
  } finally {
    Object.assign(fs.promises, real);
    syncBuiltinESMExports();
    webert.env.cacheDir = null;
  }
});
