// src/js alone, over tests/fake-wasm.mjs: sources, progress, errors, cancellation, the Worker's protocol. api.test.mjs tests the parts
// that need the real engine.
import assert from "node:assert/strict";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { after, before, test as plainTest } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { buildOverFake, withGpu } from "./over-fake.mjs";

const root = resolve(import.meta.dirname, "..");
let dir, server, origin, webert, internal, wasm;
/** Time limit: a promise that never settles is one of the tested failures and must not hang the run. */
const test = (name, body) => plainTest(name, { timeout: 60_000 }, body);

/** URL path, or folder with a star → [status, content type, body] or a function (request, response). */
const routes = new Map();
const hits = [];

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

function model(path, files) {
  for (const [name, body] of Object.entries(files)) {
    const type = name.endsWith(".json") ? "application/json" : "application/octet-stream";
    routes.set(`${path}/${name}`, [200, type, body]);
  }
}

const fails = (promise, code, pattern = /./) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.name, "WebertError");
    assert.ok(error instanceof webert.WebertError);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });
const fill = (source, options) => webert.pipeline("fill-mask", source, options);

test("loads each file of a URL folder once, with transformers.js' progress events", async () => {
  hits.length = 0;
  const events = [];
  const pipe = await fill(`${origin}/m`, { progress_callback: (event) => events.push(event) });
  assert.equal(new Set(hits).size, hits.length, `fetched twice: ${hits}`);
  const { names, files } = wasm.state.loaded.at(-1);
  assert.deepEqual(names, ["config.json", "tokenizer.json"]);
  assert.deepEqual(files, [{ name: "model.safetensors", bytes: 300_000 }]);
  const weights = events.filter(({ file }) => file === "model.safetensors");
  assert.deepEqual([...new Set(weights.map(({ status }) => status))], ["initiate", "download", "progress", "done"]);
  const { progress, loaded, total } = weights.at(-2);
  assert.deepEqual({ progress, loaded, total }, { progress: 100, loaded: 300_000, total: 300_000 });
  assert.deepEqual(events.at(-1), { status: "ready", task: "fill-mask", model: `${origin}/m` });
  await pipe.dispose();
});

test("reads vocab.txt without tokenizer.json and keeps a URL's query", async () => {
  for (const [name, body] of [
    ["config.json", "{}"],
    ["vocab.txt", "[UNK]"],
    ["model.safetensors", "w"],
  ]) {
    routes.set(`/v/${name}?key=1`, [200, "text/plain", body]);
  }
  await (await fill(`${origin}/v?key=1`)).dispose();
  assert.deepEqual(wasm.state.loaded.at(-1).names, ["config.json", "vocab.txt"]);
});

test("reads shards in order, other folders' last, and only from beside the index or its folder", async () => {
  const index = (...names) => JSON.stringify({ weight_map: Object.fromEntries(names.map((name, i) => [i, name])) });
  const rest = { "config.json": "{}", "tokenizer.json": "{}" };
  model("/s", {
    ...rest,
    "model.safetensors.index.json": index("b.safetensors", "a.safetensors", "b.safetensors"),
    "a.safetensors": "1",
    "b.safetensors": "22",
  });
  await (await fill(`${origin}/s`)).dispose();
  assert.deepEqual(wasm.state.loaded.at(-1).files, [
    { name: "a.safetensors", bytes: 1 },
    { name: "b.safetensors", bytes: 2 },
  ]);
  model("/shared", {
    ...rest,
    "model.safetensors.index.json": index("head.safetensors", "../s/b.safetensors"),
    "head.safetensors": "333",
  });
  await (await fill(`${origin}/shared`)).dispose();
  assert.deepEqual(wasm.state.loaded.at(-1).files, [
    { name: "head.safetensors", bytes: 3 },
    { name: "../s/b.safetensors", bytes: 2 },
  ]);
  for (const name of [
    "../../m/model.safetensors",
    "../model.safetensors",
    ".././model.safetensors",
    "/m/model.safetensors",
    "m/model.safetensors",
  ]) {
    model("/evil", { ...rest, "model.safetensors.index.json": index(name) });
    await fails(fill(`${origin}/evil`), "bad_weights", /no file name of a shard/);
  }
  model("/none", { ...rest, "model.safetensors.index.json": "[" });
  await fails(fill(`${origin}/none`), "bad_weights", /not valid JSON/);
});

test("requests weights that config.json names by that name only", async () => {
  const config = (name) => JSON.stringify({ transformers_weights: name });
  const index = { weight_map: { a: "head.safetensors", b: "../m/model.safetensors" } };
  model("/named", {
    "config.json": config("model.safetensors.index.json"),
    "tokenizer.json": "{}",
    "model.safetensors.index.json": JSON.stringify(index),
    "head.safetensors": "333",
  });
  hits.length = 0;
  await (await fill(`${origin}/named`)).dispose();
  assert.deepEqual(
    wasm.state.loaded.at(-1).files.map(({ name }) => name),
    ["head.safetensors", "../m/model.safetensors"],
  );
  assert.ok(!hits.includes("/named/model.safetensors"), hits.join());
  model("/one", { "config.json": config("small.safetensors"), "tokenizer.json": "{}", "small.safetensors": "22" });
  await (await fill(`${origin}/one`)).dispose();
  assert.deepEqual(wasm.state.loaded.at(-1).files, [{ name: "small.safetensors", bytes: 2 }]);
  model("/gone", {
    "config.json": config("small.safetensors"),
    "tokenizer.json": "{}",
    "model.safetensors": "1",
    "model.safetensors.index.json": JSON.stringify(index),
  });
  await fails(fill(`${origin}/gone`), "not_found", /gone\/small\.safetensors/);
  for (const name of ["../m/model.safetensors", "model.bin", 7, ""]) {
    model("/wrong", { "config.json": config(name), "tokenizer.json": "{}", "model.safetensors": "1" });
    await fails(fill(`${origin}/wrong`), "bad_config", /transformers_weights/);
  }
});

test("leaves a config with many labels to the engine: JSON.parse takes seconds for a million", async () => {
  const id2label = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [i, `label ${i}`]));
  model("/labels", { "config.json": JSON.stringify({ id2label }), "tokenizer.json": "{}", "model.safetensors": "w" });
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (text, ...rest) => {
    if (String(text).includes("id2label")) parsed++;
    return parse(text, ...rest);
  };
  try {
    await (await fill(`${origin}/labels`)).dispose();
  } finally {
    JSON.parse = parse;
  }
  assert.equal(parsed, 1, "by what stands in for the engine");
});

test("names missing files", async () => {
  await fails(fill(`${origin}/nowhere`), "not_found", /config\.json.*nowhere\/config\.json/);
  model("/no-weights", { "config.json": "{}", "tokenizer.json": "{}" });
  await fails(fill(`${origin}/no-weights`), "not_found", /no-weights\/model\.safetensors/);
  model("/no-words", { "config.json": "{}", "model.safetensors": "w" });
  await fails(
    fill(`${origin}/no-words`),
    "not_found",
    /neither tokenizer\.json, vocab\.txt, vocab\.json, spm\.model, spiece\.model nor sentencepiece\.bpe\.model/,
  );
  await fails(fill(join(dir, "nothing")), "not_found", /config\.json/);
  await fails(fill({ files: { "config.json": new Uint8Array([123, 125]) } }), "not_found", /tokenizer|safetensors/);
});

test("reports a page in place of a file", async () => {
  const page = [200, "text/html; charset=utf-8", "<!DOCTYPE html><html></html>"];
  for (const name of ["config.json", "tokenizer.json", "model.safetensors"]) routes.set(`/page/${name}`, page);
  await fails(fill(`${origin}/page`), "not_found", /page\/config\.json: the server sent an HTML page/);
  model("/page2", { "config.json": "{}", "tokenizer.json": "{}", "model.safetensors": "\n<html><body>login" });
  await fails(fill(`${origin}/page2`), "not_found", /model\.safetensors: the server sent an HTML page/);
  // A development server that answers every path with its page: optional files then count as absent.
  model("/spa", { "config.json": "{}", "vocab.txt": "a", "model.safetensors": "w" });
  routes.set("/spa/*", page);
  await (await fill(`${origin}/spa`)).dispose();
});

test("a broken network and a failing server are `network`", async () => {
  await fails(fill("http://127.0.0.1:1/m"), "network", /could not be fetched/);
  routes.set("/500/config.json", [500, "text/plain", "oops"]);
  await fails(fill(`${origin}/500`), "network", /answers 500/);
  model("/cut", { "config.json": "{}", "tokenizer.json": "{}" });
  routes.set("/cut/model.safetensors", (request, response) => {
    response.writeHead(200, { "content-length": 1000 });
    response.write("half");
    setTimeout(() => request.socket.destroy(), 20);
  });
  await fails(fill(`${origin}/cut`), "network", /model\.safetensors broke off/);
});

test("caches Hub models completely or not at all", async () => {
  const files = { "config.json": "{}", "tokenizer.json": "{}", "model.safetensors": "w".repeat(100_000) };
  await fails(fill("me/tiny", { local_files_only: true }), "not_found", /me\/tiny/);
  model("/hub/me/tiny/resolve/main", files);
  await (await fill("me/tiny")).dispose();
  hits.length = 0;
  await (await fill("me/tiny", { local_files_only: true })).dispose();
  assert.deepEqual(hits, []);
  assert.equal(wasm.state.loaded.at(-1).files[0].bytes, 100_000);
  const gone = (path) => routes.set(path, (request) => request.socket.destroy());
  for (const name of ["tokenizer_config.json", "special_tokens_map.json"]) gone(`/hub/me/tiny/resolve/main/${name}`);
  await (await fill("me/tiny")).dispose(); // without a network
  model("/hub/me/part/resolve/main", { "config.json": "{}", "tokenizer.json": "{}" });
  for (const name of ["model.safetensors", "model.safetensors.index.json"]) gone(`/hub/me/part/resolve/main/${name}`);
  await fails(fill("me/part"), "network", /model\.safetensors/);
  model("/hub/me/tiny/resolve/v%2F2", files);
  await (await fill("me/tiny", { revision: "v/2" })).dispose();
  assert.ok(hits.includes("/hub/me/tiny/resolve/v%2F2/config.json"));
  const stored = await readdir(webert.env.cacheDir, { recursive: true });
  assert.deepEqual(
    stored.filter((name) => name.endsWith(".part")),
    [],
  );
});

test("loads the original checkpoint's weights for a repository with only ONNX files", async () => {
  const shape = { model_type: "bert", architectures: ["BertForMaskedLM"], hidden_size: 8, id2label: { 0: "a" } };
  const hub = (name, config, files) =>
    model(`/hub/${name}/resolve/main`, { "config.json": JSON.stringify({ ...shape, ...config }), ...files });
  const onnx = { "tokenizer.json": "{}", "onnx/model.onnx": "onnx" };
  const load = async (name, options) => {
    const pipe = await fill(name, options);
    await pipe.dispose();
    return [pipe.info.source, wasm.state.loaded.at(-1).files[0].bytes];
  };
  hub("maker/original", {}, { "model.safetensors": "weights" });
  hub("maker/other", { hidden_size: 16 }, { "model.safetensors": "w" });
  hub("maker/bare", { architectures: ["BertModel"] }, { "model.safetensors": "w" });
  hub("maker/empty", {}, {});

  hub("onnx/by-config", { _name_or_path: "maker/original" }, onnx);
  assert.deepEqual(await load("onnx/by-config"), ["maker/original", 7]);
  assert.deepEqual(await load("onnx/by-config", { config: { id2label: { 0: "b" } } }), ["maker/original", 7]);
  for (const [i, base_model] of [
    "maker/original",
    '\n- maker/empty # none\n- "maker/original"',
    "[maker/other, maker/original]",
  ].entries()) {
    hub(
      `onnx/by-card-${i}`,
      { _name_or_path: "./mine" },
      { ...onnx, "README.md": `---\nlicense: mit\nbase_model: ${base_model}\ntags:\n- x\n---\n# A card` },
    );
    assert.deepEqual(await load(`onnx/by-card-${i}`), ["maker/original", 7]);
  }
  for (const [name, expected] of [
    ["other", /maker\/other is of another hidden_size: 16, not 8/],
    ["bare", /maker\/bare is of another architectures/],
    ["empty", /maker\/empty could not be read: there is no model\.safetensors/],
    ["gone", /maker\/gone could not be read/],
  ]) {
    hub(`onnx/${name}`, { _name_or_path: `maker/${name}` }, onnx);
    await fails(
      fill(`onnx/${name}`),
      "unsupported",
      new RegExp(`no model\\.safetensors in onnx/${name}.*only ONNX files.*${expected.source}`),
    );
  }
  hub("onnx/unnamed", {}, onnx);
  await fails(fill("onnx/unnamed"), "unsupported", /name the checkpoint that it was made from/);
  const gated = { "config.json": JSON.stringify({ ...shape, _name_or_path: "maker/original" }), ...onnx };
  for (const [file, body] of Object.entries(gated)) {
    routes.set(`/hub/onnx/gated/resolve/main/${file}`, ({ headers }, response) =>
      response
        .writeHead(headers.authorization === "Bearer hf_key" ? 200 : 401, { "content-length": Buffer.byteLength(body) })
        .end(body),
    );
  }
  assert.deepEqual(await load("onnx/gated", { token: "hf_key" }), ["maker/original", 7]);
  // The folder's own weights are not read here. They may differ from the weights that it was trained from.
  hub(
    "maker/tuned",
    { _name_or_path: "maker/original" },
    { "tokenizer.json": "{}", "pytorch_model.bin": "w", "onnx/model.onnx": "onnx" },
  );
  assert.deepEqual(await load("maker/tuned"), [undefined, 1]);
  assert.equal((await load("me/tiny"))[0], undefined);
});

test("does not keep an interrupted download", async () => {
  model("/hub/me/cut/resolve/main", { "config.json": "{}", "tokenizer.json": "{}" });
  routes.set("/hub/me/cut/resolve/main/model.safetensors", routes.get("/cut/model.safetensors"));
  await fails(fill("me/cut"), "network");
  const stored = await readdir(webert.env.cacheDir, { recursive: true });
  assert.deepEqual(
    stored.filter((name) => name.endsWith(".part")),
    [],
  );
  model("/hub/me/cut/resolve/main", { "model.safetensors": "whole" });
  await (await fill("me/cut")).dispose();
  assert.equal(wasm.state.loaded.at(-1).files[0].bytes, 5);
});

test("does not keep a damaged file", async () => {
  model("/hub/me/bad/resolve/main", { "config.json": "{", "tokenizer.json": "{}", "model.safetensors": "w" });
  await fails(fill("me/bad"), "bad_config", /not valid JSON/);
  model("/hub/me/bad/resolve/main", { "config.json": "{}", "tokenizer.json": "{}", "model.safetensors": "w" });
  await (await fill("me/bad")).dispose();
});

test("loads from blobs, bytes, responses, a dropped folder, and a folder on disk", async () => {
  const bytes = new TextEncoder().encode("{}");
  const files = { "config.json": bytes, "tokenizer.json": bytes.buffer, "model.safetensors": new Response("abc") };
  await (await fill({ files })).dispose();
  assert.equal(wasm.state.loaded.at(-1).files[0].bytes, 3);
  const dropped = ["config.json", "vocab.txt", "model.safetensors"].map((name) =>
    Object.defineProperty(new File(["{}"], name), "webkitRelativePath", { value: `mine/${name}` }),
  );
  await (await fill({ files: dropped })).dispose();
  assert.deepEqual(wasm.state.loaded.at(-1).names, ["config.json", "vocab.txt"]);
  await fails(fill({ files: { "config.json": 3 } }), "bad_input", /config\.json/);
  await fails(fill({ files: [new Blob(["{}"])] }), "bad_input", /no name/);
  await mkdir(join(dir, "disk"));
  for (const name of ["config.json", "tokenizer.json", "model.safetensors"])
    await writeFile(join(dir, "disk", name), "{}");
  for (const source of [join(dir, "disk"), pathToFileURL(join(dir, "disk")), pathToFileURL(join(dir, "disk")).href]) {
    await (await fill(source)).dispose();
  }
});

test("rejects invalid sources, tasks and options", async () => {
  await fails(fill("not a model!"), "bad_input", /not a model/);
  await fails(fill(7), "bad_input", /number/);
  await fails(fill(""), "bad_input", /empty string/);
  await fails(fill("http://"), "bad_input", /"http:\/\/" is none/);
  await fails(fill({ files: [null] }), "bad_input", /no name/);
  await fails(fill(`${origin}/m`, 5), "bad_input", /options.*number/);
  await fails(fill(`${origin}/m`, { signal: 5 }), "bad_input", /signal.*number/);
  await fails(fill(`${origin}/m`, { progress_callback: 5 }), "bad_input", /progress_callback.*number/);
  const { remoteHost } = webert.env;
  webert.env.remoteHost = "nonsense";
  await fails(fill("owner/name"), "bad_input", /env\.remoteHost.*"nonsense"/);
  webert.env.remoteHost = remoteHost;
  await fails(webert.pipeline("translation", `${origin}/m`), "unsupported", /translation/);
  await fails(webert.pipeline("toString", `${origin}/m`), "unsupported");
  await fails(webert.pipeline("multiple-choice"), "bad_input", /no default model/);
  // the package's own model is not beside this bundle
  await fails(webert.pipeline("fill-mask"), "not_found", /the package's own model/);
  const { defaultModels } = webert.env;
  webert.env.defaultModels = { "fill-mask": `${origin}/nowhere` };
  await fails(webert.pipeline("fill-mask"), "not_found", /nowhere\/config\.json$/);
  webert.env.defaultModels = defaultModels;
  await fails(
    fill(`${origin}/m`, { dtype: "q5" }),
    "unsupported",
    /dtype: expected one of auto, fp32.*q4f16.*got "q5"/,
  );
  await fails(fill(`${origin}/m`, { dtype: 8 }), "unsupported", /got 8/);
  await fails(fill(`${origin}/m`, { config: "{}" }), "bad_input", /config is an object/);
  await fails(fill(`${origin}/m`, { device: "npu" }), "unsupported", /npu/);
});

test("reads arguments by task, single or array; rejects unknown options", async () => {
  const m = `${origin}/m`;
  const mask = await fill(m);
  assert.deepEqual(await mask("a", { top_k: 2 }), {
    task: "fill-mask",
    input: "a",
    options: { top_k: 2 },
  });
  await fails(mask("a", { top_k: 2, nonsense: 1 }), "bad_input", /unknown option `nonsense`/);
  assert.equal((await mask(["a", "b"])).length, 2);
  assert.deepEqual(await mask([]), []);
  await fails(mask(), "bad_input", /text 1 is undefined/);
  await fails(mask(["a", null]), "bad_input", /text 2 is null/);
  await fails(mask(["a", , "b"]), "bad_input", /text 2 is undefined/);
  await fails(mask("a", { signal: 5 }), "bad_input", /signal.*number/);
  assert.equal((await mask("a", { signal: null })).input, "a");
  assert.equal((await mask("a", null)).input, "a");
  await fails(mask("fail"), "bad_input", /asked to fail/);
  assert.equal((await mask("a")).input, "a", "usable after a failure");

  const label = await webert.pipeline("sentiment-analysis", m);
  assert.equal(label.task, "text-classification");
  assert.deepEqual(await label("a"), [{ label: "A", score: 1 }]);
  assert.deepEqual(await label(["a", { text: "b", text_pair: "c" }]), [
    { label: "A", score: 1 },
    { label: "A", score: 1 },
  ]);
  assert.deepEqual(await label(["a"], { top_k: null }), [[{ label: "A", score: 1 }]]);
  await fails(label([["a", "b"]]), "bad_input", /text 1 is an array/);

  const answer = await webert.pipeline("question-answering", m);
  assert.deepEqual((await answer("q", "c", { top_k: 1 })).input, ["q", "c"]);
  assert.equal((await answer(["q", "r"], ["c", "d"])).length, 2);
  assert.equal((await answer(["q", "r"], "c")).length, 2, "several questions with one context");
  await fails(answer("q", ["c"]), "bad_input", /same length/);
  await fails(answer(["q", "r"], ["c"]), "bad_input", /same length/);
  const zero = await webert.pipeline("zero-shot-classification", m);
  assert.deepEqual((await zero("t", "a, b")).input, ["t", ["a", "b"]]);
  await fails(zero("t", []), "bad_input", /labels/);
  const choice = await webert.pipeline("multiple-choice", m);
  assert.deepEqual((await choice("p", ["a", "b"])).input, ["p", ["a", "b"]]);

  const features = await webert.pipeline("feature-extraction", m);
  assert.deepEqual((await features("abc")).dims, [1, 3, 2]);
  assert.deepEqual((await features(["abc", "d"])).dims, [2, 3, 2], "one Tensor, as long as the longest text");
  assert.deepEqual((await features(["abc", "d"], { pooling: null })).dims, [2, 3, 2]);
  assert.deepEqual((await features([])).dims, [0, 0]);
  assert.deepEqual((await features(["abc", "d"], { pooling: "mean" })).dims, [2, 2]);
  await fails(features("abc", { quantize: true }), "bad_input", /vectors \[n, dimensions\], got \[1, 3, 2\]/);
  await fails(features("abc", { pooling: "mean", quantize: true }), "bad_input", /multiple of 8 dimensions, got 2/);
  await fails(features("abc", { pooling: "mean", quantize: true, precision: "int4" }), "bad_input", /one of binary/);
  const bytes = await features(["abc", "d"], { pooling: "mean", quantize: true, precision: "uint8" });
  assert.deepEqual([bytes.dims, bytes.type], [[2, 2], "uint8"]);
  for (const pipe of [mask, label, answer, zero, choice, features]) await pipe.dispose();
});

test("replaces an unsupported precision by the nearest one and reports it in info; null is the default", async () => {
  const dtypeOf = async (options) => {
    const pipe = await fill(`${origin}/m`, options);
    await pipe.dispose();
    return [wasm.state.loaded.at(-1).options.dtype, pipe.info.dtype_reason];
  };
  for (const dtype of ["auto", "fp32", "fp16", "q8"]) assert.deepEqual(await dtypeOf({ dtype }), [dtype, undefined]);
  for (const dtype of ["int8", "uint8", "q4", "bnb4", "q4f16"]) {
    assert.deepEqual(await dtypeOf({ dtype }), ["q8", `"${dtype}" was asked for, and q8 is the nearest to it`]);
  }
  assert.deepEqual(await dtypeOf({ dtype: { model: "fp16", vision: "q4" } }), ["fp16", undefined]);
  assert.deepEqual(
    [await dtypeOf({ quantized: true }), await dtypeOf({ quantized: false })],
    [
      ["q8", undefined],
      ["fp32", undefined],
    ],
  );
  const nothing = {
    dtype: null,
    device: null,
    threads: null,
    config: null,
    progress_callback: null,
    signal: null,
    quantized: null,
    model_file_name: null,
  };
  assert.deepEqual(await dtypeOf(nothing), ["auto", undefined]);
  await (await webert.AutoModel.from_pretrained(`${origin}/m`, nothing)).dispose();
});

test("fields of the config option replace fields of config.json", async () => {
  model("/labelled", {
    "config.json": '{"a":1,"id2label":{"0":"x"}}',
    "tokenizer.json": "{}",
    "model.safetensors": "w",
  });
  const pipe = await fill(`${origin}/labelled`, { config: new webert.PretrainedConfig({ id2label: { 0: "y" } }) });
  assert.deepEqual({ ...pipe.model.config }, { a: 1, id2label: { 0: "y" } });
  await pipe.dispose();
  const config = await webert.AutoConfig.from_pretrained(`${origin}/labelled`);
  assert.ok(config instanceof webert.PretrainedConfig);
  assert.deepEqual(config.id2label, { 0: "x" });
  model("/listed", { "config.json": "[]" });
  for (const folder of ["listed", "bad-json"]) {
    model("/bad-json", { "config.json": "{" });
    await fails(
      webert.AutoConfig.from_pretrained(`${origin}/${folder}`),
      "bad_config",
      /config\.json: not a JSON object/,
    );
  }
  await fails(webert.AutoConfig.from_pretrained(`${origin}/nowhere`), "not_found", /nowhere\/config\.json/);
});

test("progress_total covers all files with one total and never goes back", async () => {
  const events = [];
  await (await fill(`${origin}/m`, { progress_callback: (event) => events.push(event) })).dispose();
  const totals = events.filter(({ status }) => status === "progress_total");
  assert.ok(totals.length > 0 && totals.length <= events.filter(({ status }) => status === "progress").length);
  assert.deepEqual([...new Set(totals.map(({ total }) => total))], [300_004]);
  totals.slice(1).forEach(({ loaded }, i) => assert.ok(loaded >= totals[i].loaded));
  assert.deepEqual(totals.at(-1), {
    status: "progress_total",
    name: `${origin}/m`,
    progress: 100,
    loaded: 300_004,
    total: 300_004,
    files: {
      "config.json": { loaded: 2, total: 2 },
      "tokenizer.json": { loaded: 2, total: 2 },
      "model.safetensors": { loaded: 300_000, total: 300_000 },
    },
  });
});

/** The `progress_total` events of a load of `path`. Fails unless they only rise and end at 100. */
async function totalsOf(path) {
  const totals = [];
  const progress_callback = (event) => event.status === "progress_total" && totals.push(event);
  await (await fill(`${origin}${path}`, { progress_callback })).dispose();
  assert.ok(totals.length > 1, `${totals.length} events`);
  totals.slice(1).forEach(({ progress, loaded }, i) => {
    assert.ok(progress >= totals[i].progress, `${totals[i].progress} to ${progress} %`);
    assert.ok(loaded >= totals[i].loaded);
  });
  assert.equal(totals.at(-1).progress, 100);
  assert.equal(totals.at(-1).loaded, totals.at(-1).total);
  return totals;
}

/** A safetensors file of one tensor of `bytes` bytes. */
function oneTensor(bytes) {
  const header = Buffer.from(JSON.stringify({ a: { dtype: "U8", shape: [bytes], data_offsets: [0, bytes] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.alloc(bytes, 7)]);
}

test("progress_total knows all files of an index before the first one is read", async () => {
  const weight_map = { a: "small.safetensors", b: "wide.safetensors" };
  const files = {
    "config.json": "{}",
    "tokenizer.json": "{}",
    "small.safetensors": "w".repeat(1_000),
    "wide.safetensors": "w".repeat(400_000),
  };
  model("/shards", { ...files, "model.safetensors.index.json": JSON.stringify({ weight_map }) });
  const index = Buffer.byteLength(JSON.stringify({ weight_map }));
  const totals = await totalsOf("/shards");
  assert.deepEqual([...new Set(totals.map(({ total }) => total))], [401_004 + index]);
  // without HEAD the sizes are estimated
  model("/guessed", {
    ...files,
    "model.safetensors.index.json": JSON.stringify({ metadata: { total_size: 401_000 }, weight_map }),
  });
  for (const name of Object.values(weight_map)) {
    const [status, type, body] = routes.get(`/guessed/${name}`);
    routes.set(`/guessed/${name}`, (request, response) =>
      request.method === "HEAD"
        ? response.writeHead(405).end()
        : response.writeHead(status, { "content-type": type, "content-length": body.length }).end(body),
    );
  }
  assert.ok((await totalsOf("/guessed"))[0].total > 200_000);
});

test("progress_total works with a host that compresses", async () => {
  const bytes = oneTensor(3_000_000);
  model("/zipped", { "config.json": "{}", "tokenizer.json": "{}" });
  routes.set("/zipped/model.safetensors", (_, response) =>
    response
      .writeHead(200, { "content-type": "application/octet-stream", "content-encoding": "gzip" })
      .end(gzipSync(bytes)),
  );
  const totals = await totalsOf("/zipped");
  assert.equal(totals.at(-1).total, bytes.length + 4);
  assert.ok(totals[0].progress < 100, "an early event knows the size");
});

test("a pipeline's tokenizer is made from its loaded files at first use", async () => {
  hits.length = 0;
  const pipe = await fill(`${origin}/m`);
  assert.deepEqual(pipe.tokenizer.encode("ab"), [97, 98]);
  assert.equal(pipe.tokenizer, pipe.tokenizer);
  assert.equal(new Set(hits).size, hits.length, `fetched twice: ${hits}`);
  assert.deepEqual((await pipe.model(pipe.tokenizer("ab"))).logits.tolist(), [[97, 98]]);
  await pipe.model.dispose();
  await fails(pipe("a"), "disposed");
});

test("loads local models below env.localModelPath if they are allowed", async () => {
  const { allowLocalModels, allowRemoteModels, localModelPath } = webert.env;
  try {
    for (const name of ["config.json", "tokenizer.json", "model.safetensors"]) {
      await mkdir(join(dir, "local/me/mine"), { recursive: true });
      await writeFile(join(dir, "local/me/mine", name), "{}");
    }
    Object.assign(webert.env, { allowLocalModels: true, localModelPath: join(dir, "local") });
    hits.length = 0;
    await (await fill("me/mine")).dispose();
    assert.deepEqual(hits, []);
    await fails(fill("me/other"), "not_found", /hub\/me\/other/);
    webert.env.allowRemoteModels = false;
    await fails(fill("me/other"), "not_found", /local.me.other/);
    Object.assign(webert.env, { allowLocalModels: false, allowRemoteModels: true });
    await fails(fill("me/mine"), "not_found", /hub\/me\/mine/);
  } finally {
    Object.assign(webert.env, { allowLocalModels, allowRemoteModels, localModelPath });
  }
});

test("calls of one model take turns; a waiting or running call can be stopped", async () => {
  const pipe = await webert.pipeline("zero-shot-classification", `${origin}/m`);
  const slow = new AbortController();
  const waiting = new AbortController();
  const first = pipe("first", "a", { hypothesis_template: "slow", signal: slow.signal });
  const second = pipe("second", "a", { hypothesis_template: "slow", signal: waiting.signal });
  const third = pipe("third", "a");
  assert.deepEqual((await third).input, ["third", ["a"]], "while the others are under way");
  assert.equal(wasm.state.running, 2);
  waiting.abort();
  await fails(second, "aborted");
  const passes = wasm.state.ticks;
  slow.abort();
  await fails(first, "aborted");
  assert.ok(wasm.state.ticks - passes <= 1, "at most the pass that runs continues");
  assert.deepEqual((await pipe("fourth", "a")).input, ["fourth", ["a"]]);
  assert.deepEqual([wasm.state.overlaps, wasm.state.running], [0, 0]);
  await fails(pipe("x", "a", { signal: AbortSignal.abort() }), "aborted");
  await pipe.dispose();
});

test("calls of several passes take turns pass by pass; one of a single pass begins and ends in one turn", async () => {
  const pipe = await webert.pipeline("zero-shot-classification", `${origin}/m`);
  const ended = [];
  const call = (name, hypothesis_template) => pipe(name, "a", { hypothesis_template }).then(() => ended.push(name));
  const calls = [call("long 1", "long"), call("long 2", "long")];
  const most = { running: 0 };
  for (let i = 0; i < 30; i++)
    calls.push(call("short").then(() => (most.running = Math.max(most.running, wasm.state.running))));
  await Promise.all(calls);
  assert.deepEqual(ended.slice(-2), ["long 1", "long 2"]);
  assert.ok(most.running <= 3, `${most.running} calls were begun at a time`);
  assert.equal(wasm.state.overlaps, 0);
  await pipe.dispose();
});

test("many short calls do not block the event loop", async () => {
  const pipe = await fill(`${origin}/m`);
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const start = performance.now();
  for (let i = 0; i < 150; i++) await pipe("x"); // 1 ms each
  const time = performance.now() - start;
  isOver = true;
  assert.ok(turns >= 10, `${turns} turns in ${time} ms`);
  await pipe.dispose();
});

test("waiting calls leave no listeners, and Node does not warn", async () => {
  const warnings = [];
  const warn = (warning) => warnings.push(String(warning));
  process.on("warning", warn);
  const pipe = await fill(`${origin}/m`);
  await Promise.all(Array.from({ length: 40 }, () => pipe("x")));
  await pipe.dispose();
  await new Promise((done) => setImmediate(done));
  process.off("warning", warn);
  assert.deepEqual(warnings, []);
});

test("null options mean the default", async () => {
  const none = {
    device: null,
    dtype: null,
    threads: null,
    worker: null,
    revision: null,
    progress_callback: null,
    signal: null,
    local_files_only: null,
  };
  const pipe = await fill(`${origin}/m`, none);
  assert.deepEqual(wasm.state.loaded.at(-1).options, { adapter: 0, dtype: "auto", task: "fill-mask", device: "wasm" });
  await pipe.dispose();
  await (await webert.AutoModel.from_pretrained(`${origin}/m`, none)).dispose();
  (await webert.AutoTokenizer.from_pretrained(`${origin}/m`, none)).dispose();
  model("/hub/me/null/resolve/main", { "config.json": "{}", "tokenizer.json": "{}", "model.safetensors": "w" });
  await (await fill("me/null", none)).dispose();
});

test("a signal ends a load during the search for a GPU, and later results are freed", async () => {
  let found;
  await withGpu(
    wasm,
    () => new Promise((done) => (found = done)),
    async () => {
      const loaders = {
        pipeline: fill,
        tokenizer: webert.AutoTokenizer.from_pretrained,
        model: webert.AutoModel.from_pretrained,
      };
      for (const [name, load] of Object.entries(loaders)) {
        const { live } = wasm.state;
        const stop = new AbortController();
        const loading = load(`${origin}/m`, { signal: stop.signal });
        loading.catch(() => {});
        // ends if the load shares an engine that a failed test has left, for which no GPU is searched
        for (let n = 0; !found && n < 400; n++) await new Promise((done) => setTimeout(done, 5));
        assert.ok(found, `${name}: a GPU is searched`);
        stop.abort();
        const won = await Promise.race([
          loading.then(
            () => "loaded",
            ({ code }) => code,
          ),
          new Promise((done) => setTimeout(done, 1000, "still waiting")),
        ]);
        assert.equal(won, "aborted", name);
        found(null);
        found = undefined;
        await new Promise((done) => setTimeout(done, 50));
        assert.equal(wasm.state.live, live, name);
      }
    },
  );
});

test("after a lost GPU the CPU answers each running call or it fails once, and the model reloads once", async () => {
  const config = JSON.stringify({ hidden_size: 768, num_hidden_layers: 12, intermediate_size: 3072 });
  model("/gpu", { "config.json": config, "tokenizer.json": "{}", "model.safetensors": "w" });
  for (const device of ["auto", "webgpu"]) {
    await withGpu(
      wasm,
      async () => ({ info: { vendor: "acme" } }),
      async () => {
        const pipe = await webert.pipeline("zero-shot-classification", `${origin}/gpu`, { device });
        const { live } = wasm.state;
        const loads = wasm.state.loaded.length;
        assert.equal(pipe.info.device, "webgpu");
        const calls = ["a", "b", "c"].map((text) => pipe(text, "x", { hypothesis_template: "long" }));
        await pipe("d", "x");
        wasm.state.gpu = "gone";
        const outcomes = await Promise.all(
          calls.map((call) =>
            call.then(
              ({ input }) => input[0],
              ({ code }) => code,
            ),
          ),
        );
        assert.deepEqual(outcomes, device === "auto" ? ["a", "b", "c"] : Array(3).fill("device_lost"));
        wasm.state.gpu = "well";
        assert.deepEqual((await pipe("e", "x")).input, ["e", ["x"]]);
        assert.equal(pipe.info.device, device === "auto" ? "wasm" : "webgpu");
        assert.deepEqual([wasm.state.loaded.length - loads, wasm.state.live - live, wasm.state.overlaps], [1, 0, 0]);
        await pipe.dispose();
      },
    );
  }
});

test("dispose frees the model, ends running calls and rejects later ones", async () => {
  const pipe = await webert.pipeline("zero-shot-classification", `${origin}/m`);
  const live = wasm.state.live;
  const running = fails(pipe("x", "a", { hypothesis_template: "slow" }), "disposed");
  await new Promise((done) => setTimeout(done, 20));
  await pipe.dispose();
  await running;
  assert.equal(wasm.state.live, live - 1);
  await fails(pipe("x", "a"), "disposed");
  await fails(pipe([], "a"), "disposed");
  await pipe.dispose();
  await (await webert.pipeline("fill-mask", `${origin}/m`))[Symbol.asyncDispose]();
  assert.equal(wasm.state.live, live - 1);
});

test("frees a model whose last progress callback throws", async () => {
  const { live } = wasm.state;
  const refuse = ({ status }) => {
    if (status === "ready") throw new Error("no room for it");
  };
  await fails(fill(`${origin}/m`, { progress_callback: refuse }), "bad_input", /no room/);
  assert.equal(wasm.state.live, live);
});

test("a signal ends a download", async () => {
  model("/slow", { "config.json": "{}", "tokenizer.json": "{}" });
  let closed;
  const ended = new Promise((done) => (closed = done));
  const stop = new AbortController();
  routes.set("/slow/model.safetensors", (request, response) => {
    setTimeout(() => stop.abort(), 50);
    response.writeHead(200, { "content-length": 1_000_000 });
    response.write("x".repeat(1000));
    request.once("close", closed);
    response.once("close", closed);
    setTimeout(() => stop.abort(), 50);
  });
  await fails(fill(`${origin}/slow`, { signal: stop.signal }), "aborted");
  await ended;
  await fails(fill(`${origin}/m`, { signal: AbortSignal.abort() }), "aborted");
});

/** Both ends of a Worker, in this thread; terminating it is simulated. */
function channel() {
  const { port1, port2 } = new MessageChannel();
  return {
    page: Object.assign(port1, {
      terminate() {
        port1.close();
        wasm.state.terminated = true;
      },
    }),
    worker: port2,
  };
}

async function workerEngine() {
  const { page, worker } = channel();
  const machine = { store: async () => undefined, readWasm: async () => new Uint8Array(), threads: { cores: 1 } };
  internal.serve(worker, new internal.LocalEngine(machine));
  return Object.assign(new internal.RemoteEngine(page), { port: page });
}

/** The load request of a page to its Worker. */
const specOf = (path) => ({
  place: { kind: "url", name: "m", base: `${origin}${path}/`, store: null, fetch: true },
  how: { device: "auto", dtype: "auto" },
  tokenizer: true,
  pooling: false,
  wasmPaths: {},
  threads: 0,
});

test("the Worker's protocol: results, errors with their codes, progress, cancellation, closing", async () => {
  const engine = await workerEngine();
  const spec = specOf("/m");
  const events = [];
  await assert.rejects(
    engine.load(specOf("/nowhere"), { signal: new AbortController().signal }),
    ({ name, code }) => name === "WebertError" && code === "not_found",
  );
  const model = await engine.load(spec, {
    signal: new AbortController().signal,
    progress: (event) => events.push(event.status),
  });
  assert.ok(events.includes("progress") && events.includes("done"));
  assert.equal(model.info.model_type, "bert");
  assert.match(model.parts.build, /^(relaxed|simd128)$/);
  assert.deepEqual(
    Object.entries(model.parts.files).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]),
    [
      ["config.json", "{}"],
      ["tokenizer.json", "{}"],
    ],
  );
  const slow = new AbortController();
  const first = model.run("fill-mask", ["1"], { hypothesis_template: "slow" }, slow.signal);
  const second = model.run("fill-mask", ["2"], {});
  const third = assert.rejects(
    model.run("fill-mask", ["fail"], {}),
    ({ name, code, message }) => name === "WebertError" && code === "bad_input" && message === "asked to fail",
  );
  setTimeout(() => slow.abort(), 30);
  await assert.rejects(first, ({ code }) => code === "aborted");
  assert.equal((await second)[0].input, "2");
  await third;
  const { logits } = await model.forward({ dims: [1, 2], input_ids: Uint32Array.of(5, 6) }, {});
  assert.deepEqual(Array.from(logits.data), [5, 6]);
  await assert.rejects(
    model.run("fill-mask", [() => {}], {}),
    ({ name, code }) => name === "WebertError" && code === "bad_input",
  );
  const last = model.run("fill-mask", ["3"], { hypothesis_template: "slow" });
  setTimeout(() => engine.close(), 20);
  await assert.rejects(last, ({ code }) => code === "disposed");
  await assert.rejects(model.run("fill-mask", ["4"], {}), ({ code }) => code === "disposed");
  while (wasm.state.running) await new Promise((done) => setTimeout(done, 5));
  wasm.state.terminated = false;
});

test("a broken Worker fails its calls and later ones", async () => {
  const engine = await workerEngine();
  const { signal } = new AbortController();
  const model = await engine.load(specOf("/m"), { signal });
  const call = model.run("fill-mask", ["1"], { hypothesis_template: "slow" });
  engine.port.onerror({ message: "boom" });
  await assert.rejects(call, ({ code, message }) => code === "device_lost" && /boom/.test(message));
  assert.ok(engine.isOver);
  await assert.rejects(model.run("fill-mask", ["1"], {}), ({ code }) => code === "device_lost");
  await assert.rejects(engine.load(specOf("/m"), { signal }), ({ code }) => code === "device_lost");
  await model.close();
  while (wasm.state.running) await new Promise((done) => setTimeout(done, 5));
  wasm.state.terminated = false;
});

test("tokenizer: tensors, plain arrays, ragged batches, decoding", async () => {
  const tokenizer = await webert.AutoTokenizer.from_pretrained(`${origin}/m`);
  const one = tokenizer("abc", { return_offsets_mapping: true });
  assert.deepEqual(one.input_ids.dims, [1, 3]);
  assert.deepEqual(one.input_ids.tolist(), [[97n, 98n, 99n]]);
  assert.deepEqual(one.offset_mapping.dims, [1, 3, 2]);
  const plain = tokenizer("ab", { return_tensor: false, return_offsets_mapping: true, return_word_ids: true });
  assert.deepEqual(plain, {
    input_ids: [97, 98],
    attention_mask: [1, 1],
    token_type_ids: [0, 0],
    offset_mapping: [
      [0, 1],
      [1, 2],
    ],
    word_ids: [null, null],
  });
  assert.deepEqual(tokenizer(["a", "bc"], { return_tensor: false }).input_ids, [[97], [98, 99]]);
  const overflow = tokenizer("a", { return_tensor: false, return_overflowing_tokens: true });
  assert.deepEqual([overflow.input_ids, overflow.overflow_to_sample_mapping], [[[97]], [0]]);
  const throws = (work, code, pattern) =>
    assert.throws(
      work,
      (error) => error instanceof webert.WebertError && error.code === code && pattern.test(error.message),
    );
  throws(() => tokenizer(["a", "bc"]), "bad_input", /1, 2.*padding/);
  throws(() => tokenizer(5), "bad_input", /number/);
  throws(() => tokenizer("a", { text_pair: ["b", "c"] }), "bad_input", /2 entries for 1/);
  throws(() => tokenizer("a", { max_length: -1 }), "bad_input", /max_length/);
  assert.deepEqual(tokenizer([]).input_ids.dims, [0, 0]);
  assert.deepEqual(tokenizer.tokenize("ab", { pair: "c" }), ["a", "b", "c"]);
  assert.deepEqual(tokenizer.encode("ab"), [97, 98]);
  assert.equal(tokenizer.decode([97, 98n], { skip_special_tokens: true }), "ab!");
  assert.equal(tokenizer.decode(one.input_ids), "abc");
  assert.deepEqual(tokenizer.batch_decode(one.input_ids, { clean_up_tokenization_spaces: false }), ["abc?"]);
  throws(() => tokenizer.decode([-1]), "bad_input", /-1/);
  for (const ids of [5, {}, null, "7"])
    throws(() => tokenizer.decode(ids), "bad_input", /ids are a Tensor or an array/);
  for (const id of [null, true, "7", [7]]) throws(() => tokenizer.decode([id]), "bad_input", /is not a token id/);
  for (const batch of [5, null]) throws(() => tokenizer.batch_decode(batch), "bad_input", /batch/);
  for (const ids of [{}, null, "97"])
    throws(() => tokenizer.convert_ids_to_tokens(ids), "bad_input", /ids are a Tensor or an array/);
  throws(() => tokenizer(["a", , "b"]), "bad_input", /text 2 is undefined/);
  throws(() => tokenizer("a", 5), "bad_input", /options/);
  assert.deepEqual(tokenizer.tokenize("ab", null), ["a", "b"]);
  assert.equal(tokenizer.mask_token_id, 2);
  assert.equal(tokenizer.model_max_length, Infinity);
  tokenizer.dispose();
  throws(() => tokenizer("a"), "disposed", /./);
});

test("AutoModel accepts nested, flat and tensor ids, and rejects ragged ids and a missing head", async () => {
  const model = await webert.AutoModel.from_pretrained(`${origin}/m`);
  const { logits } = await model({
    input_ids: [
      [1, 2],
      [3, 4],
    ],
  });
  assert.ok(logits instanceof webert.Tensor);
  assert.deepEqual(logits.tolist(), [
    [1, 2],
    [3, 4],
  ]);
  assert.deepEqual((await model({ input_ids: [1, 2, 3] })).logits.dims, [1, 3]);
  assert.deepEqual((await model({ input_ids: [[[1], [2]]] })).logits.dims, [1, 2, 1]);
  const ids = new webert.Tensor("int64", [1, 2], [1, 2]);
  assert.deepEqual((await model({ input_ids: ids, attention_mask: ids })).logits.dims, [1, 2]);
  await fails(model({ input_ids: [[1, 2], [3]] }), "bad_input", /ragged/);
  await fails(model({ input_ids: [[1], 2] }), "bad_input", /ragged/);
  await fails(model({ input_ids: [[-1]] }), "bad_input", /-1/);
  await fails(model({ input_ids: [[1.5]] }), "bad_input", /1\.5/);
  for (const id of ["7", null, true, ""])
    await fails(model({ input_ids: [[id]] }), "bad_input", /input_ids: expected integers/);
  await fails(model({}), "bad_input", /input_ids/);
  await fails(model({ input_ids: [[1]], attention_mask: [[1, 1]] }), "bad_input", /attention_mask/);
  await model.dispose();
  await fails(webert.AutoModelForQuestionAnswering.from_pretrained(`${origin}/m`), "unsupported", /masked-lm/);
  await (await webert.AutoModelForMaskedLM.from_pretrained(`${origin}/m`)).dispose();
});

test("a trap rejects all calls of its instance, also later ones; the next load works", async () => {
  for (const [text, code, pattern] of [
    ["trap", "device_lost", /unreachable/],
    ["full", "out_of_memory", /0\.125 MiB.*cannot grow/],
  ]) {
    const { released } = wasm.state;
    const pipe = await fill(`${origin}/m`);
    const other = await webert.pipeline("zero-shot-classification", `${origin}/m`);
    const tokenizer = await webert.AutoTokenizer.from_pretrained(`${origin}/m`);
    const beside = fails(other("x", "a", { hypothesis_template: "slow" }), code, pattern);
    await Promise.all([beside, fails(pipe(text), code, pattern), fails(pipe("waiting"), code, pattern)]);
    await fails(pipe("x"), code, pattern);
    await fails(other("x", "a"), code, pattern);
    assert.throws(() => tokenizer("x"), { code });
    assert.equal(wasm.state.released, released + 1);
    const next = await fill(`${origin}/m`);
    assert.equal((await next("x")).input, "x");
    assert.equal((await webert.AutoTokenizer.from_pretrained(`${origin}/m`)).encode("a")[0], 97);
    for (const { dispose } of [pipe, other, tokenizer, next]) await dispose();
    assert.equal(wasm.state.released, released + 1);
  }
});

test("a trap or a stack overflow in a tokenizer ends its instance", async () => {
  for (const text of ["trap", "deep"]) {
    const [pipe, tokenizer] = await Promise.all([
      fill(`${origin}/m`),
      webert.AutoTokenizer.from_pretrained(`${origin}/m`),
    ]);
    assert.throws(() => tokenizer(text), { name: "WebertError", code: "device_lost" });
    assert.throws(() => tokenizer("x"), { code: "device_lost" });
    await fails(pipe("x"), "device_lost");
    tokenizer.dispose();
    assert.throws(() => tokenizer("x"), { code: "disposed" });
    await pipe.dispose();
    const fresh = await webert.AutoTokenizer.from_pretrained(`${origin}/m`);
    assert.equal(fresh.encode("a")[0], 97);
    const next = await fill(`${origin}/m`);
    assert.equal((await next("x")).input, "x");
    await next.dispose();
  }
});

test("a Worker reports a trapped model, and its next model works", async () => {
  const spec = specOf("/m");
  const { signal } = new AbortController();
  const engine = await workerEngine();
  const model = await engine.load(spec, { signal });
  await assert.rejects(
    model.run("fill-mask", ["trap"], {}),
    ({ name, code }) => name === "WebertError" && code === "device_lost",
  );
  await assert.rejects(model.run("fill-mask", ["x"], {}), ({ code }) => code === "device_lost");
  const next = await engine.load(spec, { signal });
  assert.equal((await next.run("fill-mask", ["x"], {}))[0].input, "x");
  await engine.close();
  wasm.state.terminated = false;
});

test("Tensor and WebertError work alone", () => {
  const { Tensor, WebertError } = webert;
  const tensor = new Tensor("float32", [1, 2, 3, 4, 5, 6], [2, 3]);
  assert.deepEqual(tensor.tolist(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(
    [...tensor].map((row) => row.tolist()),
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  );
  assert.deepEqual(new Tensor("float32", [7], []).tolist(), 7);
  assert.deepEqual(new Tensor("float32", [], [2, 0]).tolist(), [[], []]);
  const unfit = [
    ["float32", [1], [2]],
    ["float32", [1]],
    ["float32", null, [1]],
    ["float32", [1], [-1, -1]],
    ["float32", [1, 2, 3], [1.5, 2]],
    ["float32", ["1"], [1]],
    ["int64", [1.5], [1]],
    ["int64", ["x"], [1]],
    ["int64", new Float32Array(2), [2]],
    ["int64", [1, , 2], [3]],
    ["uint9", [1], [1]],
  ];
  for (const args of unfit) assert.throws(() => new Tensor(...args), { code: "bad_input" }, JSON.stringify(args));
  const round = WebertError.unpack(
    structuredClone(WebertError.pack(new WebertError("bad_config", "no", { cause: new Error("why") }))),
  );
  assert.deepEqual(
    [round.name, round.code, round.message, round.cause],
    ["WebertError", "bad_config", "no", "Error: why"],
  );
  // The binary's errors have the parts of their text; they survive a Worker's message.
  const parts = { file: "config.json", item: "hidden_size", expected: "1 to 9", found: "0" };
  const thrown = WebertError.from(Object.assign(new Error("x"), { code: "bad_config", ...parts }));
  const restored = WebertError.unpack(structuredClone(WebertError.pack(thrown)));
  for (const error of [thrown, restored]) {
    const { file, item, expected, found } = error;
    assert.deepEqual({ file, item, expected, found }, parts);
  }
  assert.ok(!("file" in round) && !("found" in WebertError.pack(round)));
  assert.equal(WebertError.from(Object.assign(new Error("x"), { code: "ENOENT" })).code, "bad_input");
  assert.equal(WebertError.from(new WebAssembly.RuntimeError("unreachable")).code, "device_lost");
  assert.equal(WebertError.from("plain text").message, "plain text");
});

test("browser code imports nothing from Node", async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    write: false,
    metafile: true,
    platform: "browser",
    logLevel: "error",
    splitting: true,
    outdir: dir,
    external: ["#*"],
    entryPoints: [
      "src/js/index.ts",
      "src/js/engine/worker.ts",
      ...["index", "slim", "inline", "service-worker", "edge"].map((name) => `src/js/entries/${name}.ts`),
    ],
  });
  const outside = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external }) => external);
  assert.deepEqual(
    outside.filter(({ path }) => !path.startsWith("#")),
    [],
  );
});

test("an edge function has one thread", async () => {
  const nothing = {
    name: "nothing",
    setup(builder) {
      builder.onResolve({ filter: /^#/ }, ({ path }) => ({ path, namespace: "nothing" }));
      builder.onLoad({ filter: /./, namespace: "nothing" }, () => ({ contents: "export default undefined;" }));
    },
  };
  const options = { absWorkingDir: root, bundle: true, format: "esm", logLevel: "error", plugins: [nothing] };
  const outfile = join(dir, "edge.mjs");
  await build({ ...options, outfile, entryPoints: ["src/js/entries/edge.ts"] });
  const { platform } = await import(pathToFileURL(outfile).href);
  for (const threads of [0, 1]) assert.equal(typeof (await platform.createEngine({ threads })).load, "function");
  await assert.rejects(platform.createEngine({ threads: 2 }), { code: "unsupported", message: /has one thread/ });
});
