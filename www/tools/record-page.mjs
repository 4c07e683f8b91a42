// `node www/tools/record-page.mjs`: records the answers that the page shows while its model loads. Run it after a build, and after a change of the
// model or of the examples. tests/page-text.test.mjs compares them with the model's answers.

import "../../scripts/lib/node-version.mjs";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, main, root } from "../../scripts/lib/run.mjs";
import { importTypeScript } from "../../scripts/lib/typescript.mjs";

const FILE = "www/src/recorded.json";

/** The examples; the page opens with the first one. */
export const EXAMPLES = [
  "I drink a cup of cement every morning.",
  "The pilot landed the banana on the runway.",
  "Paris is the capital of France.",
  "She opened the door with a sandwich.",
  "The doctor told the patient to rest.",
  "The cat chased the piano up a tree.",
];

/** Number of digits to keep. */
const short = (number) => Number(number.toPrecision(4));

/** The model's answers in the place of each word of a text. */
export async function record(pipeline, text) {
  const { oddWords } = await importTypeScript("www/src/text/odd.ts");
  const unmask = await pipeline("fill-mask");
  const words = await oddWords(unmask, unmask.tokenizer, text);
  await unmask.dispose();
  return words.map((word) => ({
    ...word,
    score: short(word.score),
    excess: short(word.excess),
    expected: word.expected.map(({ token_str, score }) => ({ token_str, score: short(score) })),
  }));
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { pipeline } = await import("../../dist/node.js");
    const examples = [];
    for (const text of EXAMPLES) examples.push({ text, words: await record(pipeline, text) });
    writeFileSync(join(root, FILE), `${JSON.stringify(examples)}\n`);
    for (const { text, words } of examples) {
      const [odd] = words.toSorted((a, b) => b.excess - a.excess);
      console.log(`${text} ${odd.word} (${odd.excess}): ${odd.expected.map(({ token_str }) => token_str).join(", ")}`);
    }
  });
}
