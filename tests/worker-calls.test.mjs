// Calls over a message port, with both ends in this thread: events, cancellation, transfers, and the end of a Worker.
import assert from "node:assert/strict";
import { afterEach, test as plainTest } from "node:test";
import { build } from "esbuild";

const test = (name, body) => plainTest(name, { timeout: 60_000 }, body);
const built = await build({
  stdin: { contents: 'export * from "./src/js/engine/worker-calls.ts";', resolveDir: `${import.meta.dirname}/..` },
  bundle: true,
  write: false,
  format: "esm",
  logLevel: "error",
});
const { serveCalls, WorkerCalls } = await import(
  `data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString("base64")}`
);

/** Ports to close after a test. Open ports would keep the process alive. */
const ports = [];
afterEach(() => ports.splice(0).forEach((port) => port.close()));

/** Calls that `dispatch` answers, and whether the Worker was terminated. */
function connected(dispatch, infos = () => [], onInfo) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1);
  const state = { isTerminated: false };
  const terminate = () => {
    state.isTerminated = true;
    port1.close();
  };
  serveCalls(port2, dispatch, infos);
  return { calls: new WorkerCalls(Object.assign(port1, { terminate }), onInfo), state };
}

test("the Worker waits until an event is handled", async () => {
  const order = [];
  const { calls, state } = connected(async (_, { ask, tell }) => {
    for (const n of [1, 2]) {
      await ask(n);
      order.push(`asked ${n}`);
    }
    tell(3);
    return 4;
  });
  const event = async (n) => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    order.push(`handled ${n}`);
  };
  assert.equal(await calls.call({ call: "count" }, { event }), 4);
  assert.deepEqual(order, ["handled 1", "asked 1", "handled 2", "asked 2"]);
  calls.end(new Error("over"));
  assert.ok(state.isTerminated);
  await assert.rejects(calls.call({ call: "count" }), /over/);
});

test("an error of an event's callback stops the call, and the call rejects with it", async () => {
  for (const waits of [true, false]) {
    let isOver = false;
    const { calls } = connected(async (_, { ask, signal }) => {
      await ask("event");
      assert.ok(signal.aborted);
      isOver = true;
      throw signal.reason;
    });
    const event = () => {
      throw new TypeError("enough");
    };
    await assert.rejects(calls.call({ call: "run" }, { event, waits }), { code: "bad_input", message: /enough/ });
    if (waits) assert.ok(isOver, "settles after the Worker has ended the call");
  }
});

test("a stopped call rejects at once, or after the Worker's answer if it waits", async () => {
  let release;
  const { calls } = connected(() => new Promise((resolve) => (release = resolve)));
  const stop = new AbortController();
  const late = [];
  const atOnce = calls.call({ call: "load" }, { signal: stop.signal, late: (result) => late.push(result) });
  const releaseFirst = await waitFor(() => release);
  release = undefined;
  const waiting = calls.call({ call: "step" }, { signal: stop.signal, waits: true });
  const releaseSecond = await waitFor(() => release);
  let hasSettled = false;
  waiting.then(() => (hasSettled = true));
  stop.abort();
  await assert.rejects(atOnce, { code: "aborted", message: /aborted by its signal/ });
  assert.deepEqual([late, hasSettled], [[], false]);
  releaseFirst("loaded");
  await waitFor(() => late.length);
  assert.deepEqual(late, ["loaded"]);
  releaseSecond("the step was taken");
  assert.equal(await waiting, "the step was taken");
});

/** Waits until `condition` returns something, and returns it. */
async function waitFor(condition) {
  for (;;) {
    const found = condition();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test("buffers of a result move, and parts of a memory are copied", async () => {
  const whole = new Float32Array([1, 2]);
  const part = new Float32Array([3, 4, 5]).subarray(1);
  const { calls } = connected(async () => ({ whole, parts: [part] }));
  const found = await calls.call({ call: "run" });
  assert.deepEqual(
    [[...found.whole], [...found.parts[0]]],
    [
      [1, 2],
      [4, 5],
    ],
  );
  assert.deepEqual([whole.length, part.length], [0, 2]);
});

test("new facts about a model arrive before the reply", async () => {
  const infos = ["webgpu", "webgpu", "wasm", "wasm"];
  let made = 0;
  const found = [];
  const { calls } = connected(
    async () => ++made,
    () => [[7, infos[made - 1]]],
    (...news) => found.push(news),
  );
  for (const expected of [[], [], [[7, "wasm"]], [[7, "wasm"]]]) {
    await calls.call({ call: "run" });
    assert.deepEqual(found, expected);
  }
});
