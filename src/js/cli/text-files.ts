// Reads text files of the command line: their encoding, and rows of CSV and JSONL.
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import Papa from "papaparse";
import { diskError } from "../entries/node/disk.js";
import { WebertError } from "../index.js";

/** A row of a file, by the names of its columns. */
export type Row = Record<string, unknown>;

const MARKS: [encoding: string, mark: number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];
/** How many bytes to look at for an encoding. */
const SAMPLE = 65_536;

/**
 * Returns the text of bytes in UTF-8, in UTF-16 with or without a byte order mark, or in Windows-1252.
 * @throws WebertError `bad_input` if the bytes are no text
 */
export function decoded(bytes: Uint8Array, path: string): string {
  const marked = MARKS.find(([, mark]) => mark.every((byte, n) => bytes[n] === byte));
  const encoding = marked?.[0] ?? encodingOf(bytes.subarray(0, SAMPLE));
  const read = (name: string) => new TextDecoder(name, { fatal: true }).decode(bytes);
  const refuse = (cause?: unknown) =>
    new WebertError("bad_input", `${path}: expected a text file, got binary data`, { cause });
  if (!encoding) throw refuse();
  try {
    return read(encoding);
  } catch (cause) {
    if (encoding !== "utf-8") throw refuse(cause);
  }
  // Windows-1252 contains Latin-1. A text in it has no control characters.
  if (bytes.some((byte) => byte < 32 && ![9, 10, 12, 13].includes(byte))) throw refuse();
  process.stderr.write(`${path}: not in UTF-8; read as Windows-1252 (Latin-1)\n`);
  return read("windows-1252");
}

/** Returns the encoding of bytes without a mark; undefined for binary data. In UTF-16 every second byte of Latin text is zero. */
function encodingOf(sample: Uint8Array): string | undefined {
  const zeros = [0, 0];
  sample.forEach((byte, n) => byte === 0 && zeros[n % 2]!++);
  const [even, odd] = zeros as [number, number];
  if (!even && !odd) return "utf-8";
  const most = sample.length / 2;
  if (odd > 0.5 * most && even < 0.05 * most) return "utf-16le";
  return even > 0.5 * most && odd < 0.05 * most ? "utf-16be" : undefined;
}

/** Returns the text of a file, or of standard input for "-". */
export async function readText(path: string): Promise<string> {
  const isInput = path === "-";
  const bytes = await (isInput ? buffer(process.stdin) : readFile(path)).catch((error: unknown) => {
    throw diskError(`${path} could not be read`, error);
  });
  const name = isInput ? "standard input" : path;
  const text = decoded(bytes, name);
  if (!text.trim())
    throw new WebertError("bad_input", `${name}: expected a text, got ${isInput ? "none" : "an empty file"}`);
  return text;
}

/** Returns the rows of the text of a .csv or .tsv file, whose first line has the names of the columns. */
export function csvRows(text: string, path: string): Row[] {
  const options = { header: true, skipEmptyLines: true, ...(path.endsWith(".tsv") && { delimiter: "\t" }) } as const;
  const { data, errors } = Papa.parse<Row>(text, options);
  // A file with one column has no delimiter.
  const error = errors.find(({ code }) => code !== "UndetectableDelimiter");
  if (!error) return data;
  const where = error.row === undefined ? "" : `, row ${error.row + 1}`;
  throw new WebertError("bad_input", `${path}${where}: ${error.message}`);
}

/** Returns the JSON values of the lines of a text. */
export function jsonLines(text: string, path: string): unknown[] {
  const lines = text.split(/\r?\n/).map((line, n) => [line, n + 1] as const);
  return lines.filter(([line]) => line.trim()).map(([line, number]) => parsed(line, `${path}, line ${number}`));
}

function parsed(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new WebertError("bad_input", `${where}: expected JSON: ${(cause as Error).message}`, { cause });
  }
}

export const isTable = (path: string) => [".csv", ".tsv"].includes(extname(path));

/** Returns whether a path has the wildcards *, ** or ?. */
export const isPattern = (path: string) => /[*?]/.test(path);

/**
 * Returns the files that match a pattern: * and ? stand for characters of one name, ** for any folders.
 * @throws WebertError `not_found` if no file matches
 */
async function matching(pattern: string): Promise<string[]> {
  const parts = pattern.replaceAll("\\", "/").split("/");
  const fixed = parts.slice(0, parts.findIndex(isPattern)).join("/");
  const folder = fixed || (pattern.startsWith("/") ? "/" : ".");
  const shape = parts.slice(parts.findIndex(isPattern)).map(shapeOf).join("");
  const whole = new RegExp(`^${shape.replace(/\/$/, "")}$`);
  const isDeep = parts.length > parts.findIndex(isPattern) + 1;
  const entries = await readdir(folder, { withFileTypes: true, recursive: isDeep }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const found = files.filter((file) => whole.test(relative(folder, file).replaceAll("\\", "/"))).sort();
  if (!found.length) throw new WebertError("not_found", `${pattern}: no file matches`);
  return found;
}

/** Returns the regular expression of one part of a pattern, with its slash. */
function shapeOf(part: string): string {
  if (part === "**") return "(?:[^/]+/)*";
  const escaped = part.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return `${escaped.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}/`;
}

/** Returns the files of paths. A folder stands for the text files in it and below, a pattern for the files that match. */
export async function filesOf(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if (isPattern(path) && !(await stat(path).catch(() => undefined))) {
      found.push(...(await matching(path)));
      continue;
    }
    const isFolder = await stat(path).then(
      (status) => status.isDirectory(),
      () => false,
    );
    if (!isFolder) {
      found.push(path);
      continue;
    }
    const entries = await readdir(path, { withFileTypes: true, recursive: true });
    const files = entries.filter((entry) => entry.isFile() && /\.(txt|md|csv|tsv|jsonl)$/.test(entry.name));
    found.push(...files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort());
  }
  return found;
}
