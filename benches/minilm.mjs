// Compares all-MiniLM-L6-v2 with numbers of sentence-transformers: `node benches/minilm.mjs MODEL GOLDENS` after
// `npm run build`. MODEL is the folder of the checkpoint. GOLDENS is a folder with three files: embeddings.json
// (sentences with `text` and `embedding`), cosine.json (`cosine`, the table of all pairs) and tokens.json (`sentences`
// with `text` and, for each token, `norms` and `first8`).

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "../dist/node.js";

const [model, goldens] = process.argv.slice(2);
if (!goldens) throw new Error("usage: node benches/minilm.mjs MODEL GOLDENS");
const json = async (name) => JSON.parse(await readFile(join(goldens, `${name}.json`), "utf8"));
const [{ sentences }, { cosine }, tokens] = [await json("embeddings"), await json("cosine"), await json("tokens")];
const texts = sentences.map(({ text }) => text);
const furthest = (got, want) => got.reduce((most, x, i) => Math.max(most, Math.abs(x - want[i])), 0);

for (const dtype of ["fp32", "fp16", "q8"]) {
  const extract = await pipeline("feature-extraction", model, { dtype });
  const vectors = (await extract(texts, { pooling: "model" })).tolist();
  const worst = Math.max(...vectors.map((vector, i) => furthest(vector, sentences[i].embedding)));
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const angles = Math.max(
    ...vectors.map((a, i) =>
      furthest(
        vectors.map((b) => dot(a, b)),
        cosine[i],
      ),
    ),
  );
  let states = 0;
  for (const { text, norms, first8 } of tokens.sentences) {
    const [rows] = (await extract(text)).tolist();
    states = Math.max(
      states,
      furthest(
        rows.map((row) => Math.hypot(...row)),
        norms,
      ),
      ...rows.map((row, i) => furthest(row.slice(0, 8), first8[i])),
    );
  }
  const start = performance.now();
  for (let i = 0; i < 3; i++) await extract(texts, { pooling: "model" });
  const ms = (performance.now() - start) / 3;
  console.log(
    `${dtype}: ${vectors.length} embeddings within ${worst.toExponential(1)}, cosines ${angles.toExponential(1)}, ` +
      `token states ${states.toExponential(1)}; ${(ms / texts.length).toFixed(1)} ms a sentence`,
  );
  await extract.dispose();
}
