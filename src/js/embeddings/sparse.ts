// Sparse vectors of SPLADE, as in `SparseEncoder.encode` of sentence-transformers. Imported on demand.
import { signalOf } from "../abort.js";
import type { EngineModel } from "../engine/engine.js";
import type { RawTensor } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { type RouteModule, routesOf } from "../sources/retrieval-folders.js";
import { ENCODER_CONFIG, MODULES, moduleEntries, ROUTER } from "../sources/sentence-folder.js";
import type { Files } from "../sources/types.js";
import type { CallOptions, SparseVector } from "../tasks.js";
import type { Tokenizer } from "../tokenizer/tokenizer.js";
import { type Json, needed, object, unsupported } from "./modules.js";
import { readWeights } from "./rare-modules.js";
import type { TextTask } from "./settings.js";

interface SparseSettings {
  /** Name of the pooling in the wasm side. */
  pooling: string;
  maxLength: number;
  /** Weights of tokens for queries that do not pass through the model, [vocabulary]. */
  queryWeights: Float32Array | undefined;
}

const read = new WeakMap<EngineModel, Promise<SparseSettings>>();

/** Returns the sparse vector of each text. Texts have their prompts already. */
export async function sparse(
  engine: EngineModel,
  tokenizer: Tokenizer,
  texts: readonly string[],
  options: CallOptions & { task?: TextTask | undefined; max_length?: number | null | undefined },
): Promise<SparseVector[]> {
  const settings = await (read.get(engine) ?? remember(engine));
  const weights =
    options.task === "query" && settings.queryWeights
      ? texts.map((text) => byTable(tokenizer, text, settings.queryWeights!))
      : await byModel(engine, tokenizer, texts, settings, options);
  return weights.map((row) => named(row, tokenizer));
}

function remember(engine: EngineModel): Promise<SparseSettings> {
  const settings = readSettings(engine.parts.files);
  read.set(engine, settings);
  return settings;
}

/** Reads the modules of a sparse encoder. */
async function readSettings(files: Files): Promise<SparseSettings> {
  const entries = moduleEntries(files) ?? [];
  if (entries[0]?.kind !== "Router") return ofModel(files, entries as RouteModule[], ENCODER_CONFIG, "");
  if (!files[ROUTER]) throw new WebertError("bad_config", `${ROUTER}: required by ${MODULES}, but missing`);
  const { routes, defaultRoute } = routesOf(files[ROUTER]);
  const document = routes.document ?? routes[defaultRoute ?? ""] ?? [];
  const settings = ofModel(files, document, `${document[0]?.path}${ENCODER_CONFIG}`, `${ROUTER}: `);
  const query = routes.query ?? document;
  if (query.map(({ path }) => path).join() === document.map(({ path }) => path).join()) return settings;
  const [table, ...others] = query;
  if (table?.kind !== "SparseStaticEmbedding" || others.length)
    throw unsupported(
      `${ROUTER}: query: expected the modules of document or one SparseStaticEmbedding, got ${query.map(({ kind }) => kind).join(", ")}`,
    );
  const config = object(files, `${table.path}config.json`);
  if (config.path != null) throw unsupported(`${table.path}config.json: path ${JSON.stringify(config.path)}`);
  const file = `${table.path}model.safetensors`;
  const weights = await readWeights(files, file);
  return { ...settings, queryWeights: weights("weight") };
}

const KNOWN = "expected MLMTransformer, then SpladePooling";

function ofModel(files: Files, modules: readonly RouteModule[], encoder: string, what: string): SparseSettings {
  const [first, second, third] = modules;
  const isMasked = first?.kind === "MLMTransformer" || first?.kind === "Transformer";
  if (!isMasked || second?.kind !== "SpladePooling" || third)
    throw unsupported(`${what || `${MODULES}: `}${KNOWN}, got ${modules.map(({ kind }) => kind).join(", ")}`);
  const file = `${second.path}config.json`;
  const { pooling_strategy = "max", activation_function = "relu" }: Json = needed(files, file);
  if (pooling_strategy !== "max" && pooling_strategy !== "sum")
    throw unsupported(`${file}: pooling_strategy: expected max or sum, got ${JSON.stringify(pooling_strategy)}`);
  if (activation_function !== "relu" && activation_function !== "log1p_relu")
    throw unsupported(
      `${file}: activation_function: expected relu or log1p_relu, got ${JSON.stringify(activation_function)}`,
    );
  const { max_seq_length, do_lower_case } = object(files, encoder);
  if (do_lower_case === true) throw unsupported(`${encoder}: do_lower_case is not supported for sparse vectors`);
  return {
    pooling: activation_function === "relu" ? pooling_strategy : `${pooling_strategy}_log`,
    maxLength: Number.isSafeInteger(max_seq_length) ? (max_seq_length as number) : Infinity,
    queryWeights: undefined,
  };
}

/** Maximum number of tokens of a batch, with padding. */
const TOKENS = 4096;

/** Returns the weights of the vocabulary for each text, by the masked LM. */
async function byModel(
  engine: EngineModel,
  tokenizer: Tokenizer,
  texts: readonly string[],
  { pooling, maxLength }: SparseSettings,
  options: CallOptions & { max_length?: number | null | undefined },
): Promise<Float32Array[]> {
  const max_length = Math.min(
    options.max_length ?? Infinity,
    maxLength,
    tokenizer.model_max_length,
    mostTokens(engine),
  );
  const truncation = Number.isFinite(max_length) ? { truncation: true, max_length } : {};
  const ids = texts.map((text) => tokenizer.encode(text, truncation));
  const rows: Float32Array[] = [];
  for (const group of groups(ids)) {
    const padded = pad(group.map((n) => ids[n]!));
    const outputs = await engine.forward(padded, { pool_scores: pooling }, signalOf(options));
    const { dims, data } = outputs.pooled_scores as RawTensor;
    for (const [row, n] of group.entries()) rows[n] = data.subarray(row * dims[1]!, (row + 1) * dims[1]!);
  }
  return rows;
}

/** Returns the maximum number of tokens of the encoder. */
export function mostTokens({ parts: { files } }: EngineModel): number {
  const { max_position_embeddings, pad_token_id, model_type } = object(files, "config.json");
  if (!Number.isSafeInteger(max_position_embeddings)) return Infinity;
  const offset = /roberta|camembert|mpnet/.test(String(model_type)) ? Number(pad_token_id ?? 1) + 1 : 0;
  return (max_position_embeddings as number) - offset;
}

/** Yields the numbers of sequences that share a pass: sequences of similar lengths. */
export function* groups(ids: readonly number[][]): Generator<number[]> {
  const order = ids.map((_, n) => n).sort((a, b) => ids[b]!.length - ids[a]!.length);
  while (order.length) {
    const longest = Math.max(1, ids[order[0]!]!.length);
    yield order.splice(0, Math.max(1, Math.floor(TOKENS / longest)));
  }
}

/** Returns sequences with padding on the right, and their mask. */
export function pad(ids: readonly number[][], length = Math.max(...ids.map((row) => row.length))) {
  const input_ids = new Uint32Array(ids.length * length);
  const attention_mask = new Uint32Array(ids.length * length);
  for (const [n, row] of ids.entries()) {
    input_ids.set(row, n * length);
    attention_mask.fill(1, n * length, n * length + row.length);
  }
  return { dims: [ids.length, length], input_ids, attention_mask };
}

/** Returns the weights of a text's tokens from a table. Each token counts once. */
function byTable(tokenizer: Tokenizer, text: string, table: Float32Array): Float32Array {
  const max_length = tokenizer.model_max_length;
  const truncation = Number.isFinite(max_length) ? { truncation: true, max_length } : {};
  const row = new Float32Array(table.length);
  for (const id of tokenizer.encode(text, { add_special_tokens: false, ...truncation })) row[id] = table[id] ?? 0;
  return row;
}

/** Returns the weights by token, largest first. */
function named(row: Float32Array, tokenizer: Tokenizer): SparseVector {
  const ids: number[] = [];
  for (let id = 0; id < row.length; id++) if (row[id] !== 0) ids.push(id);
  ids.sort((a, b) => row[b]! - row[a]!);
  const tokens = tokenizer.convert_ids_to_tokens(ids);
  // A vocabulary may have more rows than tokens.
  return Object.fromEntries(ids.map((id, n) => [tokens[n] ?? `#${id}`, row[id]!]));
}

/** Returns the dot product of two sparse vectors. */
export function similarity(a: SparseVector, b: SparseVector): number {
  let sum = 0;
  for (const [token, weight] of Object.entries(a)) if (Object.hasOwn(b, token)) sum += weight * b[token]!;
  return sum;
}
