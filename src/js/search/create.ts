// `createIndex` and `loadIndex`. This module is imported by the first call.
import { abortable, signalOf, ticker } from "../abort.js";
import type { Platform } from "../engine/open.js";
import type { ReadWasm } from "../engine/wasm.js";
import { env } from "../env.js";
import { check } from "../options/option-names.js";
import { kindOf, optionsOf, shown } from "../values.js";
import { refuse } from "./arguments.js";
import { type SearchWasm, searchWasm } from "./binary.js";
import { checkSame, Embedder, type Models } from "./embedder.js";
import { type Description, readIndex } from "./file.js";
import { LiveIndex } from "./live-index.js";
import type { SearchIndex as AnyIndex, CreateIndexOptions, IndexModelOptions, SearchApi } from "./search.js";
import { checkSameSparse, SparseEmbedder } from "./sparse.js";

/** Parts that differ between platforms. */
export interface SearchParts {
  /** URL of the binary, unless `env.wasmPaths` overrides it. */
  wasmUrl(): string;
  readWasm: ReadWasm;
  /** Stores a file under a name. */
  keep(name: string, blob: Blob): Promise<void>;
  /** Returns the names of stored indexes. In Node they are the files of a folder. */
  list(folder: string | undefined): Promise<string[]>;
  /** Returns whether an index is stored under a name. */
  has(name: string): Promise<boolean>;
  /** Deletes a stored index. Returns whether it existed. */
  drop(name: string): Promise<boolean>;
  /**
   * Returns the file stored under a name or found at an address.
   * @throws WebertError `not_found` if no such file exists
   */
  find(name: string | URL, signal: AbortSignal | undefined): Promise<Blob>;
}

/** Default limit of tokens per passage. */
const PASSAGE_LENGTH = 128;

/** Creates the search functions of a platform. */
export function createSearch(platform: Platform, models: Models, parts: SearchParts): SearchApi {
  return {
    hasIndex: async (name) => parts.has(nameOf(name)),
    listIndexes: async (folder) => parts.list(folder),
    deleteIndex: async (name) => parts.drop(nameOf(name)),
    // The type of documents exists for callers only.
    createIndex: async (options: unknown) => create(platform, models, parts, known("createIndex", options)),
    loadIndex: async (from: unknown, options: unknown) =>
      load(platform, models, parts, from, known("loadIndex", options)),
  } as SearchApi;
}

/** Returns a checked name of an index. */
function nameOf(name: unknown): string {
  if (typeof name === "string" && name) return name;
  throw refuse(`name: expected a non-empty string, got ${kindOf(name)}`);
}

/** Returns the checked options of a call. */
function known(of: "createIndex" | "loadIndex", given: unknown): Partial<CreateIndexOptions> {
  const options = optionsOf<CreateIndexOptions>(given);
  check(of, options);
  return options;
}

function binary(platform: Platform, { wasmUrl, readWasm }: SearchParts): Promise<SearchWasm> {
  const paths = env.wasmPaths;
  const path = typeof paths === "string" ? `${paths.replace(/\/?$/, "/")}webert_search.wasm` : paths?.search;
  return searchWasm(path ? new URL(path, platform.base()).href : wasmUrl(), readWasm);
}

async function create(
  platform: Platform,
  models: Models,
  parts: SearchParts,
  options: CreateIndexOptions,
): Promise<AnyIndex> {
  const asked = checked(options);
  const signal = signalOf(options);
  const wasm = binary(platform, parts);
  wasm.catch(() => {}); // a rejection is handled below, unless the model fails first
  const embedder = await Embedder.open(models, options, asked.dimensions);
  let sparse: SparseEmbedder | undefined;
  try {
    sparse = await sparseOf(models, options.sparse, options);
    const sparseProbe = await sparse?.probe(signal);
    const probe = await embedder.probe(asked.prompt_name, signal);
    const width = probe.vector.length;
    if (asked.dimensions !== undefined && width !== asked.dimensions)
      throw refuse(`dimensions: expected at most ${width}, the length of the model's vectors, got ${asked.dimensions}`);
    const { passage_length, passage_overlap } = lengths(options, embedder.room(asked.prompt_name));
    const { model } = options;
    const description: Description = {
      webert: env.version,
      model: typeof model === "string" ? model : null,
      own_model: model == null,
      dimensions: asked.dimensions ?? null,
      prompt_name: asked.prompt_name ?? null,
      passage_length,
      passage_overlap,
      probe,
      ...(sparseProbe && {
        sparse: { model: typeof options.sparse === "string" ? options.sparse : null, probe: sparseProbe },
      }),
    };
    const ready = await abortable(wasm, signal);
    const index = ready.index(width, asked.dot, asked.quantizes, asked.words, sparse !== undefined);
    const { keep } = parts;
    return new LiveIndex({
      wasm: ready,
      index,
      embedder,
      sparse,
      documents: [],
      description,
      models,
      modelOptions: options.model_options,
      keep,
    });
  } catch (error) {
    await Promise.all([embedder.close(), sparse?.close()]);
    throw error;
  }
}

/** Opens the sparse encoder, if there is one. */
async function sparseOf(
  models: Models,
  model: IndexModelOptions["sparse"],
  { model_options, progress_callback, signal }: IndexModelOptions,
): Promise<SparseEmbedder | undefined> {
  if (model == null) return undefined;
  const control = { ...(progress_callback && { progress_callback }), ...(signal && { signal }) };
  return SparseEmbedder.open(models, model, { ...model_options, ...control });
}

/** Checks the options of an index that do not depend on its model, and fills in defaults. */
function checked({ dimensions, dtype, similarity, words, prompt_name }: CreateIndexOptions) {
  if (dimensions != null && !(Number.isSafeInteger(dimensions) && dimensions > 0))
    throw refuse(`dimensions: expected a whole number of at least 1, got ${shown(dimensions)}`);
  const oneOf = (name: string, value: unknown, names: readonly string[]) => {
    if (value != null && !names.includes(value as string))
      throw refuse(
        `${name}: expected one of ${names.join(", ")}, got ${typeof value === "string" ? value : shown(value)}`,
      );
  };
  oneOf("dtype", dtype, ["q8", "fp32"]);
  oneOf("similarity", similarity, ["cosine", "dot"]);
  if (words != null && typeof words !== "boolean") throw refuse(`words: expected true or false, got ${shown(words)}`);
  if (prompt_name != null && typeof prompt_name !== "string")
    throw refuse(`prompt_name: expected a string, got ${kindOf(prompt_name)}`);
  return {
    dimensions: dimensions ?? undefined,
    dot: similarity === "dot",
    quantizes: dtype !== "fp32",
    words: words ?? true,
    prompt_name: prompt_name ?? undefined,
  };
}

/** Returns checked lengths of passages in tokens. The model has room for `room` tokens. */
function lengths({ passage_length, passage_overlap }: CreateIndexOptions, room: number) {
  const length = passage_length ?? Math.min(PASSAGE_LENGTH, room);
  if (!(Number.isSafeInteger(length) && length > 0 && length <= room))
    throw refuse(`passage_length: expected a whole number from 1 to ${room}, the model's limit, got ${shown(length)}`);
  const overlap = passage_overlap ?? Math.floor(length / 4);
  if (!(Number.isSafeInteger(overlap) && overlap >= 0 && overlap < length))
    throw refuse(`passage_overlap: expected a whole number less than passage_length, ${length}, got ${shown(overlap)}`);
  return { passage_length: length, passage_overlap: overlap };
}

async function load(
  platform: Platform,
  models: Models,
  parts: SearchParts,
  from: unknown,
  options: IndexModelOptions,
): Promise<AnyIndex> {
  const signal = signalOf(options);
  const [wasm, blob] = await abortable(
    Promise.all([binary(platform, parts), blobOf(from, (name) => parts.find(name, signal))]),
    signal,
  );
  const { index, description, documents } = await readIndex(wasm, blob, ticker(signal));
  let embedder: Embedder | undefined;
  let sparse: SparseEmbedder | undefined;
  try {
    const model = options.model ?? description.model;
    if (model === null && !description.own_model)
      throw refuse("the index file names no model. Pass the one that made it: loadIndex(…, { model })");
    embedder = await Embedder.open(models, { ...options, model }, description.dimensions ?? undefined);
    checkSame(description.probe, await embedder.probe(description.prompt_name ?? undefined, signal));
    if (description.sparse) {
      const encoder = options.sparse ?? description.sparse.model;
      if (encoder === null)
        throw refuse("the index file names no sparse model. Pass the one that made it: loadIndex(…, { sparse })");
      sparse = await sparseOf(models, encoder, options);
      checkSameSparse(description.sparse.probe, await sparse!.probe(signal));
    } else if (options.sparse != null) {
      throw refuse("sparse: expected an index with a sparse encoder, got one made without");
    }
    const { keep } = parts;
    return new LiveIndex({
      wasm,
      index,
      embedder,
      sparse,
      documents,
      description,
      models,
      modelOptions: options.model_options,
      keep,
    });
  } catch (error) {
    index.free();
    await Promise.all([embedder?.close(), sparse?.close()]);
    throw error;
  }
}

/** Returns the bytes that a caller passes or names. */
async function blobOf(from: unknown, find: (name: string | URL) => Promise<Blob>): Promise<Blob> {
  if ((typeof from === "string" && from) || from instanceof URL) return find(from);
  if (from instanceof Blob) return from;
  if (from instanceof Response) return from.blob();
  if (from instanceof ArrayBuffer || ArrayBuffer.isView(from)) return new Blob([from as ArrayBuffer]);
  throw refuse(`loadIndex: expected a Blob, an ArrayBuffer, a Response, a URL or a name, got ${kindOf(from)}`);
}
