// Where model files come from: folders, the Hub and its cache, blobs, local models; over fake-wasm.mjs.
import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { dir, fails, fill, hits, model, origin, routes, test, wasm, webert } from "./over-server.mjs";

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
