// `pipeline`: loads a model with its tokenizer and returns the function of a task.
import { signalOf } from "../abort.js";
import { Pipeline as AnyPipeline, type ClassOf, classOf, instanceOf } from "../classes/classes.js";
import type { PretrainedConfig } from "../classes/config.js";
import type { EngineModel } from "../engine/engine.js";
import {
  control,
  type ModelOptions,
  type Opened,
  type OpenedModel,
  openModel,
  type Platform,
  placeOf,
  wasmPaths,
} from "../engine/open.js";
import type { ModelInfo } from "../engine/wasm.js";
import { env, type WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import { ENGINE_OPTIONS } from "../generated/tasks.js";
import { onDemand } from "../on-demand.js";
import { checkOptions } from "../options/options.js";
import type { Source } from "../source.js";
import { reader } from "../sources/reader.js";
import { retrievalKind } from "../sources/sentence-folder.js";
import { canonical, type Task, type TaskName, type TaskOf } from "../task-names.js";
import type { Calls, FeatureExtractionOptions, Features, FillMaskMethods, Methods, Streams } from "../tasks.js";
import type { Precision } from "../tensor/quantize.js";
import type { Tensor } from "../tensor/tensor.js";
import { type Tokenizer, tokenizerOf } from "../tokenizer/tokenizer.js";
import { optionsOf } from "../values.js";
import { list, type Parsed, parse } from "./arguments.js";
import { handleOf } from "./handle.js";
import { type Model, modelOf } from "./model.js";
import { batch, quantized, revive } from "./results.js";

/** Members of every pipeline besides the call itself. */
export interface PipelineBase {
  readonly task: Task;
  /** The pipeline's model, which is called with ids. Disposing of either frees both. */
  readonly model: Model;
  /** The pipeline's tokenizer. It is created at its first use. */
  readonly tokenizer: Tokenizer;
  /** Always null: pipelines for texts have no processor. */
  readonly processor: null;
  /** Facts about the device and the model. */
  readonly info: ModelInfo;
  /** Frees everything. Running and later calls reject with `disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Is true for a union of several types. */
type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;

/** The call signature of a task's pipelines. If the task is one of several, any arguments are allowed. */
type CallOf<T extends Task> = IsUnion<T> extends true ? (...args: any[]) => Promise<any> : Calls[T];

type StreamOf<T extends Task> =
  IsUnion<T> extends true ? (...args: any[]) => AsyncGenerator<any, void, undefined> : Streams[T];

/** A pipeline of a task, or of any task. */
export type Pipeline<T extends Task = Task> = CallOf<T> &
  PipelineBase &
  (T extends keyof Methods ? Methods[T] : unknown) & {
    /** Returns the answers of many inputs as an async iterator: see `Streams`. */
    stream: StreamOf<T>;
    /** Does the same as calling the pipeline. */
    _call: CallOf<T>;
  };
/** The class of all pipelines. */
export const Pipeline = AnyPipeline as unknown as ClassOf<Pipeline>;

/**
 * Loads a model for a task and returns the function that runs it.
 * @param model a source: see Source. By default the default model of the task.
 */
export type PipelineFunction = <N extends TaskName>(
  task: N,
  model?: Source | null,
  options?: ModelOptions,
) => Promise<Pipeline<TaskOf<N>>>;

/** Creates `pipeline` for a platform. */
export function createPipeline(platform: Platform): PipelineFunction {
  return (name, model, options) =>
    withWebertErrors(async () => {
      const given = optionsOf<ModelOptions>(options);
      const task = canonical(name);
      await checkOptions("pipeline", given);
      const opened = await open(platform, task, model, given);
      return opened as unknown as Pipeline<TaskOf<typeof name>>;
    });
}

async function open(
  platform: Platform,
  task: Task,
  model: Source | null | undefined,
  options: ModelOptions,
): Promise<Pipeline> {
  const source = model ?? env.defaultModels[task];
  if (source === undefined)
    throw new WebertError(
      "bad_input",
      `the task ${task} has no default model${platform.without ?? ""}; name one: pipeline("${task}", model)`,
    );
  const needs = { tokenizer: true, modules: task === "feature-extraction" || task === "text-ranking", task };
  const { engine, name, dtype_reason, places } = await openModel(platform, source, options, needs).catch(
    async (error: unknown) => {
      const instead = await otherModel(platform, task, source, options, error);
      if (instead) return instead;
      throw Object.values(platform.models).includes(source) ? explained(error) : error;
    },
  );
  try {
    options.progress_callback?.({ status: "ready", task, model: name });
  } catch (error) {
    await engine.close();
    throw error;
  }
  return pipelineOf(platform, task, engine, wasmPaths(platform), dtype_reason, { source, options, places });
}

/** Returns the training part of a platform. It is imported at its first use. */
export async function trainingOf<T>(platform: { training?(platform: Platform): Promise<T> } & Platform): Promise<T> {
  if (!platform.training)
    throw new WebertError("unsupported", "models are not trained here: not in this entry of the package");
  return onDemand(() => platform.training!(platform));
}

/** Where the model of each engine was loaded from. */
const origins = new WeakMap<EngineModel, { platform: Platform; from: Opened }>();
const engines = new WeakMap<object, EngineModel>();
/** Returns the engine of a pipeline. */
export const engineOf = (pipe: object): EngineModel | undefined => engines.get(pipe);

/**
 * Returns the pipeline of a task over a loaded model. Disposing of it closes the model. `paths`: URLs of the binaries.
 */
export async function pipelineOf(
  platform: Platform,
  task: Task,
  engine: EngineModel,
  paths: WasmPaths,
  dtype_reason?: string,
  from?: Opened,
): Promise<Pipeline> {
  let used: Model | undefined;
  const running = (): Running => ({ engine, task, pipe, config: used?.config });
  const call = (...args: unknown[]) => withWebertErrors(() => runTask(running(), args));
  const stream = (...args: unknown[]) => streamTask(running, task, args);
  // Tokenizer methods are synchronous, so the binary is loaded first. A failed load is reported when the tokenizer is
  // used.
  const Class = await onDemand(() => import("../engine/loaded-tokenizer.js"))
    .then((module) => module.tokenizerClassOf(engine.parts, paths, platform.machine.readWasm))
    .catch((error: unknown) => WebertError.from(error));
  const explain = (...args: unknown[]) =>
    withWebertErrors(async () => (await trainingOf(platform)).explain(engine, task, args, from));
  const face = handleOf(engine, Object.assign(call, { task, processor: null, explain, stream }), dtype_reason);
  const makers = {
    model: () => (used = modelOf(engine, dtype_reason)),
    tokenizer: () => {
      if (Class instanceof WebertError) throw Class;
      return tokenizerOf(Class, engine.parts.files);
    },
  };
  const pipe = instanceOf(pipelineClass(task), lazy(face, makers)) as unknown as Pipeline;
  engines.set(pipe, engine);
  if (from) origins.set(engine, { platform, from });
  if (task === "feature-extraction") Object.assign(pipe, { prompt: promptMethod(engine) });
  return task === "fill-mask" ? Object.assign(pipe, fillMaskMethods(engine, pipe)) : pipe;
}

/** Returns the method `prompt` of a pipeline for feature-extraction. */
const promptMethod = (engine: EngineModel) => (options?: FeatureExtractionOptions | null) =>
  withWebertErrors(async () => {
    const { promptOf } = await sentenceModule();
    return promptOf(engine, optionsOf<FeatureExtractionOptions>(options));
  });

const sentenceModule = () => onDemand(() => import("../embeddings/sentence.js"));
const fillMaskModule = () => onDemand(() => import("../fill-mask/fill-mask.js"));

/** Returns the result of `work`. Turns errors into WebertErrors. */
async function withWebertErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw WebertError.from(error);
  }
}

/** Returns the methods of a fill-mask pipeline. */
function fillMaskMethods(engine: EngineModel, pipe: PipelineBase): FillMaskMethods {
  const score = (texts: unknown, options?: unknown) =>
    withWebertErrors(async () => {
      const { score } = await fillMaskModule();
      await checkOptions("score", optionsOf(options), ["signal"]);
      const scores = [];
      for (const text of list(texts)) scores.push(await score(engine, pipe.tokenizer, text, optionsOf(options)));
      return Array.isArray(texts) ? scores : scores[0];
    });
  const lens = (text: unknown, options?: unknown) =>
    withWebertErrors(async () => {
      await checkOptions("lens", optionsOf(options), ["top_k", "signal"]);
      return (await fillMaskModule()).lens(engine, pipe.model.config, text, optionsOf(options));
    });
  return { score, lens } as FillMaskMethods;
}

/**
 * Returns a model that is no encoder with a head of its own: static embeddings, or a classifier over sentence vectors.
 * Returns undefined if the folder is no such model.
 * @param error why the folder did not load as an encoder
 */
async function otherModel(
  platform: Platform,
  task: Task,
  source: Source,
  options: ModelOptions,
  error: unknown,
): Promise<OpenedModel | undefined> {
  const isStatic = task === "feature-extraction";
  if (!isStatic && task !== "text-classification") return undefined;
  const isAdapted = (options.adapter ?? options.base) != null;
  if (isAdapted || !["bad_config", "unsupported"].includes(WebertError.from(error).code)) return undefined;
  const place = await placeOf(platform, source, options);
  const folder = await (await reader()).openFolder(place, platform.machine);
  const paths = wasmPaths(platform);
  if (!isStatic) {
    const { openSentenceClassifier } = await onDemand(() => import("../embeddings/sentence-classification.js"));
    const needs = { tokenizer: true, modules: true, task: "feature-extraction" };
    return openSentenceClassifier(folder, control(options), {
      load: () => openModel(platform, source, options, needs),
      encoderPipeline: (engine) => pipelineOf(platform, "feature-extraction", engine, paths),
    });
  }
  const { openStatic } = await onDemand(() => import("../embeddings/static-embeddings.js"));
  const { readWasm } = platform.machine;
  const engine = await openStatic(folder, control(options), { paths, readWasm, tokenizerOf });
  return engine && { engine, name: place.name };
}

/** Adds fields to an object. Each is computed at its first read. */
function lazy<C extends object, M extends Record<string, () => unknown>>(
  object: C,
  makers: M,
): C & { [K in keyof M]: ReturnType<M[K]> } {
  for (const [name, make] of Object.entries(makers)) {
    const define = (value: unknown) =>
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    const get = () => {
      const value = make();
      define(value);
      return value;
    };
    Object.defineProperty(object, name, { get, set: define, enumerable: true, configurable: true });
  }
  return object as C & { [K in keyof M]: ReturnType<M[K]> };
}

const classes = new Map<Task, ClassOf<unknown>>();

/** Returns the class of a task's pipelines, e.g. FillMaskPipeline. */
export function pipelineClass<T extends Task>(task: T): ClassOf<Pipeline<T>> {
  const name = task.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  const made = classes.get(task) ?? classOf(`${name}Pipeline`, AnyPipeline);
  classes.set(task, made);
  return made as ClassOf<Pipeline<T>>;
}

/** Returns the error with an explanation why the package's own model may be missing. */
function explained(error: unknown): WebertError {
  const { code, message, cause } = WebertError.from(error);
  const why =
    code === "not_found"
      ? "; it is the package's own model: where a bundler does not copy its files (esbuild, Rollup, Angular), " +
        "`npx webert copy FOLDER` does, and env.base names the folder's URL"
      : "";
  return new WebertError(code, message + why, { cause });
}

/** A pipeline's engine and task. `config` is the model's config, if the caller has read it and may have changed it. */
interface Running {
  engine: EngineModel;
  task: Task;
  pipe: PipelineBase;
  config?: PretrainedConfig | undefined;
}

const manyModule = () => onDemand(() => import("./many.js"));

/** Returns whether an argument is a collection of inputs, but no array. */
const isIterable = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  (Symbol.iterator in value || Symbol.asyncIterator in value || "getReader" in value);

/** Runs a task. */
async function runTask(running: Running, given: unknown[]): Promise<unknown> {
  const args = given.slice(0, 2).some(isIterable) ? await (await manyModule()).collectedArguments(given) : given;
  const { results, many, options } = await resultsOf(running, args);
  return shape(running.task, results, many, options);
}

/** Returns the answers of a call, one per input, and its parsed options. */
async function resultsOf({ engine, task, pipe, config }: Running, args: unknown[], from = 0) {
  const { inputs, many, options: asked } = parse(task, args);
  await checkOptions(task, asked, [...Object.keys(ENGINE_OPTIONS[task]), "signal"]);
  // name of `top_k` in transformers.js 2
  const given = asked.top_k === undefined && asked.topk !== undefined ? { ...asked, top_k: asked.topk } : asked;
  const isMulti = task === "text-classification" && config?.problem_type === "multi_label_classification";
  const options = isMulti ? { function_to_apply: "sigmoid", ...given } : given;
  const compute = (part: unknown[], _: number, more?: object) =>
    answers(engine, task, part, { ...options, ...more }, pipe);
  const { callback } = options as { callback?: unknown };
  const results =
    callback == null
      ? await compute(inputs, 0)
      : await (await manyModule()).inBatches(inputs, callback, from, hasSteps(task, options), compute);
  return { results: revive(results) as unknown[], many, options };
}

/** Returns whether a call is filled by a strategy with steps, whose callback is called after each. */
const hasSteps = (task: Task, options: Parsed["options"]) =>
  task === "fill-mask" && (options.strategy ?? "independent") !== "independent";

/** Yields the answer of each input. */
async function* streamTask(running: () => Running, task: Task, args: unknown[]): AsyncGenerator<unknown> {
  try {
    const run = async (call: unknown[], from: number) => {
      const { results, options } = await resultsOf(running(), call, from);
      const one = (result: unknown) => shape(task, [result], task !== "feature-extraction", options);
      return results.map((result) => (task === "feature-extraction" ? one(result) : (one(result) as unknown[])[0]));
    };
    yield* (await manyModule()).stream(task, args, run);
  } catch (error) {
    throw WebertError.from(error);
  }
}

/** Returns one answer per input: from the engine, or computed from several of its answers. */
async function answers(
  engine: EngineModel,
  task: Task,
  given: unknown[],
  options: Parsed["options"],
  pipe: PipelineBase,
): Promise<unknown[]> {
  let inputs = given;
  const signal = signalOf(options);
  if (asSentences(task, options)) {
    const { embedAny } = await sentenceModule();
    return embedAny(engine, () => pipe.tokenizer, inputs as string[], options, origins.get(engine));
  }
  if (hasSteps(task, options)) return (await fillMaskModule()).fill(engine, pipe.tokenizer, inputs, options);
  if (task === "text-ranking" && retrievalKind(engine.parts.files)) {
    const { rank } = await onDemand(() => import("../embeddings/ranking.js"));
    return rank(engine, pipe.tokenizer, inputs as [string, string[]][], options);
  }
  if (task === "text-ranking") {
    const { prompted } = await sentenceModule();
    inputs = prompted(engine, inputs as [string, string[]][], options);
  }
  const known = Object.entries(options).filter(
    // null is the default, but for a number it may mean "all"
    ([name, value]) =>
      (value != null || (value === null && /^(top_k|max_length)$/.test(name))) &&
      Object.hasOwn(ENGINE_OPTIONS[task], name),
  );
  return engine.run(task, inputs, Object.fromEntries(known), signal);
}

/** Returns whether a call requires features of sentence-transformers that the engine does not have. */
const asSentences = (task: Task, { pooling, prompt, prompt_name, truncate_dim, task: of }: FeatureExtractionOptions) =>
  task === "feature-extraction" &&
  (!/^(none|mean|cls|first_token|eos|last_token)$/.test(pooling ?? "none") ||
    (prompt ?? prompt_name ?? truncate_dim ?? of) != null);

/** Returns the results in the form of transformers.js: see the types of each call in tasks.ts. */
function shape(task: Task, results: unknown[], many: boolean, options: Parsed["options"]): unknown {
  const { top_k = 1 } = options;
  const isSparse = results.length > 0 && !(results[0] as Partial<Features>).dims;
  if (task === "feature-extraction" && !isSparse) {
    const features = batch(results as Features[]);
    return options.quantize
      ? quantized(features, options.precision as Precision | undefined, options.ranges as Tensor | undefined)
      : features;
  }
  if (task === "question-answering" && top_k === 1) results = results.map((answers) => (answers as unknown[])[0]);
  if (!many) return results[0];
  return task === "text-classification" && top_k === 1 ? results.flat() : results;
}
