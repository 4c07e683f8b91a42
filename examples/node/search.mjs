// Ranks the lines of a file by meaning, for a question: node search.mjs FILE QUESTION [COUNT]
import { readFile } from "node:fs/promises";
import { cos_sim, pipeline } from "webert";

const [file, question, count = "5"] = process.argv.slice(2);
if (question === undefined) {
  console.error("usage: node search.mjs FILE QUESTION [COUNT]");
  process.exit(2);
}
const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim());

const embed = await pipeline("feature-extraction");
// One call for all lines: they are packed end to end, without padding.
const vectors = (await embed([question, ...lines], { pooling: "mean", normalize: true })).tolist();
await embed.dispose();

const [asked, ...of] = vectors;
const ranked = lines.map((line, n) => ({ line, score: cos_sim(asked, of[n]) })).sort((a, b) => b.score - a.score);
for (const { line, score } of ranked.slice(0, Number(count))) console.log(`${score.toFixed(3)}  ${line}`);
