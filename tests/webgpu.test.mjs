// The GPU in a browser: logits equal to the CPU's, the chosen device with its reason, and lost devices. tests/gpu tests the kernels one by
// one, pipelines.test.mjs every task. The adapters are software: Chromium's own SwiftShader in the tests of what a visitor without a GPU gets,
// lavapipe in the others. If a test needs a GPU, the adapter claims to be one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AutoModel } from "../dist/node.js";
import { blank, withLavapipe, withPage } from "./browser.mjs";
import { claimHardware, everywhere, hideSoftwareAdapter, makeDevicesLosable } from "./gpu-faults.mjs";

const folder = "tests/goldens/models/bert-mlm";
const { cases } = JSON.parse(readFileSync(new URL(`../${folder}/cases.json`, import.meta.url)));

/** Runs in the page: loads the model and returns its info and every case's logits. */
async function logitsOf({ options, folder, cases }) {
  const { AutoModel } = await import("/dist/index.js");
  const model = await AutoModel.from_pretrained(`/${folder}`, options);
  const logits = [];
  for (const { inputs } of cases) logits.push(Array.from((await model(inputs)).logits.data));
  const { info } = model;
  await model.dispose();
  return { info, logits };
}

/** The largest difference between two lists of lists. */
const difference = (a, b) =>
  Math.max(
    ...a.flatMap((list, i) => {
      assert.equal(list.length, b[i].length);
      return list.map((value, j) => Math.abs(value - b[i][j]));
    }),
  );

/** The binaries that a page fetched. */
const binaries = (page) => {
  const seen = new Set();
  page.on("request", (request) => {
    const [, name] = /webert_(\w+)\.wasm/.exec(request.url()) ?? [];
    if (name) seen.add(name);
  });
  return seen;
};

test("the two software GPUs of the tests have different drivers", {
  skip: process.platform !== "linux" && "lavapipe runs on Linux only",
}, async () => {
  const adapter = async () => {
    const { features, info } = await navigator.gpu.requestAdapter();
    return { features: [...features].sort(), lanes: info.subgroupMaxSize };
  };
  const [swiftshader, lavapipe] = await Promise.all(
    [withPage, withLavapipe].map((open) => open({ path: blank }, (page) => page.evaluate(adapter))),
  );
  assert.notDeepEqual(lavapipe, swiftshader, "is there lavapipe (mesa-vulkan-drivers), and a C compiler?");
});

for (const [driver, worker] of [
  ["swiftshader", false],
  ["swiftshader", true],
  ["lavapipe", false],
]) {
  test(`webgpu on ${driver} gives the logits of wasm, ${worker ? "in a Worker" : "in the page"}`, async () => {
    await withPage({ path: blank, driver }, async (page) => {
      const seen = binaries(page);
      for (const [dtype, tolerance] of [
        ["fp32", 1e-4],
        ["fp16", 1e-3],
        ["q8", 0.3],
      ]) {
        // In 8 bits the CPU rounds in its own way, so fp32 is the reference for both. Logits are up to 5.2, in a network 32 wide
        // with random weights; the CPU's differ by 0.2.
        const want = await AutoModel.from_pretrained(folder, { dtype: dtype === "fp16" ? dtype : "fp32", threads: 1 });
        const expected = [];
        for (const { inputs } of cases) expected.push(Array.from((await want(inputs)).logits.data));
        await want.dispose();
        const { info, logits } = await page.evaluate(logitsOf, {
          options: { device: "webgpu", dtype, worker },
          folder,
          cases,
        });
        assert.deepEqual([info.device, info.dtype], ["webgpu", dtype]);
        assert.match(info.device_reason, /^asked for by name \([^;]+\)$/);
        const worst = difference(expected, logits);
        console.log(`greatest difference, ${dtype}: ${worst.toExponential(1)}`);
        assert.ok(worst < tolerance, `${dtype}: ${worst}`);
      }
      assert.deepEqual([...seen], ["webgpu"]);
    });
  });
}

for (const worker of [false, true]) {
  test(`auto, ${worker ? "in a Worker" : "in the page"}: no program, no small model, no binary for nothing`, async () => {
    const auto = (page, folder) => page.evaluate(logitsOf, { options: { device: "auto", worker }, folder, cases: [] });
    await withPage({ path: blank }, async (page) => {
      const seen = binaries(page);
      const { info } = await auto(page, folder);
      assert.equal(info.device, "wasm");
      assert.match(info.device_reason, /auto chose the CPU: the adapter \(.*swiftshader.*\) is a software renderer/i);
      assert.ok(!seen.has("webgpu"));
    });
    await withPage({ path: blank, prepare: (page) => everywhere(page, hideSoftwareAdapter) }, async (page) => {
      const { info } = await auto(page, folder);
      assert.equal(info.device, "wasm");
      assert.match(info.device_reason, /auto chose the CPU: .*sooner.*acme test-gpu.*small/);
      const seen = binaries(page);
      const large = await auto(page, "models/minilm-mlm");
      assert.equal(large.info.device, "webgpu");
      assert.match(large.info.device_reason, /auto chose the GPU \(acme test-gpu\)/);
      assert.deepEqual([...seen], ["webgpu"]);
    });
  });
}

test("without WebGPU, auto uses the CPU and webgpu is an error", async () => {
  const prepare = (page) =>
    page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, "gpu", { value: undefined });
    });
  await withLavapipe({ path: blank, prepare }, async (page) => {
    const seen = binaries(page);
    const load = (device) => page.evaluate(logitsOf, { options: { device, worker: false }, folder, cases: [] });
    const { info } = await load("auto");
    assert.equal(info.device, "wasm");
    assert.match(info.device_reason, /auto chose the CPU: no WebGPU here/);
    await assert.rejects(load("webgpu"), /no WebGPU here/);
    assert.ok(!seen.has("webgpu"));
  });
});

test("with the first version of WebGPU, auto uses the CPU and webgpu is an error", async () => {
  for (const lacking of ["GPUAdapter.info", "GPU.wgslLanguageFeatures"]) {
    const prepare = (page) =>
      page.addInitScript((lacking) => {
        const [owner, name] = lacking.split(".");
        delete globalThis[owner].prototype[name];
      }, lacking);
    await withLavapipe({ path: blank, prepare }, async (page) => {
      const load = (device) =>
        page.evaluate(logitsOf, { options: { device, worker: false }, folder: "models/minilm-mlm", cases: [] });
      const { info } = await load("auto");
      assert.equal(info.device, "wasm");
      assert.equal(info.device_reason, `auto chose the CPU: this browser's WebGPU is too old: it lacks ${lacking}`);
      await assert.rejects(load("webgpu"), /device "webgpu": this browser's WebGPU is too old: it lacks /);
    });
  }
});

test("in Node, auto uses the CPU and webgpu is an error", async () => {
  const model = await AutoModel.from_pretrained(folder, { threads: 1 });
  assert.match(model.info.device_reason, /auto chose the CPU: no WebGPU here/);
  await model.dispose();
  await assert.rejects(AutoModel.from_pretrained(folder, { device: "webgpu" }), {
    code: "unsupported",
    message: /no WebGPU here/,
  });
});

/**
 * Runs in the page: the outcome of each call while the device is lost, and the model's info afterwards. The steps are calls and the times
 * at which the device is lost.
 */
async function outcomesWithLosses({ folder, options, inputs, steps }) {
  const { AutoModel } = await import("/dist/index.js");
  const model = await AutoModel.from_pretrained(`/${folder}`, options);
  const channel = new BroadcastChannel("lose-device");
  const outcomes = [];
  for (const step of steps) {
    if (step === "call") {
      const { input_ids } = inputs;
      const outcome = await model({ input_ids }).then(
        ({ logits }) => [...logits.data].slice(0, 50),
        (error) => error.code,
      );
      outcomes.push(outcome);
    } else {
      const done = new Promise((resolve) => {
        channel.onmessage = resolve;
      });
      // a channel does not deliver to its sender: destroy the page's own devices directly
      if (options.worker) channel.postMessage(step);
      else await globalThis.loseDevice(step);
      await done;
    }
  }
  const { info } = model;
  await model.dispose();
  return { info, outcomes };
}

for (const worker of [false, true]) {
  const where = worker ? "in a Worker" : "in the page";
  const { inputs } = cases[0];

  test(`webgpu, ${where}: a device that is lost ends the call under way; the next is answered`, async () => {
    await withLavapipe({ path: blank, prepare: (page) => everywhere(page, makeDevicesLosable) }, async (page) => {
      const steps = ["call", "later", "call", "call", "now", "call", "call"];
      const { info, outcomes } = await page.evaluate(outcomesWithLosses, {
        folder,
        options: { device: "webgpu", worker },
        inputs,
        steps,
      });
      assert.equal(info.device, "webgpu");
      assert.equal(outcomes[1], "device_lost");
      for (const n of [2, 3, 4]) assert.deepEqual(outcomes[n], outcomes[0], `call ${n}`);
      assert.ok(Array.isArray(outcomes[0]));
    });
  });

  test(`auto, ${where}: where the device is lost the CPU answers, and info says so`, async () => {
    const prepare = async (page) => {
      await everywhere(page, makeDevicesLosable);
      await everywhere(page, hideSoftwareAdapter);
    };
    const large = "models/minilm-mlm";
    const input_ids = [[101, 3000, 2003, 1996, 103, 1997, 2605, 1012, 102]];
    for (const when of ["later", "now"]) {
      await withLavapipe({ path: blank, prepare }, async (page) => {
        const run = {
          folder: large,
          options: { dtype: "q8", worker },
          inputs: { input_ids },
          steps: ["call", when, "call", "call"],
        };
        const { info, outcomes } = await page.evaluate(outcomesWithLosses, run);
        assert.equal(info.device, "wasm");
        assert.match(info.device_reason, /auto chose the CPU: the GPU was in use until it failed/);
        assert.deepEqual(outcomes[1], outcomes[2]);
        assert.ok(difference([outcomes[0]], [outcomes[1]]) < 0.5, "near enough for two ways to compute in 8 bits");
      });
    }
  });
}

/** Counts pipelines: those that the page waits for, and pipelines compiled in the background. */
function counting() {
  globalThis.compiled = {};
  for (const name of ["createComputePipeline", "createComputePipelineAsync"]) {
    const own = GPUDevice.prototype[name];
    globalThis.compiled[name] = 0;
    GPUDevice.prototype[name] = function (...args) {
      globalThis.compiled[name] += 1;
      return own.apply(this, args);
    };
  }
}

for (const [kind, script, dtypes] of [
  ["a program", counting, ["fp32", "fp16", "q8"]],
  ["a GPU", claimHardware, ["q8"]],
]) {
  test(`${kind}: what a request needs is compiled before it, and not while the page waits`, async () => {
    const prepare = async (page) => {
      for (const each of new Set([counting, script])) await page.addInitScript(each);
    };
    for (const dtype of dtypes) {
      // the browser logs missing optional files
      await withLavapipe({ path: blank, prepare, allowErrors: true }, async (page) => {
        const compiled = await page.evaluate(async (dtype) => {
          const { pipeline } = await import("/dist/index.js");
          const unmask = await pipeline("fill-mask", "/models/minilm-mlm", { device: "webgpu", dtype, worker: false });
          await unmask("Paris is the [MASK] of France.");
          await unmask.dispose();
          return globalThis.compiled;
        }, dtype);
        assert.equal(compiled.createComputePipeline, 0, dtype);
        assert.ok(compiled.createComputePipelineAsync >= 9, dtype);
      });
    }
  });
}

/** The device has no memory left for any allocation. */
function exhaustMemory() {
  GPUDevice.prototype.popErrorScope = async () => new GPUOutOfMemoryError("not enough");
}

test("a GPU without enough memory is a named error, and auto avoids it", async () => {
  const prepare = async (page) => {
    await everywhere(page, exhaustMemory);
    await everywhere(page, hideSoftwareAdapter);
  };
  await withLavapipe({ path: blank, prepare }, async (page) => {
    const load = (device) =>
      page.evaluate(logitsOf, { options: { device, dtype: "q8" }, folder: "models/minilm-mlm", cases: [] });
    await assert.rejects(load("webgpu"), /the GPU's memory is used up/);
    const { info } = await load("auto");
    assert.equal(info.device, "wasm");
    assert.match(info.device_reason, /the GPU could not take the model: .*memory/);
  });
});

/** Runs in the page: loads the model, calls it plainly and for its attentions. Returns its info and both outcomes. */
async function outcomesOf({ folder, device }) {
  const { AutoModel } = await import("/dist/index.js");
  const model = await AutoModel.from_pretrained(`/${folder}`, { device, dtype: "q8", worker: false });
  const told = ({ code, message }) => ({ code, message });
  const call = (options) => model({ input_ids: [[101, 103, 102]] }, options).then(() => "answered", told);
  const attentions = await call({ output_attentions: true });
  const plain = await call({});
  const { info } = model;
  await model.dispose();
  return { info, attentions, plain };
}

/** The driver cannot compile kernels whose text contains this; Dawn then reports internal errors. */
const uncompilable = (page, text) =>
  page.addInitScript((text) => {
    const { createShaderModule, createComputePipeline, createComputePipelineAsync } = GPUDevice.prototype;
    const bad = new WeakSet();
    GPUDevice.prototype.createShaderModule = function (descriptor) {
      const made = createShaderModule.call(this, descriptor);
      if (descriptor.code.includes(text)) bad.add(made);
      return made;
    };
    GPUDevice.prototype.createComputePipelineAsync = function (descriptor) {
      if (!bad.has(descriptor.compute.module)) return createComputePipelineAsync.call(this, descriptor);
      return Promise.reject(new GPUPipelineError("the driver gave up", { reason: "internal" }));
    };
    GPUDevice.prototype.createComputePipeline = function (descriptor) {
      if (!bad.has(descriptor.compute.module)) return createComputePipeline.call(this, descriptor);
      const error = new GPUInternalError("the driver gave up");
      queueMicrotask(() => this.dispatchEvent(new GPUUncapturedErrorEvent("uncapturederror", { error })));
      this.pushErrorScope("validation");
      const module = createShaderModule.call(this, { code: "broken" });
      const invalid = createComputePipeline.call(this, { layout: "auto", compute: { module } });
      this.popErrorScope();
      return invalid;
    };
  }, text);

test("a kernel that the driver cannot compile is a named error, and auto avoids it", async () => {
  const prepare = async (page) => {
    await page.addInitScript(hideSoftwareAdapter);
    await uncompilable(page, "fn scale_rows(");
  };
  await withLavapipe({ path: blank, prepare, allowErrors: true }, async (page) => {
    const run = (device) => page.evaluate(outcomesOf, { folder: "models/minilm-mlm", device });
    await assert.rejects(run("webgpu"), /the GPU cannot compile the kernel AttentionBarrierFree: the driver gave up/);
    const { info, plain } = await run("auto");
    assert.equal(info.device, "wasm");
    assert.match(info.device_reason, /the GPU could not take the model: the GPU cannot compile/);
    assert.equal(plain, "answered");
  });
});

test("a call that the GPU rejects is a named error, and the CPU answers it under auto", async () => {
  const prepare = async (page) => {
    await page.addInitScript(hideSoftwareAdapter);
    await uncompilable(page, "fn reduce("); // a kernel that no plain call uses
  };
  await withLavapipe({ path: blank, prepare, allowErrors: true }, async (page) => {
    const run = (device) => page.evaluate(outcomesOf, { folder: "models/minilm-mlm", device });
    const named = await run("webgpu");
    assert.equal(named.attentions.code, "unsupported");
    assert.match(named.attentions.message, /^the GPU refused: the driver gave up/);
    assert.equal(named.plain, "answered");
    assert.equal(named.info.device, "webgpu");
    const auto = await run("auto");
    assert.deepEqual([auto.attentions, auto.plain], ["answered", "answered"]);
    assert.equal(auto.info.device, "wasm");
    assert.match(auto.info.device_reason, /the GPU was in use until it failed: the GPU refused: the driver gave up/);
  });
});

test("an internal driver error is reported by the next call", async () => {
  const prepare = (page) =>
    page.addInitScript(() => {
      const { requestDevice } = GPUAdapter.prototype;
      GPUAdapter.prototype.requestDevice = async function (...args) {
        return (globalThis.device = await requestDevice.apply(this, args));
      };
    });
  await withLavapipe({ path: blank, prepare, allowErrors: true }, async (page, { errors }) => {
    const outcomes = await page.evaluate(async (folder) => {
      const { AutoModel } = await import("/dist/index.js");
      const model = await AutoModel.from_pretrained(`/${folder}`, { device: "webgpu", worker: false });
      const error = new GPUInternalError("the driver gave up");
      globalThis.device.dispatchEvent(new GPUUncapturedErrorEvent("uncapturederror", { error }));
      const call = () =>
        model({ input_ids: [[5, 6, 7]] }).then(
          () => "answered",
          ({ code, message }) => `${code}: ${message}`,
        );
      const outcomes = [await call(), await call()];
      await model.dispose();
      return outcomes;
    }, folder);
    assert.deepEqual(outcomes, ["unsupported: the GPU refused: the driver gave up", "answered"]);
    assert.ok(!errors.some((error) => error.includes("panicked")), errors.join("\n"));
  });
});

/** Replaces parts of shaders before they are compiled, like a driver that computes wrongly. */
const miscompiled = (page, texts) =>
  page.addInitScript((texts) => {
    const { createShaderModule } = GPUDevice.prototype;
    GPUDevice.prototype.createShaderModule = function ({ code }) {
      return createShaderModule.call(this, {
        code: texts.reduce((code, [from, to]) => code.replaceAll(from, to), code),
      });
    };
  }, texts);

test("does not use wrong arithmetic and reports it in device_reason", async () => {
  const want = await AutoModel.from_pretrained(folder, { dtype: "fp32", threads: 1 });
  const expected = [];
  for (const { inputs } of cases) expected.push(Array.from((await want(inputs)).logits.data));
  await want.dispose();
  const integers = (page) => miscompiled(page, [["scale.y * unpack4x8snorm(b)", "scale.y * unpack4x8snorm(a)"]]);
  await withLavapipe({ path: blank, prepare: integers }, async (page) => {
    const { info, logits } = await page.evaluate(logitsOf, {
      options: { device: "webgpu", dtype: "q8", worker: false },
      folder,
      cases,
    });
    assert.match(
      info.device_reason,
      /^asked for by name \(.+\); this GPU computes q8 wrongly: error \d+\/1000, expected 10\/1000: computing in fp32$/,
    );
    assert.ok(difference(expected, logits) < 0.3);
  });
  const everything = async (page) => {
    await page.addInitScript(hideSoftwareAdapter);
    await miscompiled(page, [["unpack4x8snorm(", "0.5 * unpack4x8snorm("]]);
  };
  await withLavapipe({ path: blank, prepare: everything }, async (page) => {
    const load = (device) =>
      page.evaluate(logitsOf, {
        options: { device, dtype: "q8", worker: false },
        folder: "models/minilm-mlm",
        cases: [],
      });
    await assert.rejects(load("webgpu"), /this GPU computes q8 wrongly: error \d+\/1000, expected 10\/1000/);
    const { info } = await load("auto");
    assert.equal(info.device, "wasm");
    assert.match(info.device_reason, /the GPU could not take the model: this GPU computes q8 wrongly/);
  });
});

test("does not multiply in 8 bits on Apple's GPUs, which have no instruction for it", async () => {
  const prepare = async (page) => {
    await page.addInitScript(claimHardware);
    await page.addInitScript(() => {
      Object.defineProperty(GPUAdapterInfo.prototype, "vendor", { get: () => "apple" });
      const { createShaderModule } = GPUDevice.prototype;
      globalThis.shaders = [];
      GPUDevice.prototype.createShaderModule = function (descriptor) {
        globalThis.shaders.push(descriptor.code);
        return createShaderModule.call(this, descriptor);
      };
    });
  };
  await withLavapipe({ path: blank, prepare }, async (page) => {
    const options = { device: "webgpu", dtype: "q8", worker: false };
    const { info } = await page.evaluate(logitsOf, { options, folder, cases: cases.slice(0, 1) });
    assert.equal(info.dtype, "q8");
    assert.match(info.device_reason, /; this GPU multiplies floats faster than q8: computing in fp32$/);
    const shaders = await page.evaluate(() => globalThis.shaders);
    assert.ok(shaders.length > 5 && !shaders.some((code) => code.includes("dot4I8Packed(")));
  });
});

/** Runs in the page: loads a model whose bytes are made on request. Returns the bytes of its file, on the GPU and in WebAssembly. */
async function streamed({ config, dtype, bytes }) {
  const { header } = await import("/tests/generated.mjs");
  const { head, length } = header(config, dtype, bytes);
  const memories = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...args) => {
    const instance = await instantiate.apply(WebAssembly, args);
    memories.push(instance.exports.memory);
    return instance;
  };
  // the server's part: bytes are made on request
  const own = fetch;
  globalThis.fetch = async (url, options) => {
    const [, name] = /\/generated\/(.*)$/.exec(url) ?? [];
    if (!name) return own(url, options);
    if (name === "config.json") return new Response(JSON.stringify(config));
    if (name !== "model.safetensors") return new Response("", { status: 404 });
    let left = length;
    const chunk = new Uint8Array(2 ** 18).fill(17);
    const body = new ReadableStream({
      start: (to) => to.enqueue(head),
      pull(to) {
        if (left === 0) return to.close();
        to.enqueue(chunk.slice(0, Math.min(left, chunk.length)));
        left -= Math.min(left, chunk.length);
      },
    });
    return new Response(body, { headers: { "content-type": "application/octet-stream" } });
  };
  const { AutoModel } = await import("/dist/index.js");
  const model = await AutoModel.from_pretrained("/generated", { device: "webgpu", worker: false });
  const { bytes: held } = model.info;
  await model({ input_ids: [[101, 102]] });
  const wasm = memories[0].buffer.byteLength;
  await model.dispose();
  return { length, held, wasm };
}

test("weights stream into the GPU: WebAssembly's memory stays below 64 MiB", async () => {
  const config = {
    model_type: "bert",
    architectures: ["BertForMaskedLM"],
    hidden_size: 768,
    num_hidden_layers: 4,
    num_attention_heads: 12,
    intermediate_size: 3072,
    vocab_size: 30522,
    max_position_embeddings: 512,
    type_vocab_size: 2,
    hidden_act: "gelu",
  };
  for (const [dtype, bytes] of [
    ["F32", 4],
    ["F16", 2],
  ]) {
    await withLavapipe({ path: blank }, async (page) => {
      const used = await page.evaluate(streamed, { config, dtype, bytes });
      const mib = (count) => (count / 2 ** 20).toFixed(1);
      console.log(`${mib(used.length)} MiB of ${dtype} on the GPU, ${mib(used.wasm)} MiB of WebAssembly memory`);
      assert.ok(used.length > bytes * 50e6 && used.held > 0.99 * used.length);
      assert.ok(used.wasm < 64 * 2 ** 20);
    });
  }
});

/** Runs in the page: returns the entities of each call, and the device. */
async function entitiesOf({ folder, calls }) {
  const { pipeline } = await import("/dist/index.js");
  const find = await pipeline("zero-shot-token-classification", `/${folder}`, { device: "webgpu", dtype: "fp32" });
  const found = [];
  for (const { text, labels, options } of calls) found.push(await find(text, labels, options));
  const { device } = find.info;
  await find.dispose();
  return { device, found };
}

test("GLiNER models run their encoder on webgpu: DeBERTa, BERT and ModernBERT", async () => {
  // The folders have no config.json; the browser logs each file that is missing.
  await withLavapipe({ path: blank, allowErrors: true }, async (page) => {
    for (const name of ["deberta-lstm", "bert-marker", "modernbert-v1"]) {
      const folder = `tests/goldens/gliner/${name}`;
      const { calls } = JSON.parse(readFileSync(new URL(`../${folder}/cases.json`, import.meta.url)));
      const some = calls.slice(0, 8);
      const { device, found } = await page.evaluate(entitiesOf, { folder, calls: some });
      assert.equal(device, "webgpu");
      const places = (list) => list.map(({ score, ...place }) => place);
      for (const [n, { entities }] of some.entries()) assert.deepEqual(places(found[n]), places(entities), name);
    }
  });
});
