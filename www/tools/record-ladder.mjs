// `node www/tools/record-ladder.mjs`: records the ladders that the view Watch it think shows for the examples while the model loads. Run it after a
// build, and after a change of the model or of the examples. tests/ladder.test.mjs compares the file with the model's answers.

import "../../scripts/lib/node-version.mjs";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, main, root } from "../../scripts/lib/run.mjs";
import { importTypeScript } from "../../scripts/lib/typescript.mjs";

const FILE = "www/src/views/watch/recorded.json";

/** The examples of the page, each with its oddest word. */
export const examples = () =>
  JSON.parse(readFileSync(join(root, "www/src/recorded.json"), "utf8")).map(({ text, words }) => {
    const [{ start, end }] = words.toSorted((a, b) => b.excess - a.excess);
    return { text, start, end };
  });

/** The answers of each layer in the place of an example's word, the best first: pairs of a word and its probability. */
export async function record(unmask, { text, start, end }) {
  const { hide } = await importTypeScript("www/src/views/watch/hidden.ts");
  const { ASKED, rungsOf } = await importTypeScript("www/src/views/watch/ladder.ts");
  const { masked, mask, before, after } = hide(text, { start, end });
  const rungs = rungsOf(await unmask.lens(masked, { top_k: ASKED }), mask, before, after);
  const layers = rungs.map(({ words }) => words.map(({ word, score }) => [word, Number(score.toPrecision(4))]));
  return { text, start, end, layers };
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { pipeline } = await import("../../dist/node.js");
    const unmask = await pipeline("fill-mask");
    const recorded = [];
    for (const example of examples()) recorded.push(await record(unmask, example));
    await unmask.dispose();
    writeFileSync(join(root, FILE), `${JSON.stringify(recorded)}\n`);
  });
}
