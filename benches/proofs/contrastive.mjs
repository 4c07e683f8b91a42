// d: questions about an invented bicycle, and the passages of its booklet that answer them. Each third of the pairs is held out once; its questions
// search among all passages, those of the training pairs, too.

import { join } from "node:path";
import { Trainer } from "../../dist/node.js";
import { lines, mean, percent } from "./data.mjs";
import { exportModel, MODEL, ON } from "./models.mjs";
import { inPyTorch, workFolder } from "./peer.mjs";

const FOLDS = [0, 1, 2];
const SEED = 1;
const ARGUMENTS = {
  num_train_epochs: 10,
  per_device_train_batch_size: 16,
  learning_rate: 2e-4,
  warmup_ratio: 0.1,
};

const dot = (a, b) => a.reduce((sum, x, n) => sum + x * b[n], 0);

/** The rank of each held-out question's passage among all passages. */
async function search(trainer, { held_out, train }) {
  const embed = await trainer.pipeline();
  const vectors = async (texts) => (await embed(texts, { pooling: "mean", normalize: true })).tolist();
  const questions = await vectors(held_out.map(([question]) => question));
  const passages = await vectors([...held_out, ...train].map(([, passage]) => passage));
  await embed.dispose();
  return questions.map((question, n) => {
    const scores = passages.map((passage) => dot(question, passage));
    return 1 + scores.filter((score) => score > scores[n]).length;
  });
}

async function run(fold) {
  const trainer = await Trainer.from_pretrained("feature-extraction", MODEL, { seed: SEED, ...ON });
  const before = await search(trainer, fold);
  const rows = fold.train.map(([text, positive]) => ({ text, positive }));
  await trainer.train(rows, { ...ARGUMENTS, group_by_length: false, seed: SEED });
  const after = await search(trainer, fold);
  await trainer.dispose();
  return { before, after };
}

const METRICS = {
  "recall@1": (ranks) => percent(mean(ranks.map((rank) => Number(rank <= 1)))),
  "recall@10": (ranks) => percent(mean(ranks.map((rank) => Number(rank <= 10)))),
  "mean reciprocal rank": (ranks) => mean(ranks.map((rank) => 1 / rank)).toFixed(3),
};

export default async function prove(python) {
  const pairs = lines("manual.tsv");
  const folds = FOLDS.map((third) => ({
    train: pairs.filter((_, n) => n % FOLDS.length !== third),
    held_out: pairs.filter((_, n) => n % FOLDS.length === third),
  }));
  const folder = workFolder("contrastive");
  await exportModel(join(folder, "start"));
  const peer = inPyTorch(python, "contrastive.py", folder, { seed: SEED, arguments: ARGUMENTS, folds });
  const own = [];
  for (const fold of folds) own.push(await run(fold));
  const shown = (runs, metric) =>
    runs && ["before", "after"].map((when) => metric(runs.flatMap((run) => run[when]))).join(" → ");
  return Object.entries(METRICS).map(([name, metric]) => [
    `${name}, ${pairs.length} questions and passages`,
    shown(own, metric),
    shown(peer, metric),
  ]);
}
