// `node www/tools/record-compare.mjs`: chooses the pairs of sentences that the page's view Compare offers, and records their answers, which the view
// shows while its model loads. Run it after a build, and after a change of the model or of the pairs. tests/compare.test.mjs compares them with
// the model's answers.

import "../../scripts/lib/node-version.mjs";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, main, root } from "../../scripts/lib/run.mjs";
import { importTypeScript } from "../../scripts/lib/typescript.mjs";

const FOLDER = "www/src/views/compare";
/** Number of pairs to offer. */
const OFFERED = 8;
/** Number of sentences with a year to offer. */
const OFFERED_YEARS = 5;
/** Words of each side that count for a pair. */
const COUNTED = 4;

/** The candidates of a pair, with four digits of their probabilities. */
export async function record(unmask, [first, second]) {
  const { compare, differenceOf, placeInSecond } = await importTypeScript("www/src/text/compare.ts");
  const start = first.indexOf("___");
  const gap = { start, end: start + 3 };
  const found = await compare(unmask, [first, second], [gap, placeInSecond(gap, differenceOf(first, second))]);
  const short = (number) => Number(number.toPrecision(4));
  return found.map(({ word, first, second }) => [word, short(first), short(second)]);
}

/** The lines of a sentence over the years, with four digits of their probabilities. */
export async function recordYears(unmask, sentence) {
  const { overYears } = await importTypeScript("www/src/text/years.ts");
  const lines = await overYears(unmask, sentence);
  return lines.map(({ word, scores }) => ({ word, scores: scores.map((score) => Number(score.toPrecision(4))) }));
}

/** The mean change of a sentence's words over the years. */
async function changeOf(lines) {
  const { trendOf } = await importTypeScript("www/src/text/years.ts");
  return lines.reduce((sum, line) => sum + Math.abs(trendOf(line)), 0) / lines.length;
}

/** The difference of a pair: the mean logarithm of the ratios of its farthest words, over both sides. */
function contrastOf(words) {
  const leans = words.map(([, first, second]) => Math.log(first / second));
  const side = (sign) =>
    Array.from({ length: COUNTED }, (_, at) => Math.max(0, sign * (leans.at(sign > 0 ? at : -1 - at) ?? 0)));
  return [...side(1), ...side(-1)].reduce((sum, lean) => sum + lean, 0) / (2 * COUNTED);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { pipeline } = await import("../../dist/node.js");
    const { POOL, YEAR_POOL } = await importTypeScript(`${FOLDER}/presets.ts`);
    const unmask = await pipeline("fill-mask");
    const all = [];
    for (const texts of POOL) {
      const words = await record(unmask, texts);
      all.push({ texts, words, contrast: contrastOf(words) });
    }
    const swept = [];
    for (const sentence of YEAR_POOL) {
      const lines = await recordYears(unmask, sentence);
      swept.push({ sentence, lines, change: await changeOf(lines) });
    }
    await unmask.dispose();
    const most = swept.sort((a, b) => b.change - a.change).slice(0, OFFERED_YEARS);
    const years = most.map(({ sentence, lines }) => ({ sentence, lines }));
    writeFileSync(join(root, FOLDER, "years.json"), `${JSON.stringify(years)}\n`);
    for (const { sentence, change, lines } of swept)
      console.log(`${change.toFixed(2)} ${sentence} ${lines.map(({ word }) => word)}`);
    // the pool's first pair opens the view
    const [first, ...others] = all;
    const chosen = [first, ...others.sort((a, b) => b.contrast - a.contrast).slice(0, OFFERED - 1)];
    const recorded = chosen.map(({ texts, words }) => ({ texts, words }));
    writeFileSync(join(root, FOLDER, "recorded.json"), `${JSON.stringify(recorded)}\n`);
    for (const { texts, words, contrast } of all)
      console.log(
        `${contrast.toFixed(2)} ${texts[0]} ${words.slice(0, 3).map(([word]) => word)} | ${texts[1]} ${words.slice(-3).map(([word]) => word)}`,
      );
  });
}
