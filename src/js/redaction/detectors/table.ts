import { fitsCell } from "./field.js";
import { hasGivenName } from "./given-name.js";
import { isOfThings, labelOfKey } from "./keys.js";
import type { Match } from "./match.js";

/** A cell of a row: its range without the spaces and quotation marks around it. */
interface Cell {
  start: number;
  end: number;
}

/** A table that is being read: the separator, the label of each column, and which columns are for things. */
interface Table {
  separator: string;
  labels: (string | undefined)[];
  isOfThings: boolean[];
}

const SEPARATORS = ["\t", "|", ";", ","];
/** How many lines to read before yielding to the event loop. */
const SLICE = 200;

/** The cells of a text's tables that have a label; and the names of columns in their headers, and cells that are things. */
export interface TableMatches {
  cells: Match[];
  kept: { start: number; end: number }[];
}

/**
 * Finds the cells of tables by their headers: CSV, TSV, Markdown. A cell is replaced whole, a header never. Reads the
 * whole text, because a header may stand far above.
 */
export async function tables(text: string, tick: () => Promise<void>): Promise<TableMatches> {
  const found: TableMatches = { cells: [], kept: [] };
  let table: Table | undefined;
  let lines = 0;
  for (let start = 0; start < text.length; lines++) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, Math.min(end, start + 4000)).replace(/\r$/, "");
    if (table && !isRule(line)) {
      const cells = cellsOf(line, table.separator);
      if (cells.length < 2 || cells.length > table.labels.length + 1) table = undefined;
      else {
        found.cells.push(...labelled(line, cells, table, start));
        found.kept.push(...thingsOf(cells, table, start));
      }
    }
    if (!table) {
      table = headerOf(line) ?? unknownHeaderOf(line, text.slice(end + 1, end + 1001));
      if (table) found.kept.push(...namesOf(line, table, start, isRow(text, end + 1, table)));
    }
    start = end + 1;
    if (lines % SLICE === 0) await tick();
  }
  return found;
}

/** The line below the header of a Markdown table. */
const isRule = (line: string) => /^[\s|:+-]*-{2,}[\s|:+-]*$/.test(line);

/** Returns the table that begins with this line, if at least one cell names personal data and all look like names. */
function headerOf(line: string): Table | undefined {
  if (line.length > 1000) return undefined;
  for (const separator of SEPARATORS) {
    if (!line.includes(separator)) continue;
    const cells = cellsOf(line, separator).map(({ start, end }) => line.slice(start, end));
    if (
      cells.length < 2 ||
      !cells.every((cell) => /^[\p{L}\p{M}\p{N}_ .'/()#-]{0,40}$/u.test(cell) && !/^\d|\d{3}/.test(cell))
    )
      continue;
    const table = tableOf(separator, cells);
    const known = table.labels.filter((label) => label).length;
    const things = table.isOfThings.filter(Boolean).length;
    if (known + things >= 2 || (known === 1 && (cells.length <= 3 || separator !== ","))) return table;
  }
  return undefined;
}

/**
 * Returns the table that begins with this line, if its columns are not known but it must be a header: at least three
 * short cells without digits, above one or two rows of as many cells in which the same column has numbers.
 */
function unknownHeaderOf(line: string, below: string): Table | undefined {
  if (line.length > 300 || /\d/.test(line)) return undefined;
  const lines = below.split("\n", 2).filter((row) => row.trim());
  if (lines.length === 0) return undefined;
  for (const separator of SEPARATORS) {
    const cells = cellsOf(line, separator).map(({ start, end }) => line.slice(start, end));
    if (cells.length < 3 || !cells.every((cell) => COLUMN.test(cell))) continue;
    const rows = lines.map((row) => cellsOf(row, separator).map(({ start, end }) => row.slice(start, end)));
    const isColumn = (n: number) => rows.every((row) => NUMBER.test(row[n]!));
    if (rows.every((row) => row.length === cells.length) && cells.some((_, n) => isColumn(n)))
      return tableOf(separator, cells);
  }
  return undefined;
}

const tableOf = (separator: string, cells: readonly string[]): Table => ({
  separator,
  labels: cells.map(labelOfKey),
  isOfThings: cells.map(isOfThings),
});

/** The cells of a row in columns for things. */
const thingsOf = (cells: readonly Cell[], table: Table, at: number) =>
  cells.filter((_, n) => table.isOfThings[n]).map(({ start, end }) => ({ start: at + start, end: at + end }));

/** A number, date or time with its unit. The length is limited so that a cell of any length takes constant time. */
const NUMBER = /^\p{Sc}?(?=\D{0,40}\d)[\d.,:/ -]{1,40}\p{L}{0,3}\p{Sc}?$/u;
/** A name of a column: at most three words. */
const COLUMN = /^\p{L}[\p{L}\p{M}.'/()#-]*(?: [\p{L}\p{M}.'/()#-]+){0,2}$/u;

/** Returns whether the line at a place has as many cells as the table's header, or is the line below it in Markdown. */
function isRow(text: string, at: number, { separator, labels }: Table): boolean {
  const line = text.slice(at, at + 1000).split("\n", 1)[0]!;
  return isRule(line) || cellsOf(line, separator).length === labels.length;
}

/**
 * The cells of a header that name a column: all of them if a row follows, or else those with a label. A given name
 * beside these is replaced as elsewhere.
 */
const namesOf = (line: string, { separator, labels }: Table, at: number, isFollowed: boolean) =>
  cellsOf(line, separator)
    .filter(({ start, end }, n) => labels[n] || (isFollowed && !hasGivenName(line.slice(start, end))))
    .map(({ start, end }) => ({ start: at + start, end: at + end }));

function labelled(line: string, cells: readonly Cell[], { labels }: Table, at: number): Match[] {
  return cells.flatMap(({ start, end }, n) => {
    const label = labels[n];
    if (!label || !fitsCell(label, line.slice(start, end))) return [];
    return [{ start: at + start, end: at + end, label }];
  });
}

/** Returns the cells of a line. Quoted cells may contain the separator. */
function cellsOf(line: string, separator: string): Cell[] {
  const cells: Cell[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at <= line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    if (at < line.length && (line[at] !== separator || isQuoted)) continue;
    cells.push(trimmed(line, start, at));
    start = at + 1;
  }
  // A Markdown row begins and ends with its separator.
  const isFramed = separator === "|" && /^\s*\|/.test(line);
  return isFramed ? cells.slice(1, /\|\s*$/.test(line) ? -1 : undefined) : cells;
}

function trimmed(line: string, start: number, end: number): Cell {
  const cell = line.slice(start, end);
  const [before, after] = [/^[\s"]*/.exec(cell)![0].length, /[\s"]*$/.exec(cell)![0].length];
  return before === cell.length ? { start, end: start } : { start: start + before, end: end - after };
}
