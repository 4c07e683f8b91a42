// Proof d: questions about an invented bicycle, and the passages of its booklet that answer them. Each third of the
// pairs is held out once. Its questions search among all passages, including the passages of the training pairs. Each
// side draws its own orders and dropout, so the means over several seeds are compared.

import { join } from "node:path";
import { Trainer } from "../../dist/node.js";
import { lines, mean, percent } from "./data.mjs";
import { exportModel, MODEL, ON } from "./models.mjs";
import { inPyTorch, workFolder } from "./peer.mjs";

const FOLDS = [0, 1, 2];
const SEEDS = [1, 2, 3];
const ARGUMENTS = {
  num_train_epochs: 10,
  per_device_train_batch_size: 16,
  learning_rate: 2e-4,
  warmup_ratio: 0.1,
};

const dot = (a, b) => a.reduce((sum, x, n) => sum + x * b[n], 0);

/** Returns the rank of each held-out question's passage among all passages. */
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

async function run(fold, seed) {
  const trainer = await Trainer.from_pretrained("feature-extraction", MODEL, { seed, ...ON });
  const before = await search(trainer, fold);
  const rows = fold.train.map(([text, positive]) => ({ text, positive }));
  await trainer.train(rows, { ...ARGUMENTS, group_by_length: false, seed });
  const after = await search(trainer, fold);
  await trainer.dispose();
  return { before, after };
}

const within = (count) => ({ of: (rank) => Number(rank <= count), format: percent });

const METRICS = {
  "recall@1": within(1),
  "recall@10": within(10),
  "mean reciprocal rank": { of: (rank) => 1 / rank, format: (value) => value.toFixed(3) },
};

export default async function prove(python) {
  const pairs = lines("manual.tsv");
  const folds = FOLDS.map((third) => ({
    train: pairs.filter((_, n) => n % FOLDS.length !== third),
    held_out: pairs.filter((_, n) => n % FOLDS.length === third),
  }));
  const folder = workFolder("contrastive");
  await exportModel(join(folder, "start"));
  const peer = inPyTorch(python, "contrastive.py", folder, { seeds: SEEDS, arguments: ARGUMENTS, folds });
  const own = [];
  for (const seed of SEEDS) {
    const runs = [];
    for (const fold of folds) runs.push(await run(fold, seed));
    own.push(runs);
  }
  // Before training, the result does not depend on the seed.
  const shown = (seeds, { of, format }) => {
    const means = (when) => seeds.map((runs) => mean(runs.flatMap((run) => run[when].map(of))));
    const after = means("after");
    return `${format(means("before")[0])} → ${format(mean(after))} (${after.map(format).join(", ")})`;
  };
  return Object.entries(METRICS).map(([name, metric]) => [
    `${name}, ${pairs.length} questions and passages`,
    shown(own, metric),
    peer && shown(peer, metric),
  ]);
}
