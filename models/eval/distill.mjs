// `node models/eval/distill.mjs [topic|sentiment]… [--layers 0,2,4] [--epochs N] [--out FOLDER]`: distills the package's classifiers
// into students with half of their layers, on the labelled sentences of models/train/text, and scores both on the sets here.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Trainer } from "../../dist/node.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { layers: { type: "string", default: "0,2,4" }, epochs: { type: "string" }, out: { type: "string" } },
});
/** Sentences to train on, and passes over them. */
const SETS = {
  topic: { model: "minilm-topic", files: ["topic.tsv"], epochs: 3 },
  sentiment: {
    model: "minilm-sentiment",
    files: ["sentiment.tsv", "sentiment_more_a.tsv", "sentiment_more_b.tsv"],
    epochs: 2,
  },
};

/** The rows of a file whose label the model has: sentiment's files also have neutral sentences. */
const rowsOf = (path, labels) =>
  readFileSync(path, "utf8")
    .split("\n")
    .map((line) => line.split("\t"))
    .filter(([label, text]) => text && labels.includes(label))
    .map(([label, text]) => ({ label, text: text.trim() }));

for (const name of positionals.length ? positionals : Object.keys(SETS)) {
  const { model, files, epochs } = SETS[name];
  const teacher = join(root, "models", model);
  const labels = Object.values(JSON.parse(readFileSync(join(teacher, "config.json"), "utf8")).id2label);
  const kept = rowsOf(join(root, "models/eval", `${name}.tsv`), labels);
  const rows = files.flatMap((file) => rowsOf(join(root, "models/train/text/labelled", file), labels));
  const whole = await Trainer.from_pretrained("text-classification", teacher);
  const before = await whole.evaluate(kept, { per_device_eval_batch_size: 20 });
  await whole.dispose();
  const layers = values.layers.split(",").map(Number);
  const student = await Trainer.from_pretrained("text-classification", null, { teacher, layers });
  const untrained = await student.evaluate(kept, { per_device_eval_batch_size: 20 });
  const start = performance.now();
  const { global_step } = await student.train(rows, {
    num_train_epochs: Number(values.epochs ?? epochs),
    per_device_train_batch_size: 16,
    learning_rate: 3e-4,
    warmup_ratio: 0.1,
    alpha_cos: 0.5,
    callback: ({ type, step, max_steps, loss, seconds_left }) =>
      type === "step" &&
      step % 20 === 0 &&
      process.stderr.write(`${name}: ${step} of ${max_steps}, ${loss.toFixed(3)}, ${seconds_left.toFixed(0)} s left\n`),
  });
  const seconds = (performance.now() - start) / 1000;
  const after = await student.evaluate(kept, { per_device_eval_batch_size: 20 });
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  console.log(`${name}: ${kept.length} sentences, ${rows.length} rows, ${global_step} steps in ${seconds.toFixed(0)} s`);
  console.log(`  teacher ${percent(before.accuracy)}, its layers ${values.layers} untrained ${percent(untrained.accuracy)}`);
  console.log(`  student ${percent(after.accuracy)}, ${percent(after.accuracy / before.accuracy)} of the teacher's`);
  if (values.out) {
    const { files: saved } = await student.save();
    mkdirSync(join(values.out, name), { recursive: true });
    for (const [file, blob] of Object.entries(saved))
      writeFileSync(join(values.out, name, file), new Uint8Array(await blob.arrayBuffer()));
  }
  await student.dispose();
}
