// Information about models without loading them, and a program's own fetch: src/js over tests/fake-wasm.mjs.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { buildOverFake } from "./over-fake.mjs";

let dir, webert, server;
const hits = [];
/** Files by path. */
const files = new Map();

before(async () => {
  ({ dir, webert } = await buildOverFake());
  server = createServer(({ url, method, headers }, response) => {
    hits.push({ url, method, headers });
    const body = files.get(url);
    const head = { "content-length": body?.length ?? 0 };
    response.writeHead(body === undefined ? 404 : 200, head).end(method === "HEAD" ? undefined : body);
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  Object.assign(webert.env, { remoteHost: `http://127.0.0.1:${server.address().port}/`, cacheDir: join(dir, "cache") });
});
beforeEach(() => {
  hits.length = 0;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true });
});

function hub(name, more) {
  const all = { "config.json": "{}", "tokenizer.json": "{}", "model.safetensors": "weights", ...more };
  for (const [file, body] of Object.entries(all)) if (body !== null) files.set(`/${name}/resolve/main/${file}`, body);
}
const load = async (name, options) => (await webert.pipeline("fill-mask", name, options)).dispose();
const names = ({ files }) => files.map(({ file }) => file).sort();

test("a model is cached after its load, and no longer after it is cleared", async () => {
  const { ModelRegistry } = webert;
  hub("a/whole");
  assert.equal(await ModelRegistry.is_cached("a/whole"), false);
  assert.equal(await ModelRegistry.is_pipeline_cached("fill-mask", "a/whole"), false);
  assert.equal(hits.length, 0);
  await load("a/whole");
  const fetched = hits.length;
  assert.equal(await ModelRegistry.is_cached("a/whole"), true);
  const whole = ["config.json", "model.safetensors", "tokenizer.json"];
  const kept = await ModelRegistry.is_pipeline_cached_files("fill-mask", "a/whole", { dtype: "q8" });
  assert.deepEqual([kept.allCached, names(kept)], [true, whole]);
  assert.equal(await ModelRegistry.is_cached("a/whole", { revision: "other" }), false);
  await load("a/whole", { local_files_only: true });
  assert.equal(hits.length, fetched);

  const cleared = await ModelRegistry.clear_cache("a/whole");
  assert.deepEqual([cleared.filesDeleted, cleared.filesCached, names(cleared)], [3, 3, whole]);
  assert.equal(await ModelRegistry.is_cached("a/whole"), false);
  assert.deepEqual(await ModelRegistry.clear_pipeline_cache("fill-mask", "a/whole"), {
    filesDeleted: 0,
    filesCached: 0,
    files: [],
  });
  await load("a/whole");
  assert.ok(hits.some(({ url }) => url.endsWith("/a/whole/resolve/main/model.safetensors")));
});

test("a model with missing files does not count as cached", async () => {
  const { AutoConfig, AutoModel, ModelRegistry } = webert;
  hub("a/part");
  await AutoConfig.from_pretrained("a/part");
  const kept = await ModelRegistry.is_cached_files("a/part");
  assert.deepEqual([kept.allCached, names(kept)], [false, ["config.json"]]);
  await (await AutoModel.from_pretrained("a/part")).dispose();
  assert.equal(await ModelRegistry.is_cached("a/part"), true); // a model alone needs no tokenizer
  assert.equal(await ModelRegistry.is_pipeline_cached("ner", "a/part"), false);
  await assert.rejects(ModelRegistry.is_pipeline_cached("translation", "a/part"), { code: "unsupported" });
  await assert.rejects(ModelRegistry.is_cached("no model"), { code: "bad_input", name: "WebertError" });
  hub("a/shards", {
    "model.safetensors": null,
    "model.safetensors.index.json": '{"weight_map": {"x": "1.safetensors", "y": "2.safetensors"}}',
    "1.safetensors": "one",
    "2.safetensors": "two",
  });
  await load("a/shards");
  assert.equal(await ModelRegistry.is_cached("a/shards"), true);
  assert.equal((await ModelRegistry.clear_cache("a/shards")).filesDeleted, 5);
  await assert.rejects(ModelRegistry.is_cached("a/part", { signal: AbortSignal.abort() }), { code: "aborted" });
  hub("a/damaged", { "config.json": '{"transformers_weights": "../.."}' });
  await AutoConfig.from_pretrained("a/damaged");
  assert.equal(await ModelRegistry.is_cached("a/damaged"), false);
  assert.equal((await ModelRegistry.clear_cache("a/damaged")).filesDeleted, 1);
  assert.deepEqual(await ModelRegistry.get_available_dtypes("a/part"), ["fp32", "fp16", "q8"]);
  await assert.rejects(ModelRegistry.get_available_dtypes("a/part", { revisoin: "x" }), { code: "bad_input" });
});

test("loads a repository with only ONNX files again without a network", async () => {
  const { ModelRegistry } = webert;
  hub("maker/original", { "config.json": "{}" });
  hub("onnx/copy", {
    "config.json": '{"_name_or_path": "maker/original"}',
    "model.safetensors": null,
    "onnx/model_quantized.onnx": "onnx",
  });
  assert.equal(await ModelRegistry.is_cached("onnx/copy"), false);
  await load("onnx/copy");
  hits.length = 0;
  assert.equal(await ModelRegistry.is_cached("onnx/copy"), true);
  await load("onnx/copy", { local_files_only: true });
  assert.equal(hits.length, 0);
  assert.ok(
    names(await ModelRegistry.clear_cache("onnx/copy")).some((file) =>
      file.endsWith("maker/original/resolve/main/model.safetensors"),
    ),
  );
  // Files that were never requested are unknown: the base of a model is not the model.
  hub("maker/tuned", { "config.json": '{"_name_or_path": "maker/original"}' });
  await webert.AutoConfig.from_pretrained("maker/tuned");
  await load("maker/original");
  await assert.rejects(load("maker/tuned", { local_files_only: true }), { code: "not_found" });
  assert.equal(await ModelRegistry.is_cached("maker/tuned"), false);
});

test("env.fetch fetches the files of models", async () => {
  const { env } = webert;
  const original = env.fetch;
  const calls = [];
  hub("a/fetched", {
    "config.json": '{"_name_or_path": "maker/original"}',
    "model.safetensors": null,
    "onnx/model.onnx": "onnx",
  });
  env.fetch = (url, init) => {
    calls.push([url, init]);
    return original(url, { ...init, headers: { ...init.headers, "x-program": "1" } });
  };
  try {
    await load("a/fetched", { token: "hf_key" });
  } finally {
    env.fetch = original;
  }
  assert.ok(calls.every(([url, { signal }]) => url.startsWith(env.remoteHost) && signal instanceof AbortSignal));
  assert.ok(hits.length >= 3 && hits.some(({ method }) => method === "HEAD"));
  assert.ok(hits.every(({ headers }) => headers["x-program"] === "1"));
  assert.ok(hits.every(({ headers }) => headers.authorization === "Bearer hf_key"));
  env.fetch = () => Promise.reject(new Error("no way"));
  await assert.rejects(load("a/refused", { signal: AbortSignal.timeout(10_000) }), {
    code: "network",
    message: /no way/,
  });
  env.fetch = original;
});

test("tasks without a model in the package use one from the Hub", async () => {
  const { env, pipeline } = webert;
  const models = {
    "question-answering": "distilbert/distilbert-base-cased-distilled-squad",
    "zero-shot-classification": "typeform/distilbert-base-uncased-mnli",
  };
  for (const [task, name] of Object.entries(models)) {
    await assert.rejects(pipeline(task), { code: "not_found", message: new RegExp(name) });
    assert.ok(hits.every(({ url }) => url.startsWith(`/${name}/resolve/main/`)));
    hits.length = 0;
  }
  hub("own/reader");
  env.defaultModels["question-answering"] = "own/reader";
  await (await pipeline("question-answering")).dispose();
});
