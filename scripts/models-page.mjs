// Writes docs/models.md from docs/models.json.
// Usage: node scripts/models-page.mjs
//
// Each row of models.json lists the parts that its models need. A row runs if every part has a golden, a path in tests/goldens. When
// webert supports another part, set its `golden` and run this script.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, root } from "./lib/run.mjs";

/** Returns the contents of docs/models.json. */
export const modelsData = () => JSON.parse(readFileSync(join(root, "docs/models.json"), "utf8"));

/** Returns the parts of a row that have no golden. */
export const lacks = ({ parts }, { needs }) => needs.filter((part) => !parts[part].golden);

/** Returns the text of docs/models.md. */
export function modelsPage(data) {
  const { parts, picks, rows } = data;
  const count = rows.filter((row) => !lacks(data, row).length).length;
  const lines = [HEAD(count, rows.length)];
  for (const { task, what, models } of picks) {
    lines.push(
      `### ${task}: ${what}`,
      "",
      "| model | languages | type | output | notes |",
      "| --- | --- | --- | --- | --- |",
    );
    for (const { name, row: names = name, languages } of models) {
      const row = rows.find(({ models }) => models === names);
      lines.push(`| \`${name}\` | ${languages} | ${row.type} | ${cell(row.head)} | ${cell(row.notes)} |`);
    }
    lines.push("");
  }
  lines.push("## All models", "", TABLE, "");
  for (const group of new Set(rows.map(({ group }) => group))) {
    const own = rows.filter((row) => row.group === group);
    const running = own.filter((row) => !lacks(data, row).length).length;
    lines.push(`### ${group}: ${running} of ${own.length}`, "");
    lines.push("| model | type | tokenizer | weights | output | runs |", "| --- | --- | --- | --- | --- | --- |");
    for (const row of own) {
      const missing = lacks(data, row);
      const weights = `${row.weights}${row.weightsKnown === "from memory" ? "" : " (seen)"}`;
      const runs = missing.length ? `no: ${missing.map((part) => parts[part].why).join("; ")}` : "yes";
      const cells = [row.models, row.type, row.tokenizer, weights, row.head, runs].map(cell);
      lines.push(`| ${cells.join(" | ")} |`);
    }
    lines.push("");
  }
  lines.push("## Parts", "", PARTS, "", "| part | rows | golden |", "| --- | --- | --- |");
  for (const [part, { golden, why }] of Object.entries(parts)) {
    const using = rows.filter(({ needs }) => needs.includes(part)).length;
    lines.push(`| ${part} | ${using} | ${golden ? `\`tests/goldens/${golden}\`` : `– (${why})`} |`);
  }
  return `${lines.join("\n")}\n`;
}

/** Returns a text as a table cell. */
const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("<", "&lt;") || "–";

const HEAD = (runs, all) => `# Models

Models that people use, and whether webert runs them: ${runs} of ${all} rows. \`scripts/models-page.mjs\` writes this page from \`docs/models.json\`.

Repositories change. This command reads a repository's small files and the list of its tensors, and says whether the model loads, for which tasks
and how many bytes it downloads:

<!-- block: not run: asks the Hub; tests/check.test.mjs runs the command -->
\`\`\`sh
npx webert check intfloat/multilingual-e5-small
npx webert check ./folder --task text-classification --json
\`\`\`

The exit code is 1 if the model does not load. The output with \`--json\` has these fields:

| field | value |
| --- | --- |
| \`model\`, \`model_type\` | the name of the model, and its type in \`config.json\` |
| \`loads\` | whether the model loads; with \`--task\`, whether it does the task |
| \`tasks\` | the tasks that the model does |
| \`files\`, \`bytes\` | the files that a first load downloads, their sizes in bytes (\`null\` if the server does not report one) and the sum |
| \`source\` | the checkpoint that the weights come from, if it is another one |
| \`warnings\` | fields of the tokenizer's files without an effect |
| \`error\` | \`code\` and \`message\` of the error that a load fails with |

## By task

One or a few models per task, to begin with. The repository's model card states the size and the quality. [zero-shot.md](zero-shot.md) has examples of zero-shot models and guards.
`;

const TABLE = `A row is a model, or a group of models of one make. It runs if webert's results equal the reference implementation's for every part of the
model: the type, the tokenizer, the format of the weights and the output layers. "Weights" is the format in the repository; "(seen)" marks formats
that were seen in a copy of its page, the others are from memory.`;

const PARTS = `The parts that the rows need, and the outputs of the reference implementation that each is compared with.`;

if (isMain(import.meta.url)) writeFileSync(join(root, "docs/models.md"), modelsPage(modelsData()));
