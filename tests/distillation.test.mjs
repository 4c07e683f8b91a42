// Distillation: a student with a teacher, in Node and by `webert distill`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { pipeline, Trainer } from "../dist/node.js";

const goldens = join(import.meta.dirname, "goldens");
const teacher = join(goldens, "training/rows");
const cli = join(import.meta.dirname, "../dist/cli.js");
const CPU = { device: "wasm", threads: 1 };
let dir;
let rows;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "webert-distill-"));
  rows = JSON.parse(await readFile(join(teacher, "rows.json"), "utf8")).train_rows;
});
after(() => rm(dir, { recursive: true }));

const refused = (promise, code, pattern) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });
const from = (source, options, task = "text-classification") =>
  Trainer.from_pretrained(task, source, { ...CPU, ...options });
/** The tensors of a saved model. */
const tensors = async ({ files }) => {
  const bytes = await files["model.safetensors"].arrayBuffer();
  const length = Number(new DataView(bytes).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(8, 8 + length)));
  const of = ([
    name,
    {
      data_offsets: [start, end],
    },
  ]) => [name, Buffer.from(bytes.slice(8 + length + start, 8 + length + end))];
  return Object.fromEntries(
    Object.entries(header)
      .filter(([name]) => name !== "__metadata__")
      .map(of),
  );
};

test("without a source the student has every second layer of its teacher, or those that are named", async () => {
  const whole = await from(teacher);
  const own = await tensors(await whole.save());
  const { num_hidden_layers } = JSON.parse(await readFile(join(teacher, "config.json"), "utf8"));
  await whole.dispose();
  for (const layers of [undefined, [num_hidden_layers - 1], [1, 0]]) {
    const kept = layers ?? Array.from({ length: Math.ceil(num_hidden_layers / 2) }, (_, n) => 2 * n);
    const student = await from(null, { teacher, layers });
    const saved = await student.save();
    await student.dispose();
    assert.equal(JSON.parse(await saved.files["config.json"].text()).num_hidden_layers, kept.length);
    const found = await tensors(saved);
    const names = Object.keys(own).filter((name) => !/\.layer\.\d+\./.test(name));
    for (const [layer, at] of kept.entries())
      for (const name of Object.keys(own).filter((name) => name.includes(`.layer.${at}.`))) {
        const renamed = name.replace(/\.layer\.\d+\./, `.layer.${layer}.`);
        names.push(renamed);
        assert.ok(found[renamed].equals(own[name]), `${renamed} is not ${name}`);
      }
    assert.deepEqual(Object.keys(found).sort(), names.sort());
    const classify = await pipeline("text-classification", saved, CPU);
    await classify("a text");
    await classify.dispose();
  }
});

test("a student comes nearer to its teacher, and continues from a checkpoint with the same numbers", async () => {
  const options = { learning_rate: 2e-3, num_train_epochs: 4, alpha_ce: 1, alpha_labels: 0, alpha_cos: 0.5, seed: 1 };
  const losses = [];
  const callback = (event) => event.type === "step" && losses.push(event.loss);
  const student = await from(null, { teacher, seed: 1 });
  let state;
  await student.train(rows, {
    ...options,
    callback: async (event) => {
      callback(event);
      if (event.type === "step" && event.step === 2) state = await student.checkpoint();
    },
  });
  await student.dispose();
  assert.ok(losses.at(-1) < 0.7 * losses[0], losses.join(" "));
  await refused(Trainer.resume(state, CPU), "bad_input", /teacher: expected the teacher of the run, got none/);
  const later = await Trainer.resume(state, { ...CPU, teacher });
  const rest = [];
  await later.train(rows, { ...options, callback: (event) => event.type === "step" && rest.push(event.loss) });
  await later.dispose();
  assert.deepEqual(rest, losses.slice(2));
});

test("rejects teachers and options without effect by name", async () => {
  const plain = await from(teacher);
  await refused(plain.train(rows, { temperature: 2 }), "bad_input", /temperature: expected a teacher/);
  const state = await plain.checkpoint();
  await plain.dispose();
  await refused(
    Trainer.resume(state, { ...CPU, teacher }),
    "bad_input",
    /expected none, because the run has no teacher/,
  );
  await refused(from(teacher, { layers: [0] }), "bad_input", /layers: expected a teacher and no other source/);
  await refused(from(null, { teacher, layers: [9] }), "bad_input", /layers: expected numbers from 0 to \d+, got 9/);
  await refused(from(null, { teacher, layers: [] }), "bad_input", /layers: expected an array of numbers, got none/);
  await refused(from(null, { teacher, freeze: "encoder" }), "unsupported", /teacher: .*freeze/);
  await refused(from(null, { teacher, labels: ["a", "b"] }), "bad_input", /labels: expected .* like the teacher's/);
  await refused(from(null, { teacher }, "question-answering"), "unsupported", /teacher: expected one of fill-mask/);
  const pooled = { teacher, labels: ["a", "b"], classifier_pooling: "model" };
  await refused(from(null, pooled), "unsupported", /classifier_pooling/);
  const other = join(goldens, "models/bert-seqcls-3");
  await refused(from(teacher, { teacher: other }), "bad_input", /teacher's (vocabulary|token)/);
});

test("webert distill writes the student of a folder", async () => {
  const file = join(dir, "rows.jsonl");
  await writeFile(file, rows.map((row) => JSON.stringify(row)).join("\n"));
  const run = (...args) => promisify(execFile)(process.execPath, [cli, "distill", ...args, "--device", "wasm"]);
  const to = join(dir, "student");
  const more = ["--layers", "0", "--num_train_epochs", "2", "--temperature", "3", "--to", to];
  const { stdout } = await run("text-classification", teacher, file, ...more);
  assert.equal(JSON.parse(stdout).global_step, 2 * Math.ceil(rows.length / 8));
  assert.equal(JSON.parse(await readFile(join(to, "config.json"), "utf8")).num_hidden_layers, 1);
  const fails = (args, pattern) =>
    assert.rejects(run(...args), ({ code, stderr }) => {
      assert.equal(code, 2, stderr);
      assert.match(stderr, pattern);
      return true;
    });
  await fails(["text-classification", file, "--to", to], /usage: webert distill TASK TEACHER ROWS/);
});
