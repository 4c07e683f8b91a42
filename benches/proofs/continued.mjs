// Proof b: further training of the packaged masked LM on the text of this repository. Both sides use the same batches,
// masks and learning rates, without dropout, so the losses are compared step by step.

import { join } from "node:path";
import { AutoTokenizer, Trainer } from "../../dist/node.js";
import { maskedBatches, maskedCount, random, shuffled } from "./data.mjs";
import { exportModel, MODEL, modelFiles, ON } from "./models.mjs";
import { inPyTorch, workFolder } from "./peer.mjs";
import { ownText } from "./text.mjs";

const STEPS = 60;
const EVAL_STEPS = 20;
const BATCH = 8;
const ARGUMENTS = { learning_rate: 1e-4, weight_decay: 0.01, max_grad_norm: 1 };
/** Number of held-out texts that are evaluated. */
const HELD_OUT = 64;

/** Returns the mean loss of all masked tokens of the batches. */
async function heldOutLoss(trainer, batches) {
  let total = 0;
  for (const batch of batches) total += (await trainer.loss(batch.inputs, batch.labels)).loss * maskedCount(batch);
  return total / batches.reduce((sum, batch) => sum + maskedCount(batch), 0);
}

/** The learning rate falls linearly to 0, as with lr_scheduler_type "linear". */
const rate = (step) => ARGUMENTS.learning_rate * (1 - step / STEPS);

async function train({ batches, held_out }) {
  const trainer = await Trainer.from_pretrained("fill-mask", modelFiles({ dropout: false }), ON);
  const [losses, evaluated] = [[], [await heldOutLoss(trainer, held_out)]];
  for (const [step, { inputs, labels }] of batches.entries()) {
    losses.push((await trainer.step(inputs, labels, { ...ARGUMENTS, learning_rate: rate(step) })).loss);
    if ((step + 1) % EVAL_STEPS === 0) evaluated.push(await heldOutLoss(trainer, held_out));
  }
  await trainer.dispose();
  return { losses, held_out: evaluated };
}

export default async function prove(python) {
  const folder = workFolder("continued");
  await exportModel(join(folder, "start"), { dropout: false });
  const { train: texts, heldOut } = ownText();
  const tokenizer = await AutoTokenizer.from_pretrained(MODEL);
  const draw = random(1);
  const of = { tokenizer, vocabSize: tokenizer.vocab_size, size: BATCH, maxLength: 64, draw };
  const batches = maskedBatches(shuffled(texts, draw).slice(0, STEPS * BATCH), of);
  const recipe = {
    arguments: ARGUMENTS,
    eval_steps: EVAL_STEPS,
    batches,
    held_out: maskedBatches(heldOut.slice(0, HELD_OUT), of),
  };
  const peer = inPyTorch(python, "continued.py", folder, recipe);
  const own = await train(recipe);
  const apart = peer && own.losses.map((loss, step) => Math.abs(loss - peer.losses[step]) / peer.losses[step]);
  const path = (losses) => losses.map((loss) => loss.toFixed(4)).join(" → ");
  const table = [
    [`held-out loss, every ${EVAL_STEPS} of ${batches.length} steps`, path(own.held_out), peer && path(peer.held_out)],
  ];
  for (const step of [0, batches.length >> 1, batches.length - 1])
    table.push([`loss of step ${step + 1}`, own.losses[step].toFixed(5), peer?.losses[step].toFixed(5)]);
  if (apart) table.push(["greatest relative difference of a step's loss", Math.max(...apart).toExponential(1), ""]);
  return table;
}
