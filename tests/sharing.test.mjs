// Models of the same weights share an engine, over tests/fake-wasm.mjs: what loads once, what later models read, and what does not pass from
// one model to another.
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, beforeEach, test as plainTest } from "node:test";
import { buildOverFake, withGpu } from "./over-fake.mjs";

let dir, server, origin, webert, internal, wasm;
const test = (name, body) => plainTest(name, { timeout: 60_000 }, body);
/** URL path → body, or a function (request, response). */
const routes = new Map();
const hits = [];
const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

before(async () => {
  let fetching;
  ({ dir, webert, internal, wasm, fetching } = await buildOverFake());
  Object.assign(fetching.limits, { delay: 1, requests: 1 });
  server = createServer((request, response) => {
    hits.push(request.url);
    const route = routes.get(request.url);
    if (typeof route === "function") route(request, response);
    else if (route === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-length": Buffer.byteLength(route) }).end(route);
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  origin = `http://127.0.0.1:${server.address().port}`;
  model("/m", { "config.json": "{}", "tokenizer.json": "{}", "model.safetensors": "w".repeat(300_000) });
});

beforeEach(() => {
  hits.length = 0;
  wasm.state.loaded.length = 0;
  wasm.state.gpu = "well";
  wasm.state.overlaps = 0;
  delete wasm.state.attaching;
  const { live } = wasm.state;
  wasm.state.live = 0;
  assert.equal(live, 0, "the test before left a model");
});

after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true });
});

function model(path, files) {
  for (const [name, body] of Object.entries(files)) routes.set(`${path}/${name}`, body);
}

const fails = (promise, code, pattern = /./) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.code, code, error.stack);
    assert.match(error.message, pattern);
    return true;
  });
const fill = (source, options) => webert.pipeline("fill-mask", source, options);
const vectors = (source, options) => webert.pipeline("feature-extraction", source, options);
const zeroShot = (source, options) => webert.pipeline("zero-shot-classification", source, options);
const disposeAll = (...models) => Promise.all(models.map((model) => model.dispose()));
/** For each load, the number of its encoder (from 1), and whether it was attached. */
const loads = () => {
  const first = wasm.state.loaded[0]?.encoder - 1;
  return wasm.state.loaded.map(({ encoder, isAttached }) => `${encoder - first}${isAttached ? " attached" : ""}`);
};
const text = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

test("two tasks and a model at once load one encoder; after the last is disposed of, it loads again", async () => {
  const source = `${origin}/m`;
  const [mask, extract, auto] = await Promise.all([
    fill(source),
    vectors(source),
    webert.AutoModel.from_pretrained(source),
  ]);
  const later = await zeroShot(source);
  assert.deepEqual(loads(), ["1", "1 attached", "1 attached", "1 attached"]);
  assert.equal((await mask("a")).input, "a");
  assert.deepEqual((await extract("abc")).dims, [1, 3, 2]);
  assert.deepEqual((await auto({ input_ids: [1, 2] })).logits.tolist(), [[1, 2]]);
  await disposeAll(mask, extract, auto, later);
  assert.equal(wasm.state.live, 0);
  await disposeAll(await fill(source));
  assert.deepEqual(loads().at(-1), "2");
});

/** Models like the package's: an encoder's file, and classifiers of their own files over it. */
function family(path, { encoder = "e".repeat(1000), config = {} } = {}) {
  const shared = `${origin}${path}/mlm/model.safetensors`;
  model(path, { "mlm/model.safetensors": encoder, "a/head.safetensors": "aa", "b/head.safetensors": "bb" });
  const index = {
    weight_map: {
      "bert.embeddings.word_embeddings.weight": "../mlm/model.safetensors",
      "bert.encoder.layer.0.output.dense.weight": "../mlm/model.safetensors",
      "head.weight": "head.safetensors",
    },
  };
  const small = (config) => ({ "config.json": text(config), "tokenizer.json": text({}) });
  const classifier = (name, own) => ({
    files: {
      ...small({ ...config, head: "sequence-classification", ...own }),
      "model.safetensors.index.json": text(index),
      "head.safetensors": new URL(`${origin}${path}/${name}/head.safetensors`),
      "../mlm/model.safetensors": new URL(shared),
    },
  });
  return {
    mlm: { files: { ...small(config), "model.safetensors": new URL(shared) } },
    a: classifier("a"),
    b: classifier("b"),
    classifier,
  };
}

test("three models over one file fetch it once, in any order, and read only their heads in addition", async () => {
  const { mlm, a, b } = family("/family");
  const classify = (source) => webert.pipeline("text-classification", source);
  const three = await Promise.all([fill(mlm), classify(a), classify(b)]);
  assert.deepEqual(loads(), ["1", "1 attached", "1 attached"]);
  assert.deepEqual(hits.toSorted(), [
    "/family/a/head.safetensors",
    "/family/b/head.safetensors",
    "/family/mlm/model.safetensors",
  ]);
  assert.deepEqual(
    three.map(({ info }) => info.head),
    ["masked-lm", "sequence-classification", "sequence-classification"],
  );
  await disposeAll(...three);
  hits.length = wasm.state.loaded.length = 0;
  const reverse = [await classify(b), await classify(a), await fill(mlm)];
  assert.deepEqual(loads(), ["1", "1 attached", "1 attached"]);
  assert.deepEqual(
    wasm.state.loaded.map(({ files }) => files.map(({ name }) => name)),
    [["head.safetensors", "../mlm/model.safetensors"], ["head.safetensors"], ["model.safetensors"]],
  );
  await disposeAll(...reverse);
});

test("folders on disk share a file by its path, unless it was changed", async () => {
  const shared = join(dir, "disk/mlm/model.safetensors");
  const index = {
    weight_map: { "encoder.layer.0.weight": "../mlm/model.safetensors", "head.weight": "head.safetensors" },
  };
  const files = {
    "mlm/config.json": "{}",
    "mlm/tokenizer.json": "{}",
    "mlm/model.safetensors": "weights",
    "a/config.json": "{}",
    "a/tokenizer.json": "{}",
    "a/model.safetensors.index.json": JSON.stringify(index),
    "a/head.safetensors": "aa",
  };
  for (const [name, body] of Object.entries(files)) {
    await mkdir(join(dir, "disk", name, ".."), { recursive: true });
    await writeFile(join(dir, "disk", name), body);
  }
  const [mlm, a] = [await fill(join(dir, "disk/mlm")), await fill(join(dir, "disk/a"))];
  await writeFile(shared, "other weights");
  const changed = await fill(join(dir, "disk/mlm"));
  assert.deepEqual(loads(), ["1", "1 attached", "2"]);
  await disposeAll(mlm, a, changed);
});

/** A file with an encoder of 4 MB and a head in its last `head` bytes. */
const withHead = (head) => `0004000000${"e".repeat(4_000_000 - 10)}${"h".repeat(head)}`;

test("skips the encoder's part of a Blob or of a file on disk", async () => {
  const folder = join(dir, "whole");
  await mkdir(folder);
  const parts = withHead(500).match(/.{1,100000}/g);
  const blob = new Blob(parts);
  const starts = [];
  blob.slice = (start, ...rest) => {
    starts.push(start);
    return Blob.prototype.slice.call(blob, start, ...rest);
  };
  const files = { "config.json": text({}), "tokenizer.json": text({}) };
  for (const [name, bytes] of Object.entries({ ...files, "model.safetensors": withHead(500) }))
    await writeFile(join(folder, name), bytes);
  for (const source of [{ files: { ...files, "model.safetensors": blob } }, folder]) {
    const first = await fill(source);
    const events = [];
    const second = await vectors(source, { progress_callback: (event) => events.push(event) });
    assert.deepEqual(
      loads()
        .slice(-2)
        .map((load) => load.includes("attached")),
      [false, true],
    );
    const [whole, head] = wasm.state.loaded.slice(-2).map(({ files }) => files[0]);
    assert.deepEqual([whole.bytes, whole.skipped], [4_000_500, undefined]);
    assert.equal(head.bytes + head.skipped, 4_000_500);
    assert.ok(head.bytes < 1.2e6, `${head.bytes} bytes were pushed`);
    const ends = events
      .filter(({ file, status }) => file === "model.safetensors" && status !== "progress_total")
      .slice(-2);
    assert.deepEqual(
      ends.map(({ status, loaded }) => [status, loaded]),
      [
        ["progress", 4_000_500],
        ["done", undefined],
      ],
    );
    await disposeAll(first, second);
  }
  assert.deepEqual(starts, [0, 0, 4_000_000], "of a file that is not read nothing is begun");
});

test("does not request the encoder's part from a server with ranges, and skips it otherwise", async () => {
  const body = Buffer.from(withHead(500));
  const sent = [];
  const respond = (ranges) => (request, response) => {
    const start = ranges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range)?.[1] ?? 0) : 0;
    const range = start ? { "content-range": `bytes ${start}-${body.length - 1}/${body.length}` } : {};
    response.writeHead(start ? 206 : 200, {
      "content-length": body.length - start,
      etag: '"1"',
      ...(ranges && { "accept-ranges": "bytes" }),
      ...range,
    });
    sent.push(start);
    let at = start;
    const write = () => {
      if (at >= body.length) return response.end();
      response.write(body.subarray(at, (at += 100_000)), () => setTimeout(write, 1));
    };
    write();
  };
  for (const ranges of [true, false]) {
    const path = `/ranges-${ranges}`;
    model(path, { "config.json": "{}", "tokenizer.json": "{}" });
    routes.set(`${path}/model.safetensors`, respond(ranges));
    const pipes = [await fill(`${origin}${path}`), await vectors(`${origin}${path}`)];
    const { bytes, skipped } = wasm.state.loaded.at(-1).files[0];
    assert.equal(bytes + skipped, 4_000_500);
    assert.ok(bytes < 300_000, `${bytes} bytes were pushed`);
    await disposeAll(...pipes);
  }
  assert.deepEqual(sent, [0, 0, 4_000_000, 0, 0]);
});

test("does not read a file to its end if nothing more is needed", async () => {
  model("/headless", { "config.json": "{}", "tokenizer.json": "{}" });
  let sent;
  routes.set("/headless/model.safetensors", (_, response) => {
    const body = Buffer.from(withHead(0));
    response.writeHead(200, { "content-length": body.length });
    sent = 0;
    const write = () => {
      if (sent >= body.length) response.end();
      else if (!response.destroyed) response.write(body.subarray(sent, (sent += 100_000)), () => setTimeout(write, 5));
    };
    write();
  });
  const first = await fill(`${origin}/headless`);
  assert.equal(sent, 4_000_000);
  const second = await vectors(`${origin}/headless`);
  assert.ok(sent < 1e6, `${sent} bytes were sent`);
  await disposeAll(first, second);
});

test("skips the encoder's part of a cached file", async () => {
  model("/hub/me/cached/resolve/main", {
    "config.json": "{}",
    "tokenizer.json": "{}",
    "model.safetensors": withHead(500),
  });
  const kept = new Map();
  const blobs = [];
  const customCache = {
    async match(url) {
      const found = kept.get(url);
      if (!found) return undefined;
      const { bytes, headers } = found;
      // a body that arrives in pieces
      const parts = Array.from({ length: Math.ceil(bytes.length / 100_000) }, (_, i) =>
        bytes.subarray(i * 100_000, (i + 1) * 100_000),
      );
      const response = new Response(new Blob(parts).stream(), { headers });
      return Object.assign(response, { blob: async () => (blobs.push(url), new Blob([bytes])) });
    },
    async put(url, response) {
      kept.set(url, { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers });
    },
  };
  const { remoteHost } = webert.env;
  Object.assign(webert.env, { useCustomCache: true, customCache, remoteHost: `${origin}/hub/` });
  try {
    const pipes = [await fill("me/cached"), await vectors("me/cached")];
    const { bytes, skipped } = wasm.state.loaded.at(-1).files[0];
    assert.equal(bytes + skipped, 4_000_500);
    assert.deepEqual(blobs, [`${origin}/hub/me/cached/resolve/main/model.safetensors`]);
    assert.equal(hits.filter((url) => url.endsWith("model.safetensors")).length, 1);
    await disposeAll(...pipes);
  } finally {
    Object.assign(webert.env, { useCustomCache: false, customCache: null, remoteHost });
  }
});

test("disposing of one model ends its calls only", async () => {
  const [first, second] = [await zeroShot(`${origin}/m`), await zeroShot(`${origin}/m`)];
  const ended = fails(first("x", "a", { hypothesis_template: "slow" }), "disposed");
  const goesOn = second("y", "a", { hypothesis_template: "long" });
  await later(10);
  await first.dispose();
  await ended;
  assert.equal(wasm.state.live, 1);
  assert.equal((await goesOn).input[0], "y");
  assert.equal((await second("z", "a")).input[0], "z");
  await fails(first("x", "a"), "disposed");
  const third = await zeroShot(`${origin}/m`);
  assert.deepEqual(loads(), ["1", "1 attached", "1 attached"]);
  await disposeAll(second, third, first);
  assert.equal(wasm.state.live, 0);
});

test("calls of different models take turns, pass by pass", async () => {
  const [one, other] = [await zeroShot(`${origin}/m`), await zeroShot(`${origin}/m`)];
  const ended = [];
  const call = (pipe, name, hypothesis_template) =>
    pipe(name, "a", { hypothesis_template }).then(() => ended.push(name));
  const calls = [call(one, "long", "long"), call(other, "long, too", "long")];
  for (let i = 0; i < 5; i++) calls.push(call(other, "short"));
  await Promise.all(calls);
  assert.deepEqual(ended.slice(0, 5), Array(5).fill("short"));
  assert.equal(wasm.state.overlaps, 0);
  await disposeAll(one, other);
});

test("a first load that fails leaves the encoder to the second", async () => {
  let asked = 0;
  model("/flaky", { "config.json": "{}", "tokenizer.json": "{}" });
  routes.set("/flaky/model.safetensors", (_, response) => {
    if (asked++ === 0) response.writeHead(403).end();
    else response.end("weights");
  });
  const first = fails(fill(`${origin}/flaky`), "network", /403/);
  const [second, third] = await Promise.all([fill(`${origin}/flaky`), vectors(`${origin}/flaky`)]);
  await first;
  assert.deepEqual(loads(), ["1", "1 attached"]);
  await disposeAll(second, third);
  routes.delete("/flaky/model.safetensors");
  await fails(fill(`${origin}/flaky`), "not_found");
  model("/flaky", { "model.safetensors": "weights" });
  await disposeAll(await fill(`${origin}/flaky`));
});

test("an aborted first load lets the second continue; a waiting load can be aborted as well", async () => {
  const stop = new AbortController();
  let asked = 0;
  model("/slow", { "config.json": "{}", "tokenizer.json": "{}" });
  routes.set("/slow/model.safetensors", (_, response) => {
    if (asked++ > 0) return response.end("weights");
    response.writeHead(200, { "content-length": 1_000_000 });
    response.write("x".repeat(1000));
    return setTimeout(() => stop.abort(), 50);
  });
  const waiting = new AbortController();
  const first = fails(fill(`${origin}/slow`, { signal: stop.signal }), "aborted");
  const second = vectors(`${origin}/slow`);
  const third = fails(vectors(`${origin}/slow`, { signal: waiting.signal }), "aborted");
  waiting.abort();
  await third;
  assert.equal(wasm.state.live, 0, "the first is still on its way");
  await first;
  const pipe = await second;
  assert.deepEqual(loads(), ["1"]);
  await pipe.dispose();
});

test("a signal ends a load that waits for another load's encoder", async () => {
  const machine = { store: async () => undefined, readWasm: async () => new Uint8Array(), threads: { cores: 1 } };
  const engine = new internal.LocalEngine(machine);
  let release;
  model("/waited", { "config.json": "{}", "tokenizer.json": "{}" });
  routes.set("/waited/model.safetensors", (_, response) => (release = () => response.end("weights")));
  const first = engine.load(specOf("/waited"), { signal: new AbortController().signal });
  while (!release) await later(5);
  const stop = new AbortController();
  const second = fails(engine.load(specOf("/waited"), { signal: stop.signal }), "aborted");
  stop.abort();
  await second;
  release();
  await (await first).close();
});

test("a trap ends all models of the instance; the next one has an encoder of its own", async () => {
  const [one, other] = [await fill(`${origin}/m`), await fill(`${origin}/m`)];
  await fails(one("trap"), "device_lost");
  await fails(other("x"), "device_lost");
  const [next, after] = [await fill(`${origin}/m`), await fill(`${origin}/m`)];
  assert.deepEqual(loads(), ["1", "1 attached", "2", "2 attached"]);
  assert.equal((await after("x")).input, "x");
  wasm.state.live -= 2; // the models of the ended instance
  await disposeAll(one, other, next, after);
});

test("models with another dtype, device, threads, wasm files or configuration do not share; other labels do", async () => {
  const source = `${origin}/m`;
  const apart = [{}, { dtype: "fp32" }, { device: "wasm" }, { threads: 1 }, { config: { hidden_act: "relu" } }];
  const pipes = [];
  for (const options of apart) pipes.push(await fill(source, options));
  assert.deepEqual(loads(), ["1", "2", "3", "4", "5"]);
  pipes.push(
    await fill(source, { config: { id2label: { 0: "a" } } }),
    await fill(source, { dtype: "auto", threads: 0 }),
  );
  assert.deepEqual(loads().slice(5), ["1 attached", "1 attached"]);
  const { wasmPaths } = webert.env;
  webert.env.wasmPaths = new URL(`file://${dir}/other/`).href;
  pipes.push(await fill(source));
  webert.env.wasmPaths = wasmPaths;
  assert.equal(loads().at(-1), "6");
  const files = () => ({ "config.json": text({}), "tokenizer.json": text({}), "model.safetensors": new Blob(["w"]) });
  const given = files();
  for (const source of [given, files(), { ...given }]) pipes.push(await fill({ files: source }));
  assert.deepEqual(loads().slice(-3), ["7", "8", "7 attached"]);
  await disposeAll(...pipes);
});

test("another encoder configuration over the same file loads separately and shares with its own folder", async () => {
  const { mlm, a, classifier } = family("/differs");
  const other = classifier("b", { hidden_size: 8 });
  const pipes = [];
  for (const source of [mlm, other, a, other]) pipes.push(await fill(source));
  // The same bytes become a new Blob each time; a URL stays the same.
  assert.deepEqual(loads(), ["1", "2", "1 attached", "3"]);
  const blobs = { ...other.files, "config.json": new Blob([other.files["config.json"]]) };
  for (const name of ["tokenizer.json", "model.safetensors.index.json"]) blobs[name] = new Blob([other.files[name]]);
  for (const source of [blobs, { ...blobs }]) pipes.push(await fill({ files: source }));
  assert.deepEqual(loads().slice(4), ["4", "4 attached"]);
  await disposeAll(...pipes);
});

const requestAdapter = async () => ({ info: { vendor: "acme" } });

const large = JSON.stringify({ hidden_size: 768, num_hidden_layers: 12, intermediate_size: 3072 });

test("after a lost GPU all models move to one encoder on the CPU", async () => {
  model("/gpu", { "config.json": large, "tokenizer.json": "{}", "model.safetensors": "w" });
  await withGpu(wasm, requestAdapter, async () => {
    const pipes = await Promise.all([zeroShot(`${origin}/gpu`), zeroShot(`${origin}/gpu`), zeroShot(`${origin}/gpu`)]);
    assert.deepEqual(loads(), ["1", "1 attached", "1 attached"]);
    const calls = pipes.slice(0, 2).map((pipe) => pipe("x", "a", { hypothesis_template: "long" }));
    await pipes[2]("first", "a");
    wasm.state.gpu = "gone";
    await Promise.all(calls);
    await pipes[2]("last", "a");
    assert.deepEqual(
      pipes.map(({ info }) => info.device),
      ["wasm", "wasm", "wasm"],
    );
    assert.match(pipes[2].info.device_reason, /the GPU was in use until it failed/);
    assert.deepEqual(loads().slice(3), ["2", "2 attached", "2 attached"]);
    assert.equal(wasm.state.live, 3);
    assert.equal(wasm.state.overlaps, 0);
    await disposeAll(...pipes);
  });
});

test("after the loss of a requested GPU each model reloads for its next call, the encoder once", async () => {
  model("/gpu", { "config.json": large, "tokenizer.json": "{}", "model.safetensors": "w" });
  await withGpu(wasm, requestAdapter, async () => {
    const load = () => zeroShot(`${origin}/gpu`, { device: "webgpu" });
    const [one, other] = await Promise.all([load(), load()]);
    wasm.state.gpu = "gone";
    await one("x", "a").then(
      () => assert.fail("its device has gone"),
      ({ code }) => assert.equal(code, "device_lost"),
    );
    wasm.state.gpu = "well";
    assert.equal((await other("y", "a")).input[0], "y");
    assert.equal((await one("x", "a")).input[0], "x");
    assert.deepEqual(
      loads()
        .slice(-2)
        .map((load) => load.slice(1)),
      ["", " attached"],
    );
    await disposeAll(one, other);
  });
});

test('a head that the GPU has no room for goes to the CPU under "auto", and is an error where the GPU is named', async () => {
  model("/gpu", { "config.json": large, "tokenizer.json": "{}", "model.safetensors": "w" });
  await withGpu(wasm, requestAdapter, async () => {
    const [auto, named] = [await fill(`${origin}/gpu`), await fill(`${origin}/gpu`, { device: "webgpu" })];
    wasm.state.attaching = "out_of_memory";
    await fails(fill(`${origin}/gpu`, { device: "webgpu" }), "out_of_memory");
    const apart = await fill(`${origin}/gpu`);
    assert.deepEqual(loads(), ["1", "2", "3"]);
    await disposeAll(auto, named, apart);
  });
});

/** An engine behind the Worker's protocol, both ends in this thread. */
function remote() {
  const { port1, port2 } = new MessageChannel();
  const machine = { store: async () => undefined, readWasm: async () => new Uint8Array(), threads: { cores: 1 } };
  const state = { isTerminated: false };
  const terminate = () => {
    state.isTerminated = true;
    port1.close();
  };
  internal.serve(port2, new internal.LocalEngine(machine));
  return { engine: new internal.RemoteEngine(Object.assign(port1, { terminate })), state };
}

const specOf = (path) => ({
  place: { kind: "url", name: "m", base: `${origin}${path}/`, store: null, fetch: true },
  how: { device: "auto", dtype: "auto" },
  tokenizer: true,
  pooling: false,
  wasmPaths: {},
  threads: 0,
});

test("one Worker has several models, called and closed separately", async () => {
  const { engine, state } = remote();
  const { signal } = new AbortController();
  const [one, other] = await Promise.all([
    engine.load(specOf("/m"), { signal }),
    engine.load(specOf("/m"), { signal }),
  ]);
  assert.deepEqual(loads(), ["1", "1 attached"]);
  assert.deepEqual(Object.keys(other.parts.files), ["config.json", "tokenizer.json"]);
  const ended = fails(one.run("fill-mask", ["x"], { hypothesis_template: "slow" }), "disposed");
  const answers = other.run("fill-mask", ["y"], { hypothesis_template: "long" });
  await one.close();
  await ended;
  assert.equal(wasm.state.live, 1);
  assert.equal((await answers)[0].input, "y");
  await fails(one.run("fill-mask", ["x"], {}), "disposed");
  await fails(one.forward({ dims: [1, 1], input_ids: Uint32Array.of(5) }, {}), "disposed");
  assert.ok(!state.isTerminated);
  await other.close();
  await engine.close();
  assert.ok(state.isTerminated);
});

/** An engine whose Worker is simulated by the test: the messages it receives, and its answers. */
function played() {
  const sent = [];
  const port = { postMessage: (message) => sent.push(message), terminate() {} };
  return { engine: new internal.RemoteEngine(port), sent, answer: (data) => port.onmessage({ data }) };
}
const loaded = (info = {}) => ({ info, parts: { files: {}, build: "simd128" } });

test("a Worker frees the model of a load that was stopped late", async () => {
  const { engine, sent, answer } = played();
  const stop = new AbortController();
  const loading = fails(engine.load({}, { signal: stop.signal }), "aborted");
  const [{ id }] = sent;
  stop.abort();
  await loading;
  assert.deepEqual(sent.at(-1), { id, cancel: true });
  answer({ id, result: loaded() });
  assert.deepEqual({ ...sent.at(-1), id }, { id, call: "close", model: id });
});

test("dispose ends a model's calls at once, also with a busy Worker", async () => {
  const { engine, sent, answer } = played();
  const { signal } = new AbortController();
  const models = [];
  for (let i = 0; i < 2; i++) {
    const loading = engine.load({}, { signal });
    answer({ id: sent.at(-1).id, result: loaded() });
    models.push(await loading);
  }
  const calls = models.map((model) => model.run("fill-mask", ["x"], {}));
  const { id } = sent.at(-1);
  void models[0].close();
  await fails(calls[0], "disposed");
  answer({ model: sent[1].id, info: { device: "wasm" } });
  answer({ id, result: ["y"] });
  assert.deepEqual(await calls[1], ["y"]);
  assert.deepEqual([models[0].info, models[1].info], [{}, { device: "wasm" }]);
});

test("a Worker reports new model information once, before the answer", async () => {
  const sent = [];
  const port = { postMessage: (message) => sent.push(message) };
  const model = { info: { device: "webgpu" }, parts: { files: {} }, run: async () => ["y"] };
  internal.serve(port, { load: async () => model });
  const run = (id) => port.onmessage({ data: { id, call: "run", model: 1, args: ["fill-mask", ["x"], {}] } });
  await port.onmessage({ data: { id: 1, call: "load", args: [{}] } });
  await run(2);
  model.info = { device: "wasm" };
  await run(3);
  await run(4);
  assert.deepEqual(sent, [
    { id: 1, result: { info: { device: "webgpu" }, parts: { files: {} } } },
    { id: 2, result: ["y"] },
    { model: 1, info: { device: "wasm" } },
    { id: 3, result: ["y"] },
    { id: 4, result: ["y"] },
  ]);
});

test("an engine closed during a stopped load ends after the load's answer", async () => {
  const { engine, state } = remote();
  const stop = new AbortController();
  let release;
  model("/held", { "config.json": "{}", "tokenizer.json": "{}" });
  routes.set("/held/model.safetensors", (_, response) => (release = () => response.end("weights")));
  const loading = fails(engine.load(specOf("/held"), { signal: stop.signal }), "aborted");
  while (!release) await later(5);
  stop.abort();
  await loading;
  await engine.close();
  assert.ok(engine.isOver);
  await fails(engine.load(specOf("/m"), stop), "disposed");
  for (let wait = 0; wait < 100 && !state.isTerminated; wait++) await later(5);
  assert.ok(state.isTerminated);
});
