// `node www/tools/record-judge.mjs`: records the verdicts that the page's view Judge shows while its models load. Run it after a build, and after a
// change of the models or of the examples. tests/judge.test.mjs compares them with the models' answers.

import "../../scripts/lib/node-version.mjs";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, main, root } from "../../scripts/lib/run.mjs";
import { importTypeScript } from "../../scripts/lib/typescript.mjs";

const FOLDER = "www/src/views/judge";
/** The visitor's labels at first. */
const OWN = ["animals", "cooking", "films", "money", "travel"];

const short = (number) => Number(number.toFixed(4));

/** The heads that the page's model loads, in Node. */
export const headsOf = ({ pipeline }) => {
  const once = new Map();
  const head = (task, name) => () => {
    if (!once.has(name)) once.set(name, pipeline(task, join(root, "models", name)));
    return once.get(name);
  };
  return {
    sentiment: head("text-classification", "minilm-sentiment"),
    topic: head("text-classification", "minilm-topic"),
    embeddings: head("feature-extraction", "minilm-embeddings"),
    entities: head("token-classification", "minilm-entities"),
    replaced: { peek: () => 0 }, // the encoder stays
    dispose: async () => {
      for (const made of once.values()) await (await made).dispose();
    },
  };
};

/** The verdicts and names of the first sentence and of all examples, by the page's own code over `heads`. */
export async function record(heads) {
  const { judgeOf } = await importTypeScript(`${FOLDER}/judges.ts`);
  const { judgeText } = await importTypeScript("www/src/text/judge.ts");
  const { findNames } = await importTypeScript(`${FOLDER}/entities.ts`);
  const { EXAMPLES, FIRST } = await importTypeScript(`${FOLDER}/presets.ts`);
  const texts = (kind) => new Set([FIRST, ...EXAMPLES[kind]]);
  const verdicts = {};
  for (const kind of ["feeling", "topic", "labels"]) {
    const judge = await judgeOf(heads, kind, OWN);
    const examples = [];
    for (const text of texts(kind)) {
      const { verdict, reasons } = await judgeText(judge, text, []);
      examples.push({
        text,
        scores: verdict.scores.map(short),
        reasons: reasons.map(({ start, end, fall, without }) => [start, end, short(fall), without ?? null]),
      });
    }
    verdicts[kind] = { labels: judge.labels, examples };
  }
  const ner = await heads.entities();
  const names = [];
  for (const text of texts("names")) names.push({ text, found: await findNames(ner, text) });
  return { verdicts, names };
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const heads = headsOf(await import("../../dist/node.js"));
    const recorded = await record(heads);
    await heads.dispose();
    writeFileSync(join(root, FOLDER, "recorded.json"), `${JSON.stringify(recorded)}\n`);
    for (const [kind, { labels, examples }] of Object.entries(recorded.verdicts)) {
      for (const { text, scores } of examples) {
        const best = Math.max(...scores);
        console.log(`${kind}: ${text} ${labels[scores.indexOf(best)]} (${best})`);
      }
    }
  });
}
