// Explains an answer by scores of its tokens. Imported together with training, by the first call.
import { signalOf } from "../abort.js";
import { parse } from "../api/arguments.js";
import type { EngineModel } from "../engine/engine.js";
import type { ExplanationStep } from "../engine/explanation.js";
import type { Opened } from "../engine/open.js";
import { control } from "../engine/open.js";
import { WebertError } from "../errors.js";
import type { Control } from "../sources/types.js";
import type { Explains } from "../tasks.js";
import { kindOf } from "../values.js";
import type { TrainingEngine } from "./engine.js";
import type { TrainingApi } from "./training.js";
import { knownOptions } from "./training-options.js";

/** The tasks whose answers can be explained. */
export type ExplainedTask = keyof Explains;

/** Options per task that the engine accepts, besides COMPUTED. */
const OPTIONS: Record<ExplainedTask, readonly string[]> = {
  "text-classification": [],
  "token-classification": ["index"],
  "question-answering": [],
  "fill-mask": ["mask"],
};

/** Options that the engine accepts for all tasks. */
const COMPUTED = ["target", "method", "n_steps"];

type Open = (task: ExplainedTask, from: Opened, reading: Control) => Promise<TrainingEngine>;
type ExplainMethod = NonNullable<EngineModel["explain"]>;

/** Creates `explain` of pipelines. `open` loads a pipeline's model in a form that computes gradients. */
export function createExplain(open: Open): TrainingApi["explain"] {
  const explainers = new WeakMap<EngineModel, Promise<TrainingEngine>>();

  /** Returns the model that explains a pipeline's answers. The first call loads it; closing the pipeline closes it. */
  const explainerOf = (engine: EngineModel, task: ExplainedTask, from: Opened, reading: Control) => {
    const there = explainers.get(engine);
    if (there) return there;
    const opened = open(task, from, reading);
    explainers.set(engine, opened);
    opened.catch(() => explainers.delete(engine)); // the next call tries again
    const close = engine.close.bind(engine);
    engine.close = async () => {
      await close();
      const explainer = await explainers.get(engine)?.catch(() => undefined);
      await explainer?.close();
    };
    return opened;
  };

  return async (engine, task, args, from) => {
    if (!Object.hasOwn(OPTIONS, task)) {
      const names = Object.keys(OPTIONS).join(", ");
      throw new WebertError("unsupported", `explain: expected one of the tasks ${names}, got ${task}`);
    }
    const explained = task as ExplainedTask;
    const { inputs, many, options: given } = parse(task, args);
    const names = [...COMPUTED, ...OPTIONS[explained], "callback", "progress_callback", "signal"];
    const { callback, signal, progress_callback, ...options } = knownOptions("explain", given, names);
    if (callback != null && typeof callback !== "function")
      throw new WebertError("bad_input", `callback: expected a function, got ${kindOf(callback)}`);
    const tell = callback as ((step: ExplanationStep & { input: number }) => unknown) | undefined;
    const explain = await explainBy(engine, explained, from, { progress_callback, signal });
    const explanations = [];
    for (const [input, texts] of inputs.entries()) {
      const event = (step: ExplanationStep) => tell?.({ input, ...step });
      explanations.push(await explain(task, textsOf(texts), options, { signal: signalOf({ signal }), event }));
    }
    return many ? explanations : explanations[0];
  };

  async function explainBy(
    engine: EngineModel,
    task: ExplainedTask,
    from: Opened | undefined,
    options: Record<string, unknown>,
  ): Promise<ExplainMethod> {
    await engine.run(task, [], {}); // rejects if the pipeline was disposed of
    if (engine.explain) return (...args) => engine.explain!(...args);
    const explainer = await explainerOf(engine, task, from!, control(options));
    return (task, input, options, onEvent) => explainer.call("explain", [task, input, options], onEvent);
  }
}

/** Returns the text or texts of an input in the form that the engine takes. */
function textsOf(input: unknown): object {
  if (typeof input === "string") return { text: input };
  if (!Array.isArray(input)) return input as object;
  const [text, text_pair] = input as string[];
  return { text, text_pair };
}
