// The Worker's protocol, and instances of WebAssembly that trap: src/js over fake-wasm.mjs.
import assert from "node:assert/strict";
import { fails, fill, internal, origin, test, wasm, webert } from "./over-server.mjs";

/** Both ends of a Worker, in this thread; terminating it is simulated. */
function channel() {
  const { port1, port2 } = new MessageChannel();
  return {
    page: Object.assign(port1, {
      terminate() {
        port1.close();
        wasm.state.terminated = true;
      },
    }),
    worker: port2,
  };
}

async function workerEngine() {
  const { page, worker } = channel();
  const machine = { store: async () => undefined, readWasm: async () => new Uint8Array(), threads: { cores: 1 } };
  internal.serve(worker, new internal.LocalEngine(machine));
  return Object.assign(new internal.RemoteEngine(page), { port: page });
}

/** The load request of a page to its Worker. */
const specOf = (path) => ({
  place: { kind: "url", name: "m", base: `${origin}${path}/`, store: null, fetch: true },
  how: { device: "auto", dtype: "auto" },
  tokenizer: true,
  pooling: false,
  wasmPaths: {},
  threads: 0,
});

test("the Worker's protocol: results, errors with their codes, progress, cancellation, closing", async () => {
  const engine = await workerEngine();
  const spec = specOf("/m");
  const events = [];
  await assert.rejects(
    engine.load(specOf("/nowhere"), { signal: new AbortController().signal }),
    ({ name, code }) => name === "WebertError" && code === "not_found",
  );
  const model = await engine.load(spec, {
    signal: new AbortController().signal,
    progress: (event) => events.push(event.status),
  });
  assert.ok(events.includes("progress") && events.includes("done"));
  assert.equal(model.info.model_type, "bert");
  assert.match(model.parts.build, /^(relaxed|simd128)$/);
  assert.deepEqual(
    Object.entries(model.parts.files).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]),
    [
      ["config.json", "{}"],
      ["tokenizer.json", "{}"],
    ],
  );
  const slow = new AbortController();
  const first = model.run("fill-mask", ["1"], { hypothesis_template: "slow" }, slow.signal);
  const second = model.run("fill-mask", ["2"], {});
  const third = assert.rejects(
    model.run("fill-mask", ["fail"], {}),
    ({ name, code, message }) => name === "WebertError" && code === "bad_input" && message === "asked to fail",
  );
  setTimeout(() => slow.abort(), 30);
  await assert.rejects(first, ({ code }) => code === "aborted");
  assert.equal((await second)[0].input, "2");
  await third;
  const { logits } = await model.forward({ dims: [1, 2], input_ids: Uint32Array.of(5, 6) }, {});
  assert.deepEqual(Array.from(logits.data), [5, 6]);
  await assert.rejects(
    model.run("fill-mask", [() => {}], {}),
    ({ name, code }) => name === "WebertError" && code === "bad_input",
  );
  const last = model.run("fill-mask", ["3"], { hypothesis_template: "slow" });
  setTimeout(() => engine.close(), 20);
  await assert.rejects(last, ({ code }) => code === "disposed");
  await assert.rejects(model.run("fill-mask", ["4"], {}), ({ code }) => code === "disposed");
  while (wasm.state.running) await new Promise((done) => setTimeout(done, 5));
  wasm.state.terminated = false;
});

test("a broken Worker fails its calls and later ones", async () => {
  const engine = await workerEngine();
  const { signal } = new AbortController();
  const model = await engine.load(specOf("/m"), { signal });
  const call = model.run("fill-mask", ["1"], { hypothesis_template: "slow" });
  engine.port.onerror({ message: "boom" });
  await assert.rejects(call, ({ code, message }) => code === "device_lost" && /boom/.test(message));
  assert.ok(engine.isOver);
  await assert.rejects(model.run("fill-mask", ["1"], {}), ({ code }) => code === "device_lost");
  await assert.rejects(engine.load(specOf("/m"), { signal }), ({ code }) => code === "device_lost");
  await model.close();
  while (wasm.state.running) await new Promise((done) => setTimeout(done, 5));
  wasm.state.terminated = false;
});

test("a trap rejects all calls of its instance, also later ones; the next load works", async () => {
  for (const [text, code, pattern] of [
    ["trap", "device_lost", /unreachable/],
    ["full", "out_of_memory", /0\.125 MiB.*cannot grow/],
  ]) {
    const { released } = wasm.state;
    const pipe = await fill(`${origin}/m`);
    const other = await webert.pipeline("zero-shot-classification", `${origin}/m`);
    const tokenizer = await webert.AutoTokenizer.from_pretrained(`${origin}/m`);
    const beside = fails(other("x", "a", { hypothesis_template: "slow" }), code, pattern);
    await Promise.all([beside, fails(pipe(text), code, pattern), fails(pipe("waiting"), code, pattern)]);
    await fails(pipe("x"), code, pattern);
    await fails(other("x", "a"), code, pattern);
    assert.throws(() => tokenizer("x"), { code });
    assert.equal(wasm.state.released, released + 1);
    const next = await fill(`${origin}/m`);
    assert.equal((await next("x")).input, "x");
    assert.equal((await webert.AutoTokenizer.from_pretrained(`${origin}/m`)).encode("a")[0], 97);
    for (const { dispose } of [pipe, other, tokenizer, next]) await dispose();
    assert.equal(wasm.state.released, released + 1);
  }
});

test("a trap or a stack overflow in a tokenizer ends its instance", async () => {
  for (const text of ["trap", "deep"]) {
    const [pipe, tokenizer] = await Promise.all([
      fill(`${origin}/m`),
      webert.AutoTokenizer.from_pretrained(`${origin}/m`),
    ]);
    assert.throws(() => tokenizer(text), { name: "WebertError", code: "device_lost" });
    assert.throws(() => tokenizer("x"), { code: "device_lost" });
    await fails(pipe("x"), "device_lost");
    tokenizer.dispose();
    assert.throws(() => tokenizer("x"), { code: "disposed" });
    await pipe.dispose();
    const fresh = await webert.AutoTokenizer.from_pretrained(`${origin}/m`);
    assert.equal(fresh.encode("a")[0], 97);
    const next = await fill(`${origin}/m`);
    assert.equal((await next("x")).input, "x");
    await next.dispose();
  }
});

test("a Worker reports a trapped model, and its next model works", async () => {
  const spec = specOf("/m");
  const { signal } = new AbortController();
  const engine = await workerEngine();
  const model = await engine.load(spec, { signal });
  await assert.rejects(
    model.run("fill-mask", ["trap"], {}),
    ({ name, code }) => name === "WebertError" && code === "device_lost",
  );
  await assert.rejects(model.run("fill-mask", ["x"], {}), ({ code }) => code === "device_lost");
  const next = await engine.load(spec, { signal });
  assert.equal((await next.run("fill-mask", ["x"], {}))[0].input, "x");
  await engine.close();
  wasm.state.terminated = false;
});
