// Token vectors and MaxSim of ColBERT (Khattab and Zaharia 2020), as in PyLate and in `MultiVectorEncoder` of
// sentence-transformers. Imported on demand.
import { signalOf } from "../abort.js";
import type { EngineModel } from "../engine/engine.js";
import type { RawTensor } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { ARTIFACT } from "../sources/retrieval-folders.js";
import { ENCODER_CONFIG, MODEL_CONFIG, moduleEntries, PROJECTION } from "../sources/sentence-folder.js";
import type { Files } from "../sources/types.js";
import type { CallOptions } from "../tasks.js";
import type { Tokenizer } from "../tokenizer/tokenizer.js";
import { byRow, type Json, type Layer, normalized, object, unsupported } from "./modules.js";
import { product, read as readModule, readWeights } from "./rare-modules.js";
import type { TextTask } from "./settings.js";
import { groups, mostTokens, pad } from "./sparse.js";

/** How queries are lengthened by mask tokens. */
interface Expansion {
  /** Number of tokens of each query. With `isMinimum`, longer queries keep their tokens. */
  length: number;
  isMinimum: boolean;
  /** Whether tokens attend to the mask tokens. */
  attends: boolean;
  token: string | undefined;
}

interface LateInteractionSettings {
  /** Token before each text, behind the first special token, by task. A prefix that is no token is a text. */
  prefixes: Record<TextTask, string>;
  /** Text before each text, by task. */
  prompts: Record<TextTask, string>;
  lengths: Record<TextTask, number>;
  expansion: Expansion | undefined;
  /** Tokens that are left out of documents. */
  skipped: string[];
  skippedTasks: TextTask[];
  /** Whether a skipped word that is no token stands for the unknown token, as in PyLate and ColBERT. */
  skipsUnknown: boolean;
  layers: ((tokens: RawTensor) => RawTensor)[];
  /** Whether the score is divided by the number of the query's tokens. */
  isMean: boolean;
}

const read = new WeakMap<EngineModel, Promise<LateInteractionSettings>>();

function settingsOf(engine: EngineModel): Promise<LateInteractionSettings> {
  const settings = read.get(engine) ?? readSettings(engine.parts.files);
  read.set(engine, settings);
  return settings;
}

const PUNCTUATION = [..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"];
const count = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;

async function readSettings(files: Files): Promise<LateInteractionSettings> {
  return files[PROJECTION] ? ofStanford(files) : ofModules(files);
}

/** Reads `artifact.metadata` and the projection of the ColBERT library. */
async function ofStanford(files: Files): Promise<LateInteractionSettings> {
  const metadata = object(files, ARTIFACT);
  const weights = await readWeights(files, PROJECTION);
  const matrix = weights(PROJECTION);
  const inputs = Number(object(files, "config.json").hidden_size);
  const isPlain = metadata.mask_punctuation === false;
  return {
    prefixes: {
      query: String(metadata.query_token_id ?? "[unused0]"),
      document: String(metadata.doc_token_id ?? "[unused1]"),
    },
    prompts: { query: "", document: "" },
    lengths: { query: Infinity, document: count(metadata.doc_maxlen) ?? Infinity },
    expansion: {
      length: count(metadata.query_maxlen) ?? 32,
      isMinimum: false,
      attends: metadata.attend_to_mask_tokens === true,
      token: undefined,
    },
    skipped: isPlain ? [] : PUNCTUATION,
    skippedTasks: ["document"],
    skipsUnknown: true,
    layers: [(tokens) => byRow(tokens, matrix.length / inputs, (row) => product(matrix, row)), normalized],
    isMean: false,
  };
}

/** Reads modules.json of PyLate or sentence-transformers. */
async function ofModules(files: Files): Promise<LateInteractionSettings> {
  const config = object(files, MODEL_CONFIG);
  const encoder = object(files, ENCODER_CONFIG);
  const isPyLate = config.model_type === "ColBERT" || "query_prefix" in config;
  const setting = (name: string) => config[name] ?? encoder[name];
  const layers: LateInteractionSettings["layers"] = [];
  let mask: Json = {};
  for (const [n, { type, kind, path }] of (moduleEntries(files) ?? []).entries()) {
    if (n === 0 && kind === "Transformer") continue;
    if (kind === "Dense" && path !== undefined) layers.push(((await readModule(files, kind, path)) as Layer).apply);
    else if (kind === "Normalize") layers.push(normalized);
    else if (kind === "MultiVectorMask") mask = object(files, `${path}config.json`);
    else
      throw unsupported(
        `modules.json: module ${n} is ${String(type)}, expected a Transformer, then Dense, MultiVectorMask, Normalize`,
      );
  }
  if (mask.keep_only_token_ids != null) throw unsupported("MultiVectorMask: keep_only_token_ids is not supported");
  const prompts = (config.prompts ?? {}) as Record<string, string | null>;
  const prefix = (task: TextTask) => `${config[`${task}_prefix`] ?? ""}`;
  const prompt = (task: TextTask) => {
    const [all, first] = [prompts[task] ?? "", prefix(task)];
    return all.startsWith(first) ? all.slice(first.length) : all;
  };
  const skipped = config.skiplist_words ?? mask.skiplist_words ?? (isPyLate ? PUNCTUATION : []);
  return {
    prefixes: { query: prefix("query"), document: prefix("document") },
    prompts: { query: prompt("query"), document: prompt("document") },
    lengths: {
      query: count(setting("query_length")) ?? Infinity,
      document: count(setting("document_length")) ?? Infinity,
    },
    expansion: expansionOf(config, encoder, isPyLate),
    skipped: (skipped as unknown[]).map(String),
    skippedTasks: [mask.skiplist_tasks ?? "document"].flat() as TextTask[],
    skipsUnknown: isPyLate,
    // PyLate lists neither its mask nor its normalization.
    layers: isPyLate && !layers.includes(normalized) ? [...layers, normalized] : layers,
    isMean: /^meanmaxsim$/i.test(String(config.similarity_fn_name)),
  };
}

function expansionOf(config: Json, encoder: Json, isPyLate: boolean): Expansion | undefined {
  const given = (config.query_expansion ?? encoder.query_expansion) as Json | null | undefined;
  if (given) {
    const { strategy, length, attend, token } = given;
    if (strategy !== "fixed" && strategy !== "min")
      throw unsupported(`query_expansion: strategy: expected fixed or min, got ${JSON.stringify(strategy)}`);
    return {
      length: count(length) ?? 32,
      isMinimum: strategy === "min",
      attends: attend === true,
      token: (token ?? undefined) as string | undefined,
    };
  }
  if (!isPyLate || config.do_query_expansion === false || given === null) return undefined;
  const attends = (config.attend_to_expansion_tokens ?? config.attend_to_mask_tokens) === true;
  return { length: count(config.query_length) ?? 32, isMinimum: false, attends, token: undefined };
}

/** A text's ids, with the marker of its kind. */
interface Marked {
  ids: number[];
  /** Number of tokens that others attend to. */
  attended: number;
  truncated: boolean;
}

/** Options of a call. `prompt` replaces the folder's prompt. */
type TokenVectorOptions = CallOptions & {
  task?: TextTask | undefined;
  max_length?: number | null | undefined;
  prompt?: string | undefined;
};

function marked(
  engine: EngineModel,
  tokenizer: Tokenizer,
  text: string,
  settings: LateInteractionSettings,
  options: TokenVectorOptions,
): Marked {
  const { task = "document", max_length } = options;
  const expansion = task === "query" ? settings.expansion : undefined;
  const own = expansion && !expansion.isMinimum ? expansion.length : settings.lengths[task];
  const most = Math.min(max_length ?? Infinity, own, tokenizer.model_max_length, mostTokens(engine));
  const prefix = settings.prefixes[task];
  const marker = markerOf(tokenizer, prefix);
  const limit = marker === undefined ? most : most - 1;
  const truncation = Number.isFinite(limit) ? { truncation: true, max_length: limit } : {};
  const prompted = (marker === undefined ? prefix : "") + (options.prompt ?? settings.prompts[task]) + text;
  const ids = tokenizer.encode(prompted, truncation);
  const truncated = ids.length >= limit && tokenizer.encode(prompted).length > limit;
  // The marker stands after the first special token.
  if (marker !== undefined) ids.splice(1, 0, marker);
  const attended = ids.length;
  if (expansion && ids.length < expansion.length) {
    const token = expansion.token ?? tokenizer.mask_token;
    const id = token == null ? undefined : tokenizer.convert_tokens_to_ids(token);
    if (id === undefined) throw unsupported("the tokenizer has no mask token, which lengthens queries");
    while (ids.length < expansion.length) ids.push(id);
  }
  return { ids, attended: expansion?.attends ? ids.length : attended, truncated };
}

/** Returns the id of a prefix that is one token; undefined for a text, which is put before the text. */
function markerOf(tokenizer: Tokenizer, prefix: string): number | undefined {
  const vocabulary = tokenizer.get_vocab();
  const [word] = prefix.trim().split(/\s+/);
  return prefix ? (vocabulary.get(prefix) ?? vocabulary.get(word!)) : undefined;
}

/** Returns the token vectors of each text, [tokens, width]. Skipped tokens of documents are left out. */
export async function tokenVectors(
  engine: EngineModel,
  tokenizer: Tokenizer,
  texts: readonly string[],
  options: TokenVectorOptions,
): Promise<RawTensor[]> {
  const settings = await settingsOf(engine);
  const { task = "document" } = options;
  const all = texts.map((text) => marked(engine, tokenizer, text, settings, options));
  const skipped = settings.skippedTasks.includes(task) ? skippedIds(tokenizer, settings) : new Set<number>();
  const results: RawTensor[] = [];
  for (const group of groups(all.map(({ ids }) => ids))) {
    const inputs = pad(group.map((n) => all[n]!.ids));
    const [, length] = inputs.dims as [number, number];
    for (const [row, n] of group.entries())
      inputs.attention_mask.fill(0, row * length + all[n]!.attended, (row + 1) * length);
    const outputs = await engine.forward(inputs, { keep_masked: true }, signalOf(options));
    const states = outputs.last_hidden_state as RawTensor;
    const width = states.dims[2]!;
    for (const [row, n] of group.entries()) {
      const { ids } = all[n]!;
      const rows = ids.flatMap((id, at) => (skipped.has(id) ? [] : [row * length + at]));
      const data = new Float32Array(rows.length * width);
      for (const [to, from] of rows.entries())
        data.set(states.data.subarray(from * width, (from + 1) * width), to * width);
      const tokens: RawTensor = { type: "float32", dims: [rows.length, width], data };
      const vectors = settings.layers.reduce((value, layer) => layer(value), tokens);
      results[n] = { ...vectors, ...(all[n]!.truncated && { truncated: true }) };
    }
  }
  return results;
}

function skippedIds(tokenizer: Tokenizer, { skipped, skipsUnknown }: LateInteractionSettings): Set<number> {
  const vocabulary = tokenizer.get_vocab();
  const unknown = skipsUnknown ? (tokenizer.unk_token_id ?? undefined) : undefined;
  return new Set(skipped.map((word) => vocabulary.get(word) ?? unknown).filter((id) => id !== undefined));
}

/** Returns the sum over the query's tokens of the greatest product with a token of the document. */
export function maxSim(query: RawTensor, document: RawTensor): number {
  const width = query.dims[1]!;
  if (document.dims[1] !== width) throw new WebertError("bad_input", "expected vectors of equal lengths");
  let sum = 0;
  for (let q = 0; q < query.data.length; q += width) {
    let greatest = -Infinity;
    for (let d = 0; d < document.data.length; d += width) {
      let product = 0;
      for (let i = 0; i < width; i++) product += query.data[q + i]! * document.data[d + i]!;
      if (product > greatest) greatest = product;
    }
    sum += greatest === -Infinity ? 0 : greatest;
  }
  return sum;
}

/** Returns whether scores are divided by the number of the query's tokens. */
export const isMeanScore = async (engine: EngineModel): Promise<boolean> => (await settingsOf(engine)).isMean;
