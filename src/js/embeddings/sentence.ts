// Sentence embeddings as in `encode` of sentence-transformers, computed from the token states of an engine. Imported on
// demand.
import { signalOf } from "../abort.js";
import type { EngineModel } from "../engine/engine.js";
import type { RawTensor } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import { MODEL_CONFIG, MODULES, retrievalKind } from "../sources/sentence-folder.js";
import type { FeatureExtractionOptions, SparseVector, TextRankingOptions } from "../tasks.js";
import type { Tokenizer } from "../tokenizer/tokenizer.js";
import { kindOf, shown } from "../values.js";
import type { Origin } from "./bge-m3.js";
import type { tokenVectors } from "./late-interaction.js";
import {
  byRow,
  type LayerMean,
  type Modules,
  normalized,
  type Pooling,
  type PoolingKind,
  promptsOf,
  readModules,
  SENTENCE,
  type Step,
  TOKENS,
} from "./modules.js";
import { TASK_PROMPTS } from "./settings.js";

const refuse = (what: string) => new WebertError("bad_input", `feature-extraction: ${what}`);

/** The settings of each model's folder. */
const read = new WeakMap<EngineModel, Promise<Modules>>();

function modulesOf(engine: EngineModel): Promise<Modules> {
  const modules = read.get(engine) ?? readModules(engine.parts.files);
  read.set(engine, modules);
  return modules;
}

/** Values of the option `pooling`. */
const POOLINGS: readonly string[] = [
  ...["none", "mean", "cls", "first_token", "eos", "last_token"],
  ...["model", "sparse", "colbert"],
];

/** Kinds of pooling that the engine can do. */
const BY_ENGINE: Partial<Record<PoolingKind, string>> = { mean: "mean", cls: "cls", lasttoken: "last_token" };

/** Settings of one call. */
interface EmbeddingSettings {
  prompt: string;
  /** Only with pooling "model". */
  modules: Modules | undefined;
  truncateDim: number | undefined;
}

async function plan(engine: EngineModel, options: FeatureExtractionOptions): Promise<EmbeddingSettings> {
  const { truncate_dim, pooling } = options;
  if (truncate_dim != null && !(Number.isSafeInteger(truncate_dim) && truncate_dim > 0))
    throw refuse(`truncate_dim is a whole number, 1 or more, not ${shown(truncate_dim)}`);
  const modules = pooling === "model" ? await modulesOf(engine) : undefined;
  const prompt = await promptOf(engine, options);
  return { prompt, modules, truncateDim: truncate_dim ?? modules?.truncateDim };
}

/**
 * Returns the text that a call puts before each text, for a folder that makes one vector per text. The modules are read
 * only if they decide.
 */
export async function promptOf(engine: EngineModel, options: FeatureExtractionOptions): Promise<string> {
  const { prompt, prompt_name, pooling, task } = options;
  if (prompt != null && typeof prompt !== "string") throw refuse(`prompt is a string, not ${kindOf(prompt)}`);
  if (prompt != null || !(prompt_name ?? task ?? (pooling === "model" || undefined))) return prompt ?? "";
  const { prompts, defaultPrompt } = await modulesOf(engine);
  const ofTask = task && TASK_PROMPTS[task].find((name) => Object.hasOwn(prompts, name));
  const name = prompt_name ?? ofTask ?? (pooling === "model" ? defaultPrompt : undefined);
  return name == null ? "" : named(prompts, name);
}

function named(prompts: Record<string, string | null>, name: string): string {
  if (Object.hasOwn(prompts, name)) return prompts[name] ?? "";
  if (name === "query" || name === "document") return ""; // every model has these names, as in sentence-transformers
  throw refuse(`the model has no prompt "${name}", expected one of [${Object.keys(prompts).join(", ")}]`);
}

/**
 * Returns a cross-encoder's inputs with a prompt before each query, as in `rank` of sentence-transformers. The prompt
 * is `prompt`, otherwise the folder's prompt `prompt_name`, otherwise its default prompt.
 */
export function prompted(
  { parts: { files } }: EngineModel,
  inputs: readonly [query: string, documents: string[]][],
  { prompt, prompt_name }: TextRankingOptions,
): [string, string[]][] {
  const rank = (what: string) => new WebertError("bad_input", `text-ranking: ${what}`);
  for (const [name, value] of Object.entries({ prompt, prompt_name }))
    if (value != null && typeof value !== "string") throw rank(`${name} is a string, not ${kindOf(value)}`);
  // Without modules.json the library reads no prompts.
  const { prompts, defaultPrompt: fallback } = promptsOf(files[MODULES] ? files : {});
  const known = `expected one of [${Object.keys(prompts).join(", ")}]`;
  if (fallback != null && !Object.hasOwn(prompts, fallback))
    throw new WebertError("bad_config", `${MODEL_CONFIG}: default_prompt_name is "${fallback}", ${known}`);
  const name = prompt == null ? (prompt_name ?? fallback) : undefined;
  if (name != null && !Object.hasOwn(prompts, name)) throw rank(`the model has no prompt "${name}", ${known}`);
  const text = prompt ?? (name == null ? "" : prompts[name]!);
  return inputs.map(([query, documents]) => [text + query, documents]);
}

/**
 * Returns a tensor per text. Its dims are [1, width], or [1, tokens, width] without pooling. A sparse encoder returns an
 * object per text.
 */
export async function embedAny(
  engine: EngineModel,
  tokenizer: () => Tokenizer,
  texts: readonly string[],
  options: FeatureExtractionOptions,
  origin?: Origin,
): Promise<RawTensor[] | SparseVector[]> {
  const { pooling, task } = options;
  if (task != null && task !== "query" && task !== "document")
    throw refuse(`task: expected query or document, got ${typeof task === "string" ? task : kindOf(task)}`);
  if (pooling != null && !POOLINGS.includes(pooling))
    throw refuse(
      `pooling: expected one of ${POOLINGS.join(", ")}, got ${typeof pooling === "string" ? `"${pooling}"` : shown(pooling)}`,
    );
  const kind = retrievalKind(engine.parts.files);
  const asked = pooling === "sparse" || pooling === "colbert" ? pooling : undefined;
  if (kind && (pooling === "model" || asked === KINDS[kind]))
    return retrieved(engine, tokenizer(), texts, options, kind);
  if (kind && asked)
    throw new WebertError("unsupported", `feature-extraction: pooling "${asked}": the folder has no such output`);
  if (asked)
    return retrieved(engine, tokenizer(), texts, options, asked === "sparse" ? "sparse" : "tokens", { origin });
  return embed(engine, tokenizer, texts, options);
}

/** The pooling that names each kind of output. */
const KINDS = { sparse: "sparse", tokens: "colbert" };

/** Returns the outputs of a sparse encoder or of late interaction. */
async function retrieved(
  engine: EngineModel,
  tokenizer: Tokenizer,
  texts: readonly string[],
  options: FeatureExtractionOptions,
  kind: "sparse" | "tokens",
  beside?: { origin: Origin | undefined },
): Promise<RawTensor[] | SparseVector[]> {
  const { prompt, prompt_name, truncate_dim, normalize, layers, quantize, task, max_length, signal } = options;
  const others = { normalize, layers, quantize, ...(kind === "sparse" && { truncate_dim }) };
  for (const [name, value] of Object.entries(others))
    if (value) throw refuse(`${name}: expected none for ${kind === "sparse" ? "sparse vectors" : "token vectors"}`);
  if (prompt != null && typeof prompt !== "string") throw refuse(`prompt is a string, not ${kindOf(prompt)}`);
  const { prompts: known, defaultPrompt } = promptsOf(engine.parts.files);
  const ownPrompt = prompt ?? (prompt_name == null ? undefined : named(known, prompt_name));
  const call = { ...(task && { task }), ...(signal && { signal }), max_length };
  const name = task && TASK_PROMPTS[task].find((name) => Object.hasOwn(known, name));
  const fallback = name ?? defaultPrompt;
  const text = ownPrompt ?? (fallback == null ? "" : named(known, fallback));
  const withPrompt = text ? texts.map((one) => text + one) : texts;
  if (kind === "sparse") {
    if (beside) return (await bgeM3()).lexicalWeights(engine, tokenizer, withPrompt, call, beside.origin);
    return (await onDemand(() => import("./sparse.js"))).sparse(engine, tokenizer, withPrompt, call);
  }
  const vectors = beside
    ? await (await bgeM3()).colbertVectors(engine, tokenizer, withPrompt, call, beside.origin)
    : await tokensOf(engine, tokenizer, texts, { ...call, ...(ownPrompt !== undefined && { prompt: ownPrompt }) });
  return vectors.map((tensor) => {
    const cut = truncated(tensor, truncate_dim ?? undefined);
    return { ...cut, dims: [1, ...cut.dims] };
  });
}

const bgeM3 = () => onDemand(() => import("./bge-m3.js"));

async function tokensOf(...args: Parameters<typeof tokenVectors>): Promise<RawTensor[]> {
  return (await onDemand(() => import("./late-interaction.js"))).tokenVectors(...args);
}

/** Returns a tensor per text, by the modules of a folder that makes one vector per text. */
export async function embed(
  engine: EngineModel,
  tokenizer: () => Tokenizer,
  texts: readonly string[],
  options: FeatureExtractionOptions,
): Promise<RawTensor[]> {
  const { prompt, modules, truncateDim } = await plan(engine, options);
  const length = Math.min(options.max_length ?? Infinity, modules?.maxLength ?? Infinity);
  let prompted = prompt ? texts.map((text) => prompt + text) : texts;
  let lower = (text: string) => text;
  if (modules?.lowercases) lower = lowercase(engine, tokenizer());
  prompted = prompted.map(lower);
  const steps = modules?.steps ?? [];
  const skipped = prompt && steps.some(leavesPrompt) ? promptTokens(tokenizer(), lower(prompt)) : 0;
  const mean = steps.find((step) => "layerWeights" in step);
  if (mean && options.layers) throw refuse("the folder's modules choose the layers themselves; leave out layers");
  const layers = mean ? Array.from(mean.layerWeights, (_, n) => mean.start + n) : options.layers;
  const alone = modules?.isStatic ? "mean" : skipped ? undefined : byEngine(steps);
  const asked = {
    pooling: modules ? (alone ?? "none") : (options.pooling ?? "none"),
    ...(layers && { layers }),
    // null: no limit, even if the model has one
    ...(length < Infinity ? { max_length: length } : options.max_length === null && { max_length: null }),
  };
  const tensors = (await engine.run("feature-extraction", [...prompted], asked, signalOf(options))) as RawTensor[];
  const after = steps.filter((step) => options.normalize !== false || !("isNormalize" in step));
  return tensors.map((tensor) => {
    const vectors = !modules
      ? tensor
      : alone
        ? sentence(after, { [SENTENCE]: tensor })
        : pooled(after, tensor, skipped);
    const cut = truncated(vectors, truncateDim);
    return options.normalize ? normalized(cut) : cut;
  });
}

const leavesPrompt = (step: Step) => "pooling" in step && !step.includePrompt;

/**
 * Returns the engine's pooling for the first step; undefined if the engine does not have it or a later step needs the
 * tokens.
 */
function byEngine([first, ...others]: readonly Step[]): string | undefined {
  const isLast = others.every((step) => "from" in step && step.from !== TOKENS);
  return first && "pooling" in first && first.pooling.length === 1 && isLast ? BY_ENGINE[first.pooling[0]!] : undefined;
}

/** Returns the sentence's vector after all steps, from the states of tokens. */
function pooled(steps: readonly Step[], states: RawTensor, skipped: number): RawTensor {
  const mean = steps.find((step) => "layerWeights" in step);
  const tokens = mean ? lastLayer(states, mean.layerWeights.length) : states;
  return sentence(steps, { [TOKENS]: tokens }, states, skipped);
}

/**
 * Returns the sentence's vector after all steps.
 * @param values values before the steps, by name
 * @param layers concatenated states of the encoder's layers
 */
function sentence(
  steps: readonly Step[],
  values: Record<string, RawTensor>,
  layers?: RawTensor,
  skipped = 0,
): RawTensor {
  for (const step of steps) {
    // The engine has done its pooling already.
    if ("pooling" in step) values[SENTENCE] = layers ? pool(values[TOKENS]!, step, skipped) : values[SENTENCE]!;
    else if ("layerWeights" in step) values[TOKENS] = weighted(layers!, step);
    else values[step.to] = step.apply(values[step.from]!);
  }
  return values[SENTENCE]!;
}

/** Returns the last of `count` concatenated layers. */
function lastLayer(states: RawTensor, count: number): RawTensor {
  const weights = new Float32Array(count);
  weights[count - 1] = 1;
  return weighted(states, { layerWeights: weights });
}

/** Returns the weighted mean of concatenated layers. */
function weighted(layers: RawTensor, { layerWeights }: Pick<LayerMean, "layerWeights">): RawTensor {
  const count = layerWeights.length;
  const total = layerWeights.reduce((sum, weight) => sum + weight, 0);
  const width = layers.dims.at(-1)! / count;
  return byRow(layers, width, (row) =>
    Float32Array.from({ length: width }, (_, col) => {
      let sum = 0;
      for (let n = 0; n < count; n++) sum += layerWeights[n]! * row[n * width + col]!;
      return sum / total;
    }),
  );
}

/** Returns a function that lower-cases texts by code point, except for tokens that are found before normalization. */
function lowercase({ parts: { files } }: EngineModel, tokenizer: Tokenizer): (text: string) => string {
  const { added_tokens, normalizer } = tokenizerJson(files["tokenizer.json"]);
  const normalizers = normalizer?.normalizers ?? [normalizer];
  if (normalizers.some((one) => one?.type === "Lowercase")) return (text) => text; // the tokenizer does it
  const raw = (added_tokens ?? []).filter(({ normalized }) => !normalized).map(({ content }) => content);
  const kept = [...new Set([...tokenizer.all_special_tokens, ...raw])].sort((a, b) => b.length - a.length);
  const escaped = kept.map((token) => token.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(`(${escaped.join("|")})`);
  const lower = (text: string) => Array.from(text, (character) => character.toLowerCase()).join("");
  return (text) => {
    const parts = text.split(pattern);
    return parts.map((part, n) => (n % 2 ? part : lower(part))).join("");
  };
}

interface Normalizer {
  type?: string;
  normalizers?: Normalizer[];
}

/** Parses tokenizer.json, which the tokenizer has checked. Returns an empty object if the file is missing. */
const tokenizerJson = (bytes: Uint8Array | undefined) =>
  JSON.parse(bytes ? new TextDecoder().decode(bytes) : "{}") as {
    added_tokens?: { content: string; normalized?: boolean }[];
    normalizer?: Normalizer | null;
  };

/** Returns the number of tokens of a prompt and the special tokens before it, as sentence-transformers counts them. */
function promptTokens(tokenizer: Tokenizer, prompt: string): number {
  const ids = tokenizer.encode(prompt);
  return ids.length - (tokenizer.all_special_ids.includes(ids.at(-1)!) ? 1 : 0);
}

/**
 * Pools states [1, tokens, width] into one vector [1, kinds · width]. Leaves out `skipped` tokens if the prompt is not
 * pooled.
 */
function pool(states: RawTensor, { pooling, includePrompt }: Pooling, skipped: number): RawTensor {
  const [, tokens, width] = states.dims as [number, number, number];
  const from = includePrompt ? 0 : skipped;
  if (from >= tokens) throw refuse(`the prompt alone takes the ${tokens} tokens that a text may have`);
  const data = new Float32Array(pooling.length * width);
  for (const [n, kind] of pooling.entries())
    for (let col = 0; col < width; col++)
      data[n * width + col] = POOL[kind]((token) => states.data[token * width + col]!, from, tokens);
  return { ...states, dims: [1, data.length], data };
}

/** Pools one dimension of the tokens from `from` to before `to`. */
type PoolFunction = (of: (token: number) => number, from: number, to: number) => number;

const sum: PoolFunction = (of, from, to) => {
  let all = 0;
  for (let token = from; token < to; token++) all += of(token);
  return all;
};
const POOL: Record<PoolingKind, PoolFunction> = {
  cls: (of, from) => of(from),
  lasttoken: (of, _, to) => of(to - 1),
  max(of, from, to) {
    let greatest = of(from);
    for (let token = from + 1; token < to; token++) greatest = Math.max(greatest, of(token));
    return greatest;
  },
  mean: (of, from, to) => sum(of, from, to) / (to - from),
  mean_sqrt_len_tokens: (of, from, to) => sum(of, from, to) / Math.sqrt(to - from),
  weightedmean: (of, from, to) =>
    sum((token) => (token + 1) * of(token), from, to) / sum((token) => token + 1, from, to),
};

/** Returns the first numbers of each row. */
function truncated(tensor: RawTensor, kept: number | undefined): RawTensor {
  const width = tensor.dims.at(-1)!;
  if (kept === undefined || kept >= width) return tensor;
  const data = tensor.data.filter((_, n) => n % width < kept);
  return { ...tensor, dims: [...tensor.dims.slice(0, -1), kept], data };
}
