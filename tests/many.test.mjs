// Calls of many inputs through the public API over the built package: collections, progress and streams.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { pipeline } from "../dist/node.js";
import { fails } from "./fails.mjs";

const models = join(import.meta.dirname, "goldens/models");
const open = [];
const load = async (task, name) => {
  const pipe = await pipeline(task, name && join(models, name), { dtype: "fp32", threads: 1 });
  open.push(pipe);
  return pipe;
};
after(() => Promise.all(open.map((pipe) => pipe.dispose())));
const all = async (answers) => {
  const found = [];
  for await (const answer of answers) found.push(answer);
  return found;
};

const texts = Array.from({ length: 70 }, (_, n) => `${"the teacher walked to the bridge ".repeat((n % 4) + 1)}${n}`);
const classify = await load("text-classification");

const collections = {
  "a Set": () => new Set(texts),
  "a generator": function* () {
    yield* texts;
  },
  "an async generator": async function* () {
    for (const text of texts) {
      await null;
      yield text;
    }
  },
  "a stream": () => new Blob([texts.join("\n")]).stream().pipeThrough(new TextDecoderStream()).pipeThrough(lines()),
  "a stream without an async iterator": () => {
    const stream = collections["a stream"]();
    return { getReader: () => stream.getReader() };
  },
};
function lines() {
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const found = (rest + chunk).split("\n");
      rest = found.pop();
      for (const line of found) controller.enqueue(line);
    },
    flush: (controller) => controller.enqueue(rest),
  });
}

for (const [name, make] of Object.entries(collections)) {
  test(`a call and a stream take ${name} and answer as for an array`, async () => {
    const expected = await classify(texts);
    assert.equal(expected.length, texts.length);
    assert.deepEqual(await classify(make()), expected);
    assert.deepEqual(await all(classify.stream(make())), expected);
    assert.deepEqual(await all(classify.stream(make(), { batch_size: 3 })), expected);
  });
}

/** Calls of each task with arrays, as arguments of a call and of a stream. */
const tasks = {
  "fill-mask": ["bert-mlm", [["the [MASK] walked", "to [MASK] school"], { top_k: 2 }]],
  "token-classification": ["bert-tokencls-bio", [["alice walked to paris", "bob"], { aggregation_strategy: "simple" }]],
  "zero-shot-classification": [
    "bert-seqcls-nli",
    [
      ["the teacher walked", "a bridge"],
      ["school", "water"],
    ],
  ],
  "question-answering": ["bert-qa", [["who walked", "where"], "alice walked to paris"]],
  "next-sentence-prediction": [
    "bert-pretraining",
    [
      ["the teacher", "a bridge"],
      ["walked", "to school"],
    ],
    "pairs",
  ],
  "multiple-choice": [
    "bert-multiplechoice",
    [
      ["the teacher", "a bridge"],
      [
        ["walked", "to"],
        ["school", "water"],
      ],
    ],
    "pairs",
  ],
};
for (const [task, [model, args, pairs]] of Object.entries(tasks)) {
  test(`${task} streams the answers of a call`, async () => {
    const pipe = await load(task, model);
    const expected = await pipe(...args);
    const [first, second, ...rest] = args;
    const given = pairs ? [first.map((text, n) => [text, second[n]]), ...rest] : args;
    assert.deepEqual(await all(pipe.stream(...given)), expected);
    assert.equal(expected.length, 2);
    if (pairs) {
      assert.deepEqual(await pipe(new Set(first), second.values()), expected);
      await fails(all(pipe.stream(first)), "bad_input", /input 1: expected an array of two/);
    }
  });
}

test("feature-extraction streams one Tensor per text", async () => {
  const embed = await load("feature-extraction", "bert-mlm");
  const options = { pooling: "mean", normalize: true };
  const together = await embed(new Set(["a bridge", "the teacher walked"]), options);
  const streamed = await all(embed.stream(["a bridge", "the teacher walked"], options));
  assert.deepEqual(
    streamed.map(({ dims }) => dims),
    [
      [1, together.dims[1]],
      [1, together.dims[1]],
    ],
  );
  assert.deepEqual(
    streamed.map((tensor) => tensor.tolist()[0]),
    together.tolist(),
  );
  await fails(all(embed.stream(["a"], { quantize: true, precision: "int8" })), "bad_input", /ranges/);
});

test("a stream reads its source batch by batch as its answers are taken, and ends it", async () => {
  let [read, ended] = [0, false];
  async function* endless() {
    try {
      for (;;) yield `text ${++read}`;
    } finally {
      ended = true;
    }
  }
  let taken = 0;
  for await (const _ of classify.stream(endless(), { batch_size: 4 })) {
    taken++;
    assert.ok(read <= 4 * Math.ceil(taken / 4) + 1, `${read} read, ${taken} taken`);
    if (taken === 10) break;
  }
  await new Promise(setImmediate);
  assert.ok(ended);
});

test("a stream does not wait for a full batch of a slow source", async () => {
  let go;
  const later = new Promise((resolve) => (go = resolve));
  async function* slow() {
    yield "first";
    await later;
    yield "second";
  }
  const answers = classify.stream(slow());
  assert.equal((await answers.next()).done, false);
  go();
  assert.equal((await answers.next()).done, false);
  assert.equal((await answers.next()).done, true);
});

test("reports progress of a call and of a stream", async () => {
  const events = [];
  await classify(texts, { callback: async (event) => events.push(event) });
  assert.deepEqual(
    events.map(({ status, loaded, total }) => [status, loaded, total]),
    [
      ["call", 32, 70],
      ["call", 64, 70],
      ["call", 70, 70],
    ],
  );
  assert.equal(events.at(-1).progress, 100);
  events.length = 0;
  await all(classify.stream(new Set(texts), { batch_size: 50, onProgress: (event) => events.push(event.progress) }));
  assert.deepEqual(events, [(100 * 50) / 70, 100]);
  events.length = 0;
  await all(
    classify.stream(collections["a generator"](), { batch_size: 50, onProgress: (event) => events.push(event) }),
  );
  assert.deepEqual(events, [
    { status: "call", loaded: 50 },
    { status: "call", loaded: 70 },
  ]);
});

test("a strategy's steps count the inputs of a whole stream", async () => {
  const unmask = await load("fill-mask", "bert-mlm");
  const inputs = [];
  const callback = ({ input }) => inputs.push(input);
  const given = ["the [MASK] walked", "to [MASK]", "a [MASK]"];
  await all(unmask.stream(given, { strategy: "left-to-right", callback, batch_size: 2 }));
  assert.deepEqual(inputs, [0, 1, 2]);
});

test("an abort ends a stream that waits or computes, and the pipeline stays usable", async () => {
  const controller = new AbortController();
  const waits = classify.stream(
    (async function* () {
      await new Promise(() => {});
      yield "never";
    })(),
    { signal: controller.signal },
  );
  const waiting = waits.next();
  setTimeout(() => controller.abort(), 10);
  await fails(waiting, "aborted", /abort/);
  const second = new AbortController();
  const computing = all(classify.stream(Array(2000).fill("a long text about a bridge"), { signal: second.signal }));
  setTimeout(() => second.abort(), 30);
  await fails(computing, "aborted", /abort/);
  assert.equal((await classify("a fine soup")).length, 1);
});

test("names what is wrong", async () => {
  await fails(all(classify.stream("one text")), "bad_input", /stream: expected an array.*got string/);
  await fails(all(classify.stream(["x"], { batch_size: 0 })), "bad_input", /batch_size/);
  await fails(all(classify.stream(["x"], { onProgress: 3 })), "bad_input", /onProgress/);
  await fails(all(classify.stream(["x", 3])), "bad_input", /text 2/);
  await fails(all(classify.stream(["x"], { topk_: 3 })), "bad_input", /topk_/);
  await fails(classify(["x"], { callback: 3 }), "bad_input", /callback/);
  const broken = (async function* () {
    yield "x";
    throw new Error("the disk is gone");
  })();
  await fails(all(classify.stream(broken)), "bad_input", /the disk is gone/);
});
