// `redact` and sessions over it: find the spans, choose what stands for them, and replace them.
import { type Tick, ticker } from "../abort.js";
import type { PipelineFunction } from "../api/pipeline.js";
import type { ModelOptions } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { kindOf, optionsOf } from "../values.js";
import { spansOf } from "./find.js";
import { isReader, planFor, readerOf, type TokenClassifier } from "./gliner.js";
import { KeptModel } from "./kept-model.js";
import { hashOf, Memory, type RedactedText, replacementOf } from "./memory.js";
import { placeholders } from "./placeholders.js";
import { checkLabels, givenOptions, OWN, type Plan, planOf, refuse } from "./plan.js";
import { masked, replacement } from "./replace.js";
import type { Span } from "./span-types.js";
import { restoring } from "./stream.js";
import { keyOf, type Thing } from "./things.js";
import type { RedactedEntity, Redaction, RedactionSession, RedactOptions, Restored, SavedRedactor } from "./types.js";

/** The functions of `redact` and `createRedactor`. */
interface Redactor {
  redact(input: unknown, options?: unknown): Promise<unknown>;
  session(options?: unknown, saved?: SavedRedactor): Omit<RedactionSession, "ready">;
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
  let last: Recent | undefined;
  const run = async (input: unknown, options: RedactOptions, memory: Memory, recent?: Recent) => {
    const texts = textsOf(input);
    const plan = planOf(options);
    const work = (pipe: TokenClassifier | undefined) => redactAll(pipe, texts, plan, memory, recent);
    const redactions = await withModel(kept, options, work);
    return Array.isArray(input) ? redactions : redactions[0];
  };
  const redact = async (input: unknown, asked?: unknown) => {
    try {
      const memory = new Memory(seedOf(asked));
      const redaction = await run(input, givenOptions(asked), memory, last);
      last = recentOf(memory) ?? last;
      return redaction;
    } catch (error) {
      throw WebertError.from(error);
    }
  };
  return { redact, session: (options, saved) => sessionOf(run, options, saved), dispose: () => kept.dispose() };
}

/** Returns the secret of surrogates and shifted dates: the salt, or a random one. */
function seedOf(asked: unknown): string {
  const { salt } = (asked ?? {}) as RedactOptions;
  return typeof salt === "string" && salt
    ? salt
    : Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join("");
}

type RedactInput = (input: unknown, options: RedactOptions, memory: Memory) => Promise<unknown>;

function sessionOf(run: RedactInput, asked: unknown, saved?: SavedRedactor): Omit<RedactionSession, "ready"> {
  const options = givenOptions(asked);
  planOf(options); // rejects wrong options before the first call
  const memory = saved ? Memory.from(saved) : new Memory(seedOf(asked));
  let turn: Promise<unknown> = Promise.resolve();
  const redact = async (input: unknown, call?: unknown) => {
    const { signal } = optionsOf<{ signal?: AbortSignal }>(call as object);
    const before = turn;
    const work = async () => {
      await before.catch(() => {}); // calls of a session follow each other, so that numbers do not collide
      return run(input, { ...options, ...(signal && { signal }) }, memory);
    };
    const result = work();
    turn = result.catch(() => {});
    return result.catch((error) => {
      throw WebertError.from(error);
    });
  };
  return {
    redact: redact as RedactionSession["redact"],
    restore: (text: string): Restored => memory.restore(text),
    restoreStream: () => restoring(memory),
    toJSON: () => memory.toJSON(),
  };
}

/**
 * What the last call handed out: only hashes, no words. A text that contains these placeholders continues the same
 * conversation, so that the same words get the same placeholders in it.
 */
interface Recent {
  seed: number;
  byHash: Map<string, string>;
  given: Set<string>;
}

/** Maximum number of placeholders that are remembered from one call to the next. */
const MAX_RECENT = 10_000;

const hashesOf = ({ label, forms }: Thing, seed: number) =>
  forms.map((form) => hashOf(`${label}\n${keyOf(label, form)}`, seed));

function recentOf({ things, names }: Memory): Recent | undefined {
  if (!names.given.size || names.given.size > MAX_RECENT) return undefined;
  const seed = Math.floor(Math.random() * 2 ** 31);
  const known = things.all.filter(({ placeholder }) => names.given.has(placeholder));
  const byHash = new Map(
    known.flatMap((thing) => hashesOf(thing, seed).map((hash) => [hash, thing.placeholder] as const)),
  );
  return { seed, byHash, given: new Set(names.given.keys()) };
}

/** Gives things the placeholders of the last call if the texts contain some of these and no others. */
function continued(
  texts: readonly string[],
  fresh: readonly Thing[],
  memory: Memory,
  recent: Recent | undefined,
): void {
  if (!recent || fresh.length > MAX_RECENT) return;
  const standing = texts.flatMap((text) => (text.includes("[") ? (text.match(/\[[^[\]\n]{1,200}_\d+\]/g) ?? []) : []));
  if (!standing.length || standing.some((word) => !recent.given.has(word))) return;
  for (const word of recent.given) memory.names.taken.add(word);
  for (const thing of fresh) {
    const hash = hashesOf(thing, recent.seed).find((hash) => recent.byHash.has(hash));
    const placeholder = hash && recent.byHash.get(hash);
    if (!placeholder || memory.names.given.has(placeholder)) continue;
    thing.placeholder = placeholder;
    memory.names.given.set(placeholder, thing);
  }
}

function textsOf(given: unknown): string[] {
  return (Array.isArray(given) ? Array.from(given) : [given]).map((text: unknown, n) => {
    if (typeof text === "string") return text;
    throw refuse(`text ${n + 1}: expected a string, got ${kindOf(text)}`);
  });
}

/** Runs `work` with the pipeline to use, if any. */
async function withModel<T>(
  kept: KeptModel,
  options: RedactOptions,
  work: (pipe: TokenClassifier | undefined) => Promise<T>,
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
  return work(model ? readerOf(model as TokenClassifier, options) : undefined);
}

/** How many spans to process before yielding to the event loop. */
const SLICE = 500;

/** A span with what it names and its spelling. */
type Placed = [Span, Thing, string];

async function redactAll(
  pipe: TokenClassifier | undefined,
  texts: readonly string[],
  given: Plan,
  memory: Memory,
  recent?: Recent,
): Promise<Redaction[]> {
  const plan = planFor(pipe, given);
  for (const label of checkLabels(pipe, plan)) memory.labels.add(label);
  const tick = ticker(plan.signal);
  const before = memory.things.all.length;
  const found: Placed[][] = [];
  const done = progressOf(texts, plan);
  for (const text of texts) found.push(await placed(text, await spansOf(pipe, text, plan, done), memory, tick));
  const fresh = memory.things.all.slice(before);
  try {
    await named(fresh, texts, plan, memory, tick, recent);
    const redactions: Redaction[] = [];
    for (const [n, text] of texts.entries()) redactions.push(await replaced(text, found[n]!, memory, plan, tick));
    return redactions;
  } catch (error) {
    memory.things.forget(before, memory.names.given);
    throw error;
  }
}

async function placed(text: string, spans: readonly Span[], { things }: Memory, tick: Tick): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const span of spans) {
    if (found.length % SLICE === 0) await tick();
    const word = text.slice(span.start, span.end);
    const whole = span.whole ? text.slice(span.whole.start, span.whole.end) : word;
    found.push([span, things.of(span.label, whole, word), word]);
  }
  return found;
}

function progressOf(texts: readonly string[], { onProgress }: Plan): (units: number) => void {
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  let loaded = 0;
  return (units) => {
    loaded = Math.min(total, loaded + units);
    onProgress?.({ status: "call", loaded, total, progress: total ? (100 * loaded) / total : 100 });
  };
}

/** Chooses what stands for each of the things. */
async function named(
  fresh: readonly Thing[],
  texts: readonly string[],
  plan: Plan,
  memory: Memory,
  tick: Tick,
  recent?: Recent,
): Promise<void> {
  const { given } = memory.names;
  if (!plan.placeholder) continued(texts, fresh, memory, recent);
  const rest: Thing[] = [];
  const isTaken = (word: string) => given.has(word) || texts.some((text) => text.includes(word));
  for (const [n, thing] of fresh.entries()) {
    if (n % SLICE === 0) await tick();
    if (thing.placeholder) continue;
    const way = plan.way(thing.label);
    if (way === "mask" || way === "last4") {
      thing.byForm = Object.fromEntries(thing.forms.map((form) => [form, masked(form, way === "last4" ? 4 : 0)]));
      thing.placeholder = thing.byForm[thing.forms[thing.main]!]!;
      continue;
    }
    const other = way === "placeholder" ? undefined : await replacement(thing, way, plan.salt ?? memory.seed, isTaken);
    if (other === undefined) {
      rest.push(thing);
      continue;
    }
    thing.placeholder = other;
    given.set(other, thing);
  }
  await placeholders(rest, memory.names, texts, tick, plan.placeholder);
}

/** Returns a text with spans replaced. The spans must not overlap. */
async function replaced(
  text: string,
  spans: readonly Placed[],
  memory: Memory,
  { way }: Plan,
  tick: Tick,
): Promise<Redaction> {
  const parts: string[] = [];
  const entities: RedactedEntity[] = [];
  const places: [number, Thing, string][] = [];
  const starts: number[] = [];
  let [before, length] = [0, 0];
  for (const [{ label: entity_group, score, start, end, pattern }, thing, word] of spans) {
    if (entities.length % SLICE === 0) await tick();
    if (thing.byForm) thing.byForm[word] ??= masked(word, way(thing.label) === "last4" ? 4 : 0);
    const placeholder = replacementOf(thing, word);
    parts.push(text.slice(before, start), placeholder);
    length += start - before;
    places.push([length, thing, word]);
    if (!thing.byForm) starts.push(length);
    length += placeholder.length;
    before = end;
    entities.push({ entity_group, score, word, start, end, placeholder, ...(pattern && { pattern }) });
  }
  const redacted = parts.join("") + text.slice(before);
  await memory.check(redacted, starts, memory.names.given, tick);
  const kept = memory.keep(redacted, places);
  return { text: redacted, entities, restore: (worked: string) => restored(memory, worked, kept) };
}

/** Returns a restored text. With placeholders that nobody was given it is an object, whose `toString` returns the text. */
function restored(memory: Memory, text: string, own: RedactedText): string | Restored {
  const result = memory.restore(text, own);
  if (!result.unknown.length) return result.text;
  return Object.defineProperty({ ...result }, "toString", { value: () => result.text });
}
