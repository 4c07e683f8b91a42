// Proof e: a model trained here is saved, loaded by Hugging Face's classes with equal logits, trained for a step there,
// saved there and loaded here.

import { join } from "node:path";
import * as webert from "../../dist/node.js";
import { Failure } from "../../scripts/lib/run.mjs";
import { lines, maskedBatches, random } from "./data.mjs";
import { MODEL, ON } from "./models.mjs";
import { inPyTorch, workFolder, writeFiles } from "./peer.mjs";

/** Number of AdamW steps before the model is saved. */
const STEPS = 3;
const ARGUMENTS = { learning_rate: 1e-4 };
const TASKS = {
  "text-classification": { auto: "AutoModelForSequenceClassification", class: "BertForSequenceClassification" },
  "fill-mask": { auto: "AutoModelForMaskedLM", class: "BertForMaskedLM" },
};

/** Returns a batch for a task: whole texts with the index of their labels, or masked texts. */
function batchOf(task, rows, names, tokenizer) {
  const texts = rows.map(([, text]) => text);
  const { input_ids, attention_mask, token_type_ids } = tokenizer(texts, { padding: true, return_tensor: false });
  const full = { input_ids, attention_mask, token_type_ids };
  const of = { tokenizer, vocabSize: tokenizer.vocab_size, size: rows.length, maxLength: 128, draw: random(1) };
  const [masked] = maskedBatches(texts, of);
  const classes = { inputs: full, labels: { labels: rows.map(([label]) => names.indexOf(label)) } };
  return { texts, ids: input_ids, ...(task === "fill-mask" ? masked : classes) };
}

/** Returns the logits of a model from a folder or Blobs, without the logits of padding tokens. */
async function logitsOf(auto, source, inputs) {
  const model = await webert[auto].from_pretrained(source, { dtype: "fp32", ...ON });
  const { logits } = await model(inputs);
  await model.dispose();
  const [width, mask] = [logits.dims.at(-1), inputs.attention_mask.flat()];
  return logits.dims.length < 3 ? [...logits.data] : [...logits.data].filter((_, n) => mask[Math.floor(n / width)]);
}

/** Returns the largest difference between logits, and the largest logit, as text. */
function furthest(a, b) {
  if (a.length !== b.length) throw new Failure(`${a.length} logits here, ${b.length} there`);
  const greatest = (number) => a.reduce((most, x, n) => Math.max(most, number(x, b[n])), 0);
  return `${greatest((x, y) => Math.abs(x - y)).toExponential(1)} of ${greatest((_, y) => Math.abs(y)).toFixed(1)}`;
}

/** Trains a few steps. Returns the files, and the logits and loss of the batch. */
async function trained(task, names, { inputs, labels }) {
  const options = { seed: 1, ...ON, ...(task === "text-classification" && { labels: names }) };
  const trainer = await webert.Trainer.from_pretrained(task, MODEL, options);
  for (let step = 0; step < STEPS; step++) await trainer.step(inputs, labels, ARGUMENTS);
  const { files } = await trainer.save();
  const { loss } = await trainer.loss(inputs, labels);
  await trainer.dispose();
  return { files, loss, logits: await logitsOf(TASKS[task].auto, { files }, inputs) };
}

async function roundTrip(python, task, rows) {
  const names = [...new Set(rows.map(([label]) => label))];
  const tokenizer = await webert.AutoTokenizer.from_pretrained(MODEL);
  const batch = batchOf(
    task,
    rows.filter((_, n) => n % 6 === 0),
    names,
    tokenizer,
  );
  const own = await trained(task, names, batch);
  const folder = workFolder(`round-trip-${task}`);
  await writeFiles(join(folder, "saved"), own.files);
  const told = { class: TASKS[task].class, arguments: ARGUMENTS, ...batch };
  const peer = inPyTorch(python, "round_trip.py", folder, told);
  const loss = [`${task}: loss of what was saved`, own.loss.toFixed(6), peer?.loss.toFixed(6)];
  if (!peer) return [loss];
  if (!peer.same_ids) throw new Failure(`${task}: the tokenizer that was saved gives other ids there`);
  const back = await logitsOf(TASKS[task].auto, join(folder, "back"), batch.inputs);
  return [
    loss,
    [`${task}: greatest difference of a logit, as saved`, furthest(own.logits, peer.before)],
    [`${task}: the same after a step there, loaded back`, furthest(back, peer.after)],
    [`${task}: how far that step moved a logit`, furthest(back, own.logits)],
  ];
}

export default async function prove(python) {
  const rows = lines("tickets-train.tsv");
  const table = [];
  for (const task of Object.keys(TASKS)) table.push(...(await roundTrip(python, task, rows)));
  return table;
}
