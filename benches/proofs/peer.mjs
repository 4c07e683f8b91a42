// The same recipe in PyTorch: a script of this folder, told of a folder with the model and the data, answers in JSON.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { capture, Failure, root } from "../../scripts/lib/run.mjs";

/** A Python that has what the recipes import: PYTHON, or python3; undefined where it lacks something. */
export function findPython() {
  const program = process.env.PYTHON ?? "python3";
  if (capture(program, ["-c", "import torch, transformers"]) !== null) return program;
  if (process.env.PYTHON) throw new Failure(`PYTHON=${program} has no torch and transformers`);
  return undefined;
}

/** The folder in which a proof leaves what it trained and what PyTorch is told. */
export function workFolder(name) {
  const folder = join(root, "target/proofs", name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes the files of a model (Blobs by their names) into a folder. */
export async function writeFiles(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [name, blob] of Object.entries(files))
    writeFileSync(join(folder, name), new Uint8Array(await blob.arrayBuffer()));
}

/** What a recipe answers to what it is told; undefined without a Python. */
export function inPyTorch(python, script, folder, recipe) {
  writeFileSync(join(folder, "recipe.json"), JSON.stringify(recipe));
  if (!python) return undefined;
  const printed = capture(python, [fileURLToPath(new URL(script, import.meta.url)), folder]);
  if (printed === null) throw new Failure(`failed: ${python} benches/proofs/${script} ${folder}`);
  return JSON.parse(printed.split("\n").at(-1));
}
