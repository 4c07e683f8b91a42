// Calls of one model in turns, and what ends them or a load: signals, lost GPUs, dispose. src/js over fake-wasm.mjs.
import assert from "node:assert/strict";
import { withGpu } from "./over-fake.mjs";
import { fails, fill, model, origin, routes, test, wasm, webert } from "./over-server.mjs";

test("calls of one model take turns; a waiting or running call can be stopped", async () => {
  const pipe = await webert.pipeline("zero-shot-classification", `${origin}/m`);
  const slow = new AbortController();
  const waiting = new AbortController();
  const first = pipe("first", "a", { hypothesis_template: "slow", signal: slow.signal });
  const second = pipe("second", "a", { hypothesis_template: "slow", signal: waiting.signal });
  const third = pipe("third", "a");
  assert.deepEqual((await third).input, ["third", ["a"]], "while the others are under way");
  assert.equal(wasm.state.running, 2);
  waiting.abort();
  await fails(second, "aborted");
  const passes = wasm.state.ticks;
  slow.abort();
  await fails(first, "aborted");
  assert.ok(wasm.state.ticks - passes <= 1, "at most the pass that runs continues");
  assert.deepEqual((await pipe("fourth", "a")).input, ["fourth", ["a"]]);
  assert.deepEqual([wasm.state.overlaps, wasm.state.running], [0, 0]);
  await fails(pipe("x", "a", { signal: AbortSignal.abort() }), "aborted");
  await pipe.dispose();
});

test("calls of several passes take turns pass by pass; one of a single pass begins and ends in one turn", async () => {
  const pipe = await webert.pipeline("zero-shot-classification", `${origin}/m`);
  const ended = [];
  const call = (name, hypothesis_template) => pipe(name, "a", { hypothesis_template }).then(() => ended.push(name));
  const calls = [call("long 1", "long"), call("long 2", "long")];
  const most = { running: 0 };
  for (let i = 0; i < 30; i++)
    calls.push(call("short").then(() => (most.running = Math.max(most.running, wasm.state.running))));
  await Promise.all(calls);
  assert.deepEqual(ended.slice(-2), ["long 1", "long 2"]);
  assert.ok(most.running <= 3, `${most.running} calls were begun at a time`);
  assert.equal(wasm.state.overlaps, 0);
  await pipe.dispose();
});

test("many short calls do not block the event loop", async () => {
  const pipe = await fill(`${origin}/m`);
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const start = performance.now();
  for (let i = 0; i < 150; i++) await pipe("x"); // 1 ms each
  const time = performance.now() - start;
  isOver = true;
  assert.ok(turns >= 10, `${turns} turns in ${time} ms`);
  await pipe.dispose();
});

test("waiting calls leave no listeners, and Node does not warn", async () => {
  const warnings = [];
  const warn = (warning) => warnings.push(String(warning));
  process.on("warning", warn);
  const pipe = await fill(`${origin}/m`);
  await Promise.all(Array.from({ length: 40 }, () => pipe("x")));
  await pipe.dispose();
  await new Promise((done) => setImmediate(done));
  process.off("warning", warn);
  assert.deepEqual(warnings, []);
});

test("a signal ends a load during the search for a GPU, and later results are freed", async () => {
  let found;
  await withGpu(
    wasm,
    () => new Promise((done) => (found = done)),
    async () => {
      const loaders = {
        pipeline: fill,
        tokenizer: webert.AutoTokenizer.from_pretrained,
        model: webert.AutoModel.from_pretrained,
      };
      for (const [name, load] of Object.entries(loaders)) {
        const { live } = wasm.state;
        const stop = new AbortController();
        const loading = load(`${origin}/m`, { signal: stop.signal });
        loading.catch(() => {});
        // ends if the load shares an engine that a failed test has left, for which no GPU is searched
        for (let n = 0; !found && n < 400; n++) await new Promise((done) => setTimeout(done, 5));
        assert.ok(found, `${name}: a GPU is searched`);
        stop.abort();
        const won = await Promise.race([
          loading.then(
            () => "loaded",
            ({ code }) => code,
          ),
          new Promise((done) => setTimeout(done, 1000, "still waiting")),
        ]);
        assert.equal(won, "aborted", name);
        found(null);
        found = undefined;
        await new Promise((done) => setTimeout(done, 50));
        assert.equal(wasm.state.live, live, name);
      }
    },
  );
});

test("after a lost GPU the CPU answers each running call or it fails once, and the model reloads once", async () => {
  const config = JSON.stringify({ hidden_size: 768, num_hidden_layers: 12, intermediate_size: 3072 });
  model("/gpu", { "config.json": config, "tokenizer.json": "{}", "model.safetensors": "w" });
  for (const device of ["auto", "webgpu"]) {
    await withGpu(
      wasm,
      async () => ({ info: { vendor: "acme" } }),
      async () => {
        const pipe = await webert.pipeline("zero-shot-classification", `${origin}/gpu`, { device });
        const { live } = wasm.state;
        const loads = wasm.state.loaded.length;
        assert.equal(pipe.info.device, "webgpu");
        const calls = ["a", "b", "c"].map((text) => pipe(text, "x", { hypothesis_template: "long" }));
        await pipe("d", "x");
        wasm.state.gpu = "gone";
        const outcomes = await Promise.all(
          calls.map((call) =>
            call.then(
              ({ input }) => input[0],
              ({ code }) => code,
            ),
          ),
        );
        assert.deepEqual(outcomes, device === "auto" ? ["a", "b", "c"] : Array(3).fill("device_lost"));
        wasm.state.gpu = "well";
        assert.deepEqual((await pipe("e", "x")).input, ["e", ["x"]]);
        assert.equal(pipe.info.device, device === "auto" ? "wasm" : "webgpu");
        assert.deepEqual([wasm.state.loaded.length - loads, wasm.state.live - live, wasm.state.overlaps], [1, 0, 0]);
        await pipe.dispose();
      },
    );
  }
});

test("dispose frees the model, ends running calls and rejects later ones", async () => {
  const pipe = await webert.pipeline("zero-shot-classification", `${origin}/m`);
  const live = wasm.state.live;
  const running = fails(pipe("x", "a", { hypothesis_template: "slow" }), "disposed");
  await new Promise((done) => setTimeout(done, 20));
  await pipe.dispose();
  await running;
  assert.equal(wasm.state.live, live - 1);
  await fails(pipe("x", "a"), "disposed");
  await fails(pipe([], "a"), "disposed");
  await pipe.dispose();
  await (await webert.pipeline("fill-mask", `${origin}/m`))[Symbol.asyncDispose]();
  assert.equal(wasm.state.live, live - 1);
});

test("frees a model whose last progress callback throws", async () => {
  const { live } = wasm.state;
  const refuse = ({ status }) => {
    if (status === "ready") throw new Error("no room for it");
  };
  await fails(fill(`${origin}/m`, { progress_callback: refuse }), "bad_input", /no room/);
  assert.equal(wasm.state.live, live);
});

test("a signal ends a download", async () => {
  model("/slow", { "config.json": "{}", "tokenizer.json": "{}" });
  let closed;
  const ended = new Promise((done) => (closed = done));
  const stop = new AbortController();
  routes.set("/slow/model.safetensors", (request, response) => {
    setTimeout(() => stop.abort(), 50);
    response.writeHead(200, { "content-length": 1_000_000 });
    response.write("x".repeat(1000));
    request.once("close", closed);
    response.once("close", closed);
    setTimeout(() => stop.abort(), 50);
  });
  await fails(fill(`${origin}/slow`, { signal: stop.signal }), "aborted");
  await ended;
  await fails(fill(`${origin}/m`, { signal: AbortSignal.abort() }), "aborted");
});
