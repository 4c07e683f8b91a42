// The server that serves the page in development and tests.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { relative } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildBehind, standIn } from "../scripts/lib/behind.mjs";
import { serve } from "../scripts/serve.mjs";
import { blank, withPage } from "./browser.mjs";

const server = await serve();
after(() => server.close());

/** The response to `path` exactly as written; fetch() would normalise it. */
const get = (path, method = "GET", headers = {}) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    request({ hostname, port, path, method, headers }, (response) => {
      response.resume().on("end", () => resolve({ status: response.statusCode, headers: response.headers }));
    })
      .on("error", reject)
      .end();
  });

/** Calls `body` with the address of a running server. The server is closed afterwards, also after a failure. */
async function whileServed(options, body) {
  const { url, close } = await serve(options);
  try {
    await body(url);
  } finally {
    await close();
  }
}

/** Calls `body` with the path of an empty folder in the project, which is removed afterwards. */
async function inFolder(body) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  await mkdir(`${root}target`, { recursive: true });
  const folder = await mkdtemp(`${root}target/served-`);
  try {
    await body(relative(root, folder).replaceAll("\\", "/"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("serves types and isolation headers", async () => {
  const wasm = await get("/dist/webert_simd128.wasm");
  assert.equal(wasm.status, 200);
  assert.equal(wasm.headers["content-type"], "application/wasm");
  assert.equal(wasm.headers["cross-origin-opener-policy"], "same-origin");
  assert.equal(wasm.headers["cross-origin-embedder-policy"], "require-corp");
  assert.match((await get("/dist/index.js")).headers["content-type"], /^text\/javascript/);
});

test("does not send a fresh copy again", async () => {
  const path = "/models/minilm-mlm/config.json";
  const {
    headers: { etag, "last-modified": modified, "cache-control": control },
  } = await get(path);
  assert.equal(control, "no-cache");
  const before = new Date(Date.parse(modified) - 1000).toUTCString();
  for (const [status, headers] of [
    [304, { "If-None-Match": etag }],
    [304, { "If-None-Match": `"another", W/${etag}` }],
    [304, { "If-Modified-Since": modified }],
    [200, { "If-None-Match": '"another"', "If-Modified-Since": modified }],
    [200, { "If-Modified-Since": before }],
    [200, { "If-Modified-Since": "no date" }],
  ])
    assert.equal((await get(path, "GET", headers)).status, status, JSON.stringify(headers));
  const { headers } = await get(path, "GET", { "If-None-Match": etag });
  assert.equal(headers.etag, etag);
  assert.equal(headers["cross-origin-embedder-policy"], "require-corp");
  assert.equal(headers["content-length"], undefined);
});

test("serves nothing outside the served folders", async () => {
  for (const path of [
    "/../package.json",
    "/dist/../package.json",
    "/dist/%2e%2e/package.json",
    "/dist/..%2fpackage.json",
    "/dist/..%5cpackage.json",
    "//etc/passwd",
    "/dist/%00",
    "/dist/%",
    "/dist",
    "/dist/",
    "/package.json",
  ]) {
    assert.equal((await get(path)).status, 404, path);
  }
  assert.equal((await get("/dist/index.js", "POST")).status, 405);
});

test("does not remember a file that is still to be built as missing, and serves its replacement", async () => {
  const missing = await get("/dist/none.wasm");
  assert.deepEqual([missing.status, missing.headers["cache-control"]], [404, "no-cache"]);
  await inFolder(async (folder) => {
    const instead = (file) => (file === `${folder}/fast.txt` ? `${folder}/slow.txt` : undefined);
    const write = (name) => writeFile(new URL(`../${folder}/${name}.txt`, import.meta.url), name);
    await whileServed({ more: { "/later/": folder }, instead }, async (url) => {
      const ask = (name) => fetch(new URL(`later/${name}.txt`, url));
      assert.equal((await ask("fast")).status, 404);
      await write("slow");
      const first = await ask("fast");
      assert.equal(await first.text(), "slow");
      assert.equal((await ask("other")).status, 404);
      await write("fast");
      const second = await fetch(new URL("later/fast.txt", url), {
        headers: { "If-None-Match": first.headers.get("etag") },
      });
      assert.equal(await second.text(), "fast");
    });
  });
});

test("requests wait until the server is ready", async () => {
  let open;
  await whileServed({ ready: new Promise((resolve) => (open = resolve)) }, async (url) => {
    const asked = fetch(url);
    assert.equal(await Promise.race([asked, sleep(300, "waits")]), "waits");
    open();
    assert.equal((await asked).status, 200);
  });
});

test("a background build reports each binary and its outcome; a failure shows the output", async () => {
  const told = async (script) => {
    const lines = [];
    await buildBehind(process.execPath, ["-e", script], (line) => lines.push(line));
    return lines.slice(1).join("\n");
  };
  assert.equal(
    await told('console.log("· wasm relaxed\\n   Compiling x\\n  wasm relaxed: 4.2 s")'),
    "built: relaxed (4.2 s)\nAll is built. Pages that are loaded from now on take the fastest build.",
  );
  const failure = await told('console.error("error: no such crate"); process.exitCode = 3');
  assert.match(failure, /error: no such crate\n\nThe faster builds could not be made \(exit 3\); the page goes on/);
});

test("a page loaded before the build ends uses the existing binaries, and after a reload the best", async () => {
  await inFolder(async (folder) => {
    const at = (name) => new URL(`../${folder}/${name}`, import.meta.url);
    const dist = new URL("../dist/", import.meta.url);
    const later = ["relaxed", "relaxed_threads", "simd128_threads", "webgpu"].map((name) => `webert_${name}.wasm`);
    for (const name of await readdir(dist))
      if (!later.includes(name) && /\.(js|wasm|txt)$/.test(name)) await copyFile(new URL(name, dist), at(name));
    const instead = (file) => standIn(file.replace(folder, "dist"))?.replace("dist", folder);
    /** The panel that the chip opens. */
    const simd = async (page) => {
      await page.locator(".model-chip", { hasText: "CPU" }).click();
      const text = await page.locator(".facts", { hasText: "SIMD" }).textContent();
      return /SIMD ?(\w+?) ?Threads ?(\d+)/.exec(text).slice(1);
    };
    await whileServed({ more: { "/dist/": folder }, instead }, (url) =>
      withPage({ path: url, allowErrors: true }, async (page) => {
        assert.deepEqual(await simd(page), ["simd128", "1"]);
        for (const name of later) await copyFile(new URL(name, dist), at(name));
        await page.reload();
        assert.equal((await simd(page))[0], "relaxed");
      }),
    );
  });
});

test("code bundled without a binary reports its absence when it is requested", async () => {
  const { glueFactory } = await import("../scripts/build.mjs");
  const { default: glue } = await import(
    `data:text/javascript,${encodeURIComponent(await glueFactory(undefined, "gpu", new Map()))}`
  );
  assert.throws(glue, { code: "unsupported", message: "the package was built without gpu" });
});

test("npm start reports a wrong option before it builds", async () => {
  const start = (...args) =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        ["scripts/start.mjs", ...args],
        { cwd: new URL("..", import.meta.url) },
        (error, stdout, stderr) => resolve([error?.code, stderr.trim(), stdout]),
      );
    });
  for (const [args, message] of [
    [["--port", "x"], /^--port x is no port: a number from 0/],
    [["--prot", "1"], /^Unknown option '--prot'.*\nThe one option is --port NUMBER/s],
    [["--port", new URL(server.url).port], /^Port \d+ is in use; choose another with --port/],
  ]) {
    const [code, error, printed] = await start(...args);
    assert.equal(code, 1);
    assert.match(error, message);
    assert.equal(printed, "");
  }
});

test("pages are cross-origin isolated and have WebGPU", async () => {
  await withPage({ path: blank }, async (page) => {
    assert.equal(await page.evaluate(() => globalThis.crossOriginIsolated), true);
    assert.equal(await page.evaluate(async () => (await navigator.gpu.requestAdapter()) !== null), true);
  });
});
