// Reads labelled texts from CSV or TSV. The columns of texts and labels are recognised by their names, or by their values.
import Papa from "papaparse";
import { t } from "../../language.ts";
import type { Lesson, Row } from "./lesson.ts";

/** Column names that are common in datasets. */
const TEXTS = ["text", "sentence", "message", "content", "review", "body", "question", "title"];
const LABELS = ["label", "labels", "class", "category", "tag", "topic", "sentiment", "intent", "target"];

/** A file that cannot be used; the message is for the visitor. */
export class UnusableFile extends Error {}

/** The labelled texts of a file. Throws `UnusableFile`. */
export function rowsOfCsv(content: string): Row[] {
  const { data } = Papa.parse<string[]>(content, { skipEmptyLines: "greedy" });
  const lines = data.filter((line) => line.length >= 2);
  if (!lines.length)
    throw new UnusableFile(
      t`There are no two columns in this file. Each line should have a text and its label, as CSV or TSV.`,
    );
  const names = lines[0]!.map((name) => name.trim().toLowerCase());
  let [text, label] = [
    names.findIndex((name) => TEXTS.includes(name)),
    names.findIndex((name) => LABELS.includes(name)),
  ];
  const hasNames = text >= 0 || label >= 0;
  const body = hasNames ? lines.slice(1) : lines;
  if (text < 0) text = longest(body, label);
  if (label < 0) label = fewest(body, text);
  const rows = body
    .map((line) => ({ text: (line[text] ?? "").trim(), label: (line[label] ?? "").trim() }))
    .filter((row) => row.text && row.label);
  const labels = new Set(rows.map((row) => row.label));
  if (labels.size < 2)
    throw new UnusableFile(
      labels.size
        ? t`It takes at least two labels; in this file there is one.`
        : t`It takes at least two labels; in this file there are none.`,
    );
  if (labels.size > rows.length / 2 && rows.length > 6)
    throw new UnusableFile(
      t`Nearly every line of this file has a label of its own. It takes several texts for each label.`,
    );
  return rows;
}

/** The column, except `not`, with the longest values. */
function longest(lines: readonly string[][], not: number): number {
  return best(lines, not, (values) => values.reduce((sum, value) => sum + value.length, 0));
}

/** The column, except `not`, with the fewest different values, at least two. */
function fewest(lines: readonly string[][], not: number): number {
  return best(lines, not, (values) => {
    const different = new Set(values).size;
    return different < 2 ? -Infinity : -different;
  });
}

function best(lines: readonly string[][], not: number, score: (values: string[]) => number): number {
  const columns = [...(lines[0] ?? []).keys()].filter((column) => column !== not);
  const scores = columns.map((column) => score(lines.map((line) => line[column] ?? "")));
  return columns[scores.indexOf(Math.max(...scores))] ?? 0;
}

/** A lesson as CSV, which can be read again. */
export function csvOf({ columns }: Lesson): string {
  const rows = columns.flatMap(({ name, examples }) => examples.map(({ text }) => ({ text, label: name })));
  return `${Papa.unparse(rows)}\n`;
}
