// Decisions about a text: which of several options, which level, whether a statement holds. Each question is answered by a trained head or by
// a model for natural language inference. Questions that no model can answer are refused.
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import type { TextClassificationResult } from "../tasks.js";
import { type AnyPipeline, limitOf, ofTask, tokenCounts } from "./pipelines.js";
import { type Input, inputText, labelsOf, partTexts, type StatePart, type Warning } from "./states.js";

/** A question about the state. */
export type Question =
  | {
      readonly type: "choice";
      readonly instructions?: Input | null;
      readonly criteria: Readonly<Record<string, Input | null>>;
    }
  | { readonly type: "score"; readonly instructions?: Input | null; readonly criteria: readonly (Input | null)[] }
  | {
      readonly type: "boolean";
      readonly instructions?: Input | null;
      readonly criteria?: { readonly true?: Input | null; readonly false?: Input | null } | null;
    };

/** The answer to a question. A refusal has a warning. */
export type Answer =
  | { type: "choice"; choice: string; probabilities: Record<string, number> }
  | { type: "score"; score: number; probabilities: Record<string, number> }
  | { type: "boolean"; probability: number }
  | { type: "refusal" };

/** The models that answer. */
export interface Deciders {
  /** Classifiers by the id of the question that each of them was trained for. */
  heads?: Readonly<Record<string, Pipeline<"text-classification">>>;
  /** A model for natural language inference, and classifiers for questions about their own labels. */
  pipelines?: readonly AnyPipeline[];
}

/** Answers with the number of tokens read. */
export interface Decided {
  answers: Record<string, Answer>;
  warnings: Warning[];
  tokens: number;
}

/** Probabilities by the name of an option. */
type Distribution = Record<string, number>;

/** One call: its text, its models, and what it has read. */
interface Call {
  text: string;
  deciders: Deciders;
  signal: AbortSignal | undefined;
  warnings: Warning[];
  tokens: number;
}

/** Answers all questions about a state. */
export async function decide(
  deciders: Deciders,
  state: readonly StatePart[],
  questions: Readonly<Record<string, Question>>,
  signal?: AbortSignal,
): Promise<Decided> {
  const { texts, warnings } = partTexts(state);
  const text = texts.filter(Boolean).join("\n");
  if (!text) throw new WebertError("bad_input", "state: expected a text, got none");
  const call: Call = { text, deciders, signal, warnings, tokens: 0 };
  const answers: Record<string, Answer> = {};
  for (const [id, question] of Object.entries(questions)) {
    const found = await answer(call, id, question);
    answers[id] = typeof found === "string" ? { type: "refusal" } : found;
    if (typeof found === "string") warnings.push({ type: "unsupported", feature: `question "${id}"`, details: found });
  }
  return { answers, warnings, tokens: call.tokens };
}

/** Returns the answer to a question, or the reason why no model can answer it. */
async function answer(call: Call, id: string, question: Question): Promise<Answer | string> {
  if (question.type === "choice") {
    const options = Object.keys(question.criteria);
    const byLabels = await byHead(call, id, options);
    if (byLabels) warnUnread(call, id, question);
    const found = byLabels ?? (await byInference(call, statements(question.criteria)));
    return typeof found === "string" ? found : choiceOf(found);
  }
  if (question.type === "score") {
    const levels = Object.fromEntries(question.criteria.map((level, n) => [String(n), level]));
    const missing = question.criteria.findIndex((level) => inputText(level) === undefined);
    const found =
      (await byHead(call, id, Object.keys(levels), true)) ??
      (missing < 0 ? await byInference(call, statements(levels)) : undefined);
    if (found === undefined) return `criteria[${missing}]: expected a description of the level for inference`;
    return typeof found === "string" ? found : scoreOf(found);
  }
  if (question.type === "boolean") return booleanOf(call, id, question);
  return `type "${(question as { type: string }).type}": expected choice, score or boolean`;
}

/** Warns if a classifier that was chosen by its labels has not read what the question says about them. */
function warnUnread(call: Call, id: string, { instructions, criteria }: Question & { type: "choice" }): void {
  const isNamed = Object.hasOwn(call.deciders.heads ?? {}, id);
  const texts = [instructions, ...Object.values(criteria)].map(inputText);
  if (isNamed || texts.every((text) => text === undefined)) return;
  const details = "a classifier with these labels answers; it does not read instructions and descriptions";
  call.warnings.push({ type: "compatibility", feature: `question "${id}"`, details });
}

function choiceOf(probabilities: Distribution): Answer {
  const [choice] = Object.entries(probabilities).reduce((best, one) => (one[1] > best[1] ? one : best));
  return { type: "choice", choice, probabilities };
}

function scoreOf(probabilities: Distribution): Answer {
  const score = Object.entries(probabilities).reduce(
    (sum, [level, probability]) => sum + Number(level) * probability,
    0,
  );
  return { type: "score", score, probabilities };
}

/** Returns the statement of each option: its description, otherwise its name. */
const statements = (criteria: Readonly<Record<string, Input | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(criteria).map(([name, input]) => [name, inputText(input) ?? name]));

const folded = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/**
 * Returns the probability of each option by a classifier: the one named for the question, otherwise one whose labels
 * include all options. The probabilities of other labels are shared out in proportion. `isNamed`: only the one that is named.
 */
async function byHead(call: Call, id: string, options: string[], isNamed = false): Promise<Distribution | undefined> {
  const { heads = {}, pipelines = [] } = call.deciders;
  const covers = (pipe: AnyPipeline) => {
    const labels = labelsOf(pipe).map(folded);
    return options.every((option) => labels.includes(folded(option)));
  };
  const named = Object.hasOwn(heads, id) ? heads[id] : undefined;
  if (named && !covers(named))
    throw new WebertError(
      "bad_input",
      `heads: "${id}": expected a classifier with the labels ${options.join(", ")}, got ${labelsOf(named).join(", ")}`,
    );
  const others = isNamed ? [] : pipelines.filter((pipe) => pipe.task === "text-classification" && options.length > 1);
  const pipe = named ?? (others.find(covers) as Pipeline<"text-classification"> | undefined);
  if (!pipe) return undefined;
  const scores = await labelled(call, pipe);
  const of = (option: string) => scores.find(({ label }) => folded(String(label)) === folded(option))!.score;
  return normalized(Object.fromEntries(options.map((option) => [option, of(option)])));
}

/** Returns all labels of the text by a classifier. */
async function labelled(call: Call, pipe: Pipeline<"text-classification">): Promise<TextClassificationResult[]> {
  const options = { top_k: null, ...(call.signal && { signal: call.signal }) };
  call.tokens += tokenCounts(pipe, [call.text], limitOf(pipe))[0]!;
  // With top_k null a single text has one flat list.
  return (await pipe(call.text, options)) as TextClassificationResult[];
}

const normalized = (scores: Distribution): Distribution => {
  const sum = Object.values(scores).reduce((all, one) => all + one, 0);
  return Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, score / sum]));
};

const NO_INFERENCE =
  "expected a classifier with these labels, or a model for zero-shot-classification (natural language inference); none is loaded";

/** Returns the probability of each statement among the others, by natural language inference. */
async function byInference(call: Call, stated: Record<string, string>): Promise<Distribution | string> {
  const pipe = ofTask(call.deciders.pipelines ?? [], "zero-shot-classification");
  if (!pipe) return NO_INFERENCE;
  const names = Object.keys(stated);
  const labels = names.map((name) => stated[name]!);
  if (new Set(labels).size < labels.length) return "criteria: expected different descriptions";
  if (names.length < 2) return "criteria: expected at least two";
  const scores = await inferred(call, pipe, labels, false);
  return Object.fromEntries(names.map((name, n) => [name, scores[n]!]));
}

/** Returns the score of each statement: its entailment beside the other statements', or beside its own contradiction if `alone`. */
async function inferred(
  call: Call,
  pipe: Pipeline<"zero-shot-classification">,
  labels: string[],
  alone: boolean,
): Promise<number[]> {
  const isSentence = labels.every((label) => /[.!?]$/.test(label));
  const options = {
    multi_label: alone,
    hypothesis_template: isSentence ? "{}" : "This example is {}.",
    ...(call.signal && { signal: call.signal }),
  };
  const found = await pipe(call.text, labels, options);
  const [ofText = 0, ...ofLabels] = tokenCounts(pipe, [call.text, ...labels], limitOf(pipe));
  call.tokens += ofLabels.reduce((sum, one) => sum + ofText + one - 1, 0);
  return labels.map((label) => found.scores[found.labels.indexOf(label)]!);
}

/** Answers whether a statement holds. */
async function booleanOf(call: Call, id: string, question: Question & { type: "boolean" }): Promise<Answer | string> {
  const named = await byHead(call, id, ["true", "false"], true);
  if (named) return { type: "boolean", probability: named.true! };
  const pipe = ofTask(call.deciders.pipelines ?? [], "zero-shot-classification");
  if (!pipe) return NO_INFERENCE;
  const [yes, no] = [inputText(question.criteria?.true), inputText(question.criteria?.false)];
  if (yes !== undefined && no !== undefined && yes !== no)
    return { type: "boolean", probability: (await inferred(call, pipe, [yes, no], false))[0]! };
  const statement = yes ?? inputText(question.instructions);
  if (statement === undefined || /\?\s*$/.test(statement))
    return 'expected a statement in criteria.true or instructions, e.g. "The customer is angry."; inference takes no questions';
  return { type: "boolean", probability: (await inferred(call, pipe, [statement], true))[0]! };
}
