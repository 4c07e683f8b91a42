// Low-rank adapters in training, through the public API over the built package: files as PEFT writes them, equal
// outputs with the adapter merged and apart, checkpoints, and refused options.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { AutoModelForSequenceClassification, pipeline, Trainer } from "../dist/node.js";
import { alike } from "./alike.mjs";
import { fails } from "./fails.mjs";

const CPU = { device: "wasm", worker: false };
const goldens = join(import.meta.dirname, "goldens");
const seqcls = join(goldens, "training/seqcls");
const { inputs, labels } = JSON.parse(await readFile(join(seqcls, "training.json"), "utf8"));
const rows = [
  { text: "one two three", label: "even" },
  { text: "four five", label: "odd" },
];
const open = (peft, options, source = seqcls) =>
  Trainer.from_pretrained("text-classification", source, { ...CPU, peft, ...options });
const step = (trainer) => trainer.step(inputs, labels, { learning_rate: 1e-2 });
const json = async (blob) => JSON.parse(await blob.text());

/** Names and values of a safetensors Blob. */
async function tensors(blob) {
  const buffer = await blob.arrayBuffer();
  const size = Number(new DataView(buffer).getBigUint64(0, true));
  const { __metadata__: _, ...header } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, size)));
  const entries = Object.entries(header).map(([name, { data_offsets }]) => {
    const [start, end] = data_offsets.map((at) => 8 + size + at);
    return [name, new Float32Array(buffer.slice(start, end))];
  });
  return Object.fromEntries(entries);
}

async function logits(source, options) {
  const model = await AutoModelForSequenceClassification.from_pretrained(source, { ...CPU, dtype: "fp32", ...options });
  const { logits } = await model(inputs);
  await model.dispose();
  return logits.tolist();
}

test("an adapter is saved as PEFT saves it, and gives the same apart and merged", async () => {
  const golden = JSON.parse(await readFile(join(goldens, "training/lora/default.json"), "utf8"));
  const trainer = await open({ r: 4, lora_alpha: 16, target_modules: ["query", "value"] });
  for (let n = 0; n < 3; n++) await step(trainer);
  const { files } = await trainer.save();
  const merged = await trainer.save({ merge: true });
  await trainer.dispose();
  const config = await json(files["adapter_config.json"]);
  for (const [name, value] of Object.entries(golden.options)) assert.deepEqual(config[name], value, name);
  assert.equal(config.task_type, "SEQ_CLS");
  assert.equal(config.base_model_name_or_path, seqcls);
  const found = await tensors(files["adapter_model.safetensors"]);
  const wanted = golden.trained.map((name) => name.replace(/\.(modules_to_save\.)?default\./, "."));
  assert.deepEqual(Object.keys(found).sort(), wanted.sort());
  assert.ok(!("model.safetensors" in files) && !("adapter_config.json" in merged.files));
  const apart = await logits({ files }, { base: seqcls });
  alike(apart.flat(), (await logits(merged)).flat(), "merged");
  alike(apart.flat(), (await logits(seqcls, { adapter: { files } })).flat(), "as an adapter");
  assert.notDeepEqual(apart, await logits(seqcls));
});

test("a model without a pooler saves the drawn one in its adapter", async () => {
  const base = join(goldens, "models/bert-mlm");
  const trainer = await open({ r: 2 }, { labels: ["even", "odd"], seed: 3 }, base);
  await trainer.train(rows, { max_steps: 3, learning_rate: 1e-2, per_device_train_batch_size: 2 });
  const classify = await trainer.pipeline();
  const expected = await classify("six seven", { top_k: null });
  const { files } = await trainer.save();
  await trainer.dispose();
  const { modules_to_save } = await json(files["adapter_config.json"]);
  assert.deepEqual(modules_to_save, ["classifier", "score", "bert.pooler.dense"]);
  const loaded = await pipeline("text-classification", { files }, { ...CPU, base, dtype: "fp32" });
  const found = await loaded("six seven", { top_k: null });
  await loaded.dispose();
  assert.deepEqual(
    found.map(({ label }) => label),
    expected.map(({ label }) => label),
  );
  alike(
    found.map(({ score }) => score),
    expected.map(({ score }) => score),
    "scores",
  );
});

test("dropout of the adapters' inputs changes training and is saved", async () => {
  const [plain, dropped] = [await open({ r: 4 }), await open({ r: 4, lora_dropout: 0.5 })];
  const loss = async (trainer) => (await step(trainer)).loss;
  // lora_B is 0 at first, so that dropout shows from the second step on.
  assert.equal(await loss(dropped), await loss(plain));
  assert.notEqual(await loss(dropped), await loss(plain));
  const { files } = await dropped.save();
  assert.equal((await json(files["adapter_config.json"])).lora_dropout, 0.5);
  await plain.dispose();
  await dropped.dispose();
});

test("a resumed run of adapters reaches the same numbers", async () => {
  const base = join(goldens, "models/bert-mlm");
  const options = { labels: ["even", "odd"], seed: 3 };
  const args = { max_steps: 6, learning_rate: 1e-2, per_device_train_batch_size: 2 };
  const peft = { r: 2, target_modules: "all-linear", lora_dropout: 0.25 };
  const whole = await open(peft, options, base);
  await whole.train(rows, args);
  const expected = await tensors((await whole.save()).files["adapter_model.safetensors"]);
  await whole.dispose();
  const first = await open(peft, options, base);
  const controller = new AbortController();
  const callback = ({ step }) => step === 3 && controller.abort();
  await fails(first.train(rows, { ...args, callback, signal: controller.signal }), "aborted", /signal/);
  const checkpoint = await first.checkpoint();
  const [apart, answers] = [
    await pipeline("text-classification", checkpoint, { ...CPU, dtype: "fp32" }),
    await first.pipeline(),
  ];
  alike((await apart("one"))[0].score, (await answers("one"))[0].score, "the checkpoint loads with its adapter");
  await apart.dispose();
  await first.dispose();
  const second = await Trainer.resume(checkpoint, CPU);
  assert.equal((await second.train(rows, args)).global_step, 6);
  assert.deepEqual(await tensors((await second.save()).files["adapter_model.safetensors"]), expected);
  await second.dispose();
});

test("refuses options by name", async () => {
  const refused = (peft, code, message, options) => fails(open(peft, options), code, message);
  await refused({ rank: 8 }, "bad_input", /peft: unknown option `rank`/);
  await refused({ r: 0 }, "bad_input", /peft\.r: expected a rank of at least 1, got 0/);
  await refused({ r: 1.5 }, "bad_input", /peft\.r: expected a whole number, got 1\.5/);
  await refused({ target_modules: ["qery"] }, "bad_input", /"qery"/);
  const exclude_modules = ["query", "key", "value", "dense"];
  await refused(
    { target_modules: "all-linear", exclude_modules },
    "bad_input",
    /peft: expected linear layers to adapt/,
  );
  await refused({ target_modules: ".*query" }, "unsupported", /peft\.target_modules: ".*query" is not supported/);
  await refused({ use_dora: true }, "unsupported", /peft\.use_dora: true is not supported/);
  await refused({ lora_dropout: 1 }, "bad_input", /peft\.lora_dropout: expected 0 or more and less than 1, got 1/);
  await refused({ lora_dropout: "many" }, "bad_input", /peft\.lora_dropout: expected a number, got "many"/);
  await refused({ bias: "all" }, "unsupported", /peft\.bias: "all" is not supported/);
  await refused({ task_type: "TOKEN_CLS" }, "bad_input", /peft\.task_type: expected "SEQ_CLS" for text-classification/);
  await refused({ rank_pattern: { query: 4 } }, "unsupported", /peft\.rank_pattern/);
  await refused({}, "bad_input", /freeze: expected "none" with peft, got "encoder"/, { freeze: "encoder" });
  const pooled = { labels: ["a", "b"], classifier_pooling: "model" };
  await refused({}, "unsupported", /peft: not supported with classifier_pooling/, pooled);
  const trainer = await open({ r: 4, use_dora: false, rank_pattern: {}, lora_dropout: 0, bias: "none" });
  await fails(trainer.save({ dtype: "q8" }), "unsupported", /dtype: adapters are saved as fp32, got q8/);
  await trainer.dispose();
  const plain = await open(null);
  await fails(plain.save({ merge: true }), "bad_input", /merge: expected a trainer with peft/);
  await plain.dispose();
});
