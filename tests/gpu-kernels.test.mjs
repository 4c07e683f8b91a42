// The kernels that a GPU chooses by a measurement between calls, how they are kept, what "auto" makes of them, and faults of the device meanwhile. The
// adapter is lavapipe, a software adapter, which claims to be hardware here. tests/gpu tests the measurement itself, and tests/measure.test.mjs
// computes every variant on SwiftShader.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AutoModel, env } from "../dist/node.js";
import { blank, withLavapipe as withPage } from "./browser.mjs";
import { claimHardware, everywhere, hideSoftwareAdapter } from "./gpu-faults.mjs";

const folder = "tests/goldens/models/bert-mlm";
const training = "tests/goldens/training/rows";
const { cases } = JSON.parse(readFileSync(new URL(`../${folder}/cases.json`, import.meta.url)));
const { inputs } = cases[0];
/** A model that "auto" considers large. */
const large = "models/minilm-mlm";
const CACHE = `${env.cacheKey}-kernels`;

/**
 * Runs in the page: loads the model and computes once. Returns the info after the load and the logits. If `waits`, also waits until the kernels
 * are chosen, computes again, and returns the info and the logits of then.
 */
async function loaded({ options, folder, inputs, waits }) {
  const { AutoModel } = await import("/dist/index.js");
  const model = await AutoModel.from_pretrained(`/${folder}`, { worker: false, ...options });
  const compute = async () => (inputs ? Array.from((await model(inputs)).logits.data) : []);
  const first = { info: model.info, logits: await compute() };
  while (waits && model.info.kernels.pending) await new Promise((done) => setTimeout(done, 20));
  const chosen = waits && { chosen: { info: model.info, logits: await compute() } };
  await model.dispose();
  return { ...first, ...chosen };
}

/** Loads a model in a page whose adapter claims to be hardware, after `scripts`. */
const onHardware = (scripts, body) =>
  withPage(
    {
      path: blank,
      allowErrors: true,
      prepare: async (page) => {
        for (const script of [claimHardware, ...scripts]) {
          if (Array.isArray(script)) await page.addInitScript(...script);
          else await page.addInitScript(script);
        }
      },
    },
    body,
  );

/** The binaries that a page fetches from now on. */
const binaries = (page) => {
  const seen = new Set();
  page.on("request", (request) => {
    const [, name] = /webert_(\w+)\.wasm/.exec(request.url()) ?? [];
    if (name) seen.add(name);
  });
  return seen;
};

/** The adapter has no 16-bit floats and no timestamps. */
function withoutOptionalFeatures() {
  const { get } = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, "features");
  Object.defineProperty(GPUAdapter.prototype, "features", {
    get() {
      return new Set([...get.call(this)].filter((name) => !/^(shader-f16|timestamp-query)$/.test(name)));
    },
  });
}

/** The logits of the first case on the CPU. */
async function expected() {
  const model = await AutoModel.from_pretrained(folder, { dtype: "fp32", threads: 1 });
  const { logits } = await model(inputs);
  await model.dispose();
  return logits.data;
}

/** Runs in the page: the URL under which the cache `name` keeps the kernels of its GPU, and the text. */
async function keptIn(name) {
  const [{ url: key }] = await (await caches.open(name)).keys();
  return { key, text: await (await caches.match(key, { cacheName: name })).text() };
}

let measured;
/** What a first load on this adapter, as hardware, measures, computes and keeps. A software adapter takes many seconds for it. */
const firstLoad = () =>
  (measured ??= onHardware([], async (page) => {
    const options = { device: "webgpu", dtype: "fp32" };
    const first = await page.evaluate(loaded, { options, folder, inputs: { ...inputs }, waits: true });
    return { ...first, ...(await page.evaluate(keptIn, CACHE)) };
  }));

const SHAPES = ["few", "short", "medium", "large", "many"];

/**
 * A text as kept after a load with layers of `op`, "linear_fp32" or "linear_q8". A call of each size takes `micros`. Calls of `open`, an
 * operation and a size, are still to be measured.
 */
async function keptWith(op, { open = [], micros = 1 } = {}) {
  const { text } = await firstLoad();
  const [table] = text.split(" ");
  const arithmetic = op === "linear_q8" ? "int8" : "f32";
  const [small, large] = ["32x32/4x4/1/4/1", "64x64/4x4/1/4/1"].map((tile) => `${arithmetic} ${tile}`);
  const short = op === "linear_q8" ? "int8 rounding 32x32/4x4/1/4/1" : small;
  const variant = { few: `${arithmetic} few rows`, short, medium: small, large, many: large };
  const calls = [...SHAPES.map((shape) => [`${op} ${shape}`, variant[shape]]), ["attention medium", "f32 16 queries"]];
  const lines = calls
    .filter(([call]) => !open.includes(call))
    .map(([call, name]) => `${call} ${1000 * micros} ${name}`);
  return [`${table} 0 0 0`, ...lines].join("\n");
}

/** A script for a page: `text` is what its browser has kept for the GPU. */
const keeping = (text) =>
  `{ const { match } = CacheStorage.prototype;
    CacheStorage.prototype.match = function (key, options) {
      if (options?.cacheName === ${JSON.stringify(CACHE)}) return Promise.resolve(new Response(${JSON.stringify(text)}));
      return match.call(this, key, options);
    }; }`;

const difference = (a, b) => Math.max(...a.map((x, n) => Math.abs(x - b[n])));

test("kernels are measured once, after the first answer, kept, and measured again when the browser changes", async () => {
  const want = await expected();
  const { info, logits, chosen, key } = await firstLoad();
  const calls = ["attention medium", ...SHAPES.map((shape) => `linear_fp32 ${shape}`)].sort();
  assert.deepEqual([info.kernels.from, info.kernels.pending, info.kernels.milliseconds], ["default", true, 0]);
  assert.deepEqual(Object.keys(info.kernels.chosen).sort(), calls);
  assert.equal(info.kernels.chosen["linear_fp32 large"], "f32 64x64/4x4/1/4/1");
  assert.ok(difference(logits, want) < 1e-4);
  const { kernels } = chosen.info;
  console.log(kernels);
  assert.deepEqual([kernels.from, kernels.pending], ["measured", false]);
  assert.ok(kernels.milliseconds > 0);
  assert.deepEqual(Object.keys(kernels.chosen).sort(), calls);
  assert.deepEqual(kernels.struck, {});
  assert.ok(difference(chosen.logits, want) < 1e-4);
  // Another version of the package may have other variants.
  assert.equal(decodeURIComponent(key).split("\n").at(-1), env.version);

  // A slow adapter measures some of the classes per load; here the last one is left.
  const before = await keptWith("linear_fp32", { open: ["attention medium"] });
  await onHardware([], async (page) => {
    const options = { device: "webgpu", dtype: "fp32" };
    const load = (waits) => page.evaluate(loaded, { options, folder, inputs: { ...inputs }, waits });
    await page.evaluate(async ({ name, key, text }) => (await caches.open(name)).put(key, new Response(text)), {
      name: CACHE,
      key,
      text: before,
    });
    const second = await load(true);
    assert.deepEqual([second.info.kernels.from, second.info.kernels.pending], ["kept", true]);
    assert.equal(second.chosen.info.kernels.from, "measured");
    assert.equal(second.chosen.info.kernels.chosen["linear_fp32 large"], "f32 64x64/4x4/1/4/1");
    for (const { logits } of [second, second.chosen]) assert.ok(difference(logits, want) < 1e-4);
    const third = await load(true);
    for (const { info, logits } of [third, third.chosen]) {
      assert.deepEqual([info.kernels.from, info.kernels.milliseconds], ["kept", 0]);
      assert.deepEqual(info.kernels.chosen, second.chosen.info.kernels.chosen);
      assert.ok(difference(logits, want) < 1e-4);
    }
    await page.evaluate(() => Object.defineProperty(navigator, "userAgent", { value: "another browser" }));
    assert.equal((await load()).info.kernels.from, "default");
  });
});

/** The page counts submissions, loses its devices on command, and says which were destroyed. */
function watched() {
  const { requestDevice } = GPUAdapter.prototype;
  const { submit } = GPUQueue.prototype;
  const { destroy } = GPUDevice.prototype;
  const { mapAsync } = GPUBuffer.prototype;
  const gpu = (globalThis.watchedGpu = { submissions: 0, devices: [], destroyed: 0 });
  GPUAdapter.prototype.requestDevice = async function (...args) {
    const device = await requestDevice.apply(this, args);
    gpu.devices.push(device);
    return device;
  };
  GPUDevice.prototype.destroy = function () {
    gpu.destroyed++;
    return destroy.call(this);
  };
  GPUQueue.prototype.submit = function (...args) {
    submit.apply(this, args);
    if (args[0].length === 0) return;
    gpu.submissions++;
    if (gpu.fault !== "is lost") return;
    gpu.fault = undefined;
    gpu.devices.at(-1).destroy();
  };
  GPUBuffer.prototype.mapAsync = function (...args) {
    return gpu.fault === "hangs" ? new Promise(() => {}) : mapAsync.apply(this, args);
  };
  const own = globalThis.setTimeout;
  globalThis.setTimeout = (work, delay, ...rest) =>
    own(work, gpu.fault === "hangs" && delay > 9000 ? delay / 100 : delay, ...rest);
}

/**
 * In the page, `begin` loads a model whose kernels are still to be chosen, and computes. Returns the logits. What must happen before the
 * measurement ends follows in the same function: it goes on while the test and its page exchange messages.
 */
function beginning() {
  globalThis.begin = async ({ device, folder, inputs }) => {
    const { AutoModel } = await import("/dist/index.js");
    const model = await AutoModel.from_pretrained(`/${folder}`, { worker: false, device, dtype: "fp32" });
    const compute = async () => Array.from((await model(inputs)).logits.data);
    const logits = await compute();
    return { model, compute, logits, from: model.info.kernels.from, pending: model.info.kernels.pending };
  };
}

for (const pause of [10, 0]) {
  const calls = pause ? "calls that arrive during the measurement" : "calls that follow each other";
  test(`${calls} wait for one part of it each at most, and do not end it`, async () => {
    const want = await expected();
    const kept = keeping(await keptWith("linear_fp32", { open: ["attention medium"] }));
    await onHardware([kept, watched, beginning], async (page) => {
      const options = { device: "webgpu", folder, inputs };
      const { first, calls } = await page.evaluate(
        async ({ pause, ...options }) => {
          const calls = [];
          const { watchedGpu: gpu, begin } = globalThis;
          const { model, compute, from, pending } = await begin(options);
          const start = gpu.submissions;
          const end = performance.now() + 120_000;
          // Parts that only compile submit nothing.
          const hasParts = () => calls.length > 2 && calls.at(-1).total > calls.length * calls[0].submissions;
          while (model.info.kernels.pending && !hasParts() && performance.now() < end) {
            const before = gpu.submissions;
            const logits = await compute();
            calls.push({ logits, submissions: gpu.submissions - before, total: gpu.submissions - start });
            if (pause) await new Promise((done) => setTimeout(done, pause));
          }
          return { first: [from, pending], calls };
        },
        { pause, ...options },
      );
      assert.deepEqual(first, ["kept", true]);
      const numbers = calls.map(({ submissions }) => submissions);
      const alone = Math.min(...numbers);
      assert.ok(calls.length > 2 && numbers.every((number) => number <= alone + 1), numbers.join());
      assert.ok(calls.at(-1).total > calls.length * alone, "parts of the measurement were made");
      for (const { logits } of calls) assert.ok(difference(logits, want) < 1e-4);
    });
  });
}

test("in a Worker, info changes when the measurement ends, without a call", async () => {
  const { key } = await firstLoad();
  const text = await keptWith("linear_fp32", { open: ["attention medium"] });
  await withPage({ path: blank, prepare: (page) => everywhere(page, claimHardware) }, async (page) => {
    const seen = await page.evaluate(
      async ([name, key, text, folder]) => {
        await (await caches.open(name)).put(key, new Response(text));
        const { AutoModel } = await import("/dist/index.js");
        const model = await AutoModel.from_pretrained(`/${folder}`, { device: "webgpu", dtype: "fp32", worker: true });
        const seen = [model.info.kernels.from];
        while (model.info.kernels.pending) await new Promise((done) => setTimeout(done, 20));
        seen.push(model.info.kernels.from);
        await model.dispose();
        return seen;
      },
      [CACHE, key, text, folder],
    );
    assert.deepEqual(seen, ["kept", "measured"]);
  });
});

test("a model that is disposed of during the measurement ends it", async () => {
  const kept = keeping(await keptWith("linear_fp32", { open: ["attention medium"] }));
  await onHardware([kept, watched, beginning], async (page) => {
    const options = { device: "webgpu", folder, inputs };
    const [pending, after, later, destroyed] = await page.evaluate(async (options) => {
      const { watchedGpu: gpu, begin } = globalThis;
      const { model, pending } = await begin(options);
      await model.dispose();
      const after = gpu.submissions;
      await new Promise((done) => setTimeout(done, 200));
      return [pending, after, gpu.submissions, gpu.destroyed];
    }, options);
    assert.ok(pending);
    assert.equal(later, after);
    assert.equal(destroyed, 1);
  });
});

for (const fault of ["is lost", "hangs"]) {
  test(`a device that ${fault} during the measurement is opened again by the next call, under auto on the CPU`, async () => {
    const want = await expected();
    const kept = keeping(await keptWith("linear_fp32", { open: ["attention medium"] }));
    for (const device of ["webgpu", "auto"]) {
      const scripts = [kept, watched, beginning, ...(device === "auto" ? [hideSoftwareAdapter] : [])];
      await onHardware(scripts, async (page) => {
        const options = { device, folder, inputs };
        const { first, second } = await page.evaluate(
          async ({ fault, ...options }) => {
            const { watchedGpu: gpu, begin } = globalThis;
            const { model, compute, ...first } = await begin(options);
            gpu.fault = fault;
            while (model.info.kernels.pending) await new Promise((done) => setTimeout(done, 20));
            gpu.fault = undefined;
            const logits = await compute();
            // Its kernels are not measured again.
            const { submissions } = gpu;
            await new Promise((done) => setTimeout(done, 300));
            const more = gpu.submissions - submissions;
            return { first, second: { logits, info: model.info, more, devices: gpu.devices.length } };
          },
          { fault, ...options },
        );
        assert.ok(first.pending && difference(first.logits, want) < 1e-4);
        assert.ok(difference(second.logits, want) < 1e-4);
        const { info, devices, more } = second;
        if (device === "webgpu")
          assert.deepEqual(
            [info.device, info.kernels.from, info.kernels.pending, devices, more],
            ["webgpu", "kept", false, 2, 0],
          );
        else assert.deepEqual([info.device, devices], ["wasm", 1]);
        if (device === "auto")
          assert.match(info.device_reason, /the GPU was in use until it failed: its device was lost/);
      });
    }
  });
}

test("kernels of training are measured once and kept beside the others", async () => {
  const { key } = await firstLoad();
  const text = await keptWith("linear_fp32");
  const { train_rows } = JSON.parse(readFileSync(new URL(`../${training}/rows.json`, import.meta.url)));
  await onHardware([], async (page) => {
    const trained = () =>
      page.evaluate(
        async ({ folder, rows }) => {
          const { Trainer } = await import("/dist/index.js");
          const options = { device: "webgpu", worker: false };
          const trainer = await Trainer.from_pretrained("text-classification", `/${folder}`, options);
          const { kernels } = trainer.info;
          await trainer.train(rows, { max_steps: 1, per_device_train_batch_size: 2 });
          await trainer.dispose();
          return kernels;
        },
        { folder: training, rows: train_rows.slice(0, 2) },
      );
    const kept = () =>
      page.evaluate(async ([name, key]) => (await caches.match(key, { cacheName: name })).text(), [CACHE, key]);
    await page.evaluate(
      async ([name, key, text]) => (await caches.open(name)).put(key, new Response(text)),
      [CACHE, key, text],
    );
    const calls = ["linear_backward_input medium", "linear_backward_weight medium"];
    const first = await trained();
    assert.ok(calls.every((call) => !first.chosen[call]));
    const lines = (await kept()).split("\n");
    const found = lines.map((line) => /^(linear_backward_\w+ \w+) (\d+) (f32 \d+x\d+)$/.exec(line)).filter(Boolean);
    assert.equal(found.length, 4, lines.join("\n"));
    assert.ok(
      text
        .split("\n")
        .slice(1)
        .every((line) => lines.includes(line)),
      lines.join("\n"),
    );
    // A slow adapter measures only some of them; those are kept.
    const measured = found.filter(([, , nanos]) => Number(nanos));
    assert.ok(measured.length > 0, lines.join("\n"));
    const second = await trained();
    for (const [, call, , variant] of measured) assert.equal(second.chosen[call], variant);
  });
});

for (const driver of ["swiftshader", "lavapipe"])
  test(`a software adapter, ${driver}, is never measured, and keeps nothing`, async () => {
    await withPage({ path: blank, driver }, async (page) => {
      const { info } = await page.evaluate(loaded, { options: { device: "webgpu" }, folder });
      assert.equal(info.kernels.from, "default");
      assert.equal(info.kernels.milliseconds, 0);
      assert.ok(Object.values(info.kernels.chosen).every((name) => name.endsWith("barrier-free")));
      assert.equal(await page.evaluate((name) => caches.has(name), CACHE), false);
      const cpu = await page.evaluate(loaded, { options: { device: "wasm" }, folder });
      assert.equal(cpu.info.kernels, undefined);
    });
  });

for (const worker of [false, true]) {
  test(`auto, ${worker ? "in a Worker" : "in the page"}: a GPU that is measured to be slower is not used, then or later`, async () => {
    const prepare = async (page) => {
      await everywhere(page, claimHardware);
      await everywhere(page, hideSoftwareAdapter);
    };
    await withPage({ path: blank, prepare }, async (page) => {
      const options = { device: "auto", dtype: "q8", worker };
      const seen = binaries(page);
      const { info } = await page.evaluate(loaded, { options, folder: large });
      assert.ok(seen.has("webgpu"));
      assert.equal(info.device, "wasm");
      const why =
        /^auto chose the CPU: measured here, 16 tokens take the GPU about [\d.]+ ms and the CPU [\d.]+ ms \(acme test-gpu\)$/;
      assert.match(info.device_reason, why);
      seen.clear();
      const again = await page.evaluate(loaded, { options, folder: large });
      assert.match(again.info.device_reason, why);
      assert.ok(!seen.has("webgpu"));
    });
  });
}

test("auto: a GPU that is measured to be faster is used, also for a small model", async () => {
  const prepare = async (page) => {
    await everywhere(page, hideSoftwareAdapter);
  };
  await withPage({ path: blank, prepare }, async (page) => {
    const load = (folder) => page.evaluate(loaded, { options: { device: "auto" }, folder });
    const before = await load(folder);
    assert.equal(before.info.device, "wasm");
    const keep = ({ name, version, text }) =>
      (async () => {
        const key = encodeURIComponent(["acme test-gpu", navigator.userAgent, version].join("\n"));
        await (await caches.open(name)).put(`https://kernels.invalid/${key}`, new Response(text));
      })();
    // A request takes 1 µs, a dispatch 1 ns and a layer of 16 rows 1 ns.
    await page.evaluate(keep, {
      name: CACHE,
      version: env.version,
      text: "0 0 0 0\nlinear_fp32 short 1 f32 32x32",
    });
    const { info } = await load(folder);
    assert.equal(info.device, "webgpu");
    assert.match(info.device_reason, /^auto chose the GPU \(acme test-gpu\)/);
    await page.evaluate(keep, {
      name: CACHE,
      version: env.version,
      text: "0 0 900000 0\nlinear_fp32 short 1 f32 32x32",
    });
    for (const model of [folder, large]) assert.equal((await load(model)).info.device, "wasm");
  });
});

test("a device that is lost or hangs during the load is an error, and under auto the CPU computes", async () => {
  const lose = () => {
    const { requestDevice } = GPUAdapter.prototype;
    const { submit } = GPUQueue.prototype;
    let device;
    let submissions = 0;
    GPUAdapter.prototype.requestDevice = async function (...args) {
      submissions = 0;
      return (device = await requestDevice.apply(this, args));
    };
    GPUQueue.prototype.submit = function (...args) {
      submit.apply(this, args);
      // In the self-test.
      if (args[0].length > 0 && ++submissions === 2) device.destroy();
    };
  };
  const hang = () => {
    GPUBuffer.prototype.mapAsync = () => new Promise(() => {});
    const own = globalThis.setTimeout;
    globalThis.setTimeout = (work, delay, ...rest) => own(work, delay > 9000 ? delay / 100 : delay, ...rest);
  };
  const kept = keeping(await keptWith("linear_fp32"));
  for (const [fault, why] of [
    [lose, "the GPU device was lost"],
    [hang, "the GPU device was lost: it did not answer in time"],
  ]) {
    await onHardware([kept, fault], async (page) => {
      const load = () => page.evaluate(loaded, { options: { device: "webgpu", dtype: "fp32" }, folder });
      await assert.rejects(load(), new RegExp(why));
    });
    await onHardware([kept, fault, hideSoftwareAdapter], async (page) => {
      const { info } = await page.evaluate(loaded, { options: { device: "auto", dtype: "fp32" }, folder });
      assert.equal(info.device, "wasm");
      assert.match(info.device_reason, new RegExp(`the GPU could not take the model: ${why}`));
    });
  }
});

test("an adapter without 16-bit floats and timestamps computes in 32 bits, and is measured by the page's clock", async () => {
  const want = await expected();
  const kept = keeping(await keptWith("linear_fp16", { open: ["attention medium"] }));
  for (const scripts of [[], [kept]]) {
    await onHardware([withoutOptionalFeatures, ...scripts], async (page) => {
      const options = { device: "webgpu", dtype: "fp16" };
      const waits = scripts.length > 0;
      const { info, logits, chosen } = await page.evaluate(loaded, { options, folder, inputs, waits });
      assert.equal(info.kernels.from, waits ? "kept" : "default");
      if (waits) assert.equal(chosen.info.kernels.from, "measured");
      for (const of of waits ? [info, chosen.info] : [info])
        assert.ok(
          Object.values(of.kernels.chosen).every((name) => name.startsWith("f32")),
          of.kernels.chosen,
        );
      for (const numbers of waits ? [logits, chosen.logits] : [logits]) assert.ok(difference(numbers, want) < 1e-2);
    });
  }
});

test("a variant that is wrong or does not compile is struck out, and info says why", async () => {
  const want = await expected();
  const replaced = ([from, to]) => {
    const { createShaderModule } = GPUDevice.prototype;
    GPUDevice.prototype.createShaderModule = function ({ code }) {
      return createShaderModule.call(this, { code: code.replaceAll(from, to) });
    };
    // An error of the device may arrive after the load that it would fail.
    globalThis.uncaptured = [];
    const { requestDevice } = GPUAdapter.prototype;
    GPUAdapter.prototype.requestDevice = async function (...args) {
      const device = await requestDevice.apply(this, args);
      device.addEventListener("uncapturederror", ({ error }) => globalThis.uncaptured.push(error.message));
      return device;
    };
  };
  // The first two are the default, which the load tests; the others are tested after it.
  for (const [name, from, to, why] of [
    [
      "f32 16 queries",
      "rescale * sum + tile_sum(query)",
      "tile_sum(query)",
      /^this GPU computes attention wrongly: error /,
    ],
    ["f32 16 queries", "fn tile_sum(", "fn (", /^the GPU cannot compile the kernel Attention: /],
    [
      "f32 32 queries",
      "dot(share, vec4<f32>(1.0))",
      "dot(share, vec4<f32>(0.5))",
      /^this GPU computes attention wrongly: error /,
    ],
    ["f32 32 queries", "const KEYS = 32u;", "const KEYS = none;", /^the GPU cannot compile the kernel AttentionWide: /],
  ]) {
    const kept = keeping(await keptWith("linear_fp32", { open: ["attention medium"] }));
    await onHardware([kept, [replaced, [from, to]]], async (page) => {
      const options = { device: "webgpu", dtype: "fp32" };
      const isDefault = name === "f32 16 queries";
      const { chosen, ...first } = await page.evaluate(loaded, { options, folder, inputs, waits: !isDefault });
      const { info } = chosen ?? first;
      assert.deepEqual(Object.keys(first.info.kernels.struck), isDefault ? [`attention ${name}`] : []);
      assert.deepEqual(Object.keys(info.kernels.struck), [`attention ${name}`]);
      assert.match(info.kernels.struck[`attention ${name}`], why);
      assert.notEqual(info.kernels.chosen["attention medium"], name);
      assert.equal(info.device, "webgpu");
      for (const { logits } of [first, chosen ?? first]) assert.ok(difference(logits, want) < 1e-4);
      assert.deepEqual(await page.evaluate(() => globalThis.uncaptured), []);
    });
  }
});

test("the browser compiles the shaders of all kernels with all variants", async () => {
  await withPage({ path: blank }, async (page) => {
    const { count, errors } = await page.evaluate(async () => {
      await import("/dist/webert_glues.js");
      const glue = globalThis.webertGlues.gpu_full.default();
      const module_or_path = await WebAssembly.compileStreaming(fetch("/dist/webert_webgpu_full.wasm"));
      await glue.default({ module_or_path });
      const adapter = await navigator.gpu.requestAdapter();
      const hasHalf = adapter.features.has("shader-f16");
      const device = await adapter.requestDevice({ requiredFeatures: hasHalf ? ["shader-f16"] : [] });
      const sources = glue.kernel_sources().filter(([, code]) => hasHalf || !code.includes("enable f16"));
      const errors = [];
      device.pushErrorScope("validation");
      for (const [name, code] of [...sources, ["none", "fn ("]]) {
        const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
        const found = messages.find(({ type }) => type === "error");
        if (found) errors.push([name, found.message]);
      }
      await device.popErrorScope();
      return { count: sources.length, errors };
    });
    assert.ok(count > 130, `${count} shaders`);
    // The last text is no WGSL.
    assert.deepEqual(
      errors.map(([name]) => name),
      ["none"],
      JSON.stringify(errors),
    );
  });
});
