// `node scripts/reference-page.mjs` writes docs/reference.md: the options of `pipeline`, its events and `env`, from the comments of the source.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, root } from "./lib/run.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");

/** The body of an interface, without its braces. */
function bodyOf(path, name) {
  const found = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, "m").exec(read(path));
  if (!found) throw new Error(`${path} has no interface ${name}`);
  return found[1];
}

/** The members of an interface: { name, type, text } with the text of the comment. Members of an object type are left out. */
function members(path, name) {
  const pattern = /^ {2}\/\*\*([\s\S]*?)\*\/\n {2}(?:readonly )?(\w+)\??: ([\s\S]*?);$/gm;
  return [...bodyOf(path, name).matchAll(pattern)].map(([, comment, member, type]) => {
    const text = comment
      .split("\n")
      .map((line) => line.replace(/^\s*\* ?/, "").trim())
      .join(" ")
      .replace(/@example.*/, "")
      .trim();
    const [, what, fallback] = /^(.*?)(?: @default (.*))?$/.exec(text);
    // A type of several lines begins with a brace that this pattern does not close.
    const shown = /^\{[^}]*$/.test(type) ? "object" : type.replace(/\s+/g, " ");
    return { name: member, type: shown, text: what.trim(), fallback };
  });
}

const cell = (text) => text.replaceAll("|", "\\|");
const row = ({ name, type, text, fallback }) =>
  `| \`${name}\` | \`${cell(type)}\` | ${cell(text)}${fallback ? ` Default: ${cell(fallback)}.` : ""} |`;

const table = (rows) => ["| name | type | meaning |", "| --- | --- | --- |", ...rows.map(row)].join("\n");

/** Returns the text of docs/reference.md. */
export function referencePage() {
  const sources = members("src/js/sources/source.ts", "SourceOptions");
  const models = members("src/js/engine/open.ts", "ModelOptions");
  const settings = members("src/js/env.ts", "Env");
  return `# Reference

Written by \`node scripts/reference-page.mjs\` from the comments of the source. The declarations in the package have everything else, with examples; the site shows
them as an API reference.

## \`pipeline(task, model, options)\`

| argument | value |
| --- | --- |
| \`task\` | a name of README's table, or its alias in transformers.js |
| \`model\` | a [source](loading.md#sources); \`null\` or nothing: the default model of the task |
| \`options\` | the table below; \`null\` and \`undefined\` mean the default, other names are rejected |

${table(models)}

Options of every function that reads a model:

${table(sources)}

## Events of \`progress_callback\`

| \`status\` | when | other fields |
| --- | --- | --- |
| \`initiate\` | a file is asked for | \`name\`, \`file\` |
| \`download\` | its first bytes are there | \`name\`, \`file\` |
| \`progress\` | more bytes are there | \`name\`, \`file\`, \`progress\` in per cent, \`loaded\` and \`total\` in bytes; \`total\` is 0 if the server does not report it |
| \`progress_total\` | as \`progress\`, over all weight files of the load | \`name\`, \`progress\`, \`loaded\`, \`total\`, \`files\` |
| \`done\` | the file is complete | \`name\`, \`file\` |
| \`ready\` | the model answers | \`task\`, \`model\` |

An error that the callback throws ends the load.

## \`env\`

A setting must be changed before the first call that uses it.

${table(settings)}
`;
}

if (isMain(import.meta.url)) writeFileSync(join(root, "docs/reference.md"), referencePage());
