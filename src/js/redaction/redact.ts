import { signalOf, ticker } from "../abort.js";
import type { Pipeline, PipelineFunction } from "../api/pipeline.js";
import type { ModelOptions } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { check } from "../options/option-names.js";
import { kindOf, optionsOf, shown } from "../values.js";
import { isReader, planFor, readerOf } from "./gliner.js";
import { KeptModel } from "./kept-model.js";
import { PATTERN_LABELS, PATTERNS } from "./patterns.js";
import { type Piece, placeholders, restored, restoredSlowly } from "./placeholders.js";
import { disjoint, type Part, parts, type Span } from "./spans.js";
import type { PatternName, RedactedEntity, Redaction, RedactOptions } from "./types.js";

type Ner = Pipeline<"token-classification">;

/** Options of `redact` itself; all other options belong to loading a model. */
const OWN = ["model", "labels", "threshold", "patterns", "placeholder", "aggregation_strategy", "signal"];

/** The checked options of a call. */
interface Plan {
  labels: readonly string[] | undefined;
  threshold: number;
  patterns: readonly PatternName[];
  strategy: NonNullable<RedactOptions["aggregation_strategy"]>;
  placeholder: NonNullable<RedactOptions["placeholder"]> | undefined;
  signal: AbortSignal | undefined;
}

/** The functions of `redact`. */
interface Redactor {
  redact(input: unknown, options?: unknown): Promise<unknown>;
  dispose(): Promise<void>;
}

const redactors = new WeakMap<PipelineFunction, Redactor>();

/** Returns `redact` over the `pipeline` of a platform. Every call returns the same one, which keeps its model. */
export function redactorOf(pipeline: PipelineFunction): Redactor {
  const made = redactors.get(pipeline) ?? createRedactor(pipeline);
  redactors.set(pipeline, made);
  return made;
}

function createRedactor(pipeline: PipelineFunction): Redactor {
  const kept = new KeptModel(pipeline);
  const redact = async (input: string | readonly string[], asked?: RedactOptions | null) => {
    try {
      const texts = textsOf(input);
      const given = Object.entries(optionsOf<RedactOptions>(asked)).filter(([, value]) => value != null);
      const options: RedactOptions = Object.fromEntries(given);
      check("redact", options);
      const plan = planOf(options);
      const redactions = await withModel(kept, options, (pipe) => redactAll(pipe, texts, plan));
      return Array.isArray(input) ? redactions : redactions[0];
    } catch (error) {
      throw WebertError.from(error);
    }
  };
  return { redact: redact as Redactor["redact"], dispose: () => kept.dispose() };
}

const refuse = (message: string) => new WebertError("bad_input", message);

function textsOf(given: unknown): string[] {
  return (Array.isArray(given) ? Array.from(given) : [given]).map((text: unknown, n) => {
    if (typeof text === "string") return text;
    throw refuse(`text ${n + 1}: expected a string, got ${kindOf(text)}`);
  });
}

function planOf(options: RedactOptions): Plan {
  const { labels, threshold = 0, patterns, placeholder } = options;
  if (typeof threshold !== "number" || !(threshold >= 0 && threshold <= 1))
    throw refuse(`threshold: expected a number from 0 to 1, got ${shown(threshold)}`);
  if (placeholder != null && typeof placeholder !== "function")
    throw refuse(`placeholder: expected a function (label, number, word) => string, got ${kindOf(placeholder)}`);
  const { aggregation_strategy: strategy = "first" } = options;
  if ((strategy as string) === "none") throw refuse('aggregation_strategy: "none" returns tokens instead of entities');
  const all = Object.keys(PATTERNS) as PatternName[];
  return {
    labels: labels == null ? undefined : names("labels", labels),
    threshold: threshold as number,
    patterns: patterns == null ? all : (names("patterns", patterns, all) as PatternName[]),
    strategy: strategy as Plan["strategy"],
    placeholder: placeholder ?? undefined,
    signal: signalOf(options),
  };
}

/** Returns an array of strings. If `known` is given, all of them must be in it. */
function names(what: string, given: unknown, known?: readonly string[]): string[] {
  if (!Array.isArray(given) || given.some((name) => typeof name !== "string"))
    throw refuse(`${what}: expected an array of strings, got ${Array.isArray(given) ? "other values" : kindOf(given)}`);
  const unknown = known && given.find((name) => !known.includes(name));
  if (unknown !== undefined) throw refuse(`${what}: expected one of ${known!.join(", ")}, got "${unknown}"`);
  return given;
}

/** Runs `work` with the pipeline to use, if any. */
async function withModel<T>(
  kept: KeptModel,
  options: RedactOptions,
  work: (pipe: Ner | undefined) => Promise<T>,
): Promise<T> {
  const { model } = options;
  if (model !== false && (typeof model !== "function" || !("task" in model))) {
    const ofModel = Object.entries(options).filter(([name]) => name === "signal" || !OWN.includes(name));
    const load = Object.fromEntries(ofModel) as ModelOptions;
    return kept.use(model ?? undefined, load, async (pipe) => work(readerOf(pipe, options)));
  }
  if (model && !isReader(model))
    throw refuse(
      `model: expected a pipeline for token-classification or a source, got a pipeline for ${String(model.task)}`,
    );
  const other = Object.keys(options).find((name) => !OWN.includes(name));
  const why = model ? "the model is loaded" : "model is false";
  if (other) throw refuse(`unknown option "${other}" when ${why}, expected one of ${OWN.join(", ")}`);
  return work(model ? readerOf(model as Ner, options) : undefined);
}

/** How many spans to process before yielding to the event loop. */
const SLICE = 500;

async function redactAll(pipe: Ner | undefined, texts: readonly string[], given: Plan): Promise<Redaction[]> {
  const plan = planFor(pipe, given);
  checkLabels(pipe, plan);
  const tick = ticker(plan.signal);
  const pieces = new Map<string, Piece>();
  const found: [Span, Piece][][] = [];
  for (const text of texts) {
    const spans: [Span, Piece][] = [];
    for (const span of await spansOf(pipe, text, plan)) {
      if (spans.length % SLICE === 0) await tick();
      const word = text.slice(span.start, span.end);
      const key = `${span.label}\n${word}`;
      const piece = pieces.get(key) ?? { label: span.label, word, placeholder: "" };
      pieces.set(key, piece);
      spans.push([span, piece]);
    }
    found.push(spans);
  }
  const words = await placeholders([...pieces.values()], texts, tick, plan.placeholder);
  const redactions: Redaction[] = [];
  for (const [n, text] of texts.entries()) {
    const redaction = await replaced(text, found[n]!, words, tick);
    // Names may form another placeholder together with the text around them.
    if ((await restoredSlowly(redaction.text, words, tick)) !== text)
      throw refuse("placeholder: got names that merge with the text around them, so the text could not be restored");
    redactions.push(redaction);
  }
  return redactions;
}

/** Rejects labels that nothing can find. A misspelt label would leave all its entities in the text. */
function checkLabels(pipe: Ner | undefined, { labels, patterns }: Plan): void {
  const id2label = pipe ? pipe.model.config.id2label : {};
  if (!labels || !id2label) return;
  const groups = Object.values(id2label).map((label) => label.slice(label.indexOf("-") + 1));
  const known = new Set([...groups, ...patterns.map((pattern) => PATTERN_LABELS[pattern])]);
  const unknown = labels.find((label) => !known.has(label));
  if (unknown !== undefined) throw refuse(`labels: expected some of ${[...known].join(", ")}, got "${unknown}"`);
}

/** Returns the spans to replace in a text, part by part. */
async function spansOf(pipe: Ner | undefined, text: string, plan: Plan): Promise<Span[]> {
  const tick = ticker(plan.signal);
  const spans: Span[] = [];
  for (const part of parts(text)) {
    await tick();
    const found = [...byRule(text, part, plan), ...(pipe ? await byModel(pipe, text, part, plan) : [])];
    // spans that reach over the seam between two parts
    while ((spans.at(-1)?.end ?? 0) > part.from) found.push(spans.pop()!);
    spans.push(...disjoint(text, found));
  }
  return spans;
}

const isOwn = ({ from, to }: Part, start: number) => start >= from && start < to;

function byRule(text: string, part: Part, { patterns, labels }: Plan): Span[] {
  const piece = text.slice(part.start, part.end);
  const wanted = patterns.filter((pattern) => !labels || labels.includes(PATTERN_LABELS[pattern]));
  return wanted.flatMap((pattern) =>
    PATTERNS[pattern](piece)
      .map(({ start, end }) => ({ start: part.start + start, end: part.start + end }))
      .filter(({ start }) => isOwn(part, start))
      .map((range) => ({ ...range, label: PATTERN_LABELS[pattern], score: 1, pattern })),
  );
}

async function byModel(pipe: Ner, text: string, part: Part, plan: Plan): Promise<Span[]> {
  const { labels, threshold, strategy: aggregation_strategy, signal } = plan;
  const groups = await pipe(text.slice(part.start, part.end), { aggregation_strategy, ...(signal && { signal }) });
  return groups
    .filter(({ entity_group, score }) => (!labels || labels.includes(entity_group)) && score >= threshold)
    .map(({ entity_group: label, score, start, end }) => ({
      label,
      score,
      start: part.start + start,
      end: part.start + end,
    }))
    .filter(({ start }) => isOwn(part, start));
}

/** Returns a text with spans replaced by placeholders. The spans must not overlap. */
async function replaced(
  text: string,
  spans: readonly [Span, Piece][],
  words: ReadonlyMap<string, Piece>,
  tick: () => Promise<void>,
): Promise<Redaction> {
  const parts: string[] = [];
  const entities: RedactedEntity[] = [];
  let before = 0;
  for (const [{ label: entity_group, score, start, end, pattern }, { word, placeholder }] of spans) {
    if (entities.length % SLICE === 0) await tick();
    parts.push(text.slice(before, start), placeholder);
    before = end;
    entities.push({ entity_group, score, word, start, end, placeholder, ...(pattern && { pattern }) });
  }
  const restore = (worked: string) => {
    if (typeof worked === "string") return restored(worked, words);
    throw refuse(`restore: expected a string, got ${kindOf(worked)}`);
  };
  return { text: parts.join("") + text.slice(before), entities, restore };
}
