// GLiNER models against the gliner library: tests/goldens/gliner. What cannot run is a typed error.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { AutoConfig, AutoModel, env, pipeline, redact, Trainer } from "../dist/node.js";

const GOLDENS = join(import.meta.dirname, "goldens/gliner");
const TASK = "zero-shot-token-classification";
const CPU = { device: "cpu", dtype: "fp32" };
const folders = (await readdir(GOLDENS)).filter((name) => !name.includes("."));
const json = async (...path) => JSON.parse(await readFile(join(GOLDENS, ...path), "utf8"));

/** Runs the command line. */
function webert(...args) {
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "../dist/cli.js"), ...args], {
    encoding: "utf8",
  });
  return { code: status, stdout };
}

const scratch = await mkdtemp(join(tmpdir(), "webert-gliner-"));
after(() => rm(scratch, { recursive: true, force: true }));
let copies = 0;

/** Returns a copy of a golden's folder with other fields in gliner_config.json; undefined removes a field. */
async function changed(name, fields) {
  const folder = join(scratch, `${copies++}`);
  await cp(join(GOLDENS, name), folder, { recursive: true });
  const config = { ...(await json(name, "gliner_config.json")), ...fields };
  await writeFile(join(folder, "gliner_config.json"), JSON.stringify(config));
  return folder;
}

const fails = (promise, code, message) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });

for (const name of folders)
  test(`${name}: entities, scores and offsets are the library's`, async () => {
    const find = await pipeline(TASK, join(GOLDENS, name), CPU);
    for (const { text, labels, options, entities } of (await json(name, "cases.json")).calls) {
      const found = await find(text, labels, options);
      const places = (list) => list.map(({ score, ...place }) => place);
      assert.deepEqual(places(found), places(entities), `${text} ${labels} ${JSON.stringify(options)}`);
      for (const [n, { score, word, start, end }] of found.entries()) {
        assert.ok(Math.abs(score - entities[n].score) < 1e-4, `${score} ${entities[n].score}`);
        assert.equal(text.slice(start, end), word);
      }
    }
    assert.deepEqual(await find("  \n ", "a, b", { threshold: 0 }), []);
    await find.dispose();
  });

const WORDS = "Anna flew from Oslo to Rome near the old museum .".split(" ");

test("a long text is read in windows, whose answers far from a cut equal the answers for a short text", async () => {
  const find = await pipeline(TASK, join(GOLDENS, "bert-marker"), CPU);
  const options = { threshold: 0.2, flat_ner: false, multi_label: true };
  const long = Array.from({ length: 90 }, (_, n) => WORDS[n % WORDS.length]);
  const found = await find(long.join(" "), ["person", "city"], options);
  const first = await find(long.slice(0, 24).join(" "), ["person", "city"], options);
  const places = (list, from, to) => list.filter(({ start }) => start >= from && start < to);
  const text = long.join(" ");
  assert.ok(
    found.some(({ start }) => start > text.length / 2),
    "entities of later windows",
  );
  // The first window has 24 words, and shares the last ones with the next window.
  const end = long.slice(0, 14).join(" ").length;
  assert.ok(places(first, 0, end).length > 0);
  assert.deepEqual(places(found, 0, end), places(first, 0, end));
  for (const { word, start, end } of found) assert.equal(text.slice(start, end), word);
  const many = await find(["x", long.join(" ")], "person,city", options);
  assert.deepEqual(many[1], found);
  await find.dispose();
});

test("rejects labels and options that cannot be used", async () => {
  const find = await pipeline(TASK, join(GOLDENS, "bert-marker"), CPU);
  await fails(find("a", []), "bad_input", /labels/);
  await fails(find("a", ["b", 3]), "bad_input", /label 2 is number, not a string/);
  await fails(find("a"), "bad_input", /labels/);
  await fails(find("a", ["b", " "]), "bad_input", /label 2/);
  await fails(find("a", ["<<ENT>>"]), "bad_input", /label 1/);
  const labels = Array.from({ length: 40 }, (_, n) => `label of ${n}`);
  await fails(find("a", labels), "bad_input", /labels.*96 tokens.*Pass fewer labels/);
  await fails(find("a", ["b"], { threshold: 2 }), "bad_input", /threshold.*0 to 1/);
  await fails(find("a", ["b"], { treshold: 0.3 }), "bad_input", /threshold/);
  await find.dispose();
});

test("a GLiNER model runs its own task alone, and other models do not run it", async () => {
  const folder = join(GOLDENS, "bert-marker");
  for (const task of ["token-classification", "feature-extraction", "fill-mask", "text-classification"])
    await fails(pipeline(task, folder, CPU), "unsupported", /GLiNER model.*zero-shot-token-classification/);
  await fails(AutoModel.from_pretrained(folder, CPU), "unsupported", /GLiNER model.*zero-shot-token-classification/);
  const train = (task) => Trainer.from_pretrained(task, folder, { labels: ["a", "b"] });
  for (const task of ["token-classification", "text-classification"])
    await fails(train(task), "unsupported", /Trainer: .*GLiNER model.*zero-shot-token-classification.*are not trained/);
  await fails(AutoConfig.from_pretrained(folder), "unsupported", /AutoConfig: .*GLiNER model.*`encoder_config`/);
  const other = join(import.meta.dirname, "../models/minilm-entities");
  await fails(pipeline(TASK, other, CPU), "unsupported", /expected a GLiNER model.*gliner_config\.json/);
});

test("a folder without config.json is named by its kind in AutoConfig and Trainer", async () => {
  const bytes = new Uint8Array(2);
  const adapter = {
    "adapter_config.json": JSON.stringify({ base_model_name_or_path: "owner/base", peft_type: "LORA" }),
  };
  const modules = [{ idx: 0, name: "0", path: "0_Transformer", type: "sentence_transformers.models.Transformer" }];
  const text = (files) => Object.fromEntries(Object.entries(files).map(([name, value]) => [name, new Blob([value])]));
  for (const [files, pattern] of [
    [adapter, /got a PEFT adapter \(adapter_config\.json\)\. Name its base, "owner\/base"/],
    [{ "modules.json": JSON.stringify(modules) }, /got a folder of modules .*`subfolder` to "0_Transformer\/?"/],
  ]) {
    const source = { files: text(files) };
    await fails(AutoConfig.from_pretrained(source), "unsupported", pattern);
    await fails(Trainer.from_pretrained("text-classification", source, { labels: ["a", "b"] }), "unsupported", pattern);
  }
  await fails(AutoConfig.from_pretrained({ files: { "a.txt": bytes } }), "not_found", /no config\.json/);
});

test("names the variants that are not supported", async () => {
  for (const [fields, message] of [
    [{ span_mode: "conv_share" }, /span_mode "conv_share".*markerV0/],
    [{ labels_encoder: "BAAI/bge-small-en" }, /labels_encoder/],
    [{ labels_decoder: "gpt2" }, /labels_decoder/],
    [{ relations_layer: "biaffine" }, /relations_layer/],
    [{ post_fusion_schema: "l2l-l2t" }, /post_fusion_schema "l2l-l2t"/],
    [{ fuse_layers: true }, /fuse_layers/],
    [{ words_splitter_type: "jieba" }, /words_splitter_type "jieba"/],
    [{ encoder_config: { model_type: "t5", vocab_size: 9 } }, /model_type "t5"/],
    [{ encoder_config: undefined, model_name: undefined }, /no encoder_config.*option `config`/],
  ])
    await fails(pipeline(TASK, await changed("bert-marker", fields), CPU), "unsupported", message);
  await fails(
    pipeline(TASK, await changed("bert-marker", { max_width: -3 }), CPU),
    "bad_config",
    /gliner_config\.json: max_width/,
  );
});

test("names tensors that are missing or of another shape", async () => {
  const lstm = await changed("bert-marker", { num_rnn_layers: 1 });
  await fails(pipeline(TASK, lstm, CPU), "bad_weights", /8 of \d+ tensors are missing, among them "rnn\.lstm/);
  const wide = await changed("modernbert-v1", { span_mode: "markerV0" });
  await fails(pipeline(TASK, wide, CPU), "bad_weights", /out_project\.0\.weight" has shape \[64, 48\]/);
});

test("an encoder without encoder_config is the config of the caller", async () => {
  const { encoder_config } = await json("bert-marker", "gliner_config.json");
  const folder = await changed("bert-marker", { encoder_config: undefined });
  const find = await pipeline(TASK, folder, { ...CPU, config: encoder_config });
  const { text, labels, options, entities } = (await json("bert-marker", "cases.json")).calls.find(
    (call) => call.entities.length,
  );
  assert.equal((await find(text, labels, options)).length, entities.length);
  await find.dispose();
});

test("redact finds labels of the caller beside its rules, from a source or a pipeline", async () => {
  const text = "Anna flew to Rome, mail anna@example.org. Anna is back.";
  const model = join(GOLDENS, "bert-marker");
  const find = await pipeline(TASK, model, CPU);
  const expected = await find(text, ["person", "city"], { threshold: 0.6 });
  assert.ok(expected.length > 2);
  for (const options of [{ model, ...CPU }, { model: find }]) {
    const {
      text: redacted,
      entities,
      restore,
    } = await redact(text, {
      ...options,
      labels: ["person", "city"],
      threshold: 0.6,
    });
    assert.ok(entities.some(({ entity_group, word }) => entity_group === "EMAIL" && word === "anna@example.org"));
    // Where a rule finds something, its entity replaces the model's.
    const [from, to] = [text.indexOf("anna@"), text.indexOf(". Anna is")];
    const apart = ({ start, end }) => end <= from || start >= to;
    const places = (list) => list.filter(apart).map(({ entity_group, start, end }) => [entity_group, start, end]);
    for (const place of places(expected))
      assert.deepEqual(places(entities).filter(([, start]) => start === place[1])[0], place);
    const placeholders = entities.filter(({ word }) => word === "Anna").map(({ placeholder }) => placeholder);
    assert.deepEqual(placeholders, Array(2).fill(placeholders[0]));
    assert.equal(restore(redacted), text);
  }
  await fails(redact(text, { model, ...CPU }), "bad_input", /labels: expected the kinds of data.*GLiNER/);
  await fails(redact(text, { model: find }), "bad_input", /labels: expected the kinds of data.*GLiNER/);
  const biased = { model: find, labels: ["person"], label_bias: { O: -1 } };
  await fails(redact(text, biased), "bad_input", /label_bias: expected none for a GLiNER model/);
  await find.dispose();
  await redact.dispose();
});

test("an older folder takes its encoder's config and its tokenizer from model_name", async () => {
  const { encoder_config } = await json("added-tokens", "gliner_config.json");
  const folder = await changed("added-tokens", { encoder_config: undefined, model_name: "own/encoder" });
  const encoder = join(scratch, "own/encoder");
  await cp(folder, encoder, { recursive: true });
  await rm(join(encoder, "gliner_config.json"));
  // The library resizes the word table for the tokens that it adds.
  await writeFile(join(encoder, "config.json"), JSON.stringify({ ...encoder_config, vocab_size: 7 }));
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) await rm(join(folder, name));
  const { localModelPath } = env;
  env.localModelPath = scratch;
  try {
    const find = await pipeline(TASK, folder, CPU);
    for (const { text, labels, options, entities } of (await json("added-tokens", "cases.json")).calls)
      assert.equal((await find(text, labels, options)).length, entities.length);
    await find.dispose();
  } finally {
    env.localModelPath = localModelPath;
  }
});

test("webert check names the task of a GLiNER folder", async () => {
  const { code, stdout } = webert("check", join(GOLDENS, "token-level"), "--json");
  assert.equal(code, 0);
  const { loads, tasks } = JSON.parse(stdout);
  assert.deepEqual([loads, tasks], [true, [TASK]]);
  const other = webert("check", join(GOLDENS, "token-level"), "--task", "token-classification");
  assert.equal(other.code, 1);
});
