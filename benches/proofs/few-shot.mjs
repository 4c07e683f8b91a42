// Proof a: a few sentences for each class over the packaged encoder. Both sides start from the same encoder in f32, but
// draw their own heads, orders and dropout, so the mean accuracies over several seeds are compared.

import { join } from "node:path";
import { Trainer } from "../../dist/node.js";
import { lines, mean, percent } from "./data.mjs";
import { exportModel, MODEL, ON } from "./models.mjs";
import { inPyTorch, workFolder } from "./peer.mjs";

const SEEDS = [1, 2, 3];
const RUNS = {
  "head alone": {
    freeze: "encoder",
    arguments: { num_train_epochs: 30, per_device_train_batch_size: 8, learning_rate: 1e-3 },
  },
  "head over sentence vectors": {
    freeze: "encoder",
    classifier_pooling: "model",
    arguments: {},
  },
  "SetFit's two steps": {
    freeze: "none",
    classifier_pooling: "model",
    arguments: {},
  },
  "all weights": {
    freeze: "none",
    arguments: { num_train_epochs: 10, per_device_train_batch_size: 8, learning_rate: 2e-4 },
  },
};

const row = ([label, text]) => ({ text, label });

async function accuracy({ arguments: options, ...setup }, labels, train, unseen, seed) {
  const trainer = await Trainer.from_pretrained("text-classification", MODEL, { labels, ...setup, seed, ...ON });
  await trainer.train(train.map(row), setup.classifier_pooling ? options : { ...options, seed });
  const { accuracy } = await trainer.evaluate(unseen.map(row));
  await trainer.dispose();
  return accuracy;
}

export default async function prove(python) {
  const [train, unseen] = [lines("tickets-train.tsv"), lines("tickets-unseen.tsv")];
  const labels = [...new Set(train.map(([label]) => label))];
  const folder = workFolder("few-shot");
  await exportModel(join(folder, "start"));
  const runs = Object.fromEntries(Object.entries(RUNS).filter(([, run]) => !run.classifier_pooling));
  const peer = inPyTorch(python, "few_shot.py", folder, { labels, train, unseen, seeds: SEEDS, runs });
  const table = [];
  for (const [name, run] of Object.entries(RUNS)) {
    const own = [];
    for (const seed of SEEDS) own.push(await accuracy(run, labels, train, unseen, seed));
    const shown = (figures) =>
      `${percent(mean(figures))} (${figures.map((share) => (100 * share).toFixed(1)).join(", ")})`;
    table.push([`${name}: ${unseen.length} unseen sentences`, shown(own), peer?.[name] && shown(peer[name])]);
  }
  return table;
}
