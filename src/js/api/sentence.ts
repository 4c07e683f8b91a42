// Sentence embeddings as sentence-transformers' `encode` makes them, over the token states of an engine. Imported once they
// are asked for.
import { signalOf } from "../abort.js";
import type { EngineModel } from "../engine/engine.js";
import type { RawTensor } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { kindOf, shown } from "../values.js";
import { type Kind, type Module, type Modules, readModules } from "./modules.js";
import type { FeatureExtractionOptions } from "./tasks.js";
import type { Tokenizer } from "./tokenizer.js";

const refuse = (what: string) => new WebertError("bad_input", `feature-extraction: ${what}`);

/** What each model's folder says. */
const read = new WeakMap<EngineModel, Promise<Modules>>();

function modulesOf(engine: EngineModel): Promise<Modules> {
  const modules = read.get(engine) ?? readModules(engine.parts.files);
  read.set(engine, modules);
  return modules;
}

/** Pooling that the engine does by itself. */
const BY_ENGINE: Partial<Record<Kind, string>> = { mean: "mean", cls: "cls", lasttoken: "last_token" };

/** What one call does. */
interface Plan {
  prompt: string;
  /** With pooling "model". */
  modules: Modules | undefined;
  truncateDim: number | undefined;
}

async function plan(engine: EngineModel, options: FeatureExtractionOptions): Promise<Plan> {
  const { prompt, prompt_name, truncate_dim, pooling } = options;
  if (truncate_dim != null && !(Number.isSafeInteger(truncate_dim) && truncate_dim > 0))
    throw refuse(`truncate_dim is a whole number, 1 or more, not ${shown(truncate_dim)}`);
  if (prompt != null && typeof prompt !== "string") throw refuse(`prompt is a string, not ${kindOf(prompt)}`);
  const modules = pooling === "model" ? await modulesOf(engine) : undefined;
  const name = prompt_name ?? modules?.defaultPrompt;
  return {
    prompt: prompt ?? (name === undefined ? "" : named((await modulesOf(engine)).prompts, name)),
    modules,
    truncateDim: truncate_dim ?? modules?.truncateDim,
  };
}

function named(prompts: Record<string, string>, name: string): string {
  if (Object.hasOwn(prompts, name)) return prompts[name]!;
  throw refuse(`the model has no prompt "${name}", expected one of [${Object.keys(prompts).join(", ")}]`);
}

/** One tensor a text, [1, width] or not pooled [1, tokens, width]. */
export async function embed(
  engine: EngineModel,
  tokenizer: () => Tokenizer,
  texts: readonly string[],
  options: FeatureExtractionOptions,
): Promise<RawTensor[]> {
  const { prompt, modules, truncateDim } = await plan(engine, options);
  const length = Math.min(options.max_length ?? Infinity, modules?.maxLength ?? Infinity);
  let prompted = prompt ? texts.map((text) => prompt + text) : texts;
  if (modules?.lowercases) prompted = prompted.map((text) => lowercased(text, tokenizer().all_special_tokens));
  const skipped = prompt && modules && !modules.includePrompt ? promptTokens(tokenizer(), prompt) : 0;
  const alone = skipped || modules?.pooling.length !== 1 ? undefined : BY_ENGINE[modules.pooling[0]!];
  const asked = {
    pooling: modules ? (alone ?? "none") : (options.pooling ?? "none"),
    ...(options.layers && { layers: options.layers }),
    // null: no limit, also where a model has one by itself
    ...(length < Infinity ? { max_length: length } : options.max_length === null && { max_length: null }),
  };
  const tensors = (await engine.run("feature-extraction", [...prompted], asked, signalOf(options))) as RawTensor[];
  const after = (modules?.after ?? []).filter((module) => options.normalize !== false || !("normalize" in module));
  return tensors.map((tensor) => {
    const vectors = modules && !alone ? pooled(tensor, modules.pooling, skipped) : tensor;
    const cut = truncated(after.reduce(applied, vectors), truncateDim);
    return options.normalize ? applied(cut, { normalize: true }) : cut;
  });
}

/** A text in lower case, code point by code point, but for the special tokens in it. */
function lowercased(text: string, special: readonly string[]): string {
  const escaped = special.map((token) => token.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const parts = text.split(new RegExp(`(${escaped.join("|")})`));
  return parts
    .map((part, n) => (n % 2 ? part : Array.from(part, (character) => character.toLowerCase()).join("")))
    .join("");
}

/** How many tokens a prompt has with what precedes it, as sentence-transformers counts them. */
function promptTokens(tokenizer: Tokenizer, prompt: string): number {
  const ids = tokenizer.encode(prompt);
  return ids.length - (tokenizer.all_special_ids.includes(ids.at(-1)!) ? 1 : 0);
}

/** States [1, tokens, width] as one vector [1, kinds · width], without the first `skipped` tokens. */
function pooled(states: RawTensor, kinds: readonly Kind[], skipped: number): RawTensor {
  const [, tokens, width] = states.dims as [number, number, number];
  if (skipped >= tokens) throw refuse(`the prompt alone takes the ${tokens} tokens that a text may have`);
  const data = new Float32Array(kinds.length * width);
  for (const [n, kind] of kinds.entries())
    for (let col = 0; col < width; col++)
      data[n * width + col] = POOL[kind]((token) => states.data[token * width + col]!, skipped, tokens);
  return { ...states, dims: [1, data.length], data };
}

/** One number of all tokens' from `from` to before `to`. */
type Pool = (of: (token: number) => number, from: number, to: number) => number;

const sum: Pool = (of, from, to) => {
  let all = 0;
  for (let token = from; token < to; token++) all += of(token);
  return all;
};
const POOL: Record<Kind, Pool> = {
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

/** Each row of a tensor behind a module. */
function applied(tensor: RawTensor, module: Module): RawTensor {
  const width = tensor.dims.at(-1)!;
  const outputs = "normalize" in module ? width : module.outputs;
  const rows = width ? tensor.data.length / width : 0;
  const data = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    const from = tensor.data.subarray(row * width, (row + 1) * width);
    data.set("normalize" in module ? scaled(from) : dense(from, module), row * outputs);
  }
  return { ...tensor, dims: [...tensor.dims.slice(0, -1), outputs], data };
}

/** To length 1, with PyTorch's floor. */
function scaled(row: Float32Array): Float32Array {
  const length = Math.max(Math.sqrt(sum((n) => row[n]! ** 2, 0, row.length)), 1e-12);
  return row.map((x) => x / length);
}

function dense(row: Float32Array, { inputs, outputs, weight, bias, activation }: Exclude<Module, { normalize: true }>) {
  if (inputs !== row.length) throw refuse(`the folder's Dense takes ${inputs} numbers, here there are ${row.length}`);
  return Float32Array.from({ length: outputs }, (_, output) =>
    activation(sum((n) => weight[output * inputs + n]! * row[n]!, 0, inputs) + (bias?.[output] ?? 0)),
  );
}

/** The first numbers of each row. */
function truncated(tensor: RawTensor, kept: number | undefined): RawTensor {
  const width = tensor.dims.at(-1)!;
  if (kept === undefined || kept >= width) return tensor;
  const data = tensor.data.filter((_, n) => n % width < kept);
  return { ...tensor, dims: [...tensor.dims.slice(0, -1), kept], data };
}
