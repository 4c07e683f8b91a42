// The command `webert label`: labels the rows of a file.
import { appendFile, rename, stat, writeFile } from "node:fs/promises";
import { extname } from "node:path";
import Papa from "papaparse";
import { diskError } from "../entries/node/disk.js";
import { pipeline, type Source, WebertError } from "../index.js";
import { MODEL, need, type Options, UsageError, usage } from "./command-line.js";
import { csvRows, isTable, jsonLines, type Row, readText } from "./text-files.js";

/** Number of rows that are labelled and written together. */
const BATCH = 32;

/** Labels the rows of a file and writes them to another, row by row. Returns the text to print. */
export async function label(words: string[], options: Options): Promise<string> {
  const [file] = words;
  const { column = "text", model, labels, overwrite } = options as Record<string, string | undefined>;
  if (file === undefined || words.length > 1)
    throw new UsageError(`label: expected one file, got ${words.length}; usage: ${usage("label")}`);
  need("label", options, ["to"]);
  const to = String(options.to);
  const rows = await rowsOf(file, to);
  const missing = rows.findIndex((row) => typeof row?.[column] !== "string");
  if (missing >= 0)
    throw new WebertError(
      "bad_input",
      `${file}, row ${missing + 1}: expected a text in the column "${column}", got the columns ${Object.keys(rows[missing] ?? {}).join(", ")}`,
    );
  const taken = Object.keys(rows[0] ?? {});
  const [name, score] = taken.includes("label") ? ["predicted_label", "predicted_score"] : ["label", "score"];
  const before = overwrite ? [] : await written(to);
  const done = before.length;
  const other = before.findIndex((row, n) => row[column] !== rows[n]?.[column]);
  if (other >= 0)
    throw new WebertError(
      "bad_input",
      `${to}, row ${other + 1}: expected the row of ${file}, got another. --overwrite starts again.`,
    );
  if (done) process.stderr.write(`${to}: continues after row ${done}\n`);
  else await put(writeFile, to, "");
  const loading = Object.fromEntries(Object.entries(options).filter(([option]) => MODEL.includes(option)));
  const classify = await classifier(model, labels as unknown as string[] | undefined, loading);
  try {
    for (let from = done; from < rows.length; from += BATCH) {
      const batch = rows.slice(from, from + BATCH);
      const answers = await classify.run(batch.map((row) => row[column] as string));
      const labelled = batch.map((row, n) => ({ ...row, [name!]: answers[n]!.label, [score!]: answers[n]!.score }));
      await put(appendFile, to, textOf(labelled, to, from === 0));
      report(Math.min(from + BATCH, rows.length), rows.length);
    }
  } finally {
    await classify.dispose();
  }
  return `${to}: ${rows.length} rows`;
}

/** Returns the rows of a file. Standard input has the format of the file that is written. */
async function rowsOf(file: string, to: string): Promise<Row[]> {
  const named = file === "-" ? to : file;
  const name = file === "-" ? "standard input" : file;
  if (isTable(named)) return csvRows(await readText(file), name);
  if (named.endsWith(".jsonl")) return jsonLines(await readText(file), name) as Row[];
  throw new UsageError(`${file}: expected a file of rows (.csv, .tsv or .jsonl)`);
}

/** Returns a function that labels texts by a classifier, or with given labels. */
async function classifier(model: Source | undefined, labels: string[] | undefined, loading: Options) {
  if (labels === undefined) {
    const pipe = await pipeline("text-classification", model, loading);
    return { run: (texts: string[]) => pipe(texts), dispose: () => pipe.dispose() };
  }
  const pipe = await pipeline("zero-shot-classification", model, loading);
  const run = async (texts: string[]) =>
    (await pipe(texts, labels)).map((answer) => ({ label: answer.labels[0]!, score: answer.scores[0]! }));
  return { run, dispose: () => pipe.dispose() };
}

/** Returns rows as the text of a file. */
function textOf(rows: Row[], path: string, isFirst: boolean): string {
  if (!isTable(path)) return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const delimiter = extname(path) === ".tsv" ? "\t" : ",";
  return `${Papa.unparse(rows, { header: isFirst, newline: "\n", delimiter })}\n`;
}

/** Returns the complete rows of a file. A row that an interruption left incomplete is removed. */
async function written(path: string): Promise<Row[]> {
  if (!(await stat(path).catch(() => undefined))?.size) return [];
  const text = await readText(path);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const rows = whole.trim() ? (isTable(path) ? csvRows(whole, path) : jsonLines(whole, path)) : [];
  if (whole !== text) {
    await put(writeFile, `${path}.part`, whole);
    await rename(`${path}.part`, path);
  }
  return rows as Row[];
}

async function put(write: (path: string, text: string) => Promise<void>, path: string, text: string): Promise<void> {
  await write(path, text).catch((error: unknown) => {
    throw diskError(`${path} could not be written`, error);
  });
}

function report(loaded: number, total: number): void {
  const { isTTY } = process.stderr;
  const bar = "█".repeat(Math.round((20 * loaded) / total)).padEnd(20, "░");
  const line = `${isTTY ? `${bar} ` : ""}${loaded} of ${total} rows`;
  process.stderr.write(isTTY ? `\r\x1b[K${line}${loaded === total ? "\n" : ""}` : `${line}\n`);
}
