// Models kept under names, in Node: one safetensors file each.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createIndex, pipeline, saved, Trainer } from "../dist/node.js";
import { fails } from "./fails.mjs";

const folder = new URL("goldens/training/rows", import.meta.url).pathname;
const { eval_rows, train_rows } = JSON.parse(readFileSync(`${folder}/rows.json`, "utf8"));
const CPU = { device: "wasm", threads: 1 };
const texts = eval_rows.slice(0, 4).map(({ text }) => text);
const dir = mkdtempSync(join(tmpdir(), "webert-saved-"));
after(() => rmSync(dir, { recursive: true }));
const at = (name) => join(dir, name);

const answersOf = async (source, options = { dtype: "fp32" }) => {
  const classify = await pipeline("text-classification", source, { ...CPU, ...options });
  const answers = await classify(texts, { top_k: null });
  await classify.dispose();
  return answers;
};
const trainerOf = (task = "text-classification", options) =>
  Trainer.from_pretrained(task, folder, { ...CPU, ...options });

test("a model kept under a name answers like its files, in each dtype", async () => {
  const trainer = await trainerOf();
  await trainer.train(train_rows, { max_steps: 2 });
  for (const dtype of ["fp32", "fp16", "q8"]) {
    const name = at(`deeper/${dtype}.safetensors`);
    const files = await trainer.save({ dtype, name });
    const expected = await answersOf(files);
    assert.deepEqual(await answersOf({ name }), expected, dtype);
    assert.deepEqual(await answersOf({ file: new Blob([readFileSync(name)]) }), expected, dtype);
    assert.deepEqual(await answersOf(async () => ({ name })), expected, dtype);
    assert.deepEqual(await answersOf({ file: await saved.export(files) }), expected, dtype);
  }
  await trainer.dispose();
});

test("a kept model trains on", async () => {
  const trainer = await trainerOf();
  await trainer.train(train_rows, { max_steps: 2 });
  const { files } = await trainer.save({ name: at("first.safetensors") });
  await trainer.dispose();
  const losses = [];
  for (const source of [{ files }, { name: at("first.safetensors") }]) {
    const again = await Trainer.from_pretrained("text-classification", source, CPU);
    losses.push((await again.evaluate(eval_rows)).loss);
    await again.dispose();
  }
  assert.equal(losses[0], losses[1]);
});

test("lists, finds and deletes kept models, and no other file", async () => {
  const [one, other, copy, index] = ["one.safetensors", "a.txt", "copy", "notes.index"].map((name) =>
    join(dir, "list", name),
  );
  const trainer = await trainerOf();
  await trainer.save({ name: one });
  await trainer.dispose();
  writeFileSync(other, '12345678{"__metadata__":{"format":"pt"}}');
  copyFileSync(join(folder, "model.safetensors"), join(dir, "list/plain.safetensors"));
  const made = await createIndex();
  await made.save({ name: index });
  await made.dispose();
  await saved.import(copy, await saved.export(one));
  assert.deepEqual(readFileSync(copy), readFileSync(one));
  assert.deepEqual(await saved.list(join(dir, "list")), [copy, one]);
  for (const name of [other, index, join(dir, "list/plain.safetensors"), join(dir, "list"), at("none")]) {
    assert.equal(await saved.has(name), false, name);
    assert.equal(await saved.delete(name), false, name);
  }
  assert.equal(await saved.has(copy), true);
  assert.equal(await saved.delete(copy), true);
  assert.deepEqual(await saved.list(join(dir, "list")), [one]);
  await fails(saved.list(at("none")), "not_found", /none could not be read/);
});

test("the one file is safetensors: its weights equal model.safetensors, its metadata the other files", async () => {
  const trainer = await trainerOf();
  const { files } = await trainer.save();
  await trainer.dispose();
  const parsed = async (blob) => {
    const bytes = Buffer.from(await blob.arrayBuffer());
    const start = 8 + Number(bytes.readBigUInt64LE(0));
    assert.equal(start % 8, 0);
    const { __metadata__, ...tensors } = JSON.parse(bytes.toString("utf8", 8, start));
    return { metadata: __metadata__, tensors, data: bytes.subarray(start) };
  };
  // a file that is no UTF-8, and a byte order mark, survive
  const odd = new Blob([Uint8Array.of(0xff, 0, 0xfe, 10)]);
  const marked = new Blob(["\ufeff{}"]);
  const file = await saved.export({ files: { ...files, "spiece.model": odd, "1_Pooling/config.json": marked } });
  const [whole, weights] = [await parsed(file), await parsed(files["model.safetensors"])];
  assert.deepEqual(whole.tensors, weights.tensors);
  assert.deepEqual(whole.data, weights.data);
  assert.equal(whole.metadata.format, "pt");
  assert.equal(whole.metadata["file:config.json"], await files["config.json"].text());
  assert.equal(whole.metadata["base64:spiece.model"], "/wD+Cg==");
  assert.equal(whole.metadata["file:1_Pooling/config.json"], "\ufeff{}");
  assert.ok(Object.values(whole.metadata).every((value) => typeof value === "string"));
});

test("embeddings that were trained keep their pooling", async () => {
  const trainer = await trainerOf("feature-extraction");
  await trainer.train(
    [
      { text: texts[0], positive: texts[1] },
      { text: texts[2], positive: texts[3] },
    ],
    { max_steps: 1 },
  );
  const name = at("vectors.safetensors");
  const { files } = await trainer.save({ name });
  await trainer.dispose();
  const vectorsOf = async (source) => {
    const embed = await pipeline("feature-extraction", source, { ...CPU, dtype: "fp32" });
    const { data } = await embed(texts, { pooling: "mean", normalize: true });
    await embed.dispose();
    return data;
  };
  assert.deepEqual(await vectorsOf({ name }), await vectorsOf({ files }));
});

test("names what is wrong with a name or a file", async () => {
  const trainer = await trainerOf();
  const { files } = await trainer.save();
  await fails(trainer.save({ name: "" }), "bad_input", /^name: expected a non-empty string/);
  await fails(trainer.save({ name: 3 }), "bad_input", /^name: .*got number/);
  await fails(trainer.save({ nam: "x" }), "bad_input", /`nam`.*`name`/);
  await trainer.dispose();
  const load = (source) => pipeline("text-classification", source, CPU);
  await fails(load({ name: at("absent") }), "not_found", /absent: no such file/);
  await fails(load({ name: "" }), "bad_input", /^name: expected a non-empty string/);
  await fails(load({ file: "x" }), "bad_input", /^file: expected a Blob, got string/);
  await fails(load({ file: new Blob(["x"]) }), "bad_input", /expected a safetensors file/);
  await fails(load({ file: files["model.safetensors"] }), "bad_input", /without a config/);
  await fails(saved.import("x", files["model.safetensors"]), "bad_input", /without a config/);
  await fails(saved.import("x", "text"), "bad_input", /^file: expected a Blob/);
  await fails(saved.export(at("absent")), "not_found", /no such file/);
  await fails(saved.export(3), "bad_input", /^model: expected a name or/);
  await fails(
    saved.export({ files: { "config.json": new Blob() } }),
    "bad_input",
    /expected model.safetensors, got config/,
  );
  const whole = await saved.export({ files });
  const later = new Blob([(await whole.text()).replace('"webert":"1"', '"webert":"2"')]);
  await fails(load({ file: later.slice(0, later.size) }), "unsupported", /expected version 1 of the format, got 2/);
  await fails(load({ file: whole.slice(0, 400) }), "bad_input", /expected a safetensors file/);
  await fails(load({ file: whole.slice(0, whole.size - 9) }), "bad_weights", /model.safetensors/);
});
