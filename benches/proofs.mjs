// `npm run bench -- proofs [NAME…]`: proofs that training learns what it should, with the built package in Node.
// Without a NAME, all of them run. If PYTHON (python3 by default) has torch and transformers, each runs the same recipe
// in PyTorch and prints both results. DEVICE=webgpu trains on the GPU, THREADS=2 in two threads of the CPU.
//
// | name | what it shows |
// | --- | --- |
// | a few-shot | accuracy on unseen sentences, from 8 sentences for each of 6 labels; head alone and all weights |
// | b continued | further training of a masked LM on the text of this repository: losses of the same batches and of held-out text |
// | c from-nothing | a new vocabulary and BERT (2 layers, 128 wide): masked accuracy beside the most frequent token |
// | d contrastive | questions and passages: recall of held-out passages before and after training |
// | e round-trip | save, load and train a step in Hugging Face's classes, load again: how far the logits differ |

import { setFlagsFromString } from "node:v8";
import { Failure, main } from "../scripts/lib/run.mjs";
import { findPython } from "./proofs/peer.mjs";

setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 20 needs this flag, later versions do not

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
