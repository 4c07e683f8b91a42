// The routes of Hugging Face's inference API: /models/{id}, /models/{id}/pipeline/{task}, and the root of an endpoint.
import { WebertError } from "../../errors.js";
import { canonical, type Task } from "../../task-names.js";
import { collect, ofTask } from "../pipelines.js";
import {
  type Fields,
  flag,
  HttpError,
  invalid,
  objectOf,
  onlyKnown,
  optionalText,
  strings,
  text,
  texts,
} from "./http.js";
import type { Served } from "./models.js";
import type { Context } from "./routes.js";

/** Tasks by sentence vectors. */
const BY_VECTORS = ["feature-extraction", "sentence-similarity"];

/** Runs the task of a route. Without a task the request must be for the model's first pipeline. */
export async function runTask(
  fields: Fields,
  context: Context,
  { id, task }: { id?: string | undefined; task?: string | undefined },
): Promise<unknown> {
  onlyKnown(fields, ["inputs", "parameters", "options"]);
  const isSimilarity = task === "sentence-similarity" || (!task && isSentences(fields.inputs));
  if (isSimilarity) return similarities(fields, context, id);
  const model = id === undefined ? context.models.all[0]! : context.models.named(id);
  const name = task === undefined ? model.first.task : taskOf(task);
  const served = context.models.forTask(name, id ?? (model.has(name) ? model.id : undefined));
  if (BY_VECTORS.includes(name)) return features(fields, context, served);
  return (TASKS[name] ?? (() => unsupported(name)))(fields, context, served);
}

function taskOf(name: string): Task {
  try {
    return canonical(name);
  } catch (error) {
    throw new HttpError("path", WebertError.from(error).message);
  }
}

function unsupported(task: Task): never {
  throw new HttpError("path", `${task} has no route`);
}

const isSentences = (inputs: unknown) => typeof inputs === "object" && inputs !== null && "source_sentence" in inputs;

/** Vectors of texts: one array for a text, an array of arrays for several. */
async function features(fields: Fields, { limits, signal }: Context, { encoder }: Served): Promise<unknown> {
  // @huggingface/inference puts the options beside the inputs; the API has them in `parameters`.
  const parameters = objectOf(fields, "parameters");
  onlyKnown(parameters, ["normalize", "prompt_name", "truncate", "truncation_direction"], "parameters.");
  const { list, many } = texts(fields, "inputs", limits.max_inputs);
  const prompt_name = optionalText(parameters, "prompt_name");
  const normalize = parameters.normalize == null ? {} : { normalize: flag(parameters, "normalize", false) };
  const { rows, truncated } = await encoder!.dense(list, { ...normalize, ...(prompt_name && { prompt_name }) }, signal);
  if (parameters.truncate === false && truncated.includes(true))
    throw new HttpError("limit", `inputs: expected at most ${encoder!.limit} tokens per text`, "inputs");
  const all = rows.map((row) => Array.from(row));
  return many ? all : all[0];
}

/** Cosine similarities of sentences with a sentence. */
async function similarities(fields: Fields, { models, limits, signal }: Context, id?: string): Promise<number[]> {
  const { encoder } = models.encoder(id);
  const inputs = objectOf(fields, "inputs");
  onlyKnown(inputs, ["source_sentence", "sentences"], "inputs.");
  const sentences = strings("sentences", inputs.sentences, limits.max_inputs);
  const all = [text(inputs, "source_sentence"), ...sentences];
  const { rows } = await encoder.dense(all, { normalize: true }, signal);
  return rows.slice(1).map((row) => row.reduce((sum, value, n) => sum + value * rows[0]![n]!, 0));
}

type Run = (fields: Fields, context: Context, model: Served) => Promise<unknown>;

/** Tasks other than vectors. Parameters are the options of the task's pipeline. */
const TASKS: Partial<Record<Task, Run>> = {
  "text-classification": async (fields, { limits, signal }, model) => {
    const parameters = objectOf(fields, "parameters");
    onlyKnown(parameters, ["top_k", "function_to_apply"], "parameters.");
    const { list } = texts(fields, "inputs", limits.max_inputs);
    const { top_k, function_to_apply } = parameters as { top_k?: number; function_to_apply?: "none" };
    const answers = await model.classify(list, function_to_apply ?? undefined, signal);
    return answers.map((labels) => labels.slice(0, top_k ?? undefined).map(({ label, score }) => ({ label, score })));
  },
  "token-classification": async (fields, context, model) => {
    const call = { aggregation_strategy: "simple", ...objectOf(fields, "parameters") };
    return byStream(fields, context, model, "token-classification", call);
  },
  "fill-mask": async (fields, context, model) =>
    byStream(fields, context, model, "fill-mask", objectOf(fields, "parameters")),
  "question-answering": async (fields, { signal }, model) => {
    const inputs = objectOf(fields, "inputs");
    onlyKnown(inputs, ["question", "context"], "inputs.");
    const answer = ofTask(model.pipelines, "question-answering")!;
    const call = { ...objectOf(fields, "parameters"), signal };
    return answer(text(inputs, "question"), text(inputs, "context"), call);
  },
  "zero-shot-classification": async (fields, { limits, signal }, model) => {
    const { candidate_labels, ...call } = objectOf(fields, "parameters");
    if (candidate_labels == null) throw invalid("parameters.candidate_labels", "expected an array of labels");
    const labels = strings("parameters.candidate_labels", candidate_labels, limits.max_inputs);
    const { list, many } = texts(fields, "inputs", limits.max_inputs);
    const classify = ofTask(model.pipelines, "zero-shot-classification")!;
    const found = await classify(list, labels, { ...call, signal });
    const rows = found.map((one) => one.labels.map((label, n) => ({ label, score: one.scores[n]! })));
    return many ? rows : rows[0];
  },
};

/** Answers of a task with one text per input. */
async function byStream(
  fields: Fields,
  { limits, signal }: Context,
  model: Served,
  task: "token-classification" | "fill-mask",
  call: Fields,
): Promise<unknown> {
  const { list, many } = texts(fields, "inputs", limits.max_inputs);
  const pipe = ofTask(model.pipelines, task) as unknown as {
    stream(texts: string[], options: object): AsyncIterable<unknown>;
  };
  const answers = await collect(pipe.stream(list, { ...call, signal }));
  return many ? answers : answers[0];
}
