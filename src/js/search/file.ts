// Reads and writes an index file. Documents and description are JSON; all parts are handled in pieces, so that a page
// stays responsive.

import type { Tick } from "../abort.js";
import { WebertError } from "../errors.js";
import type { SearchWasm, WasmIndex } from "./binary.js";
import type { Probe } from "./embedder.js";
import type { IndexDocument } from "./search.js";
import type { SparseProbe } from "./sparse.js";

/** Description of an index in its file, besides the binary's parts. */
export interface Description {
  /** Version of the package that wrote the file. */
  webert: string;
  /** Name or address of the model; null if it had none. */
  model: string | null;
  /** Whether the model ships with the package. */
  own_model: boolean;
  /** How many numbers of each vector are kept, if this was requested. */
  dimensions: number | null;
  prompt_name: string | null;
  passage_length: number;
  passage_overlap: number;
  /** Probe of the model that made the vectors. */
  probe: Probe;
  /** The sparse encoder: its name or address, null if it had none, and its probe. Absent if there is none. */
  sparse?: { model: string | null; probe: SparseProbe };
}

/** The order of a file's sections: see src/search/file.rs. */
const [DESCRIPTION, DOCUMENTS, SECTIONS] = [0, 1, 7];

/** Bytes that are read or written at once. */
const PIECE = 1 << 20;

const bad = (what: string, cause?: unknown) => new WebertError("bad_input", `the index file ${what}`, { cause });

/** Returns the file of an index. */
export async function writeIndex(
  wasm: SearchWasm,
  index: WasmIndex,
  description: Description,
  documents: readonly IndexDocument[],
  tick: Tick,
): Promise<Blob> {
  const writer = wasm.writer();
  try {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const push = async (section: number, bytes: Uint8Array<ArrayBuffer>) => {
      writer.push(section, bytes);
      parts.push(bytes);
      await tick();
    };
    await push(DESCRIPTION, new TextEncoder().encode(JSON.stringify(description)));
    for (const lines of inPieces(documents)) await push(DOCUMENTS, new TextEncoder().encode(lines));
    for (let section = DOCUMENTS + 1; section < SECTIONS; section++) {
      for (let from = 0; ; from += PIECE) {
        const bytes = index.section(section, from, from + PIECE);
        if (bytes.length) await push(section, bytes);
        if (bytes.length < PIECE) break;
      }
    }
    return new Blob([writer.header(index), ...parts], { type: "application/octet-stream" });
  } finally {
    writer.free();
  }
}

/** Yields documents as JSON, one per line, in pieces. */
function* inPieces(documents: readonly IndexDocument[]): Generator<string> {
  let lines = "";
  for (const document of documents) {
    lines += `${JSON.stringify(document)}\n`;
    if (lines.length < PIECE) continue;
    yield lines;
    lines = "";
  }
  if (lines) yield lines;
}

/** Contents of a file. */
export interface IndexContents {
  index: WasmIndex;
  description: Description;
  documents: IndexDocument[];
}

/**
 * Reads an index file.
 * @throws WebertError `bad_input` if the file is damaged or not an index, `unsupported` if its version is unknown
 */
export async function readIndex(wasm: SearchWasm, blob: Blob, tick: Tick): Promise<IndexContents> {
  const bytesOf = async (from: number, to: number) => new Uint8Array(await blob.slice(from, to).arrayBuffer());
  // 1024 bytes hold any header.
  const reader = wasm.reader(await bytesOf(0, 1024), blob.size);
  try {
    const [header, ...lengths] = reader.lengths();
    const count = lengths.pop()!;
    let at = header!;
    const texts = [DESCRIPTION, DOCUMENTS].map(() => new Lines());
    for (const [section, length] of lengths.entries()) {
      for (const end = at + length; at < end; ) {
        const bytes = await bytesOf(at, Math.min(at + PIECE, end));
        reader.push(bytes);
        texts[section]?.push(bytes);
        at += bytes.length;
        await tick();
      }
    }
    const [description, documents] = texts.map((lines) => lines.end()) as [unknown[], unknown[]];
    if (documents.length !== count) throw bad(`is damaged: expected ${count} documents, got ${documents.length}`);
    const checked = { description: descriptionOf(description[0]), documents: documents.map(documentOf) };
    // finish() consumes the reader, so it comes after everything that can fail
    return { ...checked, index: reader.finish() };
  } catch (error) {
    reader.free();
    throw error;
  }
}

/** Parses JSON values, one per line, from bytes in pieces of any size. */
class Lines {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #values: unknown[] = [];
  #rest = "";

  push(bytes: Uint8Array): void {
    this.#take(() => this.#decoder.decode(bytes, { stream: true }));
  }

  end(): unknown[] {
    this.#take(() => this.#decoder.decode());
    if (this.#rest) this.#take(() => "\n");
    return this.#values;
  }

  #take(decode: () => string): void {
    try {
      const lines = (this.#rest + decode()).split("\n");
      this.#rest = lines.pop()!;
      for (const line of lines) this.#values.push(JSON.parse(line));
    } catch (cause) {
      throw bad("is damaged: expected documents and a description in JSON", cause);
    }
  }
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const areNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(Number.isFinite);

function descriptionOf(value: unknown): Description {
  const found = value as Partial<Description> | undefined;
  const isSound =
    isSize(found?.passage_length) &&
    Number.isSafeInteger(found.passage_overlap) &&
    areNumbers(found.probe?.vector) &&
    areNumbers(found.probe.pieces);
  if (!isSound) throw bad("is damaged: its description lacks a required field");
  const text = (field: unknown) => (typeof field === "string" ? field : null);
  const { sparse, ...others } = found as Description;
  const weights = Object.values(sparse?.probe ?? {});
  if (sparse && !(weights.length && areNumbers(weights)))
    throw bad("is damaged: its description lacks a required field");
  return {
    ...others,
    ...(sparse && { sparse: { model: text(sparse.model), probe: sparse.probe } }),
    model: text(found.model),
    own_model: found.own_model === true,
    dimensions: isSize(found.dimensions) ? found.dimensions : null,
    prompt_name: text(found.prompt_name),
  };
}

function documentOf(value: unknown, n: number): IndexDocument {
  const { id, text } = (value ?? {}) as Partial<IndexDocument>;
  if ((typeof id === "string" || typeof id === "number") && typeof text === "string") return value as IndexDocument;
  throw bad(`is damaged: document ${n} lacks an id or a text`);
}
