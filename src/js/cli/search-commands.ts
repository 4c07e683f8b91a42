// The commands `webert index` and `webert search`.
import { readdir, stat } from "node:fs/promises";
import { createIndex, loadIndex, type Source } from "../index.js";
import type { IndexDocument, IndexSearchOptions } from "../search/search.js";
import { INDEX, MODEL, need, type Options, ofGuessedModel, picked, SEARCH, UsageError, usage } from "./command-line.js";
import { csvRows, filesOf, isPattern, isTable, jsonLines, readText } from "./text-files.js";

/** Makes an index of files. Returns the text to print. */
export async function makeIndex(words: string[], options: Options): Promise<string> {
  const isGuessed = options.model === undefined && words.length > 1 && !(await isText(words[0]!));
  const paths = isGuessed ? words.slice(1) : words;
  const named = isGuessed ? words[0]! : (options.model ?? "");
  const { to } = options;
  if (!paths.length) throw new UsageError(`index: expected at least one file; usage: ${usage("index")}`);
  need("index", options, ["to"]);
  const documents = (await Promise.all((await filesOf(paths)).map(documentsOf))).flat();
  const { to: _, ...indexing } = picked(options, INDEX);
  const creating = createIndex({
    ...indexing,
    ...(named !== "" && { model: named as Source }),
    model_options: picked(options, MODEL),
  });
  const index = await creating.catch((error: unknown) => {
    throw isGuessed ? ofGuessedModel(error, String(named)) : error;
  });
  try {
    const progress_callback = ({ loaded, total }: { loaded: number; total: number }) =>
      void process.stderr.write(`${loaded} of ${counted(total, "document")}\n`);
    await index.add(documents, { progress_callback });
    const { size } = await index.save({ name: String(to) });
    const contents = `${counted(index.size, "document")}, ${counted(index.info.passages, "passage")}`;
    return `${to}: ${contents}, ${(size / 1e6).toFixed(1)} MB`;
  } finally {
    await index.dispose();
  }
}

/** A number with its noun, e.g. "1 document". */
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Searches an index. Returns the text to print. */
export async function searchIndex(words: string[], options: Options): Promise<string> {
  const [file, ...query] = words;
  if (file === undefined || !query.length) throw new UsageError(`usage: ${usage("search")}`);
  const { model } = options as { model?: Source };
  const index = await loadIndex(file, { ...(model && { model }), model_options: picked(options, MODEL) });
  try {
    const { model: _, ...searching } = picked(options, SEARCH);
    return JSON.stringify(await index.search(query.join(" "), searching as IndexSearchOptions), null, 2);
  } finally {
    await index.dispose();
  }
}

/** Returns whether a word names a text to index: standard input, a pattern, a file, or a folder without a model. */
async function isText(word: string): Promise<boolean> {
  if (word === "-" || isPattern(word)) return true;
  const found = await stat(word).catch(() => undefined);
  if (!found?.isDirectory()) return found !== undefined;
  const files = await readdir(word);
  return !files.some((name) => /^(gliner_)?config\.json$|^modules\.json$/.test(name));
}

/** Returns the documents of a file: the rows of a .jsonl, .csv or .tsv file, otherwise the file's text with its path as id. */
async function documentsOf(path: string): Promise<IndexDocument[]> {
  const text = await readText(path);
  if (path.endsWith(".jsonl")) return jsonLines(text, path) as IndexDocument[];
  if (isTable(path)) return csvRows(text, path).map((row, n) => ({ id: `${path}:${n + 1}`, ...row }) as IndexDocument);
  return [{ id: path === "-" ? "standard input" : path, text }];
}
