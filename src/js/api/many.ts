// Calls of many inputs: iterables, progress, and streams of answers. Fetched by the first call that needs it.
import { abortable, signalOf, throwIfAborted } from "../abort.js";
import { WebertError } from "../errors.js";
import type { Task } from "../task-names.js";
import type { CallProgress, StreamOptions } from "../tasks.js";
import { isNumber, kindOf, optionsOf, shown } from "../values.js";

/** Number of inputs that are computed together, between two reports or in a stream. */
const BATCH = 32;

/** Computes the answers of a batch. `from` is the index of its first input. */
type Compute<A> = (batch: unknown[], from: number) => Promise<A[]>;

/** Returns an iterator over an iterable, an async iterable or a ReadableStream. */
function iteratorOf(source: object): AsyncIterator<unknown> | Iterator<unknown> {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: atOnce } = source as Partial<
    AsyncIterable<unknown> & Iterable<unknown>
  >;
  if (later) return later.call(source);
  if (atOnce) return atOnce.call(source);
  // Safari's ReadableStream is not iterable.
  const reader = (source as ReadableStream<unknown>).getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** Returns the arguments of a call with arrays in place of other collections of inputs. */
export async function collectedArguments(given: unknown[]): Promise<unknown[]> {
  const { signal } = (given.slice(1).reverse().find(isOptions) ?? {}) as { signal?: unknown };
  const collect = (value: unknown, n: number) =>
    n < 2 && isMany(value) && !Array.isArray(value) ? collected(value, signalOf({ signal })) : value;
  return Promise.all(given.map(collect));
}

/** Returns whether an argument is the options of a call. */
const isOptions = (value: unknown) => typeof value === "object" && value !== null && !isMany(value);

async function collected(source: object, signal: AbortSignal | undefined): Promise<unknown[]> {
  const inputs: unknown[] = [];
  for await (const batch of batches(source, Infinity, signal)) inputs.push(...batch);
  return inputs;
}

/** Yields inputs in batches of at most `size`. A batch is shorter if its source takes time for the next input. */
async function* batches(source: object, size: number, signal: AbortSignal | undefined): AsyncGenerator<unknown[]> {
  const inputs = iteratorOf(source);
  let isOver = false;
  const next = async () => inputs.next();
  try {
    let pending = next();
    pending.catch(() => {});
    while (!isOver) {
      const batch: unknown[] = [];
      while (batch.length < size) {
        const wait = batch.length ? Promise.race([pending, pause()]) : pending;
        const found = await abortable(wait, signal);
        if (!found) break;
        if (found.done) {
          isOver = true;
          break;
        }
        batch.push(found.value);
        if (batch.length < size) {
          pending = next();
          pending.catch(() => {});
        }
      }
      if (batch.length) yield batch;
      throwIfAborted(signal);
      if (!isOver && batch.length >= size) {
        pending = next();
        pending.catch(() => {});
      }
    }
  } finally {
    // Not awaited: a generator that waits for its next input would end only after it.
    if (!isOver) void Promise.resolve(inputs.return?.()).catch(() => {});
  }
}

/** Waits for a turn of the event loop. */
const pause = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 0));

type Callback = (progress: CallProgress) => unknown;

function callbackOf(name: string, given: unknown): Callback | undefined {
  if (given == null || typeof given === "function") return (given as Callback | null) ?? undefined;
  throw new WebertError("bad_input", `${name}: expected a function, got ${kindOf(given)}`);
}

function progressOf(loaded: number, total: number | undefined): CallProgress {
  const known = total === undefined ? {} : { total, progress: total ? (100 * loaded) / total : 100 };
  return { status: "call", loaded, ...known };
}

/**
 * Computes the answers of all inputs in batches. `callback` is called and awaited after each. If the task itself calls
 * it after each of its steps (`hasSteps`), all inputs are one batch. `from` is the index of the first input.
 */
export async function inBatches<A>(
  inputs: unknown[],
  callback: unknown,
  from: number,
  hasSteps: boolean,
  compute: (batch: unknown[], from: number, more?: object) => Promise<A[]>,
): Promise<A[]> {
  const tell = callbackOf("callback", callback) as ((event: object) => unknown) | undefined;
  if (hasSteps) {
    const shifted = (step: { input: number }) => tell?.({ ...step, input: step.input + from });
    return compute(inputs, from, { callback: shifted });
  }
  const answers: A[] = [];
  for (let at = 0; at < inputs.length; at += BATCH) {
    answers.push(...(await compute(inputs.slice(at, at + BATCH), at)));
    await tell?.(progressOf(answers.length, inputs.length));
  }
  return answers;
}

/** Returns the batch size of a stream. */
function sizeOf(batch_size: unknown): number {
  if (batch_size == null) return BATCH;
  if (isNumber(batch_size) && Number.isSafeInteger(Number(batch_size)) && Number(batch_size) > 0)
    return Number(batch_size);
  throw new WebertError("bad_input", `batch_size: expected a whole number of at least 1, got ${shown(batch_size)}`);
}

/** How many inputs a source has, if it tells. */
function countOf(source: object): number | undefined {
  if (Array.isArray(source)) return source.length;
  return source instanceof Set || source instanceof Map ? source.size : undefined;
}

/**
 * Yields the answer of each input, in their order. Inputs of a batch are read when the answers of the one before have
 * been taken.
 */
async function* streamed<A>(
  source: unknown,
  { batch_size, onProgress, signal }: StreamOptions & { signal?: AbortSignal | undefined },
  compute: Compute<A>,
): AsyncGenerator<A, void, undefined> {
  const size = sizeOf(batch_size);
  const tell = callbackOf("onProgress", onProgress);
  if (!isMany(source))
    throw new WebertError(
      "bad_input",
      `stream: expected an array, an iterable, an async iterable or a ReadableStream, got ${kindOf(source)}`,
    );
  const total = countOf(source);
  let loaded = 0;
  for await (const batch of batches(source, size, signal)) {
    const answers = await compute(batch, loaded);
    loaded += batch.length;
    await tell?.(progressOf(loaded, total));
    yield* answers;
  }
}

/** Returns whether a value is a collection of inputs. A string is one input. */
function isMany(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.iterator in value || Symbol.asyncIterator in value || "getReader" in value;
}

/** Tasks whose calls have two arguments before the options. */
const PAIRED: readonly Task[] = [
  "question-answering",
  "zero-shot-classification",
  "zero-shot-token-classification",
  "next-sentence-prediction",
  "multiple-choice",
  "text-ranking",
];

/** Yields the answer of each input of `pipe.stream(...args)`: see `Streams` in tasks.ts. `run` computes a call. */
export async function* stream(
  task: Task,
  args: unknown[],
  run: (call: unknown[], from: number) => Promise<unknown[]>,
): AsyncGenerator<unknown, void, undefined> {
  const isPaired = PAIRED.includes(task);
  const second = isPaired && args[1] !== undefined && !isOptions(args[1]) ? args[1] : undefined;
  const given = optionsOf<Record<string, unknown>>(second === undefined ? args[1] : args[2]);
  const { batch_size, onProgress, ...options } = given as StreamOptions & Record<string, unknown>;
  if (options.quantize && /int8/.test(String(options.precision)) && !options.ranges)
    throw new WebertError(
      "bad_input",
      "ranges: expected the range of each dimension, as a stream does not know all texts",
    );
  const compute = (batch: unknown[], from: number) => {
    if (!isPaired) return run([batch, options], from);
    const call = second === undefined ? pairsOf(batch, from) : [batch, sharedBy(task, second, batch.length)];
    return run([...call, options], from);
  };
  yield* streamed(args[0], { batch_size, onProgress, signal: signalOf(options) }, compute);
}

/** Returns the first and the second parts of pairs. */
function pairsOf(batch: unknown[], from: number): [unknown[], unknown[]] {
  const pairs = batch as unknown[][];
  const wrong = batch.findIndex((pair) => !Array.isArray(pair) || pair.length !== 2);
  if (wrong < 0) return [pairs.map(([first]) => first), pairs.map(([, second]) => second)];
  throw new WebertError(
    "bad_input",
    `stream: input ${from + wrong + 1}: expected an array of two, as no second argument is given for all inputs`,
  );
}

/** Returns the second argument of a call of `count` inputs that share it. */
function sharedBy(task: Task, second: unknown, count: number): unknown {
  const isOneForAll = task.startsWith("zero-shot") || task === "question-answering";
  return isOneForAll ? second : Array.from({ length: count }, () => second);
}
