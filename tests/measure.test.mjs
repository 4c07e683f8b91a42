// webert/measure in Chromium: kernels beside the CPU, times, losses, aborts; and the check of reports. The adapter is Chromium's SwiftShader.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReport, measure } from "../dist/measure.js";
import { pipeline } from "../dist/node.js";
import { blank, longestTask, withPage } from "./browser.mjs";
import { everywhere } from "./gpu-faults.mjs";

/** Small batches and few runs: a software adapter is slow. */
const QUICK = {
  batches: [
    [1, 8],
    [2, 6],
  ],
  budget: 2,
};

/** Runs in the page: the report, its problems, and the progress. */
async function measured(options) {
  const { pipeline } = await import("/dist/index.js");
  const { measure, checkReport } = await import("/dist/measure.js");
  const steps = [];
  const report = await measure({ pipeline, ...options, progress_callback: (step) => steps.push(step) });
  return { report, problems: checkReport(report), steps };
}

test("measures kernels, training, launches, a loss and encoders; the report passes its check", async () => {
  await withPage({ path: blank }, async (page) => {
    const { report, problems, steps } = await page.evaluate(measured, QUICK);
    assert.deepEqual(problems, []);
    assert.equal(report.adapter.software, true);
    assert.deepEqual(report.notes, []);
    const { kernels, training, loss, ...costs } = report.gpu;
    assert.deepEqual(kernels.map(({ error }) => error).filter(Boolean), []);
    for (const { kernel, precision, difference, tolerance, ms, gflops, gbps } of kernels) {
      const name = `${kernel} ${precision}`;
      assert.ok(difference <= tolerance, `${name}: ${difference}`);
      assert.ok(ms > 0 && gbps > 0, name);
      assert.equal(gflops > 0, /^(linear|attention(?!_relative))/.test(kernel), name);
    }
    assert.ok(new Set(kernels.map(({ kernel }) => kernel)).size >= 16);
    assert.deepEqual(
      [...new Set(kernels.filter(({ kernel }) => kernel === "linear").map(({ precision }) => precision))],
      ["fp32", "fp16", "bf16", "q8"],
    );
    // Only exact copies differ by nothing: a comparison that computed nothing would be 0 everywhere.
    assert.ok(kernels.filter(({ difference }) => difference > 0).length > 10);
    assert.ok(training.length > 10 && training.every(({ difference, tolerance }) => difference <= tolerance));
    assert.ok(costs.request_ms > 0 && costs.dispatch_us > 0 && costs.wasm_bytes > 1e6);
    assert.equal(loss.code, "device_lost");
    assert.ok(loss.recovered_ms > 0);
    assert.deepEqual(
      report.encode.map(({ device, sequences, tokens }) => [device, sequences, tokens]),
      ["wasm", "webgpu"].flatMap((device) => QUICK.batches.map((batch) => [device, ...batch])),
    );
    for (const { device, ms, least_ms, runs, difference, weight_bytes } of report.encode) {
      assert.ok(ms >= least_ms && least_ms > 0 && runs >= 3 && weight_bytes > 1e6);
      assert.equal(difference === null, device === "wasm");
      assert.ok((difference ?? 0) < 0.1);
    }
    assert.ok(steps.length > 30 && steps.every(({ done, of }) => done < of));
    assert.ok(steps.every(({ done }, at) => at === 0 || done >= steps[at - 1].done));
  });
});

test("a kernel that computes wrongly or does not compile is in the report", async () => {
  /** Attention counts early keys twice, and the rotation does not compile. */
  function breakKernels() {
    const own = GPUDevice.prototype.createShaderModule;
    GPUDevice.prototype.createShaderModule = function (descriptor) {
      let { code } = descriptor;
      if (/let cosine/.test(code)) code = "no shader";
      else if (/let rescale/.test(code)) code = code.replace("let rescale =", "let rescale = 2.0 *");
      return own.call(this, { ...descriptor, code });
    };
  }
  const prepare = (page) => everywhere(page, breakKernels);
  await withPage({ path: blank, prepare, allowErrors: true }, async (page) => {
    const { report } = await page.evaluate(measured, { ...QUICK, kernels: ["attention", "norm", "rotary"] });
    const [attention, norm, rotary] = ["attention", "norm", "rotary"].map((name) =>
      report.gpu.kernels.find(({ kernel }) => kernel === name),
    );
    assert.ok(attention.difference > attention.tolerance, `${attention.difference}`);
    assert.ok(norm.difference <= norm.tolerance);
    assert.match(rotary.error, /^the GPU cannot compile the kernel Rotary: /);
    assert.equal(rotary.ms, null);
  });
});

test("an abort ends the measurement at once, and the page stays responsive", async () => {
  await withPage({ path: blank }, async (page) => {
    const aborted = async () => {
      const { pipeline } = await import("/dist/index.js");
      const { measure } = await import("/dist/measure.js");
      const ending = new AbortController();
      const later = [];
      const progress_callback = (step) => {
        if (ending.signal.aborted) later.push(step);
        else if (step.done >= 3) ending.abort();
      };
      const code = await measure({ pipeline, budget: 1000, signal: ending.signal, progress_callback }).then(
        () => "finished",
        (error) => error.code,
      );
      return { code, later };
    };
    const { result, longest } = await longestTask(page, () => page.evaluate(aborted));
    assert.deepEqual(result, { code: "aborted", later: [] });
    console.log(`processor time of the longest task: ${Math.round(longest)} ms`);
    assert.ok(longest < 500, `${longest} ms`);
  });
});

test("without WebGPU it says so and times the CPU; so does Node", async () => {
  const prepare = (page) =>
    page.addInitScript(() => Object.defineProperty(Navigator.prototype, "gpu", { value: undefined }));
  const inNode = await measure({ pipeline, ...QUICK });
  const inPage = await withPage(
    { path: blank, prepare },
    async (page) => (await page.evaluate(measured, QUICK)).report,
  );
  for (const report of [inNode, inPage]) {
    assert.deepEqual(checkReport(report), []);
    assert.equal(report.adapter, null);
    assert.equal(report.gpu, null);
    assert.match(report.notes.join(), /no WebGPU/);
    assert.deepEqual(
      report.encode.map(({ device }) => device),
      ["wasm", "wasm"],
    );
  }
});

test("times an encoder of another library over the same texts, and reports its failure", async () => {
  let texts = [];
  const other = { library: "other", version: "1.2", device: "wasm", dtype: "fp32" };
  const good = async () => ({ ...other, encode: async (given) => void (texts = texts.concat(given)) });
  const bad = async () => {
    throw new Error("no network");
  };
  const report = await measure({ pipeline, batches: [[2, 9]], budget: 1, others: [good, bad] });
  assert.deepEqual(
    report.encode.map(({ library, tokens }) => [library, tokens]),
    [
      ["webert", 9],
      ["other", 9],
    ],
  );
  const pipe = await pipeline("feature-extraction");
  assert.ok(texts.length >= 8 && texts.every((text) => pipe.tokenizer.encode(text).length === 9));
  await pipe.dispose();
  assert.match(report.notes.join(), /another library: no network/);
});

test("names the option that is wrong", async () => {
  for (const [options, message] of [
    [{}, /pipeline: expected the function/],
    [{ pipeline, batches: [[1, 0]] }, /batches: expected pairs of whole numbers from 1, got \[\[1,0\]\]/],
    [{ pipeline, budget: -1 }, /budget: expected milliseconds above 0, got -1/],
    [{ pipeline, kernels: "all" }, /kernels: expected true, false or a list/],
    [{ pipeline, batch: 1 }, /expected one of .*batches.*, got the option "batch"/],
  ])
    await assert.rejects(measure(options), { code: "bad_input", message });
  await withPage({ path: blank }, async (page) => {
    await assert.rejects(page.evaluate(measured, { kernels: ["matmul"] }), /expected some of linear, .*, got "matmul"/);
  });
});

test("the check names each part of a file that is wrong", async () => {
  const report = await measure({ pipeline, batches: [[1, 8]], budget: 1 });
  assert.deepEqual(checkReport(JSON.parse(JSON.stringify(report))), []);
  const changed = (change) => {
    const copy = structuredClone(report);
    change(copy);
    return checkReport(copy);
  };
  for (const [change, problems] of [
    [(r) => delete r.cores, ["cores: expected a number, got undefined"]],
    [(r) => (r.encode[0].ms = "3"), ["encode[0].ms: expected a number, got string"]],
    [(r) => (r.encode[0].ms = -1), ["encode[0].ms: expected a number from 0, got -1"]],
    [
      (r) => (r.adapter = {}),
      ["vendor", "architecture", "device", "description"]
        .map((n) => `adapter.${n}: expected a string, got undefined`)
        .concat([
          "adapter.software: expected a boolean, got undefined",
          "adapter.features: expected an array, got undefined",
          "adapter.limits: expected an object, got undefined",
        ]),
    ],
    [(r) => (r.version = 2), ["version: expected 1, got 2"]],
    [(r) => (r.date = "today"), ['date: expected a time by ISO 8601, got "today"']],
    [(r) => (r.notes = null), ["notes: expected an array, got null"]],
  ])
    assert.deepEqual(changed(change), problems);
  for (const value of [null, [], "text", {}])
    assert.match(checkReport(value).join(), /^schema: expected "webert-measure"/);
});
