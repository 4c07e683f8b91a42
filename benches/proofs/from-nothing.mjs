// Proof c: trains a vocabulary and a BERT (2 layers, 128 wide) from nothing on the text of this repository. Each side
// draws its own orders, masks and first weights. Compared is the share of held-out masked tokens that each predicts.

import { join } from "node:path";
import { AutoModelForMaskedLM, AutoTokenizer, Trainer, trainTokenizer } from "../../dist/node.js";
import { maskedBatches, maskedCount, percent, random } from "./data.mjs";
import { ON } from "./models.mjs";
import { inPyTorch, workFolder, writeFiles } from "./peer.mjs";
import { ownText } from "./text.mjs";

const SEED = 1;
const MAX_LENGTH = 128;
const CONFIG = {
  model_type: "bert",
  architectures: ["BertForMaskedLM"],
  hidden_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 512,
  max_position_embeddings: MAX_LENGTH,
};
const ARGUMENTS = {
  num_train_epochs: 20,
  per_device_train_batch_size: 16,
  learning_rate: 2e-3,
  warmup_ratio: 0.1,
  weight_decay: 0.01,
  max_length: MAX_LENGTH,
};

/** Returns the share of masked tokens for which the highest logit is correct. */
async function accuracy(files, batches) {
  const model = await AutoModelForMaskedLM.from_pretrained({ files }, { dtype: "fp32", ...ON });
  let right = 0;
  for (const { inputs, labels } of batches) {
    const { logits } = await model(inputs);
    const width = logits.dims.at(-1);
    for (const [at, label] of labels.labels.flat().entries()) {
      if (label < 0) continue;
      const scores = logits.data.subarray(at * width, (at + 1) * width);
      right += scores.every((score) => score <= scores[label]);
    }
  }
  await model.dispose();
  return right / batches.reduce((sum, batch) => sum + maskedCount(batch), 0);
}

/** Returns the share of masked tokens that equal the most frequent token of the training text. */
function unigramRate(texts, batches, tokenizer) {
  const counts = new Map();
  for (const id of texts.flatMap((text) => tokenizer.encode(text, { add_special_tokens: false })))
    counts.set(id, (counts.get(id) ?? 0) + 1);
  const [[most]] = [...counts].sort(([, a], [, b]) => b - a);
  const labels = batches.flatMap((batch) => batch.labels.labels.flat()).filter((label) => label >= 0);
  return { token: tokenizer.decode([most]), share: labels.filter((label) => label === most).length / labels.length };
}

export default async function prove(python) {
  const { train: texts, heldOut } = ownText();
  const vocabulary = await trainTokenizer(texts, { vocab_size: 2000 });
  const trainer = await Trainer.from_config("fill-mask", CONFIG, vocabulary, { seed: SEED, ...ON });
  const folder = workFolder("from-nothing");
  const { files } = await trainer.save();
  await writeFiles(join(folder, "start"), files);
  const { vocab_size: vocabSize } = JSON.parse(await files["config.json"].text());
  const tokenizer = await AutoTokenizer.from_pretrained(vocabulary);
  const of = { tokenizer, vocabSize, size: 16, maxLength: MAX_LENGTH, draw: random(SEED) };
  const recipe = { arguments: ARGUMENTS, seed: SEED, texts, held_out: maskedBatches(heldOut, of) };
  const peer = inPyTorch(python, "from_nothing.py", folder, recipe);
  await trainer.train(texts, { ...ARGUMENTS, seed: SEED });
  const own = await accuracy((await trainer.save()).files, recipe.held_out);
  await trainer.dispose();
  const { token, share } = unigramRate(texts, recipe.held_out, tokenizer);
  return [
    [`always "${token}", the most frequent of ${vocabSize} tokens`, percent(share), percent(share)],
    [`masked accuracy after ${ARGUMENTS.num_train_epochs} epochs`, percent(own), peer && percent(peer.accuracy)],
  ];
}
