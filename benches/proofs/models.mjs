// The package's masked LM, whose encoder the proofs begin with.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Trainer } from "../../dist/node.js";
import { root } from "../../scripts/lib/run.mjs";
import { writeFiles } from "./peer.mjs";

export const MODEL = join(root, "models/minilm-mlm");
/** Where models train and run: DEVICE and THREADS say. */
export const ON = { device: process.env.DEVICE ?? "wasm", threads: Number(process.env.THREADS ?? 1) };

/** The model as Blobs, without dropout where both sides are to see the same numbers. */
export function modelFiles({ dropout = true } = {}) {
  const names = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"];
  const files = Object.fromEntries(names.map((name) => [name, new Blob([readFileSync(join(MODEL, name))])]));
  if (dropout) return { files };
  const config = JSON.parse(readFileSync(join(MODEL, "config.json"), "utf8"));
  Object.assign(config, { hidden_dropout_prob: 0, attention_probs_dropout_prob: 0 });
  return { files: { ...files, "config.json": new Blob([JSON.stringify(config)]) } };
}

/** Writes the model's folder for PyTorch: the very numbers that webert trains, in f32. */
export async function exportModel(folder, options) {
  const trainer = await Trainer.from_pretrained("fill-mask", modelFiles(options), ON);
  await writeFiles(folder, (await trainer.save()).files);
  await trainer.dispose();
}
