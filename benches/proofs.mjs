// `npm run bench -- proofs [NAME…]`: that training learns what it should, over the built package in Node; without names all of them. Each runs the
// same recipe in PyTorch where there is a Python with torch and transformers (PYTHON=…), and prints its figures beside webert's. DEVICE=webgpu
// trains there, THREADS=2 in two threads of the CPU.
//
// | name | what it shows |
// | --- | --- |
// | a few-shot | 6 labels × 8 sentences over the package's encoder, head alone and all weights: accuracy on unseen sentences |
// | b continued | a masked LM trained on with a text of its own language: the loss of the same batches step by step, and on held-out text |
// | c from-nothing | BERT of 2 layers, 128 wide, and its vocabulary: masked accuracy on held-out text beside the most frequent token's |
// | d contrastive | questions and passages: recall of held-out passages before and after |
// | e round-trip | saved, loaded by Hugging Face's classes, trained one step there, loaded back: how far logits are apart |

import { setFlagsFromString } from "node:v8";
import { Failure, main } from "../scripts/lib/run.mjs";
import { findPython } from "./proofs/peer.mjs";

setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 20 has it behind this flag, later ones always

const PROOFS = { a: "few-shot", b: "continued", c: "from-nothing", d: "contrastive", e: "round-trip" };

await main(async () => {
  const named = process.argv.slice(2);
  const all = Object.entries(PROOFS);
  const unknown = named.find((name) => !all.flat().includes(name));
  if (unknown) throw new Failure(`no proof ${unknown}; there are ${all.map((names) => names.join(" ")).join(", ")}`);
  const python = findPython();
  if (!python) console.log("There is no Python with torch and transformers (PYTHON=…): webert's figures alone.");
  for (const [letter, name] of all.filter((names) => !named.length || names.some((it) => named.includes(it)))) {
    const { default: prove } = await import(`./proofs/${name}.mjs`);
    const start = performance.now();
    const rows = await prove(python);
    console.log(`\n${name}: ${((performance.now() - start) / 1e3).toFixed(0)} s\n`);
    console.log("| | | webert | PyTorch |\n| --- | --- | --- | --- |");
    for (const [what, own, other] of rows) console.log(`| ${letter} | ${what} | ${own} | ${other ?? ""} |`);
  }
});
