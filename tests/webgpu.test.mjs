// The GPU in a browser: the same logits as the CPU's, and what happens where there is none or it
// goes away. tests/gpu.rs has the kernels one by one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { blank, withPage } from "./browser.mjs";

const folder = "tests/goldens/models/bert-mlm";
const { cases } = JSON.parse(readFileSync(new URL(`../${folder}/cases.json`, import.meta.url)));

/** Runs in the page: loads the model on `device` and gives its info and every case's logits. */
async function logitsOf({ folder, device, dtype, worker, cases }) {
  const { AutoModel } = await import("/dist/index.js");
  const model = await AutoModel.from_pretrained(`/${folder}`, { device, dtype, worker });
  const logits = [];
  for (const { inputs } of cases) logits.push(Array.from((await model(inputs)).logits.data));
  const { info } = model;
  await model.dispose();
  return { info, logits };
}

/** The greatest difference of two lists of lists. */
const difference = (a, b) => Math.max(...a.flatMap((list, i) => {
  assert.equal(list.length, b[i].length);
  return list.map((value, j) => Math.abs(value - b[i][j]));
}));

for (const worker of [false, true]) {
  test(`webgpu gives the logits of wasm, ${worker ? "in a Worker" : "in the page"}`, async () => {
    await withPage({ path: blank }, async (page) => {
      const on = (device, dtype) => page.evaluate(logitsOf, { folder, device, dtype, worker, cases });
      const wasm = await on("wasm", "auto");
      const webgpu = await on("webgpu", "auto");
      assert.equal(wasm.info.device, "wasm");
      assert.equal(webgpu.info.device, "webgpu");
      assert.match(webgpu.info.device_reason, /asked for by name/);
      const worst = difference(wasm.logits, webgpu.logits);
      console.log(`greatest difference ${worst.toExponential(1)}`);
      assert.ok(worst < 1e-4, String(worst));
      for (const [dtype, tolerance] of [["fp16", 1e-4], ["q8", 1e-4]]) {
        const worst = difference((await on("wasm", dtype)).logits, (await on("webgpu", dtype)).logits);
        console.log(`greatest difference, ${dtype}: ${worst.toExponential(1)}`);
        assert.ok(worst < tolerance, `${dtype}: ${worst}`);
      }
    });
  });
}

test("auto leaves a software adapter alone, and says so", async () => {
  await withPage({ path: blank }, async (page) => {
    const { info } = await page.evaluate(logitsOf, { folder, device: "auto", dtype: "auto", worker: true, cases: [] });
    assert.equal(info.device, "wasm");
    assert.match(info.device_reason, /auto chose the CPU: the adapter.* is a software renderer/);
  });
});

test("without WebGPU, auto takes the CPU and webgpu is an error", async () => {
  const prepare = (page) => page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "gpu", { value: undefined });
  });
  await withPage({ path: blank, prepare }, async (page) => {
    const options = { folder, dtype: "auto", worker: false, cases: [] };
    const { info } = await page.evaluate(logitsOf, { ...options, device: "auto" });
    assert.equal(info.device, "wasm");
    assert.match(info.device_reason, /auto chose the CPU: no WebGPU here/);
    await assert.rejects(page.evaluate(logitsOf, { ...options, device: "webgpu" }), /no WebGPU here/);
  });
});

test("a device that is lost ends the call under way, and later ones, in device_lost", async () => {
  const prepare = (page) => page.addInitScript(() => {
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...args) {
      globalThis.device = await request.apply(this, args);
      return globalThis.device;
    };
  });
  await withPage({ path: blank, prepare }, async (page) => {
    const codes = await page.evaluate(async ({ folder, inputs }) => {
      const { AutoModel } = await import("/dist/index.js");
      const model = await AutoModel.from_pretrained(`/${folder}`, { device: "webgpu", worker: false });
      const code = (promise) => promise.then(() => "ok", (error) => error.code);
      const codes = [await code(model(inputs))];
      // the commands of the next call are on their way when the device goes
      const submit = GPUQueue.prototype.submit;
      GPUQueue.prototype.submit = function (...args) {
        submit.apply(this, args);
        globalThis.device.destroy();
      };
      codes.push(await code(model(inputs)), await code(model(inputs)));
      return codes;
    }, { folder, inputs: cases[0].inputs });
    assert.deepEqual(codes, ["ok", "device_lost", "device_lost"]);
  });
});
