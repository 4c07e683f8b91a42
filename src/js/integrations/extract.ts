// Values in a text with their places: answers to questions, and entities.
import type { Pipeline } from "../api/pipeline.js";
import type { QuestionAnsweringResult } from "../tasks.js";
import { type AnyPipeline, limitOf, ofTask, tokenCounts } from "./pipelines.js";
import { type Input, inputText, labelsOf, partTexts, type StatePart, type Warning } from "./states.js";

/** A value to find. */
export type Field = { readonly type: string; readonly instructions?: Input | null; readonly items?: string };

/** The place of a value: `text.slice(start, end)` of the part of the state, in UTF-16 code units. */
export type ValueSource = { type: "text"; part: number; start: number; end: number };

/** The answer for a field. */
export type FieldAnswer =
  | { type: "text"; value: string | null; pNull?: number; confidence?: number; source?: ValueSource }
  | { type: "list"; value: string[] | null; items?: { confidence?: number; source?: ValueSource }[] }
  | { type: "refusal" };

/** A value with its place. */
interface Found {
  value: string;
  score: number;
  source: ValueSource;
}

/** A model that finds spans of any labels. */
type AnyLabels = (text: string, labels: string[], options?: object) => Promise<Span[]>;
type Span = { entity_group: string; score: number; start: number; end: number };

/** Answers with the number of tokens read. */
export interface Extracted {
  answers: Record<string, FieldAnswer>;
  warnings: Warning[];
  tokens: number;
}

/** One call: its texts, its models, and what it has read. */
interface Call {
  texts: string[];
  pipelines: readonly AnyPipeline[];
  labels: Readonly<Record<string, string>>;
  signal: AbortSignal | undefined;
  tokens: number;
}

/**
 * Finds all fields in a state.
 * @param labels the entity label of each field whose name is another
 */
export async function extract(
  pipelines: readonly AnyPipeline[],
  state: readonly StatePart[],
  fields: Readonly<Record<string, Field>>,
  labels: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Extracted> {
  const { texts, warnings } = partTexts(state);
  const call: Call = { texts, pipelines, labels, signal, tokens: 0 };
  const answers: Record<string, FieldAnswer> = {};
  for (const [id, field] of Object.entries(fields)) {
    const found = await fieldOf(call, id, field);
    answers[id] = typeof found === "string" ? { type: "refusal" } : found;
    if (typeof found === "string") warnings.push({ type: "unsupported", feature: `field "${id}"`, details: found });
  }
  return { answers, warnings, tokens: call.tokens };
}

/** Returns the answer for a field, or the reason why no model can find it. */
async function fieldOf(call: Call, id: string, field: Field): Promise<FieldAnswer | string> {
  if (field.type !== "text" && field.type !== "list") return `type "${field.type}": expected text or list`;
  if (field.type === "list" && field.items !== "text") return `items "${field.items}": expected text`;
  const instructions = inputText(field.instructions);
  const answering = ofTask(call.pipelines, "question-answering");
  const isQuestion = instructions !== undefined && /\?\s*$/.test(instructions);
  if (field.type === "text" && isQuestion && answering) return answered(call, answering, instructions);
  const found = await entities(call, id, instructions);
  if (typeof found !== "string") return shaped(field.type, found);
  if (field.type === "text" && instructions !== undefined && answering) return answered(call, answering, instructions);
  return found;
}

function shaped(type: "text" | "list", found: Found[]): FieldAnswer {
  if (type === "list") {
    const items = found.map(({ score, source }) => ({ confidence: score, source }));
    return { type, value: found.map(({ value }) => value), items };
  }
  const [best] = [...found].sort((a, b) => b.score - a.score);
  return best ? { type, value: best.value, confidence: best.score, source: best.source } : { type, value: null };
}

/** Returns the answer to a question, and the probability that the texts have none. */
async function answered(call: Call, pipe: Pipeline<"question-answering">, question: string): Promise<FieldAnswer> {
  const options = { top_k: 2, handle_impossible_answer: true, ...(call.signal && { signal: call.signal }) };
  let best: Found | undefined;
  let pNull = 1;
  for (const [part, text] of call.texts.entries()) {
    if (!text) continue;
    const found = [(await pipe(question, text, options)) as QuestionAnsweringResult | QuestionAnsweringResult[]].flat();
    const [ofQuestion = 0, ofText = 0] = tokenCounts(pipe, [question, text], Infinity);
    call.tokens += ofQuestion + ofText - 1;
    const none = found.find(({ answer }) => !answer)?.score ?? 0;
    pNull = Math.min(pNull, none);
    const one = found.find(({ answer }) => answer);
    if (one && one.score > none && one.score > (best?.score ?? 0)) {
      const { answer, score, start, end } = one;
      best = { value: answer, score, source: { type: "text", part, start, end } };
    }
  }
  if (!best) return { type: "text", value: null, pNull };
  return { type: "text", value: best.value, confidence: best.score, pNull, source: best.source };
}

const folded = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Returns all entities of a field's label in the order of the text, or the reason why there is no model for it. */
async function entities(call: Call, id: string, instructions: string | undefined): Promise<Found[] | string> {
  const asked = call.labels[id] ?? id;
  const fixed = call.pipelines.find((pipe) => pipe.task === "token-classification");
  const known = fixed
    ? [...new Set(labelsOf(fixed).map((label) => label.replace(/^[BIES]-/, "")))].filter((one) => one !== "O")
    : [];
  const label = known.find((one) => folded(one) === folded(asked));
  // The task of GLiNER, which newer builds have.
  const any = call.pipelines.find((pipe) => (pipe.task as string) === "zero-shot-token-classification");
  if (label === undefined && !any)
    return `expected one of the labels ${known.join(", ") || "(no model for entities is loaded)"} as the name of the field or in labels, got "${asked}"`;
  const free = call.labels[id] ?? instructions ?? id;
  const found: Found[] = [];
  for (const [part, text] of call.texts.entries()) {
    if (!text) continue;
    const pipe = (label === undefined ? any : fixed)!;
    call.tokens += tokenCounts(pipe, [text], limitOf(pipe))[0]!;
    const spans =
      label === undefined
        ? await (any as unknown as AnyLabels)(text, [free], signalOf(call))
        : await groups(call, fixed!, text);
    for (const { entity_group, score, ...place } of spans) {
      if (label !== undefined && entity_group !== label) continue;
      const [start, end] = withoutSymbols(text, place.start, place.end);
      if (start < end) found.push({ value: text.slice(start, end), score, source: { type: "text", part, start, end } });
    }
  }
  return found;
}

/** Emoji with their modifiers, arrows and bullets, and spaces beside them, at the ends of a text. */
const SYMBOLS_BEFORE = /^(?:[\p{So}→•·][\p{Sk}\p{Mn}\p{Join_Control}\s]*)+/u;
const SYMBOLS_AFTER = /(?:\s*[\p{So}→•·][\p{Sk}\p{Mn}\p{Join_Control}]*)+\s*$/u;

/** Returns the place without symbols at its ends: models do not know emoji and may take one for a part of a name. */
function withoutSymbols(text: string, start: number, end: number): [number, number] {
  const word = text.slice(start, end);
  const before = SYMBOLS_BEFORE.exec(word)?.[0].length ?? 0;
  const after = SYMBOLS_AFTER.exec(word.slice(before))?.[0].length ?? 0;
  return [start + before, end - after];
}

const signalOf = ({ signal }: Call) => (signal ? { signal } : {});

const groups = async (call: Call, pipe: AnyPipeline, text: string): Promise<Span[]> =>
  (await pipe(text, { aggregation_strategy: "first", ...signalOf(call) })) as Span[];
