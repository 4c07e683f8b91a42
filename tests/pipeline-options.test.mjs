// The arguments and options of pipelines, checked without the engine: src/js over fake-wasm.mjs.
import assert from "node:assert/strict";
import { fails, fill, model, origin, test, wasm, webert } from "./over-server.mjs";

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
