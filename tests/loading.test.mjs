// Fetching and caching of model files, against servers that misbehave: src/js over tests/fake-wasm.mjs.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, beforeEach, test as plainTest } from "node:test";
import { buildOverFake } from "./over-fake.mjs";

/** Time limit: a promise that never settles is one of the tested failures and must not hang the run. */
const test = (name, body) => plainTest(name, { timeout: 60_000 }, body);

let dir, webert, wasm, fetching, internal, origin, elsewhere;
const servers = [];
/** Path, or folder with a star → (request, response), or its answer: `{ status, type, body, headers }`. */
const routes = new Map();
/** Requests: their `url` and `headers`. */
const hits = [];
const times = (path) => hits.filter(({ url }) => url === path).length;

async function listen() {
  const server = createServer((request, response) => {
    hits.push({ url: request.url, headers: request.headers });
    const route = routes.get(request.url) ??
      routes.get(request.url.replace(/[^/]*$/, "*")) ?? { status: 404, body: "not here" };
    if (typeof route === "function") return route(request, response);
    const { status = 200, type = "application/octet-stream", body = "", headers = {} } = route;
    response
      .writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body), ...headers })
      .end(body);
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((done) => server.once("listening", done));
  return `http://127.0.0.1:${server.address().port}`;
}

before(async () => {
  ({ dir, webert, wasm, fetching, internal } = await buildOverFake());
  [origin, elsewhere] = [await listen(), await listen()];
});

beforeEach(() => {
  hits.length = 0;
  Object.assign(fetching.limits, { stall: 30_000, delay: 1, shared: 300_000 });
  Object.assign(webert.env, {
    cacheDir: join(dir, "cache"),
    remoteHost: `${origin}/hub/`,
    useCustomCache: false,
    customCache: null,
  });
});

after(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(dir, { recursive: true });
});

const WEIGHTS = Buffer.from(Array.from({ length: 400_000 }, (_, i) => (i * i + (i >> 8)) % 251));
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Routes of a model's files; null removes a file. */
function model(path, files = {}, headers = {}) {
  const all = { "config.json": "{}", "tokenizer.json": "{}", "model.safetensors": WEIGHTS, ...files };
  for (const [name, body] of Object.entries(all)) {
    if (body !== null)
      routes.set(`${path}/${name}`, { body, headers, type: name.endsWith(".json") ? "application/json" : undefined });
  }
}
const hub = (name, files, headers) => model(`/hub/${name}/resolve/main`, files, headers);

const fill = (source, options) => webert.pipeline("fill-mask", source, options);
const features = (source) => webert.pipeline("feature-extraction", source);
const loadedBytes = () => wasm.state.loaded.at(-1).files[0].bytes;
const fails = (promise, code, pattern = /./) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.name, "WebertError", String(error.stack));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });

async function fetched(path) {
  const file = await fetching.fetchFile(origin + path, { signal: new AbortController().signal });
  if (!file) return undefined;
  const parts = [];
  for await (const part of file.body) parts.push(part);
  return Buffer.concat(parts);
}

/** The process's warnings and the logged warnings while `body` runs. */
async function warnings(body) {
  const found = [];
  const { warn } = console;
  const hear = (warning) => found.push(String(warning));
  process.on("warning", hear);
  console.warn = (...words) => found.push(words.join(" "));
  try {
    await body();
    await new Promise((done) => setImmediate(done));
  } finally {
    console.warn = warn;
    process.off("warning", hear);
  }
  return found;
}

/** Sends up to `each` bytes of the requested range, then drops the connection if more are left. */
function dropping(each, { version = '"1"', ranges = true, headers = {} } = {}) {
  return ({ headers: { range, "if-range": condition }, socket }, response) => {
    const isRange = range && ranges && (!condition || condition === version);
    const from = isRange ? Number(/^bytes=(\d+)-$/.exec(range)[1]) : 0;
    const rest = WEIGHTS.subarray(from);
    const known = { "content-length": rest.length, ...(version && { etag: version }), ...headers };
    response.writeHead(
      isRange ? 206 : 200,
      isRange ? { ...known, "content-range": `bytes ${from}-${WEIGHTS.length - 1}/${WEIGHTS.length}` } : known,
    );
    if (each >= rest.length) return response.end(rest);
    response.write(rest.subarray(0, each), () => setTimeout(() => socket.destroy(), 10));
  };
}

test("resumes an interrupted download", async () => {
  routes.set("/drop", dropping(150_000));
  assert.equal(digest(await fetched("/drop")), digest(WEIGHTS));
  const starts = hits.map(({ headers }) => headers.range && Number(/\d+/.exec(headers.range)[0]));
  assert.equal(starts[0], undefined);
  assert.ok(starts.length > 2 && starts.slice(1).every((start, i) => start > (starts[i] ?? 0)), starts.join());
  assert.ok(hits.slice(1).every(({ headers }) => headers["if-range"] === '"1"'));
});

test("skips the bytes already received if a server has no ranges", async () => {
  let request = 0;
  routes.set("/whole", (...args) => dropping(++request === 1 ? 150_000 : 1e9, { ranges: false })(...args));
  assert.equal(digest(await fetched("/whole")), digest(WEIGHTS));
  assert.equal(request, 2);
});

test("compares the last bytes if a server names no version", async () => {
  routes.set("/plain", dropping(150_000, { version: "" }));
  assert.equal(digest(await fetched("/plain")), digest(WEIGHTS));
  assert.ok(hits.slice(1).every(({ headers }) => headers.range && !headers["if-range"]));
  let request = 0;
  routes.set("/other", ({ socket }, response) => {
    response.writeHead(200, { "content-length": WEIGHTS.length });
    const bytes = request++ ? WEIGHTS.map((byte) => byte ^ 1) : WEIGHTS;
    response.write(bytes.subarray(0, 150_000), () => setTimeout(() => socket.destroy(), 10));
  });
  await fails(fetched("/other"), "network", /other changed while it was read; load it again/);
  // also if they were few
  let again = 0;
  routes.set("/few", ({ socket }, response) => {
    response.writeHead(200, { "content-length": 900 });
    if (again++) response.end("b".repeat(900));
    else response.write("a".repeat(500), () => setTimeout(() => socket.destroy(), 10));
  });
  await fails(fetched("/few"), "network", /few changed while it was read; load it again/);
});

test("does not join two versions of a file", async () => {
  const dated = (day) => ({ version: "", headers: { "last-modified": `${day} Jan 2024 00:00:00 GMT` } });
  for (const [first, second] of [
    [{}, { version: '"2"' }],
    [dated("Mon, 01"), dated("Tue, 02")],
  ]) {
    for (const ranges of [true, false]) {
      let request = 0;
      routes.set("/changing", (...args) =>
        dropping(150_000, { ...(++request === 1 ? first : second), ranges })(...args),
      );
      await fails(fetched("/changing"), "network", /changing changed while it was read.*load it again/);
      assert.equal(request, 2);
    }
  }
  let request = 0;
  routes.set("/shorter", (...args) => (++request === 1 ? dropping(150_000)(...args) : args[1].writeHead(416).end()));
  await fails(fetched("/shorter"), "network", /shorter changed.*ends before byte/);
});

test("retries a busy server after the time that it names", async () => {
  for (const status of [429, 500, 502, 503, 504]) {
    let request = 0;
    routes.set(`/${status}`, (_, response) =>
      ++request < 3 ? response.writeHead(status, { "retry-after": "0" }).end() : response.end("there"),
    );
    assert.equal(String(await fetched(`/${status}`)), "there", String(status));
  }
  const start = performance.now();
  let request = 0;
  routes.set("/later", (_, response) =>
    ++request < 2 ? response.writeHead(429, { "retry-after": "1" }).end() : response.end("there"),
  );
  assert.equal(String(await fetched("/later")), "there");
  assert.ok(performance.now() - start > 900, "asked again before it was time");
  routes.set("/busy", { status: 503 });
  await fails(fetched("/busy"), "network", /busy: the server answers 503.*asked 5 times/);
  assert.equal(times("/busy"), 5);
  for (const [path, status, headers] of [
    ["/tomorrow", 429, { "retry-after": "86400" }],
    ["/never", 501, {}],
  ]) {
    routes.set(path, { status, headers });
    await fails(fetched(path), "network", new RegExp(`${path}: the server answers ${status}`));
    assert.equal(times(path), 1);
  }
});

test("retries a stalled server, then gives up", async () => {
  fetching.limits.stall = 300;
  let request = 0;
  routes.set("/silent", (_, response) => void (++request > 1 && response.end("there")));
  assert.equal(String(await fetched("/silent")), "there");
  routes.set("/halts", (incoming, response) => {
    if (incoming.headers.range) return dropping(1e9)(incoming, response);
    response.writeHead(200, { "content-length": WEIGHTS.length, etag: '"1"' }).write(WEIGHTS.subarray(0, 100_000));
  });
  assert.equal(digest(await fetched("/halts")), digest(WEIGHTS));
  routes.set("/hangs", () => {});
  await fails(fetched("/hangs"), "network", /hangs: no byte came for 0\.3 s \(asked 5 times\)/);
  model("/stuck");
  routes.set("/stuck/model.safetensors", (_, response) =>
    response.writeHead(200, { "content-length": 1000 }).write("w"),
  );
  await fails(
    fill(`${origin}/stuck`),
    "network",
    /stuck\/model\.safetensors broke off after 1 of 1000 bytes: no byte came/,
  );
});

test("aborts a download while it waits for a retry or stalls", async () => {
  fetching.limits.delay = 60_000;
  model("/waits");
  routes.set("/waits/model.safetensors", { status: 503 });
  model("/silence");
  routes.set("/silence/model.safetensors", () => {});
  for (const path of ["/waits", "/silence"]) {
    const stop = new AbortController();
    const loading = fill(origin + path, { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await fails(loading, "aborted");
  }
});

test("sends a token only to the Hub's origin, also after redirects", async () => {
  const redirect = (location) => ({ status: 302, headers: { location } });
  const folder = "/hub/me/gated/resolve/main";
  hub("me/gated", { "config.json": null, "model.safetensors": null });
  routes.set(`${folder}/config.json`, redirect("/moved/config.json"));
  routes.set("/moved/config.json", { body: "{}" });
  routes.set(`${folder}/model.safetensors`, redirect(`${elsewhere}/cdn/weights`));
  routes.set("/cdn/weights", { body: "there" });
  await (await fill("me/gated", { token: "hf_secret" })).dispose();
  assert.equal(loadedBytes(), 5);
  const sent = Object.fromEntries(hits.map(({ url, headers }) => [url, headers.authorization]));
  for (const path of [`${folder}/config.json`, "/moved/config.json", `${folder}/model.safetensors`])
    assert.equal(sent[path], "Bearer hf_secret", path);
  assert.ok("/cdn/weights" in sent && sent["/cdn/weights"] === undefined);
  hits.length = 0;
  model("/m");
  await (await fill(`${elsewhere}/m`, { token: "hf_secret" })).dispose();
  assert.ok(hits.length > 2 && hits.every(({ headers }) => headers.authorization === undefined));
  for (const token of [7, "a\nb", ""]) await fails(fill("me/gated", { token }), "bad_input", /token is/);
});

test("the error for a private Hub model asks for a token", async () => {
  const refuse = (status, headers) => routes.set("/hub/me/closed/resolve/main/*", { status, headers });
  refuse(401);
  await fails(
    fill("me/closed"),
    "not_found",
    /me\/closed is private, gated or does not exist; give a token.*config\.json: the server answers 401/,
  );
  await fails(fill("me/closed", { token: "hf_x" }), "not_found", /the token given may not read it/);
  refuse(403, { "x-error-code": "GatedRepo", "x-error-message": "Access to model me/closed is restricted" });
  await fails(
    fill("me/closed"),
    "not_found",
    /me\/closed is gated.*\{ token \}.*403 \(Access to model me\/closed is restricted\)/,
  );
  routes.set("/shut/*", { status: 403 });
  await fails(fill(`${origin}/shut`), "network", /shut\/config\.json: the server refuses it \(403\)/);
});

const OPTIONAL = ["modules.json", "tokenizer_config.json"];

test("only 404 and 410 mean that an optional file is absent", async () => {
  for (const status of [404, 410]) {
    model("/gone");
    for (const name of OPTIONAL) routes.set(`/gone/${name}`, { status });
    await (await features(`${origin}/gone`)).dispose();
  }
  const page = { type: "text/html", body: "<!doctype html><title>Sign in</title>" };
  for (const [code, pattern, answer] of [
    ["network", /refuses it \(401\)/, { status: 401 }],
    ["network", /refuses it \(403\)/, { status: 403 }],
    ["network", /answers 500/, { status: 500 }],
    ["not_found", /sent an HTML page, not the file/, page],
    ["not_found", /sent an HTML page, not the file/, { ...page, type: "application/json" }],
    [
      "not_found",
      /sent an error \("no access"\), not the file/,
      { type: "application/json", body: '{"error":"no access","statusCode":403}' },
    ],
  ]) {
    for (const name of OPTIONAL) {
      model("/refused");
      for (const other of OPTIONAL) routes.delete(`/refused/${other}`);
      routes.set(`/refused/${name}`, answer);
      await fails(features(`${origin}/refused`), code, pattern);
      await fails(features(`${origin}/refused`), code, new RegExp(`/refused/${name}`));
    }
  }
});

test("accepts a development server that sends its page for missing files", async () => {
  model("/spa", { "tokenizer.json": null, "vocab.txt": "a" });
  const html = (text) => (request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html>${text(request.url)}`);
  routes.set(
    "/spa/*",
    html(() => "<div id=app></div>"),
  );
  await (await features(`${origin}/spa`)).dispose();
  assert.deepEqual(wasm.state.loaded.at(-1).names, ["config.json", "vocab.txt"]);
  // The page in place of a rejected file is a different one.
  routes.set(
    "/spa/modules.json",
    html(() => "Access denied"),
  );
  await fails(features(`${origin}/spa`), "not_found", /spa\/modules\.json: the server sent an HTML page/);
  // A page may name the path that it was sent for.
  routes.delete("/spa/modules.json");
  routes.set(
    "/spa/*",
    html((url) => `there is no ${url}`),
  );
  await (await features(`${origin}/spa`)).dispose();
});

/** Paths of the files in the cache folder. */
const cached = async (folder = webert.env.cacheDir) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
const find = async (name) => (await cached()).find((path) => path.endsWith(`/${name}`));

test("keeps the version of a file with it", async () => {
  webert.env.cacheDir = join(dir, "facts");
  hub("me/versioned", {}, { etag: '"abc"', "x-repo-commit": "0123abcd" });
  await (await fill("me/versioned")).dispose();
  const facts = JSON.parse(await readFile(await find("model.safetensors.facts.json"), "utf8"));
  assert.equal(facts.url, `${origin}/hub/me/versioned/resolve/main/model.safetensors`);
  assert.deepEqual([facts.size, facts.etag, facts.revision], [WEIGHTS.length, '"abc"', "0123abcd"]);
  assert.deepEqual(
    (await cached()).filter((path) => path.endsWith(".part")),
    [],
  );
});

/** The progress of a file never goes back, and each file begins and ends once. */
function assertForward(events) {
  const last = new Map();
  for (const { status, file, loaded } of events.filter(({ status }) => status === "progress")) {
    assert.ok(loaded >= (last.get(file) ?? 0), `${status} of ${file} from ${last.get(file)} to ${loaded}`);
    last.set(file, loaded);
  }
  const marks = events
    .filter(({ status }) => !status.startsWith("progress"))
    .map(({ status, file }) => `${status} ${file}`);
  assert.equal(new Set(marks).size, marks.length, marks.join());
}

test("fetches a truncated or damaged cached file again in the same load", async () => {
  webert.env.cacheDir = join(dir, "damaged");
  hub("me/damaged");
  await (await fill("me/damaged")).dispose();
  await truncate(await find("model.safetensors"), 1000);
  hits.length = 0;
  await (await fill("me/damaged")).dispose();
  assert.equal(loadedBytes(), WEIGHTS.length);
  assert.equal(times("/hub/me/damaged/resolve/main/model.safetensors"), 1);
  assert.equal((await stat(await find("model.safetensors"))).size, WEIGHTS.length);
  await writeFile(await find("config.json"), "{]");
  const events = [];
  await (await fill("me/damaged", { progress_callback: (event) => events.push(event) })).dispose();
  assert.equal(times("/hub/me/damaged/resolve/main/config.json"), 1);
  assert.equal(await readFile(await find("config.json"), "utf8"), "{}");
  assertForward(events);
  // A file that is damaged on the server is fetched once and not kept.
  hub("me/wrong", { "config.json": "{]" });
  await fails(fill("me/wrong"), "bad_config");
  assert.equal(times("/hub/me/wrong/resolve/main/config.json"), 1);
});

test("progress never goes back", async () => {
  model("/forward");
  let request = 0;
  routes.set("/forward/model.safetensors", (...args) =>
    dropping(++request < 3 ? request * 150_000 : 1e9, { ranges: request > 2 })(...args),
  );
  const events = [];
  await (await fill(`${origin}/forward`, { progress_callback: (event) => events.push(event) })).dispose();
  assert.equal(request, 3);
  assertForward(events);
  const { loaded, total } = events
    .filter(({ status, file }) => status === "progress" && file === "model.safetensors")
    .at(-1);
  assert.deepEqual([loaded, total], [WEIGHTS.length, WEIGHTS.length]);
});

test("without a network, only files known to be absent count as absent", async () => {
  hub("me/offline");
  await (await fill("me/offline")).dispose();
  for (const path of [...routes.keys()]) if (path.startsWith("/hub/me/offline/")) routes.delete(path);
  routes.set("/hub/me/offline/resolve/main/*", ({ socket }) => socket.destroy());
  hits.length = 0;
  await (await fill("me/offline")).dispose();
  assert.equal(loadedBytes(), WEIGHTS.length);
  assert.ok(
    hits.every(({ url }) => times(url) === 1),
    "asked more than once for what is known to be absent",
  );
  // modules.json defines the pooling: without it the vectors would differ
  await fails(features("me/offline"), "network", /modules\.json could not be fetched/);
});

test("simultaneous loads share one download; aborting one leaves it to the others", async () => {
  webert.env.cacheDir = join(dir, "shared");
  hub("me/shared");
  let halfway;
  const isHalfway = new Promise((done) => (halfway = done));
  let request = 0;
  routes.set("/hub/me/shared/resolve/main/model.safetensors", (_, response) => {
    response.writeHead(200, { "content-length": WEIGHTS.length }).write(WEIGHTS.subarray(0, 100_000), halfway);
    if (request++) response.end(WEIGHTS.subarray(100_000));
  });
  const stop = new AbortController();
  const first = fill("me/shared", { signal: stop.signal });
  await isHalfway;
  const others = Promise.all([fill("me/shared"), fill("me/shared"), webert.AutoTokenizer.from_pretrained("me/shared")]);
  await new Promise((done) => setTimeout(done, 100));
  assert.equal(request, 1);
  stop.abort();
  await fails(first, "aborted");
  const [a, b] = await others;
  assert.equal(request, 2);
  for (const name of ["config.json", "tokenizer.json"])
    assert.equal(times(`/hub/me/shared/resolve/main/${name}`), 1, name);
  for (const { files } of wasm.state.loaded.slice(-2)) assert.equal(files[0].bytes, WEIGHTS.length);
  await a.dispose();
  await b.dispose();
});

test("a load does not wait forever for another load's download", async () => {
  Object.assign(fetching.limits, { shared: 100 });
  webert.env.cacheDir = join(dir, "hanging");
  hub("me/hanging");
  let request = 0;
  let begun;
  const isBegun = new Promise((done) => (begun = done));
  routes.set("/hub/me/hanging/resolve/main/model.safetensors", (_, response) => {
    response.writeHead(200, { "content-length": WEIGHTS.length });
    if (request++) response.end(WEIGHTS);
    else response.write("w", begun);
  });
  const stop = new AbortController();
  const hanging = fill("me/hanging", { signal: stop.signal });
  await isBegun;
  // like a load of another page; here, a load of the same weights and dtype waits for the first one's encoder
  await (await fill("me/hanging", { dtype: "fp32" })).dispose();
  assert.equal(loadedBytes(), WEIGHTS.length);
  stop.abort();
  await fails(hanging, "aborted");
});

test("warns about a cache folder that cannot be written, and the model loads", async () => {
  webert.env.cacheDir = join(dir, "a-file");
  await writeFile(webert.env.cacheDir, "");
  hub("me/uncached");
  const found = await warnings(async () => (await fill("me/uncached")).dispose());
  assert.ok(
    found.some((warning) => /model\.safetensors is used, but not kept: /.test(warning)),
    found.join("\n"),
  );
  assert.equal(loadedBytes(), WEIGHTS.length);
});

/** A cache in memory. */
function memoryCache(store, refuses = () => false) {
  return {
    match: async (url) => store.get(url)?.clone(),
    async put(url, response) {
      if (refuses(url)) throw new DOMException("the quota was exceeded", "QuotaExceededError");
      store.set(url, new Response(await response.arrayBuffer(), response));
    },
    delete: async (url) => store.delete(url),
  };
}

test("warns about a full cache, and the model loads", async () => {
  Object.assign(webert.env, {
    useCustomCache: true,
    customCache: memoryCache(new Map(), (url) => url.endsWith(".safetensors")),
  });
  hub("me/full");
  const found = await warnings(async () => (await fill("me/full")).dispose());
  assert.equal(found.length, 1, found.join("\n"));
  assert.match(
    found[0],
    /me\/full\/resolve\/main\/model\.safetensors is used, but not kept: there is no room for it: the quota was exceeded/,
  );
  assert.equal(loadedBytes(), WEIGHTS.length);
});

test("uses a cache of the caller", async () => {
  const store = new Map();
  Object.assign(webert.env, { useCustomCache: true, customCache: memoryCache(store) });
  hub("me/custom", {}, { etag: '"v1"' });
  await (await fill("me/custom")).dispose();
  const weights = `${origin}/hub/me/custom/resolve/main/model.safetensors`;
  assert.equal(store.get(weights).headers.get("etag"), '"v1"');
  assert.equal(digest(Buffer.from(await store.get(weights).clone().arrayBuffer())), digest(WEIGHTS));
  hits.length = 0;
  await (await fill("me/custom", { local_files_only: true })).dispose();
  assert.deepEqual(hits, []);
  store.set(weights, new Response("cut short", store.get(weights)));
  await (await fill("me/custom")).dispose();
  assert.equal(loadedBytes(), WEIGHTS.length);
  assert.equal(store.size, 3);
  webert.env.customCache = { match: async () => undefined };
  await fails(fill("me/custom"), "bad_input", /env\.customCache.*match and put/);
});

test("loads by revision, subfolder and cache_dir", async () => {
  for (const revision of ["..", ".", "../..", "a/../b", "%2e%2E", "", 7])
    await fails(fill("me/tiny", { revision }), "bad_input", /revision is/);
  for (const name of ["me/..", "me/.", ".../.."]) await fails(fill(name), "bad_input", /is not a model/);
  for (const subfolder of ["..", "a/../..", 7])
    await fails(fill("me/tiny", { subfolder }), "bad_input", /subfolder is/);
  assert.deepEqual(hits, []);
  const cache_dir = join(dir, "another");
  model("/hub/me/sub/resolve/v%2F1/deep/er");
  await (await fill("me/sub", { revision: "v/1", subfolder: "/deep/er/", cache_dir })).dispose();
  assert.equal((await cached(cache_dir)).filter((path) => !path.endsWith(".facts.json")).length, 3);
  model("/plain/x");
  await (await fill(`${origin}/plain`, { subfolder: "x", revision: null })).dispose();
  await (await fill(`${origin}/plain/x`, { subfolder: "onnx" })).dispose();
  const names = ["config.json", "tokenizer.json", "model.safetensors"];
  await (
    await fill({ files: Object.fromEntries(names.map((name) => [`x/${name}`, new Blob(["{}"])])) }, { subfolder: "x" })
  ).dispose();
});

test("a progress callback that throws ends the load with its error, once", async () => {
  model("/m");
  for (const status of ["initiate", "download", "progress", "done"]) {
    let calls = 0;
    const progress_callback = (event) => {
      if (event.status !== status) return;
      calls++;
      throw new Error(`no ${status}`);
    };
    await fails(fill(`${origin}/m`, { progress_callback }), "bad_input", new RegExp(`no ${status}`));
    assert.equal(calls, 1);
  }
  // the same from a Worker
  const { port1, port2 } = new MessageChannel();
  const machine = { store: async () => undefined, readWasm: async () => new Uint8Array(), threads: { cores: 1 } };
  internal.serve(port2, new internal.LocalEngine(machine));
  const engine = new internal.RemoteEngine(Object.assign(port1, { terminate: () => port1.close() }));
  const place = { kind: "url", name: "m", base: `${origin}/m/`, store: null, fetch: true };
  const spec = {
    place,
    how: { device: "auto", dtype: "auto" },
    tokenizer: true,
    pooling: false,
    wasmPaths: {},
    threads: 0,
  };
  const progress = () => {
    throw new Error("not that");
  };
  await fails(engine.load(spec, { signal: new AbortController().signal, progress }), "bad_input", /not that/);
  await engine.close();
});

test("one signal for many calls and loads does not leak listeners", async () => {
  model("/m");
  const { signal } = new AbortController();
  const found = await warnings(async () => {
    const pipes = await Promise.all(Array.from({ length: 12 }, () => fill(`${origin}/m`, { signal })));
    await Promise.all(Array.from({ length: 20 }, () => pipes[0]("a", { signal })));
    for (const pipe of pipes) await pipe.dispose();
  });
  assert.deepEqual(found, []);
});

test("convert allocates memory as bytes arrive, not as a header claims", async () => {
  const json = Buffer.from(
    JSON.stringify({ a: { dtype: "F32", shape: [750_000_000], data_offsets: [0, 3_000_000_000] } }),
  );
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(BigInt(json.length));
  const file = Buffer.concat([head, json, Buffer.alloc(300)]);
  let end;
  const sent = new Promise((done) => {
    routes.set("/claims/model.safetensors", (_, response) => {
      end = () => response.end();
      response.write(file, () => setTimeout(done, 200));
    });
  });
  const before = process.memoryUsage().arrayBuffers;
  const converted = fails(
    webert.convert(`${origin}/claims`, { dtype: "q8" }),
    "bad_weights",
    /ends 2999999700 bytes too early/,
  );
  await sent;
  assert.ok(process.memoryUsage().arrayBuffers - before < 1e8);
  end();
  await converted;
  // if the size is known, that is enough
  await fails(
    webert.convert({ files: { "model.safetensors": file } }, { dtype: "q8" }),
    "bad_weights",
    /ends 2999999700 bytes too early/,
  );
});
