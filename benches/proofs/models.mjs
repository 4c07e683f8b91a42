// The packaged masked LM. The proofs start from its encoder.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Trainer } from "../../dist/node.js";
import { root } from "../../scripts/lib/run.mjs";
import { writeFiles } from "./peer.mjs";

export const MODEL = join(root, "models/minilm-mlm");
/** Device and threads of training and inference, from DEVICE and THREADS. */
export const ON = { device: process.env.DEVICE ?? "wasm", threads: Number(process.env.THREADS ?? 1) };

/** Returns the model as Blobs, without dropout if both sides need the same numbers. */
export function modelFiles({ dropout = true } = {}) {
  const names = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"];
  const files = Object.fromEntries(names.map((name) => [name, new Blob([readFileSync(join(MODEL, name))])]));
  if (dropout) return { files };
  const config = JSON.parse(readFileSync(join(MODEL, "config.json"), "utf8"));
  Object.assign(config, { hidden_dropout_prob: 0, attention_probs_dropout_prob: 0 });
  return { files: { ...files, "config.json": new Blob([JSON.stringify(config)]) } };
}

/** Writes a model folder for PyTorch, with the f32 weights that webert trains. */
export async function exportModel(folder, options) {
  const trainer = await Trainer.from_pretrained("fill-mask", modelFiles(options), ON);
  await writeFiles(folder, (await trainer.save()).files);
  await trainer.dispose();
}
