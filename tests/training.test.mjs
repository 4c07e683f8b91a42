// Training through the package, in Node: numbers equal to Hugging Face's, runs, saved and resumed states, faults.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AutoTokenizer, pipeline, Trainer, trainTokenizer } from "../dist/node.js";
import { fails } from "./fails.mjs";

const goldens = new URL("goldens/training/", import.meta.url).pathname;
const json = (path) => JSON.parse(readFileSync(`${goldens}${path}`, "utf8"));
const CPU = { device: "wasm", threads: 1 };
const rowsGolden = json("rows/rows.json");
const rowsFolder = `${goldens}rows`;
const openRows = (options) => Trainer.from_pretrained("text-classification", rowsFolder, { ...CPU, ...options });

/** Passes for an error of this code with a matching message. */
/** name → Float32Array of a safetensors file. */
async function tensors(blob) {
  const bytes = Buffer.from(await blob.arrayBuffer());
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  const { __metadata__, ...all } = JSON.parse(bytes.toString("utf8", 8, start));
  const data = ([from, to]) =>
    new Float32Array(bytes.buffer.slice(bytes.byteOffset + start + from, bytes.byteOffset + start + to));
  return Object.fromEntries(Object.entries(all).map(([name, { data_offsets }]) => [name, data(data_offsets)]));
}

const close = (found, expected, tolerance, what) =>
  assert.ok(
    Math.abs(found - expected) <= tolerance * Math.max(1, Math.abs(expected)),
    `${what}: ${found}, expected ${expected}`,
  );

for (const name of [
  "single-label",
  "question-answering",
  "multiple-choice",
  "multiple-negatives",
  "cosine-similarity",
  "fill-mask",
]) {
  test(`steps on ids lose what Hugging Face's lose: ${name}`, async () => {
    const golden = json(`heads/${name}/training.json`);
    const [run] = golden.runs;
    const trainer = await Trainer.from_pretrained(golden.task, `${goldens}heads/${name}`, CPU);
    const { adam_beta1, adam_beta2, adam_epsilon, weight_decay, max_grad_norm, optim } = golden.optimizer;
    for (const [n, learning_rate] of run.learning_rate.entries()) {
      const { loss } = await trainer.loss(golden.inputs, golden.labels);
      close(loss, run.loss_before_step[n], 1e-4, `loss before step ${n}`);
      const options = { adam_beta1, adam_beta2, adam_epsilon, weight_decay, max_grad_norm, optim, learning_rate };
      const step = await trainer.step(golden.inputs, golden.labels, options);
      close(step.loss, run.loss_before_step[n], 1e-4, `loss of step ${n}`);
      close(step.grad_norm, run.grad_norm[n], 1e-3, `norm of step ${n}`);
    }
    await trainer.dispose();
  });
}

test("a run over rows equals Hugging Face's, and evaluates the same", async () => {
  const trainer = await openRows();
  const evaluated = await trainer.evaluate(rowsGolden.eval_rows);
  const { loss, accuracy, f1_macro } = rowsGolden.eval_before_training;
  for (const [name, value] of Object.entries({ loss, accuracy, f1: f1_macro }))
    close(evaluated[name], value, 1e-4, name);
  const events = [];
  const args = { ...rowsGolden.train_args, max_length: 24, callback: (event) => events.push(event) };
  const result = await trainer.train(rowsGolden.train_rows, args);
  assert.equal(result.global_step, 3);
  close(result.training_loss, rowsGolden.training_loss, 1e-4, "training_loss");
  assert.equal(events.length, 3);
  for (const [n, event] of events.entries()) {
    const { type, step, max_steps, tokens_per_second, seconds_left } = event;
    assert.deepEqual({ type, step, max_steps }, { type: "step", step: n + 1, max_steps: 3 });
    assert.ok(tokens_per_second > 0 && (n < 2 ? seconds_left > 0 : seconds_left === 0), JSON.stringify(event));
    close(event.loss, rowsGolden.loss_before_step[n], 1e-4, "loss");
    close(event.learning_rate, rowsGolden.learning_rate[n], 1e-9, "learning_rate");
    close(event.grad_norm, rowsGolden.grad_norm[n], 1e-3, "grad_norm");
  }
  await trainer.dispose();
});

test("the saved model answers like the pipeline over the weights in training, in each dtype", async () => {
  const trainer = await openRows();
  await trainer.train(rowsGolden.train_rows, { ...rowsGolden.train_args });
  const texts = rowsGolden.eval_rows.slice(0, 4).map(({ text }) => text);
  const classify = await trainer.pipeline();
  const answers = await classify(texts, { top_k: null });
  await classify.dispose();
  await fails(classify(texts), "disposed", /pipeline/);
  for (const [dtype, tolerance] of [
    ["fp32", 1e-6],
    ["fp16", 3e-3],
    ["q8", 0.2],
  ]) {
    const saved = await trainer.save({ dtype });
    assert.deepEqual(Object.keys(saved.files).sort(), [
      "config.json",
      "model.safetensors",
      "tokenizer.json",
      "tokenizer_config.json",
    ]);
    const again = await pipeline("text-classification", saved, { device: "wasm", dtype: "fp32" });
    for (const [n, found] of (await again(texts, { top_k: null })).entries()) {
      for (const { label, score } of found)
        close(score, answers[n].find((answer) => answer.label === label).score, tolerance, `${dtype} ${label}`);
    }
    await again.dispose();
  }
  await fails(trainer.save({ dtype: "q4" }), "unsupported", /fp32, fp16, q8, got "q4"/);
  await trainer.dispose();
});

test("a resumed run reaches the same numbers", async () => {
  const args = { num_train_epochs: 2, per_device_train_batch_size: 2, learning_rate: 1e-3 };
  const rows = rowsGolden.train_rows;
  const through = await openRows();
  await through.train(rows, args);
  const expected = await tensors((await through.save()).files["model.safetensors"]);
  await through.dispose();

  const first = await openRows();
  const controller = new AbortController();
  const stop = ({ step }) => step === 3 && controller.abort();
  await fails(first.train(rows, { ...args, callback: stop, signal: controller.signal }), "aborted", /signal/);
  const checkpoint = await first.checkpoint();
  await first.dispose();
  const second = await Trainer.resume(checkpoint, CPU);
  const steps = [];
  const result = await second.train(rows, { ...args, callback: ({ step }) => steps.push(step) });
  assert.deepEqual(steps, [4, 5, 6, 7, 8]);
  assert.equal(result.global_step, 8);
  const found = await tensors((await second.save()).files["model.safetensors"]);
  assert.deepEqual(found, expected);
  await second.dispose();

  const other = { files: { ...checkpoint.files } };
  delete other.files["optimizer.safetensors"];
  await fails(Trainer.resume(other, CPU), "not_found", /optimizer\.safetensors/);
  await fails(
    Trainer.resume({ files: { "config.json": checkpoint.files["config.json"] } }, CPU),
    "not_found",
    /expected a training checkpoint/,
  );
  const frozen = new Blob([JSON.stringify({ task: "text-classification", freeze: "encoder", seed: 1 })]);
  await fails(
    Trainer.resume({ files: { ...checkpoint.files, "training_setup.json": frozen } }, CPU),
    "bad_input",
    /other frozen layers/,
  );
});

test("each call starts a new run, and its callback may use the trainer between two steps", async () => {
  const trainer = await openRows();
  const args = { max_steps: 3, per_device_train_batch_size: 2, learning_rate: 1e-3 };
  const steps = [];
  const seen = [];
  const losses = [];
  const callback = async (event) => {
    steps.push(event.step);
    losses.push(event.loss);
    if (event.step !== 2) return;
    const classify = await trainer.pipeline();
    seen.push(await classify(rowsGolden.eval_rows[0].text), await trainer.evaluate(rowsGolden.eval_rows.slice(0, 4)));
    seen.push(Object.keys((await trainer.save()).files).length);
    await fails(trainer.train(rowsGolden.train_rows, args), "bad_input", /already/);
  };
  const result = await trainer.train(rowsGolden.train_rows, { ...args, callback });
  assert.deepEqual(steps, [1, 2, 3]);
  assert.equal(result.global_step, 3);
  close(result.training_loss, losses.reduce((sum, loss) => sum + loss) / 3, 1e-12, "training_loss");
  assert.ok(seen[0][0].label && seen[1].loss > 0 && seen[2] === 4, JSON.stringify(seen));
  assert.equal((await trainer.train(rowsGolden.train_rows, args)).global_step, 3);

  const stopped = trainer.train(rowsGolden.train_rows, {
    ...args,
    callback() {
      throw new TypeError("enough");
    },
  });
  await fails(stopped, "bad_input", /enough/);
  const { loss } = await trainer.evaluate(rowsGolden.eval_rows);
  assert.ok(Number.isFinite(loss), "the trainer is usable");
  await trainer.dispose();
  await fails(trainer.evaluate(rowsGolden.eval_rows), "disposed", /trainer/);
  await trainer.dispose();
});

test("calls wait for each other", async () => {
  const { inputs, labels } = json("heads/single-label/training.json");
  const open = () => Trainer.from_pretrained("text-classification", `${goldens}heads/single-label`, CPU);
  const [one, two] = [await open(), await open()];
  const together = await Promise.all([1, 2, 3].map(() => one.step(inputs, labels, { learning_rate: 1e-3 })));
  const apart = [];
  for (let n = 0; n < 3; n++) apart.push(await two.step(inputs, labels, { learning_rate: 1e-3 }));
  assert.deepEqual(together, apart);
  assert.ok(together[2].loss < together[0].loss);
  const three = await openRows();
  const evaluated = await Promise.all([1, 2].map(() => three.evaluate(rowsGolden.eval_rows)));
  assert.deepEqual(evaluated[0], evaluated[1]);
  const running = one.train([], {});
  await fails(running, "bad_input", /rows: expected at least one row, got none/);
  await Promise.all([one, two, three].map((trainer) => trainer.dispose()));
});

test("a head of new labels learns over the package's frozen encoder", async () => {
  const rows = [
    ["refund", "I want my money back", "please refund my last order", "the payment has to be returned"],
    ["login", "I forgot my password", "I cannot sign in", "my account is locked after a wrong password"],
  ].flatMap(([label, ...texts]) => texts.map((text) => ({ text, label })));
  const options = { ...CPU, labels: ["refund", "login"], freeze: "encoder", seed: 1 };
  const trainer = await Trainer.from_pretrained("text-classification", null, options);
  assert.deepEqual(
    [trainer.task, trainer.info.dtype, trainer.info.head],
    ["text-classification", "fp32", "sequence-classification"],
  );
  await trainer.train(rows, {
    num_train_epochs: 10,
    per_device_train_batch_size: 6,
    learning_rate: 5e-3,
    max_length: 16,
  });
  const classify = await trainer.pipeline();
  assert.deepEqual(classify.model.config.id2label, { 0: "refund", 1: "login" });
  const found = await classify(["the money for my order", "my password is wrong"]);
  assert.deepEqual(
    found.map(({ label }) => label),
    ["refund", "login"],
  );
  await trainer.dispose();
});

test("a config without sizes has the sizes of transformers", async () => {
  const tokenizer = await trainTokenizer(["low lower lowest", "new newer newest"], { vocab_size: 40 });
  const sizes = { hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 32 };
  for (const [config, expected] of [
    [sizes, { model_type: "bert", max_position_embeddings: 512, type_vocab_size: 2 }],
    [
      { ...sizes, model_type: "electra", intermediate_size: undefined },
      { intermediate_size: 1024, embedding_size: 128 },
    ],
    [
      { ...sizes, model_type: "distilbert", hidden_dim: 24, intermediate_size: undefined },
      { dim: 16, n_layers: 1, hidden_dim: 24 },
    ],
  ]) {
    const trainer = await Trainer.from_config("fill-mask", config, tokenizer, CPU);
    const saved = JSON.parse(await (await trainer.save()).files["config.json"].text());
    for (const [name, value] of Object.entries(expected))
      assert.equal(saved[name], value, `${name} of ${config.model_type}`);
    await trainer.dispose();
  }
});

test("pre-trains a vocabulary and a model from nothing", async () => {
  const texts = Array.from({ length: 12 }, (_, n) => [
    `the ${n % 2 ? "cat" : "dog"} sat on mat ${n}.`,
    "it was a warm day.",
    "then it slept.",
  ]);
  const tokenizer = await trainTokenizer(texts.flat(), { vocab_size: 90, min_frequency: 1 });
  assert.deepEqual(Object.keys(tokenizer.files).sort(), ["tokenizer.json", "tokenizer_config.json", "vocab.txt"]);
  const { vocab_size } = await AutoTokenizer.from_pretrained(tokenizer);
  const config = {
    hidden_size: 16,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 32,
    max_position_embeddings: 40,
  };
  const open = (seed) => Trainer.from_config("pre-training", config, tokenizer, { ...CPU, seed });
  const trainer = await open(3);
  const before = await trainer.evaluate(texts, { max_length: 32 });
  close(before.masked_lm_loss, Math.log(vocab_size), 0.1, "the first loss is a guess's");
  await trainer.train(texts, { max_steps: 12, learning_rate: 5e-3, max_length: 32 });
  const after = await trainer.evaluate(texts, { max_length: 32 });
  assert.ok(after.masked_lm_loss < before.masked_lm_loss, JSON.stringify([before, after]));
  const fill = await trainer.pipeline();
  assert.equal((await fill("the [MASK] sat on mat.")).length, 5);
  const saved = JSON.parse(await (await trainer.save()).files["config.json"].text());
  assert.deepEqual([saved.architectures, saved.vocab_size], [["BertForPreTraining"], vocab_size]);
  const same = await open(3);
  assert.deepEqual(await same.evaluate(texts, { max_length: 32 }), before, "a seed is a model");
  await Promise.all([trainer.dispose(), same.dispose()]);
  await fails(trainTokenizer([" "]), "bad_input", /no word/);
  await fails(trainTokenizer("text"), "bad_input", /array of strings/);
  await fails(trainTokenizer(["a", 1]), "bad_input", /text 2: expected a string, got number/);
  await fails(trainTokenizer(["a"], { vocab_sise: 9 }), "bad_input", /did you mean `vocab_size`/);
});

test("applies the options of a vocabulary", async () => {
  const texts = ["Été été ab\u0000c 中国 x", "été ab\u0000c 中国"];
  const tokens = async (options) => {
    const { files } = await trainTokenizer(texts, { vocab_size: 200, min_frequency: 1, ...options });
    return (await files["vocab.txt"].text()).trim().split("\n");
  };
  const usual = await tokens({});
  const special = ["[UNK]", "[PAD]", "[NEW]", "[CLS]", "[SEP]", "[MASK]"];
  for (const [options, there, gone] of [
    [{ vocab_size: 6 }, [], ["ete"]],
    [{ min_frequency: 3 }, ["e"], ["abc"]],
    [{ limit_alphabet: 1 }, ["[MASK]"], ["x"]],
    [{ limit_alphabet: null }, usual, []],
    [{ initial_alphabet: ["q"] }, ["q"], []],
    [{ special_tokens: special }, special, []],
    [{ clean_text: false }, ["ab\u0000c"], ["abc"]],
    [{ handle_chinese_chars: false }, ["中国"], []],
    [{ strip_accents: false }, ["été"], ["ete"]],
    [{ lowercase: false }, ["Été"], ["ete"]],
  ]) {
    const found = await tokens(options);
    const of = JSON.stringify([options, found]);
    for (const token of there) assert.ok(found.includes(token), `${token}: ${of}`);
    for (const token of gone) assert.ok(usual.includes(token) && !found.includes(token), `no ${token}: ${of}`);
  }
  assert.deepEqual((await tokens({ special_tokens: special })).slice(0, 6), special);
  assert.ok(!usual.includes("中国") && !usual.includes("q"), `${usual}`);
});

test("each text counts once for a vocabulary, for any number of texts", async () => {
  const long = "low lower ".repeat(7000); // more than one chunk of the count
  const tokenizer = await trainTokenizer([long, long, "zq"], { vocab_size: 60, min_frequency: 2 });
  const { vocab } = JSON.parse(await tokenizer.files["tokenizer.json"].text()).model;
  assert.ok("low" in vocab && "z" in vocab);
  assert.ok(!("zq" in vocab), "zq is there once");
});

test("rejects by name what cannot be trained, before the first step", async () => {
  const open = (task, options) => Trainer.from_pretrained(task, rowsFolder, { ...CPU, ...options });
  await fails(open("zero-shot-classification"), "unsupported", /zero-shot-classification cannot be trained/);
  await fails(
    open("text-classification", { lables: ["a"] }),
    "bad_input",
    /unknown option `lables`: did you mean `labels`/,
  );
  await fails(open("text-classification", { freeze: "head" }), "bad_input", /freeze: expected .* got "head"/);
  await fails(open("text-classification", { freeze: 99 }), "bad_input", /freeze: expected at most \d+ layers, got 99/);
  await fails(open("text-classification", { labels: [] }), "bad_input", /labels/);
  await fails(open("text-classification", { labels: ["a", "a"] }), "bad_input", /labels/);
  await fails(
    open("fill-mask", { labels: ["a"] }),
    "bad_input",
    /labels: expected a classification task, got fill-mask/,
  );
  await fails(open("text-classification", { seed: -1 }), "bad_input", /seed/);
  const trainer = await open("text-classification");
  const row = { text: "a text", label: rowsGolden.labels[0] };
  const train = (rows, options) => trainer.train(rows, { max_steps: 1, ...options });
  await fails(train([row, { text: "no label" }]), "bad_input", /row 1.*label/);
  await fails(train([row, { text: "x", label: "sideways" }]), "bad_input", /row 1.*sideways/);
  await fails(train([{ ...row, text: " " }]), "bad_input", /row 0.*empty/);
  await fails(train([]), "bad_input", /rows: expected at least one row/);
  await fails(train("rows"), "bad_input", /rows: expected an array/);
  await fails(
    train([row], { learning_rte: 1 }),
    "bad_input",
    /unknown option `learning_rte`: did you mean `learning_rate`/,
  );
  await fails(
    train([row], { learning_rate: -1 }),
    "bad_input",
    /learning_rate: expected a finite number, 0 or more, got -1/,
  );
  await fails(train([row], { optim: "adam" }), "bad_input", /optim/);
  await fails(train([row], { callback: 1 }), "bad_input", /callback: expected a function/);
  const tokens = { input_ids: [[2, 5, 3]] };
  await fails(trainer.step(tokens, { labels: [0.5] }), "bad_input", /whole numbers/);
  await fails(trainer.step(tokens, { label: [1] }), "bad_input", /no labels label/);
  await fails(trainer.step(tokens), "bad_input", /labels are missing/);
  await fails(trainer.step(tokens, { labels: ["x"] }), "bad_input", /labels: expected finite numbers/);
  await fails(trainer.step({ input_ids: [[2, 99999, 3]] }, { labels: [0] }), "bad_input", /99999/);
  const before = await tensors((await trainer.save()).files["model.safetensors"]);
  await fails(
    train([row, row], { learning_rate: 1e38, max_steps: 5, max_grad_norm: 0, optim: "sgd" }),
    "bad_input",
    /step \d/,
  );
  assert.equal(Object.keys(before).length > 0, true);
  await trainer.dispose();
});

test("evaluations keep the best weights and stop early, also across a checkpoint", async () => {
  const { train_rows, eval_rows } = rowsGolden;
  const args = {
    eval_dataset: eval_rows,
    eval_steps: 1,
    load_best_model_at_end: true,
    early_stopping_patience: 2,
    num_train_epochs: 12,
    per_device_train_batch_size: 4,
    learning_rate: 0.05,
    lr_scheduler_type: "constant",
  };
  /** Runs, with their events; `stop` ends a run after this step. */
  const run = async (trainer, stop) => {
    const events = [];
    const controller = new AbortController();
    const callback = (event) => {
      events.push(event);
      if (event.type === "step" && event.step === stop) controller.abort();
    };
    const result = await trainer.train(train_rows, { ...args, callback, signal: controller.signal }).catch((error) => {
      if (error.code !== "aborted") throw error;
    });
    return { result, losses: events.filter(({ type }) => type === "evaluate").map(({ loss }) => loss) };
  };
  const whole = await openRows();
  const { result, losses } = await run(whole);
  const best = Math.min(...losses);
  assert.equal(losses.indexOf(best), losses.length - 3, `two without a better one: ${losses}`);
  assert.equal(result.global_step, losses.length);
  assert.ok(result.global_step < 24, "the run ended early");
  assert.equal(result.metrics.loss, best);
  assert.equal((await whole.evaluate(eval_rows)).loss, best, "the best weights are those that stay");
  const expected = await tensors((await whole.save()).files["model.safetensors"]);
  await whole.dispose();

  const first = await openRows();
  await run(first, losses.length - 1); // after the best evaluation, whose weights the checkpoint keeps
  const checkpoint = await first.checkpoint();
  await first.dispose();
  const second = await Trainer.resume(checkpoint, CPU);
  const rest = await run(second);
  assert.deepEqual([rest.result.global_step, rest.result.metrics], [result.global_step, result.metrics]);
  assert.deepEqual(await tensors((await second.save()).files["model.safetensors"]), expected);
  await fails(
    second.train(train_rows, { load_best_model_at_end: true }),
    "bad_input",
    /expected an eval_dataset, got none/,
  );
  await second.dispose();
});

test("replaced tokens come from a generator", async () => {
  const texts = Array.from(
    { length: 8 },
    (_, n) => `the ${["cat", "dog", "bird"][n % 3]} sat on the ${n % 2 ? "mat" : "chair"}`,
  );
  const tokenizer = await trainTokenizer(texts, { vocab_size: 60, min_frequency: 1 });
  const sizes = { hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 32 };
  const config = { ...sizes, embedding_size: 16, max_position_embeddings: 40, model_type: "electra" };
  const filler = await Trainer.from_config("fill-mask", config, tokenizer, CPU);
  const generator = await filler.save();
  await filler.dispose();
  const open = (options) => Trainer.from_config("replaced-token-detection", config, tokenizer, { ...CPU, ...options });
  const trainer = await open({ generator });
  const before = await trainer.evaluate(texts);
  await trainer.train(texts, { max_steps: 20, learning_rate: 5e-3 });
  const after = await trainer.evaluate(texts);
  assert.ok(after.loss < before.loss, JSON.stringify([before, after]));
  await trainer.dispose();
  const without = await open({});
  await fails(without.train(texts), "bad_input", /generator/);
  await without.dispose();
  await fails(openRows({ generator }), "bad_input", /generator: expected the task replaced-token-detection/);
});
