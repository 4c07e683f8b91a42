import { signalOf } from "../abort.js";
import type { Source } from "../checkpoint/source.js";
import type { EngineModel } from "../engine/engine.js";
import { onDemand } from "../engine/on-demand.js";
import type { ModelInfo } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { type ModelOptions, openModel, type Platform, wasmPaths } from "../platforms/platform.js";
import { kindOf, optionsOf } from "../values.js";
import { Pipeline as AnyPipeline, type ClassOf, classOf, instanceOf } from "./classes.js";
import type { PretrainedConfig } from "./config.js";
import { env, type WasmBuild } from "./env.js";
import { type Model, modelOf } from "./model.js";
import type { Precision } from "./quantize.js";
import { batch, quantized, revive } from "./results.js";
import {
  type CallOptions,
  type Calls,
  canonical,
  type Features,
  OPTIONS,
  type Task,
  type TaskName,
  type TaskOf,
} from "./tasks.js";
import type { Tensor } from "./tensor.js";
import { type Tokenizer, tokenizerOf } from "./tokenizer.js";

/** What every pipeline has beside being callable. */
export interface PipelineBase {
  readonly task: Task;
  /** The pipeline's model, to be called with ids. Disposing of either frees both. */
  readonly model: Model;
  /** The pipeline's tokenizer; it is made the first time that it is used. */
  readonly tokenizer: Tokenizer;
  /** There is none for texts. */
  readonly processor: null;
  /** What computes, and the model in figures. */
  readonly info: ModelInfo;
  /** Frees everything. Calls under way and later ones reject with `disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How a pipeline is called; one of an unknown task with anything. */
type CallOf<T extends Task> = Task extends T ? (...args: any[]) => Promise<any> : Calls[T];

/** The pipeline of a task, or of any. */
export type Pipeline<T extends Task = Task> = CallOf<T> &
  PipelineBase & {
    /** As calling it. */
    _call: CallOf<T>;
  };
/** The class of all pipelines. */
export const Pipeline = AnyPipeline as unknown as ClassOf<Pipeline>;

/**
 * Loads a model for a task and gives the function that runs it.
 * @param model see Source; without it the default model of the task
 */
export type PipelineFunction = <N extends TaskName>(
  task: N,
  model?: Source | null,
  options?: ModelOptions,
) => Promise<Pipeline<TaskOf<N>>>;

/** `pipeline` on a platform. */
export function createPipeline(platform: Platform): PipelineFunction {
  return async (name, model, options) => {
    try {
      return (await open(platform, canonical(name), model, optionsOf(options))) as unknown as Pipeline<
        TaskOf<typeof name>
      >;
    } catch (error) {
      throw WebertError.from(error);
    }
  };
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
  const needs = { tokenizer: true, pooling: task === "feature-extraction", task };
  const { engine, name, dtype_reason } = await openModel(platform, source, options, needs).catch((error: unknown) => {
    throw Object.values(platform.models).includes(source) ? explained(error) : error;
  });
  try {
    options.progress_callback?.({ status: "ready", task, model: name });
  } catch (error) {
    await engine.close();
    throw error;
  }
  return pipelineOf(platform, task, engine, wasmPaths(platform), dtype_reason);
}

/** The pipeline of a task over a model that is loaded; disposing of it closes the model. `paths`: where its binary is. */
export async function pipelineOf(
  platform: Platform,
  task: Task,
  engine: EngineModel,
  paths: Record<WasmBuild, string>,
  dtype_reason?: string,
): Promise<Pipeline> {
  let used: Model | undefined;
  const call = async (...args: unknown[]) => {
    try {
      return await perform(engine, task, args, used?.config);
    } catch (error) {
      throw WebertError.from(error);
    }
  };
  // Its calls are synchronous, so that the binary has to be there before. What keeps it away matters to who uses it alone.
  const Class = await onDemand(() => import("../engine/tokenizing.js"))
    .then((module) => module.tokenizerClassOf(engine.parts, paths, platform.machine.readWasm))
    .catch((error: unknown) => WebertError.from(error));
  const face = faceOf(engine, Object.assign(call, { task, processor: null }), dtype_reason);
  const makers = {
    model: () => (used = modelOf(engine, dtype_reason)),
    tokenizer: () => {
      if (Class instanceof WebertError) throw Class;
      return tokenizerOf(Class, engine.parts.files);
    },
  };
  return instanceOf(pipelineClass(task), lazy(face, makers)) as unknown as Pipeline;
}

/** An object with fields that are made when they are first read. */
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

/** The class of a task's pipelines: FillMaskPipeline. */
export function pipelineClass<T extends Task>(task: T): ClassOf<Pipeline<T>> {
  const name = task.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  const made = classes.get(task) ?? classOf(`${name}Pipeline`, AnyPipeline);
  classes.set(task, made);
  return made as ClassOf<Pipeline<T>>;
}

type Face = Pick<PipelineBase, "info" | "dispose" | typeof Symbol.asyncDispose>;

/** With why the package's own model may not be there. */
function explained(error: unknown): WebertError {
  const { code, message, cause } = WebertError.from(error);
  const why =
    code === "not_found"
      ? "; it is the package's own model: where a bundler does not copy its files (esbuild, Rollup, Angular), " +
        "`npx webert copy FOLDER` does, and env.base names the folder's URL"
      : "";
  return new WebertError(code, message + why, { cause });
}

/** `call` with what an engine says of itself, and the ways to dispose of it. */
export function faceOf<C extends object>(engine: EngineModel, call: C, dtype_reason?: string): C & Face {
  const dispose = () => engine.close();
  Object.defineProperty(call, "info", {
    get: () => (dtype_reason ? { ...engine.info, dtype_reason } : engine.info),
    enumerable: true,
  });
  return Object.assign(call, { dispose, [asyncDispose]: dispose }) as C & Face;
}

/** Older browsers lack the symbol; a `using` compiled for them looks for this one. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** A call's arguments: one entry an input, and whether the caller gave an array of them. */
interface Parsed {
  inputs: unknown[];
  many: boolean;
  options: CallOptions & Record<string, unknown>;
}

/** `config` is the model's, where the caller has taken hold of it and may have changed it. */
async function perform(engine: EngineModel, task: Task, args: unknown[], config?: PretrainedConfig): Promise<unknown> {
  const { inputs, many, options: asked } = parse(task, args);
  // Its name in transformers.js 2.
  const given = asked.top_k === undefined && asked.topk !== undefined ? { ...asked, top_k: asked.topk } : asked;
  const isMulti = task === "text-classification" && config?.problem_type === "multi_label_classification";
  const options = isMulti ? { function_to_apply: "sigmoid", ...given } : given;
  const known = OPTIONS[task].filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  const results = await engine.run(task, inputs, Object.fromEntries(known), signalOf(options));
  return shape(task, revive(results) as unknown[], many, options);
}

function parse(task: Task, args: unknown[]): Parsed {
  const [first, second] = args;
  const many = Array.isArray(first);
  switch (task) {
    case "zero-shot-classification": {
      const labels = labelsOf(second);
      return {
        many,
        inputs: list(first).map((text, i) => [string(text, "text", i), labels]),
        options: optionsOf<Parsed["options"]>(args[2]),
      };
    }
    case "question-answering":
    case "next-sentence-prediction": {
      const [a, b] = task === "question-answering" ? ["question", "context"] : ["text", "next text"];
      const inputs = zip(first, second, a!, b!).map(([x, y], i) => [string(x, a!, i), string(y, b!, i)]);
      return { many, inputs, options: optionsOf<Parsed["options"]>(args[2]) };
    }
    case "multiple-choice": {
      const pairs = many ? zip(first, second, "prompt", "list of choices") : [[first, second]];
      const inputs = pairs.map(([prompt, choices], i) => {
        if (!Array.isArray(choices))
          throw new WebertError("bad_input", `choices are an array of strings, not ${kindOf(choices)}`);
        return [string(prompt, "prompt", i), list(choices).map((choice, j) => string(choice, "choice", j))];
      });
      return { many, inputs, options: optionsOf<Parsed["options"]>(args[2]) };
    }
    default: {
      const inputs = list(first).map((text, i) =>
        task === "text-classification" ? textInput(text, i) : string(text, "text", i),
      );
      return { many, inputs, options: optionsOf<Parsed["options"]>(second) };
    }
  }
}

/** As transformers.js gives them: see the types of each call in tasks.ts. */
function shape(task: Task, results: unknown[], many: boolean, options: Parsed["options"]): unknown {
  const { top_k = 1 } = options;
  if (task === "feature-extraction") {
    const features = batch(results as Features[]);
    return options.quantize
      ? quantized(features, options.precision as Precision | undefined, options.ranges as Tensor | undefined)
      : features;
  }
  if (task === "question-answering" && top_k === 1) results = results.map((answers) => (answers as unknown[])[0]);
  if (!many) return results[0];
  return task === "text-classification" && top_k === 1 ? results.flat() : results;
}

/** The entries of an array, holes in it included; or the one value. */
function list(value: unknown): unknown[] {
  return Array.isArray(value) ? Array.from(value) : [value];
}

/** Two single values, or two arrays of one length. */
function zip(first: unknown, second: unknown, a: string, b: string): [unknown, unknown][] {
  if (Array.isArray(first) !== Array.isArray(second) || list(first).length !== list(second).length) {
    const counts = `${Array.isArray(first) ? list(first).length : "one"} and ${Array.isArray(second) ? list(second).length : "one"}`;
    throw new WebertError(
      "bad_input",
      `a ${a} goes with a ${b}, an array with an array of the same length; got ${counts}`,
    );
  }
  return list(first).map((value, i) => [value, list(second)[i]]);
}

/** Hugging Face takes labels as one string with commas, too. */
function labelsOf(labels: unknown): string[] {
  const given =
    typeof labels === "string"
      ? labels
          .split(",")
          .map((label) => label.trim())
          .filter(Boolean)
      : labels;
  if (!Array.isArray(given) || !given.length)
    throw new WebertError("bad_input", "labels are a string with commas or a non-empty array of strings");
  return list(given).map((label, i) => string(label, "label", i));
}

function textInput(value: unknown, i: number): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return string(value, "text", i);
  const { text, text_pair } = value as { text?: unknown; text_pair?: unknown };
  const first = string(text, "text", i);
  return text_pair == null ? first : { text: first, text_pair: string(text_pair, "text_pair", i) };
}

function string(value: unknown, what: string, i: number): string {
  if (typeof value === "string") return value;
  throw new WebertError("bad_input", `${what} ${i + 1} is ${kindOf(value)}, not a string`);
}
