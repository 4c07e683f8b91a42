// Models of one checkpoint over one encoder, on the real wasm side: the same answers as alone, and the memory of one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { env, pipeline } from "../dist/node.js";
import { blank, withPage } from "./browser.mjs";

const MiB = 2 ** 20;
const GAP = "Paris is the [MASK] of France.";
const FILM = "What a wonderful film.";
const LOADS = {
  "fill-mask": (run) => run(GAP),
  "text-classification": (run) => run(FILM),
  "feature-extraction": async (run) => [...(await run(FILM, { pooling: "mean" })).data],
};
/** The models of these tasks, over the masked model's unchanged encoder. */
const SOURCES = { "feature-extraction": env.defaultModels["fill-mask"] };

test("Node: three models over one encoder answer like each alone, in the memory of one", async () => {
  const memories = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...args) => {
    const result = await instantiate(...args);
    memories.push((result.instance ?? result).exports.memory);
    return result;
  };
  const used = () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) / MiB;
  try {
    const options = { threads: 1 };
    const alone = {};
    for (const [task, call] of Object.entries(LOADS)) {
      const run = await pipeline(task, SOURCES[task], options);
      alone[task] = await call(run);
      await run.dispose();
    }
    const one = used();
    const runs = await Promise.all(Object.keys(LOADS).map((task) => pipeline(task, SOURCES[task], options)));
    for (const run of runs) assert.deepEqual(await LOADS[run.task](run), alone[run.task], run.task);
    console.log(`WebAssembly memory: ${one} MiB of one model at a time, ${used()} MiB of three at once`);
    assert.ok(memories.length > 0 && used() < one + 4, `${used()} MiB, of one model at a time ${one}`);
    const heads = runs.map(({ info }) => info.head);
    assert.deepEqual(heads, ["masked-lm", "sequence-classification", "none"]);
    await runs[0].dispose();
    assert.deepEqual(await LOADS["text-classification"](runs[1]), alone["text-classification"]);
    await Promise.all(runs.map((run) => run.dispose()));
  } finally {
    WebAssembly.instantiate = instantiate;
  }
});

/** Tasks whose models of the package have different adapters of one encoder, or none, and a call of each. */
const ADAPTED = {
  "fill-mask": LOADS["fill-mask"],
  "feature-extraction": LOADS["feature-extraction"],
  "token-classification": (run) => run("Marie Curie was born in Warsaw."),
};

test("Node: models with adapters share the matrices that these do not change, and answer like each alone", async () => {
  const options = { device: "wasm", threads: 1 };
  const load = (task, model) => pipeline(task, model, options);
  const tasks = Object.keys(ADAPTED);
  const alone = {};
  for (const task of tasks) {
    const run = await load(task);
    assert.equal(run.info.shared_bytes, 0, task);
    alone[task] = { answer: await ADAPTED[task](run), bytes: run.info.bytes };
    await run.dispose();
  }
  const check = async (run) => assert.deepEqual(await ADAPTED[run.task](run), alone[run.task].answer, run.task);
  for (const order of [tasks, [...tasks].reverse()]) {
    const runs = [];
    for (const task of order) runs.push(await load(task));
    const again = await load("token-classification");
    // The models run in turns, so a model that changes another's weights fails the check.
    for (let turn = 0; turn < 2; turn++) for (const run of [...runs, again]) await check(run);
    for (const { info, task } of runs) assert.equal(info.bytes, alone[task].bytes, task);
    const own = runs.map(({ info }) => info.bytes - info.shared_bytes);
    const all = own.reduce((sum, bytes) => sum + bytes);
    console.log(`${order.join(", ")}: ${own.join(", ")} bytes of their own`);
    const [words, sum] = [29_528 * 384, tasks.reduce((sum, task) => sum + alone[task].bytes, 0)];
    assert.ok(all < sum - words, `${all} bytes, one by one ${sum}`);
    // Each model keeps what it needs when another one goes, and what was freed loads again.
    await runs[0].dispose();
    for (const run of [runs[1], runs[2], again]) await check(run);
    const first = await load(order[0]);
    await Promise.all([runs[1], again].map((run) => run.dispose()));
    for (const run of [first, runs[2]]) await check(run);
    await Promise.all([first, runs[2]].map((run) => run.dispose()));
  }
  const plain = await load("feature-extraction", env.defaultModels["fill-mask"]);
  const vector = await ADAPTED["feature-extraction"](plain);
  assert.notDeepEqual(vector, alone["feature-extraction"].answer, "the adapter changes nothing");
  await plain.dispose();
});

test("Chromium: models with adapters have the Worker of the encoder that they change", async () => {
  await withPage({ path: blank }, async (page) => {
    const found = await page.evaluate(async () => {
      const { pipeline } = await import("/dist/index.js");
      const options = { threads: 1, device: "wasm" };
      const unmask = await pipeline("fill-mask", undefined, options);
      const [embed, label] = await Promise.all([
        pipeline("feature-extraction", undefined, options),
        pipeline("token-classification", undefined, options),
      ]);
      await unmask.dispose();
      const entities = await label("Marie Curie was born in Warsaw.", { aggregation_strategy: "simple" });
      const { dims } = await embed("a", { pooling: "mean" });
      return [entities.map(({ word }) => word), dims, label.info.shared_bytes > 1e7];
    });
    assert.deepEqual(found, [["marie curie", "warsaw"], [1, 384], true]);
    assert.equal(page.workers().length, 1);
  });
});

test("Chromium: models over one encoder have one Worker, which ends with the last; the encoder is fetched once", async () => {
  await withPage({ path: blank }, async (page) => {
    const fetched = [];
    page.context().on("requestfinished", (request) => fetched.push(new URL(request.url()).pathname));
    const load = () =>
      page.evaluate(async () => {
        const { pipeline, AutoModelForMaskedLM, AutoModelForSequenceClassification, env } = await import(
          "/dist/index.js"
        );
        const options = { threads: 1, device: "wasm" };
        const [unmask, judge, model, classifier] = await Promise.all([
          pipeline("fill-mask", undefined, options),
          pipeline("text-classification", undefined, options),
          AutoModelForMaskedLM.from_pretrained(env.defaultModels["fill-mask"], options),
          AutoModelForSequenceClassification.from_pretrained(env.defaultModels["text-classification"], options),
        ]);
        Object.assign(window, { unmask, judge, model, classifier });
      });
    const answers = () =>
      page.evaluate(async () => [
        (await window.unmask("Paris is the [MASK] of France."))[0].token_str,
        (await window.judge("What a wonderful film."))[0].label,
        (await window.model({ input_ids: [101, 103, 102] })).logits.dims,
      ]);
    await load();
    assert.equal(page.workers().length, 1);
    assert.deepEqual(await answers(), ["capital", "positive", [1, 3, 29528]]);
    const encoders = fetched.filter((path) => path.endsWith("minilm-mlm/model.safetensors"));
    // The heads of both masked LMs are in the encoder's file. Whichever model is the first reads all of the file, and a masked
    // LM that is not the first reads its head there, so of the four models only the classifiers may leave a request out.
    assert.ok(encoders.length <= 3, `${encoders.length} requests of the encoder for 4 models`);
    await page.evaluate(() => window.unmask.dispose());
    assert.equal(page.workers().length, 1);
    assert.equal(await page.evaluate(async () => (await window.judge("Awful."))[0].label), "negative");
    await page.evaluate(() =>
      Promise.all([window.judge, window.model, window.classifier].map((model) => model.dispose())),
    );
    for (let wait = 0; wait < 100 && page.workers().length; wait++) await new Promise((later) => setTimeout(later, 50));
    assert.equal(page.workers().length, 0);
    await load();
    assert.deepEqual((await answers()).slice(0, 2), ["capital", "positive"]);
  });
});
