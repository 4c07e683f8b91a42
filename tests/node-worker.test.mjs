// `worker: true` in Node over the built package: the same answers, a free event loop, and a process that ends.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { test as plainTest } from "node:test";
import { pipeline, Trainer, trainTokenizer } from "../dist/node.js";
import { fails } from "./fails.mjs";

const test = (name, body) => plainTest(name, { timeout: 120_000 }, body);
const entry = JSON.stringify(new URL("../dist/node.js", import.meta.url).href);
const texts = Array.from({ length: 24 }, (_, n) => `${"a long text about the soup ".repeat(60)}${n}`);

/** The result of `work`, and the share of its time in which the event loop was busy. */
async function utilization(work) {
  const before = performance.eventLoopUtilization();
  const result = await work();
  return { result, busy: performance.eventLoopUtilization(before).utilization };
}

/** Runs a program and returns its output, code and duration. */
async function run(program) {
  const child = spawn(process.execPath, [
    "--input-type=module",
    "-e",
    `import { pipeline } from ${entry};\n${program}`,
  ]);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const [out, error, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), exited]);
  return { out: out.trim(), error, code };
}

test("a model in a Worker gives the same answers and leaves the event loop free", async () => {
  const [here, there] = await Promise.all([
    pipeline("text-classification", null, { threads: 1 }),
    pipeline("text-classification", null, { threads: 1, worker: true }),
  ]);
  assert.deepEqual(there.info, here.info);
  const inThread = await utilization(() => here(texts));
  const inWorker = await utilization(() => there(texts));
  const expected = inThread.result;
  assert.deepEqual(inWorker.result, expected);
  assert.ok(inWorker.busy < inThread.busy / 2, `busy for ${inWorker.busy}, in this thread for ${inThread.busy}`);
  assert.deepEqual(there.tokenizer("the soup").input_ids.tolist(), here.tokenizer("the soup").input_ids.tolist());
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 20);
  await fails(there(texts, { signal: stop.signal }), "aborted", /abort/);
  assert.deepEqual(await there(texts[0]), [expected[0]]);
  await fails(there(3), "bad_input", /text 1/);
  await there.dispose();
  await fails(there("x"), "disposed", /disposed/);
  await here.dispose();
});

test("a process waits for a call in a Worker, and ends although the model is not disposed of", async () => {
  const { out, error, code } = await run(`
const classify = await pipeline("text-classification", null, { threads: 2, worker: true });
classify("a fine soup").then(([{ label }]) => console.log(label));`);
  assert.deepEqual([out, error, code], ["positive", "", 0]);
});

test("a process that exits during a call ends its Workers", async () => {
  const { out, code } = await run(`
const classify = await pipeline("text-classification", null, { worker: true });
classify(Array(5000).fill("a fine soup")).then(() => console.log("done"));
setTimeout(() => process.exit(3), 50);`);
  assert.deepEqual([out, code], ["", 3]);
});

test("names a model that is missing, and a fetch function that a Worker cannot call", async () => {
  const missing = join(import.meta.dirname, "nowhere");
  await fails(pipeline("fill-mask", missing, { worker: true }), "not_found", /nowhere/);
  const { out } = await run(`
import { env } from ${entry};
env.fetch = async () => new Response("");
await pipeline("fill-mask", "owner/name", { worker: true }).catch(({ code, message }) => console.log(code, message));`);
  assert.match(out, /^unsupported worker: a Worker can call neither env\.fetch/);
});

test("trains in a Worker, and makes a vocabulary there", async () => {
  const rows = [
    { text: "a fine soup", label: "good" },
    { text: "a cold soup", label: "bad" },
  ];
  const losses = [];
  for (const worker of [false, true]) {
    const trainer = await Trainer.from_pretrained("text-classification", null, {
      labels: ["good", "bad"],
      freeze: "encoder",
      threads: 1,
      worker,
    });
    const events = [];
    const { training_loss } = await trainer.train(rows, { max_steps: 2, callback: ({ type }) => events.push(type) });
    assert.ok(events.includes("step"));
    losses.push(training_loss);
    await trainer.dispose();
  }
  assert.equal(losses[0], losses[1]);
  const words = ["the soup was cold", "the soup was fine"];
  const made = await Promise.all([true, false].map((worker) => trainTokenizer(words, { vocab_size: 60, worker })));
  const read = async ({ files }) => files["vocab.txt"].text();
  assert.equal(await read(made[0]), await read(made[1]));
});

test("relaxed SIMD is taken only where the engine is recent enough to compile it well", async () => {
  const taken = async (change) => {
    const program = `
      import { setFlagsFromString } from "node:v8";
      setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 20 has it behind this flag, later versions always
      Reflect.deleteProperty(RegExp, "escape");
      ${change}
      const model = await pipeline("text-classification", undefined, { worker: false });
      console.log(model.info.simd);
      await model.dispose();`;
    return (await run(program)).out;
  };
  const [older, newer] = await Promise.all([taken(""), taken("RegExp.escape = String;")]);
  assert.match(older, /^simd128/);
  assert.match(newer, /^relaxed/);
});
