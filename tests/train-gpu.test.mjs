// Training on WebGPU in a page: a device that is lost during a run, between runs and in a loop of steps, and too little
// memory. tests/training/on_gpu.rs compares the numbers. The adapters are software, lavapipe and once SwiftShader, and claim to be a GPU here.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { blank, withPage } from "./browser.mjs";
import { everywhere, hideSoftwareAdapter, makeDevicesLosable } from "./gpu-faults.mjs";

const golden = JSON.parse(await readFile(new URL("goldens/training/rows/rows.json", import.meta.url), "utf8"));
const names = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"];

/** In the page, once: `open` makes a trainer of the golden's model, which "auto" considers large. */
const begin = async ({ url, names }) => {
  const { Trainer } = await import(`${url}dist/index.js`);
  const at = (name) => `${url}tests/goldens/training/rows/${name}`;
  const files = Object.fromEntries(names.map((name) => [name, new URL(at(name))]));
  // reports large sizes to code that reads them, such as the choice of a device
  const sizes = { hidden_size: 1024, num_hidden_layers: 24, intermediate_size: 4096 };
  const config = await (await fetch(at("config.json"))).json();
  files["config.json"] = new Blob([JSON.stringify({ shown: sizes, ...config })]);
  const channel = new BroadcastChannel("lose-device");
  /** Loses the device, "now" or with the next commands, in whichever thread it is. */
  globalThis.loseDeviceIn = async (when, worker) => {
    const done = new Promise((resolve) => (channel.onmessage = resolve));
    // destroy the page's own device directly: it would also receive a message
    if (worker) channel.postMessage(when);
    else await globalThis.loseDevice(when);
    await done;
  };
  globalThis.open = (options) => Trainer.from_pretrained("text-classification", { files }, options);
  globalThis.weightsOf = async (trainer) => {
    const { files } = await trainer.save();
    const bytes = await files["model.safetensors"].arrayBuffer();
    const header = Number(new DataView(bytes).getBigUint64(0, true));
    const names = JSON.parse(new TextDecoder().decode(bytes.slice(8, 8 + header)));
    // the gradient of keys' biases is 0; the rest is rounding
    return Object.entries(names)
      .filter(([name]) => name !== "__metadata__" && !name.endsWith("key.bias"))
      .flatMap(([, { data_offsets }]) =>
        Array.from(new Float32Array(bytes.slice(...data_offsets.map((offset) => 8 + header + offset)))),
      );
  };
};

/** A page whose devices `loseDevice` can lose. */
const withGpu = async (body, driver = "lavapipe") => {
  const prepare = async (page) => {
    await everywhere(page, makeDevicesLosable);
    await everywhere(page, hideSoftwareAdapter);
  };
  await withPage({ path: blank, prepare, allowErrors: true, driver }, async (page, { url }) => {
    await page.evaluate(begin, { url, names });
    await body(page);
  });
};

const greatest = (a, b) => a.reduce((most, x, n) => Math.max(most, Math.abs(x - b[n])), 0);

/** Eight steps with dropout: the lost steps and the events. */
const run = async ({ golden, options, more, lost }) => {
  const trainer = await globalThis.open(options);
  const events = [];
  let armed = lost !== undefined;
  const callback = async (event) => {
    const { type, step, device, device_reason, loss } = event;
    events.push({ type, step, device, device_reason, loss });
    if (!armed || type !== "step" || step !== lost) return;
    armed = false;
    if (more.checkpoint) await trainer.checkpoint();
    await globalThis.loseDeviceIn("later", options.worker);
  };
  const args = { num_train_epochs: 2, per_device_train_batch_size: 2, learning_rate: 1e-3, callback };
  const evaluated = more.evaluates ? { eval_dataset: golden.eval_rows.slice(0, 4), eval_steps: 2 } : {};
  let failed;
  const train = () => trainer.train(golden.train_rows, { ...args, ...evaluated });
  let result = await train().catch(({ code, message }) => void (failed = `${code} ${message}`));
  if (failed) result = await train();
  const weights = await globalThis.weightsOf(trainer);
  const { info } = trainer;
  await trainer.dispose();
  return { events, result, weights, device: info.device, failed };
};

const stepsOf = (events, type = "step") => events.filter((event) => event.type === type).map(({ step }) => step);

/** The run without a loss, which takes the adapter a while. */
let undisturbed;
const through = (page) => {
  const given = { golden, options: { device: "webgpu", worker: false }, more: { evaluates: true } };
  return (undisturbed ??= page.evaluate(run, given));
};

test("a run whose GPU is lost continues on the CPU from the state of the last evaluation", async () => {
  await withGpu(async (page) => {
    const { events, weights, device, result } = await through(page);
    assert.deepEqual(stepsOf(events), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert.equal(device, "webgpu");

    const options = { device: "auto", worker: false };
    const found = await page.evaluate(run, { golden, options, more: { evaluates: true }, lost: 5 });
    assert.equal(found.failed, undefined);
    assert.equal(found.device, "wasm");
    assert.deepEqual(stepsOf(found.events), [1, 2, 3, 4, 5, 5, 6, 7, 8]);
    const [told] = found.events.filter(({ type }) => type === "restore");
    assert.deepEqual([told.step, told.device], [4, "wasm"]);
    assert.match(told.device_reason, /the GPU was in use until it failed: .*lost/);
    assert.deepEqual(stepsOf(found.events, "evaluate"), [2, 4, 6, 8], "no evaluation is made twice");
    assert.ok(Math.abs(found.result.training_loss - result.training_loss) < 1e-4, "each step counts once");
    assert.equal(found.result.global_step, 8);
    assert.ok(greatest(found.weights, weights) < 2e-5, `${greatest(found.weights, weights)}`);
  });
});

// Its weights on SwiftShader are compared with a run on lavapipe.
test("a run in a Worker continues from the state of its last checkpoint", async () => {
  await withGpu(async (page) => {
    const options = { device: "auto", worker: true };
    const found = await page.evaluate(run, { golden, options, more: { checkpoint: true }, lost: 5 });
    assert.deepEqual(
      found.events.map(({ type, step }) => `${type} ${step}`),
      ["step 1", "step 2", "step 3", "step 4", "step 5", "restore 5", "step 6", "step 7", "step 8"],
    );
    assert.equal(found.result.global_step, 8);
    assert.equal(found.device, "wasm");
    const { weights } = await through(page);
    assert.ok(greatest(found.weights, weights) < 2e-5, `${greatest(found.weights, weights)}`);
  }, "swiftshader");
});

test("a run on a requested GPU ends in device_lost, and the next call continues it", async () => {
  await withGpu(async (page) => {
    const { weights } = await through(page);
    const options = { device: "webgpu", worker: false };
    const found = await page.evaluate(run, { golden, options, more: { evaluates: true }, lost: 5 });
    assert.match(found.failed, /^device_lost .*lost.*the next call of train continues from step 4/);
    assert.equal(found.device, "webgpu");
    assert.deepEqual(stepsOf(found.events), [1, 2, 3, 4, 5, 5, 6, 7, 8]);
    assert.deepEqual(found.weights, weights, "bit for bit");
  });
});

for (const [seconds, kept] of [
  [16, 4],
  [0, 0],
]) {
  test(`where steps take ${seconds} s, the fifth is the last before the GPU goes: the run goes on from step ${kept}`, async () => {
    await withGpu(async (page) => {
      const told = await page.evaluate(
        async ({ golden, seconds }) => {
          const trainer = await globalThis.open({ device: "auto", worker: false });
          // From here until the loss; measurements of the device run by the true time.
          const now = performance.now.bind(performance);
          let passed = 0;
          performance.now = () => now() / 1000 + passed;
          const events = [];
          const callback = async ({ type, step }) => {
            events.push(`${type} ${step}`);
            passed += 1000 * seconds;
            if (events.length !== 5) return;
            await globalThis.loseDeviceIn("later");
            const ahead = performance.now() - now();
            performance.now = () => now() + ahead;
          };
          const args = { num_train_epochs: 2, per_device_train_batch_size: 2, learning_rate: 1e-3, callback };
          await trainer.train(golden.train_rows, args);
          await trainer.dispose();
          return events;
        },
        { golden, seconds },
      );
      assert.equal(told.filter((event) => event.startsWith("step")).length, 13 - kept, told.join());
      assert.equal(
        told.find((event) => event.startsWith("restore")),
        `restore ${kept}`,
      );
    });
  });
}

test("the learnt weights outlive the device, and lost steps are reported", async () => {
  await withGpu(async (page) => {
    const found = await page.evaluate(async (golden) => {
      // so that half a minute does not pass
      const now = performance.now.bind(performance);
      performance.now = () => now() / 1000;
      const trainer = await globalThis.open({ device: "webgpu", worker: false });
      await trainer.train(golden.train_rows, { max_steps: 3, per_device_train_batch_size: 2, learning_rate: 1e-3 });
      const before = await globalThis.weightsOf(trainer);
      const classify = await trainer.pipeline();
      const answer = await classify(golden.eval_rows[0].text);
      await globalThis.loseDeviceIn("now");
      const again = await classify(golden.eval_rows[0].text);
      const after = await globalThis.weightsOf(trainer);
      const batch = [{ input_ids: [[2, 5, 6, 3]] }, { labels: [1] }, { learning_rate: 1e-3 }];
      await trainer.step(...batch);
      await globalThis.loseDeviceIn("now");
      const lost = await trainer.evaluate(golden.eval_rows).catch(({ code, message }) => `${code} ${message}`);
      const last = await globalThis.weightsOf(trainer);
      await trainer.dispose();
      return { before, answer, again, after, lost, last };
    }, golden);
    assert.deepEqual(found.again, found.answer);
    assert.deepEqual(found.after, found.before);
    assert.match(found.lost, /^device_lost .*the last step is lost; the trainer is in the state before them/);
    assert.deepEqual(found.last, found.before);
  });
});

/** Buffers above `globalThis.most` bytes get no memory: they cannot be used, and the error scope reports it. */
function scarce() {
  const { createBuffer, pushErrorScope, popErrorScope } = GPUDevice.prototype;
  globalThis.most = Infinity;
  const failures = [];
  GPUDevice.prototype.pushErrorScope = function (filter) {
    failures.push(false);
    return pushErrorScope.call(this, filter);
  };
  GPUDevice.prototype.popErrorScope = async function () {
    const failed = failures.pop();
    const error = await popErrorScope.call(this);
    return failed ? new GPUOutOfMemoryError("not enough") : error;
  };
  GPUDevice.prototype.createBuffer = function (descriptor) {
    if (descriptor.size <= globalThis.most) return createBuffer.call(this, descriptor);
    failures.fill(true);
    pushErrorScope.call(this, "validation");
    const buffer = createBuffer.call(this, { ...descriptor, usage: 0 });
    popErrorScope.call(this);
    return buffer;
  };
}

test("names insufficient memory before the first step, and trains on a smaller batch", async () => {
  const prepare = (page) => page.addInitScript(scarce);
  await withPage({ path: blank, prepare, driver: "lavapipe" }, async (page, { url }) => {
    await page.evaluate(begin, { url, names });
    const found = await page.evaluate(async (golden) => {
      const trainer = await globalThis.open({ device: "webgpu", worker: false });
      const before = await globalThis.weightsOf(trainer);
      const steps = [];
      const callback = ({ step }) => steps.push(step);
      const args = { max_steps: 2, learning_rate: 1e-3, callback };
      const rows = golden.train_rows;
      await trainer.train(rows, { ...args, max_steps: 1, per_device_train_batch_size: 1 });
      const kept = await globalThis.weightsOf(trainer);
      steps.length = 0;
      globalThis.most = 1 << 14;
      const many = Array.from({ length: 16 }, () => rows).flat();
      const error = await trainer
        .train(many, { ...args, per_device_train_batch_size: 64 })
        .catch(({ code, message }) => `${code} ${message}`);
      const told = steps.length;
      const after = await globalThis.weightsOf(trainer);
      await trainer.train(rows, { ...args, per_device_train_batch_size: 1 });
      await trainer.dispose();
      return { error, told, steps, before, kept, after };
    }, golden);
    assert.match(found.error, /^out_of_memory no memory for /);
    assert.equal(found.told, 0, "no step was told of");
    assert.notDeepEqual(found.kept, found.before);
    assert.deepEqual(found.after, found.kept, "the weights stay");
    assert.deepEqual(found.steps, [1, 2]);
  });
});
