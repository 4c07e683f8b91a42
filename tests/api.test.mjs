// The built package in Node, with the embedded model: tests that need the engine, beside the tests over fake-wasm.mjs.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { AutoModelForMaskedLM, AutoModelForQuestionAnswering, AutoTokenizer, env, pipeline } from "../dist/node.js";
import { fails } from "./fails.mjs";

const embedded = env.defaultModels["fill-mask"];
const goldens = new URL("goldens/models/", import.meta.url).pathname;
let unmask, tokenizer;

before(async () => {
  [unmask, tokenizer] = await Promise.all([pipeline("fill-mask"), AutoTokenizer.from_pretrained(embedded)]);
});
after(() => unmask.dispose());

test("the embedded model knows its capital", async () => {
  const [best, ...others] = await unmask("Paris is the [MASK] of France.");
  assert.equal(best.token_str, "capital");
  assert.equal(best.sequence, "paris is the capital of france.");
  assert.equal(others.length, 4);
  assert.ok(others.every(({ score }) => score < best.score));
  const many = await unmask(["A [MASK].", "[MASK] and [MASK]."], { top_k: 2 });
  assert.deepEqual([many[0].length, many[1].length, many[1][0].length], [2, 2, 2]);
  const { device, dtype, simd, model_type, parameters } = unmask.info;
  assert.deepEqual(
    { device, model_type, simd: /^(simd128|relaxed)/.test(simd) },
    { device: "wasm", model_type: "bert", simd: true },
  );
  assert.ok(parameters > 20e6 && dtype);
});

test("the embedded classifiers take their encoder from the masked model's folder", async () => {
  const sentiment = await pipeline("text-classification");
  const [good, bad] = await sentiment([
    "The soup was delicious and the waiter was kind.",
    "The room was dirty and the staff were rude.",
  ]);
  await sentiment.dispose();
  assert.deepEqual([good.label, bad.label], ["positive", "negative"]);
  const topic = await pipeline(
    "text-classification",
    new URL("../minilm-topic/", env.defaultModels["text-classification"]).href,
  );
  const [match, vote] = await topic([
    "The striker scored twice in the second half.",
    "Parliament passed the new law after a long debate.",
  ]);
  await topic.dispose();
  assert.deepEqual([match.label, vote.label], ["sports", "politics"]);
});

test("returns offsets into the caller's string, also with lone surrogates", () => {
  const text = "Caf\u00e9 \u{1F600} \ud800x\udc00 \u4e2d\u6587 [MASK] end";
  const { offset_mapping, word_ids } = tokenizer(text, {
    return_tensor: false,
    return_offsets_mapping: true,
    return_word_ids: true,
  });
  const pieces = offset_mapping.map(([start, end]) => text.slice(start, end));
  assert.deepEqual(pieces.slice(0, 3), ["", "Caf\u00e9", "\u{1F600}"]);
  assert.deepEqual(pieces.slice(-5), ["\u4e2d", "\u6587", "[MASK]", "end", ""]);
  assert.equal(word_ids[0], null);
});

test("names bad input and leaves the pipeline usable", async () => {
  await fails(unmask("no gap"), "bad_input", /\[MASK\].*no gap/);
  await fails(unmask(""), "bad_input", /\[MASK\]/);
  await fails(unmask("[MASK]", { top_k: "many" }), "bad_input", /top_k|fill-mask/);
  await fails(pipeline("fill-mask", embedded, { device: "webgpu" }), "unsupported", /webgpu/);
  await fails(pipeline("text-classification", embedded), "unsupported", /classif/);
  await fails(AutoModelForQuestionAnswering.from_pretrained(embedded), "unsupported", /question/);
  const folder = `${goldens}bert-mlm/`;
  const files = async (change) => ({
    files: {
      ...Object.fromEntries(
        await Promise.all(
          ["config.json", "vocab.txt", "tokenizer_config.json", "model.safetensors"].map(async (name) => [
            name,
            await readFile(folder + name),
          ]),
        ),
      ),
      ...change,
    },
  });
  const weights = await readFile(`${folder}model.safetensors`);
  await fails(
    pipeline("fill-mask", await files({ "model.safetensors": weights.subarray(0, 5000) })),
    "bad_weights",
    /./,
  );
  await fails(
    pipeline("fill-mask", await files({ "model.safetensors": new Uint8Array(16).fill(255) })),
    "bad_weights",
    /./,
  );
  const config = JSON.parse(await readFile(`${folder}config.json`));
  const other = new TextEncoder().encode(JSON.stringify({ ...config, model_type: "llama" }));
  await fails(pipeline("fill-mask", await files({ "config.json": other })), "unsupported", /llama/);
  await fails(
    pipeline("fill-mask", await files({ "config.json": new TextEncoder().encode("{") })),
    "bad_config",
    /config\.json/,
  );
  await (await pipeline("fill-mask", await files({}))).dispose();
  assert.equal((await unmask("Paris is the [MASK] of France."))[0].token_str, "capital");
});

test("tokenizes 10 MB of text and answers for the part that fits the model", async () => {
  const text = `[MASK] ${"word ".repeat(2_000_000)}`;
  assert.equal(tokenizer(text, { return_tensor: false }).input_ids.length, 2_000_003);
  assert.equal((await unmask(text, { top_k: 1 })).length, 1);
});

test("a signal stops a run, and the next run is answered", async () => {
  const texts = Array(300).fill("Paris is the [MASK] of France.");
  const stop = new AbortController();
  const stopped = unmask(texts, { signal: stop.signal });
  // Both take turns. Without the stop, the longer one would end last on any machine.
  let ended = false;
  const shorter = unmask(texts.slice(0, 150)).then(() => (ended = true));
  setTimeout(() => stop.abort(), 30);
  await fails(stopped, "aborted", /./);
  assert.equal(ended, false);
  await shorter;
  assert.equal((await unmask("Paris is the [MASK] of France."))[0].token_str, "capital");
});

test("tokenizer and model alone return the pipeline's answer", async () => {
  const model = await AutoModelForMaskedLM.from_pretrained(embedded);
  const inputs = tokenizer("Paris is the [MASK] of France.");
  const { logits } = await model(inputs);
  const at = inputs.input_ids.data.indexOf(BigInt(tokenizer.mask_token_id));
  const row = logits.tolist()[0][at];
  assert.equal(tokenizer.decode([row.indexOf(Math.max(...row))]), "capital");
  await model.dispose();
  await fails(model(inputs), "disposed", /./);
});

test("feature-extraction returns one tensor, pooled or with states", async () => {
  const extract = await pipeline("feature-extraction");
  const texts = ["A kitten sleeps.", "The ship sailed."];
  const pooled = await extract(texts, { pooling: "mean", normalize: true });
  assert.deepEqual(pooled.dims, [2, 384]);
  assert.ok(Math.abs(pooled.data.subarray(0, 384).reduce((sum, x) => sum + x * x, 0) - 1) < 1e-5);
  const states = await extract(texts);
  assert.deepEqual([states.dims[0], states.dims[2]], [2, 384]);
  const all =
    /pooling: expected one of none, mean, cls, first_token, eos, last_token, model, sparse, colbert, got "meen"/;
  await fails(extract(texts, { pooling: "meen" }), "bad_input", all);
  await extract.dispose();
});

test("null is the default of each option of a call", async () => {
  for (const [task, text, names] of [
    ["feature-extraction", "A kitten sleeps.", ["pooling", "normalize", "layers", "max_length"]],
    ["text-classification", "A lovely day.", ["function_to_apply"]],
    ["token-classification", "Anna lives in Oslo.", ["ignore_labels", "aggregation_strategy", "stride"]],
    ["fill-mask", "A [MASK].", ["targets", "layer", "strategy"]],
  ]) {
    const pipe = await pipeline(task);
    const plain = JSON.stringify(await pipe(text));
    for (const name of names)
      assert.equal(JSON.stringify(await pipe(text, { [name]: null })), plain, `${task} ${name}`);
    await pipe.dispose();
  }
});
