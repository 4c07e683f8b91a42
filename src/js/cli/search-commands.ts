// The commands `webert index` and `webert search`.
import { readFile } from "node:fs/promises";
import { diskError } from "../entries/node/disk.js";
import { createIndex, loadIndex, type Source, WebertError } from "../index.js";
import type { IndexDocument, IndexSearchOptions } from "../search/search.js";
import { INDEX, MODEL, type Options, SEARCH, UsageError, usage } from "./command-line.js";

/** Returns the options with these names. */
const picked = (options: Options, names: readonly string[]): Options =>
  Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));

/** Makes an index of files. Returns the text to print. */
export async function makeIndex(words: string[], options: Options): Promise<string> {
  const [model, ...files] = words;
  const { to } = options;
  if (model === undefined || !files.length || to === undefined) throw new UsageError(`usage: ${usage("index")}`);
  const documents = (await Promise.all(files.map(documentsOf))).flat();
  const { to: _, ...indexing } = picked(options, INDEX);
  const index = await createIndex({
    ...indexing,
    model: model as Source,
    model_options: picked(options, MODEL),
  });
  try {
    const progress_callback = ({ loaded, total }: { loaded: number; total: number }) =>
      void process.stderr.write(`${loaded} of ${total} documents\n`);
    await index.add(documents, { progress_callback });
    const { size } = await index.save({ name: String(to) });
    return `${to}: ${index.size} documents, ${index.info.passages} passages, ${(size / 1e6).toFixed(1)} MB`;
  } finally {
    await index.dispose();
  }
}

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

/** Returns the documents of a file: the rows of a .jsonl file, otherwise the file's text with its path as id. */
async function documentsOf(path: string): Promise<IndexDocument[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw diskError(`${path} could not be read`, error);
  });
  if (!path.endsWith(".jsonl")) return [{ id: path, text }];
  const lines = text.split("\n").map((line, n) => [line, n + 1] as const);
  return lines
    .filter(([line]) => line.trim())
    .map(([line, number]) => {
      try {
        return JSON.parse(line) as IndexDocument;
      } catch (cause) {
        throw new WebertError("bad_input", `${path}, line ${number}: expected JSON: ${(cause as Error).message}`, {
          cause,
        });
      }
    });
}
