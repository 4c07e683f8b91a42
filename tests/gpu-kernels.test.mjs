// The kernels that a GPU chooses by a measurement, how they are kept, what "auto" makes of them, and faults of the device meanwhile. The
// adapter is Chromium's SwiftShader, a software adapter, which claims to be hardware here. tests/gpu.rs tests the measurement itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AutoModel, env } from "../dist/node.js";
import { blank, withPage } from "./browser.mjs";
import { claimHardware, everywhere, hideSoftwareAdapter } from "./gpu-faults.mjs";

const folder = "tests/goldens/models/bert-mlm";
const training = "tests/goldens/training/rows";
const { cases } = JSON.parse(readFileSync(new URL(`../${folder}/cases.json`, import.meta.url)));
const { inputs } = cases[0];
/** A model that "auto" considers large. */
const large = "models/minilm-mlm";
const CACHE = `${env.cacheKey}-kernels`;

/** Runs in the page: loads the model, computes once, and returns its info and the logits. */
async function loaded({ options, folder, inputs }) {
  const { AutoModel } = await import("/dist/index.js");
  const model = await AutoModel.from_pretrained(`/${folder}`, { worker: false, ...options });
  const logits = inputs ? Array.from((await model(inputs)).logits.data) : [];
  const { info } = model;
  await model.dispose();
  return { info, logits };
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
    const first = await page.evaluate(loaded, { options, folder, inputs: { ...inputs } });
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
  return [`${table} 0 1000 1000`, ...lines].join("\n");
}

/** A script for a page: `text` is what its browser has kept for the GPU. */
const keeping = (text) =>
  `{ const { match } = CacheStorage.prototype;
    CacheStorage.prototype.match = function (key, options) {
      if (options?.cacheName === ${JSON.stringify(CACHE)}) return Promise.resolve(new Response(${JSON.stringify(text)}));
      return match.call(this, key, options);
    }; }`;

const difference = (a, b) => Math.max(...a.map((x, n) => Math.abs(x - b[n])));

test("kernels are measured once, kept, and measured again when the browser changes", async () => {
  const want = await expected();
  const first = await firstLoad();
  const { kernels } = first.info;
  console.log(kernels);
  assert.equal(kernels.from, "measured");
  assert.ok(kernels.milliseconds > 0);
  const calls = ["attention medium", ...SHAPES.map((shape) => `linear_fp32 ${shape}`)];
  assert.deepEqual(Object.keys(kernels.chosen).sort(), calls.sort());
  assert.deepEqual(kernels.struck, {});
  assert.ok(difference(first.logits, want) < 1e-4);
  // Another version of the package may have other variants.
  assert.equal(decodeURIComponent(first.key).split("\n").at(-1), env.version);

  // A slow adapter measures some of the classes per load; here the last one is left.
  const before = await keptWith("linear_fp32", { open: ["attention medium"] });
  await onHardware([], async (page) => {
    const options = { device: "webgpu", dtype: "fp32" };
    const load = () => page.evaluate(loaded, { options, folder, inputs: { ...inputs } });
    await page.evaluate(async ({ name, key, text }) => (await caches.open(name)).put(key, new Response(text)), {
      name: CACHE,
      key: first.key,
      text: before,
    });
    const second = await load();
    assert.equal(second.info.kernels.from, "measured");
    assert.equal(second.info.kernels.chosen["linear_fp32 large"], "f32 64x64/4x4/1/4/1");
    assert.ok(difference(second.logits, want) < 1e-4);
    const third = await load();
    assert.equal(third.info.kernels.from, "kept");
    assert.equal(third.info.kernels.milliseconds, 0);
    assert.deepEqual(third.info.kernels.chosen, second.info.kernels.chosen);
    assert.ok(difference(third.logits, want) < 1e-4);

    await page.evaluate(() => Object.defineProperty(navigator, "userAgent", { value: "another browser" }));
    assert.equal((await load()).info.kernels.from, "measured");
    assert.equal(await page.evaluate(async (name) => (await (await caches.open(name)).keys()).length, CACHE), 2);
  });
});

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

test("a software adapter is never measured, and keeps nothing", async () => {
  await withPage({ path: blank }, async (page) => {
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

test("a device that is lost during the measurement is an error, and under auto the CPU computes", async () => {
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
      // The self-test takes fewer.
      if (args[0].length > 0 && ++submissions === 12) device.destroy();
    };
  };
  const kept = keeping(await keptWith("linear_q8", { open: ["attention medium"] }));
  await onHardware([kept, lose], async (page) => {
    const load = (device) => page.evaluate(loaded, { options: { device, dtype: "q8" }, folder: large });
    await assert.rejects(load("webgpu"), /the GPU device was lost/);
  });
  await onHardware([kept, lose, hideSoftwareAdapter], async (page) => {
    const { info } = await page.evaluate(loaded, { options: { device: "auto", dtype: "q8" }, folder: large });
    assert.equal(info.device, "wasm");
    assert.match(info.device_reason, /the GPU could not take the model: the GPU device was lost/);
  });
});

test("a driver that hangs is waited for a bounded time, then the CPU computes", async () => {
  const hang = () => {
    GPUBuffer.prototype.mapAsync = () => new Promise(() => {});
    const own = globalThis.setTimeout;
    globalThis.setTimeout = (work, delay, ...rest) => own(work, delay > 9000 ? delay / 100 : delay, ...rest);
  };
  const kept = keeping(await keptWith("linear_q8", { open: ["attention medium"] }));
  await onHardware([kept, hang], async (page) => {
    const load = (device) => page.evaluate(loaded, { options: { device, dtype: "q8" }, folder: large });
    await assert.rejects(load("webgpu"), /the GPU device was lost: it did not answer in time/);
  });
  await onHardware([kept, hang, hideSoftwareAdapter], async (page) => {
    const { info } = await page.evaluate(loaded, { options: { device: "auto", dtype: "q8" }, folder: large });
    assert.equal(info.device, "wasm");
    assert.match(info.device_reason, /the GPU could not take the model: .* did not answer in time/);
  });
});

test("an adapter without 16-bit floats and timestamps computes in 32 bits, and is measured by the page's clock", async () => {
  const want = await expected();
  await onHardware([withoutOptionalFeatures], async (page) => {
    const options = { device: "webgpu", dtype: "fp16" };
    const { info, logits } = await page.evaluate(loaded, { options, folder, inputs });
    assert.equal(info.kernels.from, "measured");
    assert.ok(
      Object.values(info.kernels.chosen).every((name) => name.startsWith("f32")),
      info.kernels.chosen,
    );
    assert.ok(difference(logits, want) < 1e-2);
  });
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
  for (const [from, to, why] of [
    ["rescale * sum + tile_sum(query)", "tile_sum(query)", /^this GPU computes attention wrongly: error /],
    ["fn tile_sum(", "fn (", /^the GPU cannot compile the kernel Attention: /],
  ]) {
    const kept = keeping(await keptWith("linear_fp32", { open: ["attention medium"] }));
    await onHardware([kept, [replaced, [from, to]]], async (page) => {
      const { info, logits } = await page.evaluate(loaded, {
        options: { device: "webgpu", dtype: "fp32" },
        folder,
        inputs,
      });
      assert.deepEqual(Object.keys(info.kernels.struck), ["attention f32 16 queries"]);
      assert.match(info.kernels.struck["attention f32 16 queries"], why);
      assert.match(info.kernels.chosen["attention medium"], /^f32 (32 queries|barrier-free)$/);
      assert.equal(info.device, "webgpu");
      assert.ok(difference(logits, want) < 1e-4);
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
