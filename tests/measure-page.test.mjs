// The view Measure: runs only when asked, stops, says what a device is, and saves its report as JSON and as an image.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { checkReport } from "../dist/measure.js";
import { violations } from "./axe.mjs";
import { withPage } from "./browser.mjs";

const PATIENCE = { timeout: 120_000 };
const withMeasure = (body, options = {}) => withPage({ path: "#measure", ...options }, body);
const button = (page, name) => page.getByRole("button", { name, exact: true });
const withoutGpu = (page) =>
  page.addInitScript(() => Object.defineProperty(Navigator.prototype, "gpu", { value: undefined }));

/** Saves by a button. Returns the file's name and content. */
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download", PATIENCE), button(page, name).click()]);
  return [download.suggestedFilename(), await readFile(await download.path())];
}

const kernel = {
  kernel: "linear",
  precision: "fp32",
  variant: null,
  sequences: 1,
  length: 128,
  inputs: 768,
  outputs: 3072,
  difference: 2e-7,
  tolerance: 1e-3,
  ms: 0.05,
  gflops: 12080,
  gbps: 230,
};
const encoder = { library: "webert", version: "0.1.0", dtype: "q8", threads: 4, runs: 9, weight_bytes: 23e6 };
/** The report of a GPU that computes attention wrongly. */
const REPORT = {
  schema: "webert-measure",
  version: 1,
  webert: "0.1.0",
  date: "2026-11-26T08:00:00.000Z",
  browser: { user_agent: "Browser 1.0", platform: "Linux" },
  cores: 8,
  memory_gb: 8,
  isolated: true,
  adapter: {
    vendor: "acme",
    architecture: "one",
    device: "",
    description: "",
    software: false,
    features: ["shader-f16"],
    limits: { maxBufferSize: 2 ** 31 },
  },
  gpu: {
    request_ms: 1.5,
    dispatch_us: 12.25,
    kernels: [
      kernel,
      { ...kernel, kernel: "attention", precision: null, difference: 0.5 },
      {
        ...kernel,
        kernel: "norm",
        precision: null,
        difference: null,
        ms: null,
        gflops: null,
        gbps: null,
        error: "none",
      },
    ],
    training: [{ kernel: "AdamW", difference: 1e-8, tolerance: 1e-3 }],
    loss: { code: "device_lost", reported_ms: 3, recovered_ms: 40 },
    wasm_bytes: 9e6,
    seconds: 31,
  },
  encode: ["wasm", "webgpu"].map((device) => ({
    ...encoder,
    device,
    sequences: 8,
    tokens: 128,
    ms: device === "wasm" ? 120 : 9.4,
    least_ms: 9,
    difference: null,
  })),
  notes: [],
};
/** The package's measurement is replaced by one that returns REPORT. */
const recorded = (page) =>
  page.context().route("**/dist/measure.js", (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `export const measure = async () => (${JSON.stringify(REPORT)});`,
    }),
  );

test("measures the CPU where there is no GPU, only when asked, and saves report and picture", async () => {
  const fetched = [];
  const prepare = async (page) => {
    await withoutGpu(page);
    page.context().on("request", (request) => fetched.push(request.url()));
  };
  const context = { acceptDownloads: true };
  await withMeasure(
    async (page, { url }) => {
      await button(page, "Measure").waitFor(PATIENCE);
      await page.waitForTimeout(300);
      assert.deepEqual(
        fetched.filter((address) => /measure(-worker)?\.js$|webgpu/.test(address) && !/page-/.test(address)),
        [],
      );
      await button(page, "Measure").click();
      await page.getByText("This browser offers no GPU to pages").waitFor(PATIENCE);
      assert.match(await page.locator(".measure-table").first().textContent(), /1 × 16.*1 × 128.*8 × 128/);
      const [name, json] = await saved(page, "Save as JSON");
      assert.match(name, /^webert-\d{4}-\d\d-\d\d\.json$/);
      const report = JSON.parse(json);
      assert.deepEqual(checkReport(report), []);
      assert.equal(report.encode.length, 3);
      const [picture, png] = await saved(page, "Save as image");
      assert.match(picture, /\.png$/);
      assert.equal(png.subarray(1, 4).toString(), "PNG");
      for (const address of fetched) assert.ok(address.startsWith(url) || /^(blob|data):/.test(address), address);
    },
    { prepare, context },
  );
});

test("stops at once, and when another view opens", async () => {
  await withMeasure(async (page) => {
    for (const stop of [() => button(page, "Stop").click(), () => page.locator("#tab-guess").click()]) {
      await button(page, "Measure").click(PATIENCE);
      await page.locator(".measure .took", { hasText: /\w/ }).waitFor(PATIENCE);
      await stop();
      await page.locator(".measure progress").waitFor({ state: "detached" });
      assert.equal(await page.locator(".measure-table").count(), 0, "stopped, not finished");
    }
    await page.locator("footer a", { hasText: "Measure this device" }).click();
    await button(page, "Measure").waitFor(PATIENCE);
    assert.equal(await page.locator(".measure .error").textContent(), "");
  });
});

for (const [colorScheme, width] of [
  ["light", 1280],
  ["dark", 390],
]) {
  test(`shows a GPU's report in ${colorScheme} colours, ${width} pixels wide, without overflow`, async () => {
    const context = { colorScheme, viewport: { width, height: 844 }, reducedMotion: "reduce" };
    await withMeasure(
      async (page) => {
        await button(page, "Measure").click(PATIENCE);
        await page.getByText("2 of 4 kernels are wrong on this device.").waitFor(PATIENCE);
        assert.equal(await page.locator(".measure-wrong").count(), 2);
        const text = await page.locator(".measure-report").textContent();
        for (const part of [
          /acme one/,
          /CPU q8.*GPU q8/,
          /120 ms.*9\.4 ms/,
          /1\.5 ms, each dispatch 12\.3 µs/,
          /5\.0e-1: wrong/,
        ])
          assert.match(text, part);
        assert.match(text, /12080 GFLOP\/s/);
        assert.deepEqual(await violations(page), []);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
        assert.equal(await page.getByRole("region", { name: "Measure this device" }).count(), 1);
      },
      { prepare: recorded, context },
    );
  });
}
