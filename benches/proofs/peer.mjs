// Runs the same recipe in PyTorch. A script of this folder takes a folder with model and data, and answers in JSON.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { capture, Failure, root } from "../../scripts/lib/run.mjs";

/** Returns the Python that can import torch and transformers: PYTHON, or python3. Undefined if python3 cannot. */
export function findPython() {
  const program = process.env.PYTHON ?? "python3";
  if (capture(program, ["-c", "import torch, transformers"]) !== null) return program;
  if (process.env.PYTHON) throw new Failure(`PYTHON=${program} has no torch and transformers`);
  return undefined;
}

/** Creates the folder for the trained models of a proof and the input of PyTorch. */
export function workFolder(name) {
  const folder = join(root, "target/proofs", name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes the files of a model (Blobs by name) into a folder. */
export async function writeFiles(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [name, blob] of Object.entries(files))
    writeFileSync(join(folder, name), new Uint8Array(await blob.arrayBuffer()));
}

/** Writes the recipe, runs the script on it and returns the answer. Undefined without a Python. */
export function inPyTorch(python, script, folder, recipe) {
  writeFileSync(join(folder, "recipe.json"), JSON.stringify(recipe));
  if (!python) return undefined;
  const printed = capture(python, [fileURLToPath(new URL(script, import.meta.url)), folder]);
  if (printed === null) throw new Failure(`failed: ${python} benches/proofs/${script} ${folder}`);
  return JSON.parse(printed.split("\n").at(-1));
}
