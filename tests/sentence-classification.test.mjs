// Classifiers over sentence vectors: logistic regression equal to scikit-learn's, folders of sentence-transformers with labels, and their
// training through the public API.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pipeline, Trainer } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { fails } from "./fails.mjs";

const golden = join(import.meta.dirname, "goldens", "sentence-classification");
const read = (name) => JSON.parse(readFileSync(join(golden, name), "utf8"));
const folder = join(golden, "folder");
const encoder = join(golden, "..", "sentence-transformers", "cls-max-legacy");
const CPU = { device: "wasm", threads: 1, dtype: "fp32" };
const TRAIN = { device: "wasm", threads: 1, classifier_pooling: "model", seed: 1 };

const ROWS = [
  ["refund", "I want my money back", "please refund my last order", "the payment has to be returned"],
  ["login", "I forgot my password", "I cannot sign in", "my account is locked after a wrong password"],
].flatMap(([label, ...texts]) => texts.map((text) => ({ text, label })));
const UNSEEN = ["the money for my order", "my password is wrong"];

const temporary = await mkdtemp(join(tmpdir(), "webert-sentences-"));
after(() => rm(temporary, { recursive: true }));

const close = (values, expected, most) => {
  for (const [n, value] of values.entries())
    assert.ok(
      Math.abs(value - expected[n]) <= most * Math.max(1, Math.abs(expected[n])),
      `${value}, not ${expected[n]}`,
    );
};

test("logistic regression has the scores of scikit-learn", async () => {
  const { logisticRegression } = await importTypeScript("src/js/training/logistic-regression.ts");
  for (const { features, labels, classes, C, class_weights, scores } of read("fits.json")) {
    const width = features[0].length;
    const isMultiLabel = Array.isArray(labels[0]);
    const targets = new Float64Array(features.length * classes);
    for (const [row, label] of labels.entries()) for (const one of [label].flat()) targets[row * classes + one] = 1;
    const weights = class_weights && Float64Array.from(labels, (label) => class_weights[label]);
    const rows = { features: Float32Array.from(features.flat()), width, targets, labels: classes, isMultiLabel };
    const { weight, bias } = await logisticRegression({ ...rows, ...(weights && { weights }) }, C);
    const score = (x, label) => x.reduce((sum, value, n) => sum + value * weight[label * width + n], bias[label]);
    for (const [row, x] of features.entries()) {
      const own = Array.from({ length: classes }, (_, label) => score(x, label));
      if (classes === 2) close([own[1] - own[0]], [scores[row]], 1e-4);
      else close(own, scores[row], 1e-4);
    }
  }
});

test("a folder of sentence-transformers whose Dense makes a number per label classifies", async () => {
  const { texts, logits } = read("folder.json");
  const classify = await pipeline("text-classification", folder, CPU);
  const labels = Object.values(classify.model.config.id2label);
  const all = await classify(texts, { top_k: null, function_to_apply: "none" });
  for (const [n, answers] of all.entries())
    close(
      labels.map((label) => answers.find((answer) => answer.label === label).score),
      logits[n],
      1e-5,
    );
  const [[first, second]] = await classify([texts[0]], { top_k: 2 });
  const exps = logits[0].map(Math.exp).sort((a, b) => b - a);
  const total = exps.reduce((sum, value) => sum + value, 0);
  close([first.score, second.score], [exps[0] / total, exps[1] / total], 1e-5);
  assert.equal(classify.info.head, "sequence-classification");
  await fails(classify({ text: "a", text_pair: "b" }), "bad_input", /text 1: expected one text, got a pair/);
  await fails(classify("a", { top_k: 0 }), "bad_input", /top_k: expected .* got 0/);
  await fails(classify("a", { function_to_apply: "tanh" }), "bad_input", /function_to_apply: .* got "tanh"/);
  await classify.dispose();
});

test("a folder whose Dense makes another number of values than there are labels keeps its error", async () => {
  const other = join(temporary, "other");
  await cp(folder, other, { recursive: true });
  const config = read("folder/config.json");
  await writeFile(join(other, "config.json"), JSON.stringify({ ...config, id2label: { 0: "a", 1: "b" } }));
  await fails(pipeline("text-classification", other, CPU), "unsupported", /no head for/);
});

test("a head over the default model's vectors is fitted, evaluated, saved and loaded", async () => {
  const labels = ["refund", "login"];
  const trainer = await Trainer.from_pretrained("text-classification", null, { ...TRAIN, labels, freeze: "encoder" });
  await fails(trainer.pipeline(), "bad_input", /not trained yet/);
  const events = [];
  const { training_loss, metrics } = await trainer.train(ROWS, {
    eval_dataset: [{ text: UNSEEN[0], label: "refund" }],
    callback: (event) => events.push(event),
  });
  assert.ok(training_loss < 0.2, training_loss);
  assert.equal(metrics.accuracy, 1);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["evaluate"],
  );
  const classify = await trainer.pipeline();
  assert.deepEqual(classify.model.config.id2label, { 0: "refund", 1: "login" });
  const scores = await classify(UNSEEN, { top_k: null });
  assert.deepEqual(
    scores.map(([{ label }]) => label),
    labels,
  );
  const rows = [...ROWS, { text: UNSEEN[0], label: "login" }];
  const answers = await classify(
    rows.map(({ text }) => text),
    { top_k: null },
  );
  const losses = answers.map((all, n) => -Math.log(all.find(({ label }) => label === rows[n].label).score));
  const evaluated = await trainer.evaluate(rows);
  close([evaluated.loss], [losses.reduce((sum, loss) => sum + loss, 0) / rows.length], 1e-5);
  close([evaluated.accuracy, evaluated.f1], [6 / 7, 6 / 7], 1e-9); // 6 of 7 are right, and each label has one error
  const { files } = await trainer.save({ name: join(temporary, "kept") });
  await trainer.dispose();
  for (const source of [{ files }, { name: join(temporary, "kept") }]) {
    const again = await pipeline("text-classification", source, CPU);
    const [[{ label, score }]] = await again([UNSEEN[0]], { top_k: null });
    assert.equal(label, "refund");
    close([score], [scores[0][0].score], 1e-4);
    await again.dispose();
  }
});

test("texts may have several labels", async () => {
  const labels = ["refund", "login", "urgent"];
  const trainer = await Trainer.from_pretrained("text-classification", null, { ...TRAIN, labels, freeze: "encoder" });
  const rows = [
    ...ROWS.map(({ text, label }) => ({ text, label: [label] })),
    ...ROWS.map(({ text, label }) => ({ text: `Now! At once! ${text}`, label: [label, "urgent"] })),
    { text: "Now! At once!", label: [0, 0, 1] },
  ];
  await trainer.train(rows, { C: 100 });
  const { accuracy, f1_micro } = await trainer.evaluate(rows);
  assert.deepEqual([accuracy, f1_micro], [1, 1]);
  const classify = await trainer.pipeline();
  const answers = await classify("Now! At once! My password is wrong.", { top_k: null });
  assert.deepEqual(
    answers
      .filter(({ score }) => score > 0.5)
      .map(({ label }) => label)
      .sort(),
    ["login", "urgent"],
  );
  await trainer.dispose();
});

test("contrastive training changes the vectors before the head is fitted", async () => {
  const labels = ["refund", "login"];
  const two = await Trainer.from_pretrained("text-classification", encoder, { ...TRAIN, labels });
  await fails(two.train(ROWS), "unsupported", /pooling in training/); // this folder concatenates two kinds
  await two.dispose();
  const own = await Trainer.from_pretrained(
    "text-classification",
    join(golden, "..", "sentence-transformers", "prompts-default"),
    {
      ...TRAIN,
      labels,
    },
  );
  const losses = [];
  const { global_step } = await own.train(ROWS, {
    num_train_epochs: 4,
    learning_rate: 1e-3,
    callback: (event) => event.type === "step" && losses.push(event.loss),
  });
  // 12 pairs of a label and 9 of two labels, the rarer ones repeated: 24 pairs in batches of 16
  assert.equal(global_step, 8);
  assert.equal(losses.length, 8);
  assert.ok(losses.at(-1) < losses[0], `${losses}`);
  assert.equal((await own.evaluate(ROWS)).accuracy, 1);
  await own.dispose();
});

test("a folder that has a head gets another one in its place", async () => {
  const labels = ["a", "b"];
  const trainer = await Trainer.from_pretrained("text-classification", folder, { ...TRAIN, labels, freeze: "encoder" });
  await trainer.train([
    { text: "the cat", label: "a" },
    { text: "A", label: "b" },
  ]);
  const { files } = await trainer.save();
  const modules = JSON.parse(await files["modules.json"].text());
  assert.deepEqual(
    modules.map(({ path }) => path),
    ["", "1_Pooling", "2_Dense"],
  );
  const classify = await pipeline("text-classification", { files }, CPU);
  assert.deepEqual(
    (await classify(["the cat", "A"])).map(({ label }) => label),
    labels,
  );
  await Promise.all([trainer.dispose(), classify.dispose()]);
});

test("names what a head over sentence vectors cannot do", async () => {
  const open = (options, task = "text-classification") => Trainer.from_pretrained(task, null, { ...TRAIN, ...options });
  await fails(open({ labels: ["a"] }), "bad_input", /labels: expected at least two/);
  await fails(open({ labels: ["a", "a"] }), "bad_input", /labels: expected different names/);
  await fails(open({ labels: ["a", "b"], problem_type: "regression" }), "unsupported", /problem_type/);
  await fails(open({ labels: ["a", "b"], classifier_pooling: "max" }), "bad_input", /classifier_pooling: .* got "max"/);
  await fails(open({}, "fill-mask"), "bad_input", /classifier_pooling: expected the task text-classification/);
  const trainer = await open({ labels: ["refund", "login"], freeze: "encoder" });
  const row = { text: "a", label: "refund" };
  for (const [rows, message] of [
    [[], /rows: expected at least one row/],
    [[row, { text: "a", label: "bug" }], /rows: row 2: label: expected one of refund, login, got "bug"/],
    [[row, { text: 1, label: "login" }], /rows: row 2: text: expected a string/],
    [[row, { text: "a", text_pair: "b", label: 0 }], /rows: row 2: text_pair/],
    [[row, { text: "a", label: 2 }], /rows: row 2: label: expected one of refund, login, got 2/],
    [[{ text: "a", label: [0.5] }], /rows: row 1: label: expected 2 numbers, got 1/],
    [[{ text: "a", label: [0.5, 2] }], /rows: row 1: label: expected 0 to 1 for each label, got 2/],
  ])
    await fails(trainer.train(rows), "bad_input", message);
  await fails(trainer.train(ROWS, { C: 0 }), "bad_input", /C: expected a number above 0, got 0/);
  await fails(trainer.train(ROWS, { learning_rate: 1e-3 }), "bad_input", /learning_rate: expected one of C, /);
  await fails(trainer.train(ROWS, { class_weights: [1] }), "bad_input", /class_weights: expected 2 numbers/);
  await fails(trainer.step(), "unsupported", /step: /);
  await fails(trainer.loss(), "unsupported", /loss: /);
  await fails(trainer.checkpoint(), "unsupported", /checkpoint: /);
  await fails(trainer.train(ROWS, { signal: AbortSignal.abort() }), "aborted", /./);
  await trainer.train(ROWS);
  assert.equal((await trainer.evaluate(ROWS)).accuracy, 1);
  const alone = /learning_rate: expected max_length, because an evaluation/;
  await fails(trainer.evaluate(ROWS, { learning_rate: 1e-3 }), "bad_input", alone);
  await fails(trainer.evaluate(ROWS, { per_device_eval_batch_size: 4 }), "bad_input", /per_device_eval_batch_size/);
  assert.equal((await trainer.evaluate(ROWS, { max_length: 64, signal: null })).accuracy, 1);
  await trainer.dispose();
  await fails(trainer.train(ROWS), "disposed", /trainer/);
});
